"""Ranks seen at points: rows of functions evaluated in ball arithmetic and eliminated.

A pivot is a ball that excludes 0, so the rank seen at a point is a proved lower bound of the generic rank;
it is the generic rank itself unless every point drawn is special. No function is multiplied or divided:
rows too long for exact elimination still have a rank.

>>> from chetaev.geometry import Chart
>>> from chetaev.geometry.chart.zeros import Zeros
>>> chart = Chart(["x", "y"])
>>> x, y = chart.coordinates
>>> seen = SeenRank(Zeros(chart))
>>> seen.add([x, x * y]), seen.add([y, y**2]), seen.rank
(True, False, 1)

At one point the rank is exact: the point's values are put into the functions in a field of constants of its
own, where sin(1) or √2 are numbers in normal form like any other.

>>> from chetaev.geometry import Chart
>>> chart = Chart(["x", "y"])
>>> x, y = chart.coordinates
>>> rank_at([[x, y], [y, x]], {"x": 1, "y": 1}), rank_at([[x, y], [y, x]], {"x": 1, "y": 2})
(1, 2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from flint import arb, ctx

from chetaev.errors import NonexistentError
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.field.field import parse_name
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon
from chetaev.expr.graph.node import Expr
from chetaev.geometry.chart.chart import Chart
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.chart.zeros import BITS, Zeros

SIGHTS = 2
"""At how many points rows are looked at."""

BallRow = list[arb]


class SeenRank:
    """Rows taken in one after the other; the largest rank seen at a point."""

    def __init__(self, zeros: Zeros) -> None:
        self.zeros = zeros
        self.points = zeros.points[:SIGHTS]
        self._rows: list[list[tuple[int, BallRow]]] = [[] for _ in self.points]

    @property
    def rank(self) -> int:
        """The largest rank seen."""
        return max(len(rows) for rows in self._rows)

    @property
    def pivots(self) -> list[int]:
        """Columns in which the rows taken in are independent."""
        return [pivot for pivot, _ in max(self._rows, key=len)]

    def copy(self) -> SeenRank:
        """An independent copy."""
        other = SeenRank(self.zeros)
        other._rows = [list(rows) for rows in self._rows]
        return other

    def add(self, row: Sequence[Element]) -> bool:
        """Take a row in; whether the rank seen grew, which proves that the row is independent."""
        before = self.rank
        if all(a.is_blank for a in row):
            return False
        nothing = arb(0)
        with ctx.workprec(BITS):
            for point, rows in zip(self.points, self._rows, strict=True):
                values = [nothing if a.is_blank else self.zeros.value(a, point) for a in row]
                if any(v is None for v in values):
                    continue
                take_in(rows, [v for v in values if v is not None])
        return self.rank > before


def take_in(rows: list[tuple[int, BallRow]], rest: BallRow) -> bool:
    """Add a row of balls to rows with their pivots, if it is seen to be independent of them."""
    for pivot, known in rows:
        factor = rest[pivot]
        if not factor.is_zero():
            rest = [a - factor * b for a, b in zip(rest, known, strict=True)]
            rest[pivot] = arb(0)
    choices = [j for j, v in enumerate(rest) if not v.contains(0)]
    if choices:
        best = max(choices, key=lambda j: float(abs(rest[j]).log()))
        rows.append((best, [v / rest[best] for v in rest]))
    return bool(choices)


def seen_rank(rows: Sequence[Sequence[Element]], zeros: Zeros) -> int:
    """The rank of rows as seen at points: a proved lower bound."""
    seen = SeenRank(zeros)
    for row in rows:
        seen.add(row)
    return seen.rank


def rank_at(rows: Sequence[Sequence[Element]], point: Mapping[Any, Any]) -> int:
    """The exact rank of a matrix of functions at a point."""
    field = Field()
    chart = Chart([], field)
    values = {}
    for key, value in point.items():
        symbol = parse_name(key) if isinstance(key, str) else key
        if isinstance(value, float):
            if not isfinite(value):
                raise GeometryError(f"the point has the value {value} for {symbol[0] + chr(39) * symbol[1]}")
            value = Fraction(value)
        values[symbol] = field(value) if isinstance(value, (int, Fraction, Expr)) else chart(value)
    result = GrowingEchelon(len(rows[0]) if rows else 0, Zeros(chart))
    for row in rows:
        numbers = []
        for a in row:
            missing = sorted(a.symbols - set(values))
            if missing:
                name = missing[0][0] + "'" * missing[0][1]
                raise GeometryError(f"the point has no value for {name}")
            try:
                numbers.append(field(a.to_expr()).subs(values))
            except NonexistentError as error:
                raise GeometryError(f"{a} is not defined at the point") from error
        result.add(numbers)
    return result.rank
