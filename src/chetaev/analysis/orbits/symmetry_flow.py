"""The action of a symmetry on states: exp(s ξ) of a field ξ(q), lifted to velocities.

    q' = ξ(q)      v' = (∂ξ/∂q) v      W' = D(ξ, ∂ξ v) W

in the group parameter s, with W the derivative of the action. An affine field has the exponential of a
matrix; others are integrated by the eighth-order scheme of the house with equal steps, as many as make no
difference any more.

>>> import chetaev as ch
>>> plane = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2")
>>> turn = SymmetryFlow(plane, {"x": "-y", "y": "x"})
>>> image, by_state = turn(np.array([1.0, 0.0, 0.0, 2.0]), np.pi / 2)
>>> (image.round(9) + 0.0).tolist()
[0.0, 1.0, -2.0, 0.0]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.errors import ModelError
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ZERO, Expr, number, substitute, symbol, symbols
from chetaev.expr.language.parser import parse
from chetaev.flow.schemes.dop853 import STAGES
from chetaev.model.reading.expression_values import graph_of
from chetaev.model.system import System

Array = NDArray[np.float64]
STAGES_OF_A_STEP = 12
MOST_STEPS = 1024
SAME = 1e-13


class SymmetryFlow:
    """exp(s ξ) on (q, v), for a field ξ of the coordinates that is given by its components."""

    def __init__(self, system: System, components: Mapping[str, Any]) -> None:
        names = list(system.coordinates)
        self.components = {c: _read(system, components.get(c, ZERO)) for c in names}
        strange = [str(k) for k in components if k not in names]
        if strange:
            raise ModelError(
                f"a symmetry has a component along {strange[0]!r}",
                expected="a table of coordinates and expressions of them, such as {'x': '-y', 'y': 'x'}",
            )
        allowed = {(c, 0) for c in names}
        for c, e in self.components.items():
            odd = sorted(symbols(e) - allowed)
            if odd:
                name, order = odd[0]
                raise ModelError(
                    f"the component of a symmetry along {c} uses {name + chr(39) * order}",
                    expected="expressions of coordinates and parameters",
                )
        engine = Engine()
        q = engine.column([symbol(c) for c in names])
        n = len(names)
        v, W = casadi.SX.sym("v", n), casadi.SX.sym("W", 2 * n, 2 * n)
        xi = casadi.densify(engine.column(list(self.components.values())))
        field = casadi.vertcat(xi, casadi.jtimes(xi, q, v))
        point = casadi.vertcat(q, v)
        self._field = casadi.Function("xi", [point], [field])
        by_q = casadi.jacobian(xi, q)
        self._affine = None if casadi.depends_on(by_q, q) else _affine(by_q, xi, q)
        self._both = casadi.Function("xi", [point, W], [field, casadi.jtimes(field, point, W)])

    @property
    def along(self) -> tuple[tuple[str, Expr], ...]:
        """The components by coordinate."""
        return tuple(self.components.items())

    def __str__(self) -> str:
        return "(" + ", ".join(f"{c}: {e}" for c, e in self.components.items() if e is not ZERO) + ")"

    def generator(self, state: Array) -> Array:
        """(ξ, ∂ξ v) at a state."""
        return np.array(self._field(state).full())[:, 0]

    def __call__(self, state: Array, s: float) -> tuple[Array, Array]:
        """The image of a state, and the derivative of the action there."""
        d = len(state)
        if s == 0:
            return np.array(state), np.eye(d)
        if self._affine is not None:
            matrix = exponential(s * self._affine)
            return matrix[:d, :d] @ state + matrix[:d, d], matrix[:d, :d]
        start = np.hstack([state[:, None], np.eye(d)])
        steps, last = 4, None
        while True:
            found = self._moved(start, s, steps)
            if last is not None and np.abs(found - last).max() <= SAME * (1 + np.abs(found).max()):
                break
            if steps >= MOST_STEPS or not np.isfinite(found).all():
                raise ModelError(
                    f"the symmetry {self} cannot be followed for the parameter {s:g}",
                    remedy="start nearer to the orbit, or give another symmetry",
                )
            steps, last = 2 * steps, found
        return found[:, 0], found[:, 1:]

    def _moved(self, start: Array, s: float, steps: int) -> Array:
        y, h = start, s / steps
        with np.errstate(all="ignore"):
            for _ in range(steps):
                k: list[Array] = []
                for row in STAGES[:STAGES_OF_A_STEP]:
                    trial = y + h * sum((a * x for a, x in zip(row, k, strict=True) if a), np.zeros_like(y))
                    value, carried = self._both(trial[:, 0], trial[:, 1:])
                    k.append(np.hstack([value.full(), carried.full()]))
                weights = STAGES[STAGES_OF_A_STEP]
                y = y + h * sum((b * x for b, x in zip(weights, k, strict=True) if b), np.zeros_like(y))
        return np.asarray(y)


def _affine(by_q: Any, xi: Any, q: Any) -> Array:
    """The matrix of an affine field on (q, v, 1)."""
    n = q.numel()
    J, b = (np.array(x.full()) for x in casadi.Function("b", [q], [casadi.densify(by_q), xi])(np.zeros(n)))
    matrix = np.zeros((2 * n + 1, 2 * n + 1))
    matrix[:n, :n] = matrix[n : 2 * n, n : 2 * n] = J
    matrix[:n, -1] = b[:, 0]
    return matrix


def exponential(matrix: Array) -> Array:
    """exp of a matrix: its series for a small part of it, squared again.

    >>> exponential(np.array([[0.0, 1.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    size = float(np.abs(matrix).sum(axis=1).max(initial=0.0))
    squares = max(0, math.frexp(size)[1] + 2) if math.isfinite(size) else 0
    part = matrix / 2.0**squares
    term = found = np.eye(len(matrix))
    for k in range(1, 16):
        term = term @ part / k
        found = found + term
    for _ in range(squares):
        found = found @ found
    return found


def _read(system: System, given: Any) -> Expr:
    """A component with the model's values put in."""
    e = parse(given, system.scope) if isinstance(given, str) else graph_of(given, system.scope)
    put = {symbol(n): number(Fraction(x)) for n, x in system.parameter_values.items()}
    (e,) = substitute([e], put)
    if not symbols(e):
        (value,) = evaluate([e], {})
        return ZERO if value == 0 else e
    return e
