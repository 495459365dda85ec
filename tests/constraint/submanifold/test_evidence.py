"""What a verdict rests on is an object; its words are made where they are shown."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.constraint.kind.regularity import Regularity
from chetaev.constraint.submanifold.evidence import NONE, PROVED, Allowance, Evidence
from chetaev.constraint.submanifold.evidence import tested as at_points
from formulas import formula, formulas


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (PROVED, "proved"),
        (NONE, ""),
        (Evidence(True, "normal form"), "proved: normal form"),
        (Evidence(True, conditions=("(3)",)), "proved by one condition: (3)"),
        (Evidence(True, conditions=("(1)", "(3)")), "proved by 2 conditions that agree: (1), (3)"),
        (at_points(0), "tested at 0 points"),
        (at_points(1), "tested at 1 point"),
        (Evidence(points=5, digits=60), "tested at 5 points to 60 digits"),
        (
            Evidence(points=5, conditions=("(1)", "(2)"), limit=10**6),
            "tested at 5 points, 2 conditions agree; no proof within effort 10⁶; effort= raises it",
        ),
        (Evidence(method="counted"), "counted"),
    ],
)
def test_evidence_in_words(evidence: Evidence, words: str) -> None:
    assert str(evidence) == words
    assert bool(evidence) is bool(words)


def test_an_allowance_says_what_was_not_enough() -> None:
    allowance = Allowance(1000)
    assert allowance.tested(3) == at_points(3)
    allowance.exhausted = True
    assert allowance.tested(3) == Evidence(points=3, limit=1000)


def test_findings_carry_their_evidence_and_what_they_tell_of() -> None:
    found = ch.classify(ch.load("ball-on-rotating-table"))
    findings = {f.question: f for f in found.findings}
    assert findings["holonomy"].evidence.proved
    assert findings["holonomy"].evidence.conditions
    regular = findings["regular"]
    assert not regular.evidence.proved
    assert regular.evidence.points
    assert isinstance(regular.value, Regularity)
    assert regular.value.vanishing == found.singular_where
    assert regular.reason == str(regular.value)
    assert regular.to_json()["evidence"] == f"tested at {regular.evidence.points} points"


def test_results_are_expressions() -> None:
    system = ch.load("semiholonomic-disc")
    found = ch.classify(system)
    (form,) = found.normal_forms
    assert list(found.equations) == formulas(found.to_json()["equations"])
    assert set(form.velocities) <= set(system.coordinates)
    for u in found.integrals:
        assert u.expression == formula(u.to_json()["expression"])
