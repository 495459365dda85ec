"""Generalized Čaplygin equations (SCOPE Sa10, M4; Sarlet, section 1; classical case: Neimark and Fufaev).

With the constraints solved for velocities, v^a = g^a(t, q, v^α), B^a_α = ∂g^a/∂v^α, X_α = ∂/∂q^α + B^a_α
∂/∂q^a:

    d/dt ∂L̄/∂v^α = X_α(L̄) + C^a_α (∂L/∂v^a)∘ι + F_α + B^a_α F_a,      C^a_α = dB^a_α/dt − X_α(g^a).

Affine constraints g^a = B^a_β(t,q) v^β + B^a(t,q) are solved outright (elimination), L̄ is L with g
substituted, a function of (t, q, v^α) only, and C is the curvature of the connection B on Y: with X_0 =
∂/∂t + B^b ∂/∂q^b,

    C^a_α = R^a_βα v^β + R^a_0α,    R^a_βα = X_β(B^a_α) − X_α(B^a_β),    R^a_0α = X_0(B^a_α) − X_α(B^a);

C = 0 exactly for semiholonomic constraints. Nonlinear constraints are solved only implicitly; dB^a_α/dt
then contains accelerations, ∂²g^a/∂v^α∂v^β a^β, which move to the left side. Signs as in DESIGN: F on the
right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi

from chetaev.equations.law.hypotheses import only_velocities
from chetaev.equations.law.law import Equations
from chetaev.equations.law.normal_law import ChosenChart, DerivationsOnQ
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System


@dataclass(frozen=True)
class ChaplyginLaw:
    """matrix·a = right for the independent accelerations, a^a = B a + g_dot, and C without accelerations."""

    matrix: SX
    right: SX
    B: SX
    g_dot: SX
    C: SX
    curvature: tuple[SX, ...] = ()


def applies(s: Setup) -> None:
    """Raise unless there are constraints, and they can be solved for velocities."""
    only_velocities(
        s, "Čaplygin's equations need constraints solved for velocities; those on accelerations are not"
    )
    if not s.k:
        raise ModelError(
            "there is no constraint to be solved for velocities", remedy="use form='euler-lagrange'"
        )
    _ = s.dependent  # a chart of Q


def derive(system: System, dependent: Sequence[str] | None = None, chart: Around = None) -> Equations:
    """The generalized Čaplygin equations; unknowns are the accelerations independent of `dependent`."""
    s = ChosenChart(system, dependent, chart)
    applies(s)
    affine = s.is_linear_column(s.f, s.velocities)
    parts = _explicit(s) if affine else _implicit(s)
    recover, offset = s.lifted(parts.B, parts.g_dot)
    objects: dict[str, Any] = {
        "C": s.matrix(parts.C),
        "B": s.matrix(parts.B),
        "solved": "closed" if affine else "implicit",
    }
    if parts.curvature:
        objects["R"] = [s.matrix(r) for r in parts.curvature]
    return Equations(
        form="chaplygin",
        system=system,
        unknowns=names([s.accelerations[i] for i in s.independent]),
        matrix=s.matrix(parts.matrix),
        right=s.graphs(parts.right),
        recover=s.matrix(recover),
        offset=s.graphs(offset),
        objects=objects,
        source="Sarlet, section 1; Sa10",
    )


def _explicit(s: Setup) -> ChaplyginLaw:
    """Affine constraints: everything is a function of (t, q, v^α) after substitution."""
    S, D, n = s.independent, s.dependent, len(s.independent)
    v = s.v[S, 0]
    rest = casadi.substitute(s.f, s.v, casadi.SX.zeros(s.m))
    jacobian = s.by_v(s.f)
    solved = -s.solve(jacobian[:, D], casadi.horzcat(jacobian[:, S], rest))
    B, B_0 = solved[:, :n], solved[:, n]
    g = B @ v + B_0

    def on_q(column: SX) -> SX:
        return casadi.substitute(column, s.v[D], g)

    def X(column: SX) -> SX:
        by_q = s.by_q(column)
        return by_q[:, S] + by_q[:, D] @ B

    def X_0(column: SX) -> SX:
        return s.by_t(column) + s.by_q(column)[:, D] @ B_0

    curvature, C = [], casadi.SX(len(D), n)
    for a in range(len(D)):
        row = B[a, :].T
        R = X(row).T - X(row)
        curvature.append(R)
        C[a, :] = (R.T @ v + X_0(row) - X(B_0[a]).T).T
    L = on_q(s.L)
    p_D, F = on_q(s.by_v(s.L)[:, D].T), on_q(s.F)
    L_v = casadi.gradient(L, v)
    moved = casadi.vertcat(1, _full(s, v, g))
    drift = casadi.horzcat(s.by_t(L_v), s.by_q(L_v)) @ moved
    right = X(L).T + C.T @ p_D + F[S, 0] + B.T @ F[D, 0] - drift
    g_dot = casadi.horzcat(s.by_t(g), s.by_q(g)) @ moved
    return ChaplyginLaw(casadi.jacobian(L_v, v), right, B, g_dot, C, tuple(curvature))


def _full(s: Setup, v: SX, g: SX) -> SX:
    """All velocities, from the independent ones and g."""
    column = casadi.SX(s.m, 1)
    for row, i in enumerate(s.independent):
        column[i] = v[row]
    for row, i in enumerate(s.dependent):
        column[i] = g[row]
    return column


def _implicit(s: Setup) -> ChaplyginLaw:
    """Constraints with no closed normal form: functions on Q in ambient coordinates."""
    on_q = DerivationsOnQ(s)
    S, D, n = s.independent, s.dependent, len(s.independent)
    p = s.by_v(s.L)
    L_v = on_q.by_v(s.L).T
    matrix = on_q.by_v(L_v)
    C = casadi.SX(len(D), n)
    for a, dependent in enumerate(D):
        B_a = on_q.g_v[a, :].T
        C[a, :] = on_q.along(B_a).T - on_q.g_q[a, S] - on_q.g_q[a, D] @ on_q.g_v
        matrix -= p[dependent] * on_q.by_v(B_a)
    right = on_q.chetaev(s.L).T + C.T @ p[D].T + s.F[S, 0] + on_q.g_v.T @ s.F[D, 0] - on_q.along(L_v)
    return ChaplyginLaw(matrix, right, on_q.g_v, on_q.g_t + on_q.g_q @ s.v, C)
