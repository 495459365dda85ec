"""Equations from the first variation, without a Lagrangian (SCOPE D4, D8, K8; Delphenich (1.1)–(1.5),
(3.8)–(3.12)).

A fundamental 1-form φ = F_σ dq^σ + Π_σ dv^σ on J¹ takes the place of dL
(:mod:`chetaev.equations.law.fundamental`). The first variation δS = ∫ φ(δq, δq̇) dt, integrated by parts,
leaves D*φ = F − dΠ/dt, and with constraints it has to vanish on virtual displacements only:

    (F_σ − dΠ_σ/dt) W^σ_s = 0,     C W = 0,     f = 0.

Redundant constraints are left out. A system with L and a force has φ = (∂L/∂q + F) dq + ∂L/∂v dv. For r
parameters (D8) see :mod:`chetaev.equations.forms.field_equations`.
"""

from __future__ import annotations

import casadi

from chetaev.equations.forms.field_equations import field_equations as field_equations
from chetaev.equations.law.fundamental import Exactness as Exactness
from chetaev.equations.law.fundamental import FundamentalForm as FundamentalForm
from chetaev.equations.law.hypotheses import Plane, only_velocities
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System


def applies(s: Setup) -> None:
    """Raise unless the constraints define virtual displacements."""
    only_velocities(
        s, "virtual displacements come from constraints f(t, q, v) = 0, not from those on accelerations"
    )
    if not s.system.redundancy.dependent:
        _ = s.dependent  # a chart of Q


def _displacements(s: Setup) -> tuple[SX, SX, SX]:
    """The rows of C and d'f/dt that are independent, and a basis W of the virtual displacements, ker C."""
    if s.system.redundancy.dependent:
        plane = Plane(s)
        return plane.C[plane.rows, :], plane.c[plane.rows], plane.directions
    S, D, n = s.independent, s.dependent, len(s.independent)
    C = s.by_v(s.f)
    B = -s.solve(C[:, D], C[:, S]) if D else casadi.SX(0, n)
    return C, s.along(s.f), s.lifted(B, casadi.SX(len(D), 1))[0]


def derive(system: System, chart: Around = None) -> Equations:
    """D*φ restricted to virtual displacements, and C a = −c'; unknowns are all accelerations."""
    phi = FundamentalForm.of(system)
    s = Setup(system, chart=chart)
    applies(s)
    F, Pi = s.column(phi.F), s.column(phi.Pi)
    C, c, W = _displacements(s)
    inertia, work = s.by_v(Pi), F - s.along(Pi)
    return Equations(
        form="first-variation",
        system=system,
        unknowns=names(s.accelerations),
        matrix=s.matrix(casadi.vertcat(W.T @ inertia, C)),
        right=s.graphs(casadi.vertcat(W.T @ work, -c)),
        recover=s.matrix(casadi.SX.eye(s.m)),
        offset=s.graphs(casadi.SX(s.m, 1)),
        objects={"F": list(phi.F), "Pi": list(phi.Pi), "W": s.matrix(W)},
        source="Delphenich (1.1)–(1.3), (3.8)–(3.11); D4",
    )
