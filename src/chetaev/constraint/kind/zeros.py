"""Where functions vanish on Q, parameters put in: nowhere, by proof, or at a point that is found
(SCOPE K23).

A set that is named to a reader, "singular where …", must not be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chetaev.constraint.kind.regularity import Regularity, is_definite
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.empty_set import is_empty, point_where
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.expr.graph.node import Expr

if TYPE_CHECKING:
    from chetaev.model.system import System


@dataclass(frozen=True)
class NamedZeros:
    """Asks for zeros on Q, whose parameters have their values; `given` has them as symbols."""

    Q: Constraint
    given: ConstraintData
    allowance: Allowance

    def nowhere(self, functions: Iterable[Expr]) -> bool:
        """Whether it is proved that the functions have no common zero on Q, parameters put in."""
        return self._ask(is_empty, functions)

    def met(self, functions: Iterable[Expr]) -> bool:
        """Whether a point of Q was found where all functions vanish, at the values of the parameters."""
        return self._ask(point_where, functions)

    def _ask(
        self, question: Callable[[Constraint, Sequence[Element]], bool], functions: Iterable[Expr]
    ) -> bool:
        Q, values = self.Q, self.given.with_values(*functions)
        return Q.exact and bool(
            self.allowance.attempt(Q.chart.field, lambda: question(Q, [Q.chart(e) for e in values]))
        )

    def of_determinant(self, found: Regularity, system: System, full_rank: bool) -> Regularity:
        """The verdict on B̄ without factors that vanish nowhere; `full_rank`: ∂f/∂v has it on all of Q.

        There a definite M = ∂²L/∂v∂v is definite on the virtual displacements, too.
        """
        left = tuple(e for e in found.vanishing if not self.nowhere([e]))
        field = self.Q.chart.field
        if left and full_rank and self.allowance.attempt(field, lambda: is_definite(system, self.Q)):
            left = ()
        return replace(found, vanishing=left, met=tuple(self.met([e]) for e in left))
