r"""The motion with inputs as CasADi functions: r(t, x, x', u) = 0 and the running cost.

Kinematic: x = q, r = q' − V(t, q, u), and the cost is the kinetic energy ½ uᵀG(q)u of the frame where there
is one and no drift, else ½|u|². Dynamic: x = (q, u), r = (q' − V, G u' − r₀ − b F), and the cost is ½|F|².
For systems given by accelerations and velocities, x' − g(x, u) with the cost ½|u|².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi

from chetaev.analysis.control.control_affine import ControlAffine, values_with
from chetaev.equations.law.setup import Setup
from chetaev.equations.quasi.quasi_frame import law_in
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import Expr, add, mul, symbol
from chetaev.laws.standpoint import Standpoint
from chetaev.model.dynamics.mixed import Mixed

Name = tuple[str, int]
MOST_ROWS = 8
"""Of a matrix whose determinant is written down."""


@dataclass(frozen=True)
class ControlledRates:
    """x' implicitly."""

    states: tuple[Name, ...]
    """The symbols of x."""
    residual: Any
    """CasADi function (t, x, x', u) → r."""
    cost: Any
    """CasADi function (t, x, u) → the running cost."""
    regular: Any
    """CasADi function (t, x) → functions that vanish where the constraints or their frame are singular."""
    metric: bool
    """Whether the cost is a kinetic energy."""


def rates(control: ControlAffine) -> ControlledRates:
    """The motion of a system with inputs."""
    system = control.system
    view = values_with(system, control.names if control.level == "dynamic" else ())
    engine = Engine()
    t = engine(symbol(system.time))
    if isinstance(system.dynamics, Mixed):
        return _mixed(control, engine, t)
    frame = control.frame
    assert frame is not None
    s = Setup(system)
    law = law_in(s, frame.velocities, frame.symbols)
    matrix, right, slopes = s.matrices(law.matrix, law.right, law.recover)
    V = engine.column(view.apply(frame.velocities))
    q = engine.column([symbol(c) for c in system.coordinates])
    w = engine.column(list(frame.symbols))
    n, m = len(frame.labels), len(system.coordinates)
    q_dot, w_dot = casadi.SX.sym("q_dot", m), casadi.SX.sym("w_dot", n)
    G = casadi.vertcat(*(engine.column(view.apply(row)).T for row in matrix)) if n else casadi.SX(0, 0)
    if control.level == "kinematic":
        metric = system.dynamics.lagrangian is not None and not casadi.depends_on(G, w)
        metric = metric and bool(control.drift.is_zero)  # with a drift b the energy is that of Yu + b
        cost = casadi.mtimes([w.T, G, w]) / 2 if metric else casadi.dot(w, w) / 2
        states = tuple((c, 0) for c in system.coordinates)
        regular = _function([t, q], _regular(s, control, engine, view))
        return ControlledRates(
            states, _function([t, q, q_dot, w], q_dot - V), _function([t, q, w], cost), regular, metric
        )
    r = [row[0] for row in right]
    u, forces = _inputs(control, engine)
    total = [add(e, *(mul(slopes[i][k], f) for i, f in forces)) for k, e in enumerate(r)]
    R = engine.column(view.apply(total))
    residual = casadi.vertcat(q_dot - V, G @ w_dot - R)
    x, x_dot = casadi.vertcat(q, w), casadi.vertcat(q_dot, w_dot)
    states = (*((c, 0) for c in system.coordinates), *(e.value for e in frame.symbols))
    cost, regular = casadi.dot(u, u) / 2, _regular(s, control, engine, view)
    return ControlledRates(
        states,
        _function([t, x, x_dot, u], residual),
        _function([t, x, u], cost),
        _function([t, x], regular),
        False,
    )


def _regular(s: Setup, control: ControlAffine, engine: Engine, view: Standpoint) -> Any:
    """det(C Cᵀ) at rest, and what vanishes where the frame is none."""
    frame, parts = control.frame, []
    C = casadi.substitute(s.by_v(s.f), s.v, casadi.SX.zeros(s.m)) if s.f.numel() else None
    if C is not None and s.f.numel() <= MOST_ROWS:
        rows = s.matrix(C)
        J = casadi.vertcat(*(engine.column(view.apply(row)).T for row in rows))
        parts.append(casadi.det(J @ J.T))
    if frame is not None:
        parts += engine.convert(view.apply(frame.vanishing))
    return casadi.vertcat(*parts) if parts else casadi.SX(0, 1)


def _inputs(control: ControlAffine, engine: Engine) -> tuple[Any, list[tuple[int, Expr]]]:
    """The inputs as a column, and forces by number of their coordinate; parameters stand in the law."""
    system, forces, symbols = control.system, [], []
    for name in control.names:
        if name in system.parameters:
            symbols.append(symbol(name))
        else:
            own = symbol(f"{name}@force")
            symbols.append(own)
            forces.append((system.coordinates.index(name), own))
    return engine.column(symbols), forces


def _mixed(control: ControlAffine, engine: Engine, t: Any) -> ControlledRates:
    symbols = [s for s in control.chart.symbols if s != (control.system.time, 0)]
    x = engine.column([symbol(*s) for s in symbols])
    u = casadi.SX.sym("u", len(control.inputs))
    rate = engine.column([e.to_expr() for e in control.drift.components[: len(symbols)]])
    for a, Y in enumerate(control.inputs):
        rate = rate + engine.column([e.to_expr() for e in Y.components[: len(symbols)]]) * u[a]
    x_dot = casadi.SX.sym("x_dot", len(symbols))
    residual, cost = _function([t, x, x_dot, u], x_dot - rate), _function([t, x, u], casadi.dot(u, u) / 2)
    return ControlledRates(tuple(symbols), residual, cost, _function([t, x], casadi.SX(0, 1)), False)


def _function(arguments: list[Any], value: Any) -> Any:
    return casadi.Function("f", arguments, [casadi.densify(value)])
