"""Symbolic agreement: accelerations of a formulation proved to satisfy d'Alembert's principle on Q.

The accelerations a of a law, solved exactly in normal form, are put into

    M a + h − F − Cᵀμ = 0,      C a + c' = 0      on Q,

with μ from k of the rows (SCOPE K14, K20). Where the constraints are affine in the velocities, Q is
parametrised and the normal form decides; otherwise the zero test works modulo the constraints. No proof
within the effort is no disproof: the numerical comparison stands by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi

from chetaev.effort import EFFORT
from chetaev.equations.law.law import Equations
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import zero_tests
from chetaev.numeric import regular_minor


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
