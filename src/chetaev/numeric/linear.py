"""Ranks, pivots, kernels and least squares of matrices of doubles.

Pivots are the longest remaining columns (Golub and Van Loan, *Matrix Computations*, 5.4); ranks and least
squares come from singular values.

>>> A = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
>>> least_squares(A, np.array([1.0, 2.0])).round(12)
array([0.5, 0.5, 0. ])
>>> kernel(A).shape
(3, 2)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.numeric.thresholds import CLEAR, ROUNDING, SOLVED

Array = NDArray[np.float64]
EVEN = 1e-6
"""Sizes that differ by less than this part of them are equal: the first one is the pivot."""


class SingularMatrixError(ZeroDivisionError):
    """A matrix that has no inverse."""


# --- sizes --------------------------------------------------------------------------------------------


def norm(x: Any) -> float:
    """The Euclidean length of a vector, without overflow."""
    return math.hypot(*np.ravel(x).tolist())


def dyadic(x: Any, bits: int = 30) -> Any:
    """Numbers rounded to multiples of 2^−bits: random points do not depend on the C library's log and exp.

    >>> float(dyadic(0.1 + 0.2)) == float(dyadic(0.3))
    True
    """
    return np.rint(np.asarray(x, dtype=float) * 2.0**bits) / 2.0**bits


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


# --- ranks --------------------------------------------------------------------------------------------


def singular_values(matrix: Array) -> Array:
    """All singular values, largest first; where the matrix is not finite, neither are they."""
    if not matrix.size or not np.isfinite(matrix).all():
        return np.full(min(matrix.shape), np.abs(matrix).max(initial=0.0))
    return np.asarray(np.linalg.svd(matrix, compute_uv=False), dtype=float)


def numerical_rank(matrix: Array, tolerance: float = ROUNDING, least: float = 0.0) -> int:
    """How many singular values exceed `tolerance` times the largest, or times `least` if that is larger.

    >>> numerical_rank(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-12]]))
    1
    """
    values = singular_values(matrix)
    return int(np.count_nonzero(values > tolerance * np.maximum(least, values[:1])))


def is_regular(matrix: Array) -> bool:
    """Whether a square matrix is invertible well beyond rounding error, as it is or balanced.

    >>> is_regular(np.diag([1.0, 1e-30]))
    True
    """
    return len(matrix) in (numerical_rank(matrix), numerical_rank(balanced(matrix)))


def restricted_rank(M: Array, W: Array) -> int:
    """The rank of WᵀMW, entries in units of the terms that cancel in them: M need not be definite.

    >>> restricted_rank(np.diag([1.0, -1.0, 1e-20]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    1
    """
    largest = np.maximum(np.abs(M).max(axis=1, initial=0.0), 1e-300)
    size = np.sqrt(np.maximum((W * W).T @ largest, 1e-300))
    return numerical_rank(W.T @ (M @ W) / np.outer(size, size), least=1.0)


# --- pivots -------------------------------------------------------------------------------------------


def first_largest(values: Array) -> int:
    """The place of the largest value; of several within :data:`EVEN` the first.

    >>> first_largest(np.array([0.5, 1.0, 1.0 + 1e-15]))
    1
    """
    return int((values >= (1 - EVEN) * np.maximum.reduce(values)).argmax())


def _longest_columns(matrix: Array) -> tuple[list[int], Array]:
    """Columns, each the longest beside those before it, and their lengths there: |R_ii| of A P = Q R."""
    unit = float(np.abs(matrix).max(initial=0.0)) or 1.0
    rest, order, lengths = matrix / unit, list[int](), list[float]()
    while len(order) < min(matrix.shape):
        sizes = np.sqrt(np.add.reduce(rest * rest, axis=0))
        sizes[order] = 0.0
        p = first_largest(sizes)
        if not sizes[p] > 0:
            break
        direction = rest[:, p] / sizes[p]
        rest = rest - np.outer(direction, direction @ rest)
        order.append(p)
        lengths.append(sizes[p])
    return order, np.array(lengths) * unit


def pivot_columns(matrix: Array, count: int, smallest: float = 0.0) -> list[int]:
    """So many independent columns, each the longest beside those before it; fewer if they are not there.

    `smallest` is what a remaining length must exceed.
    """
    order, lengths = _longest_columns(matrix)
    return order[: int(np.count_nonzero(np.minimum.accumulate(lengths[:count]) > smallest))]


def volume(matrix: Array, rank: int) -> float:
    """The volume that so many columns span, each the longest beside those before it."""
    lengths = _longest_columns(matrix)[1][:rank]
    return math.prod(lengths.tolist()) if len(lengths) == min(rank, *matrix.shape) else 0.0


def independent_rows(
    matrix: Array, tolerance: float = CLEAR, order: Sequence[int] | None = None
) -> list[int]:
    """The rows, in this order, that leave the span of those chosen before by more than `tolerance`.

    >>> independent_rows(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]]))
    [0, 2]
    """
    chosen: list[int] = []
    basis = np.zeros((0, matrix.shape[1]))
    for i in range(matrix.shape[0]) if order is None else order:
        rest = np.array(matrix[i], dtype=float)
        for _ in range(2):  # twice is enough: what the first subtraction leaves in the span is roundoff
            rest -= basis @ rest @ basis
        length = norm(rest)
        if length > tolerance:
            chosen.append(i)
            basis = np.vstack([basis, rest / length])
        if len(chosen) == matrix.shape[1]:
            break
    return chosen


def largest_minor(matrix: Array, choices: Sequence[Sequence[int]]) -> int:
    """Which of the choices of columns has the largest |determinant|; of equal ones the first.

    >>> largest_minor(np.array([[1.0, -3.0, 3.0]]), [(0,), (1,), (2,)])
    1
    """
    return first_largest(np.array([abs(np.linalg.det(matrix[:, list(D)])) for D in choices]))


def regular_minor(C: Array, rank: int | None = None) -> tuple[list[int], list[int]]:
    """Rows and columns of a largest regular minor, or of one of this size, by complete pivoting.

    >>> regular_minor(np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 5.0]]))
    ([0, 2], [0, 2])
    """
    if rank is not None:
        return _minor(C, rank, 0.0)
    found = _minor(unit_rows(C), min(C.shape), ROUNDING)
    if len(found[0]) == min(C.shape):
        return found
    return max(found, _minor(balanced(C), min(C.shape), ROUNDING), key=lambda minor: len(minor[0]))


def _minor(rest: Array, rank: int, smallest: float) -> tuple[list[int], list[int]]:
    rows: list[int] = []
    columns: list[int] = []
    for _ in range(rank):
        size = np.abs(rest)
        size[rows, :], size[:, columns] = -1.0, -1.0
        if not size.max() > smallest:
            break
        i, j = divmod(first_largest(size.ravel()), size.shape[1])
        rows.append(i)
        columns.append(j)
        rest = rest - np.outer(rest[:, j], rest[i, :]) / rest[i, j]
    return sorted(rows), sorted(columns)


# --- solutions ----------------------------------------------------------------------------------------


def times(A: Array, x: Array) -> Array:
    """A x, its terms added from left to right: each column of x has the bits that it would have alone."""
    terms = A.T[:, :, None] * (x if x.ndim == 2 else x[:, None])[:, None, :]
    total = np.zeros(terms.shape[1:])
    for term in terms:
        total += term
    return total if x.ndim == 2 else total[:, 0]


def pseudo_inverse(matrix: Array, rcond: float = SOLVED, rank: int | None = None) -> Array:
    """A⁺; singular values up to `rcond` of the largest count as zero, or those beyond the rank if given."""
    if not matrix.size or not np.isfinite(matrix).all():
        return np.full(matrix.shape[::-1], np.nan)
    U, s, Vt = np.linalg.svd(matrix, full_matrices=False)
    count = min(np.count_nonzero(s > rcond * s[0]) if rank is None else rank, np.count_nonzero(s))
    return np.asarray(Vt[:count].T / s[:count] @ U[:, :count].T)


def least_squares(matrix: Array, right: Array, rcond: float = SOLVED, rank: int | None = None) -> Array:
    """The shortest x for which |matrix·x − right| is least; directions below `rcond` are left alone, or those
    beyond the rank, where it is known.
    """
    return times(pseudo_inverse(matrix, rcond, rank), right)


def shortest_move(jacobian: Array, missed: Array) -> Array:
    """The shortest x with jacobian·x = missed; what an equation is multiplied with does not matter.

    >>> shortest_move(np.array([[1e-20, 0.0], [0.0, 1.0]]), np.array([3e-20, 1.0]))
    array([3., 1.])
    """
    size = np.abs(jacobian).max(axis=1, initial=0.0)
    return least_squares(unit_rows(jacobian), missed / np.where(size > 0, size, 1.0))


def kernel(matrix: Array, rcond: float = SOLVED, rank: int | None = None) -> Array:
    """An orthonormal basis of {x : matrix·x = 0}, as columns; the rank is found unless it is known.

    It is orthogonal to the longest rows: small changes of the matrix change it little.
    """
    order, lengths = _longest_columns(np.asarray(matrix, dtype=float).T)
    if rank is None:
        rank = int(np.count_nonzero(lengths > rcond * lengths[:1]))
    return np.linalg.qr(matrix[order[:rank]].T, mode="complete")[0][:, rank:]


def solve(matrix: Array, right: Array) -> Array:
    """matrix⁻¹·right for a square matrix, or a :class:`SingularMatrixError`."""
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=float)
    except np.linalg.LinAlgError:
        raise SingularMatrixError("the matrix has no inverse") from None


def inverse(matrix: Array) -> Array:
    """The inverse of a square matrix."""
    return solve(matrix, np.eye(len(matrix)))


def solve_stack(A: Array, b: Array) -> tuple[Array, Array]:
    """Least squares solutions x (K, n) of A x = b, shapes (K, m, n) and (K, m) with m ≥ n; and 1/(|A|·|R⁻¹|).

    The second, in Frobenius norms, is at most σ_min/σ_max; where it is no positive number, x is none. A = QR
    by Gram and Schmidt, with the right side as one more column and the identity below (Björck, *BIT* 7,
    1967): what the columns lose above, they gain below, where R⁻¹ and −x are left.

    >>> A = np.array([[[2.0, 0.0], [0.0, 4.0]], [[1.0, 1.0], [1.0, 1.0]]])
    >>> x, evenness = solve_stack(A, np.ones((2, 2)))
    >>> x[0], bool(evenness[0] > 0.3), bool(evenness[1] > 1e-15)
    (array([0.5 , 0.25]), True, False)
    """
    count, m, n = A.shape
    work = np.zeros((m + n, n + 1, count))  # the stack is the last axis, along which NumPy is fast
    work[:m, :n], work[:m, n] = A.transpose(1, 2, 0), b.T
    work[m:, :n] = np.eye(n)[:, :, None]
    size = np.linalg.norm(work[:m, :n], axis=(0, 1))
    with np.errstate(all="ignore"):
        for i in range(n):
            work[:, i] /= np.sqrt((work[:m, i] ** 2).sum(axis=0))
            parts = (work[:m, i, None] * work[:m, i + 1 :]).sum(axis=0)
            work[:, i + 1 :] -= work[:, i, None] * parts
        return -work[m:, n].T, 1.0 / (size * np.linalg.norm(work[m:, :n], axis=(0, 1)))


def shortest_stack(A: Array, b: Array, rank: int) -> Array:
    """The shortest x (K, n) with A x = b for a stack of matrices (K, m, n) of one rank.

    >>> shortest_stack(np.array([[[1.0, 2.0], [2.0, 4.0]]]), np.array([[5.0, 10.0]]), 1).round(12)
    array([[1., 2.]])
    """
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    parts = (b[:, None] @ U)[:, :, :rank] / s[:, None, :rank]
    return np.asarray((parts @ Vt[:, :rank])[:, 0])
