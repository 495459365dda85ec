"""Stops: conditions φ(t, q) ≥ 0 on the positions, with impacts by Newton's law and contact after them.

Between impacts the system moves as it does without stops. Where φ comes down to zero, velocities jump by an
impulse along the gradient of φ that does no work on the constraints,

    v⁺ = v⁻ + M⁻¹ (∇φ λ + Cᵀ ν),      C (v⁺ − v⁻) = 0,      φ̇⁺ = −e φ̇⁻,      λ ≥ 0,

with e the restitution coefficient: the generalized law of Newton and Chetaev's reactions, without friction.
Rebounds that are slower than `REST` do not count (the infinitely many bounces of a ball end in finite time):
then φ̇⁺ = 0, and if the contact presses, μ ≥ 0 in M a + h − F = Cᵀν + ∇φ μ, the stop becomes a position
constraint φ = 0 until it would have to pull.

Assumed: L is quadratic in the velocities and the constraints are affine in them, so that impulses are
defined; one impulse at a time, contacts that stay pressed being held (e = 0 for them); no friction at the
contact other than what the forces of the model say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from chetaev.errors import InitialDataError, ModelError
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ZERO, symbol
from chetaev.expr.language.parser import Equation
from chetaev.flow.run.array_calls import Array
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.flow.run.integrate import checked_times, integrate
from chetaev.flow.run.motion import Run, Statistics
from chetaev.flow.run.run_options import RunOptions
from chetaev.model.reading.text_places import PythonSource
from chetaev.model.system import System
from chetaev.model.system_arguments import data_of
from chetaev.numeric import CLEAR, SOLVED, bordered_units, least_squares

REST = 1e-6
"""Rebounds slower than this, in the units of φ̇, end in contact."""
ON = 1e-8
"""What counts as zero of φ and φ̇ at the start."""
MOST = 100_000
"""Impacts in a run."""


@dataclass(frozen=True)
class Impact:
    """At a time, the stop with this number was met with φ̇⁻ and left with φ̇⁺; `contact` if it was not left."""

    time: float
    stop: int
    before: float
    after: float
    contact: bool


@dataclass(frozen=True)
class JoinedRun(Run):
    """A run put together from parts, with what was observed on each."""

    # what `CompiledField.observe` gives, for the constraints of the model
    seen: Mapping[str, Array] | None = None
    # the normal force of each stop, shape (N, number of stops); 0 where there is no contact
    contact: Array | None = None
    # impacts, contacts: what happened: impacts in order, and (stop, from, to) for contacts
    impacts: tuple[Impact, ...] = ()
    contacts: tuple[tuple[int, float, float], ...] = ()

    @property
    def _observed(self) -> dict[str, Array]:
        return dict(self.seen or {})


class Stops:
    """The stops of a system as numbers: φ, its rate and its gradient."""

    def __init__(self, system: System) -> None:
        self.system, self.count = system, len(system.stops)
        self.expressions = [stop.position for stop in system.stops]
        values = system.parameter_values
        self.restitution = [float(evaluate([stop.restitution], values)[0]) for stop in system.stops]
        engine = Engine()
        t, q = symbol(system.time), [symbol(c) for c in system.coordinates]
        parameters = [symbol(name) for name in system.parameters]
        phi = engine.column(self.expressions)
        outputs = [phi, engine.jacobian(phi, q), engine.jacobian(phi, [t])]
        self._function = engine.function([t, q, parameters], outputs)
        self._parameters = list(values.values())
        self._fields: dict[tuple[int, ...], CompiledField] = {}

    def at(self, t: float, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """φ, φ̇ and ∂φ/∂q, at a state."""
        phi, gradient, by_time = (np.array(x) for x in self._function(t, q, self._parameters))
        return phi[:, 0], gradient @ v + by_time[:, 0], gradient

    def field(self, active: tuple[int, ...]) -> CompiledField:
        """The field with these stops as position constraints."""
        if active not in self._fields:
            data = data_of(self.system)
            held = [Equation(self.expressions[i], ZERO) for i in active]
            own = data["constraints"]
            data |= {"constraints": {**own, "position": [*own["position"], *held]}, "stops": []}
            data.pop("initial", None)
            self._fields[active] = compile_field(System.from_data(data, PythonSource(data)))
        return self._fields[active]

    def presses(self, active: tuple[int, ...], t: Array, q: Array, v: Array) -> Array:
        """The normal forces μ of the active stops at states, shape (N, number of active stops)."""
        first = len(self.system.position_constraints)  # behind them stand the stops, then other constraints
        found = self.field(active).multipliers(t, q, v)
        return np.asarray(found[..., first : first + len(active)])

    def pressed(self, wanted: Iterable[int], t: float, q: Array, v: Array) -> tuple[int, ...]:
        """Of stops at which φ = φ̇ = 0, those that press; the one that pulls most is let go first."""
        active = tuple(sorted(wanted))
        while active:
            forces = self.presses(active, np.array([t]), q[None], v[None])[0]
            if not np.all(np.isfinite(forces)) or forces.min() >= 0:
                break
            active = tuple(i for k, i in enumerate(active) if k != int(np.argmin(forces)))
        return active

    def jump(
        self, stop: int, active: tuple[int, ...], t: float, q: Array, v: Array, after: float
    ) -> tuple[Array, list[int]]:
        """The velocities after an impact that leaves φ̇ = after, and the contacts that stay closed."""
        _, _, gradient = self.at(t, q, v)
        mass, _, matrix, _ = self.field(()).matrices(t, q, v)
        n, kept = len(q), list(active)
        while True:
            held = np.vstack([gradient[[stop, *kept]], matrix])
            m = len(held)
            bordered = np.block([[mass, -held.T], [held, np.zeros((m, m))]])
            rows, columns = bordered_units(bordered, n)
            _, rates, _ = self.at(t, q, v)
            right = np.concatenate([np.zeros(n), [after - rates[stop]], -rates[kept], np.zeros(len(matrix))])
            solved = least_squares(rows[:, None] * bordered * columns, rows * right)
            impulses = solved[n : n + 1 + len(kept)]
            loose = [k for k in range(len(kept)) if impulses[1 + k] < -SOLVED * np.abs(impulses).max()]
            if not loose:
                break
            kept.pop(loose[0])
        new = v + columns[:n] * solved[:n]
        again = self.field(()).matrices(t, q, new)
        if not _alike(again[0], mass) or not _alike(again[2], matrix):
            raise ModelError(
                f"an impact at {self.system.time} = {t:.10g}: M or ∂f/∂v depend on the velocities, and the "
                "law of impact is not defined",
                expected="a Lagrangian quadratic in the velocities, and constraints affine in them",
                remedy="remove [[stops]], and end the run at the stop with a terminal event",
            )
        return new, kept


def _alike(a: Array, b: Array) -> bool:
    """Equal up to rounding, each row in its own unit."""
    size = np.maximum(np.abs(a), np.abs(b)).max(axis=1, initial=0.0)
    return bool(np.all(np.abs(a - b) <= CLEAR * size[:, None]))


def integrate_with_stops(
    system: System,
    t0: float,
    q0: Sequence[float],
    v0: Sequence[float],
    t1: float,
    at: Any,
    options: RunOptions,
    progress: Callable[[float], None] | None = None,
) -> JoinedRun:
    """As `integrate`, with the stops of the system."""
    stops = Stops(system)
    times = checked_times(t0, t1, at)
    if t1 < t0:
        raise ModelError(
            "a run with stops goes forwards in time: an impact has many pasts", remedy="give a later end"
        )
    for i, e in enumerate(stops.restitution):
        if not 0 <= e <= 1:
            raise ModelError(
                f"the restitution of the stop {system.stops[i].position} is {e:g}",
                expected="a number from 0 to 1",
            )
    t, q, v = float(t0), np.array(q0, float), np.array(v0, float)
    phi, rates, _ = stops.at(t, q, v)
    if np.any(phi < -ON):
        worst = int(np.argmin(phi))
        raise InitialDataError(
            f"the initial state is beyond the stop {stops.expressions[worst]} >= 0: it is {phi[worst]:.6g}",
            expected="a state at which all stops are at least 0",
        )
    parts: list[tuple[Run, tuple[int, ...]]] = []
    impacts: list[Impact] = []
    touching = [i for i in range(stops.count) if abs(phi[i]) <= ON and abs(rates[i]) <= ON]
    active = stops.pressed(touching, t, q, v)
    begun = dict.fromkeys(active, t)
    contacts: list[tuple[int, float, float]] = []
    hitting = [i for i in range(stops.count) if abs(phi[i]) <= ON and rates[i] < -ON]
    steps, chunk = 0, abs(t1 - t0) / 16
    while True:
        if hitting:
            q, v, active = _impact(stops, hitting.pop(0), active, t, q, v, impacts)
            _book(active, begun, contacts, t)
            if len(impacts) > MOST:
                raise ModelError(
                    f"the run has more than {MOST} impacts by {system.time} = {t:.10g}", remedy="shorten it"
                )
            continue
        end = min(t1, t + chunk) if active else t1
        inside = times[(times > t) & (times <= end)]
        if not parts:
            inside = times[(times >= t) & (times <= end)]
        free = [i for i in range(stops.count) if i not in active]
        run = integrate(
            stops.field(active), t, q, v, end, inside, options, max_steps=max(options.max_steps - steps, 1),
            progress=progress, dense=bool(active), stops=[stops.expressions[i] for i in free],
        )  # fmt: skip
        steps += run.statistics.steps + run.statistics.rejected
        cut = _pulls(stops, active, run) if active else None
        if cut is not None:
            t, q, v, loose = cut
            parts.append((_until(run, t, q, v), active))
            active = tuple(i for i in active if i != loose)
            _book(active, begun, contacts, t)
            chunk = abs(t1 - t0) / 16
            continue
        parts.append((run, active))
        t, (q, v) = run.time, (run.state[0].copy(), run.state[1].copy())
        if run.stop is not None:
            hitting = [free[run.stop]]
            continue
        if run.status != "done" or t >= t1:
            break
        chunk *= 2
    contacts += [(i, since, t) for i, since in begun.items()]
    return _joined(stops, parts, impacts, contacts)


def _impact(
    stops: Stops, stop: int, active: tuple[int, ...], t: float, q: Array, v: Array, impacts: list[Impact]
) -> tuple[Array, Array, tuple[int, ...]]:
    """The state after an impact, and the contacts after it."""
    _, rates, _ = stops.at(t, q, v)
    before = float(rates[stop])
    after = -stops.restitution[stop] * before
    rests = after <= REST
    new, kept = stops.jump(stop, active, t, q, v, 0.0 if rests else after)
    if rests:
        kept = [*kept, stop]
    active = stops.pressed(kept, t, q, new)
    impacts.append(Impact(t, stop, before, 0.0 if rests else after, stop in active))
    return q, new, active


def _book(
    active: tuple[int, ...], begun: dict[int, float], contacts: list[tuple[int, float, float]], t: float
) -> None:
    """Note which contacts began and ended."""
    for i in [i for i in begun if i not in active]:
        contacts.append((i, begun.pop(i), t))
    for i in active:
        begun.setdefault(i, t)


def _pulls(stops: Stops, active: tuple[int, ...], run: Run) -> tuple[float, Array, Array, int] | None:
    """Where a contact would first have to pull: the time, the state and the stop; None if nowhere."""
    dense = run.dense
    if dense is None or run.time == dense.first:
        return None
    ends = np.append(dense.starts, run.time)
    grid = np.unique(np.concatenate([a + (b - a) * np.linspace(0, 1, 9) for a, b in pairwise(ends)]))

    def least(times: Array) -> Array:
        q, v = dense(times)
        return np.asarray(stops.presses(active, times, q, v).min(axis=1))

    values = least(grid)
    size = 1e-9 * (1 + np.abs(values).max())
    below = np.flatnonzero(values < -size)
    if not len(below):
        return None
    low, high = float(grid[max(below[0] - 1, 0)]), float(grid[below[0]])
    for _ in range(80):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if least(np.array([middle]))[0] < 0:
            high = middle
        else:
            low = middle
    q, v = dense(np.array([high]))
    forces = stops.presses(active, np.array([high]), q, v)[0]
    return high, q[0], v[0], active[int(np.argmin(forces))]


def _until(run: Run, t: float, q: Array, v: Array) -> Run:
    """The part of a run up to a time."""
    keep = run.times <= t
    return replace(
        run, times=run.times[keep], q=run.q[keep], v=run.v[keep], time=t, state=(q, v), status="done",
        events=tuple(e for e in run.events if e.time <= t),
    )  # fmt: skip


def _joined(
    stops: Stops,
    parts: list[tuple[Run, tuple[int, ...]]],
    impacts: list[Impact],
    contacts: list[tuple[int, float, float]],
) -> JoinedRun:
    last = parts[-1][0]
    rows = [run for run, _ in parts]
    if last.status != "done" and not (len(last.times) and last.times[-1] == last.time):
        rows[-1] = replace(
            last, times=np.append(last.times, last.time), q=np.vstack([last.q, last.state[0]]),
            v=np.vstack([last.v, last.state[1]]),
        )  # fmt: skip
    seen: dict[str, list[Array]] = {}
    pressed = []
    position = len(stops.system.position_constraints)
    for run, (_, active) in zip(rows, parts, strict=True):
        found = run._observed
        extra = np.arange(position, position + len(active))
        force = np.zeros((len(run.times), stops.count))
        force[:, list(active)] = found["multipliers"][:, extra]
        pressed.append(force)
        found["multipliers"] = np.delete(found["multipliers"], extra, axis=1)
        found["velocity_residuals"] = np.delete(found["velocity_residuals"], extra, axis=1)
        found["position_residuals"] = found["position_residuals"][:, :position]
        for key, value in found.items():
            seen.setdefault(key, []).append(value)
    statistics = [run.statistics for run in rows]
    counted = ("steps", "rejected", "evaluations", "chart_changes", "branch_changes")
    sums: dict[str, Any] = {name: sum(getattr(s, name) for s in statistics) for name in counted}
    total = Statistics(
        **sums,
        form=statistics[-1].form,
        largest_correction=max(s.largest_correction for s in statistics),
    )
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(run, name) for run in rows]) for name in ("times", "q", "v")
    }
    own = {f.name: getattr(last, f.name) for f in fields(Run)}
    own |= arrays | {
        "field": stops.field(()),
        "statistics": total,
        "watched": (),
        "dense": None,
        "stop": None,
    }
    return JoinedRun(
        **own | {"events": tuple(e for run in rows for e in run.events), "branches": None, "supplied": None},
        seen={key: np.concatenate(values) for key, values in seen.items()},
        contact=np.concatenate(pressed),
        impacts=tuple(impacts),
        contacts=tuple(sorted(contacts, key=lambda contact: contact[1])),
    )
