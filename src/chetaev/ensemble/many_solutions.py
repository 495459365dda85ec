"""Velocities on affine constraints A v + b = 0 for many members at once, with the bits of one at a time.

`chetaev.model.states.initial_data` solves one member's velocities by `chetaev.numeric.descended`. Members
that share A and b are solved here by the same operations in the same order, one column for each. Sums are
added from the top; those of a single row as first + (second + third + …) by some versions of NumPy:
`_product` does the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chetaev.ensemble.counted_random import Array
from chetaev.model.states.initial_data import ROUNDOFF
from chetaev.numeric import product
from chetaev.numeric.linear import Triangle

LONGEST = 7
"""Longer sums are added in another order for one member than for many."""
APART = bool(product(np.array([[1.0, 2.0**-53, 2.0**-53]]), np.ones(3))[0] != 1.0)
"""Whether this NumPy adds the rest of a single row before the first of it."""


def _product(matrix: Array, columns: Array) -> Array:
    """matrix · each column, added as `numeric.product` adds for a single column."""
    terms = matrix.T[:, :, None] * columns[:, None, :]
    if matrix.shape[0] > 1 or len(terms) < 3 or not APART:
        total: Array = terms[0].copy()
        for term in terms[1:]:
            total += term
        return total
    rest = terms[1].copy()
    for term in terms[2:]:
        rest += term
    return np.asarray(terms[0] + rest)


class Factors:
    """Least squares with one matrix and many right sides, as `numeric.least_squares` has for one."""

    def __init__(self, matrix: Array, rcond: float = 1e-12) -> None:
        self.rows, self.columns = matrix.shape
        self.wide: Triangle | None = None
        if self.rows < self.columns:
            wide = Triangle(matrix.T)
            if wide.rank(rcond) == self.rows:
                self.wide = wide
                return
        self.factors = Triangle(matrix)
        self.rank = self.factors.rank(rcond)
        self.inner = None if self.rank == self.columns else Triangle(self.factors.R[: self.rank].T)

    def solve(self, right: Array) -> Array:
        """The shortest solutions, shape (columns, N), for right sides (rows, N)."""
        if self.wide is not None:
            return _shortest(self.wide, right)
        x = np.zeros((self.columns, right.shape[1]))
        if self.rank:
            c = _turned(self.factors, right, back=False)[: self.rank]
            R = self.factors.R[: self.rank]
            x[self.factors.order] = _upper(R, c) if self.inner is None else _shortest(self.inner, c)
        return x


def _turned(factors: Triangle, columns: Array, back: bool) -> Array:
    """Q, or its transpose, times columns."""
    result = columns.copy()
    reflections = factors._reflections
    for j, tau, reflector in reversed(reflections) if back else reflections:
        result[j:] -= reflector[:, None] * (tau * _product(reflector[None], result[j:]))
    return result


def _shortest(factors: Triangle, right: Array) -> Array:
    count, length = len(right), factors.R.shape[0]
    y = np.zeros((length, right.shape[1]))
    L, x = factors.R[:count].T, right[factors.order].copy()
    for j in range(count):
        x[j] /= L[j, j]
        x[j + 1 :] -= L[j + 1 :, j, None] * x[j]
    y[:count] = x
    return _turned(factors, y, back=True)


def _upper(R: Array, c: Array) -> Array:
    x = c.copy()
    for j in range(len(c) - 1, -1, -1):
        x[j] /= R[j, j]
        x[:j] -= R[:j, j, None] * x[j]
    return x


def on_affine_constraints(
    A: Array, b: Array, starts: Array, free: list[int]
) -> tuple[Array, NDArray[np.bool_]]:
    """Velocities (N, n) with A v + b = 0, the free entries solved, and which of them were found.

    Where no entry is free, given values that miss the constraints by rounding are set right.
    """
    moved = free or list(range(A.shape[1]))
    x, sizes = _descended(A, b, starts.T.copy(), moved)
    with np.errstate(all="ignore"):
        terms = product(np.abs(A), np.abs(x if free else starts.T)).max(axis=0)
        allowed = ROUNDOFF * np.maximum(1.0, terms)
        first = sizes if free else np.abs(_product(A, starts.T) + b[:, None]).max(axis=0)
        good = first <= (allowed * 1e-3 if free else allowed)
    return x.T, good & np.isfinite(x).all(axis=0)


@np.errstate(all="ignore")
def _descended(A: Array, b: Array, x: Array, free: list[int]) -> tuple[Array, Array]:
    """`numeric.descended` for each column; and the largest |f| of each."""
    factors = Factors(A[:, free])
    f = _product(A, x) + b[:, None]
    going = np.flatnonzero(np.isfinite(f).all(axis=0))
    for _ in range(60):
        if not len(going):
            break
        step = -factors.solve(f[:, going])
        size = np.abs(f[:, going]).max(axis=0)
        taken = np.zeros(len(going), bool)
        open_ = np.arange(len(going))
        scale = 1.0
        while len(open_) and scale >= 1e-8:
            which = going[open_]
            trial = x[:, which].copy()
            trial[free] += scale * step[:, open_]
            moves = (trial != x[:, which]).any(axis=0)  # else the step is lost in rounding
            new = _product(A, trial) + b[:, None]
            better = moves & np.isfinite(new).all(axis=0)
            better &= np.abs(new).max(axis=0) < size[open_] * (1 - 1e-4 * scale)
            x[:, which[better]], f[:, which[better]] = trial[:, better], new[:, better]
            taken[open_[better]] = True
            open_ = open_[moves & ~better]
            scale /= 2
        going = going[taken & (np.abs(f[:, going]).max(axis=0) != 0)]
    return x, np.abs(f).max(axis=0, initial=0.0)
