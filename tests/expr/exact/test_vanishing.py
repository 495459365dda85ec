"""Zero tests: free, on submanifolds, with values, within budgets."""

from __future__ import annotations

from fractions import Fraction

import pytest

from chetaev.expr.exact import Field
from chetaev.expr.exact.vanishing import Verdict, zero_test, zero_tests
from chetaev.expr.graph import node as g

x, y, z, c, R = (g.symbol(n) for n in ("x", "y", "z", "c", "R"))
u, v, w = (g.symbol(n, 1) for n in "xyz")
phi, psi = g.symbol("phi"), g.symbol("psi")
dphi, dpsi = g.symbol("phi", 1), g.symbol("psi", 1)


def sin(a):
    return g.call("sin", a)


def cos(a):
    return g.call("cos", a)


def sqrt(a):
    return g.call("sqrt", a)


DISC = [u - R * cos(phi) * dpsi, v - R * sin(phi) * dpsi]
LEIBNIZ = u**2 + v**2 + w**2 - c**2
QUINTIC = u**5 + u * v + y * w**3 - 1
SINE = sin(u) + v * w - x

ZERO_ON = {
    "linear": (u * sin(phi) - v * cos(phi), DISC),
    "linear, quadratic function": (u**2 + v**2 - R**2 * dpsi**2, DISC),
    "affine": (u**2 - (y * v + 1) ** 2, [u - y * v - 1]),
    "skate": (u / v - cos(phi) / sin(phi), [u * sin(phi) - v * cos(phi)]),
    "leibniz": (u**4 - (c**2 - v**2 - w**2) ** 2, [LEIBNIZ]),
    "leibniz times": (x * u * LEIBNIZ**2 / (1 + y**2), [LEIBNIZ]),
    "leibniz root": (sqrt(u**2 + v**2 + w**2) - g.call("abs", c), [LEIBNIZ]),
    "cone": ((u**2 + v**2) ** 2 - w**4, [u**2 + v**2 - w**2]),
    "quintic": (u * v * z - z * (1 - u**5 - y * w**3), [QUINTIC]),
    "quintic squared": (QUINTIC**2 * sin(x) + QUINTIC * u, [QUINTIC]),
    "transcendental": ((sin(u) + v * w) ** 2 - x**2, [SINE]),
    "inside a function": (cos(x) - cos(sin(u) + v * w), [SINE]),
    "two": (u**2 + v**2 + w**2 - c**2 + u * (u - y * w), [LEIBNIZ, u - y * w]),
    "two nonlinear": (u**4 - (1 + v**2) ** 2 + v**2 - w * 3, [u**2 - v**2 - 1, v**2 - 3 * w]),
    "reducible": (u * v * sin(x), [u * v]),
    "both branches": (u**2 - v**2, [(u - v) * (u + v) * (1 + x**2)]),
    "positions": (u * x + v * y, [x**2 + y**2 - 1, x * u + y * v]),
    "repeated": (u - v, [u - v, u - v]),
    "two wheels on an axle": (
        R * dpsi - 2 * c * dphi - R * w,
        [
            v * cos(phi) - u * sin(phi),
            u * cos(phi) + v * sin(phi) + c * dphi - R * dpsi,
            u * cos(phi) + v * sin(phi) - c * dphi - R * w,
        ],
    ),
}

NONZERO_ON = {
    "linear": (u - v, DISC),
    "leibniz": (u - 1, [LEIBNIZ]),
    "leibniz, one sign": (u - sqrt(c**2 - v**2 - w**2), [LEIBNIZ]),
    "cone, one sheet": (w - sqrt(u**2 + v**2), [u**2 + v**2 - w**2]),
    "quintic, nearly": (QUINTIC * z + g.number(Fraction(1, 10**40)) * x, [QUINTIC]),
    "transcendental": (v, [SINE]),
    "one branch": (u, [u * v]),
    "hidden branch": (u - v, [(cos(x) - sin(x)) * (u - v)]),
    "hidden branch, expanded": (
        u * cos(x) + u * sin(x) + 1,
        [u * (1 - 2 * sin(x) ** 2) + cos(x) - sin(x)],
    ),
    "coefficient": (u, [x * u]),
    "common zeros": (u * y - v, [x * u + z * v, x * w + z * y]),
}


@pytest.mark.parametrize("name", ZERO_ON)
def test_zero_on_the_constraint_is_proved(name):
    function, constraints = ZERO_ON[name]
    verdict = zero_test(function, on=constraints)
    assert (verdict.answer, verdict.proved) == ("zero", True), str(verdict)
    assert verdict.points > 0


@pytest.mark.parametrize("name", NONZERO_ON)
def test_nonzero_on_the_constraint_is_proved_by_a_point(name):
    function, constraints = NONZERO_ON[name]
    verdict = zero_test(function, on=constraints)
    assert (verdict.answer, verdict.proved) == ("nonzero", True), str(verdict)
    assert verdict.witness


@pytest.mark.parametrize("name", ZERO_ON)
def test_zero_on_the_constraint_plus_something_is_refuted(name):
    function, constraints = ZERO_ON[name]
    verdict = zero_test(function + g.number(Fraction(1, 10**30)), on=constraints)
    assert verdict.answer == "nonzero", str(verdict)


def test_witness_lies_on_the_constraint():
    witness = zero_test(u - 1, on=[LEIBNIZ]).witness
    total = sum(float(witness[n]) ** 2 for n in ("x'", "y'", "z'"))
    assert total == pytest.approx(float(witness["c"]) ** 2)


