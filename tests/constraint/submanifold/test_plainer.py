"""Equations that say something plainer: quotients, functions, powers, sums of squares (SCOPE K13)."""

from __future__ import annotations

import pytest

import chetaev as ch
from formulas import any_order, formulas, sentence

FREE = "(x'^2 + y'^2 + z'^2)/2"


def classified(*constraints: str, **parameters: int) -> ch.Classification:
    return ch.classify(
        ch.System(
            coordinates=["x", "y", "z"],
            lagrangian=FREE,
            constraints=list(constraints),
            parameters=parameters,
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(1 + x'^2) = sqrt(1 + y'^2)",
        "log(1 + x'^2) = log(1 + y'^2)",
        "cosh(x') = cosh(y')",
        "x'^4 = y'^4",
        "exp(x'^2) = exp(y'^2)",
        "atan(x'^2) - atan(y'^2) = 0",
        "1/(1 + x'^2) = 1/(1 + y'^2)",
    ],
)
def test_K13_equal_even_functions_are_two_branches(text: str) -> None:
    found = classified(text)
    assert [f for b in found.branches for f in b.normal_forms] == any_order("x' = y'", "x' = -y'")
    assert (found.holonomy, found.velocities, found.degrees_of_freedom) == ("semiholonomic", "linear", 2)


@pytest.mark.parametrize(
    "text",
    [
        "(x' - z')/(y'^2 + 1) = 0",
        "x'/(2 + cos(y')) = z'/(2 + cos(y'))",
        "exp(x' - z') = 1",
        "log(1 + x' - z') = 0",
        "tanh(x' - z') = 0",
        "sinh(x') = sinh(z')",
        "x'^3 = z'^3",
        "atan(x') = atan(z')",
        "sqrt(x') = sqrt(z')",
        "(x' - z')*(1 + y'^2) = 0",
    ],
)
def test_K13_what_is_x_equal_z_is_called_so(text: str) -> None:
    found = classified(text)
    assert list(found.normal_forms) == formulas(["x' = z'"])
    assert (found.holonomy, found.velocities, found.degrees_of_freedom) == ("semiholonomic", "linear", 2)
    assert not any("rank" in w for w in found.warnings)


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("x'^2 + y'^2 = 0", "x' = 0, y' = 0"),
        ("3*x'^2 + y'^2/2 = 0", "x' = 0, y' = 0"),
        ("-x'^2 - y'^2 = 0", "x' = 0, y' = 0"),
        ("x'^2 + x'*y' + y'^2 = 0", "x' = 0, y' = 0"),
        ("x'^2 + y'^2 - 2*x' + 1 = 0", "x' = 1, y' = 0"),
        ("(1 + x^2)*x'^2 + exp(y)*y'^2 = 0", "x' = 0, y' = 0"),
        ("x'^4 + (y' - z')^2 = 0", "x' = 0, y' = z'"),
        ("abs(x') + abs(y') = 0", "x' = 0, y' = 0"),
        ("sqrt(x'^2 + y'^2) = 0", "x' = 0, y' = 0"),
        ("(x'^2 + y'^2)*(1 + z'^2) = 0", "x' = 0, y' = 0"),
        ("abs(x' - y*z') = 0", "x' = y*z'"),
        ("sqrt(x' - y*z') = 0", "x' = y*z'"),
        ("cosh(x' - y*z') = 1", "x' = y*z'"),
        ("(x' - y*z')^2 = 0", "x' = y*z'"),
    ],
)
def test_K13_what_a_sum_of_squares_means_and_that_its_rank_is_lost(text: str, forms: str) -> None:
    found = classified(text)
    (form,) = found.normal_forms
    rows = [f"{c}' = {e}" for c, e in form.velocities.items()]
    assert rows == any_order(*forms.split(", "))
    assert found.degrees_of_freedom == 3 - len(rows)
    (warning,) = [w for w in found.warnings if "rank condition (46) on all of Q" in w]
    assert "; write " in warning


@pytest.mark.parametrize("text", ["x'^2 + y'^2 + 1 = 0", "exp(x') + y'^2 = 0"])
def test_K13_an_equation_without_real_solutions_is_said_to_have_none(text: str) -> None:
    found = classified(text)
    assert found.holonomy == "undecided"
    assert "no real velocities satisfy" in found.reason("holonomy")


def test_K13_a_denominator_that_may_vanish_is_named() -> None:
    found = classified("(x' - z')/(y'^2 - 1) = 0")
    assert list(found.normal_forms) == formulas(["x' = z'"])
    assert sentence("where ", "y'^2 - 1 ≠ 0", "") in found.reasons
    assert not any("≠ 0" in r for r in classified("(x' - z')/(y'^2 + 1) = 0").reasons)


def test_K13_parameters_stay_symbols_behind_a_denominator() -> None:
    found = classified("(x' - R*z')/(1 + y'^2) = 0", R=2)
    assert list(found.normal_forms) == formulas(["x' = z'*R"])


def test_K13_a_sphere_of_velocities_is_no_sum_of_squares() -> None:
    assert classified("x'^2 + y'^2 = 1").velocities == "nonlinear"
    assert classified("x'^2 + y'^2 = z'^2").velocities == "nonlinear"
