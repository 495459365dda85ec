"""Elimination, orthogonal factors and least squares, in fixed order.

A matrix is factored by Householder reflections with the largest remaining column first, A P = Q R (Golub and
Van Loan, *Matrix Computations*, 5.4). Its rank is the number of |R_ii| above a part of |R_00|; least squares
with the least norm and kernels are read off.

>>> A = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
>>> least_squares(A, np.array([1.0, 2.0])).round(12)
array([0.5, 0.5, 0. ])
>>> kernel(A).shape
(3, 2)
"""

from __future__ import annotations

import math

import numpy as np

from chetaev.numeric.products import Array, column_sums, norm, product, unit_for
from chetaev.numeric.scaling import unit_rows
from chetaev.numeric.thresholds import SOLVED

LOST = 1e-4
"""A squared length that has fallen to this part by subtractions is computed anew."""
EVEN = 1e-6
"""Columns whose lengths differ by less than this part of them are equal: the first one is the pivot."""


class SingularMatrixError(ZeroDivisionError):
    """A matrix that has no inverse."""


class Triangle:
    """``matrix[:, order] = Q R``, the longest remaining column first; Q is kept as its reflections."""

    def __init__(self, matrix: Array) -> None:
        rows, columns = matrix.shape
        self.order = list(range(columns))
        self._reflections: list[tuple[int, float, Array]] = []
        R, unit = _near_one(matrix)
        squares = column_sums(R * R)
        last = squares.copy()
        for j in range(min(rows, columns)):
            p = j + first_largest(squares[j:])
            self.order[j], self.order[p] = self.order[p], self.order[j]
            if p != j:
                for entries in (R, squares, last):
                    entries[..., [j, p]] = entries[..., [p, j]]
            if not np.count_nonzero(R[j:, j]):
                break
            tau, reflector, R[j, j] = _reflection(R[j:, j])
            R[j + 1 :, j] = 0.0
            if tau:
                self._reflections.append((j, tau, reflector))
            if j + 1 == columns:
                break
            if tau:
                _reflect(tau, reflector, R[j:, j + 1 :])
            squares[j + 1 :] -= R[j, j + 1 :] ** 2
            stale = j + 1 + np.flatnonzero(squares[j + 1 :] <= LOST * last[j + 1 :])
            if stale.size:
                squares[stale] = last[stale] = column_sums(R[j + 1 :, stale] ** 2)
        self.R: Array = R / unit

    def rank(self, rcond: float) -> int:
        """How many |R_ii| exceed a part of the largest."""
        sizes = np.abs(np.diagonal(self.R))
        return int(np.count_nonzero(sizes > rcond * sizes.max(initial=0.0)))

    def Q(self, columns: Array) -> Array:
        """Q times a matrix."""
        result = np.array(columns, dtype=float)
        for j, tau, reflector in reversed(self._reflections):
            _reflect(tau, reflector, result[j:])
        return result

    def Qt(self, columns: Array) -> Array:
        """The transpose of Q times a matrix."""
        result = np.array(columns, dtype=float)
        for j, tau, reflector in self._reflections:
            _reflect(tau, reflector, result[j:])
        return result


def _reflect(tau: float, w: Array, columns: Array) -> None:
    """1 − τ w wᵀ times a matrix, in its place."""
    columns -= w[:, None] * (tau * product(w[None], columns))


def _reflection(column: Array) -> tuple[float, Array, float]:
    """τ, w and β: the reflection 1 − τ w wᵀ makes (β, 0, …) of a column; τ = 0 where it is that already."""
    first = float(column[0])
    if not np.count_nonzero(column[1:]):
        return 0.0, column, first
    beta = -math.copysign(norm(column), first)
    w = column / (first - beta)
    w[0] = 1.0
    return (beta - first) / beta, w, beta


def first_largest(values: Array) -> int:
    """The place of the largest value; of several within :data:`EVEN` the first.

    >>> first_largest(np.array([0.5, 1.0, 1.0 + 1e-15]))
    1
    """
    return int((values >= (1 - EVEN) * np.maximum.reduce(values)).argmax())


def _near_one(matrix: Array) -> tuple[Array, float]:
    """The matrix times a power of two that brings its largest entry near 1, and that power."""
    largest = float(np.abs(matrix).max(initial=0.0))
    unit = unit_for(largest)
    return np.array(matrix, dtype=float) * unit, unit


