"""Runs in quasi-velocities: (q, u) is integrated, and v = V(t, q, u) satisfies the constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, define
from chetaev.expr.language.parser import parse
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.flow.run.events import Event, listed
from chetaev.flow.run.motion import Run
from chetaev.model.system import System

if TYPE_CHECKING:
    from chetaev.equations.quasi.system_in_quasi_velocities import SystemInQuasiVelocities
    from chetaev.flow.run.array_calls import Array


def quasi_laws(system: System) -> dict[str, Expr]:
    """The quasi-velocities that are no velocities of coordinates, as functions of the state, by name."""
    from chetaev.equations.law.setup import Setup
    from chetaev.equations.quasi.given_quasi_velocities import expect_frame, frame_of_model

    if system.quasi:
        return dict(system.quasi)
    expect_frame(Setup(system))
    frame = frame_of_model(system)
    return {frame.labels[i]: frame.functions[i] for i in frame.named}


def read_events(
    system: System, events: Iterable[Event | str | Expr], names: Mapping[str, Expr]
) -> list[Event]:
    """Events whose texts may use names of quasi-velocities, read."""
    scope = system.scope.but(purpose="an event expression", kind="event")
    scope = scope.but(values={**{n: define(n, u) for n, u in names.items()}, **scope.values})
    return [
        replace(e, expression=parse(e.expression, scope)) if isinstance(e.expression, str) else e
        for e in listed(events)
    ]


class QuasiMotion:
    """A run of a system in its quasi-velocities."""

    def __init__(self, system: System) -> None:
        from chetaev.equations.quasi.system_in_quasi_velocities import carrier

        self.system = system
        self.carrier: SystemInQuasiVelocities = carrier(system)

    def start(self) -> tuple[list[float], list[float]]:
        """The initial state."""
        return self.carrier.start(self.system)

    def back(self, run: Run, field: CompiledField) -> Run:
        """A run in (q, u) as one in (q, v)."""
        n = len(self.system.coordinates)
        events = tuple(
            replace(e, q=e.q[:n], v=self._velocities(np.array([e.time]), e.q[None], e.v[None])[0])
            for e in run.events
        )
        q, v = run.state
        last = self._velocities(np.array([run.time]), q[None], v[None])[0]
        return replace(
            run,
            field=field,
            q=run.q[:, :n],
            v=self._velocities(run.times, run.q, run.v),
            state=(q[:n], last),
            events=events,
        )

    def _velocities(self, times: Array, q: Array, v: Array) -> Array:
        """V(t, q, u) at states of the run."""
        made, n = self.carrier, len(self.system.coordinates)
        values: dict[Any, Any] = {**self.system.parameter_values, self.system.time: times}
        for i, c in enumerate(made.system.coordinates):
            values[(c, 0)], values[(c, 1)] = q[:, i], v[:, i]
        for u, sigma in made.names.items():
            values[u] = values[(sigma, 1)]
        found = evaluate(made.frame.velocities, values)
        return np.stack([np.broadcast_to(x, times.shape) for x in found], axis=-1) if n else v[:, :0]
