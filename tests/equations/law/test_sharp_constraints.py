"""Constraints as they act: blunt equations are refused everywhere, redundant ones change no motion (K13)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.model.states.points import random_points
from formulas import formulas

PLANE = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2 - y"}
SPACE = {"coordinates": ["x", "y", "z"], "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - z"}


@pytest.mark.parametrize("text", ["(x' - x*y')^2 = 0", "abs(x' - x*y') = 0", "sqrt(x' - x*y') = 0"])
def test_a_blunt_equation_is_refused_with_its_meaning_by_every_question(text: str) -> None:
    system = ch.System(constraints=[text], **PLANE)
    for ask in (ch.equations, ch.compare, ch.integrals, ch.symmetries, ch.killing, ch.measure):
        with pytest.raises(
            ch.ModelError, match=r"wherever it holds.*\n.*write the constraint as x' - x\*y' = 0"
        ):
            ask(system)
    found = ch.forms(system)
    assert not list(found)
    assert all("wherever it holds" in reason for reason in found.excluded.values())


@pytest.mark.slow
def test_redundant_constraints_change_no_law() -> None:
    once = ch.System(constraints=["x' = y*z'"], **SPACE)
    twice = ch.System(constraints=["x' = y*z'", "2*x' = 2*y*z'"], **SPACE)
    found, expected = ch.integrals(twice), ch.integrals(once)
    assert found.to_json() == expected.to_json()
    assert ch.measure(twice).to_json() == ch.measure(once).to_json()


def test_the_integrable_constraint_is_named_beside_a_redundant_one() -> None:
    system = ch.System(
        constraints={"position": ["x^2 + y^2 = 1"], "velocity": ["x*x' + y*y' = 0", "z' = x*y' - y*x'"]},
        **SPACE,
    )
    warnings = ch.classify(system).warnings
    assert any(w.startswith("the velocity constraint z' = x*y' - y*x' is the holonomic") for w in warnings)


def test_an_affine_constraint_in_disguise_is_told_what_to_write() -> None:
    reasons = ch.forms(ch.System(constraints=["exp(z' - y*x') = 1"], **SPACE)).excluded
    for form in ("quasi", "connection", "hamilton"):
        assert "as it is written" in reasons[form]
        assert "z' - y*x' = 0" in reasons[form]


def test_two_lines_are_no_cone_and_all_forms_agree_on_both() -> None:
    system = ch.System(constraints=["(x' - y')*(x' + y') = 0"], initial={"x_dot": 1, "y_dot": 1}, **PLANE)
    assert "quasi" not in ch.forms(system)
    assert ch.compare(system, samples=12).agree
    assert [b.velocities for b in ch.classify(system).branches] == ["linear", "linear"]


@pytest.mark.parametrize(
    "text", ["abs(x' + y') = 1 + x^2", "y'*sign(x' + 1) = x", "x' + y/9*sign(x' + 2*y') = x"]
)
def test_a_slope_that_is_a_sign_of_velocities_makes_no_constraint_affine(text: str) -> None:
    """∂²f/∂v∂v = 0 for |x' + y'|, and yet f(0) is no constant term."""
    system = ch.System(constraints=[text], **PLANE)
    law, forms = ch.equations(system), ("chetaev", "gauss")
    for point in random_points(system, 8, seed=3, digits=30):
        expected = law.evaluate(point, 30)[0]
        for shown in (law, *(ch.equations(system, form) for form in forms)):
            found = evaluate(list(shown.accelerations.values()), {k: float(x) for k, x in point.items()})
            assert found == pytest.approx([float(x) for x in expected], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("second", ["x'^3 = y^3*z'^3", "exp(x') = exp(y*z')", "x'^2 + x' = y^2*z'^2 + y*z'"])
def test_a_law_that_is_singular_only_on_Q_is_not_solved_beside_it(second: str) -> None:
    system = ch.System(constraints=["x' = y*z'", second], **SPACE)
    with pytest.raises(ch.ModelError, match="singular at generic points of Q"):
        _ = ch.equations(system, "chetaev").accelerations
    once = ch.equations(ch.System(constraints=["x' = y*z'"], **SPACE))
    gauss = ch.equations(system, "gauss")
    expected = {k: str(e) for k, e in once.accelerations.items()}
    assert gauss.accelerations == formulas(expected, on=system)
