"""The golden record can fail: what counts as a difference, and what becomes of a fact that does not come."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from golden.__main__ import answers
from golden.differences import differences


def kinds(old: Any, new: Any) -> list[str]:
    return [one.kind for one in differences(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"stable": True}, {"stable": True}, []),
        ({"stable": True}, {"stable": False}, ["different"]),
        ({"stable": True}, {"stable": None}, ["worse"]),
        ({"stable": None}, {"stable": False}, ["better"]),
        ({"stable": True}, {"stable": 1}, ["different"]),
        ({"holonomy": "undecided"}, {"holonomy": "holonomic"}, ["better"]),
        ({"energy": "True proved"}, {"energy": "True tested"}, ["worse"]),
        ({"energy": "True tested"}, {"energy": "True proved"}, ["better"]),
        ({"energy": "True tested"}, {"energy": "False proved"}, ["different"]),
        ({"energy": "True tested"}, {"energy": "None undecided"}, ["worse"]),
        ({"energy": True}, {}, ["worse"]),
        ({"each": [1.0]}, "refused: ModelError", ["worse"]),
        ({"each": [1.0]}, "gave up: clock", ["worse"]),
        ("crashed: SIGSEGV", {"each": [1.0]}, ["better"]),
        ([1.0, 1e-13], [1.0, 0.0], []),
        ([1.0, 1e-8], [1.0, 0.0], ["different"]),
        ([1.0, None], [1.0, 2.0], ["better"]),
        ([1.0, 2.0], [None, 2.0], ["worse"]),
        ([1.0, 2.0], [1.0, 2.0, 3.0], ["different"]),
        ({"end": [1.0]}, {"end": [1.0 + 5e-9]}, []),
        ({"rates": [1.0]}, {"rates": [1.0 + 5e-9]}, ["different"]),
    ],
)
def test_a_lost_answer_is_worse_a_new_one_better_and_another_one_different(
    old: Any, new: Any, expected: list[str]
) -> None:
    assert kinds(old, new) == expected


def test_another_basis_of_a_space_is_no_difference_and_another_space_is_one() -> None:
    rows = [[1.0, 0.5, 0.25, -1.0], [0.0, 1.0, 0.5, 0.3]]
    mixed = [[1.0, 1.5, 0.75, -0.7], [1.0, -0.5, -0.25, -1.3]]
    turned = [rows[0], [0.0, 1.0, 0.5, -0.3]]
    assert kinds({"span": rows}, {"span": mixed}) == []
    assert kinds({"span": rows}, {"span": turned}) == ["different"]
    assert kinds({"span": rows}, {"span": rows[:1]}) == ["different"]
    assert kinds({"span": rows}, {"span": []}) == ["different"]
    nowhere = [[None, *row[1:]] for row in mixed]
    assert kinds({"span": rows}, {"span": nowhere}) == []


def endless() -> None:
    while True:
        pass


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_crash_a_question_without_end_and_an_error_are_facts() -> None:
    questions = [
        ("crash", lambda: os.kill(os.getpid(), signal.SIGKILL), 5),
        ("clock", endless, 1),
        ("exit", lambda: os._exit(1), 5),
        ("answer", lambda: {"x": [1, None]}, 5),
    ]
    found = {key: value for key, value, _ in answers(questions, 2)}
    assert found == {
        "crash": "crashed: SIGKILL",
        "clock": "gave up: clock",
        "exit": "crashed: no answer",
        "answer": {"x": [1, None]},
    }
