"""Nonholonomic momenta J^nh(ξ) with their rates, and what the algebra itself conserves (SCOPE L11, M6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.print import to_text
from chetaev.laws.symmetry.given_fields import combination
from chetaev.laws.symmetry.symmetry import Answer
from chetaev.results import PlainData, TextResult, plain


@dataclass(frozen=True)
class MomentumEquation(PlainData):
    """One section of the symmetry algebra in D, its momentum and the rate of that.

    Attributes
    ----------
    components
        The field ξ = η^i X_i, by coordinate.
    momentum
        J^nh(ξ) = p·ξ.
    rate
        d/dt J^nh(ξ) on Q, the right side of the momentum equation.
    answer
        That the rate along the motion is this, with its evidence.
    """

    components: Mapping[str, Expr]
    momentum: Expr
    rate: Expr
    answer: Answer

    facts = "components momentum rate answer.holds answer.evidence"

    @property
    def conserved(self) -> bool:
        """Whether the right side is zero as it stands."""
        return self.rate is ZERO

    def __str__(self) -> str:
        words = combination(self.components, "∂/∂")
        return f"ξ = {words}: d/dt ({to_text(self.momentum)}) = {to_text(self.rate)} ({self.answer.evidence})"


class MomentumEquations(TextResult, list[MomentumEquation]):
    """Momentum equations, with what the algebra itself conserves.

    Attributes
    ----------
    symmetries
        The symmetries of L and of the constraint that were used, in words; or the fields that were given.
    horizontal, conserved
        Of all symmetries of L, those of the constraint or not: a basis of the combinations with constant
        coefficients that lie in D, and of those whose momenta are conserved.
    """

    facts = "symmetries horizontal conserved remark"

    def __init__(
        self,
        found: Iterable[MomentumEquation],
        symmetries: Sequence[str],
        horizontal: Sequence[str],
        conserved: Sequence[str],
        remark: str = "",
    ) -> None:
        super().__init__(found)
        self.symmetries, self.horizontal = tuple(symmetries), tuple(horizontal)
        self.conserved, self.remark = tuple(conserved), remark

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"equations": plain(list(self))} | super().to_json()

    def __str__(self) -> str:
        lines = [f"symmetries of L and of the constraint: {', '.join(self.symmetries) or 'none'}"]
        lines += [str(one) for one in self] or ["no combination of them lies in D"]
        none = "none found" if self.remark else "none"
        lines.append(f"in D with constant coefficients: {', '.join(self.horizontal) or none}")
        lines.append(f"momenta conserved: {', '.join(self.conserved) or none}")
        return "\n".join([*lines, *([self.remark] if self.remark else [])])
