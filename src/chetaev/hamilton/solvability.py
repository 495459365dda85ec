"""When do brackets determine the multipliers? The matrix M^AB = {f^A, φ^B} (SCOPE B5; Bates and Nester, 3.3).

    M^AB μ_B = −(X_E(f^A) + ∂f^A/∂t),      M^AB = (∂f^A/∂v) M⁻¹ (∂f^B/∂v)ᵀ,      M = ∂²L/∂v∂v.

In a definite metric M^AB is regular wherever the constraints are independent. In an indefinite one, as in
relativity, it is not where their span is degenerate (a null direction), and that may be on all of Q.

>>> import chetaev as ch
>>> from chetaev.hamilton.horizontal import Horizontal
>>> light = {"coordinates": ["w", "x"], "lagrangian": "(x'^2 - w'^2)/2"}
>>> print(Solvability(Horizontal(ch.System(**light, constraints=["w' = x*x'"]))))
where det M^AB ≠ 0; it may vanish where x - 1 = 0, x + 1 = 0 (∂²L/∂v∂v is not seen to be definite)
>>> Solvability(Horizontal(ch.System(**light, constraints=["w'^2 = x'^2"]))).nondegenerate.answer
'zero'
"""

from __future__ import annotations

from functools import cached_property

from chetaev.constraint.submanifold.empty_set import is_empty
from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr
from chetaev.hamilton.horizontal import Horizontal, Vector, within
from chetaev.hamilton.long_formulas import readable
from chetaev.laws.standpoint import judge, standpoints
from chetaev.laws.vanishing_on_q import vanish


class Solvability:
    """M^AB and its zeros, on Q."""

    def __init__(self, at: Horizontal) -> None:
        self.at, self.system = at, at.system

    @cached_property
    def gram(self) -> tuple[tuple[Expr, ...], ...]:
        """M^AB; a ModelError where M = ∂²L/∂v∂v is singular."""
        return within(lambda: tuple(tuple(e.to_expr() for e in row) for row in self._gram))

    @cached_property
    def _gram(self) -> list[Vector]:
        at = self.at
        if not at.C:
            return []
        try:
            normals = linear.solve_columns(at.p_v, at.C)
        except SingularSystemError:
            raise ModelError(
                "the velocity Hessian ∂²L/∂v∂v is singular, so there is no metric M^AB on the constraints",
                remedy="ch.dirac brings degenerate Lagrangians to their end",
            ) from None
        return [[dot(row, n) for n in normals] for row in at.C]

    def _given(self, e: Element) -> Element:
        """A function for the values of the parameters given."""
        return self.at.field(standpoints(self.system)[-1].apply([e.to_expr()])[0])

    @cached_property
    def definite(self) -> bool:
        """Whether ∂²L/∂v∂v is seen to be definite everywhere, by its leading minors, for the values given."""
        M = self.at.p_v
        minors = within(
            lambda: [
                self._given(linear.determinant([row[:i] for row in M[:i]])) for i in range(1, len(M) + 1)
            ]
        )
        return all(map(positive, minors)) or all(positive(x if i % 2 else -x) for i, x in enumerate(minors))

    @cached_property
    def nondegenerate(self) -> Verdict:
        """The verdict on det M^AB = 0 on Q: "nonzero" where Q is g-nondegenerate at generic points."""
        if not self.at.C:
            return Verdict("nonzero", True, method="no constraints")
        graph = within(lambda: linear.determinant(self._gram).to_expr())
        return judge(self.system, lambda s: vanish(self.system, [graph], s, self.at.effort)[0])[0]

    @cached_property
    def degenerate_where(self) -> tuple[Expr, ...]:
        """Functions at whose zeros det M^AB vanishes, for the values given; none that are proved to have no
        zeros on Q.
        """
        if not self.at.C:
            return ()
        return within(self._zeros)

    def _zeros(self) -> tuple[Expr, ...]:
        determinant = self._given(linear.determinant(self._gram))
        moving = {self.system.time, *self.system.coordinates}
        listed = [f for f, _ in factors(self.at.field, determinant.numerator)[1]]
        listed = [f for f in listed if any(name in moving for name, _ in f.symbols)]
        Q = Constraint(self.system, symbolic=False)
        found = [f.to_expr() for f in listed]
        return tuple(e for e in found if not is_empty(Q, [Q.field(e)]))

    def __str__(self) -> str:
        if not self.at.C:
            return "always: there are no constraints"
        if self.nondegenerate.is_zero:
            return f"nowhere: det M^AB = 0 on all of Q ({self.nondegenerate})"
        where = ", ".join(f"{readable(e)} = 0" for e in self.degenerate_where)
        if not where:
            return "everywhere: det M^AB has no zeros on Q"
        if self.definite:
            return f"wherever the constraints are independent, which they may not be where {where}"
        return f"where det M^AB ≠ 0; it may vanish where {where} (∂²L/∂v∂v is not seen to be definite)"
