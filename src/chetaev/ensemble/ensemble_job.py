"""What an ensemble is asked for, as a value: the same job gives the same bits wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from chetaev.ensemble.member_choices import Members
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import Expr
from chetaev.flow.run.events import Event
from chetaev.model.system import System

STATUS, REASON = 24, 320
"""Letters of a status and of a reason that are kept."""
KEEP = ("final", "initial", "extrema", "events", "series", "laws", "sensitivities")
"""What may be kept of a member besides how it ended."""


@dataclass(frozen=True)
class Variable:
    """One array of the result, with a row for each member.

    Attributes
    ----------
    name, dims, shape
        Of the array, without the dimension ``run``.
    dtype
        As NumPy writes it.
    about
        In words.
    """

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    about: str

    def empty(self, count: int) -> Any:
        """Rows for so many members, with nothing in them yet."""
        if self.dtype == "<f8":
            return np.full((count, *self.shape), np.nan)
        return np.zeros((count, *self.shape), self.dtype)


@dataclass(frozen=True)
class Job:
    """An ensemble: system, members, and how they are run.

    Attributes
    ----------
    system
        With everything that all members share.
    members
        What varies.
    end, tolerance, method, max_steps
        Of every run.
    keep
        Some of `KEEP`.
    times
        Those of the series, and of the laws.
    events, laws
        Events, and expressions by name, whose drift is kept.
    energy
        Where velocities are drawn at random at a given energy, that energy.
    step
        The length of all steps, for a scheme that has fixed ones.
    """

    system: System
    members: Members
    end: float
    tolerance: float
    method: str
    max_steps: int
    keep: tuple[str, ...]
    times: tuple[float, ...] = ()
    events: tuple[Event, ...] = ()
    laws: Mapping[str, Expr] = field(default_factory=dict)
    energy: float | None = None
    step: float | None = None

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
        labels: dict[str, Any] = {}
        if {"final", "initial", "extrema", "series", "sensitivities"} & {*self.keep}:
            labels["state"] = self.state_names
        if "series" in self.keep:
            labels["time"] = list(self.times)
        if "events" in self.keep:
            labels["event"] = [event.name for event in self.events]
        if "laws" in self.keep:
            labels["law"] = self.law_names
        if "sensitivities" in self.keep:
            labels |= {"initial_state": self.state_names, "parameter": list(self.system.parameters)}
        return labels

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The arrays of the result; the status comes last, and is empty while the others are."""
        sizes = {name: len(values) for name, values in self.labels.items()}
        made: list[Variable] = []

        def add(name: str, dims: tuple[str, ...], about: str, dtype: str = "<f8") -> None:
            made.append(Variable(name, dims, tuple(sizes[d] for d in dims), dtype, about))

        if "final" in self.keep:
            add("final", ("state",), "the state at the end of the run; where that failed, the last good one")
        if "initial" in self.keep:
            add("initial", ("state",), "the initial state, on the constraints")
        if "extrema" in self.keep:
            add("lowest", ("state",), "the smallest value along the motion")
            add("highest", ("state",), "the largest value along the motion")
        if "events" in self.keep:
            add("event_time", ("event",), "when the event happened first")
            add("event_count", ("event",), "how often it happened", "<i8")
        if "series" in self.keep:
            add("series", ("time", "state"), "the states at the times asked for")
        if "laws" in self.keep:
            add("law_start", ("law",), "the value at the first time")
            add("law_drift", ("law",), "the largest difference from it at the later times")
        if "sensitivities" in self.keep:
            add("by_initial", ("state", "initial_state"), "∂(final)/∂(initial), tangent to the constraints")
            add("by_parameter", ("state", "parameter"), "∂(final)/∂(parameter)")
        add("end_time", (), "when the run ended")
        add("steps", (), "steps taken", "<i8")
        add("rejected", (), "steps refused", "<i8")
        add("reason", (), "why the run ended", f"<U{REASON}")
        add("status", (), "how the run ended: done, event, or what went wrong", f"<U{STATUS}")
        return tuple(made)

    @cached_property
    def bytes_per_member(self) -> int:
        """What a member takes in memory, the varying values included."""
        own = sum(np.dtype(v.dtype).itemsize * int(np.prod(v.shape, dtype=int)) for v in self.variables)
        return own + 8 * (len(self.members.names) + 1)

    def empty(self, count: int) -> dict[str, Any]:
        """Arrays for so many members, with nothing in them yet."""
        return {v.name: v.empty(count) for v in self.variables}

    def facts(self) -> dict[str, Any]:
        """What tells this job from others, as plain data."""
        import chetaev

        return {
            "version": chetaev.__version__,
            "model": self.system.to_toml(),
            "members": self.members.facts(),
            "until": self.end,
            "tolerance": self.tolerance,
            "method": self.method,
            "max_steps": self.max_steps,
            "keep": list(self.keep),
            "at": list(self.times),
            "events": [[e.name, str(e.expression), e.direction, e.terminal] for e in self.events],
            "laws": [[name, str(expr)] for name, expr in self.laws.items()],
            "energy": self.energy,
            "step": self.step,
        }
