"""Accelerations and multipliers as expressions: a law solved exactly, in normal form.

Where the normal form would cost more than its budget, the solution is left as an unsimplified graph: longer
to read, equally exact.

Symbolic agreement: accelerations of a formulation proved to satisfy d'Alembert's principle on Q.

The accelerations a of a law, solved exactly in normal form, are put into

    M a + h − F − Cᵀμ = 0,      C a + c' = 0      on Q,

with μ from k of the rows (SCOPE K14, K20). Where the constraints are affine in the velocities, Q is
parametrised and the normal form decides; otherwise the zero test works modulo the constraints. No proof
within the effort is no disproof: the numerical comparison stands by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi
import numpy as np

from chetaev.effort import EFFORT
from chetaev.equations.law.law import Equations
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import zero_tests
from chetaev.expr.graph.node import Expr, postorder
from chetaev.expr.graph.sharing import name_shared, text_length
from chetaev.model.states.points import random_points
from chetaev.numeric import is_regular, regular_minor

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations, Rows

LONG_TEXT = 20_000
"""Solutions with longer texts are shown with names for what repeats in them."""


def solve(law: Equations, effort: int | None = None) -> tuple[list[Expr], list[Expr]]:
    """Accelerations and multipliers of a law as expressions on Q.

    A matrix that is regular beside Q and singular on it, as for x' = y z' and x'³ = y³ z'³, has inverses that
    mean nothing on Q: it is refused, whatever can be divided by.
    """
    if len(law.matrix) == len(law.unknowns):
        _expect_regular(law)
        found = []
        for use_closed in (True, False):
            on_q = OnConstraint(law.system, (effort or law.effort) // 2, use_closed=use_closed)
            solution = ask(_in_normal_form, law, on_q)
            if isinstance(solution, GivenUp):
                continue
            found.append(solution)
            if all(g.is_polynomial for g in on_q.closed.values()):
                break  # a closed form with denominators may hide a regular value: look at both
        if found:
            return min(found, key=lambda s: (_divisions(*s[0], *s[1]), text_length(*s[0], *s[1])))
    a, mu = _unsimplified(law)
    if text_length(*a, *mu) > LONG_TEXT:
        # another prefix than in the rows of the law: both may stand side by side
        shared, _ = name_shared([*a, *mu], "s", law.system.names)
        return shared[: len(a)], shared[len(a) :]
    return a, mu


def _divisions(*roots: Expr) -> int:
    """How much text stands in denominators."""
    return sum(text_length(n.args[1]) for n in postorder(*roots) if n.op == "div")


def _in_normal_form(law: Equations, on_q: OnConstraint) -> tuple[list[Expr], list[Expr]]:
    x = on_q.solve(law.matrix, law.right)
    a = on_q.combine(law.recover, x, law.offset)
    if law.multiplier_rows is not None:
        mu = on_q.combine(law.multiplier_rows, x, law.multiplier_offset)
    else:
        mu = _multipliers(law, on_q, a)
    return [e.to_expr() for e in a], [e.to_expr() for e in mu]


def _multipliers(law: Equations, on_q: OnConstraint, a: list[Element]) -> list[Element]:
    """μ from Cᵀμ = M a + h − F, by as many independent rows; those of redundant constraints are 0."""
    s = Setup(law.system)
    if not s.k or not law.system.dynamics.constraints_react:
        return []
    mass, h = s.inertia
    M, force, C = (
        [[on_q.element(e) for e in row] for row in rows] for rows in s.matrices(mass, h - s.F, s.rows.C)
    )
    excess = [
        sum((entry * value for entry, value in zip(row, a, strict=True)), total)
        for row, (total,) in zip(M, force, strict=True)
    ]
    kept, columns = _independent(s)
    solution = linear.solve([[C[i][j] for i in kept] for j in columns], [excess[j] for j in columns])
    found = dict(zip(kept, solution, strict=True))
    return [found.get(i, on_q.field.zero) for i in range(s.k)]


def _independent(s: Setup) -> tuple[list[int], list[int]]:
    """Rows and columns of a largest regular minor of C at a generic point of Q."""
    return regular_minor(s.number(s.rows.C))


def _dependent(s: Setup) -> bool:
    """Whether the constraints are dependent on all of Q."""
    return bool(s.k) and len(_independent(s)[0]) < s.k


def _expect_regular(law: Equations) -> None:
    """Raise a ModelError if the matrix of the law is singular at the sample point of Q."""
    s, n = Setup(law.system, further=law.further_states), len(law.unknowns)
    sample = ask(lambda: s.numbers([e for row in law.matrix for e in row]).reshape(n, n))
    if isinstance(sample, GivenUp):
        return  # no point was found
    if np.isfinite(sample).all() and not is_regular(sample):
        raise _singular(law, s)


def _singular(law: Equations, s: Setup) -> ModelError:
    return ModelError(
        f"the equations in form {law.form!r} do not determine the accelerations: their matrix is "
        "singular at generic points of Q (K23)",
        remedy="ch.singular(system) says what is determined"
        + ("; form='gauss' accepts redundant constraints" if _dependent(s) else ""),
    )


def undetermined(law: Equations) -> str:
    """Why the law does not determine the accelerations, "" where it does: its value at a random point of Q.

    >>> import chetaev as ch
    >>> loose = ch.System(coordinates=["x", "y"], lagrangian="x'^2/2", degenerate=True)
    >>> undetermined(ch.equations(loose, "euler-lagrange"))
    'the accelerations are not determined: the matrix of the equations is singular on Q (K23)'
    """
    from chetaev.equations.law.law import SingularError

    try:
        for point in random_points(law.system, 1, seed=5, digits=30):
            law.evaluate(point, 30)
    except SingularError:
        return "the accelerations are not determined: the matrix of the equations is singular on Q (K23)"
    except ModelError:
        return ""  # no point was found, or the law has states of its own: nothing is known
    return ""


def _unsimplified(law: Equations) -> tuple[list[Expr], list[Expr]]:
    """The solution by elimination on engine nodes; least squares for an overdetermined law."""
    s = Setup(law.system, further=law.further_states)

    def nodes(rows: Rows) -> casadi.SX:
        flat = s.convert([e for row in rows for e in row])
        columns = len(rows[0]) if rows else len(law.unknowns)
        return (
            casadi.reshape(casadi.vertcat(*flat), columns, len(rows)).T
            if flat
            else casadi.SX(len(rows), columns)
        )

    A, b = nodes(law.matrix), s.column(list(law.right))
    if len(law.matrix) != len(law.unknowns):
        A, b = A.T @ A, A.T @ b
    try:
        x = s.solve(A, b) if law.unknowns else casadi.SX(0, 1)
    except ModelError:
        raise _singular(law, s) from None
    a = nodes(law.recover) @ x + s.column(list(law.offset))
    mu: Sequence[Expr] = []
    if law.multiplier_rows is not None:
        mu = s.graphs(nodes(law.multiplier_rows) @ x + s.column(list(law.multiplier_offset)))
    elif s.k and law.system.dynamics.constraints_react:
        M, h = s.inertia
        kept, columns = _independent(s)
        C = s.rows.C[kept, columns]
        excess = M @ a + h - s.F
        found = casadi.SX.zeros(s.k)
        found[kept] = s.solve(C.T, excess[columns])
        mu = s.graphs(found)
    return s.graphs(a), list(mu)


@dataclass(frozen=True)
class Proof:
    """Whether there is a proof; if not, the effort it was given up at, where more might help, else 0."""

    proved: bool
    limit: int = 0

    def __bool__(self) -> bool:
        return self.proved


def prove(law: Equations, effort: int = EFFORT) -> Proof:
    """Whether the accelerations of a law are proved to be those of d'Alembert's principle."""
    if len(law.matrix) != len(law.unknowns):
        return Proof(False)
    on_q = OnConstraint(law.system, effort)

    def still_open() -> list[Element]:
        x = on_q.solve(law.matrix, law.right)
        a = on_q.combine(law.recover, x, law.offset)
        return [r for r in _residuals(law, on_q, a) if not r.is_zero]

    open_ones = ask(still_open)
    if isinstance(open_ones, GivenUp):
        return Proof(False, effort if open_ones.limit else 0)
    if not open_ones:
        return Proof(True)
    if on_q.closed or not on_q.f:
        return Proof(False)
    share = max(1, effort // len(open_ones))
    verdicts = zero_tests([r.to_expr() for r in open_ones], on_q.f, points=2, effort=share)
    proved = all(v.is_zero and v.proved for v in verdicts)
    return Proof(proved, 0 if proved or not any(v.limit for v in verdicts) else effort)


def _residuals(law: Equations, on_q: OnConstraint, a: list[Element]) -> list[Element]:
    s = Setup(law.system)
    M, h = s.inertia
    zero = casadi.SX.zeros(s.m)
    C = casadi.vertcat(s.by_v(s.f), casadi.jacobian(s.alpha, s.a))
    c = casadi.vertcat(s.along(s.f), casadi.substitute(s.alpha, s.a, zero) if s.alpha.numel() else s.alpha)
    M_rows, h_rows, C_rows, c_rows = (
        [[on_q.element(e) for e in row] for row in rows] for rows in s.matrices(M, h - s.F, C, c)
    )
    excess = [h[0] + linear.dot(row, a) for row, h in zip(M_rows, h_rows, strict=True)]
    kinematic = [rest[0] + linear.dot(row, a) for row, rest in zip(C_rows, c_rows, strict=True)]
    if not C_rows:
        return excess
    kept, chosen = regular_minor(s.number(C))
    rows = [C_rows[i] for i in kept]
    mu = linear.solve([[row[j] for row in rows] for j in chosen], [excess[j] for j in chosen])
    left = [j for j in range(s.m) if j not in chosen]
    dynamic = [excess[j] - linear.dot([row[j] for row in rows], mu) for j in left]
    return dynamic + kinematic
