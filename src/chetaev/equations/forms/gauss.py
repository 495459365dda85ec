"""Gauss's principle of least constraint (SCOPE L8, L9; Lewis, slide 16).

At a fixed point of J¹Y the acceleration is the critical point of the quadratic function

    Z(a) = ½ (a − a₀)ᵀ M (a − a₀),      M = ∂²L/∂v∂v,   M a₀ = F − h,   h = d'/dt(∂L/∂v) − ∂L/∂q,

on the affine plane C a + c = 0 that the constraints leave in the fibre of J²Y. Up to a constant of the
fibre Z(a) = ½ aᵀ M a + (h − F)·a, which asks for no inverse: so M may be singular, as long as Z restricted
to the plane has one critical point. It is a minimum where M is positive definite on the plane. The plane is
parametrised, a = a₁ + W u, and dZ/du = 0 is the law; u are independent accelerations.

Multipliers: d/dt ∂L/∂v − ∂L/∂q = F + μ C, as everywhere.
"""

from __future__ import annotations

import casadi

from chetaev.equations.law.hypotheses import Plane, vanishing
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System


def constraint_function(s: Setup) -> SX:
    """Z(a) = ½ aᵀ M a + (h − F)·a: Gauss's function up to a constant of the fibre."""
    M, h = s.by_v(s.Pi), s.along(s.Pi) - s.push
    if not s.system.dynamics.symmetric and not all(vanishing(s, M - M.T)):
        raise ModelError(
            "∂Π/∂v is not symmetric: no function of the accelerations has the equations of motion as the "
            "condition for its least value on a plane",
            remedy="use form='first-variation' or 'chetaev'",
        )
    return casadi.bilin(M, s.a, s.a) / 2 + casadi.dot(h - s.F, s.a)


def applies(s: Setup) -> None:
    """Raise unless there is a point that meets the constraints; they may be dependent."""
    _ = s.L, Plane(s)


def derive(system: System, chart: Around = None) -> Equations:
    """Gauss's principle: unknowns are independent accelerations.

    >>> import chetaev as ch
    >>> derive(ch.load("knife-edge"))
    <Equations 'gauss' of 'Knife edge on an inclined plane': 2 unknowns>
    """
    s = Setup(system, chart=chart)
    plane = Plane(s)
    Z = constraint_function(s)
    W = plane.directions
    u = casadi.SX.sym("u", W.shape[1])
    on_plane = casadi.substitute(Z, s.a, casadi.densify(plane.point + W @ u))
    Z_uu, Z_u = casadi.hessian(on_plane, u)
    at_zero = casadi.substitute(Z_u, u, casadi.SX.zeros(u.numel()))
    multiplier_rows, multiplier_offset = None, []
    if not plane.redundant:
        # R = ∂Z/∂a is the reaction; R = Cᵀμ, read off in the dependent columns
        R = casadi.gradient(Z, s.a)[plane.dependent]
        rows = casadi.horzcat(casadi.jacobian(R, s.a) @ W, casadi.substitute(R, s.a, plane.point))
        mu = s.solve(plane.C[:, plane.dependent].T, rows) if s.k else rows
        multiplier_rows, multiplier_offset = s.matrix(mu[:, :-1]), s.graphs(mu[:, -1])
    return Equations(
        form="gauss",
        system=system,
        unknowns=names([s.accelerations[i] for i in plane.independent]),
        matrix=s.matrix(Z_uu),
        right=s.graphs(-at_zero),
        recover=s.matrix(W),
        offset=s.graphs(plane.point),
        multiplier_rows=multiplier_rows,
        multiplier_offset=multiplier_offset,
        objects={"Z": s.graphs(Z)[0], "W": s.matrix(W), "C": s.matrix(plane.C), "c": s.graphs(plane.c)},
        source="Lewis, slide 16; L8, L9",
    )
