"""Nonholonomic momenta J^nh(ξ) with their rates, and what the algebra itself conserves (SCOPE L11, M6)."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.print import to_text
from chetaev.laws.symmetry.given_fields import combination
from chetaev.laws.symmetry.symmetry import Answer


@dataclass(frozen=True)
class MomentumEquation:
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

    @property
    def conserved(self) -> bool:
        """Whether the right side is zero as it stands."""
        return self.rate is ZERO

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "components": {n: to_text(e) for n, e in self.components.items()},
            "momentum": to_text(self.momentum),
            "rate": to_text(self.rate),
            "holds": self.answer.holds,
            "evidence": self.answer.evidence,
        }

    def __str__(self) -> str:
        words = combination(self.components, "∂/∂")
        return f"ξ = {words}: d/dt ({to_text(self.momentum)}) = {to_text(self.rate)} ({self.answer.evidence})"


class MomentumEquations(list[MomentumEquation]):
    """Momentum equations, with what the algebra itself conserves.

    Attributes
    ----------
    symmetries
        The symmetries of L and of the constraint that were used, in words; or the fields that were given.
    horizontal, conserved
        Of all symmetries of L, those of the constraint or not: a basis of the combinations with constant
        coefficients that lie in D, and of those whose momenta are conserved.
    """

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
        return {
            "equations": [one.to_json() for one in self],
            "symmetries": list(self.symmetries),
            "horizontal": list(self.horizontal),
            "conserved": list(self.conserved),
            "remark": self.remark,
        }

    def __str__(self) -> str:
        lines = [f"symmetries of L and of the constraint: {', '.join(self.symmetries) or 'none'}"]
        lines += [str(one) for one in self] or ["no combination of them lies in D"]
        lines.append(f"in D with constant coefficients: {', '.join(self.horizontal) or 'none'}")
        lines.append(f"momenta conserved: {', '.join(self.conserved) or 'none'}")
        return "\n".join([*lines, *([self.remark] if self.remark else [])])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"
