"""Newton's method for closed motions: multiple shooting on Q with least-norm steps (SCOPE M6).

Unknown are states y_0 … y_{m−1} of Q, the period T (unless it is given) and the parameters s of the
symmetries:

    φ_{T/m}(y_i) = y_{i+1},      φ_{T/m}(y_{m−1}) = exp(s ξ) y_0 + k      (and e(y_0) = 0)

Steps are tangent to Q, by the tangent flow (no differences), and end on Q again by the least change. Where
laws hold or orbits come in families the matrix is singular at the solution; steps are then those of
Levenberg and Marquardt, whose damping |F|² vanishes with the residual F, and which converge quadratically
to a *set* of solutions that is a manifold (Yamashita and Fukushima 2001); near it, least-norm steps that
leave alone what the matrix cannot tell from zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.orbits.closed_up_to_symmetry import Closing
from chetaev.analysis.orbits.crossed_surface import Condition
from chetaev.errors import ModelError
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.tangent_flow import TangentFlow
from chetaev.numeric import MEASURED, kernel, least_squares, norm, onto

Array = NDArray[np.float64]

STEPS = 40
"""Trials of Newton's method, at most."""
NEAR = 1e-4
"""With a residual below this, relative to the state, steps are undamped."""
DAMPING = 1e-3
LEAST = 1e-3
"""The least unit of a coordinate: errors allowed in a step are absolute below 1."""
SMALLEST = 0.05
"""The period does not fall below this part of its guess: short motions are closed, nearly."""


@dataclass(frozen=True)
class Shot:
    """A trial: states, period, group parameters; the residual and its derivative by tangent directions,
    period and group; what the flow made of the tangent directions.

    Residual, tangent directions and speed are in units of the orbit: its extent in each coordinate, its
    period.
    """

    states: tuple[Array, ...]
    period: float
    group: Array
    residual: Array
    matrix: Array
    bases: tuple[Array, ...]
    carried: tuple[Array, ...]
    ends: tuple[Array, ...]
    speed: float

    @property
    def merit(self) -> float:
        """The miss relative to the speed: a motion that shrinks to a state of rest does not become better."""
        return float(np.abs(self.residual).max(initial=0.0)) / self.speed if self.speed > 0 else np.inf

    @property
    def size(self) -> float:
        """The largest miss, in units of the orbit."""
        return float(np.abs(self.residual).max(initial=0.0))


