"""Rows of functions taken in one after the other: a reduced echelon form that grows.

There are two exact eliminations. :mod:`chetaev.expr.exact.linear.matrix` has the whole matrix before it: it
clears denominators, takes the simplest pivot anywhere and divides by common divisors, for which entries must
be zero as functions or not at all. Here rows come one at a time (brackets of a flag, rows of a kernel), each
is judged at once to be independent or not, and an entry is zero where a test says so, for example on a
submanifold {f = 0}: there polynomials have no common divisors that could be taken out, so rows are divided by
their pivots. Both take a number for a pivot before a function, and a short function before a long one.

The number of pivots is the generic rank: the rank over the field of functions, proved by the elimination
itself, and attained on an open dense set.

>>> from chetaev.geometry import Chart
>>> from chetaev.geometry.chart.zeros import Zeros
>>> chart = Chart(["x", "y"])
>>> x, y = chart.coordinates
>>> echelon = GrowingEchelon(2, Zeros(chart))
>>> echelon.add([x, x * y]), echelon.add([y, y**2])
(True, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field

Row = list[Element]


class ZeroTest(Protocol):
    """What decides whether an entry is zero."""

    field: Field

    def __call__(self, element: Element) -> bool:
        """Whether it is zero."""

    def reduced(self, element: Element) -> Element:
        """An element with the same values, perhaps shorter."""


class GrowingEchelon:
    """Rows in reduced echelon form: each has a pivot 1, the other rows have 0 there.

    `width`: the number of columns; `zeros`: what decides whether an entry is zero; `columns`: columns in
    which pivots may stand, all by default.
    """

    def __init__(self, width: int, zeros: ZeroTest, columns: Sequence[int] | None = None) -> None:
        self.width = width
        self.zeros = zeros
        self.columns = tuple(range(width)) if columns is None else tuple(columns)
        self.rows: list[Row] = []
        self.pivots: list[int] = []

    @property
    def rank(self) -> int:
        """The number of independent rows."""
        return len(self.rows)

    def reduce(self, row: Sequence[Element]) -> Row:
        """The row minus its part in the span."""
        result = list(row)
        for pivot, known in zip(self.pivots, self.rows, strict=True):
            result = _without(result, known, pivot)
        return [zero_or(self.zeros, a) for a in result]

    def add(self, row: Sequence[Element]) -> bool:
        """Take a row in; whether it was independent of those before."""
        rest = self.reduce(row)
        candidates = [j for j in self.columns if not rest[j].is_blank]
        if not candidates:
            return False
        pivot = min(candidates, key=lambda j: (not rest[j].is_number, rest[j].terms, j))
        divisor = rest[pivot]
        new = rest if divisor == 1 else [a if a.is_blank else a / divisor for a in rest]
        new[pivot] = divisor.field.one
        for i, old in enumerate(self.rows):
            if not old[pivot].is_blank:
                self.rows[i] = [zero_or(self.zeros, a) for a in _without(old, new, pivot)]
        self.rows.append(new)
        self.pivots.append(pivot)
        return True

    def contains(self, row: Sequence[Element]) -> bool:
        """Whether a row lies in the span."""
        return all(a.is_zero for a in self.reduce(row))

    def copy(self) -> GrowingEchelon:
        """An independent copy."""
        other = GrowingEchelon(self.width, self.zeros, self.columns)
        other.rows = [list(r) for r in self.rows]
        other.pivots = list(self.pivots)
        return other

    def kernel(self) -> list[Row]:
        """A basis of {v : row·v = 0 for all rows}, one vector for each column without a pivot."""
        field = self.zeros.field
        basis: list[Row] = []
        for j in range(self.width):
            if j in self.pivots:
                continue
            vector = [field.zero] * self.width
            vector[j] = field.one
            for pivot, row in zip(self.pivots, self.rows, strict=True):
                vector[pivot] = -row[j]
            basis.append(vector)
        return basis


def zero_or(zeros: ZeroTest, element: Element) -> Element:
    """The element, shortened where the test does so, or 0 if it is zero."""
    if element.is_zero or element.is_number:
        return element
    return element.field.zero if zeros(element) else zeros.reduced(element)


def _without(row: Row, known: Row, pivot: int) -> Row:
    """The row minus the multiple of a row with pivot 1 that makes it zero there."""
    factor = row[pivot]
    if factor.is_blank:
        return row
    result = [a if b.is_blank else a - factor * b for a, b in zip(row, known, strict=True)]
    result[pivot] = factor.field.zero
    return result
