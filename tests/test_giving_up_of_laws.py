"""Giving up in laws, measures, brackets, reductions and geometry: inner functions fail at one call.

As in `test_giving_up.py`: a ValueError, which nothing expects, ends the question; what is exhausted leaves
every answer as it was, or undecided, missing or refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import chetaev as ch
from chetaev.errors import ExhaustedError, ModelError
from chetaev.expr.exact import EffortError
from chetaev.expr.exact.field import field as field_module
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix
from chetaev.expr.exact.numbers.residues import UnluckyError
from chetaev.geometry import Chart, Distribution
from chetaev.geometry.distribution.flag import involutivity
from chetaev.laws.search import nullspace, points_on_q
from chetaev.reduction import expressed
from test_giving_up import SKATE, failing, places

HEISENBERG = {
    "coordinates": ["x", "y", "z"],
    "lagrangian": "(x'^2 + y'^2 + z'^2)/2",
    "constraints": ["z' = y*x'"],
}
ROTOR = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)^2/4 - x^2 - y^2"}
SPHERE = {"coordinates": ["theta", "phi"], "lagrangian": "(theta'^2 + sin(theta)^2*phi'^2)/2"}
DAMPED = {"coordinates": ["x"], "lagrangian": "(x'^2 - x^2)/2", "forces": {"x": "-x'"}}
DEGENERATE = {
    "coordinates": ["x", "y"],
    "dynamics": {"lagrangian": "x*y' - (x^2 + y^2)/2", "degenerate": True},
}
SPRING = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2 - x^2 - y^2)/2"}


def laws(parts: dict[str, Any]) -> dict[str, Any]:
    given = {"momentum": "x'", "place": "x"} if "x" in parts["coordinates"] else {}
    judged = ch.laws.integrals.judged(ch.System(**parts), given)
    found = ch.integrals(ch.System(**parts))
    return {law.name: law.conserved for law in judged} | {f"found {law.expression}": True for law in found}


def measure(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.measure(ch.System(**parts))
    return {"density": found.density and str(found.density), "preserved": found.preserved}


def symmetries(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.symmetries(ch.System(**parts))
    return {str(dict(one.components)): one.of_lagrangian for one in found}


def killing(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.killing(ch.System(**parts))
    return {"complete": found.complete or None} | {str(one.components): True for one in found}


def bracket(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.bracket(ch.System(**parts))
    most = found.casimirs
    return {"jacobi": found.jacobi, "casimirs": most.complete or None}


def momenta(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.hamilton(ch.System(**parts))
    return {"exists": found.exists, "regular": found.regular}


def helmholtz(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.helmholtz(ch.System(**parts))
    return {"variational": found.variational}


def other_time(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.hamiltonize(ch.System(**parts))
    return {"verdict": found.verdict}


def dirac(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.dirac(ch.System(**parts))
    return {"outcome": found.outcome, "freedom": found.degrees_of_freedom}


def reduced(parts: dict[str, Any]) -> dict[str, Any]:
    squares = {"a": "x^2 + y^2", "b": "x'^2 + y'^2", "c": "x*x' + y*y'"}
    found = ch.reduce(ch.System(**parts), invariants=squares)
    return {"closed": found.closed}


def by_group(parts: dict[str, Any]) -> dict[str, Any]:
    found = ch.reduce_by_group(ch.System(**parts), [{"x": 1}, {"z": 1}])
    return {"case": found.case, "shape": found.shape}


def on_algebra() -> dict[str, Any]:
    found = ch.on_algebra({"x, y": "z", "y, z": "x", "z, x": "y"}, inertia=[1, 2, 3], names=["x", "y", "z"])
    return {n: str(e) for n, e in found.rates.items()}


def distribution() -> dict[str, Any]:
    chart = Chart(["x", "y", "z"])
    D = Distribution.annihilated_by([chart.d("z") - chart("y") * chart.d("x")])
    flat = Distribution.annihilated_by([chart.d("z") - chart("y") * chart.d("x") - chart("x") * chart.d("y")])
    answers = {"contact": involutivity(D), "flat": involutivity(flat)}
    return {n: bool(e) if e.proved else None for n, e in answers.items()} | {"growth": D.growth_vector()}


QUESTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "laws of the skate": partial(laws, SKATE),
    "laws of a rotor": partial(laws, ROTOR),
    "measure": partial(measure, HEISENBERG),
    "obstruction": partial(measure, DAMPED),
    "symmetries": partial(symmetries, SPRING),
    "killing": partial(killing, SPHERE),
    "bracket": partial(bracket, HEISENBERG),
    "momenta": partial(momenta, HEISENBERG),
    "helmholtz": partial(helmholtz, DAMPED),
    "another time": partial(other_time, HEISENBERG),
    "dirac": partial(dirac, DEGENERATE),
    "reduction": partial(reduced, SPRING),
    "group": partial(by_group, HEISENBERG),
    "algebra": on_algebra,
    "distribution": distribution,
}
INNER: dict[str, tuple[Any, str]] = {
    "derivative": (Element, "diff"),
    "substitution": (Element, "subs"),
    "normal form": (field_module, "convert"),
    "solution": (matrix, "solve"),
    "echelon": (matrix, "echelon"),
    "null vectors": (nullspace, "of_table"),
    "points": (points_on_q.Points, "_draw"),
    "function of invariants": (expressed, "_quotient"),
}
SLOW = ("laws of the skate", "laws of a rotor", "measure", "symmetries", "killing")
CASES = [pytest.param(q, marks=pytest.mark.slow if q in SLOW else ()) for q in QUESTIONS]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("question", CASES)
def test_a_mistake_of_the_program_surfaces(question: str, inner: str) -> None:
    QUESTIONS[question]()  # what systems remember is not computed again
    for place in places(*INNER[inner], QUESTIONS[question]):
        with (
            failing(*INNER[inner], place, ValueError("a mistake")),
            pytest.raises(ValueError, match="a mistake"),
        ):
            QUESTIONS[question]()


@pytest.mark.parametrize("error", [EffortError("given up"), UnluckyError()])
@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("question", CASES)
def test_exhaustion_decides_nothing(question: str, inner: str, error: ExhaustedError) -> None:
    known = QUESTIONS[question]()
    for place in places(*INNER[inner], QUESTIONS[question]):
        with failing(*INNER[inner], place, error):
            try:
                found = QUESTIONS[question]()
            except (ModelError, ExhaustedError):
                continue
        for what, answer in found.items():
            assert answer is None or known.get(what) == answer, (place, what, answer)
