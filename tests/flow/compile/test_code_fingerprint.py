"""A process in which a function of the rooms that make code was replaced is noticed, however it was."""

from __future__ import annotations

import sys
import types

import pytest

from chetaev.flow.compile import code_fingerprint, translate
from chetaev.flow.derive import chart, dynamics
from chetaev.flow.schemes.scheme import Scheme


def other(*arguments: object) -> object:
    return arguments


@pytest.mark.parametrize(
    ("owner", "name"),
    [(dynamics, "solve_reduced"), (chart, "choose"), (translate, "scalar_text"), (Scheme, "to_json")],
)
def test_a_function_of_a_module_or_of_a_class(
    owner: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not code_fingerprint.is_changed()
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, other)
        assert code_fingerprint.is_changed()
        assert code_fingerprint.is_changed()
    assert not code_fingerprint.is_changed()


def test_an_entry_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamics, "TABLE_FOR_TEST", {"a": dynamics.eliminate}, raising=False)
    assert not code_fingerprint.is_changed()
    dynamics.TABLE_FOR_TEST["a"] = other
    assert code_fingerprint.is_changed()


def test_a_module_that_comes_or_takes_the_place_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = types.ModuleType("chetaev.flow.foreign")
    foreign.__dict__["answer"] = other
    assert not code_fingerprint.is_changed()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "chetaev.flow.foreign", foreign)
        assert code_fingerprint.is_changed()
    assert not code_fingerprint.is_changed()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "chetaev.flow.derive.chart", foreign)
        assert code_fingerprint.is_changed()
    assert not code_fingerprint.is_changed()
