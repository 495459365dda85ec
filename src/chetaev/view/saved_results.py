"""`ch.save`: a result in a file, in the format that the name of the file says.

    a motion, a data set         .nc .zarr .csv .json; .png .svg .pdf: its plot; a motion also .gif .mp4 .html
    a system                     .toml; its plot and its animation, after a run
    a scene                      .html .gif .mp4 .png
    a figure                     .png .svg .pdf, one of plotly's .html .json
    a table (compare, forms, …)  .csv .html .json
    equations                    .tex .json

Files appear whole or not at all, and only what chetaev wrote itself is replaced without ``force=True``.

>>> import tempfile
>>> import chetaev as ch
>>> place = Path(tempfile.mkdtemp())
>>> ch.save(ch.forms(ch.load("knife-edge")), place / "forms.csv").read_text().splitlines()[0]
'form,applies,what it is or why it does not apply'
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.flow.data import save as data_files
from chetaev.model.system import System
from chetaev.output_files import place, whole
from chetaev.results import json_text
from chetaev.view import animated
from chetaev.view.scenes import Scene

DRAWN = (".png", ".svg", ".pdf")
MOVING = (".gif", ".mp4", ".html")
MOTION = (*data_files.SUFFIXES, *DRAWN, *MOVING)
"""What a motion can be saved as."""

Writer = Callable[[Path, bool], Path]


def save(result: Any, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write a result to a file; the ending of its name says the format.

    Parameters
    ----------
    result
        A motion, a system, a scene, a figure, a table such as `ch.compare` returns, equations, or anything
        with ``to_json()``, also in a list.
    path
        The file: ``motion.nc``, ``motion.csv``, ``motion.png``, ``motion.gif``, … as the head of
        :mod:`chetaev.view.saved_results` lists them.
    force
        Whether a file that chetaev did not write may be overwritten.

    Returns
    -------
    pathlib.Path
        Where it stands.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ModelError(f"the file is {shown(path)}", expected="the name of a file")
    writers = _writers(result)
    if not writers:
        raise ModelError(f"ch.save was given {shown(result)}", expected="a result of chetaev, or a figure")
    suffix = Path(path).suffix.lower()
    if suffix not in writers:
        raise ModelError(
            f"the file {str(path)!r} has no format in which {_kind(result)} can be kept",
            expected="a name that ends in " + ", ".join(writers),
        )
    return writers[suffix](Path(path), force)


def check(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Raise now what `save` would raise for a motion because of the name, or of what stands there."""
    suffix = Path(path).suffix.lower()
    if suffix not in MOTION:
        raise ModelError(
            f"the file {str(path)!r} has no known format", expected="a name that ends in " + ", ".join(MOTION)
        )
    if suffix in data_files.SUFFIXES:
        data_files.check(path, force=force)
    else:
        place(path, force=force)
    if suffix == ".mp4":
        from chetaev.view.export import ffmpeg

        ffmpeg()


def _kind(result: Any) -> str:
    if hasattr(result, "data_vars"):
        return "a data set"
    return f"the result {type(result).__name__}"


def _writers(result: Any) -> dict[str, Writer]:
    """What writes a result, by suffix."""
    found: dict[str, Writer] = {}
    if hasattr(result, "data_vars"):  # a data set
        for suffix in data_files.SUFFIXES:
            found[suffix] = lambda path, force: data_files.save(result, path, force=force)
    if hasattr(result, "data_vars") or isinstance(result, System) or hasattr(type(result), "_plot_"):
        found |= {suffix: lambda path, force: _drawn(result, path, force) for suffix in DRAWN}
    if isinstance(result, System) or (hasattr(result, "data_vars") and data_files.is_motion(result)):
        for suffix in MOVING:
            found[suffix] = lambda path, force: _moving(result, path, force)
    if isinstance(result, System):
        found[".toml"] = lambda path, force: whole(path, result.to_toml(), force=force)
    if isinstance(result, Scene):
        for suffix in animated.WRITERS:
            found[suffix] = lambda path, force: animated.save_scene(result, path, force=force)
    return found | _figure_writers(result) | _table_writers(result)


def _figure_writers(result: Any) -> dict[str, Writer]:
    """What writes a figure, or the figure of axes."""
    figure = result if hasattr(result, "savefig") else getattr(result, "figure", None)
    if hasattr(figure, "savefig"):
        return {suffix: lambda path, force: save_figure(figure, path, force) for suffix in DRAWN}
    if hasattr(result, "to_html") and hasattr(result, "to_plotly_json"):
        return {
            ".html": lambda path, force: whole(path, result.to_html(), force=force),
            ".json": lambda path, force: whole(path, result.to_json(), force=force),
        }
    return {}


def _table_writers(result: Any) -> dict[str, Writer]:
    """What writes tables, formulas and facts."""
    found: dict[str, Writer] = {}
    if hasattr(type(result), "_table_"):
        found[".csv"] = lambda path, force: whole(path, result._table_().csv(), force=force)
        found[".html"] = lambda path, force: whole(path, _page(result._table_().html()), force=force)
    if hasattr(type(result), "latex"):
        found[".tex"] = lambda path, force: whole(path, result.latex() + "\n", force=force)
    facts = _facts(result)
    if facts is not None:
        found[".json"] = lambda path, force: whole(path, json_text(facts(), indent=2) + "\n", force=force)
    return found


def _facts(result: Any) -> Callable[[], Any] | None:
    if hasattr(type(result), "to_json") and not hasattr(result, "to_plotly_json"):
        return lambda: result.to_json()
    if isinstance(result, (list, tuple)) and result and all(hasattr(type(r), "to_json") for r in result):
        return lambda: [r.to_json() for r in result]
    return None


def _page(fragment: str) -> str:
    style = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem}td,th{padding:.2rem .8rem .2rem 0}"
    head = f'<meta charset="utf-8"><title>chetaev</title><style>{style}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{fragment}</body></html>\n'


def _drawn(result: Any, path: Path, force: bool) -> Path:
    from matplotlib.figure import Figure

    from chetaev.view.overview import draw

    place(path, force=force)
    return save_figure(draw(result, (), Figure), path, force)


def save_figure(figure: Any, path: Path, force: bool) -> Path:
    """Write a figure of matplotlib's."""
    kind = path.suffix.lower().lstrip(".")
    return whole(path, lambda file: figure.savefig(file, format=kind, dpi=150), force=force)


def _moving(result: Any, path: Path, force: bool) -> Path:
    place(path, force=force)
    animated.animate(result, path, force=force)
    return path
