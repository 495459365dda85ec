"""Where the rank condition rank ∂f/∂v = k holds, and where it fails (SCOPE K13; Krupková (46)).

It fails where all maximal minors of C = ∂f/∂v vanish. If one of them is a number, or the sum of their
squares is, it holds everywhere.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> rank_condition(Constraint.of(["x'*sin(phi) = y'*cos(phi)"], ["x", "y", "phi"])).everywhere
True
>>> cone = rank_condition(Constraint.of(["x'^2 + y'^2 = z'^2"], ["x", "y", "z"]))
>>> cone.everywhere, len(cone.vanishing)
(None, 3)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from chetaev.constraint.submanifold.empty_set import is_empty
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.positive_functions import excluded
from chetaev.constraint.submanifold.primitive_function import primitive
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.exact.polynomials import common_content as content
from chetaev.expr.graph.node import ONE, Expr

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint

SHORT = 60
"""An expression with more terms is not shown."""
MAX_MINORS = 20


@dataclass(frozen=True)
class RankCondition:
    """Where rank ∂f/∂v = k holds (46).

    Attributes
    ----------
    rank
        The generic rank on Q.
    vanishing
        The rank is smaller exactly where all of these vanish; a single number if nowhere; None if too long.
    failures
        Points (t, q, v) on Q, met by chance, where the rank is smaller.
    """

    rank: int
    vanishing: tuple[Expr, ...] | None
    failures: tuple[dict[str, float], ...]

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
    minors = None
    if constraint.exact:
        effort = 3 * constraint.effort // 20
        minors = Allowance(effort, effort).attempt(constraint.field, lambda: _minors(constraint))
    return RankCondition(constraint.survey.rank, minors, failures)


def _minors(constraint: Constraint) -> tuple[Expr, ...] | None:
    m, k = len(constraint.coordinates), constraint.codimension
    if not k or comb(m, k) > MAX_MINORS:
        return () if not k else None
    minors: list[Element] = []
    total = constraint.chart.field.zero
    for D in combinations(range(m), k):
        minor = determinant([[row[i] for i in D] for row in constraint.jacobian])
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
    if excluded(constraint, _symbols_among(minors)):
        return (ONE,)
    shown = [primitive(e).to_expr() for e in _common(constraint, minors) or minors]
    return tuple({str(e): e for e in shown}.values())


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
    """The symbols that are a minor up to a number: they vanish where the rank drops."""
    field = minors[0].field if minors else None
    found = set()
    for e in minors:
        if field is not None and len(e.numerator) == 1 and len(e.symbols) == 1:
            (name,) = e.symbols
            if (e / field.symbol(*name)).is_number:
                found.add(name)
    return found
