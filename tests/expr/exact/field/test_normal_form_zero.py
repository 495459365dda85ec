"""Is a function zero? Yes with a proof, no with a witness, and the same answer whatever came before."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import pytest

from chetaev.expr.exact import Field
from chetaev.expr.exact.field.normal_form_zero import all_zero, is_decided, negated, witness
from chetaev.geometry import Chart, Form

ZERO = [
    "asinh(sinh(x)) - x",
    "atanh(tanh(x)) - x",
    "acosh(cosh(x)) - abs(x)",
    "asinh(sinh(x + 2*y)) - x - 2*y",
    "asinh(x) - log(x + sqrt(x^2 + 1))",
    "acosh(x) - log(x + sqrt(x^2 - 1))",
    "atanh(x) - log((1 + x)/(1 - x))/2",
    "atan2(2*y, 2*x) - atan2(y, x)",
    "atan2(y/3, x/3) - atan2(y, x)",
    "atan2(y*exp(x), x*exp(x)) - atan2(y, x)",
    "atan2(y*(x^2 + 1), x*(x^2 + 1)) - atan2(y, x)",
    "atan2(x*y, x^2) - atan2(y*sign(x), x*sign(x))",
    "atan2(y/(x^2 + 1), x/(x^2 + 1)) - atan2(y, x)",
    "sqrt(x)*sqrt(y) - sqrt(x*y)",
    "atan(sinh(x)) - asin(tanh(x))",
    "asin(x) + acos(x) - pi/2",
]
NONZERO = [
    "asin(sin(x)) - x",
    "acos(cos(x)) - x",
    "atan(tan(x)) - x",
    "acosh(cosh(x)) - x",
    "atan(x) + atan(1/x) - pi/2",
    "sqrt(x^2) - x",
    "atan2(-2*y, -2*x) - atan2(y, x)",
    "asinh(sinh(x)) - y",
    "sqrt(2) + sqrt(3) - sqrt(5)",
]


@pytest.mark.parametrize("text", ZERO)
def test_what_is_zero_is_proved_to_be(text: str) -> None:
    assert Chart(["x", "y"])(text).is_zero is True


@pytest.mark.parametrize("text", NONZERO)
def test_what_is_not_zero_has_a_witness(text: str) -> None:
    element = Chart(["x", "y"])(text)
    assert element.is_zero is False
    point = witness(element)
    assert point is not None
    assert not element.evaluate(point, 200).contains(0)


def test_what_is_not_known_is_neither_true_nor_false() -> None:
    # the half-angle formula: true wherever it is defined, but no normal form shows it
    element = Chart(["x", "y"])("atan2(y, x) - 2*atan(y/(sqrt(x^2 + y^2) + x))")
    assert element.is_zero is None
    assert witness(element) is None
    assert element != element.field.zero


BEFORE = ["x^(1/3)", "sqrt(x*y)", "(x*y)^(1/6)", "y^(1/4)", "log(x)", "sign(x*y)", "sin(x/2)"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["sqrt(x)*sqrt(y) - sqrt(x*y)", "x^(1/6)*y^(1/6) - (x*y)^(1/6)", "sqrt(x^2) - x"]
)
def test_the_answer_does_not_depend_on_what_the_chart_has_seen(text: str) -> None:
    expected = Chart(["x", "y"])(text).is_zero
    for before in (*((b,) for b in BEFORE), *permutations(BEFORE[:4], 3)):
        chart = Chart(["x", "y"])
        for other in before:
            chart(other)
        assert chart(text).is_zero is expected, before


def test_sines_and_exponentials_are_decided_by_their_normal_form() -> None:
    field = Field()
    x, y = field.symbols("x y")
    assert is_decided(field.sin(x) * field.exp(y) / (x + 1))
    assert not is_decided(field.sqrt(x))
    assert not is_decided(field.sin(field.sqrt(x)))


def test_answers_about_several() -> None:
    chart = Chart(["x", "y"])
    zero, one = chart("asinh(sinh(x)) - x"), chart("1")
    open_one = chart("atan2(y, x) - 2*atan(y/(sqrt(x^2 + y^2) + x))")
    assert all_zero([zero, zero]) is True
    assert all_zero([zero, open_one]) is None
    assert all_zero([open_one, one]) is False
    assert [negated(a) for a in (True, False, None)] == [False, True, None]


def test_forms_answer_like_their_coefficients() -> None:
    chart = Chart(["x", "y"])
    hidden = chart("atan2(y, x) - 2*atan(y/(sqrt(x^2 + y^2) + x))")
    form = hidden * chart.d("x")
    assert isinstance(form, Form)
    assert form.is_zero is None
    assert (chart("asinh(sinh(x)) - x") * chart.d("y")).is_zero is True
    assert (chart("x") * chart.d("y")).is_zero is False


@pytest.mark.parametrize("kind", ["asinh", "acosh", "atanh", "atan2"])
def test_inverse_functions_keep_their_values(kind: str) -> None:
    chart = Chart(["x", "y"])
    texts = {
        "asinh": "asinh(sinh(2*x)/1 + x)",
        "acosh": "acosh(cosh(x - y))",
        "atanh": "atanh(tanh(x)*1)",
        "atan2": "atan2(-3*y*x/5, -6*x^2)",
    }
    point = {"x": Fraction(-7, 5), "y": Fraction(3, 4)}
    x, y = -1.4, 0.75
    expected = {
        "asinh": math.asinh(math.sinh(2 * x) + x),
        "acosh": abs(x - y),
        "atanh": x,
        "atan2": math.atan2(-3 * y * x / 5, -6 * x * x),
    }
    assert math.isclose(float(chart(texts[kind]).evaluate(point, 100)), expected[kind], rel_tol=1e-12)
