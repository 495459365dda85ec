"""Giving up is a value of its own: a mistake of the program surfaces, exhaustion never decides.

Inner functions are made to fail once, at their first, a middle or their last call in a question. With a
ValueError, which nothing expects, the question ends with that error: a verdict that came out all the same
would rest on a step that was not made. With an error of the family of exhaustion the answer may be undecided,
incomplete or refused, and what is decided is what it was.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import pytest

import chetaev as ch
from chetaev.analysis.steady import ideal, members, second_variation
from chetaev.analysis.steady.completeness import RealZeros
from chetaev.errors import ExhaustedError, ModelError
from chetaev.expr.exact import EffortError, GivenUp, ask
from chetaev.expr.exact.field import field as field_module
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix
from chetaev.expr.exact.numbers.balls import BallProgram
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import call, symbol
from chetaev.model.dynamics.bracket import BracketTable
from chetaev.model.states import hidden_positions as hidden_module
from chetaev.model.states import points
from chetaev.model.states.hidden_positions import hidden_positions
from chetaev.model.states.points import random_points

HOOP = {
    "coordinates": ["theta"],
    "parameters": {"omega": 4},
    "lagrangian": "theta'^2/2 + omega^2*sin(theta)^2/2 + 10*cos(theta)",
}
CUBIC = {"coordinates": ["x"], "lagrangian": "x'^2/2 - (x^4/4 - x^2/2 - x)", "forces": {"x": "x'^3"}}
CURVE = {
    "coordinates": ["x", "y"],
    "lagrangian": "(x'^2 + y'^2)/2 - (x^3 + x - y^3)^2",
    "forces": {"x": "-x'", "y": "-y'"},
}
GOVERNOR = {
    "coordinates": ["a", "phi"],
    "lagrangian": "a'^2/2 + phi'^2*(2 + sin(a))^2/2 + 2*cos(a)",
}
TRANSCENDENTAL = {"coordinates": ["x"], "lagrangian": "x'^2/2 - (x - cos(x))^2/2"}
SKATE = {
    "coordinates": ["x", "y", "phi"],
    "lagrangian": "(x'^2 + y'^2 + phi'^2)/2",
    "constraints": ["y'*cos(phi) = x'*sin(phi)"],
}
CURVED = {
    "coordinates": ["x", "y", "z"],
    "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - z",
    "constraints": ["x'^2 + y'^2 = z'^2", "x*y' = y*x'"],
}
CIRCLING = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2 - (x^2 + y^2)^2/4 - (x^2 + y^2)/8"}


def at_rest(parts: dict[str, Any], **box: tuple[float, float]) -> dict[Any, Any]:
    found = ch.equilibria(ch.System(**parts), box)
    return {"complete": found.complete} | {_place(e.state): e.stable for e in found}


def steady(parts: dict[str, Any], cyclic: list[str], **given: Any) -> dict[Any, Any]:
    found = ch.relative_equilibria(ch.System(**parts), cyclic, given={k + "'": x for k, x in given.items()})
    return {"complete": found.complete} | {_place(e.state): e.stable for e in found}


def kind(parts: dict[str, Any]) -> dict[Any, Any]:
    found = ch.classify(ch.System(**parts))
    return {n: getattr(found, n) for n in ("holonomy", "velocities", "time", "regular", "growth_vector")}


def turning(parts: dict[str, Any], given: dict[str, Any]) -> dict[Any, Any]:
    """By the distance from the centre: which state of an orbit stands for it is a matter of choice."""
    found = ch.relative_equilibria(ch.System(**parts), [{"x": "-y", "y": "x"}], given=given)
    sizes = {round(math.hypot(e.state["x"], e.state["y"]), 6): e.stable for e in found}
    return {"complete": found.complete} | sizes


def reached(parts: dict[str, Any], inputs: list[str], **at: Any) -> dict[Any, Any]:
    found = ch.accessibility(ch.System(**parts), inputs, at)
    names = ("accessible", "strongly_accessible", "accessible_there")
    return {n: getattr(found, n) for n in names} | {"linear": found.linear and found.linear.controllable}


def undetermined(parts: dict[str, Any]) -> dict[Any, Any]:
    found = ch.singular(ch.System(**parts))
    return {n: getattr(found, n) for n in ("outcome", "rank_C", "rank_M", "rank_B")}


def applying(parts: dict[str, Any]) -> dict[Any, Any]:
    return dict.fromkeys(ch.forms(ch.System(**parts)).names, True)


def _place(state: Any) -> tuple[Any, ...]:
    """The state to six digits, angles up to whole turns."""
    turned = {n: x % (2 * math.pi) if n in ("theta", "a") else x for n, x in state.items()}
    return tuple((n, round(x, 6) + 0.0) for n, x in sorted(turned.items()))


QUESTIONS: dict[str, Callable[[], dict[Any, Any]]] = {
    "hoop": partial(at_rest, HOOP),
    "cubic": partial(at_rest, CUBIC),
    "curve": partial(at_rest, CURVE),
    "transcendental": partial(at_rest, TRANSCENDENTAL, x=(0, 1)),
    "governor": partial(steady, GOVERNOR, ["phi"], phi=2),
    "skate": partial(kind, SKATE),
    "curved": partial(kind, CURVED),
    "circling": partial(turning, CIRCLING, {"rate_1": 1}),
    "inputs": partial(reached, SKATE, ["x", "phi"], phi=0, x=0, y=0),
    "singular": partial(undetermined, SKATE),
    "forms": partial(applying, SKATE),
}
INNER: dict[str, tuple[Any, str]] = {
    "derivative": (Element, "diff"),
    "substitution": (Element, "subs"),
    "value": (Element, "evaluate"),
    "normal form": (field_module, "convert"),
    "balls": (BallProgram, "run"),
    "solution": (matrix, "solve"),
    "columns": (matrix, "solve_columns"),
    "zeros": (ideal, "groebner"),
}


@contextmanager
def failing(owner: Any, name: str, at: int, error: Exception | None) -> Iterator[list[int]]:
    """The function raises an error at one call; how often it was called."""
    second_variation._SEARCHED.clear()
    plain, count = getattr(owner, name), [0]

    def step(*given: Any, **named: Any) -> Any:
        count[0] += 1
        if count[0] == at and error is not None:
            raise error
        return plain(*given, **named)

    setattr(owner, name, step)
    try:
        yield count
    finally:
        setattr(owner, name, plain)


@cache
def known(question: Callable[[], Any]) -> Any:
    """The answer; whatever is remembered is remembered after it."""
    return question()


def places(owner: Any, name: str, question: Callable[[], Any]) -> list[int]:
    known(question)
    with failing(owner, name, 0, None) as count:
        question()
    return sorted({1, (count[0] + 1) // 2, count[0]}) if count[0] else []


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.few(7)
def test_a_mistake_of_the_program_surfaces(question: str, inner: str) -> None:
    for place in places(*INNER[inner], QUESTIONS[question]):
        with (
            failing(*INNER[inner], place, ValueError("a mistake")),
            pytest.raises(ValueError, match="a mistake"),
        ):
            QUESTIONS[question]()


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.few(9)
def test_exhaustion_decides_nothing(question: str, inner: str) -> None:
    for place in places(*INNER[inner], QUESTIONS[question]):
        with failing(*INNER[inner], place, EffortError("given up")):
            try:
                found = QUESTIONS[question]()
            except (ModelError, ExhaustedError):
                continue
        for what, answer in found.items():
            assert answer is None or known(QUESTIONS[question]).get(what) == answer, (place, what, answer)
        if found.get("complete"):
            assert found.keys() == known(QUESTIONS[question]).keys()


def test_what_was_given_up_has_no_truth_value() -> None:
    def step() -> None:
        raise EffortError("not enough")

    found = ask(step)
    assert found == GivenUp("not enough", limit=True)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(found)


@pytest.mark.parametrize("error", [ValueError, TypeError, ZeroDivisionError, KeyError, ModelError])
def test_nothing_else_is_taken_for_exhaustion(error: type[Exception]) -> None:
    def step() -> None:
        raise error("a mistake")

    with pytest.raises(error):
        ask(step)


def zero() -> Any:
    x, y = symbol("x"), symbol("y")
    return zero_test(call("sin", x + y) - call("sin", x) * call("cos", y) - call("cos", x) * call("sin", y))


def hidden() -> Any:
    return hidden_positions(
        ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=["x' = x", "x' = x + y"])
    )


def spin() -> Any:
    bracket = {"S1, S2": "S3", "S2, S3": "S1", "S3, S1": f"S2 + 0*{next(DIFFERENT)}"}
    return ch.System(coordinates=["S1", "S2", "S3"], poisson={"bracket": bracket, "hamiltonian": "-S3"})


DIFFERENT = itertools.count()
"""So that nothing is remembered of the system before."""
INSIDE: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "zero test": (zero, field_module, "convert"),
    "random points": (lambda: [*random_points(ch.load("knife-edge"), 1)], points, "evaluate_mp"),
    "hidden positions": (hidden, hidden_module, "combinations_without"),
    "bracket": (spin, BracketTable, "failures"),
}


@pytest.mark.parametrize("error", [ValueError, TypeError, ZeroDivisionError])
@pytest.mark.parametrize("question", INSIDE)
def test_a_mistake_in_an_inner_step_surfaces(question: str, error: type[Exception]) -> None:
    step, owner, name = INSIDE[question]
    with failing(owner, name, 1, error("a mistake")), pytest.raises(error, match="a mistake"):
        step()


def test_what_could_not_be_written_down_is_counted() -> None:
    seen = RealZeros(found=0, given_up=2)
    assert seen.complete is None
    assert str(seen) == (
        "2 that could not be written down within the effort, or in doubles, no others: real zeros of a "
        "Gröbner basis"
    )
    both = str(RealZeros(found=3, singular=1, given_up=1))
    assert "1 more where law or constraints are singular or have a kink and 1 more that could not" in both


def test_a_member_that_is_given_up_is_missed_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: Any, **__: Any) -> Any:
        raise EffortError("not enough")

    monkeypatch.setattr(members, "linearized", exhausted)
    found = ch.equilibria(ch.System(**CUBIC))
    assert not found
    assert found.complete is None
    assert "1 that could not be written down" in found.searched
