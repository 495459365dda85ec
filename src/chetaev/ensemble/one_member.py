"""One member of an ensemble, run as `ch.simulate` runs it, and what is kept of it.

Extrema are those of the dense output: of its values at `INSIDE` places of every step, and of the parabola
through the largest and its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.ensemble.ensemble_job import REASON, STATUS, Job
from chetaev.ensemble.member_choices import Array
from chetaev.ensemble.member_starts import Starts
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.lane_motions import LaneMotions
from chetaev.flow.run.motion import Run
from chetaev.flow.run.pulses import Pulses

INSIDE = 16
"""Places inside a step at which extrema are looked for."""
IN_LANES = {"final", "initial", "series", "laws"}
"""What is kept of members that run in lanes; whoever keeps more runs alone."""
NOT_STARTED = "no initial state"
"""The status of a member whose data do not fit the constraints."""
NO_DERIVATIVES = "no sensitivities"
"""The status of a member that reached its end, and the derivatives of its motion did not."""


class Member:
    """Runs members of a job, one at a time; each thread has its own."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.field = compile_field(job.system)

    def run(self, i: int, starts: Starts, values: Mapping[str, Array], out: dict[str, Any]) -> None:
        """Run the member at a place of the arrays."""
        try:
            if i in starts.failed:
                note(out, i, NOT_STARTED, starts.failed[i], float("nan"))
                return
            self._run(i, starts, {name: float(x[i]) for name, x in values.items()}, out)
        except ModelError as error:
            note(out, i, NOT_STARTED, error.message, float(starts.t[i]))
            state = np.concatenate([starts.q[i], starts.v[i]])
            for name in {"final", "initial"} & out.keys():
                out[name][i] = state

    def _run(self, i: int, starts: Starts, row: Mapping[str, float], out: dict[str, Any]) -> None:
        job, keep = self.job, self.job.keep
        t, q, v = float(starts.t[i]), starts.q[i], starts.v[i]
        names = list(job.system.parameters)
        parameters = dict(zip(names, starts.p[i].tolist(), strict=True))
        order = series_order(job, t)
        times = None if order is None else np.array(job.times)[order]
        run = self._integrate(t, q, v, times, parameters, row)
        note(out, i, run.status, run.reason, run.time)
        out["steps"][i], out["rejected"][i] = run.statistics.steps, run.statistics.rejected
        start, end = np.concatenate([q, v]), np.concatenate(run.state)
        states = np.full((len(job.times), len(start)), np.nan)
        if order is not None:
            rows = np.concatenate([run.q, run.v], axis=1)[: len(order)]
            states[order[: len(rows)]] = rows
        keep_states(job, self.field, out, [i], start[None], end[None], states[None], starts.p[[i]])
        if "extrema" in keep:
            out["lowest"][i], out["highest"][i] = _extrema(run, start)
        if "events" in keep:
            _events(run, out, i)
        if "sensitivities" in keep and run.status == "done":
            try:
                self._sensitivities(t, q, v, {k: x for k, x in row.items() if k in parameters}, out, i)
            except ModelError as error:
                note(out, i, NO_DERIVATIVES, error.message, run.time)

    def _integrate(
        self, t: float, q: Array, v: Array, times: Array | None, parameters: dict[str, float],
        row: Mapping[str, float],
    ) -> Run:  # fmt: skip
        job = self.job
        wanted = np.array([job.end]) if times is None else times
        if job.system.stops:
            from chetaev.flow.run.impacts import integrate_with_stops

            own = {name: x for name, x in row.items() if name in job.system.parameters}
            system = job.system.with_data(own, {}) if own else job.system
            return integrate_with_stops(system, t, list(q), list(v), job.end, wanted, job.options)
        return integrate(self.field, t, q, v, job.end, wanted, job.options, parameters=parameters)

    def _sensitivities(
        self, t: float, q: Array, v: Array, parameters: dict[str, float], out: dict[str, Any], i: int
    ) -> None:
        from chetaev.flow.data.sensitivity import integrate_sensitivities

        found = integrate_sensitivities(
            self.field,
            t,
            q,
            v,
            self.job.end,
            self.job.options.tolerance,
            parameters or None,
            method=self.job.options.method,
        )
        out["by_initial"][i] = found.initial
        for k, column in enumerate(found.parameters.values()):
            out["by_parameter"][i, :, k] = column


def run_in_lanes(
    job: Job,
    motions: LaneMotions,
    pulses: Pulses,
    starts: Starts,
    out: dict[str, Any],
    stopping: NDArray[np.int64],
) -> list[int]:
    """Run members side by side in the lanes of vectors; returns those that are left to be run alone.

    Among them are those with pulses in time, at which steps end.
    """
    times = np.array(job.times) if {"series", "laws"} & {*job.keep} else np.zeros(0)
    sense = -1.0 if np.any(starts.t > job.end) else 1.0  # where both occur, all run alone
    order = np.argsort(sense * times, kind="stable")
    counts, final, found = motions.run(
        starts.t,
        starts.q,
        starts.v,
        starts.p,
        job.end,
        job.options.tolerance,
        times[order],
        job.options.max_steps,
        stopping,
    )
    series = np.empty_like(found)
    series[:, order] = found
    names = motions.field.model.parameters
    for i, (t, p) in enumerate(zip(starts.t.tolist(), starts.p.tolist(), strict=True)):
        if pulses.tops(dict(zip(names, p, strict=False)), t, job.end):
            counts[i, 0] = 0
    done = np.flatnonzero(counts[:, 0])
    out["steps"][done], out["rejected"][done] = counts[done, 1], counts[done, 2]
    out["status"][done], out["end_time"][done] = "done", job.end
    out["reason"][done] = f"reached {job.system.time} = {job.end:.10g}"
    initial = np.concatenate([starts.q[done], starts.v[done]], axis=1)
    keep_states(job, motions.field, out, done, initial, final[done], series[done], starts.p[done])
    return np.flatnonzero(counts[:, 0] == 0).tolist()


