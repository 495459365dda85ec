"""A view for a system that has none, made up from the names of its coordinates.

Coordinates x, y (and z, also with numbers: x1, y1, …) are points with their traces, in the plane with an
arrow along the heading if there is one; angles are pendulums side by side; anything else is a point among its
first coordinates, or a phase portrait.

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
from chetaev.view.palette import CYCLE

if TYPE_CHECKING:
    import xarray


def automatic(system: System, motion: xarray.Dataset | None = None) -> dict[str, Any]:
    """The `[view]` table made up for a system; the motion, if given, says how large an abstract view is."""
    points = places(system.coordinates)
    angles = [c for c in system.coordinates if is_angle(c, system.units)]
    if points:
        return _points(points, angles, system, motion)
    if angles and len(angles) == len(system.coordinates):
        return _dials(angles)
    return _portrait(system, motion)


def _points(
    points: list[tuple[str, ...]], angles: list[str], system: System, motion: xarray.Dataset | None
) -> dict[str, Any]:
    planar = all(len(p) == 2 for p in points)
    bodies: list[dict[str, Any]] = [{"shape": "plane", "below": not planar}]
    for i, point in enumerate(points):
        at = [*point, 0][:3]
        color = CYCLE[i % len(CYCLE)]
        bodies.append({"shape": "trace", "of": at, "color": color})
        velocity = [*(f"{c}'" for c in point), 0][:3]
        bodies.append({"shape": "vector", "at": at, "of": velocity, "color": "green"})
        bodies.append({"shape": "point", "position": at, "color": color})
    for point in points if planar else ():
        text, size = _heading(point, len(points), angles, system, motion)
        if text:
            along = [f"{size:.4g}*cos({text})", f"{size:.4g}*sin({text})", 0]
            bodies.append({"shape": "vector", "at": [*point, 0], "of": along, "color": "orange"})
    camera = {"from": "top", "projection": "flat"} if planar else "oblique"
    return {"camera": camera, "body": bodies}


def _heading(
    point: tuple[str, ...], count: int, angles: list[str], system: System, motion: xarray.Dataset | None
) -> tuple[str, float]:
    """The direction of a planar body in the model language, or nothing, and how long its arrow is."""
    if motion is None:
        return (angles[0] if count == len(angles) == 1 else "", 1.0)
    found = heading(system, motion, point)
    path = [np.asarray(motion[c].values, float) for c in point]
    extent = max((float(np.ptp(x[np.isfinite(x)])) for x in path if np.isfinite(x).any()), default=0.0)
    return ("" if found is None else found.text, 0.12 * extent if 1e-100 < extent < 1e100 else 1.0)


def _dials(angles: list[str]) -> dict[str, Any]:
    bodies: list[dict[str, Any]] = []
    for i, angle in enumerate(angles):
        x = 3 * i
        tip = [f"{x} + sin({angle})", f"-cos({angle})", 0]
        color = CYCLE[i % len(CYCLE)]
        ring = {"shape": "curve", "point": [f"{x} + cos(u)", "sin(u)", 0], "u": [0, "2*pi"]}
        bodies.append(ring)
        bodies.append({"shape": "rod", "from": [x, 0, 0], "to": tip, "radius": 0.03})
        bodies.append({"shape": "point", "position": tip, "color": color, "radius": 0.1})
        bodies.append({"shape": "label", "position": [x, "-1.35", 0], "text": plain_name(angle)})
    return {"up": "y", "camera": {"from": "front", "projection": "flat"}, "body": bodies}


def _portrait(system: System, motion: xarray.Dataset | None) -> dict[str, Any]:
    names = system.coordinates
    if len(names) >= 3:
        labels, camera = list(names[:3]), {"from": "oblique", "projection": "perspective"}
    else:
        labels, camera = [names[0], f"{names[0]}'"], {"from": "top", "projection": "flat"}
    at: list[Any] = [f"{_stretch(label, motion)}*{label}" for label in labels]
    at = [*at, 0][:3]
    bodies: list[dict[str, Any]] = [
        {"shape": "plane", "below": len(labels) == 3},
        {"shape": "trace", "of": at},
        {"shape": "point", "position": at},
    ]
    caption = "Axes, each to its own scale: " + ", ".join(labels)
    return {"caption": caption, "camera": camera, "body": bodies}


def _stretch(label: str, motion: xarray.Dataset | None) -> str:
    """A factor that brings a coordinate or velocity to the size 1."""
    name = label.replace("'", "_dot")
    if motion is None or name not in motion:
        return "1"
    values = motion[name].values
    size = float(abs(values[np.isfinite(values)]).max(initial=0.0))
    return f"{1 / size:.4g}" if 1e-100 < size < 1e100 else "1"
