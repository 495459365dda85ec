"""Where the rank condition rank ∂f/∂v = k holds, and where it fails (SCOPE K13; Krupková (46)).

It fails where all maximal minors of C = ∂f/∂v vanish. If one of them is a number, or the sum of their
squares is, it holds everywhere. Rows that share no column with others are looked at alone: five particles
with five speeds are five conditions on two velocities, and not the 252 minors of five on ten. A common zero
of the numerators at which a denominator vanishes too is no point: f is not defined there.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> rank_condition(Constraint.of(["x'*sin(phi) = y'*cos(phi)"], ["x", "y", "phi"])).everywhere
True
>>> cone = rank_condition(Constraint.of(["x'^2 + y'^2 = z'^2"], ["x", "y", "z"]))
>>> cone.everywhere, len(cone.vanishing)
(None, 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING

from chetaev.constraint.submanifold.empty_set import is_empty
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.positive_functions import excluded
from chetaev.constraint.submanifold.primitive_function import primitive
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.exact.polynomials import common_content as content
from chetaev.expr.graph.node import ONE, ZERO, Expr, mul, substitute, symbol

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint

SHORT = 60
"""An expression with more terms is not shown."""
MAX_MINORS = 20


@dataclass(frozen=True)
class RankCondition:
    """Where rank ∂f/∂v = k holds (46)."""

    rank: int
    """The generic rank on Q."""
    vanishing: tuple[Expr, ...] | None
    """The rank is smaller exactly where all of these vanish; a single number if nowhere; None if too long."""
    failures: tuple[dict[str, float], ...]
    """Points (t, q, v) on Q, met by chance, where the rank is smaller."""
    places: tuple[tuple[Expr, ...], ...] = ()
    """The same place by place, for constraints that fall apart: the rank is smaller where, for one of them,
    all of its functions vanish.
    """

    @property
    def where(self) -> str:
        """Where the rank is smaller, in words."""
        found = self.places or (self.vanishing or (),)
        listed = [" and ".join(f"{e} = 0" for e in place) for place in found]
        return listed[0] if len(listed) == 1 else ", or ".join(listed)

    @property
    def everywhere(self) -> bool | None:
        """Whether the rank is the same everywhere; None where that is not known."""
        if self.failures:
            return False
        if self.vanishing is None:
            return None
        return any(e.op == "number" for e in self.vanishing) or None


def rank_condition(constraint: Constraint) -> RankCondition:
    """The rank condition of a constraint and where it fails."""
    failures = tuple(constraint.describe(z) for z in constraint.survey.failures[:5])
    places = None
    if constraint.exact:
        effort = 3 * constraint.effort // 20
        places = Allowance(effort, effort).attempt(constraint.field, lambda: _places(constraint))
    rank = constraint.survey.rank
    if places is None:
        return RankCondition(rank, None, failures)
    if len(places) <= 1:
        everywhere = (ONE,) if constraint.codimension else ()
        return RankCondition(rank, places[0] if places else everywhere, failures)
    together = tuple(mul(*choice) for choice in product(*places))
    return RankCondition(rank, together, failures, tuple(places))


def _places(constraint: Constraint) -> list[tuple[Expr, ...]] | None:
    """For each block of rows and columns of ∂f/∂v the functions whose common zeros lower its rank, without
    the blocks whose rank is the same everywhere; None if they are too long, or too many.
    """
    places, count = [], 1
    blocks = _blocks(constraint.jacobian)
    for rows, columns in blocks:
        minors = _minors(constraint, rows, columns)
        if minors is None:
            return None
        if any(e.op == "number" for e in minors):
            continue
        if len(blocks) > 1 and _nowhere(constraint, [constraint.chart(e) for e in minors]):
            continue
        places.append(minors)
        count *= len(minors)
    return places if count <= MAX_MINORS else None


def _blocks(jacobian: Sequence[Sequence[Element]]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of a matrix that meet in entries other than 0."""
    found: list[tuple[list[int], set[int]]] = []
    for i, row in enumerate(jacobian):
        rows, columns = [i], {j for j, e in enumerate(row) if not e.is_zero}
        apart = []
        for other in found:
            if other[1].isdisjoint(columns):
                apart.append(other)
            else:
                rows, columns = [*other[0], *rows], columns | other[1]
        found = [*apart, (sorted(rows), columns)]
    return [(rows, sorted(columns)) for rows, columns in sorted(found)]


def _minors(constraint: Constraint, rows: list[int], columns: list[int]) -> tuple[Expr, ...] | None:
    """Functions whose common zeros on Q are those of all maximal minors of a block; a number if there are
    none.
    """
    k = len(rows)
    if comb(len(columns), k) > MAX_MINORS:
        return None
    minors: list[Element] = []
    total = constraint.chart.field.zero
    for D in combinations(columns, k):
        minor = determinant([[constraint.jacobian[a][i] for i in D] for a in rows])
        if minor.is_zero:
            continue
        if minor.is_number:
            return (minor.to_expr(),)
        if minor.terms > SHORT:
            return None
        minors.append(minor)
        total = total + minor**2
    if total.is_number and not total.is_zero:
        return (total.to_expr(),)
    among = _symbols_among(minors)
    if excluded(constraint, among) or any(_pole(e, among) for e in minors):
        return (ONE,)
    shown = [primitive(_without_powers(e)).to_expr() for e in _common(constraint, minors) or minors]
    return tuple({str(e): e for e in shown}.values())


def _without_powers(f: Element) -> Element:
    """A function that vanishes where f does: each of its factors once."""
    field, found = f.field, f.field.one
    for p, _ in field.factor(f.numerator)[1]:
        found = found * field.polynomial(field.tower.project(p))
    return found


def _common(constraint: Constraint, minors: list[Element]) -> list[Element] | None:
    """What all minors contain, if their other factors have no common zero on Q: they vanish exactly there.

    For the snakeboard that is cos φ, for (sin φ cos φ, l cos²φ sin θ, l cos²φ cos θ).
    """
    if not minors:
        return None
    field = minors[0].field
    parts, common = content.primitive(field, [e.numerator for e in minors])
    if common.is_constant() or not _nowhere(constraint, [field.polynomial(p) for p in parts]):
        return None
    found = field.one
    for p, _ in field.factor(common)[1]:
        factor = field.polynomial(field.tower.project(p))
        if not _nowhere(constraint, [factor]):
            found = found * factor
    return [found]


def _nowhere(constraint: Constraint, functions: list[Element]) -> bool:
    """Whether functions have no common zero on Q, parameters put in."""
    values = constraint.given.with_values(*(e.to_expr() for e in functions))
    return is_empty(constraint, [constraint.chart(e) for e in values])


def _symbols_among(minors: list[Element]) -> set[tuple[str, int]]:
    """The symbols that are the numerator of a minor up to a number: they vanish where the rank drops."""
    found = set()
    for e in minors:
        top = e.field.polynomial(e.numerator)
        if len(e.numerator) == 1 and len(top.symbols) == 1:
            (name,) = top.symbols
            if (top / e.field.symbol(*name)).is_number:
                found.add(name)
    return found


def _pole(minor: Element, zero: set[tuple[str, int]]) -> bool:
    """Whether a minor is not defined where these symbols vanish."""
    if not zero or minor.is_polynomial:
        return False
    below = minor.field.polynomial(minor.denominator).to_expr()
    (left,) = substitute([below], {symbol(*s): ZERO for s in zero})
    return minor.field(left).is_zero is True
