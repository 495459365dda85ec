"""Determinants of functions: numeric pivots first, then sums of products, each minor computed once.

>>> from chetaev.expr.exact import Field
>>> x, y = Field().symbols("x y")
>>> str(determinant([[x, y], [y, x]]))
'(x - y)*(x + y)'
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from chetaev.expr.exact.effort.budget import BudgetError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field

Vector = Sequence[Element]
Rows = Sequence[Sequence[Element]]
MAX_MINORS = 20_000


def field_of(rows: Rows) -> Field:
    """The field of the entries of a matrix."""
    for row in rows:
        for a in row:
            return a.field
    raise ValueError("a matrix without entries")


def determinant(rows: Rows) -> Element:
    """The determinant: numeric pivots first, then minors, each computed once."""
    field = field_of(rows)
    matrix = [list(row) for row in rows]
    result = field.one
    while matrix:
        places = ((i, j) for i, row in enumerate(matrix) for j, a in enumerate(row) if a.as_fraction())
        pivot = next(places, None)
        if pivot is None:
            return result * _minors(field, matrix)
        i, j = pivot
        p = matrix[i][j].as_fraction() or Fraction(1)
        result = result * (p if (i + j) % 2 == 0 else -p)
        row = matrix.pop(i)
        matrix = [
            [a - r[j] * row[k] * (1 / p) if not (r[j].is_blank or row[k].is_blank) else a
             for k, a in enumerate(r) if k != j]
            for r in matrix
        ]  # fmt: skip
    return result


def _minors(field: Field, matrix: list[list[Element]]) -> Element:
    """Expansion row by row; `level` maps a set of used columns to the sum of signed products."""
    order = sorted(range(len(matrix)), key=lambda i: sum(not a.is_blank for a in matrix[i]))
    parity = sum(order[a] > order[b] for a in range(len(order)) for b in range(a + 1, len(order)))
    level: dict[int, Element] = {0: field.one}
    for row in (matrix[i] for i in order):
        following: dict[int, Element] = {}
        for used, value in level.items():
            for j, a in enumerate(row):
                if used >> j & 1 or a.is_blank:
                    continue
                swaps = bin(used >> (j + 1)).count("1")
                term = value * a if swaps % 2 == 0 else -(value * a)
                key = used | 1 << j
                following[key] = following[key] + term if key in following else term
        level = {k: v for k, v in following.items() if not v.is_blank}
        if len(level) > MAX_MINORS:
            raise BudgetError("a determinant with too many minors")
        if not level:
            return field.zero
    (value,) = level.values()
    return value if parity % 2 == 0 else -value
