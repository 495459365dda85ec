"""Sets where the rank condition fails are named by what all minors share, and are not empty (SCOPE K13)."""

from __future__ import annotations

import chetaev as ch
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from formulas import formulas


def sentences(system: ch.System) -> str:
    return str(ch.classify(system))


def test_K13_the_snakeboard_loses_rank_where_its_axles_are_across() -> None:
    found = ch.classify(ch.load("snakeboard"))
    assert list(found.rank_fails_where) == formulas(["cos(phi)"], factor=True)
    assert found.reason("rank").startswith(f"the rank condition fails where {found.rank_fails_where[0]} = 0 ")


def test_K13_fixed_parameters_make_no_singular_set_and_no_condition() -> None:
    system = ch.System(
        coordinates=["x", "y", "th"],
        parameters={"s": 2, "R": "1/2"},
        lagrangian="(x'^2 + y'^2 + th'^2)/2",
        constraints=["s*x' = R*th'"],
    )
    text = sentences(system)
    assert "the rank condition holds everywhere" in text
    assert "!= 0" not in text


def test_an_applied_force_is_named_as_the_reason() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2",
        forces={"x": "-x'"},
        constraints=["y' = y*t"],
    )
    warning = sentences(system)
    assert "x is ignorable" in warning
    assert "but an applied force acts along x, so a momentum may change" in warning


def test_K13_a_root_has_no_derivative_at_the_apex_of_a_cone() -> None:
    def rank(text: str) -> str:
        return ch.classify(ConstraintData.of([text], ["x", "y", "z"])).reason("rank")

    assert rank("z' = sqrt(x'^2 + y'^2)").startswith("the rank condition holds wherever ∂f/∂v exists (proved")
    assert rank("z' = y'*sqrt(x^2 + 1)").startswith("the rank condition holds everywhere (proved")
