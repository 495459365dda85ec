"""Chetaev's equations with multipliers (SCOPE K14; Krupková (48), (49)).

    d/dt ∂L/∂v − ∂L/∂q = F + μ_a ∂f^a/∂v,      f(t, q, v) = 0.

Written out on the fibre of J²Y, with M = ∂²L/∂v∂v, h = d'/dt(∂L/∂v) − ∂L/∂q, C = ∂f/∂v, c' = d'f/dt:

    M a − Cᵀ μ = F − h,      C a = −c'.

Acceleration constraints add rows to C (their coefficients of a) and to c' (the rest); SCOPE L9.
"""

from __future__ import annotations

import casadi

from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup, fresh_names, names
from chetaev.model.system import System


def applies(s: Setup) -> None:
    """Every system with a Lagrangian has these equations."""
    _ = s.L


def derive(system: System, chart: Around = None) -> Equations:
    """Chetaev's equations: unknowns are all accelerations and all multipliers."""
    s = Setup(system, chart=chart)
    M = s.by_v(s.Pi)
    h = s.along(s.Pi) - s.push
    C, c = s.rows.C, s.rows.c
    matrix = casadi.blockcat([[M, -C.T], [C, casadi.SX(s.k, s.k)]])
    right = casadi.vertcat(s.F - h, -c)
    identity = casadi.SX.eye(s.m + s.k)
    return Equations(
        form="chetaev",
        system=system,
        unknowns=names(s.accelerations) + fresh_names(system, s.k),
        matrix=s.matrix(matrix),
        right=s.graphs(right),
        recover=s.matrix(identity[: s.m, :]),
        offset=s.graphs(casadi.SX(s.m, 1)),
        multiplier_rows=s.matrix(identity[s.m :, :]),
        multiplier_offset=s.graphs(casadi.SX(s.k, 1)),
        objects={"M": s.matrix(M), "h": s.graphs(h), "C": s.matrix(C), "c": s.graphs(c)},
        source="Krupková (48), (49); K14",
    )
