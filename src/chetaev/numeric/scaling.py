"""Rows and columns brought to size 1: 1e-30 kg is no reason for a matrix to be called singular."""

from __future__ import annotations

import numpy as np

from chetaev.numeric.products import Array


def unit_rows(matrix: Array, typical: Array | float = 0.0) -> Array:
    """Rows divided by their largest entry, or by their typical size where that is larger; rows of 0 stay.

    What a constraint is multiplied with does not matter, and a huge row hides no other.

    >>> unit_rows(np.array([[2.0, 4.0], [0.0, 0.0]]))
    array([[0.5, 1. ],
           [0. , 0. ]])
    """
    size = np.maximum(typical, np.abs(matrix).max(axis=1, initial=0.0))
    return np.asarray(matrix / np.where(size > 0, size, 1.0)[:, None])


def bordered_units(matrix: Array, size: int) -> tuple[Array, Array]:
    """Factors of rows and columns of [[M, −Bᵀ], [C, 0]], M of the given size, that bring both blocks to 1.

    Forces and constraints each have a unit of their own, which :func:`balanced` cannot tell: with M of 1e-20
    and C of 1, rows and columns of size 1 hide M.

    >>> K = np.array([[1e-20, 1.0], [1.0, 0.0]])
    >>> rows, columns = bordered_units(K, 1)
    >>> rows[:, None] * K * columns
    array([[1., 1.],
           [1., 0.]])
    """
    M, borders = np.abs(matrix[:size, :size]), np.abs(matrix)
    inertia = np.sqrt(np.diagonal(M))
    unit = 1.0 / np.where(inertia > 0, inertia, np.sqrt(M.max(initial=0.0)) or 1.0)
    right = (unit[:, None] * borders[:size, size:]).max(axis=0, initial=0.0)
    below = (borders[size:, :size] * unit).max(axis=1, initial=0.0)
    rows, columns = (np.concatenate([unit, 1.0 / np.where(x > 0, x, 1.0)]) for x in (below, right))
    return rows, columns


def balanced(matrix: Array) -> Array:
    """The matrix with rows and columns scaled until the largest entry of each is near 1."""
    work: Array = np.nan_to_num(matrix.astype(float))  # the smallest numbers have no finite inverse
    for _ in range(12):
        for axis in (0, 1):
            size = np.abs(work).max(axis=axis, keepdims=True, initial=0.0)
            work = work / np.sqrt(np.where(size > 0, size, 1.0))
    return work
