r"""Brackets of X, Y_1, …, Y_m with their names and degrees: which span, at generic points and at one point.

Right-normed brackets [Z_1, [Z_2, … [Z_{k−1}, Z_k]]] of a given multidegree span all brackets of that
multidegree, so no others are formed. At generic points a bracket that depends on earlier ones over the
functions adds nothing, nor do its own brackets; at one point it may, so there all are kept, and the search
ends with a counted number of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chetaev.analysis.control.control_affine import ControlAffine
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon
from chetaev.expr.graph.node import Expr
from chetaev.geometry import Chart, VectorField
from chetaev.geometry.chart.ranks_seen import SeenRank
from chetaev.geometry.chart.zeros import Zeros

Name = tuple[str, int]
LONGEST = 12
"""Brackets of so many fields at most."""
MOST = 400
"""So many brackets are formed at one point."""


@dataclass(frozen=True)
class NamedBracket:
    """A bracket: how it is written, how often each field occurs in it, and what it is."""

    name: str
    degrees: tuple[int, ...]
    field: VectorField

    @property
    def length(self) -> int:
        """How many fields occur in it."""
        return sum(self.degrees)

    def of(self, other: NamedBracket) -> NamedBracket:
        """[self, other]."""
        degrees = tuple(a + b for a, b in zip(self.degrees, other.degrees, strict=True))
        return NamedBracket(f"[{self.name}, {other.name}]", degrees, self.field.bracket(other.field))


def generators(control: ControlAffine) -> list[NamedBracket]:
    """X with the degree (1, 0, …), then Y_a; X even where it is zero, as its own place in the degrees."""
    count = len(control.inputs) + 1
    found = [NamedBracket("X", (1, *(0,) * (count - 1)), control.drift)]
    for a, Y in enumerate(control.inputs):
        degrees = tuple(int(i == a + 1) for i in range(count))
        found.append(NamedBracket(f"Y{a + 1}", degrees, Y))
    return found


def spanning(control: ControlAffine, zeros: Zeros, full: int) -> list[NamedBracket]:
    """Brackets that are independent at generic points, as many as are seen; each is proved independent."""
    seen = SeenRank(zeros)
    first = [g for g in generators(control) if not g.field.is_zero]
    kept = [g for g in first if seen.add(g.field.components)]
    newest = list(kept)
    while newest and seen.rank < full and newest[0].length < LONGEST:
        found = []
        for Z in first:
            for B in newest:
                if seen.rank == full or (B.length == 1 and Z.name >= B.name):
                    continue
                made = Z.of(B)
                if seen.add(made.field.components):
                    found.append(made)
        kept += found
        newest = found
    return kept


def every(control: ControlAffine, longest: int, most: int = MOST) -> Iterator[list[NamedBracket]]:
    """All right-normed brackets that are not zero, by length; ends where there are more than `most`."""
    first = [g for g in generators(control) if not g.field.is_zero]
    newest, count = first, len(first)
    while newest:
        yield newest
        if newest[0].length >= longest:
            return
        pairs = [(Z, B) for Z in first for B in newest if B.length > 1 or Z.name < B.name]
        if count + len(pairs) > most:
            return  # a length is formed as a whole or not at all
        newest = [B for B in (Z.of(B) for Z, B in pairs) if not B.field.is_zero]
        count += len(newest)


class PointValues:
    """Fields at one point as exact numbers, and their span."""

    def __init__(self, chart: Chart, values: Mapping[Name, Expr]) -> None:
        self.field = Field()
        self.point = {s: self.field(values[s]) for s in chart.symbols}
        self._zeros = Zeros(Chart([], self.field))
        self.width = chart.dimension

    @property
    def certain(self) -> bool:
        """Whether everything that counted as zero so far is proved to be zero."""
        return self._zeros.proved

    def at(self, X: VectorField) -> list[Element]:
        """The components at the point; a ZeroDivisionError where the field is not defined."""
        return [self.of(a) for a in X.components]

    def of(self, a: Element) -> Element:
        """One function at the point."""
        return self.field(a.to_expr()).subs(self.point)

    def span(self, rows: Sequence[Sequence[Element]] = ()) -> GrowingEchelon:
        """A span of rows of numbers."""
        made = GrowingEchelon(self.width, self._zeros)
        for row in rows:
            made.add(row)
        return made
