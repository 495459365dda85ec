"""Members run on all cores: each block of members in a thread, most of the time without Python's lock.

Which thread runs a block, how long blocks are and how many threads there are changes no bit of the result: a
member depends on its number alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from chetaev.ensemble.ensemble_job import Job, coordinates
from chetaev.ensemble.member_starts import StartFinder, Starts
from chetaev.ensemble.one_member import IN_LANES, Member, run_in_lanes
from chetaev.errors import ModelError
from chetaev.flow.compile.machine import expect_executable_memory
from chetaev.flow.data.sensitivity import expect_controlled
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import branched, checked_step
from chetaev.flow.run.lane_motions import LaneMotions, default_lanes, fits
from chetaev.flow.run.pulses import Pulses
from chetaev.flow.run.tangent_flow import smooth_programs

BLOCK = 2048
"""Most members that a thread takes at a time."""
WORTH_LANES = 32
"""Fewer members are done before code for lanes is made."""
BLOCK_BYTES = 2**24
"""Most bytes of states at times that a thread holds at a time."""
PATIENCE = 0.2
"""Seconds between two looks at what has been done, so that an interrupt is heard."""


def cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def expect_runs(job: Job) -> None:
    """Say now what is wrong with the model or the scheme, before a store is begun."""
    expect_executable_memory()  # which is no mistake of a member
    field = compile_field(job.system)
    if not job.system.stops:
        checked_step(job.options, field, branched(field)[1])
    if "sensitivities" in job.keep:
        expect_controlled(job.options.method)
        smooth_programs(field, "sensitivities")


class EnsembleEngine:
    """Runs the members of a job; the machine code is made once.

    There is one thread for each processor if `threads` is left out. Each runs 1, 2, 4, 8 or 16 members
    side by side, as many as suit the processor if `lanes` is left out
    (`flow.run.lane_motions.default_lanes`); where lanes are not made for what is asked, one at a time.
    """

    def __init__(self, job: Job, threads: int | None = None, lanes: int | None = None) -> None:
        self.job, self.threads = job, threads or cores()
        self._own = threading.local()
        self._pool: ThreadPoolExecutor | None = None
        self._stopping = np.zeros(1, np.int64)
        self._finder = StartFinder(job.system)
        expect_executable_memory()  # a cluster's worker runs elsewhere than what began the store
        field = compile_field(job.system)
        wide = lanes != 1 and {*job.keep} <= IN_LANES and not (job.system.stops or job.options.events)
        wide &= job.options.max_step is None
        wide &= lanes is not None or job.members.count >= WORTH_LANES
        self.lanes = (lanes or default_lanes()) if wide and fits(field, job.options.method) else None
        if self.lanes is not None:
            LaneMotions(field, self.lanes, job.options.method)  # and that code is made once

    def __enter__(self) -> EnsembleEngine:
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="chetaev")
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping[0] = 1
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self, start: int, stop: int, progress: Callable[[int], None] | None = None) -> dict[str, Any]:
        """The rows of members `start` to `stop`, by name; `progress` is told how many are done."""
        assert self._pool is not None
        out = self.job.empty(stop - start)
        values = self.job.members.rows(start, stop)
        bytes_ = 8 * len(self.job.state_names) * max(1, len(self.job.times))
        most = max(16, min(BLOCK, BLOCK_BYTES // bytes_))
        size = max(1, min(most, -(-(stop - start) // (4 * self.threads))))
        blocks = [(a, min(a + size, stop)) for a in range(start, stop, size)]
        waiting: dict[Future[None], int] = {}
        for a, b in blocks:
            part = {name: rows[a - start : b - start] for name, rows in out.items()}
            own = {name: rows[a - start : b - start] for name, rows in values.items()}
            waiting[self._pool.submit(self._block, a, b, own, part)] = b - a
        done = 0
        while waiting:
            finished, _ = wait(waiting, timeout=PATIENCE, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()
                done += waiting.pop(future)
            if finished and progress is not None:
                progress(done)
        return {label: values[name] for label, name in coordinates(self.job)} | out

    def _block(self, start: int, stop: int, values: dict[str, Any], out: dict[str, Any]) -> None:
        if not hasattr(self._own, "member"):
            self._own.member = Member(self.job)
        member: Member = self._own.member
        starts = self.starts(member, start, stop, values)
        left = range(stop - start) if self.lanes is None else self._in_lanes(member, starts, out)
        for i in left:
            if self._stopping[0]:
                return
            member.run(i, starts, values, out)

    def _in_lanes(self, member: Member, starts: Starts, out: dict[str, Any]) -> list[int]:
        """Run members in lanes; returns those that are left."""
        if not hasattr(self._own, "motions"):
            self._own.motions = LaneMotions(member.field, self.lanes, self.job.options.method)
            model = member.field.model
            self._own.pulses = Pulses(model.graphs, model.time, model.parameters)
        motions: LaneMotions = self._own.motions
        return run_in_lanes(self.job, motions, self._own.pulses, starts, out, self._stopping)

    def starts(self, member: Member, start: int, stop: int, values: dict[str, Any]) -> Starts:
        """The initial states of a block."""
        energy = self.job.energy
        if energy is None:
            return self._finder.find(values, stop - start)
        from chetaev.ensemble.at_energy import states_at_energy

        rows: list[dict[str, float]] = []
        failed: dict[int, str] = {}
        for i in range(stop - start):
            row = {name: float(x[i]) for name, x in values.items()}
            try:
                rows.append(
                    states_at_energy(
                        self.job.system, member.field, energy, row, start + i, self.job.members.seed
                    )
                )
            except ModelError as error:
                failed[i] = error.message
        good = [i for i in range(stop - start) if i not in failed]
        names = rows[0] if rows else {}
        part = self._finder.find({name: np.array([row[name] for row in rows]) for name in names}, len(rows))
        found = self._finder.nowhere(stop - start)
        for name in "tqvp":
            getattr(found, name)[good] = getattr(part, name)
        found.failed.update(failed | {good[k]: why for k, why in part.failed.items()})
        return found