class Shooting:
    """The equations of one closed motion.

    `flow`, `closing`: the tangent flow, and when a motion is closed; `t0`: the initial time; `fixed`: whether
    the period is given; `conditions`: functions that vanish at the start of the orbit, each giving its value
    and its gradient at a state.
    """

    def __init__(
        self, flow: TangentFlow, closing: Closing, t0: float, fixed: bool, conditions: Sequence[Condition]
    ) -> None:
        self.flow, self.closing, self.t0, self.fixed = flow, closing, t0, fixed
        self.conditions = conditions
        self.scale, self.unit = np.ones(flow.size), 1.0

    def at(self, states: tuple[Array, ...], period: float, group: Array) -> Shot:
        """The residual and its derivative."""
        m, d, scale = len(states), self.flow.size, self.scale
        bases, carried, ends = [], [], []
        for i, y in enumerate(states):
            t0, t1 = (self.t0 + period * j / m for j in (i, i + 1))
            bases.append(
                kernel(self.flow.normals.held(t0, y)[1] * scale) if not self.flow.normals.free else np.eye(d)
            )
            end, rows = self.flow.moved(t0, y, t1, bases[i].T * scale)
            ends.append(end)
            carried.append((rows / scale).T)
        width = [b.shape[1] for b in bases]
        first = np.concatenate([[0], np.cumsum(width)])
        columns = int(first[-1]) + (0 if self.fixed else 1) + len(group)
        residual: list[Array] = []
        matrix: list[Array] = []
        for i in range(m):
            block = np.zeros((d, columns))
            block[:, first[i] : first[i + 1]] = carried[i]
            if not self.fixed:
                rate = self.flow.rate(self.t0 + period * (i + 1) / m, ends[i])
                block[:, first[-1]] = rate / scale * (self.unit / m)
            places = list(range(d))
            if i < m - 1:
                target, by_next = states[i + 1], bases[i + 1]
                block[:, first[i + 1] : first[i + 2]] -= by_next
            else:
                target, by_state, by_group = self.closing.image(states[0], group)
                turned = by_state * scale / scale[:, None]
                block[:, first[0] : first[1]] -= turned @ bases[0]
                block[:, columns - len(group) :] -= by_group / scale[:, None]
                places = self.closing.compared
            residual.append(((ends[i] - target) / scale)[places])
            matrix.append(block[places])
        for condition in self.conditions:
            value, gradient = condition(self.t0, states[0])
            row = np.zeros((1, columns))
            steep = norm(gradient * scale) or 1.0
            row[0, : first[1]] = (gradient * scale / steep) @ bases[0]
            residual.append(np.array([value / steep]))
            matrix.append(row)
        return Shot(
            states, period, group, np.concatenate(residual), np.vstack(matrix), tuple(bases), tuple(carried),
            tuple(ends), self.speed(period, states[0]),
        )  # fmt: skip

    def speed(self, period: float, state: Array) -> float:
        """How far the motion would go in a period at the speed that it starts with, in units of the orbit."""
        return 1.0 if self.fixed else norm(self.flow.rate(self.t0, state) / self.scale) * period

    def moved(self, shot: Shot, step: Array) -> tuple[tuple[Array, ...], float, Array] | None:
        """The unknowns after a step, states back on Q; None where that cannot be."""
        states, first = [], 0
        m = len(shot.states)
        longer = 0.0 if self.fixed else self.unit * float(step[sum(b.shape[1] for b in shot.bases)])
        period = shot.period + longer
        for i, (y, basis) in enumerate(zip(shot.states, shot.bases, strict=True)):
            change = self.scale * (basis @ step[first : first + basis.shape[1]])
            first += basis.shape[1]
            found = self.on_q(self.t0 + period * i / m, y + change)
            if found is None:
                return None
            states.append(found)
        group = shot.group + step[len(step) - len(shot.group) :]
        return tuple(states), period, group

    def on_q(self, t: float, state: Array) -> Array | None:
        """The state of Q next to a state."""
        if self.flow.normals.free:
            return state
        found = onto(lambda y: self.flow.normals.held(t, y), state)
        for _ in range(2):  # `onto` is content with nine digits
            if found is not None:
                value, matrix = self.flow.normals.held(t, found)
                found = found - least_squares(matrix, value)
        return found

    def nearest(self, state: Array, period: float, refine: bool) -> tuple[float, Array]:
        """The period near a guess, if it is to be found, and the group parameters for which the motion from a
        state misses least; its extent becomes the unit.
        """
        group, n = np.zeros(len(self.closing.actions)), self.flow.size // 2
        times = self.t0 + period * np.linspace(0.0, 1.5, 601)
        run = integrate(
            self.flow.field, self.t0, state[:n], state[n:], float(times[-1]), times, tolerance=1e-9,
            max_steps=self.flow.most,
        )  # fmt: skip
        self.unit = period
        if run.status != "done":
            return period, group
        ends = np.hstack([run.q, run.v])
        self._measure(ends)
        rows = self.closing.compared
        if self.closing.actions:
            group = self._nearest_group(state, ends[400], rows)
        if self.fixed or not refine:
            return period, group
        image = self.closing.image(state, group)[0]
        misses = np.abs((ends - image) / self.scale)[200:, rows].max(axis=1)
        lowest = [k for k in range(1, 400) if misses[k] <= misses[k - 1] and misses[k] < misses[k + 1]]
        good = 3 * misses.min() + 0.05 * misses.max()
        best = min(lowest, key=lambda k: (misses[k] > good, abs(k - 200)), default=200)
        self.unit = float(times[200 + best] - self.t0)
        return self.unit, group

    def _measure(self, motion: Array) -> None:
        """Units from the extent of a motion: that of each coordinate, at least a tenth of the largest."""
        n = self.flow.size // 2
        extent = motion.max(axis=0) - motion.min(axis=0)
        for part in (range(n), range(n, 2 * n)):
            inside = [k for k in part if k in self.closing.compared]
            largest = max((extent[k] for k in inside), default=0.0)
            largest = largest or max((float(np.abs(motion[:, k]).max()) for k in inside), default=0.0) or 1.0
            for k in part:
                own = extent[k] if k in inside else largest
                self.scale[k] = max(own, 0.1 * largest, LEAST)

    def _nearest_group(self, state: Array, end: Array, rows: list[int]) -> Array:
        best, least = np.zeros(len(self.closing.actions)), np.inf
        for first in (0.0, 1.0, -1.0, 2.5, -2.5):
            s = np.full(len(self.closing.actions), first)
            for _ in range(6):
                try:
                    image, _, by_group = self.closing.image(state, s)
                except ModelError:
                    break
                miss = (end - image)[rows]
                if norm(miss) < (1 - 1e-6) * least:
                    best, least = s, norm(miss)
                s = s + least_squares(by_group[rows], miss)
        return best

    def start(self, state: Array, period: float, segments: int, refine: bool) -> Shot:
        """The first trial: the motion that starts at the guess, cut into parts of equal time."""
        period, group = self.nearest(state, period, refine)
        states, y = [state], state
        none = np.zeros((0, len(state)))
        for i in range(1, segments):
            t0, t1 = (self.t0 + period * j / segments for j in (i - 1, i))
            y = self.flow.moved(t0, y, t1, none)[0]
            states.append(y)
        return self.at(tuple(states), period, group)

    def around(self, shot: Shot, directions: Array) -> tuple[Array, Array]:
        """The state after a period, and what became of directions (columns) at the start, part by part."""
        directions = directions / self.scale[:, None]
        for basis, carried in zip(shot.bases, shot.carried, strict=True):
            directions = carried @ (basis.T @ directions)
        return shot.ends[-1], directions * self.scale[:, None]

    def solved(self, shot: Shot, goal: float) -> Shot:
        """The best trial; its residual says whether it is a closed motion."""
        least = SMALLEST * shot.period
        damping = DAMPING
        for _ in range(STEPS):
            near = shot.size < NEAR
            step = -_step(shot, 0.0 if near else damping)
            after = self._tried(shot, step, least)
            if after is not None and after.merit < shot.merit * (0.5 if shot.size < goal else 0.99):
                shot = after
                damping = max(damping / 10, 1e-9)
                if shot.size == 0:
                    break
                continue
            if shot.size < goal:
                break
            if near:  # the undamped step is too long: families are curved
                after = self._shorter(shot, step, least)
                if after is None:
                    break
                shot = after
                continue
            damping *= 10
            if damping > 1e8:
                break
        return shot

    def _shorter(self, shot: Shot, step: Array, least: float) -> Shot | None:
        for part in (0.5, 0.2, 0.05, 0.01):
            after = self._tried(shot, part * step, least)
            if after is not None and after.merit < shot.merit:
                return after
        return None

    def _tried(self, shot: Shot, step: Array, least: float) -> Shot | None:
        moved = self.moved(shot, step)
        if moved is None or not moved[1] > least or not all(np.isfinite(y).all() for y in moved[0]):
            return None
        try:
            found = self.at(*moved)
        except ModelError:  # the motion does not get that far from there
            return None
        return found if np.isfinite(found.residual).all() and np.isfinite(found.matrix).all() else None


def _step(shot: Shot, damping: float) -> Any:
    if not damping:
        return least_squares(shot.matrix, shot.residual, MEASURED)
    columns = shot.matrix.shape[1]
    below = (
        np.sqrt(damping) * min(shot.size, 1.0) * max(1.0, float(np.abs(shot.matrix).max())) * np.eye(columns)
    )
    return least_squares(np.vstack([shot.matrix, below]), np.concatenate([shot.residual, np.zeros(columns)]))
