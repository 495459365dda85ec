"""`ch.animate`: the moving picture of a motion.

>>> import chetaev as ch
>>> show = ch.animate(ch.load("rolling-disc"), until=1.0)
>>> show.title, len(show.times) > 20
('Rolling disc', True)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.model.system import System
from chetaev.view import export
from chetaev.view.plotted_series import system_of
from chetaev.view.scenes import Scene, scene
from chetaev.view.side_by_side import are_several, scene_of_several

if TYPE_CHECKING:
    pass

WRITERS = {
    ".html": export.save_html,
    ".png": export.save_png,
    ".gif": export.save_gif,
    ".mp4": export.save_mp4,
}
"""Files that hold an animation, or a frame of it, by their suffix."""


def animate(
    motion: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    system: System | None = None,
    view: Mapping[str, Any] | None = None,
    force: bool = False,
    until: float | None = None,
    **options: Any,
) -> Scene:
    """Show a motion as a moving picture, and keep it in a file if a path is given.

    Parameters
    ----------
    motion
        A motion; several in a list or by name, of which all but the first are grey; or a system, which is
        run first.
    path
        A file to write: ``.html`` (a page with a player), ``.gif``, ``.mp4``, or ``.png`` for one frame.
    system
        The system of the motion, if the motion does not say it.
    view
        What to draw, in place of the model's own ``[view]``.
    force
        Whether a file that chetaev did not write may be overwritten.
    until
        The final time, where a system is given.
    **options
        What the file takes: ``size=(width, height)`` in pixels and ``theme="dark"`` (not ``.html``),
        ``fps`` (``.gif``, ``.mp4``), ``time`` of the frame (``.png``).

    Returns
    -------
    Scene
        A notebook shows it with buttons to play it; ``scene.times`` are its frames.
    """
    several = are_several(motion)
    if isinstance(motion, System):
        from chetaev.flow.data.simulate import simulate

        system = motion
        motion = simulate(system, until)
    elif not several and not hasattr(motion, "data_vars"):
        raise ModelError(f"ch.animate was given {shown(motion)}", expected="a motion, several, or a system")
    elif until is not None:
        raise ModelError("the motion has its end already", remedy="leave out until=…, or give the system")
    if path is not None:
        suffix_of(path)
    made = scene_of_several(motion) if several else scene(system_of(motion, system), motion, view=view)
    if path is not None:
        save_scene(made, path, force=force, **options)
    elif options:
        raise ModelError(f"{next(iter(options))!r} is said of a file", remedy="give a path, too")
    return made


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The suffix of a file that can hold an animation."""
    suffix = Path(path).suffix.lower() if isinstance(path, (str, os.PathLike)) else ""
    if suffix not in WRITERS:
        raise ModelError(
            f"the file {shown(path)} can hold no animation",
            expected="a name that ends in " + ", ".join(WRITERS),
        )
    return suffix


def save_scene(made: Scene, path: str | os.PathLike[str], *, force: bool = False, **options: Any) -> Path:
    """Write a scene in the format its suffix names."""
    writer = WRITERS[suffix_of(path)]
    known = [n for n in writer.__kwdefaults__ or {} if n != "force"]
    for name in options:
        if name not in known:
            raise ModelError(
                f"a file {Path(path).suffix} takes no {name!r}",
                expected="one of " + ", ".join(known) if known else "no options",
            )
    return writer(made, path, force=force, **options)
