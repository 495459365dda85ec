"""Choice of pivots: which rows and columns of a matrix are independent, the largest first.

Of what is as good as equal (:func:`~chetaev.numeric.linear.first_largest`) the first is taken, so that the
choice is the same on every processor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chetaev.numeric.linear import Triangle, determinant, first_largest
from chetaev.numeric.products import Array, norm, product
from chetaev.numeric.scaling import balanced, unit_rows
from chetaev.numeric.thresholds import CLEAR, ROUNDING


def largest_minor(matrix: Array, choices: Sequence[Sequence[int]]) -> int:
    """Which of the choices of columns has the largest |determinant|; of equal ones the first.

    >>> largest_minor(np.array([[1.0, -3.0, 3.0]]), [(0,), (1,), (2,)])
    1
    """
    return first_largest(np.array([abs(determinant(matrix[:, list(D)])) for D in choices]))


def pivot_columns(matrix: Array, count: int, smallest: float = 0.0) -> list[int]:
    """So many independent columns, each the longest beside those before it; fewer if they are not there.

    `smallest` is what a remaining length must exceed.
    """
    factors = Triangle(matrix)
    sizes = np.abs(np.diagonal(factors.R))[:count]
    return factors.order[: int(np.count_nonzero(np.minimum.accumulate(sizes) > smallest))]


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
            rest -= product(product(basis, rest), basis)
        length = norm(rest)
        if length > tolerance:
            chosen.append(i)
            basis = np.vstack([basis, rest / length])
        if len(chosen) == matrix.shape[1]:
            break
    return chosen


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
