"""What changes while a motion runs: the chart, and the pieces of tables.

A chart is a choice of pivots of C, and where one becomes weak another chart takes over: one that is strong
both at the state and where weakness showed, else the step becomes shorter. The field is the same in all.

A table enters the programs as the coefficients of the piece that its argument is in, beside the parameters.
The ends of pieces are watched like events; there the coefficients of the next piece take their place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev import numeric
from chetaev.flow.derive.chart import WEAK, PivotChart, strength
from chetaev.flow.derive.modes import Lookup, looked_up
from chetaev.flow.kernels import integration, walk
from chetaev.flow.run.array_calls import Array

if TYPE_CHECKING:
    from chetaev.flow.run.session import Session

VANISHED = 0.05
"""The part of its largest value below which the smallest singular value of C has gone through zero."""


class ChartChanges:
    """When a session changed its chart, and to which one it changes next."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.count = 0
        self._last = (np.inf, 0)

    def where_a_pivot_is_weak(self) -> bool:
        """Change to a chart that is strong both here and where weakness showed; else take a shorter step.

        False where neither helps.
        """
        s = self.session
        weak = np.array([s.loop.trial[i] for i in range(2 * s.n)])
        stage = s.loop.t_stage if s.loop.fresh == 0 else s.t
        here, there = s.matrix(s.t, s.state), s.matrix(stage, weak)
        if s.loop.fixed:
            if not s.loop.fresh and self._over_a_singular_place(here, there, stage, weak):
                return False
            return self._chart_for_a_fixed_step(here, there)
        for matrix in (there, here):
            if not np.all(np.isfinite(matrix)):
                continue
            chart = s.programs.chart_at(matrix)
            if chart != s.chart and min(strength(here, chart), strength(there, chart)) > 1.5 * WEAK:
                self._use(chart)
                return True
        chart = s.programs.chart_at(here)
        if s.loop.fresh and chart != s.chart and np.all(np.isfinite(here)):
            self._use(chart)
            return True
        s.loop.h *= 0.3
        s.loop.rejected += 1
        smallest = 4e-16 * max(abs(s.t), s.loop.span)
        return not s.loop.fresh and abs(s.loop.h) > smallest

    def where_a_branch_is_another(self, switch: int | None = None) -> None:
        """Change to a chart that is strong in the branches in use; with a switch, if one is, on both its
        sides.

        In y' = max(x', 0) the pivot of x' vanishes where x' < 0.
        """
        s = self.session
        if not s.programs.model.rows:
            return
        before, sides = s.modes.copy(), []
        for factor in (1.0,) if switch is None else (1.0, -1.0):
            s.modes[switch or 0] = factor * before[switch or 0]
            sides.append(s.matrix(s.t, s.state))
        s.modes[:] = before
        if not np.all(np.isfinite(sides)) or min(strength(C, s.chart) for C in sides) >= 1.5 * WEAK:
            return
        charts = [s.programs.chart_at(C) for C in sides]
        for chart in charts:
            if switch is None or min(strength(C, chart) for C in sides) > 1.5 * WEAK:
                return self._use(chart)

    def _chart_for_a_fixed_step(self, here: Array, there: Array) -> bool:
        """Change to a chart that is strong where weakness showed; False if that is the one in use.

        Such a step asks for the field at its end only: that at its start is known, whatever the chart. A
        pivot that changes its sign in the chart that is best at the end has gone through a singular place, or
        the step is much too long.
        """
        s = self.session
        begins = s.loop.fresh
        chart = s.programs.chart_at(here if begins else there)
        if chart == s.chart:
            return False
        self._use(chart)
        if not begins:
            s.loop.fresh, s.loop.unwatched = 0, 1
        return True

    def _over_a_singular_place(self, here: Array, there: Array, stage: float, end: Array) -> bool:
        """Whether the rows of C turn round on the straight way to the end of the step, and vanish on it."""
        s = self.session
        if not (np.all(np.isfinite(here)) and np.all(np.isfinite(there))):
            return False
        if np.linalg.det(here @ there.T) >= 0:
            return False
        t, start = s.t, s.state[: 2 * s.n]
        sizes = [
            float(numeric.singular_values(s.matrix(t + part * (stage - t), start + part * (end - start)))[-1])
            for part in np.linspace(0.0, 1.0, 65)
        ]
        return min(sizes) < VANISHED * max(sizes)

    def _use(self, chart: PivotChart) -> None:
        s = self.session
        when, times = self._last
        times = times + 1 if when == s.t else 0
        self._last = (s.t, times)
        if times > 1:  # no chart is strong along the whole step
            s.loop.h *= 0.3
        s.chart = chart
        self.count += 1
        s._load()
        s.loop.fresh = 1


class TablePieces:
    """In which pieces of its tables a session is."""

    def __init__(self, session: Session, state: Array) -> None:
        self.session = session
        self.lookups = session.programs.model.lookups
        self.pieces = [0] * len(self.lookups)
        if self.lookups:
            self._begin(state)
        self.watch()

    def _begin(self, state: Array) -> None:
        """The arguments of tables at the initial state."""
        s = self.session
        model = s.programs.model
        values: dict[Any, float] = {(n, 0): float(x) for n, x in zip(model.parameters, s.p, strict=False)}
        values[model.time, 0] = float(s.begun)
        for i, c in enumerate(model.coordinates):
            values[c, 0], values[c, 1] = float(state[i]), float(state[s.n + i])
        row, pieces = looked_up(self.lookups, values)
        first = len(model.parameters)
        s.p[first : first + len(row)] = row
        self.pieces = [int(piece) for piece in pieces]

    def watch(self) -> None:
        """Set on which side of the ends of its piece each argument is."""
        s = self.session
        for e in range(len(s.switches), s.first_event):
            side = 1.0 if (e - len(s.switches)) % 2 == 0 or e >= s.first_stop else -1.0
            s.watch[e * integration.WATCH + walk.SIGN] = side

    def at_edge(self, event: int) -> Lookup:
        """The table whose piece ends where this event is."""
        return self.lookups[(event - len(self.session.switches)) // 2]

    def goes_on(self, edge: int) -> bool:
        """Go on in the next piece of a table; whether the constraints say there what they said here."""
        return self.session.keeps_constraints(lambda: self._next(edge))

    def _next(self, edge: int) -> None:
        """The argument of a table has come to the end of its piece."""
        s = self.session
        number, upper = divmod(edge, 2)
        self.pieces[number] += 1 if upper else -1
        first = len(s.programs.model.parameters) + sum(len(x.names) for x in self.lookups[:number])
        row = self.lookups[number].values(self.pieces[number])
        s.p[first : first + len(row)] = row
        s.restart()
        self.watch()
