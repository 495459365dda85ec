"""Constraints as they act: blunt equations are refused everywhere, redundant ones change no motion (K13)."""

from __future__ import annotations

import pytest

import chetaev as ch

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
    assert [str(law) for law in found] == [str(law) for law in expected]
    assert str(found.searched) == str(expected.searched)
    assert str(ch.measure(twice)) == str(ch.measure(once))


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
