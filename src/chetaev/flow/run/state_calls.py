"""The machine code of a model called at one state: constraints, events, the field, how far to trust it.

An initial state must be on the constraints: the projection may move it by rounding errors only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chetaev.errors import InitialDataError
from chetaev.expr.graph.node import Expr
from chetaev.flow.compile.machine import Library
from chetaev.flow.compile.programs import Programs
from chetaev.flow.derive.chart import OFF, PivotChart
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.run.array_calls import Array, call
from chetaev.flow.run.supplied_forces import Supplied
from chetaev.flow.schemes.scheme import Scheme
from chetaev.numeric import shortest_move


class StateCalls:
    """What a session calls of its programs, in the current chart, form and variant."""

    programs: Programs
    chart: PivotChart
    form: str
    loop: Any
    p: Array
    n: int
    work: Array
    dim: int
    directions: int
    together: bool
    supplied: Supplied | None
    scheme: Scheme
    event_graphs: Sequence[Expr]
    _tangent: Library | None

    @property
    def t(self) -> float:
        """The current time."""
        return float(self.loop.t)

    @property
    def state(self) -> Array:
        """The current state, a copy."""
        return self.work[: self.dim].copy()

    def supply(self, t: float, state: Array) -> None:
        """Set what Python functions supply, at a state."""
        if self.supplied is not None:
            self.supplied.set(self.p, t, state)

    def _load(self) -> None:
        """The machine code for the current chart and form."""
        programs, chart = self.programs, self.chart
        self._rhs = programs.code("rhs", chart, self.form)
        self._con = programs.constraints() if programs.model.rows else None
        self._event = programs.code("event", self.event_graphs) if self.event_graphs else None
        one_by_one = self.directions > 0
        own_program = self.scheme.equations is not None or self.scheme.tangent
        if one_by_one and self.together and self.form == "null" and not own_program:
            self._rhs = programs.code("joint", chart, self.directions)
            one_by_one = False
        self.loop.directions = self.directions if one_by_one else 0
        self._tangent = None
        if self.scheme.equations is not None:
            self._tangent = programs.code("step", self.scheme)
        elif one_by_one or self.scheme.tangent:
            self._tangent = programs.code("tangent", chart)

    def constraints(self, t: float, state: Array) -> tuple[Array, Array]:
        """Residuals (dφ/dt, f, φ) and C, shape (m, n), at a state."""
        model = self.programs.model
        out = np.zeros(model.on_velocities + len(model.position) + 1)
        matrix = np.empty((model.rows, model.size))
        call(self.programs.constraints().address("c"), t, np.ascontiguousarray(state), self.p, out, matrix)
        return out[:-1], matrix

    def matrix(self, t: float, state: Array) -> Array:
        """C at a state, shape (m, n)."""
        return self.constraints(t, state)[1]

    def event_values(self, t: float, state: Array) -> Array:
        """All event expressions at a state, branch switches first."""
        code, out = self.programs.code("event", self.event_graphs), np.empty(len(self.event_graphs) + 1)
        call(code.address("f"), t, np.ascontiguousarray(state), self.p, out, out)
        return out[:-1]

    def field(self, t: float, state: Array) -> tuple[Array, Array]:
        """(v, a) in the current chart and form null, and the pivots."""
        code = self.programs.code("rhs", self.chart, "null")
        out, aux = np.empty(2 * self.n), np.empty(self.n + 1)
        self.supply(t, state)
        call(code.address("f"), t, np.ascontiguousarray(state), self.p, out, aux)
        return out, aux[: self.n]

    def _trust(self, rate: Array) -> float:
        """What cancellation leaves of the weakest pivot at the current state; nan where a is not finite."""
        model = self.programs.model
        handed = np.concatenate([self.p[: self.loop.parameters], rate[self.n :]])
        seen = np.empty(4 + model.on_velocities + len(model.position) + model.rows + self.n)
        code = self.programs.sight(self.chart)
        call(code.address("s"), self.t, self.state[: 2 * self.n], handed, seen, seen[-1:])
        return float(seen[0]) if np.all(np.isfinite(rate)) else float("nan")


ROUNDOFF = 1e-15
"""Relative to the sizes of C and of the state; what misses the constraints by less is on them."""


def expect_on_constraints(
    model: Ingredients, state: Array, residuals: Array, matrix: Array, rows: int
) -> None:
    """Refuse an initial state that the projection would have to move visibly."""
    n, held = model.size, len(model.position)
    if rows == 0 or not (np.all(np.isfinite(residuals)) and np.all(np.isfinite(matrix))):
        return
    parts = [("velocities", residuals[:rows], matrix[:rows], state[n : 2 * n])]
    parts += [("positions", residuals[rows:], matrix[:held], state[:n])] if held else []
    for what, missed, jacobian, values in parts:
        largest = np.max(np.abs(missed))
        if largest <= ROUNDOFF * np.max(np.abs(jacobian)) * (1 + np.max(np.abs(values))):
            continue
        move = np.max(np.abs(shortest_move(jacobian, missed)))
        if move > OFF * (1 + np.max(np.abs(values))):
            worst = int(np.argmax(np.abs(missed)))
            raise InitialDataError(
                f"the initial state is not on the constraints: {model.functions[worst]} = 0 "
                f"{'(differentiated) ' if what == 'velocities' and worst < held else ''}"
                f"is missed by {missed[worst]:.3g}",
                expected=f"{what} on the constraints; they would have to move by {move:.3g}",
                remedy="let the system solve for its initial data, or use project=False",
            )
