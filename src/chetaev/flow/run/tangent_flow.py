"""The tangent flow on Q: a motion y(t) = (q, v) and directions that are carried along with it.

    y' = X(t, y)      η' = (∂X/∂y) η

X preserves the constraints in the ambient space, so η stays tangent to Q when it starts so. One compiled
program computes the field and its derivatives along all directions, which share the field's values; all are
integrated together, under one error control. A run can be interrupted after some steps, its directions be
replaced by others in the same span, and go on: nothing is derived, compiled or looked up again.

>>> import chetaev as ch
>>> spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x'": 0})
>>> flow = TangentFlow(spring, 1e-10, "an example")
>>> end, carried = flow.moved(0.0, np.array([1.0, 0.0]), 1.0, np.eye(2))
>>> carried.round(6).tolist()  # the rows are what became of the rows
[[0.540302, -0.841471], [0.841471, 0.540302]]
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from chetaev.errors import ModelError
from chetaev.expr.graph.node import size
from chetaev.flow.compile import loops
from chetaev.flow.compile.programs import Programs
from chetaev.flow.kernels import statuses
from chetaev.flow.kernels.stretch import TIME, Stretches
from chetaev.flow.run.array_calls import Array, call
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.flow.run.diagnose import why_it_ended
from chetaev.flow.run.integrate import branched
from chetaev.flow.run.run_options import RunOptions
from chetaev.flow.run.session import Session
from chetaev.model.dynamics.mixed import Mixed
from chetaev.model.system import System
from chetaev.numeric import ROUNDING, norm

MOST_STEPS = 1_000_000
"""Of a run to a given time."""
TOGETHER = 60_000
"""Nodes of the model's graphs times directions, up to which one program computes all derivatives."""


