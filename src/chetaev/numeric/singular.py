"""Singular values by one-sided Jacobi rotations.

Columns are rotated in pairs until all are orthogonal; their lengths then are the singular values, small ones
as accurate as large ones (Demmel and Veselić 1992). All pairs meet once in a round, as in a tournament: the
order is fixed, and the pairs of a round are rotated together.

>>> singular_values(np.array([[3.0, 0.0], [4.0, 0.0]]))
array([5., 0.])
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chetaev.numeric.linear import Triangle
from chetaev.numeric.products import Array, column_sums, norms, unit_for

SWEEPS = 60
"""More rounds are never needed: convergence is quadratic."""


def singular_values(matrix: Array) -> Array:
    """All singular values, largest first; as many as the smaller side has."""
    matrix = np.asarray(matrix, dtype=float)
    if not matrix.size:
        return np.zeros(0)
    tall = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    count = tall.shape[1]
    largest = float(np.abs(tall).max())
    if not 0 < largest < math.inf:
        return np.full(count, largest)
    unit = unit_for(largest)
    # the triangle's rows, longest first, are nearly orthogonal already
    work = Triangle(tall * unit).R[:count].T.copy()
    _rotate(work)
    return np.asarray(np.sort(norms(work, axis=0))[::-1] / unit)


def _rotate(work: Array) -> None:
    """Make the columns orthogonal, in place."""
    count = work.shape[1]
    small = 2.0**-52 * max(4, count)
    for _ in range(SWEEPS):
        quiet = True
        for p, q in _tournament(count):
            X, Y = work[:, p], work[:, q]
            a, b, c = column_sums(X * X), column_sums(Y * Y), column_sums(X * Y)
            turned = np.abs(c) > small * (np.sqrt(a) * np.sqrt(b))
            if not turned.any():
                continue
            quiet = False
            # tan 2φ = 2c/(b − a); the smaller root t = tan φ
            slope = (b - a) / np.where(turned, 2 * c, 1.0)
            t = np.where(slope >= 0, 1.0, -1.0) / (np.abs(slope) + np.sqrt(1 + slope * slope))
            t = np.where(turned, t, 0.0)
            cosine = 1 / np.sqrt(1 + t * t)
            sine = cosine * t
            work[:, p], work[:, q] = cosine * X - sine * Y, sine * X + cosine * Y
        if quiet:
            return


@lru_cache(maxsize=64)
def _tournament(count: int) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]:
    """Rounds in which every pair of numbers below `count` meets once."""
    players = list(range(count + count % 2))  # an odd number of columns: one of them rests in each round
    rounds = []
    for _ in range(len(players) - 1):
        pairs = [sorted((players[i], players[-1 - i])) for i in range(len(players) // 2)]
        meeting = np.array([pair for pair in pairs if pair[1] < count], dtype=np.intp).reshape(-1, 2)
        rounds.append((meeting[:, 0], meeting[:, 1]))
        players = [players[0], players[-1], *players[1:-1]]
    return tuple(rounds)


def condition(matrix: Array) -> float:
    """The quotient of the largest and the smallest singular value; infinite where the smallest is 0."""
    values = singular_values(matrix)
    return float(values[0] / values[-1]) if values[-1] > 0 else math.inf
