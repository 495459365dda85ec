"""Flags of a distribution and their growth vectors.

    small:    D¹ = D,  D^{k+1} = D^k + [D, D^k]              (the filtration that measures control)
    derived:  D⁽⁰⁾ = D,  D⁽ᵏ⁺¹⁾ = D⁽ᵏ⁾ + [D⁽ᵏ⁾, D⁽ᵏ⁾]   (the one whose end is the smallest involutive hull)

Both end in the same involutive distribution; its corank is the number of independent integrals of D. Neither
depends on the basis, so every member is kept in reduced echelon form: the brackets stay short. Where that
form is too long, brackets of the given fields are looked at in points: growth is proved, its end is tested;
where even these are too long, Taylor polynomials at a point give the ranks.

SCOPE D2, L2, B9; issue "which kind of constraint do I have?".

>>> from chetaev.geometry import Chart, Distribution, VectorField
>>> chart = Chart(["x", "y", "z", "w"])
>>> engel = Distribution.spanned_by([chart.partial("w"), VectorField(chart, [1, "z", "w", 0])])
>>> engel.small_flag.ranks, engel.derived_flag.ranks, engel.small_flag.integrals
((2, 3, 4), (2, 3, 4), 0)

Is D involutive? With the bracket that leaves D as evidence if it is not; and the Cauchy characteristics.

In reduced echelon form the answer is proved; where that form is too long, points prove every "no", and a
"yes" is marked as tested.

>>> from chetaev.geometry import Chart, Distribution
>>> chart = Chart(["x", "y", "z"])
>>> print(Distribution.annihilated_by([chart.d("x")]).involutivity)
involutive: the brackets of all fields in it lie in it
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from chetaev.expr.exact import Element, GivenUp
from chetaev.expr.exact.linear.matrix import cleared, dot
from chetaev.geometry.calculus.vector_field import Slopes, VectorField
from chetaev.geometry.chart.function_matrix import kernel, modestly
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.chart.ranks_seen import SeenRank
from chetaev.geometry.distribution.taylor_growth import growth_at_a_point, pairs_to_bracket

if TYPE_CHECKING:
    from chetaev.geometry.distribution.distribution import Distribution


@dataclass(frozen=True)
class Flag:
    """An increasing sequence of distributions, until it stops growing.

    Attributes
    ----------
    members
        The distributions; only the first if the others are too long to be written down.
    ranks
        The growth vector.
    proved
        Whether all ranks are proved; if not, some bracket was found dependent at points only.
    """

    members: tuple[Distribution, ...]
    ranks: tuple[int, ...]
    proved: bool = True

    @property
    def last(self) -> Distribution:
        """The involutive distribution at which the flag ends."""
        if len(self.members) < len(self.ranks):
            raise GeometryError(
                "the flag's brackets are too long to be written down; only its ranks are known"
            )
        return self.members[-1]

    @property
    def integrals(self) -> int:
        """The number of independent functions that are constant along D."""
        return self.members[0].dimension - self.ranks[-1]

    @property
    def degree(self) -> int:
        """How many steps it takes."""
        return len(self.ranks)


def flag(distribution: Distribution, small: bool) -> Flag:
    """The small (weak derived) flag, or the derived flag."""
    for way in (_exact, _seen):
        found = modestly(distribution.chart.field, way, distribution, small)
        if not isinstance(found, GivenUp):
            return found
    return Flag((distribution,), growth_at_a_point(distribution, small), proved=False)


def _exact(distribution: Distribution, small: bool) -> Flag:
    """Every member in reduced echelon form, every dependence proved."""
    from chetaev.geometry.distribution.distribution import Distribution

    members = [distribution]
    generators = distribution.fields
    brackets = _Brackets()
    before = 0
    while members[-1]._echelon.rank < distribution.dimension:
        now = members[-1]
        rows = now._echelon.copy()
        # rows are only ever changed by multiples of newer ones, so brackets of older ones lie in D^k already
        pairs = pairs_to_bracket(generators, now.fields[:before], now.fields[before:], small)
        before = now._echelon.rank
        for X, Z in pairs:
            if rows.rank == distribution.dimension:
                break
            rows.add(brackets(X, Z))
        if rows.rank == now._echelon.rank:
            break
        following = Distribution.of_rows(distribution.chart, rows.rows, distribution.zeros)
        following.__dict__["_echelon"] = rows
        following.__dict__["rank"] = rows.rank
        members.append(following)
    return Flag(tuple(members), tuple(D.rank for D in members), distribution.proved)


class _Brackets:
    """Brackets of fields that come again and again: every component is differentiated once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[VectorField, Slopes]] = {}

    def __call__(self, X: VectorField, Y: VectorField) -> list[Element]:
        """The components of [X, Y]."""
        result = [X.chart.field.zero] * X.chart.dimension
        for i, slopes in self._slopes(Y).items():
            for j, slope in slopes.items():
                if not X.components[j].is_blank:
                    result[i] = result[i] + X.components[j] * slope
        for i, slopes in self._slopes(X).items():
            for j, slope in slopes.items():
                if not Y.components[j].is_blank:
                    result[i] = result[i] - Y.components[j] * slope
        return result

    def _slopes(self, X: VectorField) -> Slopes:
        if id(X) not in self._known:
            self._known[id(X)] = X, X.slopes()
        return self._known[id(X)][1]


