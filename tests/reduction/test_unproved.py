"""What is only tested, proposed or not seen is no proof: the answer is then open, not yes or no (B11, M4)."""

from __future__ import annotations

from importlib import import_module

import pytest

import chetaev as ch
from chetaev.expr.exact import Field
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import ONE, Expr, symbol
from chetaev.expr.language.parser import parse
from chetaev.laws.standpoint import EVERY_VALUE, VALUES_GIVEN, standpoints
from chetaev.laws.symmetry.given_fields import Components
from chetaev.laws.symmetry.symmetry import Answer, Symmetry
from chetaev.reduction import given_symmetries
from chetaev.reduction.chaplygin import group_reduction, proofs
from chetaev.reduction.given_symmetries import Examined
from chetaev.reduction.invariants_of_symmetries import isotropy

reduction = import_module("chetaev.reduction.reduce")

TESTED = Verdict("zero", False, 24, 60)
PLANE = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2")
TURNS = {"p": "x^2 + y^2", "r": "x*x' + y*y'", "s": "x'^2 + y'^2"}
SLEIGH = ch.load("caratheodory-sleigh")


def test_B11_rates_that_are_only_tested_leave_open_whether_the_invariants_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ch.reduce(PLANE, invariants=TURNS).closed is True
    monkeypatch.setattr(reduction, "vanish", lambda *_: [TESTED])
    found = ch.reduce(PLANE, invariants=TURNS)
    assert found.closed is None
    assert all("not proved" in rate.evidence for rate in found.rates.values())


def test_B11_a_relation_that_does_not_hold_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    given = TURNS | {"j": "x*y' - y*x'"}
    (relation,) = ch.reduce(PLANE, invariants=given).relations
    ring = Field()
    ratio = ring(relation) / ring(symbol("p") * symbol("s") - symbol("r") ** 2 - symbol("j") ** 2)
    assert ratio.is_number
    monkeypatch.setattr(reduction, "relations", lambda *_: [symbol("p") - symbol("s")])
    found = ch.reduce(PLANE, invariants=given)
    assert found.relations == ()
    assert "by 1 relations, found: 0" in str(found)


def test_B11_without_a_state_that_shows_it_invariants_are_not_said_to_stay_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ch.reduce(SLEIGH, invariants={"w": "phi'"}).closed is False
    monkeypatch.setattr(reduction, "witness", lambda *_: None)
    assert ch.reduce(SLEIGH, invariants={"w": "phi'"}).closed is None


def test_B11_symmetries_are_proved_if_each_is_for_these_parameters() -> None:
    every, given = standpoints(SLEIGH)
    expected = {
        (EVERY_VALUE, EVERY_VALUE): (True, True),
        (EVERY_VALUE, VALUES_GIVEN): (False, True),
        (EVERY_VALUE, None): (False, False),
    }
    for told, answers in expected.items():
        known = Examined((), told, ())
        assert (known.proved(every), known.proved(given)) == answers


def test_M4_what_dalemberts_principle_does_not_give_stays_unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ch.reduce_by_group(SLEIGH, [{"x": 1}, {"y": 1}])
    monkeypatch.setattr(proofs, "zero_tests", lambda *_, **__: [TESTED])
    assert all(v.is_zero and v.proved for v in found.agreement().values())
    monkeypatch.setattr(group_reduction, "residuals", lambda *_: [Field().one])
    assert not any(v.proved for v in found.agreement().values())


def test_M4_rates_of_momenta_are_compared_with_the_full_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ch.reduce_by_group(SLEIGH, [{"x": 1}, {"y": 1}])
    assert found.conserved == ()
    wrong = {name: 2 * e for name, e in found.momentum_equations.items()}
    monkeypatch.setitem(found.__dict__, "momentum_equations", wrong)
    verdicts = found.agreement()
    assert {name: v.is_zero for name, v in verdicts.items() if name in wrong} == dict.fromkeys(wrong, False)
    assert all(v.is_zero for name, v in verdicts.items() if name not in wrong)


@pytest.mark.parametrize(
    ("forces", "field", "proof"),
    [
        ({"y": "-y^2"}, {"x": ONE}, EVERY_VALUE),
        ({"y": "-x^2"}, {"x": ONE}, None),
        ({"x": "-x'", "y": "-y'"}, {"x": -symbol("y"), "y": symbol("x")}, EVERY_VALUE),
        ({"x": "-x'", "y": "-2*y'"}, {"x": -symbol("y"), "y": symbol("x")}, None),
    ],
)
def test_B11_a_symmetry_that_was_only_tested_is_proved_by_what_it_keeps_forces_too(
    forces: dict[str, str], field: dict[str, Expr], proof: str | None
) -> None:
    tested, kept = Answer(True, "", False, EVERY_VALUE), Answer(True, "", True, EVERY_VALUE)
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", forces=forces)
    found = Symmetry("point", field, tested, kept, kept)
    assert given_symmetries._proof(system, Components.of(system, field), found, 10**6) == proof


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ([{"x": "-y", "y": "x"}], "dimension 1, smaller where x = y = 0"),
        ([{"x": 1}], "dimension 1 everywhere"),
        ([{"x": "x"}], "dimension 1, smaller where x = 0"),
        ([{"x": "sin(y)", "y": "cos(y)"}], "dimension 1 everywhere"),
    ],
)
def test_M6_where_orbits_are_smaller_is_said(fields: list[dict[str, str]], words: str) -> None:
    said = isotropy(PLANE, [Components.of(PLANE, {n: parsed(e) for n, e in f.items()}) for f in fields])
    assert said is not None
    assert set(said.removeprefix("orbits in configuration space of ").split()) == set(words.split())


def parsed(text: object) -> Expr:
    return parse(str(text), PLANE.scope)
