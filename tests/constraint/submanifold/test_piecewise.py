"""Constraints in pieces: abs, min, max, sign, √(u²) of velocities are unions of branches (SCOPE K13)."""

from __future__ import annotations

import re

import pytest

import chetaev as ch
from chetaev.constraint.kind.classifier import classify
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from formulas import any_order, formulas

XYZ = ["x", "y", "z"]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("constraint", "branches", "kind"),
    [
        ("abs(x') = y' + 2*z'", 2, "linear"),
        ("max(x', y') = z'", 2, "linear"),
        ("min(x', y*y') = z'", 2, "linear"),
        ("sqrt((x' - z')^2) = y'", 2, "linear"),
        ("x' = sign(y')*z'", 2, "linear"),
        ("abs(x'*y') = z'", 2, "nonlinear"),
        ("abs(x') + abs(y') = z'", 4, "linear"),
    ],
)
def test_K13_a_constraint_with_signs_of_velocities_is_a_union(
    constraint: str, branches: int, kind: str
) -> None:
    answer = classify(ConstraintData.of([constraint], XYZ))
    assert (len(answer.branches), answer.velocities) == (branches, kind)
    assert "the signs of" in answer.reason("branches")


def test_K13_the_pieces_have_their_integrals() -> None:
    answer = classify(ConstraintData.of(["abs(x') = y' + 2*z'"], XYZ))
    assert answer.holonomy == "semiholonomic"
    assert [b.integrals[0].expression for b in answer.branches] == any_order(
        "y + 2*z - x", "x + y + 2*z", factor=True
    )


def test_K13_pieces_without_points_are_no_branches() -> None:
    answer = classify(ConstraintData.of(["abs(x') = -1 - y'^2"], XYZ))
    assert not answer.branches
    one = classify(ConstraintData.of(["x' = abs(1 + y'^2)"], XYZ))
    assert (one.branches, one.velocities, one.degree) == ((), "nonlinear", 2)


def test_K13_a_piece_and_its_negative_are_one_branch() -> None:
    answer = classify(ConstraintData.of(["abs(x' - y*z') = 0"], XYZ))
    assert (answer.kind, answer.branches) == ("nonholonomic, linear, scleronomic", ())


def test_K13_signs_of_positions_make_no_branches() -> None:
    assert not classify(ConstraintData.of(["x' = abs(y)*z'"], XYZ)).branches


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("constraint", "where"),
    [
        ("sqrt(x'^2) = x'", ["x' > 0"]),
        ("abs(x') = -x'", ["x' < 0"]),
        ("max(x', 0) = x'", ["x' > 0"]),
        ("min(x', y') = x'", ["y' - x' > 0"]),
        ("sign(x') = 1", ["x' > 0"]),
        ("abs(x') + abs(x' - 1) = 1", ["x' > 0", "x' < 1"]),
    ],
)
def test_K13_an_equation_that_holds_in_a_half_space_is_an_inequality(
    constraint: str, where: list[str]
) -> None:
    """It is x' ≥ 0, not x' = 0."""
    answer = classify(ConstraintData.of([constraint], XYZ))
    assert (answer.holonomy, answer.velocities, answer.regular) == ("undecided", "undecided", None)
    told = re.search(
        r"is an inequality: it holds by itself where (.*?)(?:[;,(]|$)", answer.reason("holonomy")
    )
    assert told
    assert told[1].strip().split(" and ") == any_order(*where)
    assert answer.degree is None
    system = ch.System(coordinates=XYZ, lagrangian="x'^2 + y'^2 + z'^2", constraints=[constraint])
    with pytest.raises(ch.ModelError, match="is an inequality"):
        ch.equations(system)


@pytest.mark.slow
def test_K13_the_degree_of_a_branch_is_its_own() -> None:
    answer = classify(ConstraintData.of(["(x'^2 + y'^2 - 1)*(z' - x*y') = 0"], XYZ))
    assert sorted(b.degree for b in answer.branches) == [1, 2]
    assert classify(ConstraintData.of(["abs(x'*y') = z'"], XYZ)).degree == 2


def test_K13_a_definite_quadratic_form_has_one_sign() -> None:
    answer = classify(ConstraintData.of(["abs(x'^2 - x'*y' + y'^2) = z'"], XYZ))
    assert (answer.velocities, answer.degree, answer.branches) == ("nonlinear", 2, ())
    assert list(answer.normal_forms) == formulas(["z' = x'^2 - x'*y' + y'^2"])
