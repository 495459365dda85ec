"""Motions of one system in lanes: those that begin and end quietly; all others are left to `flow.run`.

A member is given to the lanes if `flow.run.session` would begin it with elimination without pivoting in the
first chart: its start is on the constraints, the chart is strong there, the reduced matrix definite, and no
digits are lost. What happens in a lane is then what happens in `session`, bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.flow.compile.loops import follow, kernel, level
from chetaev.flow.derive.chart import WEAK, strengths
from chetaev.flow.kernels.arrays import place_of
from chetaev.flow.kernels.integration import INTS
from chetaev.flow.kernels.lanes import LANE_REALS, SLOT_MEMBER, SLOTS, Lanes
from chetaev.flow.run.array_calls import Array, States, finite_rows, gather, largest_in_rows
from chetaev.flow.run.compiled_field import CompiledField, see
from chetaev.flow.run.integrate import branched
from chetaev.flow.run.session import ROUNDOFF
from chetaev.flow.schemes import DEFAULT, find

WIDE = 8
"""Doubles in a vector of AVX-512."""


def default_lanes() -> int:
    """Motions side by side: two vectors of eight, where the processor has those, else one vector.

    A second vector is at work while the first one waits, and 32 registers are enough for both.
    """
    lanes = level().processor.lanes
    return 2 * lanes if lanes == WIDE else lanes


def fits(field: CompiledField, method: str) -> bool:
    """Whether a system can run in lanes at all: a scheme for lanes, no kinks, tables or redundant rows."""
    model = field.model
    if not find(method).in_lanes or model.lookups or model.rank is not None or not model.symmetric:
        return False
    return not branched(field)[1]


class LaneMotions:
    """Runs motions of a compiled system (see `fits`) in 2, 4, 8 or 16 lanes, or in `default_lanes`."""

    def __init__(self, field: CompiledField, lanes: int | None = None, method: str = DEFAULT) -> None:
        self.field, self.lanes, self.scheme = field, lanes or default_lanes(), find(method)
        self.programs, self.model = field.programs, field.model
        self.chart = self.programs.first_chart
        self._code = self.programs.code("lanes", self.chart, lanes=self.lanes)
        self._drive = kernel("drive", self.programs.cache, method, self.lanes)

    def run(
        self, t: Array, q: Array, v: Array, p: Array, end: float, tolerance: float, at: Array,
        max_steps: int, stop: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], Array, Array]:  # fmt: skip
        """Run members; `stop[0]`, if it is set, ends all.

        Returns
        -------
        tuple
            Of each member whether it is done, its steps and refusals, shape (N, 3); the final states (N, 2n),
            and the states at the times `at` (N, T, 2n); only where a member is done.
        """
        count, n = q.shape
        times = np.ascontiguousarray(at, float)
        y = np.concatenate([q, v], axis=1)
        counts = np.zeros((count, 3), np.int64)
        final, series = np.full((count, 2 * n), np.nan), np.full((count, len(times), 2 * n), np.nan)
        which = np.flatnonzero(self._quiet(t, q, v, p) & (t != end))
        if not len(which) or len(np.unique(end > t[which])) > 1:  # forwards and backwards at once
            return counts, final, series
        starts = np.ascontiguousarray(t[which])
        sense = 1.0 if end > starts[0] else -1.0
        first = np.searchsorted(sense * times, sense * starts, side="right").astype(np.int64)
        run = self._lanes()
        run.slice = max_steps
        for name, value in (("end", end), ("rtol", tolerance), ("atol", tolerance)):
            place = place_of(Lanes, name) * self.lanes
            np.asarray(run.reals)[place : place + self.lanes] = value
        slots = np.zeros((self.lanes, SLOTS), np.int64)
        slots[:, SLOT_MEMBER] = -1
        done, ends = np.zeros((len(which), 3), np.int64), np.full((len(which), 2 * n), np.nan)
        states = np.full((len(which), len(times), 2 * n), np.nan)
        y0, p0 = np.ascontiguousarray(y[which]), np.ascontiguousarray(p[which])
        arrays = (starts, y0, p0)
        wanted = times if len(times) else np.zeros(1)
        field = self._code.address("f")
        held = self._code.address("c") if self.model.rows else field
        parts: tuple[Any, ...] = (run.table, run.ints, run.reals, run.p, run.work)
        self._drive(
            field, field, held, field, *(x.ctypes.data for x in parts), self.lanes, len(which),
            *(x.ctypes.data for x in arrays), wanted.ctypes.data, len(times),
            *(x.ctypes.data for x in (first, slots, ends, states, done, stop)),
        )  # fmt: skip
        for k in range(len(times)):  # times at the very start
            there = times[k] == starts
            states[there, k] = y0[there]
        counts[which], final[which], series[which] = done, ends, states
        return counts, final, series

    def _lanes(self) -> Lanes:
        model, lanes, scheme = self.model, self.lanes, self.scheme
        ints = np.zeros(INTS, np.int64)
        nothing: Any = None
        functions = nothing, nothing, nothing, nothing
        run = Lanes(*functions, scheme.table, ints, _aligned(LANE_REALS * lanes), nothing, nothing)
        run.n, run.d, run.projects = model.size, 2 * model.size, 1
        run.rows, run.position, run.all_rows = model.on_velocities, len(model.position), model.rows
        run.rank, run.free = len(self.chart.rows), model.size - len(self.chart.rows)
        run.watched, run.parameters = model.size, len(model.parameters)
        follow(run, scheme)
        run.p = _aligned(max(1, run.parameters) * lanes)
        run.work = _aligned(run.work_size * lanes)
        return run

    # --- which members begin quietly ----------------------------------------------------------------------

    def _quiet(self, t: Array, q: Array, v: Array, p: Array) -> NDArray[np.bool_]:
        good = np.isfinite(t) & finite_rows(q) & finite_rows(v) & finite_rows(p)
        which = np.flatnonzero(good)
        if not len(which):
            return good
        parameters = {name: p[which, k] for k, name in enumerate(self.model.parameters)}
        states = gather(self.model, t[which], q[which], v[which], parameters)
        seen = see(self.programs, states)
        fine = np.ones(len(which), bool)
        fine[seen.doubtful] = False
        if self.model.rows:
            residuals, matrices = self._constraints(states)
            fine &= finite_rows(matrices) & finite_rows(residuals)
            fine &= _on_constraints(residuals, matrices, q[which], v[which], self.model.on_velocities)
            fine &= strengths(matrices, self.chart) >= 1.5 * WEAK
        good[which] = fine
        return good

    def _constraints(self, states: States) -> tuple[Array, Array]:
        model, programs = self.model, self.programs
        held, entries = model.on_velocities + len(model.position), model.rows * model.size
        address = programs.constraints().address("c")
        residuals, matrices, _ = states.each(address, held, entries, cache=programs.cache)
        return residuals, matrices.reshape(states.count, model.rows, model.size)


def _aligned(size: int) -> Array:
    """Zeros from an address on that is a multiple of 64."""
    raw = np.zeros(size + 8)
    first = (-raw.ctypes.data // 8) % 8
    return raw[first : first + size]


def _on_constraints(residuals: Array, matrices: Array, q: Array, v: Array, rows: int) -> NDArray[np.bool_]:
    """Where the projection would move a start by rounding errors only: see `run.session`."""
    fine = np.ones(len(q), bool)
    held = residuals.shape[1] - rows
    parts = [(residuals[:, :rows], matrices[:, :rows], v)] if rows else []
    parts += [(residuals[:, rows:], matrices[:, :held], q)] if held and rows else []
    for missed, jacobian, values in parts:
        size = largest_in_rows(jacobian) * (1 + largest_in_rows(values))
        fine &= largest_in_rows(missed) <= max(ROUNDOFF, 1e-9) * size
    return fine
