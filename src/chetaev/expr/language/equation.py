"""An equation of two expressions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr


@dataclass(frozen=True)
class Equation:
    """``lhs = rhs``; the constraint function is ``f = lhs − rhs``."""

    lhs: Expr
    rhs: Expr

    @cached_property
    def residual(self) -> Expr:
        """f = lhs − rhs; the left side alone when the right side is the number 0."""
        return self.lhs if self.rhs is graph.ZERO else graph.sub(self.lhs, self.rhs)

    @cached_property
    def text(self) -> str:
        """lhs = rhs in the model language."""
        return f"{self.lhs} = {self.rhs}"

    def __str__(self) -> str:
        return self.text
