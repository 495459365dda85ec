"""Which systems have equations in quasi-velocities: constraints that are affine in the velocities, and react.

Where a constraint is not affine, the velocities that it admits at a point are no affine space but a surface,
and no frame of directions spans it. If it is a sphere or a cone, angles parametrise it (:mod:`.angles`). Else
quasi-velocities exist as functions u(t, q, v), which Hamel's equations and those of Gibbs and Appell take,
but v = V(t, q, u) cannot be written down in general.
"""

from __future__ import annotations

from fractions import Fraction

import casadi

from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.equations.law.hypotheses import affine_parts, no_acceleration_constraints
from chetaev.equations.law.setup import Setup
from chetaev.equations.law.sharp_constraints import affine_meaning
from chetaev.equations.quasi.angles import angle_frame
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX, is_linear

EFFORT = 200_000
"""What the proof that something is affine may cost."""


def expect_frame(s: Setup) -> None:
    """Raise unless the constraints are independent, not on accelerations, and affine in the velocities."""
    no_acceleration_constraints(s, "quasi", "needs them on velocities, where a frame of directions exists")
    if not s.system.dynamics.constraints_react:
        raise ModelError(
            s.system.dynamics.lacks("momenta and no forces of constraint"), remedy="use form='reduced'"
        )
    _ = s.dependent
    if not is_affine(s, s.f) and angle_frame(s.system) is not None:
        return
    for i in range(s.f.numel()):
        if not is_affine(s, s.f[i]):
            if plain := affine_meaning(s.system):
                raise ModelError(
                    f"constraint {i + 1} is not affine in the velocities as it is written: it means {plain}; "
                    "the form 'quasi' needs the frame of directions of affine constraints",
                    remedy=f"write {plain}",
                )
            raise ModelError(
                f"constraint {i + 1} is not affine in the velocities, so that the admissible ones are no "
                "affine space with a frame of directions, which the form 'quasi' needs; nor is it seen to be "
                "a sphere or a cone",
                remedy="use form='hamel' or 'gibbs-appell', which take quasi-velocities for any constraint",
            )


def is_affine(s: Setup, column: SX) -> bool:
    """Whether functions on J¹Y are affine in the velocities: as written, or proved in normal form.

    max(x', y') and sign(x') are affine at almost every point, and not affine.
    """
    if not column.numel() or is_linear(column, s.v):
        return True
    field = Field(Budget.of(EFFORT))
    J = s.by_v(column)
    entries = s.graphs(casadi.horzcat(J, column - J @ s.v))
    found = Allowance(EFFORT, EFFORT).attempt(field, lambda: [field(e).symbols for e in entries])
    return found is not None and not any(order for symbols in found for _, order in symbols)


def coefficients(s: Setup, column: SX) -> tuple[SX, SX]:
    """J(t, q) and j(t, q) of functions J v + j.

    What is not affine as written, such as (x'^2 - y'^2)/(x' - y'), is taken at fixed velocities.
    """
    if not column.numel() or is_linear(column, s.v):
        return affine_parts(s, column)
    fixed = [Fraction(round(64 * float(s.sample[(c, 1)])), 64) for c in s.system.coordinates]
    here = s.column([graph.number(x) for x in fixed])
    J = casadi.substitute(s.by_v(column), s.v, here)
    return J, casadi.substitute(column, s.v, here) - J @ here
