"""Position constraints from inside: Euler–Lagrange equations on the submanifold (SCOPE K12; Krupková
(39)–(44)).

φ(t, q) = 0 with rank ∂φ/∂q = k is solved, locally and without a closed solution, for dependent
coordinates q^a = w^a(t, q^s). On J¹Ȳ with coordinates (t, q^s, v^s), L̄ = L∘J¹ι is a Lagrangian of its
own right, and

    d/dt ∂L̄/∂v^s − ∂L̄/∂q^s = F_s + F_a ∂w^a/∂q^s                                                      (44)

is equivalent to the equations with multipliers, d/dt ∂L/∂v − ∂L/∂q = F + μ_a ∂φ^a/∂q (42). Functions on
J¹Ȳ are written in ambient coordinates and differentiated by the implicit function theorem: w_s =
−φ_D⁻¹φ_s, w_t = −φ_D⁻¹φ_t,

    D_s = ∂/∂q^s + w^a_s ∂/∂q^a        D_t = ∂/∂t + w^a_t ∂/∂q^a              on functions of (t, q)
    ∂/∂v^s|_Ȳ = ∂/∂v^s + w^a_s ∂/∂v^a        ∂/∂q^s|_Ȳ = D_s + D_s(ẇ^a) ∂/∂v^a      ẇ^a = w^a_t + w^a_r v^r.

The multipliers, where somebody asks for the forces of constraint, are what is left of the ambient
equations in the directions of the dependent coordinates: φ_Dᵀ μ = (M a + h − F)_D.
"""

from __future__ import annotations

import casadi

from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System


class Submanifold:
    """Derivations of functions on J¹Ȳ in the chart of a Setup, and the implicit solution q^D = w(t, q^S)."""

    def __init__(self, s: Setup) -> None:
        self.s = s
        S, D, n = s.independent, s.dependent, len(s.independent)
        gradient = casadi.horzcat(s.by_q(s.phi)[:, S], s.by_t(s.phi))
        solved = -s.solve(s.by_q(s.phi)[:, D], gradient) if D else casadi.SX(0, n + 1)
        self.w_q, self.w_t = solved[:, :n], solved[:, n]
        self.v = s.v[S, 0]
        self.w_dot = self.w_t + self.w_q @ self.v
        # how ẇ changes along the coordinates of Ȳ, with v^s fixed
        self.w_dot_q, self.w_dot_t = self._base_q(self.w_dot), self._base_t(self.w_dot)

    def _base_q(self, column: SX) -> SX:
        by = self.s.by_q(column)
        return by[:, self.s.independent] + by[:, self.s.dependent] @ self.w_q

    def _base_t(self, column: SX) -> SX:
        return self.s.by_t(column) + self.s.by_q(column)[:, self.s.dependent] @ self.w_t

    def by_v(self, column: SX) -> SX:
        """∂/∂v^s|_Ȳ, one row a function."""
        by = self.s.by_v(column)
        return by[:, self.s.independent] + by[:, self.s.dependent] @ self.w_q

    def by_q(self, column: SX) -> SX:
        """∂/∂q^s|_Ȳ."""
        return self._base_q(column) + self.s.by_v(column)[:, self.s.dependent] @ self.w_dot_q

    def by_t(self, column: SX) -> SX:
        """∂/∂t|_Ȳ."""
        return self._base_t(column) + self.s.by_v(column)[:, self.s.dependent] @ self.w_dot_t

    def along(self, column: SX) -> SX:
        """The cut total derivative on J¹Ȳ."""
        return self.by_t(column) + self.by_q(column) @ self.v


def derive(system: System, form: str = "internal", chart: Around = None) -> Equations:
    """The Euler–Lagrange equations of L̄ on the submanifold; unknowns are the independent accelerations.

    >>> import chetaev as ch
    >>> law = derive(ch.load("pendulum-cartesian"))
    >>> len(law.unknowns), len(law.multiplier_rows)
    (1, 1)
    """
    if system.velocity_constraints or system.acceleration_constraints:
        level = "velocity" if system.velocity_constraints else "acceleration"
        raise ModelError(
            f"the system has a {level} constraint, so its motions fill no space of events: "
            "Euler–Lagrange equations of a restricted Lagrangian would be wrong",
            remedy="use form='reduced' or form='chetaev'",
        )
    s = Setup(system, chart=chart)
    S, D, n = s.independent, s.dependent, len(s.independent)
    y = Submanifold(s)
    L_v = y.by_v(s.L).T
    matrix = y.by_v(L_v)
    right = y.by_q(s.L).T - y.along(L_v) + s.F[S, 0] + y.w_q.T @ s.F[D, 0]
    recover, offset = s.lifted(y.w_q, y.w_dot_t + y.w_dot_q @ y.v)
    p = casadi.gradient(s.L, s.v)
    M, h = s.by_v(p), s.along(p) - casadi.gradient(s.L, s.q)
    left = casadi.horzcat(M @ recover, M @ offset + h - s.F)[D, :]
    mu = s.solve(s.by_q(s.phi)[:, D].T, left) if D else casadi.SX(0, n + 1)
    return Equations(
        form=form,
        system=system,
        unknowns=names([s.accelerations[i] for i in S]),
        matrix=s.matrix(matrix),
        right=s.graphs(right),
        recover=s.matrix(recover),
        offset=s.graphs(offset),
        multiplier_rows=s.matrix(mu[:, :n]) if D else None,
        multiplier_offset=s.graphs(mu[:, n]) if D else (),
        objects={"w_q": s.matrix(y.w_q), "w_t": s.graphs(y.w_t)},
        source="Krupková (39)–(44); K12",
    )
