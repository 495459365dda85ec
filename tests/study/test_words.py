"""The sentences of a study."""

from types import SimpleNamespace

import pytest

import chetaev as ch
from chetaev.study.assistant import Outcome
from chetaev.study.study import Study
from chetaev.study.words import _kind, count, listed, power, sentence, spoken, summary, typed

KIND = {
    "holonomy": "nonholonomic", "velocities": "linear", "degree": 1, "time": "skleronomic",
    "degrees_of_freedom": 3, "branches": [],
}  # fmt: skip


def made(name, **stages):
    study = Study(ch.load(name), None, 1.0)
    study.outcomes = {stage: Outcome("done", 1.0, data) for stage, data in stages.items()}
    return study


def test_numbers_and_lists():
    assert count(1, "degree") == "1 degree"
    assert listed(["x"]) == "x"
    assert listed(["x", "y"]) == "x and y"
    assert [power(x) for x in (None, 0.0, 1e-9, 2.4e-16, 0.5, 12345.0, 3e7)] == [
        "–", "0", "10⁻⁹", "2·10⁻¹⁶", "0.5", "12345", "3·10⁷",
    ]  # fmt: skip


def test_names_are_written_as_people_write_them():
    assert spoken("theta_2, psi and epsilons", ["theta_2", "psi", "epsilon"]) == "θ₂, ψ and epsilons"
    assert spoken("psi'' and psi_dot", ["psi"]) == "ψ'' and psi_dot"
    assert sentence("psi is ignorable", ["psi"]) == "psi is ignorable."


def test_what_a_system_is():
    disc = summary(made("rolling-disc", classification=KIND))
    assert disc == [
        "This is a nonholonomic system with 3 degrees of freedom (5 coordinates, 2 velocity constraints); "
        "the velocity constraints are linear in the velocities and do not depend on time."
    ]
    kind = KIND | {"velocities": "nonlinear", "degree": 2, "time": "rheonomic", "degrees_of_freedom": 1}
    (words,) = summary(made("leibniz-particle", classification=kind))
    assert "1 degree of freedom" in words
    assert "the velocity constraint is nonlinear of degree 2 in the velocities and depends on time." in words
    kind = KIND | {"holonomy": "holonomic", "velocities": "none", "time": "rheonomic"}
    (words,) = summary(made("pendulum-moving-support", classification=kind))
    assert words.endswith("1 position constraint); the constraint depends on time.")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"agree": True, "evaluated": True}, "2 independently derived formulations"),
        ({"agree": False, "evaluated": True}, "do not agree"),
        ({"agree": False, "evaluated": False}, "do not determine the accelerations"),
    ],
)
def test_agreement(data, words):
    forms = {"chetaev": {"proved": True}, "gauss": {"proved": False}}
    data |= {"forms": forms, "samples": 64, "digits": 50}
    (text,) = summary(made("rolling-disc", agreement=data))
    assert words in text


def test_a_motion_that_ends_early_is_said_so():
    data = {
        "status": "singular", "reason": "the matrix is singular at t = 1", "first_time": 0.0, "end_time": 1.0,
        "tolerance": 1e-9, "check_error": 2.0,
    }  # fmt: skip
    first, second = summary(made("double-pendulum", motion=data))
    assert "second run" not in first
    assert second == "The motion ended early: the matrix is singular at t = 1."


def test_parts_that_are_missing_are_named():
    study = made("rolling-disc")
    study.outcomes["laws"] = Outcome("out of time", 3.0)
    study.outcomes["equations"] = Outcome("interrupted", 3.0, {"forms": []})
    study.outcomes["motion"] = Outcome("left out", 0.0)
    assert summary(study) == [
        "The part “laws” did not come out: out of time.",
        "The part “equations” is not complete: interrupted.",
    ]


def test_constraints_of_both_levels_are_spoken_of_together():
    study = made("rolling-disc", classification=KIND | {"velocities": "affine", "time": "rheonomic"})
    study.system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="x'^2 + y'^2 + z'^2",
        constraints={"position": ["x^2 + y^2 + z^2 = 1 + t"], "velocity": ["x' = y*z'"]},
    )
    (words,) = summary(study)
    assert "1 position constraint and 1 velocity constraint); together, differentiated" in words
    assert words.endswith("the constraints are affine in the velocities and depend on time.")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        ({"acceleration": ["y'' = 0"]}, "(its acceleration constraints are integrable)"),
        ({"velocity": ["y' = x*x'"]}, "(its velocity constraints are integrable)"),
        (
            {"velocity": ["z' = x'"], "acceleration": ["y'' = 0"]},
            "(its velocity and acceleration constraints are integrable)",
        ),
    ],
)
def test_what_is_called_integrable_is_what_was_given(constraints, words):
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints=constraints
    )
    assert words in _kind(SimpleNamespace(system=system, data=lambda _: {}), ch.classify(system).to_json())


def test_formulas_in_sentences_are_typed_as_people_do():
    text = "F = c1(phi)*x'^2 with dc1/dphi = -2*a*c2 - c10; exp(−λ g), x^12, x^(1/2), log-like"
    expected = "F = c₁(φ)·x'² with dc₁/dφ = −2·a·c₂ − c₁₀; exp(−λ g), x¹², x^(1/2), log-like"
    assert typed(text, ["phi", "x"]) == expected


def test_a_degenerate_lagrangian_has_the_freedom_that_is_left():
    kind = {
        **KIND,
        "holonomy": "unconstrained",
        "velocities": "none",
        "degrees_of_freedom": 3,
        "regular": False,
    }
    left = {"kind": "dirac", "blocks": [], "words": [], "freedom": ["1"]}
    (words,) = summary(made("christ-lee", classification=kind, hamilton=left))
    assert "a degenerate Lagrangian, which leaves 1 of 3 degrees of freedom" in words


@pytest.mark.slow
def test_claims_and_integrals_are_counted():
    judged = [{"surprising": s, "holds": h} for s, h in ((False, True), (True, False), (False, None))]
    words = summary(made("rolling-disc", claims={"claims": judged}))
    assert words == ["Of 3 claims, number 2 came out against expectation, and 1 is undecided."]
    assert summary(made("rolling-disc", claims={"claims": judged[:1]})) == [
        "Of 1 claim, none came out against expectation."
    ]
    wheels = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + t*x", constraints=["x' = 2*y'"])
    study = Study(wheels, None, 1.0)
    found = ch.integrals(wheels, degree=0)
    study.outcomes = {"laws": Outcome("done", 1.0, {"laws": []}, values=list(found))}
    assert "A search found one integral, which the constraints imply, whatever the forces are." in summary(
        study
    )
