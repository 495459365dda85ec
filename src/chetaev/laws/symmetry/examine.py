"""What is a field a symmetry of? Each question a list of functions that have to vanish (K10, K22, Sa7).

For a point field ξ = τ ∂_t + ξ^σ ∂_σ on Y with ξ^(1) = ξ + (ξ̇^σ − v^σ τ̇) ∂/∂v^σ:

    of the motion       the variational equation of ζ^σ = ξ^σ − v^σ τ on Q (`linearized.py`)
    of the constraint   ξ^(1)(f) = 0 on Q, and ξ(φ) = 0 for positions
    of the Lagrangian   ξ^(1)(L) + L τ̇ = 0, or = df/dt with f(t, q) (generalized), on J¹Y          (29), (30)
    of the connection   L_ξ ∇ = 0 for the constrained connection ∇ of L1 (τ = 0, the field free of time)

A field that is a symmetry of L and of the constraint is one of the motion where no force breaks it (K22); the
converse fails. Every question is asked for all values of the parameters first, then for those given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import casadi

from chetaev.equations.registry import equations
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import ZERO, Expr, mul, sub, symbol, symbols
from chetaev.laws.inverse.equivalent import function_of
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.given_fields import Components
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.symmetry.symmetry import Answer, Symmetry, answer_of
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System

MOST_SCALED = 60
"""The largest factor, and the largest denominator of one, by which a dilation is seen to multiply L."""
MOST_COEFFICIENTS = 130
"""Of a connection: with more of them L_ξ ∇ is not asked."""


def evolutionary(field: Components) -> list[Expr]:
    """ζ^σ = ξ^σ − v^σ τ."""
    return [e if field.time is ZERO else sub(e, mul(symbol(c, 1), field.time)) for c, e in field.along]


def examine(system: System, field: Components, effort: int, lin: Linearized | None = None) -> Symmetry:
    """The field with an answer to every question that has a meaning for it."""
    lin = lin or Linearized(system)
    if field.kind == "adjoint":
        from chetaev.laws.symmetry.from_adjoint import consequences

        given = [e for _, e in field.along]
        answer = on_q(system, lin.adjoint_defects(given), effort)
        symmetry = Symmetry("adjoint", field.by_name, answer)
        return consequences(system, lin, symmetry, effort) if answer.holds else symmetry
    if field.kind == "dynamical":
        answer = on_q(system, lin.symmetry_defects(evolutionary(field)), effort)
        return Symmetry("dynamical", field.by_name, answer)
    lagrangian, divergence = of_lagrangian(system, lin, field, effort)
    constraint = of_constraint(system, lin, field, effort)
    scaled = lagrangian if lagrangian.holds else _scaled(system, lin, field, effort)
    answer = _of_both(system, lin, scaled, constraint) or on_q(
        system, lin.symmetry_defects(evolutionary(field)), effort
    )
    connection = of_connection(system, lin, field, effort)
    return Symmetry("point", field.by_name, answer, lagrangian, constraint, connection, divergence)


def _of_both(system: System, lin: Linearized, lagrangian: Answer, constraint: Answer) -> Answer | None:
    """A point transformation that preserves L up to a divergence or a factor, and Q, and so the directions
    ∂f/∂v of the reactions, preserves the motion: proved by these, shorter than the equations of motion.
    """
    forces = any(not (f.op == "number" and f.value == 0) for f in system.forces.values())
    if forces or not system.dynamics.constraints_react or lin.s.alpha.numel():
        return None
    if not all(a.holds and a.proved for a in (lagrangian, constraint)):
        return None
    told = {a.parameters for a in (lagrangian, constraint) if a.parameters} or {standpoints(system)[0].words}
    if len(told) > 1:
        return None
    (words,) = told
    return Answer(True, f"proved {words}" if words else "proved", True, words)


def on_q(system: System, functions: Sequence[Expr], effort: int) -> Answer:
    """Whether functions vanish on Q, for every value of the parameters or else for those given."""
    moving = [e for e in functions if e is not ZERO]
    return _first(system, lambda view: vanish(system, moving, view, effort))


def everywhere(system: System, functions: Sequence[Expr], effort: int) -> Answer:
    """Whether functions vanish on all of J¹Y, for every value of the parameters or else for those given."""
    moving = [e for e in functions if e is not ZERO]
    return _first(system, lambda view: zero_tests(view.apply(moving), effort=effort))


def _first(system: System, ask: Callable[[Standpoint], Sequence[Verdict]]) -> Answer:
    """The first answer that is yes, else the last one."""
    for view in standpoints(system):
        answer = answer_of(ask(view), view.words)
        if answer.holds:
            break
    return answer


def _prolonged(lin: Linearized, field: Components) -> tuple[SX, SX, SX, SX]:
    """τ, ξ, ξ̇ − v τ̇ and τ̇ as engine nodes."""
    s = lin.s
    tau, xi = s(field.time), casadi.densify(s.column([e for _, e in field.along]))
    rate = s.along(casadi.densify(casadi.SX(tau)))
    return tau, xi, s.along(xi) - s.v * rate, rate


def of_constraint(system: System, lin: Linearized, field: Components, effort: int) -> Answer:
    """Whether ξ^(1)(f) = 0 on Q and ξ(φ) = 0."""
    s = lin.s
    if not s.k:
        return Answer(True, "there is no constraint", True)
    tau, xi, speed, _ = _prolonged(lin, field)
    moved = s.by_t(s.f) * tau + s.by_q(s.f) @ xi + s.by_v(s.f) @ speed
    levels = s.by_t(s.phi) * tau + s.by_q(s.phi) @ xi
    return on_q(system, s.graphs(casadi.vertcat(moved, levels)), effort)


def _scaled(system: System, lin: Linearized, field: Components, effort: int) -> Answer:
    """Whether ξ^(1)(L) + L τ̇ = c L with a number c, as for the dilations of a homogeneous L."""
    if system.dynamics.lagrangian is None:
        return Answer(None, "")
    moved, s = _moved(lin, field), lin.s
    above, below = (float(s.number(casadi.densify(casadi.SX(e)))[0, 0]) for e in (moved, s.L))
    if not below or not abs(above / below) < MOST_SCALED:
        return Answer(None, "")
    c = Fraction(above / below).limit_denominator(MOST_SCALED)
    return everywhere(system, s.graphs(moved - s.L * c.numerator / c.denominator), effort)


def _moved(lin: Linearized, field: Components) -> SX:
    """ξ^(1)(L) + L τ̇."""
    s = lin.s
    tau, xi, speed, rate = _prolonged(lin, field)
    gradient_q, gradient_v = casadi.gradient(s.L, s.q), casadi.gradient(s.L, s.v)
    return s.by_t(s.L) * tau + casadi.dot(gradient_q, xi) + casadi.dot(gradient_v, speed) + s.L * rate


def of_lagrangian(
    system: System, lin: Linearized, field: Components, effort: int
) -> tuple[Answer, Expr | None]:
    """Whether ξ^(1)(L) + L τ̇ vanishes or is a total derivative df/dt; f where it is one and found."""
    if system.dynamics.lagrangian is None:
        return Answer(None, system.dynamics.lacks("Lagrangian")), None
    s, moved = lin.s, _moved(lin, field)
    strict = everywhere(system, s.graphs(moved), effort)
    if strict.holds is not False:
        return strict, None
    A = s.by_v(moved).T
    rest = moved - casadi.dot(A, s.v)
    turned = s.by_q(A) - s.by_q(A).T
    conditions = [
        *(e for row in s.matrix(s.by_v(A)) for e in row),
        *(e for i, row in enumerate(s.matrix(turned)) for e in row[:i]),
        *s.graphs(s.by_t(A) - s.by_q(rest).T),
    ]
    general = everywhere(system, conditions, effort)
    if not general.holds:
        return (strict if general.holds is False else general), None
    words = replace(general, evidence=f"up to a divergence, {general.evidence}", strict=False)
    parts, ring = s.graphs(casadi.vertcat(rest, A)), Field(Budget(20 * effort))
    return words, function_of(system, parts, standpoints(system), ring, effort)


def of_connection(system: System, lin: Linearized, field: Components, effort: int) -> Answer:
    """Whether L_ξ ∇ = 0 for the constrained connection."""
    if field.time is not ZERO or any((system.time, 0) in symbols(e) for _, e in field.along):
        return Answer(None, "a connection on the configurations is not asked about fields that contain time")
    m = len(system.coordinates)
    if m**3 > MOST_COEFFICIENTS:
        return Answer(None, f"not asked: the connection has {m**3} coefficients")
    try:
        nabla = equations(system, "connection").nabla
    except ModelError as error:
        return Answer(None, error.message)
    s = lin.s
    xi = casadi.densify(s.column([e for _, e in field.along]))
    xi_q = s.by_q(xi)
    places = list(product(range(m), repeat=3))
    table = {ijk: s(nabla[ijk[0]][ijk[1]][ijk[2]]) for ijk in places}
    second = [s.by_q(xi_q[i, :].T) for i in range(m)]
    moved = casadi.jtimes(casadi.vertcat(*table.values()), s.q, xi)
    defects = []
    for n, (i, j, k) in enumerate(places):
        total = moved[n] + second[i][j, k]
        for r in range(m):
            total += table[i, r, k] * xi_q[r, j] + table[i, j, r] * xi_q[r, k] - table[r, j, k] * xi_q[i, r]
        defects.append(total)
    return everywhere(system, s.graphs(casadi.vertcat(*defects)), effort)
