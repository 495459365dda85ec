"""A frame from given quasi-velocities: v = V(t, q, u) by solving u = J v + j, 0 = C v + c (SCOPE D1).

The solution is exact: in normal form where that is within reach, else as elimination leaves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import casadi

from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.hypotheses import Plane, complete_frame
from chetaev.equations.law.setup import Setup, fresh_names
from chetaev.equations.quasi.affine_constraints import coefficients, is_affine
from chetaev.equations.quasi.angles import angle_frame
from chetaev.equations.quasi.quasi_frame import QuasiFrame
from chetaev.equations.quasi.regular_frame import failing
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field
from chetaev.expr.exact.linear.matrix import solve
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import check_name
from chetaev.model.system import System

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
