"""Claims about the kind of the constraint: fields of `ch.classify` (SCOPE K17, K18, K23).

kind = { holonomy = "nonholonomic", velocities = "nonlinear", degree = 2, growth_vector = [2, 3] }

A verdict of `ch.classify` that is undecided leaves the claim undecided.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.constraint.kind.classifier import classify
from chetaev.errors import did_you_mean
from chetaev.model.system import System
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.judgement import Judge, Statement

FIELDS: dict[str, tuple[type, ...]] = {
    "holonomy": (str,),
    "velocities": (str,),
    "degree": (int,),
    "time": (str,),
    "homogeneous": (bool,),
    "projectable": (bool,),
    "regular": (bool,),
    "integrable": (bool,),
    "integrable_dimension": (int,),
    "degrees_of_freedom": (int,),
    "growth_vector": (tuple, list),
}
"""What may be claimed, and what it is."""
WORDS: dict[str, tuple[str, ...]] = {
    "holonomy": ("unconstrained", "holonomic", "semiholonomic", "nonholonomic"),
    "velocities": ("none", "linear", "affine", "nonlinear"),
    "time": ("skleronomic", "rheonomic"),
}
"""What a text may be."""
QUESTIONS = {
    "integrable": "holonomy",
    "integrable_dimension": "holonomy",
    "degrees_of_freedom": "rank",
}
"""Whose reason is that of a field that has none of its own."""
NAMES = {str: "a text", int: "a whole number", bool: "true or false", tuple: "a list of whole numbers"}


def kind(given: ClaimData) -> Judge:
    """Whether the constraint is of the kind that is claimed."""
    claimed = given.table("kind", '{ holonomy = "nonholonomic" }')
    given.only(FIELDS, claimed, "the kind of a constraint")
    for name, value in claimed.items():
        kinds = FIELDS[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            given.fail(f"{name!r} is {shown(value)}", "kind", expected=NAMES[kinds[0]])
        known = WORDS.get(name, ())
        if known and value not in known:
            expected, near = "one of " + ", ".join(known), did_you_mean(str(value), known)
            given.fail(f"{name!r} is {shown(value)}", "kind", expected=expected, remedy=near)
    return lambda effort: _judged(given.system, claimed, effort)


def _judged(system: System, claimed: Mapping[str, Any], effort: int) -> tuple[Statement, ...]:
    found = classify(system, effort)
    parts = []
    for name, value in claimed.items():
        actual = getattr(found, name)
        reasons = [f for f in found.findings if f.question == QUESTIONS.get(name, name)]
        proved = bool(reasons) and all(f.evidence.proved for f in reasons)
        told = "; ".join(map(str, reasons)) or f"it is {_written(actual)}"
        if name == "degree" and actual is not None:
            told, proved = f"the equations are polynomials of degree {actual} in the velocities", True
        if actual is None or actual == "undecided":
            parts.append(Statement(f"{name}: {_written(value)}", None, told))
            continue
        same = tuple(value) == tuple(actual) if isinstance(actual, tuple) else value == actual
        parts.append(Statement(f"{name}: {_written(value)}", same, told, proved))
    return tuple(parts)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "(" + ", ".join(map(str, value)) + ")" if isinstance(value, tuple | list) else str(value)
