"""The law at many states by rank-revealing elimination, whatever the units.

    M a + h = Cᵀμ,      C a + c = 0,      rank C = r

Rows and columns of C are scaled to largest entries near 1; r pivots are taken, each the largest entry left
(complete pivoting). They give S, which spans ker C, and a_p with C a_p + c = 0; then
(SᵀMS) z = −Sᵀ(h + M a_p) is scaled so that the sizes |S|ᵀ|M||S| of what cancels in it are near 1, and
solved with complete pivoting as well. The smallest pivot says how far the law is from a singular one: about
1/condition, the same for all units. What is left of the rows without a pivot, redundant ones, says how far
they contradict the others.

All arrays are stacks, of doubles or of mpmath's numbers; what only compares sizes is in doubles.

>>> found, excess, smallest = settle(
...     1, np.diag([2.0, 2.0])[None], np.array([[0.0, 20.0]]), np.array([[[0.0, 1.0]]]), np.array([[-3.0]])
... )
>>> found.tolist(), excess.tolist(), smallest.tolist()
([[0.0, 3.0]], [0.0], [1.0])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
SWEEPS = 4


def settle(rank: int, mass: Any, h: Any, C: Any, c: Any) -> tuple[Any, Doubles, Doubles]:
    """The accelerations (N, n); how far redundant rows contradict the others, relative to 1 + |c|; and the
    smallest pivot, 0 where the law is singular. M (N, n, n), h (N, n), C (N, m, n), c (N, m).
    """
    rows, columns = _balanced(C)
    C = C * rows[:, :, None] * columns[:, None, :]
    c, h, M = c * rows, h * columns, mass * columns[:, :, None] * columns[:, None, :]
    largest = np.abs(c).max(axis=1, initial=0.0)
    C, c, order, smallest = _eliminated(C, c, rank)
    excess = _doubles(np.abs(c[:, rank:]).max(axis=1, initial=0.0) / (1 + largest))
    left = np.abs(C[:, rank:, rank:]).max(axis=(1, 2), initial=0.0)
    excess = np.maximum(excess, _doubles(left))
    count, n = h.shape
    free = n - rank
    M = np.take_along_axis(np.take_along_axis(M, order[:, :, None], 1), order[:, None, :], 2)
    unit = np.broadcast_to(np.eye(free), (count, free, free))
    S = np.concatenate([-C[:, :rank, rank:], unit], axis=1)
    found = np.concatenate([-c[:, :rank], np.zeros((count, free))], axis=1)
    load = np.take_along_axis(h, order, 1) + (M @ found[..., None])[..., 0]
    across, sizes = S.swapaxes(1, 2), np.abs(S)
    right = -(across @ load[..., None])[..., 0]
    sizes = _doubles(sizes.swapaxes(1, 2) @ np.abs(M) @ sizes)
    turn, lift = _weights(sizes)
    smallest = np.where((turn > 0).all(axis=1), smallest, 0.0)
    reduced = across @ M @ S * turn[:, :, None] * (turn * lift)[:, None, :]
    _, z, places, least = _eliminated(reduced, right * turn, free)
    smallest = np.minimum(smallest, least)
    turned = np.empty_like(z)
    np.put_along_axis(turned, places, z, 1)
    found = found + (S @ (turned * turn * lift)[..., None])[..., 0]
    a = np.empty_like(found)
    np.put_along_axis(a, order, found, 1)
    return a * columns, excess, smallest


def _doubles(values: Any) -> Doubles:
    return np.asarray(values, dtype=float)


def _balanced(C: Any) -> tuple[Doubles, Doubles]:
    """Factors for rows and columns that bring the largest entries near 1 (Ruiz 2001)."""
    sizes = _doubles(np.abs(C))
    rows, columns = np.ones(sizes.shape[:2]), np.ones(sizes.shape[::2])
    for _ in range(SWEEPS):
        big = (sizes * columns[:, None, :]).max(axis=2, initial=0.0) * rows
        rows = rows / np.sqrt(np.where(big > 0, big, 1.0))
        big = (sizes * rows[:, :, None]).max(axis=1, initial=0.0) * columns
        columns = columns / np.sqrt(np.where(big > 0, big, 1.0))
    return rows, columns


def _weights(sizes: Doubles) -> tuple[Doubles, Doubles]:
    """Factors that bring the rows of a symmetric matrix to largest entries near 1, 0 where it has none; and
    further ones for columns that stay small, as they can where a matrix is not symmetric, else 1.
    """
    turn = np.ones(sizes.shape[:2])
    for _ in range(SWEEPS):
        for i in range(sizes.shape[1]):
            big = (sizes[:, i] * turn).max(axis=1, initial=0.0) * turn[:, i]
            turn[:, i] = np.where(big > 0, turn[:, i] / np.sqrt(np.where(big > 0, big, 1.0)), 0.0)
    big = (sizes * turn[:, :, None]).max(axis=1, initial=0.0) * turn
    small = (big > 1e-300) & (big < 1e-6)
    return turn, np.where(small, 1.0 / np.where(small, big, 1.0), 1.0)


def _eliminated(A: Any, b: Any, rank: int) -> tuple[Any, Any, NDArray[np.intp], Doubles]:
    """Gauss–Jordan elimination of stacks [A | b] with complete pivoting: then row k < rank has 1 in column k
    and 0 in the other pivots' columns. The order of the columns, and the smallest pivot, 0 if one is missing.
    """
    count, _, n = A.shape
    both, each = np.concatenate([A, b[..., None]], axis=2), np.arange(count)
    order = np.broadcast_to(np.arange(n), (count, n)).copy()
    smallest = np.ones(count)
    for k in range(rank):
        part = np.abs(both[:, k:, k:n]).reshape(count, -1)
        place = part.argmax(axis=1)
        smallest = np.minimum(smallest, _doubles(part[each, place]))
        row, column = k + place // (n - k), k + place % (n - k)
        both[each, k], both[each, row] = both[each, row], both[each, k]
        both[each, :, k], both[each, :, column] = both[each, :, column], both[each, :, k]
        order[each, k], order[each, column] = order[each, column], order[each, k]
        pivot = both[:, k, k]
        both[:, k] = both[:, k] / np.where(pivot == 0, 1, pivot)[:, None]
        factor = both[:, :, k].copy()
        factor[:, k] = 0
        both = both - factor[:, :, None] * both[:, k][:, None, :]
    return both[..., :n], both[..., n], order, smallest