@pytest.mark.slow
def test_empty_submanifold_is_undecided():
    verdict = zero_test(x, on=[x**2 + y**2 + 1])
    assert verdict.answer == "undecided"
    assert verdict.is_zero is None
    assert not verdict.proved
    assert "no point of Q" in str(verdict)


def test_nowhere_real_is_undecided():
    assert zero_test(sqrt(-1 - x**2)).answer == "undecided"
    assert zero_test(g.call("log", -(y**2))).answer == "undecided"
    assert (
        zero_test(sqrt(-1 - x**2 * sin(y) ** 2) * y - y * sqrt(-1 - x**2 * sin(y) ** 2)).answer == "undecided"
    )
    assert zero_test(1 / (sin(x) ** 2 + cos(x) ** 2 - 1)).answer == "undecided"


def test_small_domain_is_found():
    assert zero_test(g.call("asin", 40 * x) - g.call("asin", 40 * x)).is_zero
    assert zero_test(g.call("acosh", x) * sqrt(3 - x)).answer == "nonzero"
    assert zero_test(sqrt(x - 2000) * sqrt(2100 - x)).answer == "nonzero"


def test_values_are_put_in():
    assert zero_test(c * x - 2 * x, values={"c": 2}).is_zero
    assert zero_test(u - v, on=[u - R * v], values={("R", 0): 1}).is_zero
    assert zero_test(u - v, on=[u - R * v], values={R: Fraction(2)}).is_zero is False


def test_verdict_sentences():
    assert str(zero_test(sin(x) ** 2 + cos(x) ** 2 - 1)) == "zero (proved: normal form)"
    assert str(zero_test(x)).startswith("nonzero (proved: value ")
    unproved = Verdict("zero", False, 24, 60)
    assert str(unproved) == "zero at 24 random points to 60 digits (not proved)"


def test_true_but_beyond_the_normal_form():
    # Machin's formula: constants are not decided, the points say it
    machin = (
        16 * g.call("atan", g.number(Fraction(1, 5))) - 4 * g.call("atan", g.number(Fraction(1, 239))) - g.PI
    )
    verdict = zero_test(machin + 0 * x)
    assert verdict.answer == "zero"
    assert not verdict.proved
    assert verdict.digits >= 60
    on_q = zero_test(machin + 0 * x, on=[LEIBNIZ])
    assert (on_q.answer, on_q.proved) == ("zero", False)


def test_same_seed_same_verdict():
    function = u - sqrt(c**2 - v**2 - w**2)
    assert zero_test(function, on=[LEIBNIZ], seed=3) == zero_test(function, on=[LEIBNIZ], seed=3)


def test_elements_and_numbers_are_accepted():
    field = Field()
    a, b = field.symbols("a b")
    assert zero_test(field.sin(a + b) - field.sin(b + a)).is_zero
    assert zero_test(0).is_zero
    assert zero_test(Fraction(1, 3)).is_zero is False
    assert zero_test(field.cos(a) ** 2 - (1 - field.sin(a) ** 2)).proved


def test_many_share_their_points():
    verdicts = zero_tests([u * sin(phi) - v * cos(phi), u - v, u**2 + v**2 - R**2 * dpsi**2], on=DISC)
    assert [r.answer for r in verdicts] == ["zero", "nonzero", "zero"]
    assert all(r.proved for r in verdicts)


def nested_squares(n):
    e = x + y
    for i in range(n):
        e = g.define(f"d{i}", e * e + i)
    return e


def chain(step, n):
    e = x
    for _ in range(n):
        e = step(e)
    return e


HOPELESS = {
    "nested squares": lambda: nested_squares(100),
    "nested squares that cancel": lambda: (
        nested_squares(100) - nested_squares(100) * (sin(x) ** 2 + cos(x) ** 2)
    ),
    "large power": lambda: (x + y + z + c) ** 200 - (c + z + y + x) ** 200,
    "large power of a trinomial": lambda: (x + y + z) ** 500,
    "deep sum": lambda: chain(lambda e: e + y, 5000) - x - 5000 * y,
    "deep horner": lambda: chain(lambda e: e * x / 2 + 1, 5000),
    "deep sine": lambda: chain(sin, 5000),
    "deep sine, zero": lambda: chain(sin, 5000) ** 2 + chain(sin, 4999) ** 2 - 1,
    "deep root": lambda: chain(lambda e: sqrt(e * e + 1), 2500),
    "deep quotient": lambda: chain(lambda e: 1 / (1 + e), 2000),
    "numbers squared": lambda: chain(lambda e: e * e, 100) + chain(lambda e: g.define("k", e * e), 60),
    "number tower": lambda: _number_tower(),
    "many angles": lambda: cos(sum((g.symbol(f"a{i}") for i in range(40)), x)),
    "large multiple": lambda: sin(100000 * x) - sin(x),
    "huge exponent": lambda: x ** g.number(10**30) - x,
}


def _number_tower():
    e = g.define("n0", g.number(3))
    for i in range(100):
        e = g.define(f"n{i + 1}", e * e)
    return e * x - x


@pytest.mark.few(10)
@pytest.mark.parametrize("name", HOPELESS)
def test_hopeless_input_is_given_up(name):
    verdict = zero_test(HOPELESS[name]())
    assert verdict.spent < 2_000_000
    assert verdict.answer in ("zero", "nonzero", "undecided")


def test_give_up_keeps_the_right_answer():
    assert zero_test(HOPELESS["large power"]()).answer == "zero"
    assert zero_test(HOPELESS["deep sum"]()).is_zero
    assert zero_test(HOPELESS["nested squares"]()).answer != "zero"
