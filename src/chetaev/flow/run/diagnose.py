"""Why a motion ended: the smallest singular values at its last state, and a sentence.

At the end state: the smallest singular value of C (does the rank of the constraint matrix drop?) and of the
reduced matrix ZᵀMZ, Z an orthonormal basis of ker C (is the motion determined?), each compared with its value
at the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chetaev import numeric
from chetaev.flow.kernels import statuses
from chetaev.flow.run.array_calls import Array
from chetaev.flow.run.compiled_field import CompiledField

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


def never_determined(
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


def diagnose(
    code: int,
    field: CompiledField,
    t: float,
    q: Array,
    v: Array,
    parameters: Mapping[str, Any],
    reference: tuple[float, float],
    event: str = "",
    other: str = "",
) -> Diagnosis:
    """The words for a status of the loops.

    `reference` holds the singular values at the start, `other` what to try if the system may be stiff.
    """
    time = field.model.time
    where = f"at {time} = {t:.10g}"
    if code == statuses.DONE:
        return Diagnosis("done", f"reached {time} = {t:.10g}", None)
    if code == statuses.EVENT:
        return Diagnosis("event", f"the event {event!r} ended the run {where}", None)
    constraint, reduced = singular_values(field, t, q, v, parameters)
    if field.model.rows and _lost(constraint, reference[0]):
        return Diagnosis(
            "constraint rank lost",
            f"the constraints stop being independent {where}: the smallest singular value of ∂f/∂v falls to "
            f"{constraint:.3g} (from {reference[0]:.3g} at the start), so the reaction forces and the motion "
            "beyond are not determined; end the run before, with a terminal event, or start again on the "
            "other side",
            constraint,
        )
    if _lost(reduced, reference[1]):
        size = "the smallest singular value of the reduced matrix"
        return Diagnosis(
            "reduced matrix singular",
            f"the equations of motion stop determining the accelerations {where}: {size} falls to "
            f"{reduced:.3g} (from {reference[1]:.3g} at the start); look at the Lagrangian there, or end the "
            "run before"
            if reduced < reference[1]
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
            f"a value is not finite just after {time} = {t:.10g}: a coordinate leaves the domain "
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
