"""`ch.ensemble`: many motions of one system, as one data set.

>>> import chetaev as ch
>>> discs = ch.ensemble(ch.load("rolling-disc"), {"theta": "0.1:0.5:5", "psi_dot": [2, 8]}, until=1.0)
>>> dict(discs.sizes), set(discs.status.values.tolist())
({'run': 10, 'state': 10}, {'done'})
>>> bool(discs.final.sel(state="theta")[0] > discs.theta[0])
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from chetaev.checked_arguments import count, function, number, shown
from chetaev.ensemble.ensemble_engine import EnsembleEngine, expect_runs
from chetaev.ensemble.ensemble_job import KEEP, Job, dataset
from chetaev.ensemble.member_choices import members_of
from chetaev.ensemble.shared_data import with_shared_data
from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr
from chetaev.flow.data.simulate import _expect_fixed_steps, _expect_one_scheme, _laws, longest_step
from chetaev.flow.data.times import spread, with_end
from chetaev.flow.run.events import Event, listed, read
from chetaev.flow.run.integrate import checked_times
from chetaev.flow.run.run_options import MAX_STEPS, RunOptions
from chetaev.flow.schemes import DEFAULT, find
from chetaev.model.system import System, expect_system
from chetaev.model.system_arguments import as_list

if TYPE_CHECKING:
    import xarray

IN_MEMORY = 2**32
"""Bytes of a result without a store, at most."""
LAW_TIMES = 101
"""Times at which laws are looked at where none are given."""


def ensemble(
    system: System,
    over: Mapping[str, Any] | None = None,
    samples: int | Mapping[str, Any] | None = None,
    until: float | None = None,
    *,
    keep: Iterable[str] | str = ("final",),
    at: ArrayLike | int | str | None = None,
    initial: Mapping[Any, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    energy: float | None = None,
    tolerance: float | None = None,
    events: Iterable[Event | str | Expr] = (),
    laws: Mapping[str, str | Expr] | None = None,
    method: str = DEFAULT,
    step: float | None = None,
    max_step: float | None = None,
    max_steps: int = MAX_STEPS,
    seed: int = 0,
    store: Any = None,
    chunk: int | None = None,
    threads: int | None = None,
    lanes: int | None = None,
    scheduler: Any = None,
    progress: Callable[[float], None] | None = None,
) -> xarray.Dataset:
    """Run many motions of one system.

    Parameters
    ----------
    system, over, samples
        As for `ch.ensemble`, which is the same where the accelerations are determined.
    until, initial, parameters, tolerance, method, step, max_step, max_steps
        As for :func:`chetaev.simulate`; initial data that are left out are solved for each member.
    keep
        What is kept of a member besides how it ended: ``"final"`` state, ``"initial"`` state, ``"extrema"``
        of all positions and velocities, ``"events"`` (first time and number), ``"series"`` of states at the
        times `at`, drift of ``"laws"``, ``"sensitivities"`` of the final state.
    at
        Times of the series and of the laws, as for :func:`chetaev.simulate`.
    energy
        Velocities are drawn at random on the constraints, with this energy.
    events, laws
        As for :func:`chetaev.simulate`. Where laws are kept and none are given, the energy is.
    seed
        Of everything that is drawn; member i is the same whatever the chunks, threads and machines.
    store
        A directory (``"out.zarr"``) or an address of fsspec's to write to, a chunk at a time. The same call
        goes on with what is there; a store of another sweep is refused.
    chunk
        Members of a chunk; about 32 megabytes if left out.
    threads
        One for each processor if left out.
    lanes
        How many members a thread runs side by side in vectors: 1, 2, 4, 8 or 16; as many as suit the
        processor if left out. No bit of the result depends on it, nor on threads and chunks.
    scheduler
        A Dask scheduler's address, or a client: its workers compute the chunks and write them to the store,
        which must be on storage that they share.
    progress
        Called now and then with the part of the work that is done, from 0 to 1.

    Returns
    -------
    xarray.Dataset
        Dimension ``run``, the varying values along it; ``status``, ``reason``, ``end_time``, ``steps``,
        ``rejected`` and what `keep` says. A member that fails has its reason and its last good state.
    """
    job = job_of(
        system, over, samples, until, keep, at, initial, parameters, energy, tolerance, events, laws, method,
        max_steps, seed, step, max_step,
    )  # fmt: skip
    expect_runs(job)
    progress = function(progress, "progress")
    if threads is not None:
        threads = count(threads, "the number of threads", 1, 4096)
    if lanes is not None and count(lanes, "the number of lanes", 1, 16) not in (1, 2, 4, 8, 16):
        raise ModelError(f"the number of lanes is {shown(lanes)}", expected="1, 2, 4, 8 or 16")
    if chunk is not None:
        chunk = count(chunk, "the number of members of a chunk", 1, 10**9)
    if store is None:
        if scheduler is not None:
            raise ModelError(
                "the workers of a cluster write to a store, and none is given",
                remedy="give store=…, a directory or an address that all of them reach",
            )
        if job.members.count * job.bytes_per_member > IN_MEMORY:
            raise ModelError(
                f"{job.members.count} members take {job.members.count * job.bytes_per_member / 2**30:.3g} "
                "gigabytes, too much for memory",
                remedy="give store='out.zarr', on the command line -o out.zarr",
            )
        total = job.members.count
        with EnsembleEngine(job, threads, lanes) as engine:
            rows = engine.run(0, total, None if progress is None else lambda done: progress(done / total))
        return dataset(job, rows)
    from chetaev.ensemble.store import sweep

    return sweep(job, store, chunk, threads, lanes, scheduler, progress)


def job_of(
    system: System, over: Any, samples: Any, until: Any, keep: Any, at: Any, initial: Any, parameters: Any,
    energy: Any, tolerance: Any, events: Any, laws: Any, method: Any, max_steps: Any, seed: Any,
    step: Any = None, max_step: Any = None,
) -> Job:  # fmt: skip
    """The job that the arguments of `ensemble` describe; a ModelError where they do not."""
    asked, until = with_end(at, until)
    kept = _kept(keep)
    expect_system(system, "ch.ensemble")
    members = members_of(system, over, samples, seed)
    if not members.names and energy is None and (samples is None or hasattr(samples, "keys")):
        raise ModelError("nothing varies", expected='over={"theta": "0.1:0.5:50"}, samples=…, or both')
    if energy is not None:
        energy = _energy(system, energy)
    system, end, allowed = with_shared_data(system, members, until, initial, tolerance, parameters, energy)
    if system.degenerate or system.gauge:
        raise ModelError(
            "the Lagrangian is degenerate, and ch.ensemble runs what the equations of motion determine",
            remedy="use ch.simulate for single motions",
        )
    if not isinstance(method, str):
        raise ModelError(f"the method is {shown(method)}", expected="the name of a scheme: see ch.schemes()")
    _expect_one_scheme(system, method)
    if find(method).fixed or step is not None:
        _expect_fixed_steps(system, method, tolerance, None, None)
        step = None if step is None else number(step, "the step", expected="a positive number")
    watched = listed(events if callable(events) else as_list(events, "events"))
    watched, kept = _watched(system, watched, kept)
    expressions = _laws(system, laws)
    if expressions and "laws" not in kept:
        kept = (*kept, "laws")
    if system.stops and {"extrema", "sensitivities"} & {*kept}:
        raise ModelError(
            "extrema and sensitivities need a motion in one piece, and this system has stops",
            remedy="keep 'series' instead",
        )
    times: tuple[float, ...] = ()
    if {"series", "laws"} & {*kept}:
        if system.time in members.names and not isinstance(asked, np.ndarray):
            raise ModelError("the initial time varies, so the times must be told", remedy="give at=[…]")
        many = LAW_TIMES if asked is None and "series" not in kept else asked
        wanted = spread(many, _start(system), end)
        if system.time not in members.names:
            checked_times(_start(system), end, wanted)
        times = tuple(float(x) for x in wanted)
    options = RunOptions(
        allowed,
        method,
        step,
        count(max_steps, "max_steps", 1, 2**62),
        tuple(watched),
        dense="extrema" in kept,
        max_step=longest_step(max_step, method, step, None),
    )
    return Job(system, members, end, options, kept, times, expressions, energy)


def _kept(keep: Any) -> tuple[str, ...]:
    """What is kept, in a fixed order."""
    names = [keep] if isinstance(keep, str) else keep
    if isinstance(names, (Mapping, bytes, type)) or not isinstance(names, Iterable):
        raise ModelError(f"keep is {shown(keep)}", expected="some of " + ", ".join(KEEP))
    try:
        asked = list(names)
    except TypeError:  # an array without axes
        asked = [keep]
    for name in asked:
        if not isinstance(name, str) or name not in KEEP:
            hint = did_you_mean(name, KEEP) if isinstance(name, str) else ""
            raise ModelError(
                f"{shown(name)} cannot be kept of a member",
                expected="some of " + ", ".join(KEEP),
                remedy=hint,
            )
    return tuple(name for name in KEEP if name in asked)


def _watched(
    system: System, events: list[Event], kept: tuple[str, ...]
) -> tuple[list[Event], tuple[str, ...]]:
    """The events, read; those in quasi-velocities written out."""
    if system.quasi and events:
        from chetaev.flow.data.quasi_motion import quasi_laws, read_events

        events = listed(read_events(system, events, quasi_laws(system)))
    if events:
        from chetaev.flow.derive.ingredients import Ingredients

        read(events, Ingredients.of(system))
        if "events" not in kept:
            kept = tuple(name for name in KEEP if name in (*kept, "events"))
    elif "events" in kept:
        raise ModelError("events are to be kept, and none are given", remedy="give events=['x - 1']")
    return events, kept


def _start(system: System) -> float:
    """The initial time."""
    if system.initial is None:
        return 0.0
    return float(evaluate([system.initial.t], system.parameter_values)[0])


def _energy(system: System, energy: Any) -> float:
    """The energy at which velocities are drawn."""
    value = number(energy, "the energy")
    if not system.dynamics.has_energy:
        raise ModelError("the energy is given, and this system has none", remedy="leave out energy=…")
    return value
