"""One integration in progress: the arrays of the loops, the programs they call, and what to do when they
pause. An initial state must be on the constraints: the projection may move it by rounding errors only.

When a pivot becomes weak another chart is compiled (or taken from the cache) and the step is repeated in
it; when the reduced matrix is not definite the elimination with pivoting takes over; when a non-smooth
function changes its branch its mode changes. None of this changes the field, only how it is computed.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chetaev.errors import InitialDataError
from chetaev.expr.graph.node import Expr
from chetaev.flow.compile import loops
from chetaev.flow.compile.programs import Programs
from chetaev.flow.derive.chart import CERTAIN, OFF, WEAK, strength
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.kernels import integration, statuses, walk
from chetaev.flow.run.array_calls import Array, call
from chetaev.flow.run.branch_changes import ChartChanges, TablePieces
from chetaev.flow.run.diagnose import KINK, MAX_STEPS, NOT_FOLLOWED, PILED_UP, SLIDING, STOP, UNDETERMINED
from chetaev.flow.run.jumps import jumps_near
from chetaev.flow.run.run_options import RunOptions
from chetaev.flow.run.sliding import NOT_AFFINE, Sliding
from chetaev.flow.run.supplied_forces import Supplied
from chetaev.flow.schemes import find
from chetaev.numeric import shortest_move

FORMS = ("null", "pivoted")
OFTEN = 5000
"""After so many steps it is looked whether steps follow the field."""
TO_AND_FRO = 20
"""By so many steps."""
TURNS = 200
"""After so many changes of branches it is looked whether they lead anywhere."""
FIRST_SLICE = 500
ROWS = 4096
"""Room for so many steps at first; memory that is not written costs nothing."""


class Session:
    """The mutable state of one integration, with the programs of the model with modes (see `derive.modes`).

    The signs of `switches` are the modes. A state is positions and velocities one after the other, then as
    many variations as there are `directions`. If one program may compute all of them with the field,
    `together`, they are directions of (q, v), not of the parameters. The `graphs` are those of the events.
    """

    def __init__(
        self,
        programs: Programs,
        parameters: Array,
        t0: float,
        state: Array,
        t1: float,
        at: Array | None,
        options: RunOptions,
        *,
        switches: Sequence[Expr] = (),
        graphs: Sequence[Expr] = (),
        directions: int = 0,
        together: bool = False,
        supplied: Supplied | None = None,
        stops: Sequence[Expr] = (),
    ) -> None:
        model = programs.model
        self.directions, self.together = directions, together
        self.programs, self.switches, self.form, self.begun = programs, switches, options.form, t0
        events = options.events
        self.n, self.dim = model.size, len(state)
        self.branch_changes = 0
        self.supplied = supplied
        edges = [edge for lookup in model.lookups for edge in lookup.edges]
        self.first_stop = len(switches) + len(edges)
        self.first_event = self.first_stop + len(stops)
        """Switches of non-smooth functions, edges of pieces of tables and stops come before the events."""
        self.kinds = [2] * self.first_event + [1 if e.terminal else 0 for e in events]
        self.event_graphs = [*switches, *edges, *stops, *graphs]
        count = len(self.kinds)
        chosen = find(options.method)
        self.choices = chosen.chooses
        self.scheme = find(chosen.chooses[0]) if chosen.chooses else chosen
        self.scheme_changes: list[tuple[float, str]] = []
        loop = self.loop = loops.blank(self.scheme, self.dim, count)
        loop.n = self.n
        loop.rows = model.on_velocities
        loop.position, loop.all_rows = len(model.position), model.rows
        loop.rank, loop.free = model.independent, self.n - model.independent
        loop.parameters = len(parameters) + len(switches)
        loop.directions = directions
        loop.at_count = -1 if at is None else len(at)
        loop.projects = 1 if options.project and self.scheme.on_constraints else 0
        loop.fresh = loop.first = 1
        senses = [0] * self.first_event + [e.direction for e in events]
        for e, (kind, sense) in enumerate(zip(self.kinds, senses, strict=True)):
            loop.kinds[e], loop.senses[e] = kind, sense
        loop.t, loop.end = t0, t1
        loop.rtol = loop.atol = options.tolerance
        loop.last_log, loop.h_max = integration.LEAST_LOG, abs(t1 - t0)
        loop.longest = options.max_step or 0.0
        loop.looks = 1 if self.choices else 0
        differentiated = directions or any(find(name).tangent for name in (*self.choices, self.scheme.name))
        behind = 2 * self.n + loop.parameters if differentiated else 0
        if self.scheme.fixed:
            loop.fixed, loop.anchor, loop.span = 1, t0, 1e-3 * loop.h_max
            assert options.step is not None
            loop.h = loop.length = float(options.step) if t1 >= t0 else -float(options.step)
        if self.scheme.equations is not None:
            size = loop.unknowns = model.unknowns(self.scheme.blocks)
            loop.room_size = size * size + 2 * size + self.n
            behind = 1 + size
        self.at = np.ascontiguousarray(at) if at is not None else np.zeros(1)
        rows = ROWS if at is None else max(len(at), 1)
        self.out = np.empty((rows, self.dim + 1))
        self.found = np.empty((max(8 * count, 1), self.dim + walk.HEAD))
        self.dense = np.empty((256 if options.dense else 0, 2 + (1 + self.scheme.vectors) * self.dim))
        loop.out_capacity = rows
        loop.found_capacity, loop.dense_capacity = len(self.found), len(self.dense)
        self.p = np.concatenate([parameters, np.ones(len(switches)), np.zeros(behind)])
        self.watch = loops.watched(loop) if count else np.zeros(1)
        self.tables = TablePieces(self, state)
        self._work(state)
        self._advance = loops.kernel("advance", programs.cache, self.scheme.name)
        self.determined: Callable[[float, Array], bool] | None = None
        """Whether the law determines the accelerations at a state: called if the start is in doubt."""
        self._last_branches: list[tuple[float, int]] = []
        self._turned: list[tuple[float, Array]] = []
        """When switches of late changed, all of them within a time that is next to nothing."""
        self.marks: list[float] = []
        """Times at which steps end."""
        self.sliding = Sliding(self)
        self.charts = ChartChanges(self)

    # --- arrays ---------------------------------------------------------------------------------------

    def _work(self, state: Array) -> None:
        """Vectors for the form in use; the state is kept."""
        self.loop.form = FORMS.index(self.form)
        self.loop.watched = self.n if self.form == "null" else self.programs.model.independent + 1
        self.loop.work = self.work = np.zeros(self.loop.work_size)
        self.work[: self.dim] = state
        self.loop.fresh = 1
        self.loop.current = 0

    @property
    def modes(self) -> Array:
        """The current branches, a view."""
        first = self.loop.parameters - len(self.switches)
        return self.p[first : first + len(self.switches)]

    def _grow(self) -> None:
        loop = self.loop
        if loop.at_count < 0 and loop.out_count >= loop.out_capacity:
            self.out = _doubled(self.out)
            loop.out_capacity = len(self.out)
        if loop.lacking:
            self.found = _doubled(self.found, min(65536, 2**22 // self.found.shape[1]))
            loop.found_capacity, loop.lacking = len(self.found), 0
        if len(self.dense) and loop.dense_count >= loop.dense_capacity:
            self.dense = _doubled(self.dense)
            loop.dense_capacity = len(self.dense)

    # --- programs at one state ---------------------------------------------------------------------------

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
        given = np.concatenate([self.p[: self.loop.parameters], rate[self.n :]])
        seen = np.empty(4 + model.on_velocities + len(model.position) + model.rows + self.n)
        code = self.programs.sight(self.chart)
        call(code.address("s"), self.t, self.state[: 2 * self.n], given, seen, seen[-1:])
        return float(seen[0]) if np.all(np.isfinite(rate)) else float("nan")

    # --- running --------------------------------------------------------------------------------------

    def start(self) -> None:
        """Choose chart, form and branches for the initial state."""
        self.chart = self.programs.first_chart
        if self.switches:  # constraints have branches, too
            signs = np.sign(self.event_values(self.t, self.state)[: len(self.switches)])
            self.modes[:] = np.where(signs == 0, 1.0, signs)
        if self.programs.model.rows:
            residuals, matrix = self.constraints(self.t, self.state)
            if self.loop.projects:
                expect_on_constraints(self.programs.model, self.state, residuals, matrix, self.loop.rows)
            if np.all(np.isfinite(matrix)) and strength(matrix, self.chart) < 1.5 * WEAK:
                self.chart = self.programs.chart_at(matrix)
        if self.switches:
            self._first_modes(signs)
        if self.marks:
            self.marks.append(self.loop.end)
            self.loop.end = self.marks.pop(0)
        self._doubtful = True
        if self.form == "null":
            rate, pivots = self.field(self.t, self.state)
            self._doubtful = not self._trust(rate) >= CERTAIN
            reduced = pivots[self.programs.model.independent :]
            indefinite = (np.any(reduced > 0) and np.any(reduced < 0)) or np.any(reduced == 0)
            if indefinite or not self.programs.model.symmetric:
                self.form = "pivoted"
                self._work(self.state)
                self._remember_modes()
        self._load()

    def _first_modes(self, signs: Array) -> None:
        count = len(self.switches)
        state, t = self.state, self.t
        if np.any(signs == 0):  # on a kink: the branch that the motion enters
            rate, _ = self.field(t, state)
            for small in (1e-7, 1e-5):
                step = small * np.sign(self.loop.end - t)
                ahead = np.sign(self.event_values(t + step, state[: 2 * self.n] + step * rate)[:count])
                self.modes[:] = np.where((signs == 0) & (ahead != 0), ahead, self.modes)
        self.sliding.begin(np.flatnonzero(signs == 0).tolist())
        self._remember_modes()

    def _remember_modes(self) -> None:
        for e, mode in enumerate(self.modes):
            self.watch[e * integration.WATCH + walk.SIGN] = mode
        self.tables.watch()

    def run(self, max_steps: int, progress: Callable[[float], None] | None = None) -> int:
        """Integrate to the end; returns a status of `kernels.statuses`, SLIDING, MAX_STEPS or UNDETERMINED.

        `progress` is called with the time that has been reached, some ten times a second.
        """
        self.start()
        if self._doubtful and self.determined is not None and not self.determined(self.t, self.state):
            return UNDETERMINED
        limit, looked = FIRST_SLICE, 0
        while True:
            left = max_steps - int(self.loop.steps + self.loop.rejected)
            if left <= 0:
                return MAX_STEPS
            self.loop.slice = min(limit, left)
            began = clock.perf_counter()
            status = self.sliding.step() if self.sliding.held else self.slice()
            if clock.perf_counter() - began < 0.05:
                limit = min(limit * 2, 100_000)
            elif limit > 20:
                limit //= 2
            if progress is not None:
                progress(self.t)
            ended = self.go_on(status)
            if ended is not None:
                return ended
            if status == statuses.PAUSED and self.loop.steps - looked >= OFTEN:
                looked = int(self.loop.steps)
                if self._stands():
                    return NOT_FOLLOWED

    def _stands(self) -> bool:
        """Whether steps go to and fro, within the tolerance, about a point where the field jumps."""
        if self.supplied is not None or self.sliding.held or self.loop.fixed:
            return False
        states = []
        for _ in range(TO_AND_FRO):
            self.loop.slice = 1
            if self.slice() != statuses.PAUSED:
                return False
            states.append(self.state[: 2 * self.n].copy())
        return jumps_near(lambda y: self.field(self.t, y)[0], np.array(states), self.loop.h, self.loop.rtol)

    def go_on(self, status: int) -> int | None:
        """Do what the status of a slice calls for; the status of the whole if it is over."""
        if status == statuses.PAUSED:
            self._grow()
        elif status == statuses.DONE and self.marks:
            self.loop.end = self.marks.pop(0)
        elif status == statuses.CHART:
            if not self.charts.where_a_pivot_is_weak():
                return statuses.SINGULAR
        elif status == statuses.OTHER_SCHEME:
            self._other_scheme()
        elif status == statuses.BRANCH and self.loop.event_index >= self.first_stop:
            return STOP
        elif status == statuses.BRANCH:
            return self._other_branch()
        elif status in (statuses.SINGULAR, statuses.NOT_FINITE, statuses.COLLAPSED) and self.form == "null":
            self._pivoted()
        else:
            return status
        return None

    def restart(self) -> None:
        """The next step is a first one: the field is another from here on."""
        self.loop.fresh, self.loop.first = 1, 2
        self.loop.current = 0

    def _other_scheme(self) -> None:
        """Go on with the other one of the schemes to choose from."""
        first, second = self.choices
        self.scheme = find(second if self.scheme.name == first else first)
        self.scheme_changes.append((self.t, self.scheme.name))
        loop, state = self.loop, self.state
        loops.follow(loop, self.scheme)
        loop.stiff_steps = loop.calm_steps = 0
        loop.last_log = integration.LEAST_LOG
        self._work(state)
        self._advance = loops.kernel("advance", self.programs.cache, self.scheme.name)
        self._load()

    def slice(self) -> int:
        """Steps in machine code, until something happens."""
        return int(self._advance(*self.addresses()))

    def addresses(self) -> list[int | None]:
        """Of the programs and arrays that the loops work with."""
        plain = not self.sliding.held and self.supplied is None and self.dim == 2 * self.n
        self.loop.exact = 1 if plain and self.form == "null" and self._tangent is not None else 0
        arrays: tuple[Any, ...] = (
            self.loop.table, self.loop.ints, self.loop.reals, self.p, self.work, self.found, self.watch,
            self.at, self.out, self.dense,
        )  # fmt: skip
        libraries = ((self._rhs, "f"), (self._tangent, "f"), (self._con, "c"), (self._event, "f"))
        functions = [None if library is None else library.address(name) for library, name in libraries]
        if self.sliding.held or self.supplied is not None:
            functions[0] = self.sliding.address(functions[0])
        return [*functions, *(x.ctypes.data for x in arrays)]

    def _pivoted(self) -> None:
        """Unpivoted elimination met trouble: find out with pivoting whether the place itself is singular."""
        state = self.state
        self.form = "pivoted"
        self._work(state)
        self._remember_modes()
        self.loop.h = 0.0
        self.loop.first = max(1, 2 if self.loop.steps else 1)
        self._load()

    def keeps_constraints(self, change: Callable[[], None]) -> bool:
        """Change to another branch; whether constraints on velocities say there what they said here."""
        if not self.loop.rows:
            change()
            return True
        before, _ = self.constraints(self.t, self.state[: 2 * self.n])
        change()
        behind, matrix = self.constraints(self.t, self.state[: 2 * self.n])
        size = np.max(np.abs(matrix)) * (1 + np.max(np.abs(self.state[self.n : 2 * self.n])))
        return bool(np.max(np.abs((behind - before)[: self.loop.rows])) <= OFF * size)

    def _turn(self, index: int) -> None:
        self.modes[index] = -self.modes[index]

    def _other_branch(self) -> int | None:
        """The switch that fired changes its mode, or is held; SLIDING if it should be and cannot, KINK where
        constraints jump.
        """
        index = self.loop.event_index
        if index >= len(self.switches):
            kept = self.tables.goes_on(index - len(self.switches))
            return None if kept or self._takes_velocities() else KINK
        kept = self.keeps_constraints(lambda: self._turn(index))
        self._turn(index)
        if not kept and self.programs.model.independent < self.n:
            return KINK
        tiny = 1e-11 * max(abs(self.t), self.loop.span)
        late = [(t, i) for t, i in self._last_branches if abs(self.t - t) <= tiny] + [(self.t, index)]
        self._last_branches = late
        if [i for _, i in late].count(index) > 4:
            return SLIDING if len({i for _, i in late}) == 1 else PILED_UP
        if self._turns_on_the_spot():
            return PILED_UP
        if self.sliding.meet(index) == NOT_AFFINE:
            return SLIDING
        if not kept:
            self._takes_velocities()
        self.charts.where_a_branch_is_another()
        self.branch_changes += 1
        self.restart()
        self._remember_modes()
        return None

    def _turns_on_the_spot(self) -> bool:
        """Whether many changes of branches, in a short time, lead nowhere within the tolerance.

        Or in so short a time that 200 million of them would be left to the end.
        """
        self._turned.append((self.t, self.state[: 2 * self.n].copy()))
        if len(self._turned) < TURNS:
            return False
        t, states = self._turned[0][0], np.array([y for _, y in self._turned])
        self._turned.clear()
        stays = np.ptp(states, axis=0) <= 100 * self.loop.rtol * (1 + abs(states[0]))
        part = abs(self.t - t) / self.loop.h_max
        return part <= 1e-6 or (part <= 1e-4 and bool(np.all(stays)))

    def _takes_velocities(self) -> bool:
        """Take the velocities that the constraints give on this branch; whether they give all of them."""
        if self.programs.model.independent < self.n:
            return False
        residuals, matrix = (x[: self.loop.rows] for x in self.constraints(self.t, self.state))
        self.work[self.n : 2 * self.n] -= shortest_move(matrix, residuals)
        return True


def _doubled(array: Array, least: int = 0) -> Array:
    grown = np.empty((max(2 * len(array), least), array.shape[1]))
    grown[: len(array)] = array
    return grown


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