class TangentFlow:
    """The tangent flow of a system without kinks, tables and stops.

    `tolerance` is the error allowed in a step, of the motion and of the directions; after `most` steps a
    run to a given time gives up. Errors name the `caller`.
    """

    def __init__(self, system: System, tolerance: float, caller: str, most: int = MOST_STEPS) -> None:
        if system.stops:
            raise ModelError(
                f"{caller} need a smooth motion, and this system has stops: directions jump at an impact",
                remedy="leave the stops out, or look at a motion between impacts",
            )
        self.system, self.tolerance, self.most = system, tolerance, most
        self.field: CompiledField = compile_field(system)
        self.programs = smooth_programs(self.field, caller)
        self.size = 2 * len(system.coordinates)
        self.values = np.array([float(x) for x in self.field.model.values(None)])
        self.normals = Normals(self.programs, self.values)

    def session(self, t0: float, state: Array, t1: float, directions: Array) -> Session:
        """A run with directions, the rows of an array; not begun yet."""
        count = len(directions)
        together = count > 0 and count * size(*self.field.model.graphs) <= TOGETHER
        return Session(
            self.programs, self.values, float(t0), np.concatenate([state, directions.ravel()]), float(t1),
            np.zeros(0), RunOptions(self.tolerance), directions=count, together=together,
        )  # fmt: skip

    def moved(self, t0: float, state: Array, t1: float, directions: Array) -> tuple[Array, Array]:
        """The state at t1, and what becomes of the directions (rows)."""
        if t1 == t0:
            return np.array(state), np.array(directions)
        session = self.session(t0, state, t1, directions)
        code = session.run(self.most)
        if code != statuses.DONE:
            self._unreached(code, session, state, t1)
        whole = session.state
        return whole[: self.size], whole[self.size :].reshape(len(directions), self.size)

    def rate(self, t: float, state: Array) -> Array:
        """X = (v, a) at a state."""
        n = self.size // 2
        return np.concatenate([state[n:], self.field(t, state[:n], state[n:])])

    def stretches(
        self, t0: float, state: Array, t1: float, directions: Array, marks: Array | None
    ) -> Iterator[tuple[float, Array, Array, Array]]:
        """The run with directions that are made orthonormal again and tangent to Q after each step: now and
        then the time, the state, the logarithms of the lengths that Gram and Schmidt found since; and the
        integral of the rate of volume up to the step that is reached, with its doubt (`kernels.stretch`).

        That is at the times `marks`; without them less and less often as the run goes on. Logarithms are nan
        where a direction has grown beyond all numbers, or has vanished beside the others.
        """
        session = self.session(t0, state, t1, self._measured(directions))
        session.start()
        count, d = len(directions), self.size
        carried = _blank(count, self.weights, self.normals.rows, t0, [t1] if marks is None else marks)
        carried.marked = 0 if marks is None else 1
        volume = np.asarray(carried.volume)
        session.loop.end = float(carried.marks[0])
        most = FIRST_BUDGET
        while True:
            carried.budget = most
            began = clock.perf_counter()
            code = self._carry(session, carried)
            most = min(2 * most, MOST_BUDGET) if clock.perf_counter() - began < 0.05 else max(most // 2, 10)
            rows = np.asarray(carried.rows)[: carried.row_count].copy()
            carried.row_count = 0
            for row in rows:
                yield float(row[0]), row[1 : 1 + d], row[1 + d :], volume
            if carried.lost:
                yield session.t, session.work[:d].copy(), np.full(count, np.nan), volume
                return
            if code == statuses.DONE:
                return
            ended = session.go_on(code)
            if ended is not None:
                self._unreached(ended, session, state, t1)

    @property
    def weights(self) -> Array:
        """1 for components of (q, v) that are states, 0 for velocities that first-order equations give."""
        own, names = self.system.dynamics, self.system.coordinates
        second = own.independent if isinstance(own, Mixed) else names
        return np.array([1.0] * len(names) + [1.0 if c in second else 0.0 for c in names])

    def _measured(self, directions: Array) -> Array:
        """Combinations of directions that are orthonormal by the weights."""
        found: list[Array] = []
        for row in directions:
            for _ in range(2):
                for other in found:
                    row = row - float(np.sum(self.weights * row * other)) * other
            found.append(row / norm(self.weights * row))
        return np.array(found).reshape(directions.shape)

    def _carry(self, session: Session, carried: Stretches) -> int:
        """Steps in machine code, until something happens."""
        normals = None
        if carried.normal_count:
            normals = self.programs.code("held").address("f")
        arrays: tuple[Any, ...] = (
            carried.ints, carried.marks, carried.rows, carried.sums, carried.volume, carried.units,
            carried.weights,
        )  # fmt: skip
        carry = loops.kernel("carry", self.programs.cache, session.scheme.name)
        return int(carry(*session.addresses(), normals, *(x.ctypes.data for x in arrays)))

    def _unreached(self, code: int, session: Session, start: Array, t1: float) -> None:
        n = self.size // 2
        found = why_it_ended(code, session, self.field, {}, start[: 2 * n], "")
        raise ModelError(f"the motion does not reach {self.system.time} = {t1:g}: {found.reason}")


FIRST_BUDGET, MOST_BUDGET = 1000, 100_000
"""Steps of one call of the loops, at first and at most; nothing that is found depends on it."""
ROWS = 512
"""Rows that are put down before they are collected."""


def _blank(
    count: int, weights: Array, normals: int, begin: float, marks: Sequence[float] | Array
) -> Stretches:
    """What the loops carry along, at the start."""
    size = len(weights)
    ints, sums, volume = np.zeros(16, np.int64), np.zeros(count), np.zeros(6)
    volume[TIME] = begin
    rows, units = np.zeros((ROWS, 1 + size + count)), np.zeros(normals * (size + 1) + 1)
    times = np.array([float(t) for t in marks])
    both = np.concatenate([np.ones(size), weights])
    made = Stretches(_no_program, ints, times, rows, sums, volume, units, both)
    made.count, made.size, made.normal_count = count, size, normals
    made.mark_count, made.capacity = len(times), ROWS
    return made


def _no_program(*_: Any) -> int:
    return 0


def smooth_programs(field: CompiledField, caller: str) -> Programs:
    """The programs of a field that can be differentiated; a ModelError where it has kinks or tables."""
    programs, switches = branched(field)
    if field.model.lookups:
        raise ModelError(
            f"{caller} need a smooth model, but this one contains a table of data",
            remedy="use differences of runs",
        )
    if switches:
        raise ModelError(
            f"{caller} need a smooth model, but this one contains abs, sign, min or max of the state",
            remedy="smooth them, or use differences of runs",
        )
    return programs


class Normals:
    """The normals of Q in (q, v): the rows of G = ∂(φ, f)/∂(q, v)."""

    def __init__(self, programs: Programs, values: Array) -> None:
        model = programs.model
        self.size, self.free = 2 * model.size, model.on_velocities == 0
        self.rows = len(model.position) + model.on_velocities
        self._programs, self._p = programs, values

    def held(self, t: float, state: Array) -> tuple[Array, Array]:
        """(φ, f) and G at a state."""
        out, matrix = np.zeros(self.rows + 1), np.zeros((self.rows, self.size))
        if not self.free:
            y = np.ascontiguousarray(state[: self.size], dtype=float)
            call(self._programs.code("held").address("f"), t, y, self._p, out, matrix)
        return out[: self.rows], matrix

    def at(self, t: float, state: Array) -> Array:
        """Orthonormal normals of Q at a state, as rows."""
        if self.free:
            return np.zeros((0, self.size))
        matrix = self.held(t, state)[1]
        sizes = [norm(row) for row in matrix]
        kept: list[Array] = []
        for row, length in zip(matrix, sizes, strict=True):
            if not length > 0:
                continue
            rest, left = _beside(row / length, kept)
            if left > ROUNDING:  # redundant constraints add no normal
                kept.append(rest / left)
        return np.array(kept).reshape(len(kept), self.size)


def orthonormal(rows: Array, beside: Array) -> tuple[Array, Array]:
    """Orthonormal rows, orthogonal to those of `beside`, by Gram and Schmidt; and the length left of each."""
    found = list(beside)
    lengths = []
    for row in rows:
        rest, length = _beside(row, found)
        lengths.append(length)
        found.append(rest / length if length > 0 else rest)
    return np.array(found[len(beside) :]).reshape(rows.shape), np.array(lengths)


def _beside(row: Array, units: list[Array]) -> tuple[Array, float]:
    """What is left of a vector beside orthonormal ones, and its length; projected twice, against rounding."""
    rest = row
    if units:
        matrix = np.array(units)
        for _ in range(2):
            rest = rest - matrix @ rest @ matrix
    return rest, norm(rest)
