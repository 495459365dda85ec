"""Linear algebra with many digits: one elimination, one decomposition, and what counts as zero in each.

Matrices are those of mpmath, or rows of its numbers; `mp` is a context, whose digits d are those in which the
entries are known. What counts as zero:

- a pivot below 10^(−2d/3), of a matrix whose rows and columns are scaled to size 1 (:func:`solve`), or of the
  terms that it is the sum of (:func:`solve_carefully`);
- a singular value below 10^(−d/2) of the largest (:func:`half`): vectors of a kernel lose half of the digits.

The oracle of ``ch.compare`` has its own arithmetic and takes nothing from here.

>>> from mpmath import mp
>>> [float(x) for x in solve(mp, mp.matrix([[1, 1], [0, 2]]), mp.matrix([3, 2]))]
[2.0, 1.0]
>>> singular_kernel(mp, mp.matrix([[1, 1], [2, 2]]), 2, half(mp))[0]
1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chetaev.numeric.linear import SingularMatrixError


class PivotedRows:
    """Rows [A | b], from which pivots are taken one after the other."""

    def __init__(self, rows: Sequence[Sequence[Any]], width: int) -> None:
        self.width = width
        self.work = [list(row) for row in rows]  # as they are now
        self.terms = [[abs(x) for x in row] for row in rows]  # sizes of what each entry is the sum of
        self.rows, self.columns = list(range(len(self.work))), list(range(width))  # those without a pivot
        self.pivots: list[tuple[int, int]] = []  # their places (row, column), in order

    def take(self, p: int, q: int) -> None:
        """Take this pivot: its column becomes zero in all rows without one."""
        self.rows.remove(p)
        self.columns.remove(q)
        self.pivots.append((p, q))
        pivot_row, sizes = self.work[p], self.terms[p]
        for i in self.rows:
            row, terms = self.work[i], self.terms[i]
            if row[q]:
                factor = row[q] / pivot_row[q]
                size = abs(factor)
                for j in (*self.columns, *range(self.width, len(row))):
                    if pivot_row[j]:
                        row[j] -= factor * pivot_row[j]
                    terms[j] = max(terms[j], size * sizes[j])

    def all_pivots(self, limit: Any, *, relative: bool) -> None:
        """Take the largest pivots, each against its row, until every column has one.

        Pivots up to `limit`, or up to `limit` times their terms if `relative`, count as zero.
        """
        while self.columns:
            best, place = 0, None
            for i in self.rows:
                row, terms = self.work[i], self.terms[i]
                size = max(abs(row[j]) for j in self.columns)
                for j in self.columns:
                    found = abs(row[j])
                    if found > (limit * terms[j] if relative else limit) and found > best * size:
                        best, place = found / size, (i, j)
            if place is None:
                raise SingularMatrixError("the matrix is singular")
            self.take(*place)

    def solution(self) -> list[Any]:
        """x with A x = b, where every column has a pivot; rows without one are not asked."""
        x: list[Any] = [0] * self.width
        known: list[int] = []
        for p, q in reversed(self.pivots):
            row = self.work[p]
            x[q] = (row[self.width] - sum(row[j] * x[j] for j in known)) / row[q]
            known.append(q)
        return x


def independent_rows(rows: Sequence[Sequence[Any]], tiny: Any) -> tuple[list[int], dict[int, Any]]:
    """Which rows [C | c] do not depend on earlier ones, and what the others leave of c; 0 below `tiny`.

    >>> independent_rows([[1, 1, 2], [2, 2, 4], [0, 1, 0]], 1e-9)
    ([0, 2], {1: 0})
    """
    n = len(rows[0]) - 1 if rows else 0
    found = PivotedRows(rows, n)
    rest: dict[int, Any] = {}
    for i, given in enumerate(rows):
        row, size = found.work[i], max(abs(x) for x in given[:n])
        column = max(found.columns, key=lambda j: abs(row[j]), default=None)
        if size and column is not None and abs(row[column]) > tiny * size:
            found.take(i, column)
        else:
            rest[i] = row[n] if abs(row[n]) > tiny * max(found.terms[i][n], size) else 0
            found.rows.remove(i)
    return [i for i, _ in found.pivots], rest


def solve(mp: Any, A: Any, b: Any) -> Any:
    """The solution of a square system, or of an overdetermined one by least squares, scaled before."""
    if A.cols == 0:
        return mp.matrix(0, 1)
    rows, right, columns = _scaled(mp, A.tolist(), list(b))
    if A.rows != A.cols:
        A, b = mp.matrix(rows), mp.matrix(right)
        rows, right = (A.T * A).tolist(), list(A.T * b)
    found = PivotedRows([[*row, y] for row, y in zip(rows, right, strict=True)], A.cols)
    found.all_pivots(_lost(mp), relative=False)
    return mp.matrix([x * c for x, c in zip(found.solution(), columns, strict=True)])


def solve_carefully(mp: Any, A: Any, b: Any) -> Any:
    """The solution of a system whose entries differ by many orders of magnitude; it may have more rows.

    An entry left by elimination counts as zero where it is a rounding error of the terms it came from, so
    that scaling rows or columns changes nothing.
    """
    found = PivotedRows([[*row, y] for row, y in zip(A.tolist(), list(b), strict=True)], A.cols)
    found.all_pivots(_lost(mp), relative=True)
    return mp.matrix(found.solution())


def least_norm(mp: Any, C: Any, c: Any) -> Any:
    """The shortest x with C x = c, Cᵀ(C Cᵀ)⁻¹ c, for independent rows."""
    square = (C * C.T).tolist()
    found = PivotedRows([[*row, y] for row, y in zip(square, list(c), strict=True)], len(square))
    found.all_pivots(0, relative=False)
    return C.T * mp.matrix(found.solution())


def outside(mp: Any, rows: Any, vector: Any) -> Any:
    """The part of a vector that is orthogonal to independent rows."""
    return vector - least_norm(mp, rows, rows * vector)


def half(mp: Any) -> Any:
    """10^(−d/2)."""
    return mp.mpf(10) ** (-(mp.dps // 2))


def singular_kernel(mp: Any, A: Any, columns: int, tolerance: Any) -> tuple[int, Any, Any]:
    """Rank, orthonormal kernel and orthonormal left kernel of a matrix, by singular values."""
    rows = A.rows
    if rows == 0 or columns == 0:
        return 0, mp.eye(columns), mp.eye(rows)
    size = max(rows, columns)
    square = mp.zeros(size, size)
    for i in range(rows):
        for j in range(columns):
            square[i, j] = A[i, j]
    U, singular, V = mp.svd_r(square)
    rank = sum(1 for x in singular if x > tolerance * max(1, singular[0]))
    kernel = [V[i, :].T[:columns, :] for i in range(rank, size)]
    left = [U[:rows, i] for i in range(rank, size)]
    return rank, _columns(mp, kernel, columns, columns - rank), _columns(mp, left, rows, rows - rank)


def pseudo_inverse(mp: Any, A: Any, limit: Any = None) -> Any:
    """A⁺ by singular values; those up to the limit, or up to 10^(−d/2) of the largest, count as zero."""
    if A.rows < A.cols:
        return pseudo_inverse(mp, A.T, limit).T
    U, S, V = mp.svd_r(A)
    limit = S[0] * half(mp) if limit is None else limit
    inverse = mp.diag([1 / x if x > limit else mp.zero for x in S])
    return V.T * inverse * U.T


def _lost(mp: Any) -> Any:
    """Below this a pivot may be rounding error."""
    return mp.mpf(10) ** (-2 * mp.dps // 3)


def _scaled(mp: Any, A: list[list[Any]], b: list[Any]) -> tuple[list[list[Any]], list[Any], list[Any]]:
    """The system with columns and rows divided by powers of two near their largest entries."""
    columns = [_unit(mp, column) for column in zip(*A, strict=True)]
    A = [[x * c for x, c in zip(row, columns, strict=True)] for row in A]
    sizes = [_unit(mp, row) for row in A]
    rows = [[x * s for x in row] for row, s in zip(A, sizes, strict=True)]
    return rows, [y * s for y, s in zip(b, sizes, strict=True)], columns


def _unit(mp: Any, entries: Sequence[Any]) -> Any:
    largest = max(map(abs, entries))
    return mp.ldexp(1, -mp.mag(largest)) if largest else mp.one


def _columns(mp: Any, vectors: list[Any], rows: int, count: int) -> Any:
    """An orthonormal basis of the span; padding to a square matrix has left superfluous vectors, dropped."""
    basis: list[Any] = []
    for v in sorted(vectors, key=mp.norm, reverse=True):
        for u in basis:
            v = v - u * (u.T * v)[0]
        if len(basis) < count:
            basis.append(v / mp.norm(v))
    matrix = mp.zeros(rows, count)
    for j, v in enumerate(basis):
        matrix[:, j] = v
    return matrix
