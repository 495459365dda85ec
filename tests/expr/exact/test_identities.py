"""Identities that the normal form proves, and that are no identities."""

from __future__ import annotations

from fractions import Fraction

import pytest

from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph import node as g

x, y, z, t = (g.symbol(n) for n in "xyzt")
one = g.ONE
half = g.number(Fraction(1, 2))


def f(name):
    return lambda *a: g.call(name, *(g.as_expr(b) for b in a))


sin, cos, tan, exp, log, sqrt = (f(n) for n in ("sin", "cos", "tan", "exp", "log", "sqrt"))
sinh, cosh, tanh = (f(n) for n in ("sinh", "cosh", "tanh"))
asin, acos, atan, atan2, asinh, acosh, atanh = (
    f(n) for n in ("asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh")
)
absolute, sign, least, most = (f(n) for n in ("abs", "sign", "min", "max"))

TRIGONOMETRIC = {
    "pythagoras": (sin(x) ** 2 + cos(x) ** 2, one),
    "sine of a sum": (sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)),
    "cosine of three": (cos(x + y - z), cos(x + y) * cos(z) + sin(x + y) * sin(z)),
    "double": (cos(2 * x), 1 - 2 * sin(x) ** 2),
    "half": (2 * sin(x / 2) ** 2, 1 - cos(x)),
    "half after whole": (sin(x) + cos(x) - sin(x), 2 * cos(x / 2) ** 2 - 1),
    "thirds and halves": (sin(x / 2) * cos(x / 3) - cos(x / 2) * sin(x / 3), sin(x / 6)),
    "triple": (sin(3 * x), 3 * sin(x) - 4 * sin(x) ** 3),
    "sevenfold": (cos(7 * x), 64 * cos(x) ** 7 - 112 * cos(x) ** 5 + 56 * cos(x) ** 3 - 7 * cos(x)),
    "tangent of the half angle": (tan(x / 2), (1 - cos(x)) / sin(x)),
    "tangent of a sum": (tan(x + y), (tan(x) + tan(y)) / (1 - tan(x) * tan(y))),
    "product to sum": (2 * sin(x) * cos(y), sin(x + y) + sin(x - y)),
    "sum to product": (cos(x) - cos(y), -2 * sin((x + y) / 2) * sin((x - y) / 2)),
    "rational argument": (sin(x / y) ** 2 + cos(x / y) ** 2, one),
    "rational arguments add": (
        sin(x / (x + y)) * cos(y / (x + y)) + cos(x / (x + y)) * sin(y / (x + y)),
        sin(one),
    ),
    "partial fractions": (
        cos(1 / (x * (x + 1))),
        cos(1 / x) * cos(1 / (x + 1)) + sin(1 / x) * sin(1 / (x + 1)),
    ),
    "parameters times time": (sin(2 * y * t), 2 * sin(y * t) * cos(y * t)),
    "shift by pi": (sin(x + g.PI), -sin(x)),
    "shift by pi/3": (2 * cos(x + g.PI / 3), cos(x) - sqrt(g.number(3)) * sin(x)),
    "pi/12": (4 * cos(g.PI / 12), sqrt(g.number(6)) + sqrt(g.number(2))),
    "nested": (sin(2 * cos(2 * x)), 2 * sin(1 - 2 * sin(x) ** 2) * cos(cos(2 * x))),
    "nested, half angle later": (sin(cos(x)) + 0 * sin(x / 2), sin(1 - 2 * sin(x / 2) ** 2)),
    "constants": (sin(g.number(2)), 2 * sin(one) * cos(one)),
    "quotient": ((cos(x) ** 2 - sin(x) ** 2) / (cos(x) - sin(x)), cos(x) + sin(x)),
}

EXPONENTIAL = {
    "sum": (exp(x + y), exp(x) * exp(y)),
    "square": (exp(2 * x), exp(x) ** 2),
    "third": (exp(x / 3) ** 3, exp(x)),
    "inverse": (exp(-x) * exp(x), one),
    "cosh": (cosh(x) ** 2 - sinh(x) ** 2, one),
    "double": (sinh(2 * x), 2 * sinh(x) * cosh(x)),
    "tanh of a sum": (tanh(x + y), (tanh(x) + tanh(y)) / (1 + tanh(x) * tanh(y))),
    "half": (tanh(x / 2), (cosh(x) - 1) / sinh(x)),
    "e": (g.E**x, exp(x)),
    "e squared": (g.E**2, exp(g.number(2))),
    "power law": (x ** (y + 1), x * x**y),
    "powers of numbers": (g.number(4) ** x, g.number(2) ** (2 * x)),
    "logarithm of a product": (log(x * y), log(x) + log(y)),
    "logarithm of a power": (log(x**3 / y**2), 3 * log(x) - 2 * log(y)),
    "logarithm of an exponential": (log(exp(x) * y), x + log(y)),
    "logarithm of a number": (log(g.number(12)), log(g.number(3)) + 2 * log(g.number(2))),
    "exponential of a logarithm": (exp(log(x) / 2 + y), sqrt(x) * exp(y)),
    "exp asinh": (exp(asinh(x)), x + sqrt(x**2 + 1)),
    "sinh asinh": (sinh(asinh(x)), x),
    "cosh acosh": (cosh(acosh(x)), x),
    "tanh atanh": (tanh(atanh(x)), x),
    "cosh asinh": (cosh(asinh(x)), sqrt(1 + x**2)),
}

