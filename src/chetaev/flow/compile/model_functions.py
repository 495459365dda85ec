"""The functions of a model that compiled code calls, one function here for each kind: it derives them as
programs for one state. `compile.programs` makes machine code of them; see there for the kinds' names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import casadi

from chetaev.expr.graph.node import Expr
from chetaev.flow.compile.program_text import OneState, Store
from chetaev.flow.derive.chart import PivotChart
from chetaev.flow.derive.dynamics import SX, certain_margin, dense, trust
from chetaev.flow.derive.program import from_casadi
from chetaev.flow.derive.step_law import StepLaw

if TYPE_CHECKING:
    from chetaev.flow.compile.programs import Programs
    from chetaev.flow.schemes.scheme import Scheme


def rhs(programs: Programs, chart: PivotChart, form: str) -> list[OneState]:
    """``f``, the field (v, a) in a chart, by one of two eliminations of the reduced equations:

    null      L D Lᵀ unrolled: fastest, for definite reduced matrices (Q R where M is not symmetric)
    pivoted   the reduced matrix, for LU with pivoting: for indefinite ones (Minkowski metrics)

    In the first chart and form ``c`` and ``s`` stand beside it: `constraints` and `sight`.
    """
    n, m = programs.model.size, len(chart.rows)
    d, e = programs.dynamics, programs.elimination(chart)
    pivots = casadi.vertcat(*e.pivots) if m else casadi.SX(0, 1)
    first: Store = Store("aux", m + 1)
    if form == "null":
        free, diagonal = e.solved
        outputs = [e.accelerations(free), casadi.vertcat(pivots, *diagonal), e.margin]
        first = Store("out", n)
    else:
        k = n - m
        whole = not programs.model.symmetric
        full = [[e.reduced[i][j] if whole or j <= i else e.reduced[j][i] for j in range(k)] for i in range(k)]
        rows = casadi.vertcat(*(x for row in full for x in row), *e.right)
        rest = casadi.vertcat(casadi.vec(casadi.densify(e.basis).T), e.particular)
        outputs = [casadi.vertcat(rows, rest), pivots, e.margin]
    program = from_casadi(d.arguments.list(), outputs)
    field = OneState("f", program, n, [first, Store("aux"), None], velocities=True, margin=2)
    if form != "null" or chart != programs.first_chart:
        return [field]
    return [field, *constraints(programs), *sight(programs, chart)]


def constraints(programs: Programs) -> list[OneState]:
    """``c``: residuals f, dφ/dt, φ, and beside them C, row by row; none where there are no constraints."""
    d = programs.dynamics
    if not programs.model.rows:
        return []
    program = from_casadi(d.arguments.list(), [casadi.vertcat(d.f, d.phi), d.matrix.T])
    return [OneState("c", program, programs.model.size, [Store("out"), Store("aux")])]


def sight(programs: Programs, chart: PivotChart) -> list[OneState]:
    """``s``: how far the elimination can be trusted, E, the power of the constraint forces, f and dφ/dt, φ, μ
    and the reactions; a is passed behind the parameters.
    """
    d, n = programs.dynamics, programs.model.size
    a = casadi.SX.sym("a", n)
    t, q, v, p = d.arguments.list()
    elimination = programs.elimination(chart)
    _, diagonal = elimination.solved
    mu = elimination.multipliers(a)
    reactions = dense(casadi.mtimes(d.matrix.T, mu))
    seen = casadi.vertcat(
        trust(elimination, diagonal), d.energy, casadi.dot(reactions, v), d.f, d.phi, mu, reactions
    )
    return _function("s", programs, [t, q, v, casadi.vertcat(p, a)], [seen])


def field(programs: Programs, chart: PivotChart) -> list[OneState]:
    """``f``, the field (v, a) in a chart for callers that keep no step: its flag also tells of an indefinite
    matrix and of cancellation.
    """
    d, elimination = programs.dynamics, programs.elimination(chart)
    free, diagonal = elimination.solved
    outputs = [elimination.accelerations(free), certain_margin(elimination, diagonal)]
    program, n = from_casadi(d.arguments.list(), outputs), programs.model.size
    return [OneState("f", program, n, [Store("out", n), None], velocities=True, margin=1)]


def lanes(programs: Programs, chart: PivotChart) -> list[OneState]:
    """For motions in lanes: ``f``, the field of form null in a chart, and ``c``, the constraints."""
    return [rhs(programs, chart, "null")[0], *constraints(programs)]


def law(programs: Programs) -> list[OneState]:
    """``f``: M column by column, h − F, C column by column and c."""
    d = programs.dynamics
    parts = (d.mass(), d.h, d.matrix, d.rest)
    return _function("f", programs, d.arguments.list(), [casadi.vertcat(*(_column(x) for x in parts))])


def event(programs: Programs, exprs: Sequence[Expr]) -> list[OneState]:
    """``f``: the values of expressions."""
    d = programs.dynamics
    return _function("f", programs, d.arguments.list(), [d.expressions(exprs)])


def rate(programs: Programs, exprs: Sequence[Expr], chart: PivotChart) -> list[OneState]:
    """``f``: d/dt of expressions along the field in a chart, then the accelerations."""
    d, e = programs.dynamics, programs.elimination(chart)
    a = e.accelerations(e.solved[0])
    t, q, v, _ = d.arguments.list()
    along = casadi.jtimes(d.expressions(exprs), casadi.vertcat(t, q, v), casadi.vertcat(1, v, a))
    return _function("f", programs, d.arguments.list(), [casadi.vertcat(along, a)])


def tangent(programs: Programs, chart: PivotChart) -> list[OneState]:
    """``f``: d/dε of (v, a) along a direction of (q, v, p), which stands behind the parameters."""
    d, e, n = programs.dynamics, programs.elimination(chart), programs.model.size
    t, q, v, p = d.arguments.list()
    dq, dv = casadi.SX.sym("dq", n), casadi.SX.sym("dv", n)
    dp: Any = casadi.SX.sym("dp", p.shape[0])
    along = casadi.jtimes(e.accelerations(e.solved[0]), casadi.vertcat(q, v, p), casadi.vertcat(dq, dv, dp))
    return _function("f", programs, [t, q, v, casadi.vertcat(p, dq, dv, dp)], [casadi.vertcat(dv, along)])


def joint(programs: Programs, chart: PivotChart, directions: int) -> list[OneState]:
    """``f``: the field (v, a) in a chart by form null, and behind it its derivatives along directions of (q,
    v) that stand behind the state; they share the values that the field is made of.
    """
    n, e = programs.model.size, programs.elimination(chart)
    free, diagonal = e.solved
    a = e.accelerations(free)
    t, q, v, p = programs.dynamics.arguments.list()
    along = casadi.SX.sym("along", 2 * n, directions)
    rates = casadi.vertcat(along[n:, :], casadi.jtimes(a, casadi.vertcat(q, v), along))
    pivots = casadi.vertcat(*e.pivots, *diagonal)
    program = from_casadi([t, q, v, p, casadi.vec(along)], [a, pivots, e.margin, casadi.vec(rates)])
    stores = [Store("out", n), Store("aux"), None, Store("out", 2 * n)]
    return [OneState("f", program, n, stores, velocities=True, margin=2)]


def held(programs: Programs) -> list[OneState]:
    """``f``: φ, f with dφ/dt among them, and beside them G = ∂(φ, f)/∂(q, v), row by row."""
    d = programs.dynamics
    t, q, v, p = d.arguments.list()
    column = casadi.vertcat(d.phi, d.f)
    slopes = casadi.jacobian(column, casadi.vertcat(q, v)).T
    program = from_casadi([t, q, v, p], [column, slopes])
    return [OneState("f", program, programs.model.size, [Store("out"), Store("aux")])]


def step(programs: Programs, scheme: Scheme) -> list[OneState]:
    """``f``: what a step of a scheme solves, r, and beside it ∂r/∂x row by row where it is not zero; h and x
    stand behind the parameters.
    """
    law = StepLaw(programs.dynamics)
    assert scheme.equations is not None
    made = scheme.equations(law)
    x = casadi.vertcat(*made.unknowns)
    residual = made.complete
    matrix = casadi.jacobian(residual, x)
    size = x.shape[0]
    entries = list(zip(*matrix.sparsity().get_triplet(), matrix.nonzeros(), strict=True))
    arguments = [law.t, law.q, law.v, casadi.vertcat(law.p, law.h, x)]
    program = from_casadi(arguments, [residual, *(entry for _, _, entry in entries)])
    places = [Store("out"), *(Store("aux", i * size + j) for i, j, _ in entries)]
    return [OneState("f", program, programs.model.size, places)]


def _column(x: SX) -> SX:
    return casadi.vec(casadi.densify(x))


def _function(name: str, programs: Programs, arguments: list[SX], outputs: list[SX]) -> list[OneState]:
    """A function with one output, all of which is stored."""
    return [OneState(name, from_casadi(arguments, outputs), programs.model.size, [Store("out")])]
