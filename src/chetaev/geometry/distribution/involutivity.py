"""Is D involutive? With the bracket that leaves D as evidence if it is not; and the Cauchy characteristics.

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
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.function_matrix import kernel
from chetaev.geometry.chart.modest_effort import modestly
from chetaev.geometry.chart.ranks_seen import SeenRank

if TYPE_CHECKING:
    from chetaev.geometry.distribution.distribution import Distribution


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
    found = modestly(distribution.chart.field, _exact, distribution)
    return _seen(distribution) if isinstance(found, GivenUp) else found


def _exact(distribution: Distribution) -> Involutivity:
    echelon = distribution._echelon
    for X, Y in combinations(distribution.fields, 2):
        Z = X.bracket(Y)
        witness = next((a for a in echelon.reduce(Z.components) if a.is_zero is False), None)
        if witness is not None:
            return Involutivity(False, X, Y, Z, witness, proved=distribution.proved)
    return Involutivity(True, proved=distribution.proved)


def _seen(distribution: Distribution) -> Involutivity:
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
