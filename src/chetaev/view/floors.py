"""Planes and inclines: as large as what stands on them, unless they say otherwise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.view.palette import COLORS, mix
from chetaev.view.poses import about
from chetaev.view.scenes import Body
from chetaev.view.shapes import Mesh
from chetaev.view.view_reader import BodySpec

if TYPE_CHECKING:
    from chetaev.view.scene_of_motion import Build

Array = NDArray[np.float64]
FLOORS = ("plane", "incline")
MARGIN = 0.08
"""What a plane adds to the extent of the scene on every side."""


def floor_bodies(build: Build, spec: BodySpec) -> list[Body]:
    """A plane; an incline comes with the wedge below it."""
    values = spec.values
    position, rotation = build.position(spec), build.rotation(spec)
    if spec.shape == "incline":
        rotation = rotation @ about("y", build.number(spec, "angle", 0.0, positive=False))
    low, high = build.box
    flat = (_corners(low, high) - position[0]) @ rotation[0]
    if values.get("below"):
        position = position + rotation[:1, :, 2] * flat[:, 2].min()
    margin = MARGIN * float((high - low).max())
    half = np.maximum((flat.max(axis=0) - flat.min(axis=0))[:2] / 2 + margin, margin)
    endless = build.following and "size" not in values
    if "size" in values:
        half = np.array([build.track(e, spec.where("size"))[0] / 2 for e in values["size"]])
    elif not endless:
        middle = (flat.max(axis=0) + flat.min(axis=0)) / 2
        shift = np.array([middle[0], middle[1], 0.0])
        position = position + np.einsum("nij,j->ni", rotation, shift)
    plane = Body(
        "plane",
        values.get("name", spec.shape),
        values.get("color", COLORS["grey"]),
        build.number(spec, "opacity", 1.0, 1.0),
        {"position": position, "rotation": rotation},
        {
            "half_x": float(half[0]),
            "half_y": float(half[1]),
            "grid": build.number(spec, "grid", nice(float(half.max()) / 6)),
        },
        floor=True,
        endless=endless,
        recipe=recipe_of_floor(build, spec),
    )
    return [wedge(plane, build.up), plane] if spec.shape == "incline" and not endless else [plane]


def recipe_of_floor(build: Build, spec: BodySpec) -> dict[str, Any]:
    """How a page lays the plane anew."""
    recipe = build.pose(spec) | build.places_of(spec, "size")
    if spec.shape == "incline":
        recipe["turns"] = [*recipe["turns"], ["y", build.places[spec.values["angle"]]]]
    return recipe | ({"below": True} if spec.values.get("below") else {})


def wedge(plane: Body, up: Array) -> Body:
    """The sides below an inclined plane, down to the height of its lowest corner."""
    top = corners_of(plane)
    heights = (top - top[0]) @ up
    foot = top - (heights - heights.min())[:, None] * up
    vertices = np.vstack([top, foot]) - top.mean(axis=0)
    faces = tuple((i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4))
    color = mix(plane.color, "#ffffff", 0.35)
    mesh = Mesh(vertices, faces, (0,) * 4, (color,), hollow=True)
    tracks = {"position": top.mean(axis=0)[None], "rotation": np.eye(3)[None]}
    return Body("mesh", "wedge", color, 0.75, tracks, mesh=mesh, floor=True)


def corners_of(plane: Body) -> Array:
    """The corners of a plane at the first frame."""
    hx, hy = plane.numbers["half_x"], plane.numbers["half_y"]
    flat = np.array([[-hx, -hy, 0.0], [hx, -hy, 0.0], [hx, hy, 0.0], [-hx, hy, 0.0]])
    return np.asarray(plane.tracks["position"][0] + flat @ plane.tracks["rotation"][0].T)


def with_floors(box: Array, floors: list[Body]) -> Array:
    """The box of everything, planes included unless they have no edge."""
    every = [box]
    for floor in floors:
        if floor.kind == "plane" and not floor.endless:
            every.append(corners_of(floor))
        elif floor.mesh is not None:
            every.append(floor.mesh.vertices + floor.tracks["position"][0])
    points = np.vstack(every)
    return np.array([points.min(axis=0), points.max(axis=0)])


def _corners(low: Array, high: Array) -> Array:
    x, y, z = np.meshgrid(*zip(low, high, strict=True), indexing="ij")
    return np.column_stack([x.ravel(), y.ravel(), z.ravel()])


def nice(length: float) -> float:
    """A round number about as large: 1, 2 or 5 times a power of ten.

    >>> nice(0.18), nice(7.0)
    (0.2, 5.0)
    """
    power = 10.0 ** math.floor(math.log10(length))
    return float(f"{min((1, 2, 5, 10), key=lambda k: abs(math.log(k * power / length))) * power:.6g}")
