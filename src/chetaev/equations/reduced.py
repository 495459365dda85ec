"""Reduced equations on the constraint submanifold (SCOPE K19, K20; Krupková (69), (70), (75), (76)).

With L̄ = L∘ι, g the normal form v^a = g^a(t, q, v^s) and d_c, ∂_c the constraint derivatives,

    Ā_s = ∂_c L̄/∂q^s − d'_c/dt ∂L̄/∂v^s − (∂L/∂v^a∘ι)(∂_c g^a/∂q^s − d'_c/dt ∂g^a/∂v^s) + F_s + F_a ∂g^a/∂v^s
    B̄_sr = −∂²L̄/∂v^r∂v^s + (∂L/∂v^a∘ι) ∂²g^a/∂v^r∂v^s
    Ā_s + B̄_sr a^r = 0,      a^a = d_c g^a/dt,

where Krupková's force is Φ = −F, ∂_c/∂q^s = ∂/∂q^s + ∂g^a/∂v^s ∂/∂q^a and d'_c/dt leaves accelerations out.
No closed g is needed: functions on Q are written in ambient coordinates and differentiated by
∂/∂v^s|_Q = ∂/∂v^s + B^a_s ∂/∂v^a and ∂/∂q^σ|_Q = ∂/∂q^σ − (C_D⁻¹ f_{q^σ})^a ∂/∂v^a.
"""

from __future__ import annotations

import casadi

from chetaev.equations.law import Equations
from chetaev.equations.setup import Setup, names
from chetaev.errors import ModelError
from chetaev.expr import graph
from chetaev.expr.engine import SX
from chetaev.model.system import System


class OnQ:
    """Derivations of functions on Q in the chart of a Setup."""

    def __init__(self, s: Setup) -> None:
        self.s = s
        S, D = s.independent, s.dependent
        C = s.by_v(s.f)
        gradients = casadi.horzcat(C[:, S], s.by_q(s.f), s.by_t(s.f))
        n = len(S)
        if not D:
            self.g_v, self.g_q, self.g_t = casadi.SX(0, n), casadi.SX(0, s.m), casadi.SX(0, 1)
            return
        solved = -s.solve(C[:, D], gradients)
        self.g_v, self.g_q, self.g_t = solved[:, :n], solved[:, n : n + s.m], solved[:, n + s.m]

    def by_v(self, column: SX) -> SX:
        """∂/∂v^s|_Q for independent s, one row a function."""
        full = self.s.by_v(column)
        return full[:, self.s.independent] + full[:, self.s.dependent] @ self.g_v

    def by_q(self, column: SX) -> SX:
        """∂/∂q^σ|_Q for all σ."""
        return self.s.by_q(column) + self.s.by_v(column)[:, self.s.dependent] @ self.g_q

    def by_t(self, column: SX) -> SX:
        """∂/∂t|_Q."""
        return self.s.by_t(column) + self.s.by_v(column)[:, self.s.dependent] @ self.g_t

    def chetaev(self, column: SX) -> SX:
        """∂_c/∂q^s = ∂/∂q^s + ∂g^a/∂v^s ∂/∂q^a, on functions on Q."""
        full = self.by_q(column)
        return full[:, self.s.independent] + full[:, self.s.dependent] @ self.g_v

    def along(self, column: SX) -> SX:
        """d'_c/dt = ∂/∂t|_Q + v^σ ∂/∂q^σ|_Q."""
        return self.by_t(column) + self.by_q(column) @ self.s.v


def derive(system: System) -> Equations:
    """The reduced equations: unknowns are the independent accelerations."""
    if system.acceleration_constraints:
        raise ModelError(
            "the reduced equations live on a submanifold of J¹Y; constraints on accelerations define none",
            remedy="use form='chetaev'",
        )
    s = Setup(system)
    on_q = OnQ(s)
    S, D, n = s.independent, s.dependent, len(s.independent)
    L_v = on_q.by_v(s.L)
    p_D = s.by_v(s.L)[:, D]
    A = on_q.chetaev(s.L).T - on_q.along(L_v.T)
    A += s.F[S, 0] + on_q.g_v.T @ s.F[D, 0]
    B = -on_q.by_v(L_v.T)
    for a in range(len(D)):
        g_s = on_q.g_v[a, :].T
        # ∂_c g^a/∂q^s with g^a known by its derivatives: ∂g^a/∂q^σ|_Q = (g_q)^a_σ
        g_c = (on_q.g_q[a, S] + on_q.g_q[a, D] @ on_q.g_v).T
        A -= p_D[a] * (g_c - on_q.along(g_s))
        B += p_D[a] * on_q.by_v(g_s)
    g_dot = on_q.g_t + on_q.g_q @ s.v
    recover, offset = casadi.SX(s.m, n), casadi.SX(s.m, 1)
    for row, i in enumerate(S):
        recover[i, row] = 1
    for row, i in enumerate(D):
        recover[i, :] = on_q.g_v[row, :]
        offset[i] = g_dot[row]
    A_rows, B_rows, g_v, recover_rows, offset_rows = s.matrices(A, B, on_q.g_v, recover, offset)
    A_graphs = [row[0] for row in A_rows]
    return Equations(
        form="reduced",
        system=system,
        unknowns=names([s.accelerations[i] for i in S]),
        matrix=B_rows,
        right=[graph.neg(a) for a in A_graphs],
        recover=recover_rows,
        offset=[row[0] for row in offset_rows],
        objects={"A": A_graphs, "B": B_rows, "g_v": g_v},
        source="Krupková (69), (70), (75), (76); K19, K20",
    )
