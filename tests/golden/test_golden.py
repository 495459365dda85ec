"""The golden record can fail: what counts as a difference, and what becomes of a fact that does not come."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from golden.__main__ import answers, sample
from golden.differences import differences
from golden.facts import KEYS, MODELS, facts, model, read


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
        ({"x_dot": 0.5}, {"x_dot": 0.5 + 1e-16}, []),
        ({"x_dot": 0.5}, {"x_dot": 0.5 + 1e-8}, ["different"]),
        ({"degree": 2}, {"degree": 3}, ["different"]),
        ([1.0], [float("nan")], ["different"]),
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


def test_every_question_has_its_line_in_the_record() -> None:
    record = read()
    assert set(record) == {*KEYS, *(f"{name} points" for name in MODELS)}
    assert len(MODELS) == len(set(MODELS)) >= 98


def test_the_sample_has_every_verb_and_nearly_every_model() -> None:
    record = read()
    chosen = [key.split() for key in sample(record)]
    assert {verb for _, verb in chosen} == {key.split()[1] for key in KEYS}
    assert len({name for name, _ in chosen}) > 0.9 * len(MODELS)


def test_a_fact_is_noticed_when_the_model_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record of the sleigh is no record of a sleigh with other parameters."""
    import golden.facts

    record, name = read(), "caratheodory-sleigh"
    heavier = model(name).with_parameters(m=3)
    same = facts(name, "equations")
    with monkeypatch.context() as patch:
        patch.setattr(golden.facts, "model", lambda name: heavier)
        other = facts(name, "equations")
    assert kinds(record[f"{name} equations"]["facts"], same) == []
    assert set(kinds(record[f"{name} equations"]["facts"], other)) == {"different"}
