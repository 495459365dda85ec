"""What an integration gives back: a motion, with everything that can be said about it.

A :class:`Run` is complete and does not change. Multipliers, energy, power and residuals are computed from
its states when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.flow.run.array_calls import Array
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.flow.run.events import Crossing, Watched
from chetaev.flow.run.sliding import Change
from chetaev.flow.run.supplied_forces import Supplied
from chetaev.flow.schemes import find


@dataclass(frozen=True)
class Statistics:
    """What a run took."""

    # steps, rejected, evaluations: steps taken and refused, evaluations of the field
    steps: int
    rejected: int
    evaluations: int
    # chart_changes, branch_changes: how often the chart, and the branch of a non-smooth function, changed
    chart_changes: int
    branch_changes: int
    form: str  # the elimination in use at the end: null or pivoted, bordered with many digits
    largest_correction: float  # the largest change of a state that the projection made
    # times at which another scheme took over, and its name
    scheme_changes: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Dense:
    """The motion at any time, from the dense output of the steps, whose order is that of the scheme.

    ``dense(times)`` gives (q, v), each with the shape of `times` and a last axis of n. States between the
    steps are not projected; they miss the constraints by no more than the tolerance allows.
    """

    starts: Array
    lengths: Array
    states: Array
    vectors: Array
    method: str
    first: float
    last: float

    def __call__(self, times: ArrayLike) -> tuple[Array, Array]:
        """Positions and velocities at times within the run."""
        t = np.asarray(times, float)
        low, high = min(self.first, self.last), max(self.first, self.last)
        if t.size and (t.min() < low or t.max() > high):
            raise ModelError(f"a time lies outside the run from {self.first:g} to {self.last:g}")
        sign = 1.0 if self.last >= self.first else -1.0
        index = np.clip(
            np.searchsorted(sign * self.starts, sign * t, side="right") - 1, 0, len(self.starts) - 1
        )
        x = (t - self.starts[index]) / self.lengths[index]
        state, d = np.moveaxis(self.states[index], -1, 0), self.states.shape[-1]
        vectors = np.moveaxis(self.vectors[index].reshape(*t.shape, -1), -1, 0)
        inside = find(self.method).interpolate  # of numbers or, as here, of arrays over times
        y = np.stack([inside(d, i, state, vectors, x) for i in range(d)], axis=-1)
        n = d // 2
        return y[..., :n], y[..., n:]


@dataclass(frozen=True)
class KinkBranches:
    """The branches of non-smooth functions along a motion."""

    field: CompiledField  # that of the model with modes in place of non-smooth functions
    switches: tuple[Expr, ...]  # the expressions whose signs the modes are
    # when a mode changed, and to what: 1, −1, or 0 where the motion is held at zero
    changes: tuple[Change, ...]
    modes_at: Callable[[Array, Array, Array], Array]  # the modes at states of the motion

    def observe(self, t: Array, q: Array, v: Array, parameters: Mapping[str, Any]) -> dict[str, Array]:
        """As :meth:`CompiledField.observe`, on the branches that the motion was on."""
        return self.field.observe(t, q, v, parameters, modes=self.modes_at(t, q, v))

    def held(self, end: float) -> list[tuple[str, float, float]]:
        """Where and from when to when the motion was held at a zero; the last ones to `end`."""
        found: list[tuple[str, float, float]] = []
        begun: dict[int, float] = {}
        for change in self.changes:
            if change.index in begun:
                found.append((str(self.switches[change.index]), begun.pop(change.index), change.time))
            if change.mode == 0:
                begun[change.index] = change.time
        return found + [(str(self.switches[i]), t, end) for i, t in begun.items()]


@dataclass(frozen=True)
class Run:
    """A motion."""

    field: CompiledField
    parameters: Mapping[str, Any]
    # times, q, v: shapes (N,), (N, n), (N, n): at the requested times, or at every step
    times: Array
    q: Array
    v: Array
    # ``"done"``, ``"event"``, or why it ended early: ``"collapsed"`` (the step), ``"not finite"``,
    # ``"constraint rank lost"``, ``"reduced matrix singular"``, ``"beyond double precision"``, ``"sliding"``,
    # ``"off constraint"``, ``"max steps"``, ``"switches pile up"``, ``"law jumps"``
    status: str
    reason: str  # the same in a sentence, with what to do
    # time, state: where it ended: the time, and (q, v)
    time: float
    state: tuple[Array, Array]
    # of the constraint matrix, or of the reduced matrix, whichever is meant by the status; None after a good
    # end
    smallest_singular_value: float | None
    events: tuple[Crossing, ...]  # crossings, touches and stretches of zero, in order of time
    statistics: Statistics  # steps, rejections, evaluations, changes of chart
    tolerance: float
    method: str
    dense: Dense | None = None  # the motion as a function of time, if it was asked for
    watched: tuple[Watched, ...] = ()  # for each event that was asked for, what is known of it on this run
    # the modes of the model's non-smooth functions along the motion; None if it has none
    branches: KinkBranches | None = None
    supplied: Supplied | None = None  # forces that Python functions supplied; None if there are none
    stop: int | None = None  # which of the stops ended it, where one did

    @property
    def finished(self) -> bool:
        """Whether the run reached its end or a terminal event."""
        return self.status in ("done", "event")

    @cached_property
    def _observed(self) -> dict[str, Array]:
        parameters = self.parameters
        if self.supplied is not None:
            parameters = {**parameters, **self.supplied.along(self.times, self.q, self.v)}
        if self.branches is not None:
            return self.branches.observe(self.times, self.q, self.v, parameters)
        return self.field.observe(self.times, self.q, self.v, parameters)

    @property
    def energy(self) -> Array:
        """E = v·∂L/∂v − L, shape (N,)."""
        return self._observed["energy"]

    @property
    def multipliers(self) -> Array:
        """μ, shape (N, m); those of least norm where constraints are redundant."""
        return self._observed["multipliers"]

    @property
    def accelerations(self) -> Array:
        """a, shape (N, n)."""
        return self._observed["accelerations"]

    @property
    def power(self) -> Array:
        """Power of the constraint forces, Σ μ_a (∂f^a/∂v)·v, shape (N,)."""
        return self._observed["power"]

    @property
    def reactions(self) -> Array:
        """The reaction force μ_a ∂f^a/∂v on each coordinate, shape (N, n)."""
        return self._observed["reactions"]

    @property
    def acceleration_residuals(self) -> Array:
        """What the acceleration constraints miss zero by, shape (N, number of them)."""
        return self._observed["acceleration_residuals"]

    @property
    def residuals(self) -> Array:
        """f and dφ/dt, then φ: what the constraints miss zero by, shape (N, number of them)."""
        seen = self._observed
        return np.concatenate([seen["velocity_residuals"], seen["position_residuals"]], axis=-1)
