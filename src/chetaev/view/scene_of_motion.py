"""From a checked view and a motion to a scene: every expression evaluated once, over all frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr
from chetaev.flow.data.labels import length
from chetaev.model.system import System
from chetaev.view import shapes
from chetaev.view.floors import FLOORS, floor_bodies, with_floors
from chetaev.view.language import SHAPES
from chetaev.view.palette import COLORS
from chetaev.view.poses import about
from chetaev.view.scenes import Body, Camera, Scene
from chetaev.view.view_reader import BodySpec, View
from chetaev.view.view_values import integrals, pick, values_along

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
_POINTS = ("position", "from", "to", "at", "of")
_COLORS = {"rod": "steel", "spring": "grey", "table": "wood", "label": "ink", "curve": "grey",
           "surface": "sky", "cone": "sky", "vector": "vermilion", "trace": "vermilion"}  # fmt: skip
"""The colour of a shape that does not say one, if it is not blue."""
_ROUND = {
    "disc": (shapes.disc_mesh, "thickness", 0.12),
    "wheel": (shapes.wheel_mesh, "width", 0.3),
    "table": (shapes.table_mesh, "thickness", 0.04),
    "cone": (shapes.cone_mesh, "height", 1.0),
}
"""Bodies of revolution: their mesh, their second length, and what part of the radius it usually is."""

LARGEST = 1e12
"""Largest number of a body: beyond it pictures lose all their digits."""
MOST_COILS = 200


class Build:
    """The scene of a checked view and a motion, in the making."""

    def __init__(self, system: System, motion: xarray.Dataset, view: View, frames: int) -> None:
        self.system, self.view = system, view
        chosen = pick(length(motion), frames)
        if not len(chosen):
            raise ModelError("the motion holds no times", remedy="simulate with at least one time")
        exprs = list(dict.fromkeys(_expressions(view)))
        values = values_along(system, motion, chosen, exprs)
        values |= integrals(system, motion, dict(view.integrals), chosen)
        self.times = np.asarray(values[system.time], dtype=float)
        self.fixed = {k: v for k, v in values.items() if np.ndim(v) == 0}
        self.known = dict(zip(exprs, evaluate(exprs, values), strict=True))
        self.places = {expr: i for i, expr in enumerate(exprs)}
        self.sheets: list[tuple[tuple[str, ...], tuple[Expr, ...]]] = []

    # --- numbers ----------------------------------------------------------------------------------

    def track(self, expr: Expr, where: str) -> Array:
        """Values over the frames; where there is none, the last one is held."""
        values = np.broadcast_to(np.asarray(self.known[expr], dtype=float), self.times.shape)
        finite = np.isfinite(values)
        if not finite.any():
            raise ModelError(
                f"{where} has no finite value along the motion", remedy=f"the expression is {expr}"
            )
        if finite.all():
            return np.array(values)
        last = np.maximum.accumulate(np.where(finite, np.arange(len(values)), -1))
        return np.array(values[np.where(last < 0, int(np.argmax(finite)), last)])

    def point(self, point: tuple[Expr, ...], where: str) -> Array:
        """Shape (n, 3), or (1, 3) for a point at rest."""
        rows = np.column_stack([self.track(e, f"{where}[{i}]") for i, e in enumerate(point)])
        return rows[:1] if (rows == rows[0]).all() else rows

    def places_of(self, spec: BodySpec, *keys: str) -> dict[str, Any]:
        """The recipe of points and numbers: the places of their expressions, by key."""
        values = {key: spec.values[key] for key in keys if key in spec.values}
        return {
            key: self.places[x] if isinstance(x, Expr) else [self.places[e] for e in x]
            for key, x in values.items()
        }

    def pose(self, spec: BodySpec) -> dict[str, Any]:
        """The recipe of where a body stands, and of how it is turned."""
        recipe = self.places_of(spec, "position")
        if "frame" in spec.values:
            recipe["frame"] = [[self.places[e] for e in axis] for axis in spec.values["frame"]]
        recipe["turns"] = [[axis, self.places[angle]] for axis, angle in spec.values.get("rotation", ())]
        return recipe

    def position(self, spec: BodySpec) -> Array:
        """Where a body stands; the origin if it does not say."""
        key = "position"
        return self.point(spec.values[key], spec.where(key)) if key in spec.values else np.zeros((1, 3))

    def number(
        self, spec: BodySpec, key: str, default: float, most: float = LARGEST, *, positive: bool = True
    ) -> float:
        """A fixed number of a body, not too large."""
        if key not in spec.values:
            return default
        value = float(self.track(spec.values[key], spec.where(key))[0])
        if abs(value) > most or (positive and value <= 0):
            expected = "a positive number" + (f", at most {most:g}" if value > 0 else "")
            raise ModelError(f"{spec.where(key)} is {value:g}", self._place(spec, key), expected=expected)
        return value

    def _place(self, spec: BodySpec, key: str) -> Any:
        own = self.system.view.get("body")
        if own is None or len(own) <= int(spec.path[-1]):
            return None
        return self.system._source.value_place((*spec.path, key))

    def rotation(self, spec: BodySpec) -> Array:
        """The rotations of a body; shape (n, 3, 3) or (1, 3, 3)."""
        result = np.eye(3)[None]
        if "frame" in spec.values:
            axes = [self.point(a, f"{spec.where('frame')}[{i}]") for i, a in enumerate(spec.values["frame"])]
            n = max(len(a) for a in axes)
            result = np.stack([np.broadcast_to(a, (n, 3)) for a in axes], axis=-1)
            defect = np.abs(np.swapaxes(result, 1, 2) @ result - np.eye(3)).max()
            if defect > 1e-6 or np.linalg.det(result).min() < 0:
                raise ModelError(
                    f"{spec.where('frame')} is not a rotation (defect {defect:.1e})",
                    self._place(spec, "frame"),
                    expected="three perpendicular axes of length 1, right-handed",
                    remedy="or give rotation = [axis, angle, …]",
                )
        for i, (axis, angle) in enumerate(spec.values.get("rotation", ())):
            turn = self.track(angle, f"{spec.where('rotation')}[{2 * i + 1}]")
            result = result @ about(axis, turn[:1] if (turn == turn[0]).all() else turn)
        return np.asarray(result)

    # --- the whole --------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """All bodies; those whose size follows from the others come last."""
        camera = self.view.camera
        self.follow = self.point(camera.follow, "view.camera.follow") if camera.follow else np.zeros((1, 3))
        self.following = camera.follow is not None
        up = np.array([self.track(e, f"view.up[{i}]")[0] for i, e in enumerate(self.view.up)])
        if not np.linalg.norm(up) > 0:
            raise ModelError("view.up is zero", expected="a direction")
        self.up = up / np.linalg.norm(up)
        self.size = self._first_size()
        specs = self.view.bodies
        bodies = [self.body(spec) for spec in specs if spec.shape not in FLOORS]
        self.box = self._box(bodies)
        floors = [body for spec in specs if spec.shape in FLOORS for body in floor_bodies(self, spec)]
        return Scene(
            title=self.view.title,
            caption=self.view.caption,
            times=self.times,
            up=self.up,
            camera=Camera(
                self._fixed(camera.azimuth, "view.camera.azimuth"),
                self._fixed(camera.elevation, "view.camera.elevation"),
                self._fixed(camera.zoom, "view.camera.zoom", positive=True),
                camera.projection,
            ),
            follow=self.follow,
            speed=self._fixed(self.view.speed, "view.speed", positive=True),
            bodies=(*floors, *bodies),
            box=with_floors(self.box, floors),
            time_name=self.system.time,
            shown=tuple(self.places),
            rates=self.view.integrals,
            sheets=tuple(self.sheets),
            sliders=self.view.sliders,
            recipe={
                "follow": [self.places[e] for e in camera.follow or ()],
                "span": None if camera.span is None else self.places[camera.span],
            },
        )

    def _fixed(self, expr: Expr, where: str, positive: bool = False) -> float:
        value = float(self.track(expr, where)[0])
        if positive and value <= 0:
            raise ModelError(f"{where} is {value:g}", expected="a positive number")
        return value

    def _first_size(self) -> float:
        """How large things are, from the points that are given."""
        found = [1e-9]
        points = []
        for spec in self.view.bodies:
            for key in _POINTS:
                if key not in spec.values or (spec.shape, key) == ("vector", "of"):
                    continue
                if spec.shape == "trace" and self.following:
                    continue
                points.append(self.point(spec.values[key], spec.where(key)) - self.follow)
            if "radius" in spec.values:
                found.append(2 * self.number(spec, "radius", 0.0))
        if points:
            every = np.vstack(points)
            found.append(float((every.max(axis=0) - every.min(axis=0)).max()))
        return max(found) if max(found) > 1e-9 else 1.0

    def _box(self, bodies: list[Body]) -> Array:
        if self.view.camera.span is not None:
            half = self._fixed(self.view.camera.span, "view.camera.span", positive=True)
            if self.following:
                return np.array([[-half] * 3, [half] * 3])
        corners = [c for body in bodies for c in self._extent(body)]
        every = np.vstack(corners) if corners else np.zeros((1, 3))
        low, high = every.min(axis=0), every.max(axis=0)
        if self.view.camera.span is not None:
            middle = (low + high) / 2
            return np.array([middle - half, middle + half])
        if not (high - low).max() > 0:
            low, high = low - 0.5, high + 0.5
        return np.array([low, high])

    def _extent(self, body: Body) -> Iterator[Array]:
        n = len(self.times)
        some = np.unique(np.linspace(0, n - 1, 41).astype(int))

        def at(track: Array, frames: NDArray[np.intp]) -> Array:
            return (
                track[frames] if len(track) > 1 else np.broadcast_to(track, (len(frames), *track.shape[1:]))
            )

        if body.kind == "trace" and self.following:
            return
        for key in ("from", "to", "at", "tip", "points"):
            if key in body.tracks:
                yield body.tracks[key] - self.follow
        if "position" not in body.tracks:
            return
        position = body.tracks["position"] - self.follow
        reach = body.numbers.get("radius", 0.0)
        if body.mesh is None:
            yield position - reach
            yield position + reach
            return
        turned = np.einsum("fij,vj->fvi", at(body.tracks["rotation"], some), body.mesh.vertices)
        yield (at(position, some)[:, None, :] + turned).reshape(-1, 3)
        yield position

    # --- bodies -----------------------------------------------------------------------------------

    def body(self, spec: BodySpec) -> Body:
        """One body that is not a floor."""
        values = spec.values
        common: dict[str, Any] = {
            "name": values.get("name", spec.shape),
            "color": values.get("color", COLORS[_COLORS.get(spec.shape, "blue")]),
            "opacity": self.number(spec, "opacity", 0.55 if spec.shape in ("surface", "cone") else 1.0, 1.0),
        }
        shadow = values.get("shadow", spec.shape not in ("table", "surface", "curve", "cone", "spring"))
        if spec.shape in ("rod", "spring"):
            tracks = {k: self.point(values[k], spec.where(k)) for k in ("from", "to")}
            thick = self.number(spec, "radius", self.size * (0.012 if spec.shape == "rod" else 0.03))
            if spec.shape == "rod":
                mesh = shapes.rod_mesh(thick, common["color"])
            else:
                mesh = shapes.spring_mesh(
                    thick, round(self.number(spec, "coils", 8, MOST_COILS)), common["color"]
                )
            recipe = self.places_of(spec, "from", "to") | self._stretch(spec, "radius", "radius", None)
            return Body(
                "mesh",
                tracks=tracks,
                mesh=mesh,
                shadow=shadow,
                numbers={"width": 1.8},
                recipe=recipe,
                **common,
            )
        if spec.shape == "point":
            position = self.point(values["position"], spec.where("position"))
            radius = self.number(spec, "radius", 0.02 * self.size)
            return Body(
                "dot",
                tracks={"position": position},
                numbers={"radius": radius},
                shadow=shadow,
                recipe=self.places_of(spec, "position", "radius"),
                **common,
            )
        if spec.shape == "trace":
            numbers = {
                key: self.number(spec, key, default) for key, default in (("fade", 0.0), ("width", 2.0))
            }
            tracks = {"points": self.point(values["of"], spec.where("of"))}
            whole = values.get("whole", False)
            recipe = {"points": self.places_of(spec, "of")["of"]}
            return Body("trace", tracks=tracks, numbers=numbers, whole=whole, recipe=recipe, **common)
        if spec.shape == "vector":
            return self._arrow(spec, common)
        if spec.shape == "label":
            tracks = {"position": self.point(values["position"], spec.where("position"))}
            if "value" in values:
                tracks["value"] = self.track(values["value"], spec.where("value"))[:, None]
            recipe = self.places_of(spec, "position", "value")
            return Body("label", tracks=tracks, text=values.get("text", ""), recipe=recipe, **common)
        mesh, recipe = self._mesh(spec, common["color"])
        return Body(
            "mesh",
            tracks={"position": self.position(spec), "rotation": self.rotation(spec)},
            mesh=mesh,
            recipe=self.pose(spec) | recipe,
            numbers={"width": self.number(spec, "width", 2.0)} if spec.shape == "curve" else {},
            floor=spec.shape == "table",
            shadow=shadow,
            **common,
        )

    def _arrow(self, spec: BodySpec, common: dict[str, Any]) -> Body:
        at = self.point(spec.values["at"], spec.where("at"))
        of = self.point(spec.values["of"], spec.where("of"))
        longest = float(np.sqrt((of**2).sum(axis=1)).max())
        scale = self.number(spec, "scale", 0.3 * self.size / longest if longest > 0 else 1.0)
        text = spec.values.get("label", "")
        recipe = {**self.places_of(spec, "at", "of"), "scale": scale}
        return Body("arrow", tracks={"at": at, "tip": at + scale * of}, text=text, recipe=recipe, **common)

    def _stretch(self, spec: BodySpec, *axes: str | None) -> dict[str, Any]:
        """The recipe of how long a mesh is along its axes, by the keys that say it; and how long now."""
        said = [spec.values.get(key) if key else None for key in axes]
        places = [None if length is None else self.places[length] for length in said]
        now = [1.0 if length is None else float(self.track(length, spec.where())[0]) for length in said]
        return {"stretch": places, "now": now} if any(place is not None for place in places) else {}

    def _mesh(self, spec: BodySpec, color: str) -> tuple[shapes.Mesh, dict[str, Any]]:
        """The mesh of a body at rest, and the recipe of its size."""
        values = spec.values
        radius = self.number(spec, "radius", 1.0)
        if spec.shape in _ROUND:
            mesh, key, part = _ROUND[spec.shape]
            axes = ["radius"] * 3
            axes[2 if spec.shape in ("table", "cone") else 1] = key if key in values else "radius"
            return mesh(radius, self.number(spec, key, part * radius), color), self._stretch(spec, *axes)
        if spec.shape == "ball":
            return shapes.ball_mesh(radius, color), self._stretch(spec, *["radius"] * 3)
        if spec.shape != "box":
            return self._parametric(spec, color)
        size = self.point(values["size"], spec.where("size"))[0]
        if not (size > 0).all():
            said = f"{spec.where('size')} is {size.tolist()}"
            raise ModelError(said, self._place(spec, "size"), expected="three positive numbers")
        sizes = [float(s) for s in size]
        recipe = {"stretch": [self.places[e] for e in values["size"]], "now": sizes}
        return shapes.box_mesh(sizes, color), recipe

    def _parametric(self, spec: BodySpec, color: str) -> tuple[shapes.Mesh, dict[str, Any]]:
        values = spec.values
        names = (*values.get("names", ("u", "v")), "v")[:2]
        ranges = [
            [float(self.track(e, f"{spec.where(k)}[{i}]")[0]) for i, e in enumerate(values[k])]
            for k in ("u", "v")
            if k in values
        ]
        count = (161,) if spec.shape == "curve" else (31, 31)
        axes = [np.linspace(a, b, n) for (a, b), n in zip(ranges, count, strict=True)]
        grid = np.meshgrid(*axes, indexing="ij")
        known = {**self.fixed, **dict(zip(names, grid, strict=False))}
        parts = [np.broadcast_to(p, grid[0].shape) for p in evaluate(values["point"], known)]
        points = np.stack(parts, axis=-1)
        if not np.isfinite(points).all():
            raise ModelError(
                f"{spec.where('point')} is not finite everywhere",
                self._place(spec, "point"),
                remedy="make the range of its parameters smaller",
            )
        mesh = shapes.line_mesh(points, color) if spec.shape == "curve" else shapes.sheet_mesh(points, color)
        ends = [[self.places[e] for e in values[key]] for key in ("u", "v") if key in values]
        self.sheets.append((tuple(names[: len(axes)]), values["point"]))
        return mesh, {"sheet": len(self.sheets) - 1, "ends": ends, "counts": list(count)}


def _expressions(view: View) -> Iterator[Expr]:
    """All expressions that are evaluated along the motion."""
    camera = view.camera
    yield from (*view.up, view.speed, camera.azimuth, camera.elevation, camera.zoom)
    if camera.span is not None:
        yield camera.span
    yield from camera.follow or ()
    for body in view.bodies:
        for key, value in body.values.items():
            kind = SHAPES[body.shape][key].kind
            if kind == "number":
                yield value
            elif kind == "numbers" or (kind == "point" and key != "point"):
                yield from value
            elif kind == "rotation":
                yield from (angle for _, angle in value)
            elif kind == "frame":
                yield from (e for axis in value for e in axis)
