"""Claims about numbers of one run: values of expressions at a time, from the model's own initial data.

    at = 2.0
    values = { x = 6.06437, "x'^2 + z'^2" = 25 }
    within = 1e-5

The run has a tolerance of 1e-12; a value agrees if it differs by less than `within`, or 1e-6.
This is a test, no proof.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import Expr
from chetaev.flow.data.labels import name_of
from chetaev.hamilton.dirac.dirac_run import simulate
from chetaev.model.system import System
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.judgement import Judge, Statement

TOLERANCE = 1e-12
MARGIN = 1e-3
"""A difference this near to the limit, in parts of it, decides nothing: another machine rounds otherwise."""


def values(given: ClaimData) -> Judge:
    """Whether a run has these values."""
    system = given.system
    claimed: Mapping[str, Any] = given.table("values", "{ x = 6.06437 }")
    time, within = given.number("at", -math.inf), given.number("within", 0.0, 1e-6)
    scope = system.scope.but(purpose="a value of a run")
    read = {text: given.expression("values", text, scope) for text in claimed}
    for text, value in claimed.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            given.fail(f"the value of {text!r} is {shown(value)}", "values", expected="a finite number")
    return lambda effort: _judged(system, read, claimed, time, within)


def _judged(
    system: System, read: Mapping[str, Expr], claimed: Mapping[str, Any], time: float, within: float
) -> tuple[Statement, ...]:
    try:
        run = simulate(system, at=[time], tolerance=TOLERANCE)
    except ModelError as error:
        return tuple(Statement(f"{text} = {value}", None, error.message) for text, value in claimed.items())
    if run.attrs["status"] != "done":
        return tuple(
            Statement(f"{text} = {value}", None, f"the run ends before: {run.attrs['reason']}")
            for text, value in claimed.items()
        )
    q, v = ([float(run[key_name(c, order)][-1]) for c in system.coordinates] for order in (0, 1))
    point = system.values_at(float(run[name_of(run, "time")][-1]), q, v)
    parts = []
    for text, expression in read.items():
        (found,) = evaluate([expression], point)
        difference = abs(found - float(claimed[text]))
        near = abs(difference - within) <= MARGIN * within
        digits = max(2, 1 - math.floor(math.log10(within / max(abs(found), within)))) if within else 15
        told = f"the run has {found:.{min(digits, 12)}g} at {system.time} = {time:g}"
        parts.append(Statement(f"{text} = {claimed[text]}", None if near else difference < within, told))
    return tuple(parts)
