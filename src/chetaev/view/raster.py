"""One frame of a scene as a Pillow image: the steps of ``draw.js`` in Python.

Faces, pieces of lines, arrows and dots are sorted by depth and painted from the farthest to the nearest,
on an image twice as large, which is then scaled down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.view.palette import rgb
from chetaev.view.poses import along
from chetaev.view.scenes import Body, Scene

Array = NDArray[np.float64]
OVER = 2
"""How many times larger the image is while it is painted."""
LOOKS: dict[str, dict[str, tuple[int, ...]]] = {
    "light": {"paper": (251, 252, 253), "ink": (29, 35, 41), "grid": (195, 202, 211),
              "plane": (238, 241, 245), "shadow": (20, 30, 45, 40)},
    "dark": {"paper": (23, 27, 32), "ink": (230, 233, 237), "grid": (61, 70, 81), "plane": (32, 38, 45),
             "shadow": (0, 0, 0, 100)},
}  # fmt: skip


@dataclass(frozen=True)
class Eye:
    """The camera: towards the viewer, right and up on the screen, the middle of what is seen."""

    toward: Array
    right: Array
    over: Array
    up: Array
    centre: Array
    far: float
    scale: float
    shift: Array
    size: tuple[int, int]
    radius: float

    def project(self, points: Array) -> Array:
        """Columns x, y on the screen, depth towards the viewer, scale there; shape (n, 4)."""
        s = np.atleast_2d(points) - self.centre
        z = s @ self.toward
        k = np.ones_like(z) if np.isinf(self.far) else self.far / np.maximum(self.far - z, 0.04 * self.far)
        x = self.size[0] / 2 + self.scale * (s @ self.right * k - self.shift[0])
        y = self.size[1] / 2 - self.scale * (s @ self.over * k - self.shift[1])
        return np.column_stack([x, y, z, self.scale * k])


def axes(up: Array) -> Array:
    """Rows: to the right, away from the viewer, up."""
    x = np.array([0.0, 1.0, 0.0]) if abs(up[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
    right = x - up * (x @ up)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(up, right), up])


def eye_of(scene: Scene, target: Array, size: tuple[int, int]) -> Eye:
    """The camera of a scene for an image of a size."""
    r, g, u = axes(scene.up)
    a, e = np.radians(scene.camera.azimuth), np.radians(scene.camera.elevation)
    toward = np.cos(e) * (np.sin(a) * r - np.cos(a) * g) + np.sin(e) * u
    right = np.cos(a) * r + np.sin(a) * g
    over = np.cross(toward, right)
    low, high = scene.box
    middle, radius = (low + high) / 2, float(np.linalg.norm(high - low) / 2)
    far = np.inf if scene.camera.projection == "flat" else 4.2 * radius
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1])
                        for z in (low[2], high[2])]) - middle  # fmt: skip
    z = corners @ toward
    k = np.ones_like(z) if np.isinf(far) else far / np.maximum(far - z, 0.02 * far)
    flat = np.column_stack([corners @ right, corners @ over]) * k[:, None]
    span = np.maximum(flat.max(axis=0) - flat.min(axis=0), 0.35 * radius)
    scale = 0.92 * min(size[0] / span[0], size[1] / span[1]) * scene.camera.zoom
    shift = (flat.max(axis=0) + flat.min(axis=0)) / 2
    wide = radius / min(scene.camera.zoom, 1.0)
    return Eye(toward, right, over, u, target + middle, far, float(scale), shift, size, wide)


def render(scene: Scene, frame: int = 0, size: tuple[int, int] = (800, 500), theme: str = "light") -> Any:
    """One frame as a Pillow image.

    >>> import chetaev as ch
    >>> from chetaev.view.scenes import scene
    >>> particle = ch.load("leibniz-particle")
    >>> render(scene(particle, ch.simulate(particle, at=5)), 4, (160, 100)).size
    (160, 100)
    """
    from PIL import Image

    painter = Painter(scene, frame, (size[0] * OVER, size[1] * OVER), theme)
    return painter.paint().resize(size, Image.Resampling.LANCZOS)


def _at(track: Array, frame: int) -> Array:
    return np.asarray(track[frame] if len(track) > 1 else track[0])


def placed(body: Body, frame: int) -> Array:
    """The vertices of a mesh in space."""
    assert body.mesh is not None
    if "from" in body.tracks:
        start, end = _at(body.tracks["from"], frame), _at(body.tracks["to"], frame)
        turn = along(end - start)
        turn[:, 2] = end - start
        return np.asarray(start + body.mesh.vertices @ turn.T)
    return np.asarray(
        _at(body.tracks["position"], frame) + body.mesh.vertices @ _at(body.tracks["rotation"], frame).T
    )


class Painter:
    """One frame in the making."""

    def __init__(self, scene: Scene, frame: int, size: tuple[int, int], theme: str) -> None:
        from PIL import Image, ImageDraw

        self.scene, self.frame, self.look = scene, frame, LOOKS[theme]
        self.target = _at(scene.follow, frame)
        self.eye = eye_of(scene, self.target, size)
        light = self.eye.up - 0.45 * self.eye.right + 0.75 * self.eye.toward
        self.light = light / np.linalg.norm(light)
        self.image = Image.new("RGB", size, self.look["paper"])
        self.pen = ImageDraw.Draw(self.image, "RGBA")
        self.items: list[tuple[float, Any, tuple[Any, ...]]] = []

    def color(self, value: str) -> tuple[int, ...]:
        """Red, green, blue; the ink of the theme for ``ink``."""
        return self.look["ink"] if value == "ink" else rgb(value)

    def paint(self) -> Any:
        """The whole frame."""
        floors = [b for b in self.scene.bodies if b.floor]
        below = bool(floors) and float(self.eye.toward @ self.eye.up) < 0
        if not below:
            self._floors(floors, True)
        for body in self.scene.bodies:
            if not body.floor:
                self._add(body)
        self._flush()
        if below:
            self._floors(floors, False)
        for body in self.scene.bodies:
            if body.kind == "label":
                self._label(body)
        return self.image

    def _flush(self) -> None:
        self.items.sort(key=lambda item: item[0])
        for _, draw, arguments in self.items:
            draw(*arguments)
        self.items = []

    # --- floors -----------------------------------------------------------------------------------

    def _floors(self, floors: list[Body], above: bool) -> None:
        for body in floors:
            if body.kind == "plane":
                self._plane(body, above)
            else:
                self._faces(body)
                self._flush()
        if floors and above:
            self._shadows(floors[-1])

    def _plane(self, body: Body, above: bool) -> None:
        origin, turn = _at(body.tracks["position"], self.frame), _at(body.tracks["rotation"], self.frame)
        hx, hy, step = (body.numbers[k] for k in ("half_x", "half_y", "grid"))
        middle = np.zeros(2)
        if body.endless:
            middle = ((self.target - origin) @ turn)[:2]
            hx = hy = 2.2 * self.eye.radius

        def at(u: Any, v: Any) -> Array:
            return np.asarray(origin + np.multiply.outer(u, turn[:, 0]) + np.multiply.outer(v, turn[:, 1]))

        corners = at(middle[0] + hx * np.array([-1, 1, 1, -1]), middle[1] + hy * np.array([-1, -1, 1, 1]))
        fill = (*self.look["plane"], 255 if above else 90)
        self.pen.polygon([tuple(p) for p in self.eye.project(corners)[:, :2]], fill=fill)
        for axis, (c, h, k) in enumerate(((middle[0], hx, hy), (middle[1], hy, hx))):
            other = middle[1 - axis]
            for j in range(int(np.ceil((c - h) / step - 1e-9)), int(np.floor((c + h) / step + 1e-9)) + 1):
                ends = np.array([other - k, other + k])
                fixed = np.full(2, j * step)
                points = at(fixed, ends) if axis == 0 else at(ends, fixed)
                line = [tuple(p) for p in self.eye.project(points)[:, :2]]
                self.pen.line(line, fill=(*self.look["grid"], 255 if above else 120), width=OVER)

    def _shadows(self, floor: Body) -> None:
        origin, turn = _at(floor.tracks["position"], self.frame), _at(floor.tracks["rotation"], self.frame)
        slope = float(turn[:, 2] @ self.eye.up)
        if abs(slope) < 0.2:
            return
        circle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
        for body in self.scene.bodies:
            if not body.shadow or body.floor:
                continue
            if body.kind == "dot":
                ring = np.outer(np.cos(circle), turn[:, 0]) + np.outer(np.sin(circle), turn[:, 1])
                points = _at(body.tracks["position"], self.frame) + body.numbers["radius"] * ring
            else:
                points = placed(body, self.frame)
            height = (points - origin) @ turn[:, 2] / slope
            flat = self.eye.project(points - height[:, None] * self.eye.up)[:, :2]
            edge = hull(flat)
            if len(edge) > 2:
                self.pen.polygon([tuple(p) for p in edge], fill=self.look["shadow"])

    # --- bodies -----------------------------------------------------------------------------------

    def _add(self, body: Body) -> None:
        match body.kind:
            case "mesh":
                self._faces(body)
            case "trace":
                self._trace(body)
            case "arrow":
                self._arrow(body)
            case "dot":
                self._dot(body)

    def _faces(self, body: Body) -> None:
        mesh = body.mesh
        assert mesh is not None
        world = placed(body, self.frame)
        screen = self.eye.project(world)
        alpha = round(255 * body.opacity)
        for face, tint in zip(mesh.faces, mesh.face_colors, strict=True):
            corners = list(face)
            s, w = screen[corners], world[corners]
            x, y = s[:, 0], s[:, 1]
            area = float(x @ np.roll(y, -1) - np.roll(x, -1) @ y)
            if area >= 0 and not mesh.hollow:
                continue
            normal = np.cross(w[1] - w[0], w[2] - w[0])
            normal = normal / (np.linalg.norm(normal) or 1.0)
            shade = self._shade(mesh.colors[tint], -normal if area > 0 else normal)
            points = [tuple(p) for p in s[:, :2]]
            self.items.append((float(s[:, 2].mean()), self._polygon, (points, (*shade, alpha))))
        for a, b in mesh.lines:
            ends = screen[[a, b]]
            fill = (*self.color(mesh.colors[-1]), alpha)
            line = ([tuple(p) for p in ends[:, :2]], fill, body.numbers.get("width", 1.5))
            self.items.append((float(ends[:, 2].mean()), self._line, line))

    def _shade(self, color: str, normal: Array) -> tuple[int, ...]:
        half = self.light + self.eye.toward
        half = half / np.linalg.norm(half)
        bright = 0.12 * max(0.0, float(normal @ half)) ** 24
        k = 0.56 + 0.5 * max(0.0, float(normal @ self.light))
        return tuple(min(255, round(c * k + 255 * bright)) for c in self.color(color))

    def _polygon(self, points: Any, fill: tuple[int, ...]) -> None:
        self.pen.polygon(points, fill=fill, outline=fill if fill[3] == 255 else None)

    def _line(self, points: Any, fill: tuple[int, ...], width: float) -> None:
        self.pen.line(points, fill=fill, width=max(1, round(OVER * width)), joint="curve")

    def _trace(self, body: Body) -> None:
        points = body.tracks["points"]
        screen = self.eye.project(points)
        color, times = self.color(body.color), self.scene.times
        last = len(points) - 1 if body.whole else min(self.frame, len(points) - 1)
        for k in range(last):
            alpha = 0.9 * body.opacity * (0.25 if k > self.frame else 1.0)
            if body.numbers["fade"] > 0 and k <= self.frame:
                alpha *= max(0.0, 1 - abs(times[self.frame] - times[k]) / body.numbers["fade"])
            if alpha > 0.01:
                ends = screen[k : k + 2]
                depth = float(ends[:, 2].mean()) - 1e-3 * self.eye.radius
                line = ([tuple(p) for p in ends[:, :2]], (*color, round(255 * alpha)), body.numbers["width"])
                self.items.append((depth, self._line, line))

    def _arrow(self, body: Body) -> None:
        ends = self.eye.project(np.array([_at(body.tracks[k], self.frame) for k in ("at", "tip")]))
        a, b = ends[0, :2], ends[1, :2]
        length = float(np.linalg.norm(b - a))
        if length <= 2 * OVER:
            return
        u = (b - a) / length
        side, h = np.array([-u[1], u[0]]), min(11.0 * OVER, 0.5 * length)
        fill = (*self.color(body.color), round(255 * body.opacity))
        head = [tuple(b), tuple(b - h * u + 0.42 * h * side), tuple(b - h * u - 0.42 * h * side)]
        depth = float(ends[:, 2].max())
        self.items.append((depth, self._line, ([tuple(a), tuple(b - 0.8 * h * u)], fill, 2.6)))
        self.items.append((depth, self._polygon, (head, fill)))

    def _dot(self, body: Body) -> None:
        x, y, z, scale = self.eye.project(_at(body.tracks["position"], self.frame))[0]
        r = max(2.5 * OVER, body.numbers["radius"] * scale)
        base = np.array(self.color(body.color), dtype=float)
        self.items.append((z + body.numbers["radius"], self._sphere, (x, y, r, base, body.opacity)))

    def _sphere(self, x: float, y: float, r: float, base: Array, opacity: float) -> None:
        for s, shift, dark, white in ((1.0, 0.0, 0.68, 0.0), (0.86, 0.1, 0.92, 0.0), (0.6, 0.25, 1.0, 0.06),
                                      (0.34, 0.38, 0.85, 0.2), (0.16, 0.45, 0.6, 0.4)):  # fmt: skip
            fill = tuple(int(min(255, c * dark + 255 * white)) for c in base)
            cx, cy, k = x - 0.8 * shift * r, y - shift * r, s * r
            self.pen.ellipse([cx - k, cy - k, cx + k, cy + k], fill=(*fill, round(255 * opacity)))

    def _label(self, body: Body) -> None:
        from PIL import ImageFont

        x, y, *_ = self.eye.project(_at(body.tracks["position"], self.frame))[0]
        text = body.text
        if "value" in body.tracks:
            text += f" {_at(body.tracks['value'], self.frame)[0]:.3g}"
        font = ImageFont.load_default(14 * OVER)
        self.pen.text((x, y), text.strip(), fill=self.color(body.color), font=font, anchor="mm")


def hull(points: Array) -> list[Array]:
    """The convex hull of points in the plane."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    edge: list[Array] = []
    for run in (ordered, ordered[::-1]):
        start = len(edge)
        for q in run:
            while len(edge) - start > 1:
                a, b = edge[-2], edge[-1]
                if (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) > 0:
                    break
                edge.pop()
            edge.append(q)
        edge.pop()
    return edge
