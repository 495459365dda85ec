"""Where the rank condition rank ∂f/∂v = k holds, and where it fails (SCOPE K13; Krupková (46)).

It fails where all maximal minors of C = ∂f/∂v vanish. If one of them is a number, or the sum of their
squares is, it holds everywhere.

>>> from chetaev.constraint.submanifold import Constraint
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

from chetaev.constraint.combination import primitive
from chetaev.constraint.evidence import Allowance
from chetaev.constraint.positive import excluded
from chetaev.expr.exact import Element
from chetaev.expr.exact.matrix import determinant
from chetaev.expr.graph import ONE, Expr

if TYPE_CHECKING:
    from chetaev.constraint.submanifold import Constraint

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
    shown = [primitive(e).to_expr() for e in minors]
    return tuple({str(e): e for e in shown}.values())


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
