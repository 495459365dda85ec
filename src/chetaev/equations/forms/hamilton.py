"""Hamilton's equations in nonholonomic momenta (SCOPE K9, K24; Krupková (27), (28), (88)–(96)).

For constraints affine in the velocities, v^a = g^a(t, q, v^s), condition (89) holds by itself, and

    P_l = ∂L̄/∂v^l  (94),      H̄ = P_l v^l − L̄  (96),      (t, q, v^l) → (t, q, P_l) where det ∂P/∂v ≠ 0  (95).

With ∂/∂q|_P and ∂/∂P the derivations in these coordinates, ∂_c/∂q^l = ∂/∂q^l + ∂g^a/∂v^l ∂/∂q^a and
p_a = ∂L/∂v^a∘ι, the canonical equations (93) are

    q̇^l = ∂H̄/∂P_l,      q̇^a = g^a,
    Ṗ_l = −∂_cH̄/∂q^l|_P + p_a (d_c/dt ∂g^a/∂v^l − ∂_c g^a/∂q^l) + F_l + F_a ∂g^a/∂v^l.

The bracket vanishes for semiholonomic constraints. Without constraints these are Hamilton's equations (28).
The unknowns are Ṗ_l; accelerations follow from v^l = v^l(t, q, P) by the implicit function theorem, so that
no closed inverse of Legendre's transformation is needed. Where constraints are not affine, momenta exist only
where (89) holds: ``ch.hamilton`` says whether.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi

from chetaev.equations.law.hypotheses import affine_constraints, only_velocities
from chetaev.equations.law.law import Equations
from chetaev.equations.law.normal_law import ChosenChart, DerivationsOnQ
from chetaev.equations.law.setup import Around, Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System
from chetaev.numeric import is_regular


def applies(s: Setup) -> None:
    """Raise unless there is a Lagrangian, and constraints affine in the velocities with a regular (95)."""
    only_velocities(s, "momenta on Q need constraints on velocities; those on accelerations define no Q")
    affine_constraints(s, "hamilton")
    on_q = DerivationsOnQ(s)
    _check(s, on_q.by_v(on_q.by_v(s.L).T))


def _check(s: Setup, K: SX) -> None:
    if not s.independent:
        raise ModelError(
            "the constraints prescribe the motion: no velocity is left that could have a momentum",
            remedy="use form='chetaev', which gives the reactions",
        )
    if not is_regular(s.number(casadi.densify(K))):
        raise ModelError(
            "the matrix ∂²L̄/∂v∂v of the restricted Lagrangian is singular on all of Q: velocities do not "
            "follow from momenta (95)",
            remedy="ch.dirac brings degenerate Lagrangians to their end",
        )


def derive(system: System, dependent: Sequence[str] | None = None, chart: Around = None) -> Equations:
    """Hamilton's equations on Q: unknowns are the rates of the momenta.

    `dependent`: the coordinates whose velocities the constraints are solved for, if not the best pivots.

    >>> import chetaev as ch
    >>> law = derive(ch.System(coordinates=["x"], lagrangian="m*x'^2/2 - k*x^2", parameters={"m": 1, "k": 2}))
    >>> law.unknowns, str(law.rows[0])
    (("P_x'",), "P_x' = -2*k*x")
    """
    s = ChosenChart(system, dependent, chart)
    only_velocities(s, "momenta on Q need constraints on velocities; those on accelerations define no Q")
    affine_constraints(s, "hamilton")
    on_q = DerivationsOnQ(s)
    S, D, n = s.independent, s.dependent, len(s.independent)
    P = on_q.by_v(s.L).T
    K = on_q.by_v(P)
    _check(s, K)
    H = casadi.dot(P, s.v[S, 0]) - s.L
    # coordinates (t, q, P): ∂v/∂P = K⁻¹, ∂v/∂q|_P = −K⁻¹ ∂P/∂q|_Q, and the same for t
    solved = s.solve(K, casadi.horzcat(casadi.SX.eye(n), -on_q.by_q(P), -on_q.by_t(P)))
    v_P, v_q, v_t = solved[:, :n], solved[:, n : n + s.m], solved[:, n + s.m :]
    H_v, H_q = on_q.by_v(H), on_q.by_q(H)
    H_q = H_q + H_v @ v_q
    q_dot = casadi.SX(s.m, 1)
    for row, i in enumerate(S):
        q_dot[i] = (H_v @ v_P)[row]
    for i in D:
        q_dot[i] = s.v[i]  # q̇^a = g^a, which is v^a on Q
    rate = -(H_q[:, S] + H_q[:, D] @ on_q.g_v).T + s.F[S, 0] + on_q.g_v.T @ s.F[D, 0]
    p_D = s.by_v(s.L)[:, D]
    for a in range(len(D)):
        g_s = on_q.g_v[a, :].T
        rate += p_D[a] * (on_q.along(g_s) - (on_q.g_q[a, S] + on_q.g_q[a, D] @ on_q.g_v).T)
    W, w = s.lifted(on_q.g_v, on_q.g_t + on_q.g_q @ s.v)
    recover, offset = W @ v_P, W @ (v_t + v_q @ q_dot) + w  # a^l = dv^l/dt with v^l = v^l(t, q, P)
    identity, right, recovered, offsets, momenta, matrix = s.matrices(
        casadi.SX.eye(n), rate, recover, offset, P, K
    )
    return Equations(
        form="hamilton",
        system=system,
        unknowns=tuple(f"P_{system.coordinates[i]}'" for i in S),
        matrix=identity,
        right=[row[0] for row in right],
        recover=recovered,
        offset=[row[0] for row in offsets],
        objects={"P": [row[0] for row in momenta], "K": matrix, "H": s.graphs(H)[0]},
        source="Krupková (88)–(96); K9, K24",
    )
