"""A frame from given quasi-velocities: v = V(t, q, u) by solving u = J v + j, 0 = C v + c (SCOPE D1).

The solution is exact: in normal form where that is within reach, else as elimination leaves it.

Which systems have equations in quasi-velocities: constraints that are affine in the velocities, and react.

Where a constraint is not affine, the velocities that it admits at a point are no affine space but a surface,
and no frame of directions spans it. If it is a sphere or a cone, angles parametrise it (:mod:`.angles`). Else
quasi-velocities exist as functions u(t, q, v), which Hamel's equations and those of Gibbs and Appell take,
but v = V(t, q, u) cannot be written down in general.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import casadi

from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.hypotheses import Plane, affine_parts, complete_frame, no_acceleration_constraints
from chetaev.equations.law.setup import Setup, fresh_names
from chetaev.equations.law.sharp_constraints import affine_meaning
from chetaev.equations.quasi.angles import angle_frame
from chetaev.equations.quasi.quasi_frame import QuasiFrame
from chetaev.equations.quasi.regular_frame import failing
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field
from chetaev.expr.exact.linear.matrix import solve
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX, is_linear
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import check_name
from chetaev.model.system import System

AFFINE_EFFORT = 200_000
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
    field = Field(Budget.of(AFFINE_EFFORT))
    J = s.by_v(column)
    entries = s.graphs(casadi.horzcat(J, column - J @ s.v))
    found = Allowance(AFFINE_EFFORT, AFFINE_EFFORT).attempt(
        field, lambda: [field(e).symbols for e in entries]
    )
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


EFFORT = 600_000
"""What the normal form of V may cost."""

Given = Sequence[str | Expr] | Mapping[str, str | Expr]


def named(system: System, given: Given | None) -> tuple[tuple[str, ...], tuple[Expr, ...]] | None:
    """Names and functions of quasi-velocities: those given, else those of the model, else None.

    A plain list gets the names u1, u2, …
    """
    if given is None:
        return (tuple(system.quasi), tuple(system.quasi.values())) if system.quasi else None
    if isinstance(given, str) or not isinstance(given, (Mapping, Sequence)):
        raise ModelError(
            f"quasi_velocities is {given!r}",
            expected="expressions in a list or by name, such as {'u': \"x'*cos(phi) + y'*sin(phi)\"}",
        )
    texts = list(given.values()) if isinstance(given, Mapping) else list(given)
    labels = fresh_names(system, len(texts), "u", "")
    if isinstance(given, Mapping):
        labels = tuple(_checked(system, name) for name in given)
    functions = [parse(e, system.scope) if isinstance(e, str) else e for e in texts]
    return labels, tuple(functions)


def _checked(system: System, name: object) -> str:
    checked = check_name(name, "quasi-velocity")
    if checked in system.names and checked not in system.quasi:
        raise ModelError(
            f"the name {checked!r} of a quasi-velocity is used by the model already", remedy="rename it"
        )
    return checked


def given_frame(s: Setup, labels: Sequence[str], functions: Sequence[Expr]) -> QuasiFrame | None:
    """The frame of quasi-velocities that are affine in the velocities, as the constraints are; else None."""
    complete_frame(s, Plane(s), list(functions))  # their number, and that they are independent
    u = s.column(list(functions))
    every = casadi.vertcat(u, s.f)
    if s.alpha.numel() or not is_affine(s, every):
        return None
    J, j = coefficients(s, every)
    symbols = [graph.symbol(label) for label in labels]
    n = len(symbols)
    right = casadi.vertcat(s.column(symbols), casadi.SX(s.f.numel(), 1)) - j
    velocities = _normal_form(s.matrix(J), s.graphs(right))
    if velocities is None:
        velocities = s.graphs(s.solve(J, right))
    return QuasiFrame(tuple(labels), tuple(velocities), tuple(functions), None, (), "given") if n else None


def written_in(s: Setup, given: Given | None) -> dict[str, QuasiFrame]:
    """The frame in which a law is written for people, among its objects; empty where there is none."""
    own = named(s.system, given)
    frame = None if own is None else given_frame(s, *own)
    return {} if frame is None else {"quasi_frame": frame}


def _normal_form(rows: list[list[Expr]], right: list[Expr]) -> list[Expr] | None:
    field = Field(Budget.of(EFFORT))
    made = Allowance(EFFORT, EFFORT).attempt(
        field, lambda: solve([[field(e) for e in row] for row in rows], [field(e) for e in right])
    )
    if made is None:
        return None
    return Allowance(EFFORT, EFFORT).attempt(field, lambda: [e.to_expr() for e in made])


@lru_cache(maxsize=128)
def frame_of_model(system: System) -> QuasiFrame:
    """The quasi-velocities of ``[quasi]``, or the natural ones; a ModelError where there are none."""
    from chetaev.equations.quasi.natural_frame import natural_frame

    own = named(system, None)
    if own is None:
        s = Setup(system)
        angles = None if is_affine(s, s.f) else angle_frame(system)
        return natural_frame(system) if angles is None else angles
    frame = given_frame(Setup(system), *own)
    if frame is None:
        raise ModelError(
            "the constraints are not affine in the velocities, so that these are no functions of the "
            "quasi-velocities that can be written down",
            remedy="use form='hamel' or 'gibbs-appell' with them",
        )
    return _judged(system, frame)


def _judged(system: System, frame: QuasiFrame) -> QuasiFrame:
    """The frame with what is proved about where it is one."""
    s = Setup(system)
    columns = s.matrix(casadi.jacobian(s.column(list(frame.velocities)), s.column(list(frame.symbols))))
    Q = Constraint(system)
    if not Q.exact or not Q.is_affine_as_written:
        return frame

    def step() -> list[Expr]:
        W = [[Q.field(row[i]) for row in columns] for i in range(len(frame.labels))]
        return [e.to_expr() for e in failing(Q, W)]

    fails = Allowance(EFFORT, EFFORT).attempt(Q.field, step)
    return frame if fails is None else replace(frame, regular=None if fails else True, vanishing=tuple(fails))
