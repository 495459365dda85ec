"""Giving up is a value of its own: a mistake of the program surfaces, exhaustion never decides.

Inner functions are made to fail once, at their first, a middle or their last call in a question. With a
ValueError, which nothing expects, the question ends with that error: a verdict that came out all the same
would rest on a step that was not made. With an error of the family of exhaustion the answer may be undecided,
incomplete or refused, and what is decided is what it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
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


def at_rest(parts: dict[str, Any]) -> dict[Any, Any]:
    found = ch.equilibria(ch.System(**parts))
    return {"complete": found.complete} | {_place(e.state): e.stable for e in found}


def steady(parts: dict[str, Any], cyclic: list[str], **given: Any) -> dict[Any, Any]:
    found = ch.relative_equilibria(ch.System(**parts), cyclic, given={k + "'": x for k, x in given.items()})
    return {"complete": found.complete} | {_place(e.state): e.stable for e in found}


def kind(parts: dict[str, Any]) -> dict[Any, Any]:
    found = ch.classify(ch.System(**parts))
    return {n: getattr(found, n) for n in ("holonomy", "velocities", "time", "regular", "growth_vector")}


def _place(state: Any) -> tuple[Any, ...]:
    """The state to six digits, angles up to whole turns."""
    turned = {n: x % (2 * math.pi) if n in ("theta", "a") else x for n, x in state.items()}
    return tuple((n, round(x, 6) + 0.0) for n, x in sorted(turned.items()))


QUESTIONS: dict[str, Callable[[], dict[Any, Any]]] = {
    "hoop": partial(at_rest, HOOP),
    "cubic": partial(at_rest, CUBIC),
    "curve": partial(at_rest, CURVE),
    "transcendental": partial(at_rest, TRANSCENDENTAL),
    "governor": partial(steady, GOVERNOR, ["phi"], phi=2),
    "skate": partial(kind, SKATE),
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


def places(owner: Any, name: str, question: Callable[[], Any]) -> list[int]:
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
    known = QUESTIONS[question]()
    for place in places(*INNER[inner], QUESTIONS[question]):
        with failing(*INNER[inner], place, EffortError("given up")):
            try:
                found = QUESTIONS[question]()
            except (ModelError, ExhaustedError):
                continue
        for what, answer in found.items():
            assert answer is None or known.get(what) == answer, (place, what, answer)
        if found.get("complete"):
            assert found.keys() == known.keys()


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
