"""A picture of every model, and all of them on one sheet: ``chetaev list --pictures DIR``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from chetaev.errors import ChetaevError
from chetaev.model.file.loader import load
from chetaev.output_files import whole

SIZE = (360, 240)
COLUMNS = 6
CAPTION = 22
"""Pixels below each picture, for its name."""
PART = 0.4
"""Which part of a motion is over: in the middle most is seen."""


def pictures(names: Iterable[str], directory: Path, *, force: bool = False) -> dict[str, str]:
    """Write a picture of each model, and ``contact-sheet.png``; what cannot be drawn, with its reason.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> pictures(["knife-edge", "heisenberg"], place / "drawn")
    {}
    >>> sorted(file.name for file in (place / "drawn").iterdir())
    ['contact-sheet.png', 'heisenberg.png', 'knife-edge.png']
    """
    from PIL import Image, ImageDraw

    directory.mkdir(parents=True, exist_ok=True)
    drawn: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name in names:
        try:
            drawn[name] = _picture(name)
        except ChetaevError as error:
            missing[name] = str(error)
            continue
        _save(drawn[name], directory / f"{name}.png", force)
    if drawn:
        width, height = SIZE[0], SIZE[1] + CAPTION
        columns = min(COLUMNS, len(drawn))
        sheet = Image.new("RGB", (width * columns, height * -(-len(drawn) // columns)), "white")
        pen = ImageDraw.Draw(sheet)
        for i, (name, image) in enumerate(drawn.items()):
            x, y = width * (i % columns), height * (i // columns)
            sheet.paste(image, (x, y))
            pen.text((x + width / 2, y + SIZE[1] + CAPTION / 2), name, fill="black", anchor="mm")
        _save(sheet, directory / "contact-sheet.png", force)
    return missing


def _picture(name: str) -> Any:
    from chetaev.hamilton.dirac.dirac_run import simulate
    from chetaev.view.painted import render
    from chetaev.view.scenes import scene

    system = load(name)
    show = scene(system, simulate(system))
    return render(show, round(PART * (len(show.times) - 1)), SIZE)


def _save(image: Any, path: Path, force: bool) -> None:
    whole(path, lambda file: image.save(file, format="PNG"), force=force)
