"""Why a motion ended: the smallest singular values at its last state, and a sentence.

At the end state: the smallest singular value of C (does the rank of the constraint matrix drop?) and of the
reduced matrix ZᵀMZ, Z an orthonormal basis of ker C (is the motion determined?), each compared with its value
at the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev import numeric
from chetaev.flow.kernels import statuses
from chetaev.flow.run.array_calls import Array
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.flow.schemes import advice

if TYPE_CHECKING:
    from chetaev.flow.run.session import Session

# how a session ends, besides `kernels.statuses`
SLIDING = 100
MAX_STEPS = 101
UNDETERMINED = 102
KINK = 103
STOP = 104
PILED_UP = 105
NOT_FOLLOWED = 106

SMALL = 1e-5
"""A singular value that falls below this part of its first value is called lost."""


@dataclass(frozen=True)
class Diagnosis:
    """Status, sentence and the singular value behind it."""

    status: str
    reason: str
    smallest: float | None


EXTREME = 1e-280
"""Smaller numbers, and larger ones than their inverse, leave doubles no room for products."""


def singular_values(
    field: CompiledField, t: float, q: Array, v: Array, parameters: Mapping[str, Any]
) -> tuple[float, float]:
    """The smallest singular value of C, redundant rows aside, and that of the reduced matrix; nan where they
    are not finite, 0 where they are rounding error.
    """
    mass, _, matrix, _ = field.matrices(t, q, v, parameters)
    m, n = matrix.shape
    rank = field.model.independent
    if not (np.all(np.isfinite(mass)) and np.all(np.isfinite(matrix))):
        return float("nan"), float("nan")
    constraint, kernel = 1.0, np.eye(n)
    if m:
        constraint = _cleared(numeric.singular_values(matrix)[: min(rank, n)])
        kernel = numeric.kernel(matrix, rank=rank)
    if kernel.shape[1] == 0:
        return constraint, 1.0
    reduced = kernel.T @ mass @ kernel
    return constraint, _cleared(numeric.singular_values(reduced))


def _cleared(values: Any) -> float:
    """The last of descending singular values, 0 if it is rounding error of the first."""
    return float(values[-1]) if values[-1] > 1e-14 * values[0] else 0.0


def why_it_ended(
    code: int, session: Session, field: CompiledField, values: Mapping[str, Any], start: Array, event: str
) -> Diagnosis:
    """Status, sentence and singular value for the end of a session that began at `start`; `event` is the name
    of that which ended it.
    """
    n, loop, state = field.model.size, session.loop, session.state
    t, q, v = session.t, state[:n], state[n : 2 * n]
    now = f"{field.model.time} = {t:.10g}"
    other = advice(session.scheme.name)
    if code == UNDETERMINED:
        return _never_determined(field, t, q, v, values)
    if code not in _WORDS:
        first = singular_values(field, session.begun, start[:n], start[n : 2 * n], values)
        return _lost_on_the_way(code, field, now, singular_values(field, t, q, v, values), first, other)
    status, sentence = _WORDS[code]
    if code == KINK and loop.event_index >= len(session.switches):
        sentence = _AT_A_KNOT
    names = [name + mark for mark in ("", "'") for name in field.model.coordinates]
    index = loop.event_index
    words = {
        "now": now,
        "event": event,
        "end": f"{loop.end:.10g}",
        "used": loop.steps + loop.rejected,
        "stiff": f", or try {other} if the system is stiff" if other else "",
        "place": ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, [*q, *v], strict=True)),
        "switch": session.switches[index] if 0 <= index < len(session.switches) else "",
        "table": "" if sentence is not _AT_A_KNOT else session.tables.at_edge(index).call,
    }
    return Diagnosis(status, sentence.format(**words), None)


_WORDS = {
    statuses.DONE: ("done", "reached {now}"),
    statuses.EVENT: ("event", "the event {event!r} ended the run at {now}"),
    STOP: ("stop", "a stop was met at {now}"),
    MAX_STEPS: (
        "max steps",
        "the run used up its {used} steps at {now} on the way to {end}; shorten it, "
        "allow more with max_steps (--max-steps){stiff}",
    ),
    SLIDING: (
        "sliding",
        "the motion is held where {switch} = 0 at {now}: both branches of the non-smooth "
        "function push it back, and the accelerations are not linear in the sign or do not depend on it, "
        "so that Filippov's rule does not say how it goes on; smooth the function, or end the run there",
    ),
    PILED_UP: (
        "switches pile up",
        "switches pile up at {now}, where {place}: the motion changes its branch "
        "infinitely often before that time, and no branch goes on from there; smooth the functions "
        "that jump, or end the run there",
    ),
    NOT_FOLLOWED: (
        "law jumps",
        "steps go to and fro at {now}, where {place}, about a state at which the law jumps, as "
        "-v/|v| does at rest; smooth the function, or end the run there",
    ),
    KINK: (
        "kink in a constraint",
        "a constraint has a kink at {now}, where {switch} = 0: the velocities would have to "
        "jump; smooth the function, or end the run there",
    ),
}
"""Statuses and sentences of ends that no matrix decides."""
_AT_A_KNOT = (
    "a constraint has a kink at {now}, at a knot of {table}: the "
    'velocities would have to jump; use a smoother table, interpolation = "cubic" within its knots'
)


def _never_determined(
    field: CompiledField, t: float, q: Array, v: Array, parameters: Mapping[str, Any]
) -> Diagnosis:
    """The words for a run that could not begin."""
    time = field.model.time
    constraint, reduced = singular_values(field, t, q, v, parameters)
    if not np.isfinite(constraint) or not np.isfinite(reduced):
        reason = f"the equations of motion have no finite value at the initial state, {time} = {t:.10g}"
        return Diagnosis("not finite", f"{reason}; start inside the domain of their functions", None)
    if field.model.rows and constraint == 0.0:
        return Diagnosis(
            "constraint rank lost",
            f"the constraints are not independent at the initial state, {time} = {t:.10g}, so the equations "
            "do not determine the accelerations there; start elsewhere",
            constraint,
        )
    if reduced > 0.0 and not EXTREME < reduced < 1 / EXTREME:
        return Diagnosis(
            "beyond double precision",
            f"the equations of motion determine the accelerations at the initial state, {time} = {t:.10g}, "
            f"but the reduced matrix has the singular value {reduced:.3g}, and doubles cannot carry what "
            "follows from it; choose other units, or compute with precision=30",
            reduced,
        )
    return Diagnosis(
        "reduced matrix singular",
        "the equations of motion do not determine the accelerations at the initial state, "
        f"{time} = {t:.10g}: the reduced matrix is singular there; "
        "ch.singular(system) says what is determined",
        reduced,
    )


def _lost_on_the_way(
    code: int,
    field: CompiledField,
    now: str,
    found: tuple[float, float],
    first: tuple[float, float],
    other: str,
) -> Diagnosis:
    """The words for a motion that cannot go on, from the singular values there and at the start; `other` is
    what to try if the system may be stiff.
    """
    where, (constraint, reduced) = f"at {now}", found
    if field.model.rows and _lost(constraint, first[0]):
        return Diagnosis(
            "constraint rank lost",
            f"the constraints stop being independent {where}: the smallest singular value of ∂f/∂v falls to "
            f"{constraint:.3g} (from {first[0]:.3g} at the start), so the reaction forces and the motion "
            "beyond are not determined; end the run before, with a terminal event, or start again on the "
            "other side",
            constraint,
        )
    if _lost(reduced, first[1]):
        size = "the smallest singular value of the reduced matrix"
        return Diagnosis(
            "reduced matrix singular",
            f"the equations of motion stop determining the accelerations {where}: {size} falls to "
            f"{reduced:.3g} (from {first[1]:.3g} at the start); look at the Lagrangian there, or end the "
            "run before"
            if reduced < first[1]
            else f"the equations of motion do not determine the accelerations {where}, where the run begins: "
            f"{size} is {reduced:.3g}; look at the Lagrangian there",
            reduced,
        )
    smallest = constraint if field.model.rows else reduced
    words = {
        statuses.COLLAPSED: (
            "collapsed",
            f"the step shrank to nothing {where}: the motion has a singularity or a kink there, or the "
            "tolerance is beyond what double precision can give; try a larger tolerance"
            + (f" or {other}" if other else ""),
        ),
        statuses.NOT_FINITE: (
            "not finite",
            f"a value is not finite just after {now}: a coordinate leaves the domain "
            "of a function, or the motion runs away; end the run before",
        ),
        statuses.SINGULAR: (
            "constraint rank lost" if field.model.rows else "reduced matrix singular",
            f"a pivot of the elimination changes its sign or collapses {where}: the motion meets a singular "
            "place of the constraints or of the reduced matrix, or steps over it; end the run before",
        ),
        statuses.OFF_CONSTRAINT: (
            "off constraint",
            f"the state could not be brought back onto the constraints {where}; try a smaller tolerance",
        ),
        statuses.NO_STEP: (
            "no step",
            f"the equations of the step that starts {where} have no solution near the state there: the steps "
            "are too long for this motion, or it meets a singular place; take a shorter step",
        ),
    }
    status, reason = words[code]
    return Diagnosis(status, reason, smallest)


def _lost(value: float, reference: float) -> bool:
    return value == 0.0 or value < SMALL * reference