def least_squares(matrix: Array, right: Array, rcond: float = SOLVED, rank: int | None = None) -> Array:
    """The shortest x for which |matrix·x − right| is least; directions below `rcond` are left alone, or those
    beyond the rank, where it is known.
    """
    rows, columns = matrix.shape
    x = np.zeros(columns)
    if not rows or not columns:
        return x
    if rows < columns:
        wide = Triangle(np.asarray(matrix).T)
        if (wide.rank(rcond) if rank is None else rank) == rows:
            return _shortest(wide, right)
    factors = Triangle(matrix)
    rank = factors.rank(rcond) if rank is None else rank
    c = factors.Qt(right[:, None])[:rank, 0]
    R = factors.R[:rank]
    if rank:  # R x = c has full row rank
        x[factors.order] = _back(R, c) if rank == columns else _shortest(Triangle(R.T), c)
    return x


def shortest_move(jacobian: Array, missed: Array) -> Array:
    """The shortest x with jacobian·x = missed; what an equation is multiplied with does not matter.

    >>> shortest_move(np.array([[1e-20, 0.0], [0.0, 1.0]]), np.array([3e-20, 1.0]))
    array([3., 1.])
    """
    size = np.abs(jacobian).max(axis=1, initial=0.0)
    return least_squares(unit_rows(jacobian), missed / np.where(size > 0, size, 1.0))


def _shortest(factors: Triangle, right: Array) -> Array:
    """The shortest x with A x = right, from the factors of Aᵀ: x = Q R⁻ᵀ right."""
    count, length = len(right), factors.R.shape[0]
    y = np.zeros((length, 1))
    y[:count, 0] = _forward(factors.R[:count].T, right[factors.order])
    return np.asarray(factors.Q(y)[:, 0])


def _back(R: Array, c: Array) -> Array:
    """Solve an upper triangular system."""
    x = c.copy()
    for j in range(len(c) - 1, -1, -1):
        x[j] /= R[j, j]
        x[:j] -= R[:j, j] * x[j]
    return x


def _forward(L: Array, c: Array) -> Array:
    """Solve a lower triangular system."""
    x = c.copy()
    for j in range(len(c)):
        x[j] /= L[j, j]
        x[j + 1 :] -= L[j + 1 :, j] * x[j]
    return x


def kernel(matrix: Array, rcond: float = SOLVED, rank: int | None = None) -> Array:
    """An orthonormal basis of {x : matrix·x = 0}, as columns; the rank is found unless it is known."""
    columns = matrix.shape[1]
    if not matrix.size:
        return np.eye(columns)
    factors = Triangle(np.asarray(matrix, dtype=float).T)
    return factors.Q(np.eye(columns)[:, factors.rank(rcond) if rank is None else rank :])


def column_space(matrix: Array) -> Array:
    """Orthonormal columns that span the columns of a matrix; as many as it has, in an order of their own."""
    factors = Triangle(matrix)
    return factors.Q(np.eye(*matrix.shape))


def volume(matrix: Array, rank: int) -> float:
    """The volume that so many columns span, each the longest beside those before it."""
    return math.prod(float(x) for x in np.abs(np.diagonal(Triangle(matrix).R))[:rank])


def _eliminated(matrix: Array, right: Array) -> tuple[Array, Array, float]:
    """Upper triangle and right side by elimination with row pivots, and the sign of the exchanges."""
    U, b, sign = np.array(matrix, dtype=float), np.array(right, dtype=float), 1.0
    for j in range(U.shape[0]):
        sizes = np.abs(U[j:, j])
        p = j + (first_largest(sizes) if np.isfinite(sizes).all() else 0)
        if p != j:
            U[[j, p]], b[[j, p]], sign = U[[p, j]], b[[p, j]], -sign
        if U[j, j] == 0:
            continue
        factors = U[j + 1 :, j] / U[j, j]
        U[j + 1 :, j:] -= factors[:, None] * U[j, j:]
        b[j + 1 :] -= factors[:, None] * b[j]
    return U, b, sign


def solve(matrix: Array, right: Array) -> Array:
    """matrix⁻¹·right for a square matrix; raises :class:`SingularMatrixError` for a pivot of 0."""
    columns = right if right.ndim == 2 else right[:, None]
    U, x, _ = _eliminated(matrix, columns)
    if (np.diagonal(U) == 0).any():
        raise SingularMatrixError("the matrix has no inverse")
    for j in range(len(x) - 1, -1, -1):
        x[j] /= U[j, j]
        x[:j] -= U[:j, j, None] * x[j]
    return x if right.ndim == 2 else np.asarray(x[:, 0])


def inverse(matrix: Array) -> Array:
    """The inverse of a square matrix."""
    return solve(matrix, np.eye(matrix.shape[0]))


def determinant(matrix: Array) -> float:
    """The determinant, by elimination.

    >>> determinant(np.array([[0.0, 2.0], [3.0, 1.0]]))
    -6.0
    """
    U, _, sign = _eliminated(matrix, np.zeros((matrix.shape[0], 0)))
    for pivot in np.diagonal(U):
        sign *= float(pivot)
    return sign
