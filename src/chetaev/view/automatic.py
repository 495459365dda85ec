"""A view for a system that has none, from its Lagrangian and its constraints.

Masses stand where the kinetic energy says (:mod:`chetaev.view.points_of_energy`). From there:

- a rod for every part l (cos u, sin u) of a place, and where a position constraint fixes a distance;
- the surface or the curve on which a point stays, from a position constraint or from its coordinates;
- a blade where a velocity constraint is n·P' = 0 with |n| fixed, a wheel where it is n·P' = r s' with fixed
  r, at the point P that makes it so; a disc or a ball where x' and y' are those of a body that rolls;
- pendulums and dials for angles that have an energy of their own.

Where that finds nothing, x and y are a point by their names, or else a phase portrait is drawn.

>>> import chetaev as ch
>>> free = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2")
>>> [body["shape"] for body in automatic(free)["body"]]
['plane', 'trace', 'vector', 'point']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.model.system import System
from chetaev.view.heading import heading
from chetaev.view.names import is_angle, places, plain_name
from chetaev.view.palette import COLORS, CYCLE

if TYPE_CHECKING:
    import xarray


def automatic(system: System, motion: xarray.Dataset | None = None) -> dict[str, Any]:
    """The `[view]` table made up for a system; the motion, if given, says how large things are."""
    from chetaev.view.points_of_energy import read
    from chetaev.view.scene_of_energy import Picture

    found = Picture(system, motion, read(system)).view()
    if found is not None:
        return found
    points = places(system.coordinates)
    return _points(points, system, motion) if points else _portrait(system, motion)


def _points(points: list[tuple[str, ...]], system: System, motion: xarray.Dataset | None) -> dict[str, Any]:
    """Coordinates x, y, z as points with their paths and velocities."""
    planar = all(len(p) == 2 for p in points)
    bodies: list[dict[str, Any]] = [{"shape": "plane", "below": not planar}]
    for i, point in enumerate(points):
        at = [*point, 0][:3]
        color = CYCLE[i % len(CYCLE)]
        bodies.append({"shape": "trace", "of": at, "color": color})
        bodies.append(
            {"shape": "vector", "at": at, "of": [*(f"{c}'" for c in point), 0][:3], "color": "green"}
        )
        bodies.append({"shape": "point", "position": at, "color": color})
    bodies += [b for point in points if planar for b in attitude(point, len(points), system, motion)]
    camera = {"from": "top", "projection": "flat"} if planar else "oblique"
    return {"camera": camera, "body": bodies}


def attitude(
    point: tuple[str, ...], count: int, system: System, motion: xarray.Dataset | None
) -> list[dict[str, Any]]:
    """An arrow along the heading of a planar body, if it has one."""
    angles = [c for c in system.coordinates if is_angle(c, system.units)]
    if motion is None:
        text, size = (angles[0] if count == len(angles) == 1 else "", 1.0)
    else:
        found = heading(system, motion, point)
        text, size = ("" if found is None else found.text, 0.12 * extent(motion, point))
    along = [f"{size:.4g}*cos({text})", f"{size:.4g}*sin({text})", 0]
    return [{"shape": "vector", "at": [*point, 0], "of": along, "color": "orange"}] if text else []


def extent(motion: xarray.Dataset, names: tuple[str, ...]) -> float:
    """How far a motion goes in some coordinates; 1 where it does not move."""
    path = [np.asarray(motion[c].values, float) for c in names]
    size = max((float(np.ptp(x[np.isfinite(x)])) for x in path if np.isfinite(x).any()), default=0.0)
    return size if 1e-100 < size < 1e100 else 1.0


def _portrait(system: System, motion: xarray.Dataset | None) -> dict[str, Any]:
    """The velocity of the first coordinate over it, with axes and their names."""
    name = system.coordinates[0]
    at: list[Any] = [f"{_stretch(label, motion)}*{label}" for label in (name, f"{name}'")] + [0]
    bodies: list[dict[str, Any]] = []
    label = plain_name(name)
    for end, text in (([1.2, 0, 0], label), ([0, 1.2, 0], f"{label}'")):
        bodies.append({"shape": "vector", "at": [0, 0, 0], "of": end, "scale": 1, "color": COLORS["grey"]})
        bodies.append({"shape": "label", "position": [1.12 * x for x in end], "text": text})
    bodies += [{"shape": "trace", "of": at}, {"shape": "point", "position": at}]
    caption = f"A phase portrait, each axis to its own scale: {label}' over {label}"
    return {"caption": caption, "camera": {"from": "top", "projection": "flat"}, "body": bodies}


def _stretch(label: str, motion: xarray.Dataset | None) -> str:
    """A factor that brings a coordinate or velocity to the size 1."""
    name = label.replace("'", "_dot")
    if motion is None or name not in motion:
        return "1"
    values = motion[name].values
    size = float(abs(values[np.isfinite(values)]).max(initial=0.0))
    return f"{1 / size:.4g}" if 1e-100 < size < 1e100 else "1"
