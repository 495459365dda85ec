"""Several motions in one picture: ``ch.plot([a, b])``, ``ch.plot({"name": motion})``, ``ch.animate([a, b])``.

In a plot each motion has a colour; in a scene the first one has its colours, the others are grey.

>>> import chetaev as ch
>>> skate = ch.load("knife-edge")
>>> several = {"slow": ch.simulate(skate, at=11), "fast": ch.simulate(skate, at=11, initial={"phi_dot": 3})}
>>> [body.name for body in scene_of_several(several).bodies].count("edge")
2
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.flow.data.labels import name_of
from chetaev.view import plots
from chetaev.view import plotted_series as series
from chetaev.view.names import places
from chetaev.view.palette import CYCLE, mix, rgb
from chetaev.view.plotted_series import expect_motion, system_of
from chetaev.view.scenes import Body, Scene, scene

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
MOST = 12
"""Most motions in one picture: more have no colours that can be told apart."""
GREY = 0.45
"""How much of the other motions is seen."""


def are_several(value: Any) -> bool:
    """Whether several motions are given: in a list, or by name."""
    motions = list(value.values()) if isinstance(value, Mapping) else value
    return isinstance(motions, (list, tuple)) and len(motions) > 0 and all(map(_is_data, motions))


def _is_data(value: Any) -> bool:
    return hasattr(value, "data_vars")


def named(value: Any) -> dict[str, xarray.Dataset]:
    """The motions by name; those of a list are called by their titles or their numbers."""
    if isinstance(value, Mapping):
        found = {str(name): motion for name, motion in value.items()}
    else:
        titles = [str(m.attrs.get("title", "")) for m in value]
        if len(set(titles)) < len(titles) or not all(titles):
            titles = [f"motion {i + 1}" for i in range(len(titles))]
        found = dict(zip(titles, value, strict=True))
    if len(found) > MOST:
        raise ModelError(f"{len(found)} motions are given for one picture", expected=f"at most {MOST}")
    for motion in found.values():
        expect_motion(motion)
    return found


def draw(value: Any, what: Sequence[Any], make: Callable[..., Figure]) -> Figure:
    """A panel for each variable that all have, or that is asked for; a line for each motion."""
    motions = named(value)
    first, *_ = motions.values()
    system = system_of(first)
    plane = [tuple(group[:2]) for group in places(system.coordinates)]
    asked = [_checked(motions, one) for one in what] or _common(motions)
    figure, rows, columns = plots.grid(make, len(asked), 3.2)
    for i, one in enumerate(asked):
        ax = figure.add_subplot(rows, columns, i + 1)
        for k, (name, motion) in enumerate(motions.items()):
            x, y = (name_of(motion, "time"), one) if isinstance(one, str) else one
            style = ("-", "--", ":")[k // len(CYCLE) % 3]
            color = CYCLE[k % len(CYCLE)]
            ax.plot(motion[x].values, motion[y].values, style, color=color, linewidth=1.4, label=name)
        pair = (name_of(first, "time"), one) if isinstance(one, str) else one
        xlabel, ylabel = (plots.variable_label(first, system, name) for name in pair)
        ax.set(xlabel=xlabel, ylabel=ylabel)
        if pair in plane:
            ax.set_aspect("equal", adjustable="datalim")
        plots.finish(ax, len(motions) if i == 0 else 0)
    return figure


def _common(motions: Mapping[str, xarray.Dataset]) -> list[str | tuple[str, str]]:
    """The path in the plane and the coordinates that all motions have."""
    first, *others = motions.values()
    system = system_of(first)
    planes = [names for names, _ in series.paths(first, system, 2)]
    asked: list[str | tuple[str, str]] = [(n[0], n[1]) for n in planes[:1]]
    asked += system.coordinates
    known = [{str(name) for name in motion} for motion in others]
    kept = [one for one in asked if all({one} <= n if isinstance(one, str) else {*one} <= n for n in known)]
    if not kept:
        raise ModelError("the motions have no coordinate in common", remedy="name variables that all have")
    return kept[: 2 * MOST]


def _checked(motions: Mapping[str, xarray.Dataset], one: Any) -> str | tuple[str, str]:
    names = (one,) if isinstance(one, str) else one
    if not isinstance(names, (tuple, list)) or not all(isinstance(n, str) for n in names) or len(names) > 2:
        raise ModelError(f"ch.plot was asked for {shown(one)}", expected="a name, or two names")
    for label, motion in motions.items():
        known = [str(n) for n in motion.variables if motion[n].dtype.kind in "fiu" and motion[n].ndim == 1]
        for name in names:
            if name not in known:
                raise ModelError.unknown(f"{label!r} has no {name!r} to draw beside others", name, known)
    return one if isinstance(one, str) else (names[0], names[1])


def scene_of_several(value: Any) -> Scene:
    """The scene of the first motion, and in grey the bodies of the others at its times."""
    motions = list(named(value).values())
    made, *others = (scene(system_of(motion), motion) for motion in motions)
    grey = [
        _grey(_at(body, other.times, made.times))
        for other in others
        for body in other.bodies
        if not body.floor and body.kind in ("mesh", "dot", "trace")
    ]
    low = np.min([s.box[0] for s in (made, *others)], axis=0)
    high = np.max([s.box[1] for s in (made, *others)], axis=0)
    return replace(made, bodies=(*made.bodies, *grey), box=np.array([low, high]))


def _at(body: Body, own: Array, times: Array) -> Body:
    """The body at other times; before its first and after its last it stands still."""
    order = np.argsort(own)
    tracks = {
        key: rows if len(rows) == 1 else rows[order][np.abs(own[order][:, None] - times).argmin(axis=0)]
        for key, rows in body.tracks.items()
    }
    return replace(body, tracks=tracks)


def _grey(body: Body) -> Body:
    mesh = body.mesh
    if mesh is not None:
        mesh = replace(mesh, colors=tuple(map(_gray, mesh.colors)))
    return replace(body, color=_gray(body.color), opacity=GREY * body.opacity, mesh=mesh, shadow=False)


def _gray(color: str) -> str:
    if color == "ink":
        return color
    level = round(sum(rgb(color)) / 3)
    return mix(f"#{level:02x}{level:02x}{level:02x}", "#8c939c", 0.4)
