"""Motions with any number of digits: extrapolation of the midpoint rule in mpmath (SCOPE K20 in numbers).

For tolerances that doubles cannot hold (1e-16 and beyond) and for judging the compiled integrators. Gragg's
modified midpoint rule has an error expansion in h²; Richardson extrapolation over the substep numbers 2, 4,
6, … (Bulirsch and Stoer) raises its order until two columns agree to the tolerance, otherwise the step is
halved. The accelerations come from the bordered system

    [ M  −Cᵀ ] [a]   [ F − h ]
    [ C   0  ] [μ] = [ −c'   ]

with exact graphs evaluated in mpmath, redundant rows left out; after each step the state is moved back onto
φ = 0 and f = 0 by least-norm Newton steps. A second of work buys some hundred evaluations: this is for
checks, not for long runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.errors import DivisionByZeroError, ModelError
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context
from chetaev.expr.graph.node import Expr
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.law import ExactLaw
from chetaev.model.states.points import parameter_point
from chetaev.model.system import System
from chetaev.numeric.many_digits import half, independent_rows, least_norm

COLUMNS = 24
"""Most columns of the extrapolation table."""
SHORTEST = 1e-9
"""Steps shorter than this part of the run mean that the motion cannot go on."""


@dataclass(frozen=True)
class PreciseRun:
    """A motion in mpmath numbers."""

    times: list[Any]  # the times asked for
    states: list[list[Any]]  # one list of positions and velocities for each time
    # digits, steps, evaluations: digits of the arithmetic, steps taken, evaluations of the accelerations
    digits: int
    steps: int
    evaluations: int


class SingularLawError(Exception):
    """The law does not determine the accelerations at a state."""


class PreciseField:
    """The accelerations of a system, and its constraints, in mpmath."""

    def __init__(self, system: System, digits: int) -> None:
        self.system, self.digits = system, digits
        self.mp = mp_context(digits)
        self.evaluations = 0
        self._parameters = parameter_point(system, digits)
        self._law = ExactLaw(Ingredients.of(system), digits)
        self._tiny = half(self.mp)

    def _point(self, t: Any, y: Sequence[Any]) -> dict[Any, Any]:
        m = len(self.system.coordinates)
        point: dict[Any, Any] = {**self._parameters, self.system.time: t}
        for i, name in enumerate(self.system.coordinates):
            point[(name, 0)], point[(name, 1)] = y[i], y[m + i]
        return point

    def __call__(self, t: Any, y: Sequence[Any]) -> list[Any]:
        """(v, a) at a state (q, v)."""
        self.evaluations += 1
        # the substeps leave Q, where redundant rows contradict each other: those with pivots count
        a = self._law.accelerations(self._point(t, y), self._tiny, math.inf)
        if a is None:
            raise SingularLawError(f"the accelerations are not determined at {self.system.time} = {t}")
        return [*y[len(a) :], *a]

    def start(self) -> tuple[Any, list[Any]]:
        """The initial state: given values with all digits, the others solved from the constraints."""
        system, mp = self.system, self.mp
        state, initial = system.state, system.initial
        assert initial is not None
        y = [mp.mpf(state.position[c]) for c in system.coordinates]
        y += [mp.mpf(state.velocity[c]) for c in system.coordinates]
        m, given = len(system.coordinates), set()
        for offset, values in ((0, initial.position), (m, initial.velocity)):
            for name, value in zip(
                values, evaluate_mp(values.values(), self._parameters, self.digits), strict=True
            ):
                i = offset + system.coordinates.index(name)
                y[i] = value
                given.add(i)
        t = evaluate_mp([initial.t], self._parameters, self.digits)[0]
        return t, self.settle(t, y, given)

    def settle(self, t: Any, y: list[Any], kept: Collection[int] = ()) -> list[Any]:
        """The state moved onto the constraints, to roundoff; entries to be kept move only if all must be."""
        m = len(self.system.coordinates)
        for order, (functions, jacobian) in enumerate(self._law.levels):
            if functions:
                every = range(order * m, (order + 1) * m)
                free = [i for i in every if i not in kept]
                needed = min(len(functions), self._law.model.independent)
                y = self._newton(functions, jacobian, t, y, free if len(free) >= needed else list(every))
        return y

    def _newton(
        self, functions: list[Expr], jacobian: list[list[Expr]], t: Any, y: list[Any], free: list[int]
    ) -> list[Any]:
        m, k = len(self.system.coordinates), len(functions)
        roots = [*functions, *(row[i % m] for row in jacobian for i in free)]
        y = list(y)
        for _ in range(4):
            values = evaluate_mp(roots, self._point(t, y), self.digits)
            n = len(free)
            rows = [values[k + i * n : k + (i + 1) * n] for i in range(k)]
            chosen = independent_rows([[*row, 0] for row in rows], self._tiny)[0]
            if not chosen:
                break
            C = self.mp.matrix([rows[i] for i in chosen])
            step = least_norm(self.mp, C, -self.mp.matrix([values[i] for i in chosen]))
            for j, i in enumerate(free):
                y[i] = y[i] + step[j]
        return y


def integrate_precise(
    system: System,
    until: Any,
    at: Sequence[Any] | None = None,
    digits: int = 40,
    progress: Callable[[float], None] | None = None,
) -> PreciseRun:
    """Integrate from the system's initial state with so many digits, a tolerance of 10^(8 − digits) a step.

    `at` are the times of the result, the final one if left out; `progress` is called with the time after each
    step.

    Examples
    --------
    >>> import chetaev as ch
    >>> run = integrate_precise(ch.load("particle-on-cone"), 0.5, digits=30)
    >>> print(run.states[-1][2])
    1.005
    """
    if not 15 <= digits <= 1000:
        raise ModelError(f"{digits} digits are asked for", expected="from 15 to 1000")
    field = PreciseField(system, digits + 5)
    mp, end = field.mp, field.mp.mpf(until)
    t, y = field.start()
    try:
        field(t, y)
    except SingularLawError as error:
        raise ModelError(f"{error}, the initial state", remedy="ch.singular(system) says what is") from None
    sign = 1 if end >= t else -1
    goals = [mp.mpf(x) for x in at] if at is not None else [end]
    span, tolerance = abs(end - t), mp.mpf(10) ** (8 - digits)
    step, steps = span / 50 if span else mp.mpf(0), 0
    times: list[Any] = []
    states: list[list[Any]] = []
    for goal in goals:
        while sign * (goal - t) > 0:
            size = min(step, abs(goal - t))
            try:
                advanced, columns = _extrapolate(field, t, y, sign * size, tolerance)
            except (DivisionByZeroError, SingularLawError):
                advanced, columns = None, COLUMNS
            if advanced is None:
                step = size / 2
                if step < span * SHORTEST:
                    raise ModelError(
                        f"the motion cannot be continued beyond {system.time} = {mp.nstr(t, 15)}",
                        remedy="the equations are singular there, it leaves the domain of a function, or is "
                        f"so fast that steps of {SHORTEST:g} of the run are too long: end the run earlier",
                    )
                continue
            t = t + sign * size
            y = field.settle(t, advanced)
            steps += 1
            if progress is not None:
                progress(float(t))
            step = size * (2 if columns < COLUMNS // 3 else mp.mpf("1.3") if columns < COLUMNS // 2 else 1)
        times.append(goal)
        states.append(y)
    return PreciseRun(times, states, digits, steps, field.evaluations)


def _extrapolate(
    field: PreciseField, t: Any, y: list[Any], step: Any, tolerance: Any
) -> tuple[list[Any] | None, int]:
    """One step of the extrapolated midpoint rule; None if the columns do not settle."""
    slope = field(t, y)
    row: list[list[Any]] = []
    scale = 1 + max(abs(x) for x in y)
    previous = math.inf
    for k in range(COLUMNS):
        n = 2 * (k + 1)
        new = [_midpoint(field, t, y, slope, step, n)]
        for j in range(k):
            ratio = field.mp.mpf(n) ** 2 / field.mp.mpf(2 * (k - j)) ** 2 - 1
            new.append([a + (a - b) / ratio for a, b in zip(new[j], row[j], strict=True)])
        if k > 1:
            error = max(abs(a - b) for a, b in zip(new[-1], new[-2], strict=True)) / scale
            if error < tolerance:
                return new[-1], k
            if (k > 6 and error > previous * 10) or (k > 3 and error > 1):
                return None, k
            previous = error
        row = new
    return None, COLUMNS


def _midpoint(field: PreciseField, t: Any, y: list[Any], slope: list[Any], step: Any, n: int) -> list[Any]:
    """Gragg's modified midpoint rule with n substeps."""
    h = step / n
    last, now = y, [a + h * b for a, b in zip(y, slope, strict=True)]
    for i in range(1, n):
        rate = field(t + i * h, now)
        last, now = now, [a + 2 * h * b for a, b in zip(last, rate, strict=True)]
    rate = field(t + step, now)
    return [(a + b + h * c) / 2 for a, b, c in zip(last, now, rate, strict=True)]
