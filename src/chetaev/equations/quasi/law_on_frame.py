"""d'Alembert's principle on a frame, with the velocities put in: a law in (t, q, u) alone (SCOPE D5, L6).

With v = V(t, q, u) for all admissible velocities, the accelerations are

    a = ∂V/∂u u' + d_u V,      d_u V = ∂V/∂t + V·∂V/∂q   at fixed u,

and the constraint forces do no work in the directions ∂V/∂u^s, so that

    (∂V/∂u)ᵀ (M a + h − F) = 0,      M = ∂Π/∂v,   h = d'Π/dt − ∂L/∂q,   Π = ∂L/∂v,   all at v = V(t, q, u).

V may be any parametrisation of the velocities that the constraints admit; neither structure functions nor
momenta of the frame occur, nor is a Gibbs function needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi

from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr


@dataclass(frozen=True)
class LawInU:
    """matrix · u' = right, a = recover · u' + offset, as nodes of the setup's engine in (t, q, u)."""

    matrix: SX
    right: SX
    recover: SX
    offset: SX


def law_in(s: Setup, velocities: Sequence[Expr], symbols: Sequence[Expr]) -> LawInU:
    """The law of a system in quasi-velocities u, the `symbols`, with v = V(t, q, u), the `velocities`."""
    V, u = s.column(list(velocities)), s.column(list(symbols))
    M, h = s.inertia
    n = len(symbols)
    together = casadi.horzcat(casadi.densify(M), casadi.densify(s.F - h))
    on_q = casadi.substitute(together, s.v, V)
    V_u = casadi.jacobian(V, u)
    rest = casadi.jtimes(V, casadi.vertcat(s.t, s.q), casadi.vertcat(1, V))
    M_q, force = on_q[:, : s.m], on_q[:, s.m]
    if not n:
        return LawInU(casadi.SX(0, 0), casadi.SX(0, 1), casadi.SX(s.m, 0), rest)
    return LawInU(V_u.T @ (M_q @ V_u), V_u.T @ (force - M_q @ rest), V_u, rest)
