"""Claims of closed solutions: functions of time, with constants, that are motions (SCOPE K14, Sw1–Sw7).

    solution = { x = "A*sqrt(t) + B", z = "sqrt(4 - A^2)*sqrt(t)" }
    constants = ["A", "B"]
    where = ["A^2 + B^2 = 4"]             # equations between the constants
    domain = "t > 0"                      # inequalities between time, constants and parameters

Along the curve the constraints are put in, and d'Alembert's principle without a chart: with
r = M q̈ + h − F and C = ∂f/∂v, the reaction −r lies in the span of the rows of C, so that

    det (C; r) = 0 for the columns D ∪ {s}, all s outside of D,

where D are columns with det C_D ≠ 0 on the curve. All are functions of t, the constants and the parameters,
and are tested for zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, islice

import casadi

from chetaev.checked_arguments import shown
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.vanishing import Verdict, zero_test
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.node import ONE, ZERO, Expr, add, mul, neg, sub, substitute, symbol
from chetaev.expr.language.scope import Scope, check_name
from chetaev.laws.rate import solved_accelerations
from chetaev.laws.standpoint import Standpoint, judge
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.domain import Domain
from chetaev.study.claims.judgement import Formula, Judge, Statement

CHOICES = 64
"""Sets of columns that are tried as D."""

PRINCIPLE = "d'Alembert's principle along the curve"

Curve = Mapping[Expr, Expr]
"""What t ↦ (q, q', q'') puts in the place of coordinates, velocities and accelerations."""


def solution(given: ClaimData) -> Judge:
    """Whether functions of time are motions."""
    system = given.system
    curve, scope = _curve(system, stated(given)), _scope(given)
    relations: list[Expr] = []
    if "where" in given.data:
        texts = given.texts("where", '"A^2 + B^2 = 4"')
        relations = [given.equation("where", text, scope).residual for text in texts]
    domain = Domain.of(given, scope)
    return lambda effort: _judged(domain, curve, [*relations, *domain.relations], effort)


def _judged(domain: Domain, curve: Curve, relations: list[Expr], effort: int) -> tuple[Statement, ...]:
    system = domain.system
    if not _is_real_somewhere([*curve.values(), *domain.unknowns], relations, effort):
        words = "no time and no constants were found for which the curve is real"
        return (Statement(PRINCIPLE, None, words),)

    def part(text: str, functions: Sequence[Expr], formula: Formula = None) -> Statement:
        on_curve = substitute(functions, dict(curve))

        def ask(standpoint: Standpoint) -> Verdict:
            changed = standpoint.apply([*on_curve, *relations])
            asked, on = changed[: len(functions)], changed[len(functions) :]
            return _all_zero(asked, on, effort)

        verdict, standpoint = judge(system, ask)
        return Statement.of(text, verdict, standpoint.words, formula)

    parts = [part(str(e), [e.residual], (e.lhs, e.rhs)) for e in every_constraint(system)]
    try:
        parts.append(part(PRINCIPLE, _motion(system, curve, relations, effort)))
    except ModelError as error:
        parts.append(Statement(PRINCIPLE, None, error.message))
    return tuple(parts)


def stated(given: ClaimData) -> list[tuple[Expr, Expr]]:
    """Every coordinate and its function of time, as the claim states them."""
    system = given.system
    claimed = given.table("solution", '{ x = "v*t", y = "-g*t^2/2" }')
    given.coordinates("solution", claimed)
    missing = [c for c in system.coordinates if c not in claimed]
    if missing:
        given.fail(
            f"'solution' does not say what {missing[0]!r} is",
            "solution",
            expected="a function of time for each of " + ", ".join(system.coordinates),
        )
    scope = _scope(given)
    return [(symbol(c), given.expression("solution", claimed[c], scope)) for c in system.coordinates]


def _scope(given: ClaimData) -> Scope:
    """Time, parameters and the constants of the claim."""
    system = given.system
    constants = given.data.get("constants", ())
    if isinstance(constants, str) or not isinstance(constants, Sequence):
        given.fail(
            f"'constants' is {shown(constants)}", "constants", expected='a list of names, such as ["A", "B"]'
        )
    for name in constants:
        check_name(name, "constant")
        if name in system.scope.values:
            given.fail(
                f"the constant {name!r} is a name of the model", "constants", remedy="choose another name"
            )
    return Scope.of((), (*system.parameters, *constants), system.time, purpose="a solution in time")


def _curve(system: System, functions: Sequence[tuple[Expr, Expr]]) -> Curve:
    """q(t), q'(t), q''(t)."""
    calculus, t = Calculus(), symbol(system.time)
    time = calculus(t)
    put: dict[Expr, Expr] = {}
    for coordinate, function in functions:
        first = casadi.jacobian(calculus(function), time)
        velocity, acceleration = calculus.graphs(casadi.vertcat(first, casadi.jacobian(first, time)))
        name = coordinate.value[0]
        put |= {coordinate: function, symbol(name, 1): velocity, symbol(name, 2): acceleration}
    return put


def _is_real_somewhere(functions: Iterable[Expr], relations: Sequence[Expr], effort: int) -> bool:
    """Whether 1 + Σ f² is seen not to be zero, which takes a point where all f are real.

    What is zero "wherever it is defined" says nothing of a curve that is defined nowhere.
    """
    squares = add(ONE, *(mul(f, f) for f in functions))
    return zero_test(squares, relations, effort=effort).is_zero is False


def _motion(system: System, curve: Curve, relations: Sequence[Expr], effort: int) -> list[Expr]:
    """Functions of (t, q, v, a) that are zero along a motion and, with the constraints, only along one."""
    if isinstance(system.dynamics, Poisson):
        return [sub(symbol(c, 1), rate) for c, rate in system.dynamics.velocities.items()]
    if system.acceleration_constraints or not system.dynamics.constraints_react:
        accelerations = solved_accelerations(system)
        return [sub(symbol(c, 2), a) for c, a in zip(system.coordinates, accelerations, strict=True)]
    s = Setup(system)
    M, h = s.inertia
    residual = [row[0] for row in s.matrix(M @ s.a + h - s.F)]
    C = s.matrix(s.by_v(s.f)) if s.k else []
    chosen = _regular_columns(s, C, curve, relations, effort)
    others = [i for i in range(s.m) if i not in chosen]
    return [determinant([*C, residual], [*chosen, i]) for i in others]


def _regular_columns(
    s: Setup, C: Sequence[Sequence[Expr]], curve: Curve, relations: Sequence[Expr], effort: int
) -> tuple[int, ...]:
    """Columns D with det C_D ≠ 0 somewhere on the curve; a ModelError if none are found."""
    for columns in islice(_candidates(s), CHOICES):
        (minor,) = substitute([determinant(C, columns)], dict(curve))
        if zero_test(minor, relations, effort=effort).is_zero is False:
            return columns
    raise ModelError("the constraints are not seen to be independent along this curve")


def _candidates(s: Setup) -> Iterator[tuple[int, ...]]:
    """The chart's own columns first, then all others in order."""
    best = tuple(sorted(s.dependent))
    yield best
    yield from (found for found in combinations(range(s.m), s.k) if found != best)


def determinant(rows: Sequence[Sequence[Expr]], columns: Sequence[int]) -> Expr:
    """The determinant of some columns, by Laplace's rule with every minor once.

    >>> x = symbol("x")
    >>> str(determinant([[x, ONE], [ONE, x]], [0, 1]))
    'x*(x*1) - 1'
    """

    @cache
    def minor(row: int, left: tuple[int, ...]) -> Expr:
        if not left:
            return ONE
        terms = []
        for place, column in enumerate(left):
            entry = rows[row][column]
            if entry is not ZERO:
                term = mul(entry, minor(row + 1, left[:place] + left[place + 1 :]))
                terms.append(neg(term) if place % 2 else term)
        return add(*terms)

    return minor(0, tuple(columns))


def _all_zero(functions: Sequence[Expr], on: Sequence[Expr], effort: int) -> Verdict:
    """The verdict that settles the question: the first that is not zero, else the weakest."""
    verdicts = [zero_test(function, on, effort=effort) for function in functions]
    for answer in ("nonzero", "undecided"):
        for verdict in verdicts:
            if verdict.answer == answer:
                return verdict
    return min(verdicts, key=lambda v: v.proved, default=Verdict("zero", True, method="nothing to ask"))
