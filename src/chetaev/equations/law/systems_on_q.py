"""Systems given on Q itself, with no ambient Lagrangian (SCOPE K25, Sa1; Krupková (67), (75), §4; Sarlet,
section 1).

A constrained system needs no ambient one. It is given by the constraint in normal form and the class of a
2-form,

    v^a = g^a(t, q, v^s),     ᾱ = Ā_s ω^s∧dt + B̄_sr ω^s∧dv^r:     Ā_s + B̄_sr a^r = 0,   a^a = d_c g^a/dt,

or already solved, as Sarlet's mixed first- and second-order system

    a^α = f^α(t, q, v^β),      v^a = g^a(t, q, v^β)        (then Ā = f, B̄ = −1).

All functions depend on the independent velocities only. The law has no multipliers: there is no force of
constraint. Its geometry is the submanifold Q of the first-order equations, and the semispray on it,

    Γ = ∂/∂t + v^s ∂/∂q^s + g^a ∂/∂q^a + a^s ∂/∂v^s,      here a field on J¹Y tangent to Q.

>>> import chetaev as ch
>>> dynamics = {"accelerations": {"s": "-s'"}, "velocities": {"x": "cos(theta)*s'", "theta": "u"}}
>>> car = SystemOnQ.of(
...     ch.System(coordinates=["s", "x", "theta"], dynamics=dynamics, parameters={"u": 2})
... )
>>> car.accelerations["x"] == car.constraint.chart("-s'*(u*sin(theta) + cos(theta))")
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from chetaev.constraint.submanifold.adapted_chart import AdaptedChart
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.errors import ModelError
from chetaev.expr.exact import Element
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.linear.matrix import solve
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.geometry.calculus.mixed_calculus import MixedSpace
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.model.dynamics.submanifold import Intrinsic
from chetaev.model.system import System


@dataclass(frozen=True)
class SystemOnQ:
    """A constrained system on Q: g, Ā, B̄ in the chart of independent velocities.

    Attributes
    ----------
    system
        The model, with the constraints v^a = g^a.
    independent
        The coordinates with second-order equations, in order.
    g
        Right sides of the first-order equations, by dependent coordinate.
    A, B
        Ā_s, and B̄_sr as rows.
    """

    system: System
    independent: tuple[str, ...]
    g: Mapping[str, Expr]
    A: tuple[Expr, ...]
    B: tuple[tuple[Expr, ...], ...]

    @classmethod
    def of(cls, system: System) -> SystemOnQ:
        """From a model that is given on Q: a mixed system, or A and B with constraints v^a = g^a.

        >>> import chetaev as ch
        >>> print(SystemOnQ.of(ch.load("steered-car")).space.eta[2])
        -t*k*ds + dtheta
        """
        dynamics = system.dynamics
        if not isinstance(dynamics, Intrinsic):
            raise ModelError(
                f"the dynamics of the system is given by {dynamics.given_by}, not on Q itself",
                expected="accelerations and velocities, or A and B",
            )
        g: dict[str, Expr] = {}
        for e in system.velocity_constraints:
            name, order = e.lhs.value if e.lhs.op == "symbol" else ("", 0)
            if order != 1 or name in dynamics.independent or name in g:
                raise ModelError(
                    f"the constraint {e} is not in normal form", expected="constraints in the form y' = …"
                )
            g[name] = e.rhs
        A, B = _functions(dynamics)
        named = [*g.items(), *zip(dynamics.independent, A, strict=True)]
        for about, function in (*named, *(("B", x) for row in B for x in row)):
            _expect_independent(function, dynamics.independent, about)
        return cls(system, dynamics.independent, g, tuple(A), tuple(map(tuple, B)))

    # --- geometry ---------------------------------------------------------------------------------

    @cached_property
    def constraint(self) -> Constraint:
        """Q = {v^a = g^a}."""
        return Constraint(self.system)

    @cached_property
    def chart(self) -> AdaptedChart:
        """The chart of Q whose dependent velocities are the v^a."""
        return AdaptedChart(self.constraint, tuple(self.g))

    @cached_property
    def accelerations(self) -> dict[str, Element]:
        """All accelerations on Q, exact: a^s from Ā + B̄ a = 0, and a^a = d_c g^a/dt."""
        J = self.constraint.chart
        try:
            solved = solve([[J(e) for e in row] for row in self.B], [-J(e) for e in self.A])
        except SingularSystemError:
            raise ModelError(
                "B̄ is singular: the equations on Q do not determine the accelerations",
                remedy="ch.equations states them as they are",
            ) from None
        found = dict(zip(self.independent, solved, strict=True))
        for c, e in self.g.items():
            g = J(e)
            moved = [(self._velocity(q), (q, 0)) for q in self.system.coordinates]
            moved += [(found[q], (q, 1)) for q in self.independent]
            found[c] = sum((rate * g.diff(s) for rate, s in moved), g.diff((self.system.time, 0)))
        return {c: found[c] for c in self.system.coordinates}

    @cached_property
    def space(self) -> MixedSpace:
        """The space J¹_σ of the mixed system, for the calculus along ρ (Sa2–Sa4)."""
        return MixedSpace(
            self.independent, tuple(self.g), self.g, self.system.time, parameters=self.system.parameters
        )

    @cached_property
    def second_order_field(self) -> VectorField:
        """Γ on J¹_σ, with the accelerations of the system."""
        return self.space.second_order_field([self.accelerations[c].to_expr() for c in self.independent])

    @cached_property
    def semispray(self) -> VectorField:
        """Γ as a field on J¹Y, tangent to Q."""
        J, names = self.constraint.chart, self.system.coordinates
        values = [*map(self._velocity, names), *(self.accelerations[c] for c in names)]
        return VectorField.of(J, [J.field.one, *values])

    def _velocity(self, name: str) -> Element:
        J = self.constraint.chart
        return J(self.g[name]) if name in self.g else J.field.symbol(name, 1)


def _functions(dynamics: Intrinsic) -> tuple[list[Expr], list[list[Expr]]]:
    """Ā and B̄ as graphs; −1 for the B̄ of a mixed system."""
    own = [p.expr for p in dynamics.parts]
    n = len(dynamics.independent)
    if len(own) == n:
        minus = graph.neg(graph.ONE)
        return own, [[minus if i == j else graph.ZERO for j in range(n)] for i in range(n)]
    return own[:n], [own[n + i * n : n + (i + 1) * n] for i in range(n)]


def _expect_independent(expr: Expr, independent: Sequence[str], about: str) -> None:
    for name, order in sorted(graph.symbols(expr)):
        if order and name not in independent:
            raise ModelError(
                f"the equation of {about!r} contains the velocity of {name!r}, which is not independent",
                expected="functions of time, coordinates and the velocities of " + ", ".join(independent),
            )
