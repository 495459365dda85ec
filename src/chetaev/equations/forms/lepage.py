"""Reduced equations by the forms: ι*α modulo the constraint ideal (SCOPE K4, K11, K19; Krupková (65)–(68)).

The ambient mechanical system is the Lepage class of

    α = A_σ ω^σ∧dt + B_σν ω^σ∧dv^ν + (2-contact),  A = ∂L/∂q − d'/dt ∂L/∂v + F,  B = −∂²L/∂v∂v    (33), (65)

(Krupková's force is Φ = −F). On Q the forms dt, ω^l, φ^a, dv^s are a basis, in which

    ω^a = φ^a + (∂g^a/∂v^l) ω^l  (60),      dv^a = d'_c g^a/dt dt + ∂g^a/∂q^σ ω^σ + ∂g^a/∂v^s dv^s.

Substituting both, leaving out φ^a (the constraint ideal) and ω∧ω (2-contact), the coefficients of ω^l∧dt
and of ω^l∧dv^s are Ā_l and B̄_ls of (67), and the equations of motion are Ā_l + B̄_ls a^s = 0. Formula
(68) is not quoted: it is what comes out. The differentials of g follow from df = 0 on Q, so no closed
normal form is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi

from chetaev.equations.law.hypotheses import only_velocities
from chetaev.equations.law.law import Equations
from chetaev.equations.law.normal_law import ChosenChart
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System


@dataclass(frozen=True)
class CoframeOnQ:
    """Pullbacks to Q of dt, ω^σ, dv^σ as rows in the basis (dt, ω^l, φ^a, dv^s)."""

    dt: SX
    omega: SX
    dv: SX


def coframe(s: Setup) -> CoframeOnQ:
    """The pullbacks of the contact basis of J¹Y to Q, by implicit differentiation of f = 0."""
    S, D = s.independent, s.dependent
    n, k = len(S), len(D)
    basis = casadi.SX.eye(1 + 2 * n + k)
    dt, omega_l, phi, dv_s = (
        basis[0, :],
        basis[1 : 1 + n, :],
        basis[1 + n : 1 + n + k, :],
        basis[1 + n + k :, :],
    )
    gradient = casadi.horzcat(s.by_t(s.f), s.by_q(s.f), s.by_v(s.f)[:, S])
    dg = -s.solve(s.by_v(s.f)[:, D], gradient) if k else casadi.SX(0, gradient.shape[1])
    g_t, g_q, g_v = dg[:, 0], dg[:, 1 : 1 + s.m], dg[:, 1 + s.m :]
    omega, dv = casadi.SX(s.m, basis.shape[0]), casadi.SX(s.m, basis.shape[0])
    omega[S, :], dv[S, :] = omega_l, dv_s
    if k:
        omega[D, :] = phi + g_v @ omega_l
        dv[D, :] = g_t @ dt + g_q @ (omega + s.v @ dt) + g_v @ dv_s
    return CoframeOnQ(dt, omega, dv)


def ambient(s: Setup) -> tuple[SX, SX]:
    """A and B of the unconstrained mechanical system (33): E_σ = A_σ + B_σν a^ν."""
    M, h = s.inertia
    return s.F - h, -M


def pullback(basis: CoframeOnQ, A: SX, B: SX, F: SX | None = None) -> SX:
    """ι*α in the basis of Q: entry (i, j) belongs to e_i∧e_j; F_σν is an optional 2-contact part."""
    half = basis.omega.T @ (A @ basis.dt + B @ basis.dv)
    if F is not None:
        half += basis.omega.T @ F @ basis.omega
    return half - half.T


def applies(s: Setup) -> None:
    """Raise unless the constraints define a submanifold Q of J¹Y with a chart."""
    only_velocities(
        s, "a Lepage class is pulled back to a submanifold of J¹Y; constraints on accelerations define none"
    )
    _ = s.dependent  # a chart of Q


def derive(system: System, dependent: Sequence[str] | None = None, chart: Around = None) -> Equations:
    """The reduced equations read off from ι*α; unknowns are the independent accelerations.

    `dependent`: the coordinates whose velocities the constraints are solved for, if not the best pivots.

    >>> import chetaev as ch
    >>> derive(ch.load("leibniz-particle"), dependent=["z"]).unknowns
    ("x''", "y''")
    """
    s = ChosenChart(system, dependent, chart)
    applies(s)
    S, D, n, k = s.independent, s.dependent, len(s.independent), len(s.dependent)
    basis = coframe(s)
    form = pullback(basis, *ambient(s))
    A = form[1 : 1 + n, 0]
    B = form[1 : 1 + n, 1 + n + k :]
    # along a motion ω^l, φ^a vanish and dv^s = a^s dt, so dv^a = a^a dt reads off a^a
    recover, offset = s.lifted(basis.dv[D, 1 + n + k :], basis.dv[D, 0])
    return Equations(
        form="reduced-lepage",
        system=system,
        unknowns=names([s.accelerations[i] for i in S]),
        matrix=s.matrix(B),
        right=s.graphs(-A),
        recover=s.matrix(recover),
        offset=s.graphs(offset),
        objects={"A": s.graphs(A), "B": s.matrix(B), "alpha": s.matrix(form), "independent": tuple(S)},
        source="Krupková (65)–(68); K4, K19",
    )
