"""Is a function constant along the motion? The rate Γ(F) on Q, tested for zero (SCOPE K22, Sa8).

    Γ(F) = ∂F/∂t + v·∂F/∂q + a(t, q, v)·∂F/∂v,

with the accelerations a of the equations of motion. F is a first integral when Γ(F) = 0 on Q.
"""

from __future__ import annotations

import casadi

from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.equations.law.setup import Setup
from chetaev.equations.registry import equations
from chetaev.errors import ModelError
from chetaev.expr.exact.vanishing import Verdict, zero_test
from chetaev.expr.graph.node import ZERO, Expr, add, mul, substitute, symbol
from chetaev.laws.standpoint import Standpoint, judge, standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.system import System

EFFORT = 2_000_000
"""What the verdict on one law may cost if nothing else is said."""


def rate(system: System, function: Expr) -> Expr:
    """Γ(F) as an expression on Q."""
    system = first_order_motion(system)
    s = Setup(system)
    F = s(function)
    cut, by_v = s.matrices(s.along(F), casadi.gradient(F, s.v))
    terms = [cut[0][0]]
    if any(row[0] is not ZERO for row in by_v):
        accelerations = solved_accelerations(system)
        terms += [mul(row[0], a) for row, a in zip(by_v, accelerations, strict=True) if row[0] is not ZERO]
    return add(*terms)


def solved_accelerations(system: System) -> list[Expr]:
    """The accelerations on Q as expressions, from the formulation that applies most widely."""
    for form in ("reduced", "chetaev"):
        try:
            return list(equations(system, form).accelerations.values())
        except ModelError:
            continue
    return list(equations(system, "gauss").accelerations.values())  # accepts redundant constraints


def _on_phase_space(
    system: System, dynamics: Poisson, function: Expr, effort: int
) -> tuple[Verdict, Standpoint]:
    """∂F/∂t + ż·∂F/∂z, which has no velocities in it, where the constraints on phase space hold."""
    s = Setup(system)
    put = {symbol(c, 1): z for c, z in dynamics.velocities.items()}
    (function,) = substitute([function], put)
    (cut,) = s.graphs(s.along(s(function)))
    (derivative,) = substitute([cut], put)
    held = [e.residual for e in system.position_constraints]

    def ask(standpoint: Standpoint) -> Verdict:
        asked, *on = standpoint.apply([derivative, *held])
        everywhere = zero_test(asked, effort=effort)
        return everywhere if everywhere.is_zero or not on else zero_test(asked, on, effort=effort)

    return judge(system, ask)


def is_first_integral(system: System, function: Expr, effort: int = EFFORT) -> tuple[Verdict, Standpoint]:
    """Whether a function on Q is constant along every motion, with the evidence, and for which parameters.

    >>> import chetaev as ch
    >>> from chetaev.expr.language.parser import parse
    >>> system = ch.load("nonholonomic-particle")
    >>> verdict, _ = is_first_integral(system, parse("y'", system.scope))
    >>> verdict.answer
    'zero'
    """
    system = first_order_motion(system)
    if isinstance(system.dynamics, Poisson):
        return _on_phase_space(system, system.dynamics, function, effort)
    try:
        derivative = rate(system, function)
        solved_accelerations(system)  # else motions keep to primary constraints, which are not known here
    except ModelError as error:
        return Verdict("undecided", False, method=error.message), standpoints(system)[0]

    def ask(standpoint: Standpoint) -> Verdict:
        return vanish(system, [derivative], standpoint, effort)[0]

    return judge(system, ask)
