"""Filippov's sliding modes: a motion that is held where a sign changes, such as dry friction that sticks.

A switch g(t, q, v) has the mode s = sign g. Where both branches drive g back to zero,

    ġ(s = 1) ≤ 0 ≤ ġ(s = −1)          (in the direction of the run)

the motion stays on g = 0, with the combination of the branches that keeps it there: if the field is affine
in s, the weight s in [−1, 1] with ġ(s) = 0 (A. F. Filippov, Differential Equations with Discontinuous
Righthand Sides, 1988, §4; for one switch this is his convex combination, for several the equivalent control).
The motion leaves when s passes ±1, to that side. A force −μ N sign(x') is then what holds the body: any value
from −μ N to μ N, as Coulomb's law has it.

Several switches may be held at once: then ġ_i(s) = 0 for all of them is a linear system for their weights. If
they cannot all be within [−1, 1], the one that is furthest outside is let go first.

The field in compiled code takes the modes as arguments. While something is held, these are computed before
each evaluation of the field, and steps are taken one by one; runs without sliding do not pay for this.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.flow.kernels import integration, statuses, walk
from chetaev.flow.run.array_calls import ONE_STATE, Array, call
from chetaev.numeric import SOLVED, numerical_rank, shortest_move, solve

if TYPE_CHECKING:
    from chetaev.flow.run.session import Session

HELD, CROSSED, NOT_AFFINE = 0, 1, 2
JUMP = 1e-9
"""A field whose branches differ by less than this part of their size is continuous at the switch."""
AFFINE = 1e-7
"""How well three values must lie on a line."""
CLEAR_BY = 10.0
"""A switch has left zero where it is so many times the error of the motion away from it."""
NUDGE = 1e-15
"""Of the velocities: on which side of zero a switch leaves is not left to rounding."""
PLACES = tuple(k / 8 for k in range(9))
"""Where weights are looked at along a step."""
RESOLVED = 1e-3
"""How well every other one of these must determine the rest; longer steps are halved, or slips are missed."""
BETWEEN = tuple(k / 64 for k in range(1, 64))
"""Where the polynomial through the weights is looked at for more."""


@dataclass(frozen=True)
class Change:
    """From `time` on the switch number `index` has this mode: 1, −1, or 0 where it is held at zero."""

    time: float
    index: int
    mode: int


class Sliding:
    """The switches of a session that are held, and everything that happened to their modes."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.held: tuple[int, ...] = ()
        self.changes: list[Change] = []
        self._inner: Any = None

    @cached_property
    def callback(self) -> Any:
        """The field as a function that machine code can call; most motions are never held."""
        return ONE_STATE(self._field)

    @property
    def band(self) -> float:
        """How far a weight may be outside [−1, 1] and count as inside: what the state is known to."""
        return 10.0 * float(self.session.loop.rtol) + 1e-12

    @property
    def sense(self) -> float:
        """The direction of the run."""
        return 1.0 if self.session.loop.end >= self.session.begun else -1.0

    # --- rates ----------------------------------------------------------------------------------------

    def rates(self, t: float, state: Array) -> Array:
        """ġ of every switch, then the accelerations, at a state with the modes as they are."""
        s = self.session
        code = s.programs.code("rate", s.switches, s.chart)
        out = np.empty(len(s.switches) + s.n + 1)
        s.supply(t, state)
        call(code.address("f"), t, np.ascontiguousarray(state), s.p, out, out)
        return out[:-1]

    def _affine(self, t: float, state: Array, held: Sequence[int]) -> tuple[Array, Array]:
        """ġ and a at weights 0, and their derivatives by the weights, one row for each switch held."""
        modes = self.session.modes
        before = modes.copy()
        modes[list(held)] = 0.0
        base = self.rates(t, state)
        slopes = np.empty((len(held), len(base)))
        for row, index in enumerate(held):
            modes[index] = 1.0
            slopes[row] = self.rates(t, state) - base
            modes[index] = 0.0
        modes[:] = before
        return base, slopes

    def weights(self, t: float, state: Array, held: Sequence[int] | None = None) -> Array:
        """The weights that keep all switches held at zero."""
        held = self.held if held is None else held
        base, slopes = self._affine(t, state, held)
        matrix = slopes[:, list(held)].T
        if len(held) == 1:
            with np.errstate(all="ignore"):
                return np.asarray(-base[list(held)] / matrix[0])
        if not np.all(np.isfinite(matrix)) or not np.all(np.isfinite(base)):
            return np.full(len(held), np.nan)
        if numerical_rank(matrix, SOLVED) < len(held):
            return np.full(len(held), np.nan)
        return solve(matrix, -base[list(held)])

    def _field(self, t: float, y: int, p: int, out: int, aux: int) -> int:
        """The field in compiled code, with the weights set before it is called."""
        s = self.session
        state = np.ctypeslib.as_array((ctypes.c_double * (2 * s.n)).from_address(y))
        s.supply(t, state)
        if self.held:
            s.modes[list(self.held)] = self.weights(t, state)
        return int(self._inner(t, y, p, out, aux))

    def address(self, inner: int | None) -> int:
        """The address of the field to integrate, around that of the compiled one."""
        self._inner = ONE_STATE(inner or 0)
        return int(ctypes.cast(self.callback, ctypes.c_void_p).value or 0)

    # --- what happens ---------------------------------------------------------------------------------

    def begin(self, zero: Sequence[int]) -> None:
        """The modes at the start, where some switches are zero: held if they can be."""
        s = self.session
        t, state = s.t, s.state[: 2 * s.n]
        able = [i for i in zero if self._branches(i, t, state)[2]]
        if able:
            self._hold(able)
        for index in range(len(s.switches)):
            self._note(index)

    def meet(self, index: int) -> int:
        """A switch has come to zero: it is HELD, or CROSSED; NOT_AFFINE where it should be held."""
        s = self.session
        t, state = s.t, s.state[: 2 * s.n]
        up, down, pulls, affine = self._branches(index, t, state)
        mode = float(s.modes[index])
        if mode * (up if mode > 0 else down) > 0:
            self._step_away(index, mode)
        elif pulls and abs(up + down) <= (1 + self.band) * abs(down - up):
            if not affine:
                return NOT_AFFINE
            self._hold([*self.held, index])
            if index in self.held:
                self._note(index)
                return HELD
        else:
            s.modes[index] = -s.modes[index]
            if self.held:
                self._hold(list(self.held))
        self._note(index)
        return CROSSED

    def _step_away(self, index: int, mode: float) -> None:
        """A switch came to zero against the drive of its own branch, ġ·g > 0, so by the error of the motion.

        That happens where it leaves slowly, as friction does that is overcome little by little. The motion
        goes on in that branch, without looking, until the switch is clear of zero or driven back to it.
        """
        s = self.session
        self.held = tuple(sorted((*self.held, index)))
        self._correct(index, mode)
        self._let_go(index, mode)
        s.restart()
        s.loop.kinds[index] = walk.ASLEEP
        before, good = _SessionNow(s), s.t
        h, left = 1e-13 * max(abs(s.t), s.loop.span), abs(s.loop.end - s.t)
        while good != s.loop.end:
            reached = before.t + self.sense * h if h < left else s.loop.end
            if self._run_to(before, reached) != statuses.DONE:
                self._run_to(before, good)  # something else happens there, which is met with open eyes
                break
            good, h, state = s.t, 2 * h, s.state[: 2 * s.n]
            clear = mode * s.event_values(good, state)[index] > CLEAR_BY * self._doubt(index, good, state)
            if clear or mode * self.sense * self.rates(good, state)[index] <= 0:
                break
        s.loop.kinds[index] = walk.BRANCH_KIND

    def _doubt(self, index: int, t: float, state: Array) -> float:
        """How well a switch is known: Σ |∂g/∂v| tolerance (1 + |v|)."""
        s, total = self.session, 0.0
        here = s.event_values(t, state)[index]
        for i in range(s.n, 2 * s.n):
            moved = state.copy()
            moved[i] += 1e-6 * (1.0 + abs(state[i]))
            total += abs(float(s.event_values(t, moved)[index] - here))
        return 1e6 * total * float(s.loop.rtol)

    def _branches(self, index: int, t: float, state: Array) -> tuple[float, float, bool, bool]:
        """ġ on both sides of a switch, whether they differ so that they may hold it, and whether ġ is affine.

        Other switches that are held stay so.
        """
        s = self.session
        before = s.modes.copy()
        s.charts.where_a_branch_is_another(index)
        others = [i for i in self.held if i != index]
        found = []
        for mode in (1.0, -1.0, 0.0):
            s.modes[index] = mode
            if others:
                s.modes[others] = self.weights(t, state, others)
            found.append(float(self.sense * self.rates(t, state)[index]))
        s.modes[:] = before
        up, down, middle = found
        size = abs(up) + abs(down)
        pulls = bool(np.isfinite(size) and down - up > JUMP * size)
        return up, down, pulls, abs(0.5 * (up + down) - middle) <= AFFINE * size

    def _hold(self, wanted: list[int]) -> None:
        """Hold as many of these switches as their weights allow; the others leave to their side."""
        s = self.session
        t, state = s.t, s.state[: 2 * s.n]
        while wanted:
            weights = self.weights(t, state, wanted)
            if not np.all(np.isfinite(weights)):
                break
            worst = int(np.argmax(np.abs(weights)))
            if abs(weights[worst]) <= 1 + self.band:
                break
            self._let_go(wanted.pop(worst), float(np.sign(weights[worst])))
        self.held = tuple(sorted(wanted))
        for index in self.held:
            s.loop.kinds[index] = walk.ASLEEP
        if self.held:
            self._correct()

    def _let_go(self, index: int, mode: float) -> None:
        s = self.session
        s.modes[index] = mode
        s.loop.kinds[index] = walk.BRANCH_KIND
        s.watch[index * integration.WATCH + walk.SIGN] = mode
        if index in self.held:
            self.held = tuple(i for i in self.held if i != index)
            self._note(index)

    def _note(self, index: int) -> None:
        mode = 0 if index in self.held else int(self.session.modes[index])
        last = next((c for c in reversed(self.changes) if c.index == index), None)
        if last is None or last.mode != mode:
            self.changes.append(Change(self.session.t, index, mode))

    def _correct(self, leaving: int = -1, side: float = 0.0) -> None:
        """Move the velocities back to g = 0 along the accelerations that the weights command.

        A switch that is leaving is put on its side by a few units in the last place, lest rounding hold it.
        """
        s = self.session
        t, held = s.t, list(self.held)
        state = s.state[: 2 * s.n]
        missed = s.event_values(t, state)[held]
        if leaving >= 0:
            missed[held.index(leaving)] -= side * NUDGE * (1.0 + np.max(np.abs(state[s.n :])))
        if np.any(missed != 0.0):
            _, slopes = self._affine(t, state, held)
            matrix, push = slopes[:, held].T, slopes[:, len(s.switches) :]
            turn = shortest_move(matrix, -missed)
            change = turn @ push
            if np.all(np.isfinite(change)):
                s.work[s.n : 2 * s.n] += change
        s.modes[held] = self.weights(t, s.state[: 2 * s.n])
        s.loop.fresh = 1

    # --- steps ----------------------------------------------------------------------------------------

    def step(self) -> int:
        """One step with something held; where a weight passes ±1 the step ends there and lets go."""
        s = self.session
        s.loop.slice = 1
        if s.loop.fresh and self.excess(s.t, s.state[: 2 * s.n]) > self.band:
            return self._release()
        before = _SessionNow(s)
        status = s.slice()
        if status not in (statuses.PAUSED, statuses.DONE, statuses.EVENT, statuses.BRANCH) or s.t == before.t:
            return status
        along = self._along(before)
        while not _resolved(along) and abs(s.t - before.t) > 1e-12 * max(abs(s.t), s.loop.span):
            status = self._run_to(before, 0.5 * (before.t + s.t))
            if status not in (statuses.DONE, statuses.EVENT, statuses.BRANCH) or s.t == before.t:
                return status
            status = statuses.PAUSED if status == statuses.DONE else status
            along = self._along(before)
        high = self._beyond(before, along)
        if high is None:
            if status in (statuses.PAUSED, statuses.DONE):
                self._correct()
                self._write_again()
            return status
        self._locate(before, high)
        return self._release()

    def _write_again(self) -> None:
        """The row of the result at this very time, if there is one, has the state as it is now."""
        s = self.session
        rows = s.out[: s.loop.out_count]
        if len(rows) and rows[-1, 0] == s.t:
            rows[-1, 1 : 2 * s.n + 1] = s.state[: 2 * s.n]

    def excess(self, t: float, state: Array) -> float:
        """How far the largest weight is outside [−1, 1]; infinite where there is none."""
        largest = np.max(np.abs(self.weights(t, state)))
        return float(largest - 1) if np.isfinite(largest) else np.inf

    def _path(self, before: _SessionNow) -> Callable[[float], tuple[float, Array]]:
        """Time and state at a part of a step: Hermite's cubics, which is enough to look."""
        s, n = self.session, self.session.n
        h, ends = s.t - before.t, []
        for t, state in ((before.t, before.work[: 2 * n]), (s.t, s.state[: 2 * n])):
            s.modes[list(self.held)] = self.weights(t, state)
            ends.append((state, np.concatenate([state[n:], self.rates(t, state)[len(s.switches) :]])))
        (start, rate), (end, last) = ends

        def at(x: float) -> tuple[float, Array]:
            a, b, c, d = (1 + 2 * x) * (1 - x) ** 2, x * (1 - x) ** 2, x * x * (3 - 2 * x), x * x * (x - 1)
            return before.t + x * h, a * start + b * h * rate + c * end + d * h * last

        return at

    def _along(self, before: _SessionNow) -> Array:
        """The weights at `PLACES` of a step, a row for each."""
        at = self._path(before)
        return np.array([self.weights(*at(x)) for x in PLACES])

    def _beyond(self, before: _SessionNow, along: Array) -> float | None:
        """A time in the step at which a weight is outside; None if there is none."""
        s = self.session
        at = self._path(before)
        tops = {int(np.argmax(column)) for column in np.abs(_FINE @ along).T}
        for x in sorted({*PLACES[1:-1], *(BETWEEN[i] for i in tops)}):
            t, state = at(x)
            if self.excess(t, state) > 10 * self.band + 1e-6:
                after = _SessionNow(s)
                if self._excess_at(before, t) > self.band:
                    return t
                after.restore()
        return float(s.t) if self.excess(s.t, s.state[: 2 * s.n]) > self.band else None

    def _locate(self, before: _SessionNow, high: float) -> None:
        """End the step where the largest weight is ±1."""
        s = self.session
        end, low = s.loop.end, before.t
        f_low = self._excess_at(before, low)
        f_high = self._excess_at(before, high)
        for turn in range(60):
            if abs(high - low) <= 4e-16 * max(abs(high), abs(s.loop.span)) or abs(f_high) <= 1e-3 * self.band:
                break
            t = high - f_high * (high - low) / (f_high - f_low) if f_high > f_low and turn % 3 else np.nan
            if not min(low, high) < t < max(low, high):
                t = 0.5 * (low + high)
            f = self._excess_at(before, t)
            if f > 0:
                high, f_high = t, f
            else:
                low, f_low = t, f
        self._excess_at(before, high)
        s.loop.end = end

    def _excess_at(self, before: _SessionNow, t: float) -> float:
        """The excess after a run from the start of the step to t."""
        s = self.session
        self._run_to(before, t)
        return self.excess(s.t, s.state[: 2 * s.n])

    def _run_to(self, before: _SessionNow, t: float) -> int:
        """Run from where a session was to t; returns the status there."""
        s = self.session
        end, status = s.loop.end, statuses.DONE
        before.restore()
        if t != before.t:
            s.loop.end = t
            s.loop.slice = 100
            for _ in range(20):
                status = s.slice()
                if status != statuses.PAUSED:
                    break
            s.loop.end = end
        return status

    def _release(self) -> int:
        """Let go of the switch whose weight is largest."""
        s = self.session
        weights = self.weights(s.t, s.state[: 2 * s.n])
        if not np.all(np.isfinite(weights)):
            return statuses.NOT_FINITE
        worst = int(np.argmax(np.abs(weights)))
        side = float(np.sign(weights[worst]))
        self._correct(self.held[worst], side)
        self._let_go(self.held[worst], side)
        s.branch_changes += 1
        if self.held:
            self._hold(list(self.held))
        s.restart()
        return statuses.PAUSED

    # --- afterwards -----------------------------------------------------------------------------------

    def modes_at(self, times: Array, q: Array, v: Array) -> Array:
        """The modes at states of the motion, shape (N, K): ±1, and weights where switches are held."""
        s = self.session
        found = np.ones((len(times), len(s.switches)))
        places = self.sense * np.asarray(times)
        for change in self.changes:
            found[places >= self.sense * change.time, change.index] = change.mode
        before = s.modes.copy()
        for row in np.flatnonzero(np.any(found == 0, axis=1)):
            held = np.flatnonzero(found[row] == 0).tolist()
            s.modes[:] = found[row]
            found[row, held] = self.weights(float(times[row]), np.concatenate([q[row], v[row]]), held)
        s.modes[:] = before
        return found


def _through(nodes: Sequence[float], places: Sequence[float]) -> Array:
    """The matrix that takes values at nodes to those of their polynomial at places."""
    rows = []
    for x in places:
        factors = [[(x - m) / (node - m) for m in nodes if m != node] for node in nodes]
        rows.append([math.prod(row) for row in factors])
    return np.array(rows)


_FINE = _through(PLACES, BETWEEN)
_COARSE = _through(PLACES[::2], PLACES[1::2])


def _resolved(along: Array) -> bool:
    """Whether every other weight along a step determines those between; only finite ones are looked at."""
    if not np.all(np.isfinite(along)):
        return True
    missed = np.abs(_COARSE @ along[::2] - along[1::2])
    return bool(np.max(missed) <= RESOLVED * (1.0 + np.max(np.abs(along))))


class _SessionNow:
    """Where a session is, to come back to."""

    def __init__(self, session: Session) -> None:
        self.session, self.t = session, float(session.t)
        s = session
        every: list[Any] = [s.loop.ints, s.loop.reals, s.work, s.watch, s.p]
        self.arrays = [(x, x.copy()) for x in every]
        self.work = self.arrays[2][1]

    def restore(self) -> None:
        """Go back."""
        for array, copy in self.arrays:
            array[:] = copy
