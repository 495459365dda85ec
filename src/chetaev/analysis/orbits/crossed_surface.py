"""A surface {e = 0} in the states, and the motion's crossings of it.

A crossing is where e changes its sign in the given direction; a touch is none. The time of a crossing
depends on the state: with Φ the tangent flow up to it, the derivative of the crossing point is the
projection along the field

    (1 − X ∇e / (∇e · X)) Φ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.state_matrices import Asked
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.flow.run.events import Event, read
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.tangent_flow import TangentFlow
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list
from chetaev.numeric import norm

Array = NDArray[np.float64]
Condition = Callable[[float, Array], tuple[float, Array]]
"""A function of the state that is to vanish, with its gradient."""
FIRST = 16.0
"""The first stretch of time that is searched; each further one is twice as long."""
MOST_STEPS = 50_000
"""After so many steps without a crossing the search ends."""
ON = 1e-9
"""A state is on the surface if a change of this part of its size takes it there."""
TANGENT = 1e-7


class SectionSurface:
    """An event as a function of the state, with its gradient."""

    def __init__(self, flow: TangentFlow, event: Event | str) -> None:
        self.flow = flow
        self.event = event if isinstance(event, Event) else Event(event, direction=1)
        _, (graph,) = read([self.event], flow.field.model)
        d = flow.field.programs.dynamics
        t, q, v, p = d.arguments.list()
        e = d.expressions([graph])
        by_state = casadi.densify(casadi.jacobian(e, casadi.vertcat(q, v)))
        self._function = casadi.Function("e", [t, q, v, p], [e, by_state])
        self.watched = Event(self.event.expression, direction=self.event.direction, terminal=True)

    def __call__(self, t: float, state: Array) -> tuple[float, Array]:
        """e and ∇e at a state."""
        n = len(state) // 2
        value, gradient = self._function(t, state[:n], state[n:], self.flow.values)
        return float(value), np.array(gradient.full())[0]

    def is_on(self, t: float, state: Array) -> bool:
        """Whether a state is on the surface, up to rounding."""
        value, gradient = self(t, state)
        return abs(value) <= ON * (1 + float(np.abs(state).max())) * max(norm(gradient), 1e-30)

    def expect_crossed(self, t: float, state: Array) -> tuple[Array, Array]:
        """X and ∇e at a crossing; a ModelError where the motion is tangent to the surface."""
        velocity, gradient = self.flow.rate(t, state), self(t, state)[1]
        if abs(float(gradient @ velocity)) <= TANGENT * norm(gradient) * norm(velocity):
            raise ModelError(
                f"the motion is tangent to {self.event.name} = 0 at {self.flow.system.time} = {t:g}",
                remedy="choose a surface that the motion crosses",
            )
        return velocity, gradient

    def first(self, t: float, state: Array) -> Array:
        """The state itself if it is on the surface and crosses it in the right direction, else the next
        crossing.
        """
        if self.is_on(t, state):
            slope = float(self(t, state)[1] @ self.flow.rate(t, state))
            if self.event.direction == 0 or slope * self.event.direction > 0:
                return state
        return self.crossing(t, state, 1)[1]

    def crossing(self, t: float, state: Array, number: int) -> tuple[float, Array]:
        """Time and state of a crossing after this state; a start on the surface does not count."""
        n, begun = len(state) // 2, t
        y, left, stretch = state, number, FIRST
        started_on = self.is_on(t, state)
        steps = 0
        while True:
            end = t + stretch
            run = integrate(
                self.flow.field,
                t,
                y[:n],
                y[n:],
                end,
                [],
                tolerance=self.flow.tolerance,
                events=[self.watched],
            )
            found, y = float(run.time), np.concatenate(run.state)
            steps = steps + run.statistics.steps if run.status == "done" else 0
            if run.status == "event":
                again = started_on and found - begun <= 1e-9 * (1 + abs(begun))
                if not again:
                    left -= 1
                started_on = False
                if not left:
                    self.expect_crossed(found, y)
                    return found, y
                y, found = self._past(found, y)
            elif run.status != "done":
                raise ModelError(
                    f"the motion ends before it crosses {self.event.name} = 0 "
                    f"{'again' if number == 1 else f'{number} times'}: {run.reason}"
                )
            elif steps > MOST_STEPS:
                ways = {1: " upwards", -1: " downwards", 0: ""}[int(self.event.direction)]
                raise ModelError(
                    f"the motion crosses {self.event.name} = 0{ways} {number - left} times until "
                    f"{self.flow.system.time} = {found:g}, and {number} are needed",
                    remedy="choose another surface, direction or start",
                )
            else:
                stretch *= 2
            t = found

    def _past(self, t: float, y: Array) -> tuple[Array, float]:
        """A state a little later than a crossing, so that it is not found twice."""
        later = t + 1e-7 * (1 + abs(t))
        return self.flow.moved(t, y, later, np.zeros((0, len(y))))[0], later


def held(system: System, t0: float, state: Array, given: Any) -> list[Condition]:
    """e(y) − e(y_0), for expressions that are to keep the value that they have at a state."""
    given = [given] if isinstance(given, (str, Expr)) else as_list(given, "hold")
    if len(given) > len(state):
        raise ModelError(f"{len(given)} expressions are to be held", expected=f"at most {len(state)}")
    asked = Asked.of(system, (), (), given)
    return _conditions(system, asked.outputs, (t0, state))


def vanishing(system: System, functions: Sequence[Expr]) -> list[Condition]:
    """Expressions that are to vanish."""
    return _conditions(system, tuple(functions), None)


def _conditions(
    system: System, functions: tuple[Expr, ...], start: tuple[float, Array] | None
) -> list[Condition]:
    residual = Residual(system, functions)
    p = residual.model.default_values

    def at(t: float, y: Array) -> tuple[Array, Array]:
        n = len(y) // 2
        value, by_state, _ = residual.outputs_at(t, y[:n], y[n:], p)
        return value, by_state

    wanted = np.zeros(len(functions)) if start is None else at(*start)[0]

    def condition(i: int) -> Condition:
        def one(t: float, y: Array) -> tuple[float, Array]:
            value, by_state = at(t, y)
            return float(value[i] - wanted[i]), by_state[i]

        return one

    return [condition(i) for i in range(len(functions))]


def crossing_derivative(velocity: Array, gradient: Array, carried: Array) -> Array:
    """The tangent flow's columns projected along the field onto the surface."""
    along: Any = gradient @ carried / float(gradient @ velocity)
    return np.asarray(carried - np.outer(velocity, along))