def _seen(distribution: Distribution, small: bool) -> Flag:
    """Brackets of the given fields, their independence seen at points; nothing is divided."""
    from chetaev.geometry.distribution.distribution import Distribution

    chart, full = distribution.chart, distribution.dimension
    seen = SeenRank(distribution.zeros)
    old: list[VectorField] = []
    new = [VectorField.of(chart, row) for row in distribution._rows if seen.add(row)]
    generators, members, brackets = list(new), [distribution], _Brackets()
    proved = len(new) == len(distribution._rows)
    while new and seen.rank < full:
        pairs = pairs_to_bracket(generators, old, new, small)
        old, new = old + new, []
        dropped = False
        for X, Z in pairs:
            if seen.rank == full:
                break
            bracket = VectorField.of(chart, brackets(X, Z))
            if seen.add(bracket.components):
                new.append(bracket)
            else:
                dropped = dropped or not bracket.is_zero
        proved = proved and (not dropped or seen.rank == full)
        if new:
            member = Distribution.of_rows(chart, [X.components for X in old + new], distribution.zeros)
            member.__dict__["rank"] = seen.rank
            members.append(member)
    return Flag(tuple(members), tuple(D.rank for D in members), proved and distribution.zeros.proved)


@dataclass(frozen=True)
class Involutivity:
    """The answer to "is D involutive?", with evidence.

    Attributes
    ----------
    holds
        The answer; ``bool()`` of this object is the same.
    first, second, bracket
        If it fails: two fields of D and their bracket, which is not in D; else None.
    witness
        A component of the bracket outside D that is not zero.
    proved
        Whether the answer is proved; if not, it was tested at points of the submanifold.
    """

    holds: bool
    first: VectorField | None = None
    second: VectorField | None = None
    bracket: VectorField | None = None
    witness: Element | None = None
    proved: bool = True

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return "involutive: the brackets of all fields in it lie in it"
        return f"not involutive: [{self.first}, {self.second}] = {self.bracket} is not in it"


def involutivity(distribution: Distribution) -> Involutivity:
    """Whether [D, D] ⊂ D."""
    found = modestly(distribution.chart.field, _involutive_exactly, distribution)
    return _involutive_as_seen(distribution) if isinstance(found, GivenUp) else found


def _involutive_exactly(distribution: Distribution) -> Involutivity:
    echelon = distribution._echelon
    for X, Y in combinations(distribution.fields, 2):
        Z = X.bracket(Y)
        witness = next((a for a in echelon.reduce(Z.components) if a.is_zero is False), None)
        if witness is not None:
            return Involutivity(False, X, Y, Z, witness, proved=distribution.proved)
    return Involutivity(True, proved=distribution.proved)


def _involutive_as_seen(distribution: Distribution) -> Involutivity:
    seen = SeenRank(distribution.zeros)
    fields = [VectorField.of(distribution.chart, row) for row in distribution._rows if seen.add(row)]
    for X, Y in combinations(fields, 2):
        Z = X.bracket(Y)
        if seen.copy().add(Z.components):
            return Involutivity(False, X, Y, Z, proved=len(fields) == len(distribution._rows))
    return Involutivity(True, proved=False)


def cauchy_characteristics(distribution: Distribution) -> Distribution:
    """The X = a^i e_i in D with θ([X, e_j]) = 0 for all j and all θ that annihilate D."""
    from chetaev.geometry.distribution.distribution import Distribution

    chart, zeros = distribution.chart, distribution.zeros
    seen = SeenRank(zeros)
    fields = [VectorField.of(chart, row) for row in distribution._rows if seen.add(row)]
    if len(fields) < distribution.rank:
        fields = list(distribution.fields)
    rows = []
    brackets = {(i, j): fields[i].bracket(fields[j]) for i, j in combinations(range(len(fields)), 2)}
    for form in distribution.annihilator:
        theta = cleared(form.row())
        values = {pair: dot(theta, Z.components) for pair, Z in brackets.items()}
        for j in range(len(fields)):
            row = [chart.field.zero] * len(fields)
            for i in range(len(fields)):
                if i != j:
                    row[i] = values[i, j] if i < j else -values[j, i]
            if any(not zeros(a) for a in row):
                rows.append(row)
    found = []
    for vector in kernel(rows, len(fields), zeros):
        total = [chart.field.zero] * chart.dimension
        for a, e in zip(cleared(vector), fields, strict=True):
            total = [s + a * c for s, c in zip(total, e.components, strict=True)]
        found.append(total)
    return Distribution.of_rows(chart, found, zeros)
