"""Giving up, at any call: as in `test_giving_up.py`, but which function of the package fails is drawn.

All calls of functions of the package in a question are counted, and a mistake is raised at one of them.
Nothing expects a ValueError, TypeError or ZeroDivisionError there: the question ends with it. What is
exhausted there leaves every answer as it was, or undecided, missing or refused.
"""

from __future__ import annotations

import inspect
import os
import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import chetaev
from chetaev.analysis.steady import second_variation
from chetaev.errors import ExhaustedError, ModelError
from chetaev.expr.exact import EffortError
from test_giving_up import QUESTIONS as OF_MOTIONS
from test_giving_up_of_laws import QUESTIONS as OF_LAWS

SOURCE = os.path.dirname(chetaev.__file__)
QUESTIONS = OF_MOTIONS | OF_LAWS
CALLED_BACK = {"_forget"}
"""Called by the interpreter when an object ends: it prints what is raised there, and goes on.

Generators, too, are resumed when they end."""
DRAWS = 12
MISTAKES = (ValueError, ZeroDivisionError, TypeError)


class Failing:
    """Raises an error at one call of a function of the package; counts them all."""

    def __init__(self, at: int, error: Exception | None) -> None:
        self.at, self.error, self.count, self.where = at, error, 0, ""

    def see(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(SOURCE):
            return
        if code.co_name in CALLED_BACK or code.co_flags & inspect.CO_GENERATOR:
            return
        self.count += 1
        if self.count == self.at and self.error is not None:
            sys.setprofile(None)
            self.where = f"{code.co_filename[len(SOURCE) :]}: {code.co_qualname}"
            raise self.error

    def answer(self, question: Callable[[], Any]) -> Any:
        second_variation._SEARCHED.clear()
        before = sys.getprofile()
        sys.setprofile(self.see)
        try:
            return question()
        finally:
            sys.setprofile(before)


def drawn(name: str, draw: int) -> tuple[Any, int]:
    """The answer, when what is remembered of the systems is, and the number of a call."""
    question = QUESTIONS[name]
    known, counting = question(), Failing(0, None)
    counting.answer(question)
    return known, random.Random(f"{name} {draw}").randint(1, counting.count)


@pytest.mark.parametrize("draw", range(DRAWS))
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.few(12, 80)
def test_a_mistake_of_the_program_surfaces_wherever_it_is(name: str, draw: int) -> None:
    _, at = drawn(name, draw)
    failing = Failing(at, MISTAKES[draw % len(MISTAKES)]("a mistake"))
    with pytest.raises(MISTAKES) as raised:
        failing.answer(QUESTIONS[name])
    assert raised.value is failing.error, failing.where


@pytest.mark.parametrize("draw", range(DRAWS))
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.few(12, 80)
def test_exhaustion_decides_nothing_wherever_it_is(name: str, draw: int) -> None:
    known, at = drawn(name, draw)
    failing = Failing(at, EffortError("given up"))
    try:
        found = failing.answer(QUESTIONS[name])
    except (ModelError, ExhaustedError):
        return
    for what, answer in found.items():
        assert answer is None or known.get(what) == answer, (failing.where, what, answer)
    if found.get("complete"):
        assert found.keys() == known.keys(), failing.where
