"""Values: doubles, many digits and exact rationals agree."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.strategies import RATIONAL, exact_numbers, graphs, symbols, values, well_conditioned

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate, evaluate_mp, lookup
from chetaev.expr.graph.node import call, define, number, power, symbol
from exact_values import NotExactError, evaluate_exact
from portions import examples

X, Y = symbol("x"), symbol("y")
rational = st.one_of(symbols, symbols, exact_numbers.map(graph.number))


@pytest.mark.slow
@given(graphs(), st.data())
@settings(max_examples=examples(80))
def test_doubles_agree_with_fifty_digits(expr, data):
    at = data.draw(values(expr))
    assume(well_conditioned(expr, at))
    assert evaluate([expr], at)[0] == pytest.approx(float(evaluate_mp([expr], at)[0]), rel=1e-7, abs=1e-9)


@given(graphs(functions=RATIONAL, powers=False, leaf=rational), st.data())
@settings(max_examples=examples(80))
def test_exact_values_agree_with_fifty_digits(expr, data):
    at = data.draw(values(expr, exact=True))
    try:
        exact = evaluate_exact([expr], at)[0]
    except ZeroDivisionError:
        assume(False)
    assert isinstance(exact, Fraction)
    with mpmath.workdps(60):
        many = evaluate_mp([expr], at, 120)[0]
        assert abs(many - mpmath.mpf(exact.numerator) / exact.denominator) <= mpmath.mpf(10) ** -40 * (
            1 + abs(many)
        )


@pytest.mark.slow
@given(graphs(), st.data())
def test_arrays_give_what_their_entries_give(expr, data):
    points = [data.draw(values(expr)) for _ in range(3)]
    assume(points[0])
    stacked = {k: np.array([p[k] for p in points]) for k in points[0]}
    together = np.broadcast_to(evaluate([expr], stacked)[0], (3,))
    alone = [evaluate([expr], p)[0] for p in points]
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-12)


def test_arrays_broadcast():
    f, g = evaluate([X * Y, X], {"x": np.arange(3.0)[:, None], "y": np.arange(4.0)})
    assert f.shape == (3, 4)
    assert f[2, 3] == 6.0
    assert g.shape == (3, 1)


def test_outside_the_domain_a_double_is_nan_and_an_overflow_infinite():
    results = evaluate(
        [call("sqrt", X), call("log", X), call("acos", Y), Y / (X - X), power(X, number(Fraction(1, 3)))],
        {"x": -1.0, "y": 2.0},
    )
    assert [math.isnan(r) for r in results] == [True, True, True, False, True]
    assert results[3] == math.inf
    assert evaluate([call("exp", X)], {"x": 1000.0}) == [math.inf]


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("sin", 0.5, math.sin(0.5)), ("cos", 0.5, math.cos(0.5)), ("tan", 0.5, math.tan(0.5)),
        ("asin", 0.5, math.asin(0.5)), ("acos", 0.5, math.acos(0.5)), ("atan", 0.5, math.atan(0.5)),
        ("sinh", 0.5, math.sinh(0.5)), ("cosh", 0.5, math.cosh(0.5)), ("tanh", 0.5, math.tanh(0.5)),
        ("asinh", 0.5, math.asinh(0.5)), ("acosh", 1.5, math.acosh(1.5)), ("atanh", 0.5, math.atanh(0.5)),
        ("exp", 0.5, math.exp(0.5)), ("log", 0.5, math.log(0.5)), ("sqrt", 0.5, math.sqrt(0.5)),
        ("abs", -0.5, 0.5), ("sign", -0.5, -1.0),
    ],
)  # fmt: skip
def test_functions_of_one_argument(name, at, value):
    assert evaluate([call(name, X)], {"x": at})[0] == pytest.approx(value, rel=1e-15)
    assert float(evaluate_mp([call(name, X)], {"x": at})[0]) == pytest.approx(value, rel=1e-15)


def test_functions_of_several_arguments():
    at = {"x": -1.0, "y": 0.5}
    exprs = [call("atan2", Y, X), call("min", X, Y, number(0)), call("max", X, Y, number(0))]
    expected = [math.atan2(0.5, -1.0), -1.0, 0.5]
    assert evaluate(exprs, at) == pytest.approx(expected, rel=1e-15)
    assert [float(v) for v in evaluate_mp(exprs, at)] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (call("sqrt", number(Fraction(4, 9))), Fraction(2, 3)),
        (power(number(8), number(Fraction(2, 3))), 4),
        (power(number(8), number(Fraction(-1, 3))), Fraction(1, 2)),
        (power(number(10**60), number(Fraction(1, 3))), 10**20),
        (call("cos", number(0)), 1),
        (call("exp", X - X), 1),
        (call("log", number(1)), 0),
        (call("acosh", number(1)), 0),
        (call("atan2", number(0), number(2)), 0),
        (call("sign", number(Fraction(-1, 3))), -1),
        (call("min", X, number(3)), 2),
    ],
)
def test_exact_values(expr, value):
    assert evaluate_exact([expr], {"x": 2}) == [value]


@pytest.mark.parametrize(
    "expr",
    [
        call("sin", number(1)),
        call("sqrt", number(2)),
        call("sqrt", number(-4)),
        graph.PI,
        call("exp", number(1)),
        power(number(2), number(Fraction(1, 2))),
        power(X, number(10**6)),
        call("atan2", number(0), number(-1)),
        call("acos", number(0)),
    ],
)
def test_what_is_not_rational_says_so(expr):
    with pytest.raises(NotExactError):
        evaluate_exact([expr], {"x": 2})


def test_exact_division_by_zero_is_no_value():
    for exact in (evaluate_exact, evaluate_mp):
        with pytest.raises(ZeroDivisionError):
            exact([number(1) / X], {"x": 0})


@example(10**40 + 1, 3)
@given(st.integers(0, 10**45), st.integers(2, 5))
def test_exact_roots(root, degree):
    assert evaluate_exact([power(X, number(Fraction(1, degree)))], {"x": root**degree}) == [root]
    if root > 1:
        with pytest.raises(NotExactError):
            evaluate_exact([power(X, number(Fraction(1, degree)))], {"x": root**degree + 1})


def test_values_may_be_named_in_three_ways():
    v = symbol("x", 1)
    for key in ("x_dot", "x'", ("x", 1)):
        assert evaluate([v * v], {key: 3.0}) == [9.0]
    with pytest.raises(KeyError, match="no value for"):
        lookup({"x": 1}, "x", 2)


def test_definitions_are_evaluated_once():
    d = X
    for i in range(2000):
        d = define(f"d{i}", (d + d) / number(2))
    assert evaluate([d], {"x": 0.75}) == [0.75]
    assert evaluate_exact([d], {"x": Fraction(1, 3)}) == [Fraction(1, 3)]


def test_digits_are_kept():
    root = evaluate_mp([call("sqrt", number(2))], {}, 80)[0]
    with mpmath.workdps(90):
        assert abs(mpmath.mpf(root) ** 2 - 2) < mpmath.mpf(10) ** -78
    assert mpmath.mp.dps == 15


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("exp", math.inf),
        ("sinh", math.inf),
        ("cosh", math.inf),
        ("tanh", 1.0),
        ("sin", math.nan),
        ("tan", math.nan),
    ],
)
def test_many_digits_end_where_numbers_are_out_of_all_bounds(name, value):
    tower = call("exp", call("exp", call("exp", number(9))))  # its logarithm has 3500 digits
    found = float(evaluate_mp([call(name, tower)], {})[0])
    assert found == value or (math.isnan(found) and math.isnan(value))


def test_small_limits_of_towers():
    tower = graph.neg(call("exp", call("exp", number(9))))
    assert evaluate_mp([call("exp", tower)], {})[0] == 0
    assert evaluate_mp([call("sinh", tower)], {})[0] == -mpmath.inf
    assert evaluate_mp([power(number(2), tower)], {})[0] == 0
    assert evaluate_mp([power(number(Fraction(1, 2)), tower)], {})[0] == mpmath.inf
