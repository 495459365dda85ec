"""Rotations along a motion: axis–angle sequences, matrices, quaternions; arrays over the frames.

A pose takes a point b of a body to p + R b, the columns of R being the body's axes.

>>> import numpy as np
>>> quarter = about("z", np.array([np.pi / 2]))
>>> np.allclose(quarter[0] @ [1, 0, 0], [0, 1, 0])
True
>>> np.allclose(matrices(quaternions(quarter)), quarter)
True
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def about(axis: str, angle: Any) -> Array:
    """Rotations about a coordinate axis; shape (n, 3, 3)."""
    a = np.atleast_1d(np.asarray(angle, dtype=float))
    c, s = np.cos(a)[:, None, None], np.sin(a)[:, None, None]
    n = np.array(_AXES[axis])
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    outer = np.outer(n, n)
    return np.asarray(c * (np.eye(3) - outer) + s * cross + outer)


def quaternions(rotations: Array) -> Array:
    """Unit quaternions (w, x, y, z) of rotations, without jumps of sign from frame to frame."""
    result = np.array([_quaternion(r) for r in rotations])
    turns = np.sign(np.einsum("ij,ij->i", result[1:], result[:-1]))
    signs = np.concatenate([[1.0], np.cumprod(np.where(turns < 0, -1.0, 1.0))])
    return np.asarray(result * signs[:, None])


def _quaternion(r: Array) -> Array:
    # the largest of the four components is found first: no division by a small number
    squares = np.array(
        [
            1 + r[0, 0] + r[1, 1] + r[2, 2],
            1 + r[0, 0] - r[1, 1] - r[2, 2],
            1 - r[0, 0] + r[1, 1] - r[2, 2],
            1 - r[0, 0] - r[1, 1] + r[2, 2],
        ]
    )
    largest = int(np.argmax(squares))
    q = np.empty(4)
    d = (r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1])
    s = (r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1])
    if largest == 0:
        q[:] = squares[0], *d
    elif largest == 1:
        q[:] = d[0], squares[1], s[0], s[1]
    elif largest == 2:
        q[:] = d[1], s[0], squares[2], s[2]
    else:
        q[:] = d[2], s[1], s[2], squares[3]
    return np.asarray(q / np.linalg.norm(q))


def matrices(q: Array) -> Array:
    """The rotations of unit quaternions; shape (n, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.asarray(np.moveaxis(np.array(rows), (0, 1), (-2, -1)))


def along(direction: Array) -> Array:
    """A rotation that takes the third axis to a direction; any one of them."""
    length = float(np.linalg.norm(direction))
    third = direction / length if length > 0 else np.array([0.0, 0.0, 1.0])
    helper = np.eye(3)[int(np.argmin(np.abs(third)))]
    first = np.cross(helper, third)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(third, first), third])
