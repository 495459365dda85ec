"""The verdict on several functions is that of the weakest: what fails refutes, what is open leaves it so."""

from __future__ import annotations

from itertools import permutations

import pytest

import chetaev as ch
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import symbol
from chetaev.expr.language.parser import parse
from chetaev.laws import energy
from chetaev.laws.inverse.conditions import VanishingCondition, evidence, together
from chetaev.laws.reality import realness
from chetaev.laws.standpoint import decisive
from chetaev.laws.symmetry.symmetry import answer_of
from chetaev.laws.undefined import undefined

PROVED = Verdict("zero", True, 8, 38)
TESTED = Verdict("zero", False, 24, 60)
OPEN = Verdict("undecided", False)
FALSE = Verdict("nonzero", True, 1)
ORDER = (FALSE, OPEN, TESTED, PROVED)
"""From what decides most to what decides least."""


@pytest.mark.parametrize("others", list(permutations(ORDER, 2)))
def test_the_weakest_verdict_decides(others: tuple[Verdict, Verdict]) -> None:
    expected = min(others, key=ORDER.index)
    assert decisive(others) is expected
    answer = answer_of([PROVED, *others])
    assert (answer.holds, answer.proved) == (expected.is_zero, expected.proved)
    conditions = [VanishingCondition("", "", symbol("x"), v) for v in others]
    assert together(conditions) is expected.is_zero
    assert evidence(conditions, "").startswith("proved") is expected.proved


def test_B4_energy_is_kept_by_every_term_only_if_each_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    system = ch.load("heisenberg")
    for last, expected in zip(ORDER, (False, False, False, True), strict=True):
        monkeypatch.setattr(energy, "vanish", lambda *_, last=last: [PROVED, PROVED, last])
        assert energy.is_kept_by_every_term(system) is expected


@pytest.mark.parametrize(
    ("text", "holds"),
    [("x*sqrt(k - 2)", True), ("x*log(k - 2)", False), ("x*(k - 2)^(-1/2)", False), ("x*sqrt(1 - k)", False)],
)
def test_K22_a_root_of_zero_is_real_and_a_logarithm_of_zero_is_not(text: str, holds: bool) -> None:
    system = ch.System(coordinates=["x"], lagrangian="k*x'^2", parameters={"k": 2})
    assert realness(system, parse(text, system.scope)).holds is holds


def test_K22_even_roots_and_logarithms_are_undefined_below_zero() -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2")
    words = {
        "x^(3/2)": "x < 0", "x^(-1/2)": "x ≤ 0", "x^(1/3)": "", "x^(-1/3)": "x = 0", "log(x)": "x ≤ 0",
        "sqrt(1 + x^2)": "", "1/(x*exp(x))": "x = 0",
    }  # fmt: skip
    for text, where in words.items():
        assert undefined(parse(text, system.scope), system) == (f"not defined where {where}" if where else "")
