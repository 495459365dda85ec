"""Reduced equations on the constraint submanifold (SCOPE K19, K20; Krupková (69), (70), (75), (76)).

With L̄ = L∘ι, g the normal form v^a = g^a(t, q, v^s) and d_c, ∂_c the constraint derivatives,

    Ā_s = ∂_c L̄/∂q^s − d'_c/dt ∂L̄/∂v^s − (∂L/∂v^a∘ι)(∂_c g^a/∂q^s − d'_c/dt ∂g^a/∂v^s) + F_s + F_a ∂g^a/∂v^s
    B̄_sr = −∂²L̄/∂v^r∂v^s + (∂L/∂v^a∘ι) ∂²g^a/∂v^r∂v^s
    Ā_s + B̄_sr a^r = 0,      a^a = d_c g^a/dt,

where Krupková's force is Φ = −F, ∂_c/∂q^s = ∂/∂q^s + ∂g^a/∂v^s ∂/∂q^a and d'_c/dt leaves accelerations out.
A fundamental form φ = F dq + Π dv (D4) has F̄_s = F_s + F_a ∂g^a/∂v^s and Π̄_s likewise, and in the same way

    Ā_s = F̄_s − d'_c/dt Π̄_s + Π_a d'_c/dt ∂g^a/∂v^s,     B̄_sr = −∂Π̄_s/∂v^r + Π_a ∂²g^a/∂v^r∂v^s.

A system given on Q itself has Ā and B̄ already (:mod:`.intrinsic`). No closed g is needed: functions on Q
are written in ambient coordinates and differentiated by ∂/∂v^s|_Q = ∂/∂v^s + B^a_s ∂/∂v^a and ∂/∂q^σ|_Q =
∂/∂q^σ − (C_D⁻¹ f_{q^σ})^a ∂/∂v^a.
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.equations.forms import intrinsic
from chetaev.equations.law.hypotheses import only_velocities
from chetaev.equations.law.law import Equations
from chetaev.equations.law.normal_law import ChosenChart, DerivationsOnQ
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System


def applies(s: Setup) -> None:
    """Raise unless the constraints define a submanifold Q of J¹Y with a chart."""
    only_velocities(
        s, "the reduced equations live on a submanifold of J¹Y; constraints on accelerations define none"
    )
    _ = s.dependent  # a chart of Q


def _from_lagrangian(s: Setup, on_q: DerivationsOnQ) -> tuple[SX, SX]:
    """Ā and B̄ from L̄ by (69), (70)."""
    S, D = s.independent, s.dependent
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
    return A, B


def _from_form(s: Setup, on_q: DerivationsOnQ) -> tuple[SX, SX]:
    """Ā and B̄ from φ = F dq + Π dv on Q: d_c(Wᵀ Π)/dt − (d_c W/dt)ᵀ Π = Wᵀ F with W = [1; ∂g/∂v]."""
    S, D = s.independent, s.dependent
    F = s.push + s.F
    momenta = s.Pi[S, 0] + on_q.g_v.T @ s.Pi[D, 0]
    A = F[S, 0] + on_q.g_v.T @ F[D, 0] - on_q.along(momenta)
    B = -on_q.by_v(momenta)
    for a, i in enumerate(D):
        slope = on_q.g_v[a, :].T
        A += s.Pi[i] * on_q.along(slope)
        B += s.Pi[i] * on_q.by_v(slope)
    return A, B


def derive(system: System, dependent: Sequence[str] | None = None, chart: Around = None) -> Equations:
    """The reduced equations: unknowns are the independent accelerations.

    `dependent`: the coordinates whose velocities the constraints are solved for, if not the best pivots.

    >>> import chetaev as ch
    >>> derive(ch.load("leibniz-particle"), dependent=["z"]).unknowns
    ("x''", "y''")
    """
    if not system.dynamics.constraints_react:
        return intrinsic.derive(system, dependent, chart=chart)
    s = ChosenChart(system, dependent, chart)
    applies(s)
    on_q = DerivationsOnQ(s)
    S = s.independent
    A, B = _from_lagrangian(s, on_q) if system.dynamics.lagrangian is not None else _from_form(s, on_q)
    recover, offset = s.lifted(on_q.g_v, on_q.g_t + on_q.g_q @ s.v)
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