def note(out: dict[str, Any], i: int, status: str, reason: str, time: float) -> None:
    """How a member ended."""
    out["end_time"][i], out["reason"][i], out["status"][i] = time, shortened(reason), status[:STATUS]


def shortened(reason: str) -> str:
    """A reason that has room in the data set, cut where it must be, and not without a sign of it."""
    return reason if len(reason) <= REASON else reason[: REASON - 2].rpartition(" ")[0] + " …"


def keep_states(
    job: Job, field: CompiledField, out: dict[str, Any], at: Sequence[int] | NDArray[np.intp],
    initial: Array, final: Array, series: Array, p: Array,
) -> None:  # fmt: skip
    """Keep of the members at some places what their states say: the first, the last, and between."""
    known = {"initial": initial, "final": final, "series": series}
    for name in known.keys() & out.keys():
        out[name][at] = known[name]
    if "laws" in job.keep and len(at):
        out["law_start"][at], out["law_drift"][at] = law_drifts(job, field, series, p)


def series_order(job: Job, t: float) -> NDArray[np.intp] | None:
    """The times of the series that lie in a member's run, in its order; None if none are wanted at all."""
    if not {"series", "laws"} & {*job.keep}:
        return None
    times, sense = np.array(job.times), 1.0 if job.end >= t else -1.0
    order = np.flatnonzero((sense * times >= sense * t) & (sense * times <= sense * job.end))
    return order[np.argsort(sense * times[order], kind="stable")]


def law_drifts(job: Job, field: CompiledField, states: Array, p: Array) -> tuple[Array, Array]:
    """Of each law, the value at the first time and the largest difference from it, for members (N, …)."""
    n = len(job.system.coordinates)
    known: dict[Any, Any] = {(name, 0): p[:, k, None] for k, name in enumerate(job.system.parameters)}
    known[job.system.time, 0] = np.broadcast_to(np.array(job.times), states.shape[:2])
    for k, name in enumerate(job.system.coordinates):
        known[name, 0], known[name, 1] = states[:, :, k], states[:, :, n + k]
    found = []
    for name in job.law_names:
        if name in job.laws:
            value = evaluate([job.laws[name]], known)[0]
        else:
            parameters = {x: p[:, k, None] for k, x in enumerate(job.system.parameters)}
            value = field.energy(known[job.system.time, 0], states[..., :n], states[..., n:], parameters)
        found.append(np.broadcast_to(value, states.shape[:2]))
    values = np.stack(found, axis=-1) if found else np.zeros((*states.shape[:2], 0))
    if not values.shape[1]:
        return np.full((len(p), len(found)), np.nan), np.full((len(p), len(found)), np.nan)
    there = np.isfinite(states).all(axis=2).argmax(axis=1)  # a member may start later than others
    start = values[np.arange(len(values)), there]
    off = np.abs(values - start[:, None])
    drift = np.where(np.isfinite(off), off, -1.0).max(axis=1, initial=-1.0)
    return start, np.where(drift < 0, np.nan, drift)


def _events(run: Run, out: dict[str, Any], i: int) -> None:
    for e in run.events:
        if out["event_count"][i, e.index] == 0:
            out["event_time"][i, e.index] = e.time
        out["event_count"][i, e.index] += 1


def _extrema(run: Run, start: Array) -> tuple[Array, Array]:
    end = np.concatenate(run.state)
    low, high = np.minimum(start, end), np.maximum(start, end)
    if run.dense is None:
        return low, high
    ends = np.append(run.dense.starts, run.dense.last)
    parts = np.arange(INSIDE) / INSIDE
    times = np.append((ends[:-1, None] + parts * np.diff(ends)[:, None]).ravel(), ends[-1])
    sense = 1.0 if run.dense.last >= run.dense.first else -1.0
    times = run.dense.first + sense * np.maximum.accumulate(sense * (times - run.dense.first))
    states = np.concatenate(run.dense(times), axis=1)
    return -_highest(times, -states, -low), _highest(times, states, high)


def _highest(times: Array, states: Array, so_far: Array) -> Array:
    """The largest value of each column, of its samples or of a parabola through three of them."""
    best = np.maximum(states.max(axis=0), so_far)
    for column in range(states.shape[1]):
        k = int(np.argmax(states[:, column]))
        if not 0 < k < len(times) - 1:
            continue
        left, middle, right = states[k - 1 : k + 2, column]
        a, b = times[k] - times[k - 1], times[k + 1] - times[k]
        if a == 0 or b == 0:
            continue
        rise, fall = (middle - left) / a, (right - middle) / b
        bend = (fall - rise) / (a + b)
        slope = (rise * b + fall * a) / (a + b)
        if bend < 0:
            best[column] = max(best[column], middle - slope * slope / (4 * bend))
    return np.asarray(best)
