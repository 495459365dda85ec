"""Euler–Lagrange equations (SCOPE K6, K11, K12; Krupková (16), (22), (31)).

    d/dt ∂L/∂v − ∂L/∂q = F,     on the fibre of J²Y:  M a = F − h,  M = ∂²L/∂v∂v,  h = d'/dt(∂L/∂v) − ∂L/∂q.

For systems without velocity constraints. Position constraints are taken internally (:mod:`.internal`):
the equations are those of the restricted Lagrangian on the submanifold. With velocity constraints this is
wrong, and refused.
"""

from __future__ import annotations

import casadi

from chetaev.equations.forms import internal
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.model.system import System


def applies(s: Setup) -> None:
    """Raise if there are constraints on velocities or accelerations."""
    system = s.system
    if system.velocity_constraints or system.acceleration_constraints:
        count = len(system.velocity_constraints) + len(system.acceleration_constraints)
        raise ModelError(
            f"the Euler–Lagrange equations leave no room for {count} constraint{'s' if count > 1 else ''} on "
            "velocities or accelerations",
            remedy="use form='reduced' or form='chetaev'",
        )
    if s.k:
        _ = s.dependent  # a chart of the submanifold


def derive(system: System, chart: Around = None) -> Equations:
    """The Euler–Lagrange equations, on the submanifold of the position constraints if there are any.

    >>> import chetaev as ch
    >>> derive(ch.load("double-pendulum")).unknowns
    ("a1''", "a2''")
    """
    s = Setup(system, chart=chart)
    applies(s)
    if system.position_constraints:
        return internal.derive(system, form="euler-lagrange", chart=chart)
    p = casadi.gradient(s.L, s.v)
    M, h = s.by_v(p), s.along(p) - casadi.gradient(s.L, s.q)
    return Equations(
        form="euler-lagrange",
        system=system,
        unknowns=names(s.accelerations),
        matrix=s.matrix(M),
        right=s.graphs(s.F - h),
        recover=s.matrix(casadi.SX.eye(s.m)),
        offset=s.graphs(casadi.SX(s.m, 1)),
        objects={"A": s.graphs(s.F - h), "B": s.matrix(-M), "M": s.matrix(M), "h": s.graphs(h)},
        source="Krupková (16), (22), (31); K6, K11",
    )
