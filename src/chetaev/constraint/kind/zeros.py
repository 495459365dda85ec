"""Where functions vanish on Q, parameters put in: nowhere, by proof, or at a point that is found
(SCOPE K23).

A set that is named to a reader, "singular where …", must not be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from chetaev.constraint.kind.regularity import Regularity, is_definite
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.constraint_in_numbers import Array
from chetaev.constraint.submanifold.empty_set import is_empty, points_where
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.expr.graph.node import ONE, Expr, mul, sub, symbol

if TYPE_CHECKING:
    from chetaev.model.system import System

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class NamedZeros:
    """Asks for zeros on Q, whose parameters have their values; `given` has them as symbols."""

    Q: Constraint
    given: ConstraintData
    allowance: Allowance

    @classmethod
    def of(cls, system: System, effort: int) -> NamedZeros:
        """Zeros on the Q of a system."""
        given = ConstraintData.from_system(system)
        return cls(Constraint(given, symbolic=False, effort=effort), given, Allowance(effort, effort // 4))

    def nowhere(self, functions: Iterable[Expr]) -> bool:
        """Whether it is proved that the functions have no common zero on Q, parameters put in."""
        return bool(self._ask(is_empty, functions))

    def implied(self, function: Expr, by: Iterable[Expr]) -> bool:
        """Whether it is proved that a function vanishes nowhere on Q where none of the others does.

        With one more unknown w: no point of Q has f = 0 and 1 = w g_1 g_2 … (Rabinowitsch).
        """
        inverse = symbol("1/")
        return self.nowhere([function, sub(ONE, mul(inverse, *by))])

    def met(self, functions: Iterable[Expr]) -> bool:
        """Whether a point of Q was found where all functions vanish, at the values of the parameters."""
        return bool(self.points(functions))

    def points(self, functions: Iterable[Expr]) -> list[Array]:
        """A few points of Q where all functions vanish, at the values of the parameters, as far as found."""
        return self._ask(points_where, functions) or []

    def _ask(
        self, question: Callable[[Constraint, Sequence[Element]], Answer], functions: Iterable[Expr]
    ) -> Answer | None:
        Q, values = self.Q, self.given.with_values(*functions)
        if not Q.exact:
            return None
        return self.allowance.attempt(Q.chart.field, lambda: question(Q, [Q.chart(e) for e in values]))

    def of_determinant(self, found: Regularity, system: System, full_rank: bool) -> Regularity:
        """The verdict on B̄ without factors that vanish nowhere, or only where the rank of ∂f/∂v drops.

        `full_rank`: it drops nowhere on Q. There a definite M = ∂²L/∂v∂v is definite on the virtual
        displacements, too.
        """
        left = [e for e in found.vanishing if not self.nowhere([e])]
        field = self.Q.chart.field
        if left and full_rank and self.allowance.attempt(field, lambda: is_definite(system, self.Q)):
            left = []
        points = [self.points([e]) for e in left]
        regular = [[z for z in at if self._has_rank(z)] for at in points]
        kept = [i for i in range(len(left)) if regular[i] or not points[i]]
        return replace(
            found, vanishing=tuple(left[i] for i in kept), met=tuple(bool(regular[i]) for i in kept)
        )

    def _has_rank(self, z: Array) -> bool:
        return self.Q.rank_at(self.Q.describe(z)) == self.Q.survey.rank