RADICALS = {
    "factor": (sqrt(4 * x), 2 * sqrt(x)),
    "square": (sqrt(x) ** 2, x),
    "product": (sqrt(x * y), sqrt(x) * sqrt(y)),
    "three": (sqrt(x * y) * sqrt(y * z) * sqrt(x * z) / sqrt(x**2 * y**2 * z**2), one + 0 * sqrt(x)),
    "numbers": (sqrt(g.number(6)), sqrt(g.number(2)) * sqrt(g.number(3))),
    "number fraction": (sqrt(g.number(Fraction(1, 2))), sqrt(g.number(2)) / 2),
    "absolute value": (sqrt(x**2), absolute(x)),
    "square of a sum": (sqrt(x**2 + 2 * x * y + y**2), absolute(x + y)),
    "cosine": (sqrt(1 - sin(x) ** 2), absolute(cos(x))),
    "combination": (
        sqrt((y * sin(x) + z * cos(x)) ** 2),
        absolute(y * sin(x) + z * cos(x)),
    ),
    "half angle": (sqrt((1 + cos(x)) / 2), absolute(cos(x / 2))),
    "nested": (sqrt(sqrt(x)), x ** g.number(Fraction(1, 4))),
    "orders": (x ** g.number(Fraction(1, 2)) * x ** g.number(Fraction(1, 3)), x ** g.number(Fraction(5, 6))),
    "rationalised": (1 / (1 + sqrt(x)), (1 - sqrt(x)) / (1 - x)),
    "denested": (sqrt(x + 2 * sqrt(x - 1)), sqrt(x - 1) + 1),
    "quotient": (sqrt(x / y), sqrt(x) / sqrt(y)),
    "three halves": (x ** g.number(Fraction(3, 2)), x * sqrt(x)),
    "positive": (sqrt(x**4 + 2 * x**2 + 1), x**2 + 1),
    "sign": (sign(x) ** 3, sign(x)),
    "minimum": (least(x, y) + most(x, y), x + y),
    "product of extremes": (least(x, y) * most(x, y), x * y),
    "absolute value of a product": (absolute(x * y), absolute(x) * absolute(y)),
    "sqrt of an exponential": (sqrt(exp(2 * x)), exp(x)),
}

INVERSES = {
    "sin asin": (sin(asin(x)), x),
    "cos asin": (cos(asin(x)), sqrt(1 - x**2)),
    "sin acos": (sin(acos(x)), sqrt(1 - x**2)),
    "sum": (asin(x) + acos(x), g.PI / 2),
    "sin atan": (sin(atan(x)), x / sqrt(1 + x**2)),
    "double atan": (sin(2 * atan(x)), 2 * x / (1 + x**2)),
    "half atan": (tan(atan(x) / 2), (sqrt(1 + x**2) - 1) / x),
    "atan2": (tan(atan2(y, x)), y / x),
    "atan2 cos": (cos(atan2(y, x)) * sqrt(x**2 + y**2), x),
    "reciprocal": (atan(x) + atan(1 / x), sign(x) * g.PI / 2),
    "odd": (asin(-x) + atan(-y), -asin(x) - atan(y)),
    "atan of 1": (4 * atan(one), g.PI),
}

ALL = {
    f"{kind}: {name}": identity
    for kind, table in (
        ("trig", TRIGONOMETRIC),
        ("exp", EXPONENTIAL),
        ("root", RADICALS),
        ("inverse", INVERSES),
    )
    for name, identity in table.items()
}


@pytest.mark.parametrize("name", ALL)
def test_identity_is_proved(name):
    left, right = ALL[name]
    verdict = zero_test(left - right)
    assert (verdict.answer, verdict.proved) == ("zero", True), str(verdict)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("size", [Fraction(1, 7), Fraction(1, 10**40)])
def test_perturbed_identity_is_refuted(name, size):
    left, right = ALL[name]
    verdict = zero_test(left + g.number(size) * (1 + x**2) - right)
    assert (verdict.answer, verdict.proved) == ("nonzero", True), str(verdict)
    assert verdict.witness


@pytest.mark.parametrize(
    "expression",
    [
        sqrt(x**2) - x,
        absolute(x) - x,
        sqrt(x * y) * sqrt(y * z) - y * sqrt(x * z),
        x * sqrt(x * y) - sqrt(x**3 * y),
        sqrt(1 - sin(x) ** 2) - cos(x),
        sqrt((1 + cos(x)) / 2) - cos(x / 2),
        asin(sin(x)) - x,
        atan(x) + atan(1 / x) - g.PI / 2,
        log(x**2) - 2 * log(absolute(x)) + g.number(Fraction(1, 10**300)),
        sign(x) - 1,
        most(x, y) - x,
        absolute(x - 50) - (50 - x),
        exp(g.PI * sqrt(g.number(163))) - 262537412640768744,
        (x**2) ** g.number(Fraction(1, 4)) ** 2 - x,
        atan2(y, x) - atan(y / x),
    ],
    ids=str,
)
def test_true_on_one_branch_only_is_refuted(expression):
    verdict = zero_test(expression)
    assert (verdict.answer, verdict.proved) == ("nonzero", True), str(verdict)
