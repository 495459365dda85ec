"""The programs an integrator calls, one state at a time.

``rhs`` the field in a chart, by one of three eliminations of the reduced equations:

null      L D Lᵀ unrolled: fastest, for definite reduced matrices (Q R where M is not symmetric)
pivoted   the reduced matrix is handed to LU with pivoting: for indefinite ones (Minkowski metrics)
bordered  the whole bordered matrix is: for checks, and where M S should not be trusted

``con`` residuals and constraint matrix for the projection, ``see`` energy, power, residuals and multipliers,
``event`` event functions, ``tangent`` the derivative of the field along a direction, ``joint`` the field with
its derivatives along several directions, which share the field's values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chetaev.expr.graph.node import Expr
from chetaev.flow.compile.machine import Library
from chetaev.flow.compile.one_state import OneState, Store
from chetaev.flow.compile.programs import Programs
from chetaev.flow.derive.chart import PivotChart
from chetaev.flow.derive.ingredients import graph_text

if TYPE_CHECKING:
    from chetaev.flow.derive.straight_line import Program
    from chetaev.flow.schemes.scheme import Scheme

STEADY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 4)
FORMS = {"null": 0, "pivoted": 1, "bordered": 2}
SMALL = 12
"""Up to so many coordinates, ``rhs``, ``con`` and ``see`` share one module: found, loaded and made faster."""


def rhs(programs: Programs, chart: PivotChart, form: str, libm: bool) -> Library:
    """The field (v, a) in a chart; its function is ``f``, beside it stand pivots and matrices."""

    def functions() -> list[OneState]:
        field = _rhs(programs, chart, form, libm)
        written = [field]
        if form == "null":
            parameters = len(programs.model.parameters)
            written.append(steady_pivots(field.program, programs.model.size, parameters))
        if _shared(programs):
            written += [_con(programs, libm)] if programs.model.rows else []
            written += [_see(programs, chart, libm)]
        return written

    return programs.library(["rhs", form, chart.name, str(libm)], functions)


def field(programs: Programs, chart: PivotChart, libm: bool) -> Library:
    """The field (v, a) in a chart, for callers that keep no step: its flags also tell of an indefinite matrix
    and of cancellation, as those of the program over arrays do; the function is ``f``.
    """

    def functions() -> list[OneState]:
        n = programs.model.size
        program = programs.program("field", chart)
        return [OneState("f", program, n, [Store("out", n), None], libm, velocities=True, margin=1)]

    return programs.library(["one", chart.name, str(libm)], functions, 2)


def con(programs: Programs, chart: PivotChart, form: str, libm: bool) -> Library:
    """Residuals f, dφ/dt, φ, and beside them C, row by row; its function is ``c``."""
    if _shared(programs):
        return rhs(programs, chart, form, libm)
    return programs.library(["con", str(libm)], lambda: [_con(programs, libm)])


def see(programs: Programs, chart: PivotChart, libm: bool) -> Library:
    """How far the elimination can be trusted, E, the power of the constraint forces, f and dφ/dt, φ, μ and
    the reactions; a is passed behind the parameters, and the function is ``s``.
    """
    if _shared(programs):
        return rhs(programs, chart, "null", libm)
    return programs.library(["see", chart.name, str(libm)], lambda: [_see(programs, chart, libm)])


def _shared(programs: Programs) -> bool:
    return programs.model.size <= SMALL


def _rhs(programs: Programs, chart: PivotChart, form: str, libm: bool) -> OneState:
    import casadi

    from chetaev.flow.derive.instructions import from_casadi

    n, m = programs.model.size, len(chart.rows)
    d = programs.dynamics
    e = programs.elimination(chart)
    pivots = casadi.vertcat(*e.pivots) if m else casadi.SX(0, 1)
    first: Store = Store("aux", m + 1)
    if form == "null":
        free, diagonal = e.solved
        outputs = [e.accelerations(free), casadi.vertcat(pivots, *diagonal), e.margin]
        first = Store("out", n)
    elif form == "pivoted":
        k = n - m
        whole = not programs.model.symmetric
        full = [[e.reduced[i][j] if whole or j <= i else e.reduced[j][i] for j in range(k)] for i in range(k)]
        rows = casadi.vertcat(*(x for row in full for x in row), *e.right)
        rest = casadi.vertcat(casadi.vec(casadi.densify(e.basis).T), e.particular)
        outputs = [casadi.vertcat(rows, rest), pivots, e.margin]
    else:
        rows = list(chart.rows)
        C, c = d.matrix[rows, :], d.rest[rows]
        border = casadi.vertcat(casadi.horzcat(d.mass(), -C.T), casadi.horzcat(C, casadi.SX(m, m)))
        load = -casadi.vertcat(d.h, c)
        outputs = [casadi.vertcat(casadi.vec(casadi.densify(border).T), load), pivots, e.margin]
    program = from_casadi(d.arguments.list(), outputs)
    return OneState("f", program, n, [first, Store("aux"), None], libm, velocities=True, margin=2)


def steady_pivots(program: Program, size: int, parameters: int) -> OneState:
    """The function ``steady``: how many of the first pivots, output 1 of a field, the parameters decide
    alone, and how many of the last.
    """
    from chetaev.flow.derive.parts_of_parameters import steady_ends
    from chetaev.flow.derive.straight_line import Program

    ends = steady_ends(program, program.outputs[1], 3, parameters)
    numbers = Program(tuple(("const", float(end)) for end in ends), ((0, 1),))
    return OneState("steady", numbers, size, [Store("out")])


def steady(library: Library) -> tuple[int, int]:
    """How many of the first and of the last pivots of a field of form null need not be watched."""
    ends = (ctypes.c_double * 2)()
    STEADY(library.address("steady"))(0.0, None, None, ends, None)
    return int(ends[0]), int(ends[1])


def _con(programs: Programs, libm: bool) -> OneState:
    import casadi

    from chetaev.flow.derive.instructions import from_casadi

    d = programs.dynamics
    program = from_casadi(d.arguments.list(), [casadi.vertcat(d.f, d.phi), d.matrix.T])
    return OneState("c", program, programs.model.size, [Store("out"), Store("aux")], libm)


def _see(programs: Programs, chart: PivotChart, libm: bool) -> OneState:
    import casadi

    from chetaev.flow.derive.dynamics import dense, trust
    from chetaev.flow.derive.instructions import from_casadi

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
    program = from_casadi([t, q, v, casadi.vertcat(p, a)], [seen])
    return OneState("s", program, n, [Store("out")], libm)


def event(programs: Programs, exprs: Sequence[Expr], libm: bool = True) -> Library:
    """The values of event expressions; with sin and cos of the C library angles may have any size."""

    def functions() -> list[OneState]:
        from chetaev.flow.derive.instructions import from_casadi

        d = programs.dynamics
        program: Program = from_casadi(d.arguments.list(), [d.expressions(exprs)])
        return [OneState("f", program, programs.model.size, [Store("out")], libm)]

    return programs.library(["event", graph_text(exprs), str(libm)], functions)


def rate(programs: Programs, exprs: Sequence[Expr], chart: PivotChart, libm: bool) -> Library:
    """d/dt of expressions along the field in a chart, then the accelerations."""

    def functions() -> list[OneState]:
        import casadi

        from chetaev.flow.derive.instructions import from_casadi

        d = programs.dynamics
        e = programs.elimination(chart)
        a = e.accelerations(e.solved[0])
        t, q, v, _ = d.arguments.list()
        along = casadi.jtimes(d.expressions(exprs), casadi.vertcat(t, q, v), casadi.vertcat(1, v, a))
        program = from_casadi(d.arguments.list(), [casadi.vertcat(along, a)])
        return [OneState("f", program, programs.model.size, [Store("out")], libm)]

    return programs.library(["rate", graph_text(exprs), chart.name, str(libm)], functions)


def tangent(programs: Programs, chart: PivotChart, libm: bool) -> Library:
    """d/dε of (v, a) along a direction of (q, v, p) that is handed over behind the parameters."""
    model = programs.model

    def functions() -> list[OneState]:
        import casadi

        from chetaev.flow.derive.instructions import from_casadi

        d = programs.dynamics
        e = programs.elimination(chart)
        free, _ = e.solved
        t, q, v, p = d.arguments.list()
        dq, dv = casadi.SX.sym("dq", model.size), casadi.SX.sym("dv", model.size)
        dp: Any = casadi.SX.sym("dp", p.shape[0])
        point = casadi.vertcat(q, v, p)
        along = casadi.jtimes(e.accelerations(free), point, casadi.vertcat(dq, dv, dp))
        program = from_casadi([t, q, v, casadi.vertcat(p, dq, dv, dp)], [dv, along])
        return [OneState("f", program, model.size, [Store("out"), Store("out", model.size)], libm)]

    return programs.library(["tangent", chart.name, str(libm)], functions)


def joint(programs: Programs, chart: PivotChart, libm: bool, directions: int) -> Library:
    """The field (v, a) in a chart by form null, and behind it its derivatives along directions of (q, v) that
    stand behind the state; the function is ``f``.

    All derivatives share the values that the field is made of, which the program computes once.
    """
    n = programs.model.size

    def functions() -> list[OneState]:
        import casadi

        from chetaev.flow.derive.instructions import from_casadi

        e = programs.elimination(chart)
        free, diagonal = e.solved
        a = e.accelerations(free)
        t, q, v, p = programs.dynamics.arguments.list()
        along = casadi.SX.sym("along", 2 * n, directions)
        rates = casadi.vertcat(along[n:, :], casadi.jtimes(a, casadi.vertcat(q, v), along))
        pivots = casadi.vertcat(*e.pivots, *diagonal)
        program = from_casadi([t, q, v, p, casadi.vec(along)], [a, pivots, e.margin, casadi.vec(rates)])
        stores = [Store("out", n), Store("aux"), None, Store("out", 2 * n)]
        field = OneState("f", program, n, stores, libm, velocities=True, margin=2)
        return [field, steady_pivots(program, n, len(programs.model.parameters))]

    return programs.library(["joint", chart.name, str(libm), str(directions)], functions)


def held(programs: Programs, libm: bool) -> Library:
    """φ, f with dφ/dt among them, and beside them G = ∂(φ, f)/∂(q, v), row by row; the function is ``g``."""

    def functions() -> list[OneState]:
        import casadi

        from chetaev.flow.derive.instructions import from_casadi

        d = programs.dynamics
        t, q, v, p = d.arguments.list()
        column = casadi.vertcat(d.phi, d.f)
        matrix = casadi.jacobian(column, casadi.vertcat(q, v))
        program = from_casadi([t, q, v, p], [column, matrix.T])
        return [OneState("g", program, programs.model.size, [Store("out"), Store("aux")], libm)]

    return programs.library(["held", str(libm)], functions)


def step(programs: Programs, scheme: Scheme, libm: bool) -> Library:
    """What a step of a scheme solves: r, and beside it ∂r/∂x row by row where it is not zero; its function is
    ``f``, h and x are handed over behind the parameters.
    """

    def functions() -> list[OneState]:
        import casadi

        from chetaev.flow.derive.instructions import from_casadi
        from chetaev.flow.derive.step_law import StepLaw

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
        return [OneState("f", program, programs.model.size, places, libm)]

    redundant = [str(i) for i in programs.model.dependent]
    return programs.library(["step", scheme.name, str(libm), *redundant], functions)
