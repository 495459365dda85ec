"""An ensemble as a value, and its result as a data set: the same job gives the same bits wherever it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.ensemble.member_choices import Members
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import Expr
from chetaev.flow.run.run_options import RunOptions
from chetaev.model.system import System

if TYPE_CHECKING:
    import xarray

STATUS, REASON = 24, 320
"""Letters of a status and of a reason that are kept."""


@dataclass(frozen=True)
class Variable:
    """One array of the result, with a row for each member: its dimensions besides ``run``, what it holds."""

    name: str
    dims: tuple[str, ...]
    about: str
    dtype: str = "<f8"


KEEP: dict[str, tuple[Variable, ...]] = {
    "final": (
        Variable(
            "final", ("state",), "the state at the end of the run; where that failed, the last good one"
        ),
    ),
    "initial": (Variable("initial", ("state",), "the initial state, on the constraints"),),
    "extrema": (
        Variable("lowest", ("state",), "the smallest value along the motion"),
        Variable("highest", ("state",), "the largest value along the motion"),
    ),
    "events": (
        Variable("event_time", ("event",), "when the event happened first"),
        Variable("event_count", ("event",), "how often it happened", "<i8"),
    ),
    "series": (Variable("series", ("time", "state"), "the states at the times asked for"),),
    "laws": (
        Variable("law_start", ("law",), "the value at the first time"),
        Variable("law_drift", ("law",), "the largest difference from it at the later times"),
    ),
    "sensitivities": (
        Variable("by_initial", ("state", "initial_state"), "∂(final)/∂(initial), tangent to the constraints"),
        Variable("by_parameter", ("state", "parameter"), "∂(final)/∂(parameter)"),
    ),
}
"""What may be kept of a member besides how it ended."""
ALWAYS = (
    Variable("end_time", (), "when the run ended"),
    Variable("steps", (), "steps taken", "<i8"),
    Variable("rejected", (), "steps refused", "<i8"),
    Variable("reason", (), "why the run ended", f"<U{REASON}"),
    Variable("status", (), "how the run ended: done, event, or what went wrong", f"<U{STATUS}"),
)
"""How a member ended; the status comes last, and is empty while the others are."""


@dataclass(frozen=True)
class Job:
    """An ensemble: system, members, and how they are run."""

    system: System  # with everything that all members share
    members: Members  # what varies
    end: float  # of every run
    options: RunOptions  # how every member is integrated, and which events are watched
    keep: tuple[str, ...]  # some of `KEEP`
    times: tuple[float, ...] = ()  # those of the series, and of the laws
    # expressions by name, whose drift is kept
    laws: Mapping[str, Expr] = field(default_factory=dict)
    energy: float | None = None  # where velocities are drawn at random at a given energy, that energy

    @cached_property
    def state_names(self) -> list[str]:
        """Positions, then velocities."""
        return [key_name(c, order) for order in (0, 1) for c in self.system.coordinates]

    @cached_property
    def law_names(self) -> list[str]:
        """The laws that were asked for; if none were, the energy, where there is one."""
        return list(self.laws) or (["energy"] if self.system.dynamics.has_energy else [])

    @cached_property
    def labels(self) -> dict[str, Any]:
        """The labels along each dimension but ``run``."""
        used = {d for v in self.variables for d in v.dims}
        every = {
            "state": self.state_names,
            "time": list(self.times),
            "event": [event.name for event in self.options.events],
            "law": self.law_names,
            "initial_state": self.state_names,
            "parameter": list(self.system.parameters),
        }
        return {name: values for name, values in every.items() if name in used}

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The arrays of the result."""
        return (*(v for name in KEEP if name in self.keep for v in KEEP[name]), *ALWAYS)

    def shape(self, variable: Variable) -> tuple[int, ...]:
        """The lengths of an array's dimensions besides ``run``."""
        return tuple(len(self.labels[d]) for d in variable.dims)

    @cached_property
    def bytes_per_member(self) -> int:
        """What a member takes in memory, the varying values included."""
        own = sum(np.dtype(v.dtype).itemsize * prod(self.shape(v)) for v in self.variables)
        return own + 8 * (len(self.members.names) + 1)

    def empty(self, count: int) -> dict[str, Any]:
        """Arrays for so many members, with nothing in them yet."""
        return {
            v.name: np.full((count, *self.shape(v)), np.nan if v.dtype == "<f8" else np.zeros((), v.dtype))
            for v in self.variables
        }

    def facts(self) -> dict[str, Any]:
        """What tells this job from others, as plain data."""
        import chetaev

        return {
            "version": chetaev.__version__,
            "model": self.system.to_toml(),
            "members": self.members.facts(),
            "until": self.end,
            "tolerance": self.options.tolerance,
            "method": self.options.method,
            "max_steps": self.options.max_steps,
            "keep": list(self.keep),
            "at": list(self.times),
            "events": [[e.name, str(e.expression), e.direction, e.terminal] for e in self.options.events],
            "laws": [[name, str(expr)] for name, expr in self.laws.items()],
            "energy": self.energy,
            "step": self.options.step,
        } | ({"max_step": self.options.max_step} if self.options.max_step is not None else {})


# --- the result -------------------------------------------------------------------------------------------


def coordinates(job: Job) -> list[tuple[str, str]]:
    """The names of the varying values in the data set, and their own; clear of the other names in it."""
    taken = {"run", *job.labels, *(v.name for v in job.variables)}
    found: list[tuple[str, str]] = []
    for name in job.members.names:
        label = name
        while label in taken or (label != name and label in job.members.names):
            label += "_"
        taken.add(label)
        found.append((label, name))
    return found


def attributes(job: Job) -> dict[str, Any]:
    """Where the data come from."""
    from chetaev.flow.data.dataset import VERSIONS

    made: dict[str, Any] = {
        "title": job.system.name,
        "model": job.system.to_toml(),
        "members": job.members.count,
        "axes": json.dumps({name: len(values) for name, values in job.members.grid.items()}),
        "seed": job.members.seed,
        "until": job.end,
        "tolerance": job.options.tolerance,
        "method": job.options.method,
        "versions": VERSIONS,
    }
    return made if job.energy is None else {**made, "energy": job.energy}


def dataset(job: Job, rows: dict[str, Any]) -> xarray.Dataset:
    """The rows of all members, labelled."""
    from chetaev.flow.data.labels import Labelled, data_set

    variables = {v.name: (("run", *v.dims), rows[v.name], {"long_name": v.about}) for v in job.variables}
    labels: dict[str, Labelled] = {"run": ("run", np.arange(job.members.count), {})}
    labels |= {label: ("run", rows[label], {}) for label, _ in coordinates(job)}
    labels |= {name: (name, np.array(values), {}) for name, values in job.labels.items()}
    return data_set(variables, labels, attributes(job))
