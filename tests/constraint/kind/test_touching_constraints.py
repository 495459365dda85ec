"""Constraints that touch each other, points beside Q, and which of two redundant ones is kept (K13, K18)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from formulas import formulas, sentence


def kind(*constraints: str) -> ch.Classification:
    return ch.classify(ConstraintData.of(constraints, ["x", "y", "z"]))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("constraints", "freedom", "words", "means"),
    [
        (("x'^2 + y'^2 = z'^2", "x' = z'"), 1, "semiholonomic, linear", "y' = 0"),
        (("x'^2 + y'^2 + z'^2 = 4", "z' = 2"), 0, "semiholonomic, affine", "x' = 0, y' = 0"),
        (("x'^2 + y'^2 = 2*y*z'*x' - y^2*z'^2 + 2*y' - 1", "y' = 1"), 1, "nonholonomic, affine", ""),
    ],
)
def test_K13_a_constraint_that_touches_an_affine_one_means_more(
    constraints: tuple[str, ...], freedom: int, words: str, means: str
) -> None:
    found = kind(*constraints)
    assert found.degrees_of_freedom == freedom
    assert found.kind.startswith(words)
    assert f"means {means}" in " ".join(found.reasons)


def test_K13_equations_that_touch_are_refused_with_their_meaning() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - y",
        constraints=["x'^2 + y'^2 = z'^2", "x' = z'"],
    )
    with pytest.raises(ch.ModelError, match=r"touches the others.*\n.*write the constraint as y' = 0"):
        ch.equations(system)


@pytest.mark.slow
def test_K13_of_two_constraints_the_one_is_kept_that_the_other_follows_from() -> None:
    found = kind("x'^2 + y'^2 = z'^2", "sqrt(x'^2 + y'^2) = z'")
    assert list(found.normal_forms) == formulas(["z' = sqrt(x'^2 + y'^2)"])
    assert sentence("constraint ", "x'^2 + y'^2 = z'^2", " is redundant") in found.warnings


@pytest.mark.slow
def test_K17_points_beside_Q_do_not_make_a_pair_of_planes_a_cone() -> None:
    """Where |z| > 1/2 only x' = y' = 0 is left, and Newton's method comes near to it without an end."""
    found = kind("x'*y' = z*(x'^2 + y'^2)")
    assert found.kind == "nonholonomic, linear, scleronomic, union of 2 branches"
    assert found.projectable
