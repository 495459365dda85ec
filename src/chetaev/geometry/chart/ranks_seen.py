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
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, ctx

from chetaev.expr.exact import Element
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
