"""What the tests compare formulas with knows equivalent forms, and tells different ones apart."""

from __future__ import annotations

import pytest

from chetaev import System
from formulas import any_order, formula, formulas, sentence

SAME = [
    ("x*(y + 1)", "x*y + x"),
    ("-x^2", "-(x^2)"),
    ("2^3^2", "512"),
    ("x''/2", "0.5*x''"),
    ("sin(2*phi)", "2*sin(phi)*cos(phi)"),
    ("sqrt(1 - x^2)", "cos(asin(x))"),
    ("lambda/2 + e", "(lambda + 2*exp(1))/2"),
    ("2*b = a", "b = a/2"),
    ("0", "y - y"),
    ("a > 2*b", "b < a/2"),
    ("x*y ≠ 0", "-y*x != 0"),
    ("-∂/∂x + (z + 1) ∂/∂y'", "z ∂/∂y' - (∂/∂x - ∂/∂y')"),
]
OTHERS = [
    ("x*(y + 1)", "x*y + 1"),
    ("x", "1.000000000001*x"),
    ("x", "abs(x)"),
    ("sqrt(x^2)", "x"),
    ("log(abs(x))", "log(x)"),
    ("x'", "x''"),
    ("a = 2*b", "a = b"),
    ("x", "x = 0"),
    ("a > 2*b", "a < 2*b"),
    ("a > 0", "a ≥ 0"),
    ("a = 0", "a != 0"),
    ("x/x", "1"),  # a name that stands there for nothing
    ("0", "x"),
    ("None", "x"),
    ("x ∂/∂x", "x ∂/∂y"),
]


@pytest.mark.parametrize(("found", "expected"), SAME)
def test_equivalent_forms(found: str, expected: str) -> None:
    assert (found == formula(expected)) is True
    assert formulas({"a": [found, 2, None]}) == {"a": [found, 2, None]}


@pytest.mark.parametrize(("found", "expected"), OTHERS)
def test_other_formulas(found: str, expected: str) -> None:
    assert (found == formula(expected)) is False
    assert formulas({"a": [expected]}) != {"a": [found]}


def test_a_zero_in_disguise_is_neither_0_nor_not() -> None:
    assert (formula("0") == "x - x") is False
    assert (formula("0") != "x - x") is False
    assert formula("0") != "x"


def test_options() -> None:
    assert formula("sqrt(m*g)") != "sqrt(m)*sqrt(g)"  # where both are negative
    assert formula("sqrt(m*g)*x", positive="m g") == "sqrt(m)*sqrt(g)*x"
    assert formula("-x", factor=True) == "2*x"
    assert formula("x*y", factor=True) != "2*x"
    assert formula("x", factor=True) != "0"
    assert formula("0", factor=True) != "x"
    assert formula("0") != None  # noqa: E711
    assert any_order("x", "y", factor=True) == ["-y", "2*x"]


def test_on_q() -> None:
    skate = System(
        coordinates=["x", "y", "phi"],
        lagrangian="m*(x'^2 + y'^2 + phi'^2)/2",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
        parameters={"m": 2},
    )
    speed = formula("x'/cos(phi)", on=skate)
    assert speed == "x'*cos(phi) + y'*sin(phi)"
    assert speed != "x'*cos(phi) + m*y'*sin(phi)"
    assert formula("x'/cos(phi)") != "x'*cos(phi) + y'*sin(phi)"
    assert formula("3*x'/cos(phi)", on=skate, factor=True) == "x'*cos(phi) + y'*sin(phi)"
    assert formula("3*x'/cos(phi)", on=skate, factor=True) != "x'*cos(phi) - y'*sin(phi)"


def test_in_any_order() -> None:
    assert any_order("x + x", "x + y") == ["y + x", "2*x"]
    assert any_order("x", "y") != ["x", "x"]
    assert any_order("x", "x") != ["x"]
    assert any_order("x", "x") != ["x", "x", "x"]


def test_sentences() -> None:
    told = ["nothing", "the constraint x*y + y = 0 is redundant: it follows", "defined where -x < 0"]
    assert sentence("constraint ", "y*(x + 1) = 0", " is redundant") in told
    assert sentence("where ", "x > 0", "") in told
    assert sentence("where ", "x < 0", "") not in told
    assert sentence("", "x*y + 2*y = 0", " is redundant") not in told[:1]


def test_what_is_no_formula_or_has_no_values() -> None:
    with pytest.raises(AssertionError, match="not a formula"):
        formula("where x ≠ 0")
    with pytest.raises(AssertionError, match="too few points"):
        assert formula("log(-x^2)") == "log(-x^2)"
