"""Meshes of the shapes, in the axes of the body: what every renderer draws.

Discs and wheels have their axle along y: unturned they stand upright and roll along x when turned
about y by a growing angle. Tables and cones have their axis along z. Marks show the rotation.

>>> ball = ball_mesh(0.5, "#0072b2")
>>> bool(abs((ball.vertices**2).sum(axis=1) - 0.25).max() < 1e-12)
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chetaev.view.palette import mix

Array = NDArray[np.float64]
WHITE, BLACK = "#ffffff", "#000000"
RUBBER = "#31363d"
MARK = "#f0e442"


@dataclass(frozen=True)
class Mesh:
    """Vertices, coloured faces and lines."""

    vertices: Array  # shape (m, 3)
    faces: tuple[tuple[int, ...], ...]  # corners of each face, counterclockwise from outside
    face_colors: tuple[int, ...]  # index into `colors` of each face
    colors: tuple[str, ...]  # colours; lines have the last one
    lines: tuple[tuple[int, int], ...] = ()  # pairs of vertices
    hollow: bool = False  # whether both sides of a face can be seen


def _outward(
    vertices: Sequence[Sequence[float]], faces: list[tuple[int, ...]], tints: list[int], colors: Sequence[str]
) -> Mesh:
    """A convex mesh, every face turned so that its normal points away from the middle."""
    points = np.array(vertices, dtype=float)
    corners = points[[(*face[:3], face[min(3, len(face) - 1)]) for face in faces]]
    a, b, c = np.moveaxis(corners[:, 1:] - corners[:, :1], 1, 0)
    out = corners.mean(axis=1) - points.mean(axis=0)
    outward = ((np.cross(a, b) + np.cross(b, c)) * out).sum(axis=1) >= 0
    turned = [face if good else face[::-1] for face, good in zip(faces, outward, strict=True)]
    return Mesh(points, tuple(turned), tuple(tints), tuple(colors))


def _revolved(
    profile: Sequence[tuple[float, float]],
    segments: int,
    tint: Callable[[int, int], int],
    colors: Sequence[str],
    axis: str,
) -> Mesh:
    """A body of revolution: (radius, height) pairs turned about an axis; radius 0 is a pole."""
    vertices: list[tuple[float, float, float]] = []
    rings: list[list[int]] = []
    for radius, height in profile:
        count = segments if radius > 0 else 1
        ring = []
        for i in range(count):
            a = 2 * np.pi * i / segments
            c, s = radius * np.cos(a), radius * np.sin(a)
            ring.append(len(vertices))
            vertices.append((c, s, height) if axis == "z" else (s, height, c))
        rings.append(ring)
    faces: list[tuple[int, ...]] = []
    tints: list[int] = []
    for j, (low, high) in enumerate(pairwise(rings)):
        for i in range(segments):
            k = (i + 1) % segments
            corners = [low[i % len(low)], low[k % len(low)], high[k % len(high)], high[i % len(high)]]
            face = tuple(dict.fromkeys(corners))
            if len(face) > 2:
                faces.append(face)
                tints.append(tint(j, i))
    return _outward(vertices, faces, tints, colors)


def disc_mesh(radius: float, thickness: float, color: str) -> Mesh:
    """A disc with a sharp edge, quartered, with a bright mark at the rim."""
    h, inner, n = thickness / 2, 0.84 * radius, 48
    profile = [(0.0, -h), (inner, -h), (radius, 0.0), (inner, h), (0.0, h)]

    def tint(ring: int, i: int) -> int:
        if ring in (1, 2):
            return 3 if i % n < 2 or i % n >= n - 2 else 2
        return (i // (n // 4)) % 2

    colors = (color, mix(color, WHITE, 0.55), mix(color, BLACK, 0.35), MARK)
    return _revolved(profile, n, tint, colors, "y")


def wheel_mesh(radius: float, width: float, color: str) -> Mesh:
    """A wheel with a dark tyre and a hub of spokes."""
    h, hub, n = width / 2, 0.68 * radius, 40
    profile = [(0.0, -h), (hub, -h), (radius, -h), (radius, h), (hub, h), (0.0, h)]

    def tint(ring: int, i: int) -> int:
        if ring in (0, 4):
            return (i // (n // 10)) % 2
        if ring == 2:
            return 2 if i % 4 < 2 else 3
        return 4 if i < 2 or i >= n - 2 else 2

    colors = (color, mix(color, WHITE, 0.6), RUBBER, mix(RUBBER, WHITE, 0.15), MARK)
    return _revolved(profile, n, tint, colors, "y")


def ball_mesh(radius: float, color: str) -> Mesh:
    """A ball in two colours, eight patches, so that every rotation can be seen."""
    n, m = 32, 16
    profile = [(radius * np.sin(np.pi * j / m), -radius * np.cos(np.pi * j / m)) for j in range(m + 1)]
    profile[0], profile[-1] = (0.0, -radius), (0.0, radius)

    def tint(ring: int, i: int) -> int:
        return (i // (n // 4) + (ring >= m // 2)) % 2

    return _revolved(profile, n, tint, (color, mix(color, WHITE, 0.72)), "z")


def table_mesh(radius: float, thickness: float, color: str) -> Mesh:
    """A round table with its top at height 0; sectors show that it turns."""
    n = 48
    profile = [(radius, -thickness), *((radius * s, 0.0) for s in (1.0, 0.75, 0.5, 0.25, 0.0))]

    def tint(ring: int, i: int) -> int:
        return 2 if ring == 0 else (i // (n // 8)) % 2

    colors = (mix(color, WHITE, 0.62), mix(color, WHITE, 0.45), mix(color, BLACK, 0.2))
    return _revolved(profile, n, tint, colors, "z")


def rod_mesh(radius: float, color: str) -> Mesh:
    """A cylinder from height 0 to height 1, to be stretched."""
    profile = [(0.0, 0.0), *((radius, z / 8) for z in range(9)), (0.0, 1.0)]
    return _revolved(profile, 10, lambda ring, i: 0, (color,), "z")


def box_mesh(size: Sequence[float], color: str) -> Mesh:
    """A box about its middle; faces are cut up so that they sort well by depth."""
    half = np.array(size, dtype=float) / 2
    cuts = [int(np.clip(round(8 * s / max(size)), 1, 8)) for s in size]
    vertices: list[Array] = []
    faces: list[tuple[int, ...]] = []
    tints: list[int] = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            start = len(vertices)
            for i in range(cuts[a] + 1):
                for j in range(cuts[b] + 1):
                    corner = np.empty(3)
                    corner[axis] = side * half[axis]
                    corner[a] = half[a] * (2 * i / cuts[a] - 1)
                    corner[b] = half[b] * (2 * j / cuts[b] - 1)
                    vertices.append(corner)
            for i in range(cuts[a]):
                for j in range(cuts[b]):
                    k = start + i * (cuts[b] + 1) + j
                    faces.append((k, k + 1, k + cuts[b] + 2, k + cuts[b] + 1))
                    tints.append(0)
    return _outward([tuple(v) for v in vertices], faces, tints, (color,))


def sheet_mesh(points: Array, color: str) -> Mesh:
    """A surface through a grid of points of shape (n, m, 3), with thin lines."""
    n, m = points.shape[:2]
    index = np.arange(n * m).reshape(n, m)
    faces, tints = [], []
    for i in range(n - 1):
        for j in range(m - 1):
            corners = (index[i, j], index[i, j + 1], index[i + 1, j + 1], index[i + 1, j])
            faces.append(tuple(int(c) for c in corners))
            tints.append((i + j) % 2)
    colors = (mix(color, WHITE, 0.4), mix(color, WHITE, 0.5))
    return Mesh(points.reshape(-1, 3), tuple(faces), tuple(tints), colors, hollow=True)


def line_mesh(points: Array, color: str) -> Mesh:
    """A line through points."""
    pairs = tuple((i, i + 1) for i in range(len(points) - 1))
    return Mesh(np.asarray(points, dtype=float), (), (), (color,), pairs)


def spring_mesh(radius: float, coils: int, color: str) -> Mesh:
    """A helical spring from height 0 to height 1, with straight ends, to be stretched."""
    steps = np.linspace(0, 1, 14 * coils + 1)
    angle = 2 * np.pi * coils * steps
    coil = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.12 + 0.76 * steps])
    ends = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.12]]), np.array([[0.0, 0.0, 0.88], [0.0, 0.0, 1.0]])
    return line_mesh(np.vstack([ends[0], coil, ends[1]]), color)


def cone_mesh(radius: float, height: float, color: str) -> Mesh:
    """A hollow cone with its tip at the origin, opening along z."""
    s = np.linspace(0.0, 1.0, 9)[:, None]
    a = np.linspace(0, 2 * np.pi, 41)[None, :]
    points = np.stack([radius * s * np.cos(a), radius * s * np.sin(a), height * s + 0 * a], axis=-1)
    return sheet_mesh(points, color)
