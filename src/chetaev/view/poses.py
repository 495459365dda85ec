"""Rotations along a motion: axis–angle sequences, matrices, quaternions; arrays over the frames.

A pose takes a point b of a body to p + R b, the columns of R being the body's axes.

>>> import numpy as np
>>> quarter = about("z", np.array([np.pi / 2]))
>>> np.allclose(quarter[0] @ [1, 0, 0], [0, 1, 0])
True
>>> np.allclose(quaternions(quarter), [[0.5**0.5, 0, 0, 0.5**0.5]])
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
    trace = rotations.trace(axis1=1, axis2=2)
    products = np.empty((len(rotations), 4, 4))  # 4 q qᵀ
    products[:, 0, 0] = 1 + trace
    products[:, 0, 1:] = rotations[:, [2, 0, 1], [1, 2, 0]] - rotations[:, [1, 2, 0], [2, 0, 1]]
    products[:, 1:, 0] = products[:, 0, 1:]
    products[:, 1:, 1:] = rotations + np.swapaxes(rotations, 1, 2) + np.multiply.outer(1 - trace, np.eye(3))
    largest = products.diagonal(axis1=1, axis2=2).argmax(axis=1)  # no division by a small number
    result = products[np.arange(len(rotations)), largest]
    result /= np.linalg.norm(result, axis=1, keepdims=True)
    turns = np.sign(np.einsum("ij,ij->i", result[1:], result[:-1]))
    signs = np.concatenate([[1.0], np.cumprod(np.where(turns < 0, -1.0, 1.0))])
    return np.asarray(result * signs[:, None])
