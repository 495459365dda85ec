"""The motion linearised on Q, for constraints that nobody can solve: the variational equation along Γ (SCOPE
Sa5–Sa7).

In a chart of Q (dependent velocities v^a = g^a(t, q, v^s), known by the implicit function theorem only)
with a^s = f^s on Q, a variation ζ of the positions moves to motions nearby exactly if

    Γ(ζ^a) = ∂g^a/∂q^σ ζ^σ + B^a_s Γ(ζ^s),        Γ²(ζ^s) = ∂f^s/∂q^σ ζ^σ + ∂f^s/∂v^r Γ(ζ^r).

With ζ^s = μ^s, ζ^a = μ^a + B^a_s μ^s these are ∇²X̄ + ∇X̃ + (Φ + Ψ)(X) = 0 for X = μ^s X_s + μ^a ∂_a (Sa7),
in which no Christoffel symbol occurs. The adjoint equations of α = a_s θ^s + c_a η^a, ∇²ᾱ − ∇α̃ + (Φ +
Ψ)(α) = 0, are

    Γ(c_a) + ∂g^b/∂q^a c_b + ∂f^r/∂q^a a_r = 0,
    Γ²(a_s) + ∂f^r/∂v^s Γ(a_r) + Γ(∂f^r/∂v^s) a_r − X_s(f^r) a_r + C^b_s c_b = 0.

All derivatives are those of functions on Q, written in ambient coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi

from chetaev.equations.law.hypotheses import only_velocities
from chetaev.equations.law.normal_law import ChosenChart, DerivationsOnQ
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr, postorder
from chetaev.laws.rate import solved_accelerations
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.dynamics.submanifold import Intrinsic
from chetaev.model.system import System


def _setup(system: System, dependent: Sequence[str] | None) -> Setup:
    """The chart that is chosen, or in which a system on Q is given, else the best pivots."""
    dynamics = system.dynamics
    if isinstance(dynamics, Intrinsic):
        if isinstance(dynamics, Poisson):
            raise ModelError(
                dynamics.lacks("second-order equations"),
                remedy="ch.poisson has its bracket and Casimir functions, ch.integrals what is conserved",
            )
        return ChosenChart(system, [c for c in system.coordinates if c not in dynamics.independent])
    return ChosenChart(system, dependent) if dependent else Setup(system)


def away_from_kinks(system: System, before: str = "") -> str:
    """What is to be said where the law has kinks: derivatives do not see them."""
    functions = [*system.dynamics.functions, *system.forces.values()]
    functions += [e.residual for e in (*system.velocity_constraints, *system.position_constraints)]
    kinks = sorted({n.op for n in postorder(*functions)} & {"abs", "sign", "min", "max"})
    return f"{before}this holds away from the kinks of {', '.join(kinks)}" if kinks else ""


class Linearized:
    """Derivations along Γ on Q, and the matrices of the variational equation."""

    def __init__(self, system: System, dependent: Sequence[str] | None = None) -> None:
        self.system = system
        self.s = _setup(system, dependent)
        only_velocities(self.s, "symmetries of a motion on a submanifold of J¹Y are asked; there is none")
        self.on_q = DerivationsOnQ(self.s)
        self.independent, self.dependent = self.s.independent, self.s.dependent
        self.a = self.s.column(solved_accelerations(system))
        self.f = self.a[self.independent, 0]

    def gamma(self, column: SX) -> SX:
        """Γ of functions on Q."""
        column = casadi.densify(column)
        return self.on_q.along(column) + self.on_q.by_v(column) @ self.f

    @cached_property
    def f_v(self) -> SX:
        """∂f^s/∂v^r on Q."""
        return self.on_q.by_v(casadi.densify(self.f))

    @cached_property
    def f_q(self) -> SX:
        """∂f^s/∂q^σ on Q."""
        return self.on_q.by_q(casadi.densify(self.f))

    @cached_property
    def C(self) -> SX:
        """C^a_s = Γ(B^a_s) − X_s(g^a)."""
        B, g_q = self.on_q.g_v, self.on_q.g_q
        k, n = B.shape
        moved = casadi.reshape(self.gamma(casadi.vec(B)), k, n) if k and n else casadi.SX(k, n)
        return moved - g_q[:, self.independent] - g_q[:, self.dependent] @ B

    @cached_property
    def f_v_rate(self) -> SX:
        """Γ(∂f^s/∂v^r)."""
        n = len(self.independent)
        return casadi.reshape(self.gamma(casadi.vec(self.f_v)), n, n) if n else casadi.SX(0, 0)

    @property
    def divergence(self) -> SX:
        """div Γ for the volume dt dq dv^s of the chart: Σ ∂g^a/∂q^a + Σ ∂f^s/∂v^s."""
        total = sum((self.on_q.g_q[row, i] for row, i in enumerate(self.dependent)), casadi.SX(0))
        for row in range(len(self.independent)):
            total += self.f_v[row, row]
        return total

    # -- defects -----------------------------------------------------------------------------------------
    def symmetry_defects(self, zeta: Sequence[Expr]) -> list[Expr]:
        """What is left of the variational equation of a field, one entry for each coordinate."""
        column = casadi.densify(self.s.column(zeta))
        once = casadi.densify(self.gamma(column))
        S, D = self.independent, self.dependent
        second = self.gamma(once[S, 0]) - self.f_q @ column - self.f_v @ once[S, 0]
        first = once[D, 0] - self.on_q.g_q @ column - self.on_q.g_v @ once[S, 0]
        levels = self.s.by_q(self.s.phi) @ column  # variations keep to the level φ = 0
        return self.s.graphs(casadi.vertcat(first, second, levels))

    def adjoint_defects(self, alpha: Sequence[Expr]) -> list[Expr]:
        """What is left of the adjoint equation; `alpha` by coordinate: a_s, and c_a for the dependent
        ones.
        """
        column = casadi.densify(self.s.column(alpha))
        S, D = self.independent, self.dependent
        a, c = column[S, 0], column[D, 0]
        once = casadi.densify(self.gamma(a))
        first = self.gamma(c) + self.on_q.g_q[:, D].T @ c + self.f_q[:, D].T @ a
        X_f = self.f_q[:, S] + self.f_q[:, D] @ self.on_q.g_v
        second = self.gamma(once) + self.f_v.T @ once + self.f_v_rate.T @ a - X_f.T @ a + self.C.T @ c
        return self.s.graphs(casadi.vertcat(first, second))

    # -- matrices, for a search ----------------------------------------------------------------------------
    def tables(self, kind: str) -> list[list[list[Expr]]]:
        """The matrices that the equations of a kind contain, as graphs, and Γ(a) as a column last."""
        speed = self.gamma(casadi.densify(self.a))
        if kind == "adjoint":
            D, S = self.dependent, self.independent
            X_f = self.f_q[:, S] + self.f_q[:, D] @ self.on_q.g_v
            parts = [self.on_q.g_q[:, D], self.f_q[:, D], self.f_v, self.f_v_rate - X_f, self.C]
        else:
            parts = [self.on_q.g_q, self.on_q.g_v, self.f_q, self.f_v]
        return self.s.matrices(*parts, speed)
