"""The rank of a matrix of doubles: how many singular values exceed a part of the largest.

Which part, :mod:`chetaev.numeric.thresholds` says.

>>> numerical_rank(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-12]]))
1
>>> is_regular(np.diag([1.0, 1e-30]))
True
"""

from __future__ import annotations

import math
from operator import mul

import numpy as np

from chetaev.numeric.products import Array, column_sums, contract, norm, product, unit_for
from chetaev.numeric.scaling import balanced
from chetaev.numeric.singular import singular_values
from chetaev.numeric.thresholds import ROUNDING

FEW = 64
"""Matrices with no more entries are factored without NumPy."""


def numerical_rank(matrix: Array, tolerance: float = ROUNDING, least: float = 0.0) -> int:
    """How many singular values exceed `tolerance` times the largest, or times `least` if that is larger."""
    if not matrix.size:
        return 0
    if _plainly_full(matrix, tolerance, least):
        return int(min(matrix.shape))
    values = singular_values(matrix)
    return int(np.count_nonzero(values > tolerance * max(least, float(values[0]))))


def _plainly_full(matrix: Array, tolerance: float, least: float) -> bool:
    """Whether σ_min ≥ 1/|R⁻¹| > tolerance·|R| ≥ tolerance·σ_max, Frobenius norms: most ranks are full."""
    rows = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    sizes = _sizes_of_few(rows.tolist()) if matrix.size <= FEW else _sizes(rows.T)
    return sizes is not None and 2 * tolerance * max(least, sizes[0]) * sizes[1] < 1


def _sizes(columns: Array) -> tuple[float, float] | None:
    """|R| and |R⁻¹| for columns = QR by Gram and Schmidt, whose steps make R⁻¹ of the identity below."""
    rows, count = columns.shape
    unit = unit_for(float(np.abs(columns).max()))
    work = np.concatenate([columns * unit, np.eye(count)])
    size = norm(columns)
    for i in range(count):
        square = float(column_sums(work[:rows, i : i + 1] ** 2)[0])
        if not 0.0 < square < math.inf:
            return None
        work[:, i] /= math.sqrt(square)
        parts = column_sums(work[:rows, i + 1 :] * work[:rows, i : i + 1])
        work[:, i + 1 :] -= work[:, i : i + 1] * parts
    return size, norm(work[rows:]) * unit


def _sizes_of_few(rows: list[list[float]]) -> tuple[float, float] | None:
    """The same for few numbers, columns given as rows: NumPy's calls would cost more than the arithmetic."""
    unit = unit_for(max(abs(x) for row in rows for x in row))
    basis: list[list[float]] = []
    inverse: list[list[float]] = []
    total = inverted = 0.0
    for given in rows:
        row, found = [x * unit for x in given], [0.0] * len(basis)
        for direction, known in zip(basis, inverse, strict=True):
            part = sum(map(mul, row, direction))
            row = [x - part * y for x, y in zip(row, direction, strict=True)]
            total += part * part
            for i, x in enumerate(known):
                found[i] -= part * x
        square = sum(map(mul, row, row))
        if not 0.0 < square < math.inf:
            return None
        length = math.sqrt(square)
        basis.append([x / length for x in row])
        inverse.append([x / length for x in (*found, 1.0)])
        total += square
        inverted += sum(map(mul, inverse[-1], inverse[-1]))
    return math.sqrt(total) / unit, math.sqrt(inverted) * unit


def is_regular(matrix: Array) -> bool:
    """Whether a square matrix is invertible well beyond rounding error, as it is or balanced."""
    return len(matrix) in (numerical_rank(matrix), numerical_rank(balanced(matrix)))


def restricted_rank(M: Array, W: Array) -> int:
    """The rank of WᵀMW, entries in units of the terms that cancel in them: M need not be definite.

    >>> restricted_rank(np.diag([1.0, -1.0, 1e-20]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    1
    """
    largest = np.maximum(np.abs(M).max(axis=1, initial=0.0), 1e-300)
    size = np.sqrt(np.maximum(contract("ij,i->j", W * W, largest), 1e-300))
    return numerical_rank(product(W.T, product(M, W)) / np.outer(size, size), least=1.0)
