"""The number engine: values as numpy's, derivatives as differences in many digits, and what they cost."""

from __future__ import annotations

import random
from typing import Any

import casadi
import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.strategies import SMOOTH, graphs, values, well_conditioned

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.evaluate import evaluate, evaluate_mp, key_name
from chetaev.expr.graph.node import Expr, add, call, define, mul, number, power, symbol
from portions import examples

X, Y = symbol("x"), symbol("y")


def ordered(expr: Expr) -> list[Expr]:
    return [symbol(*s) for s in sorted(graph.symbols(expr))]


def at_point(symbols: list[Expr], at: dict[str, Any]) -> list[float]:
    return [float(at[key_name(*s.value)]) for s in symbols]


@given(graphs(), st.data())
@settings(max_examples=examples(60))
def test_values_are_those_of_numpy(expr, data):
    at = data.draw(values(expr))
    assume(well_conditioned(expr, at))
    engine, names = Engine(), ordered(expr)
    function = engine.function([names], [engine(expr)])
    assert float(function(at_point(names, at))) == pytest.approx(evaluate([expr], at)[0], rel=1e-8, abs=1e-9)


@given(graphs(functions=(*SMOOTH, "abs", "atan2", "min", "max")), st.data())
@settings(max_examples=examples(40))
def test_gradients_are_limits_of_differences(expr, data):
    at = data.draw(values(expr, exact=True))
    names = ordered(expr)
    assume(names)
    assume(well_conditioned(expr, {k: float(v) for k, v in at.items()}, 1e6))
    engine = Engine()
    gradient = np.asarray(
        engine.function([names], [engine.gradient(expr, names)])(at_point(names, at))
    ).ravel()
    with mpmath.workdps(70):
        step = mpmath.mpf(10) ** -22
        for name, derivative in zip(names, gradient, strict=True):
            key = key_name(*name.value)
            centre = mpmath.mpf(at[key].numerator) / at[key].denominator
            up, down = (evaluate_mp([expr], {**at, key: centre + s * step}, 70)[0] for s in (1, -1))
            difference = (mpmath.mpf(up) - mpmath.mpf(down)) / (2 * step)
            assume(mpmath.isfinite(difference))  # x^x has values at −3, but none beside it
            assert derivative == pytest.approx(float(difference), rel=1e-6, abs=1e-6)


@given(graphs(functions=SMOOTH, definitions=False, most=6), st.data())
@settings(max_examples=40)
def test_gradients_are_those_of_sympy(expr, data):
    import sympy

    from chetaev.expr.language.sympy_bridge import sympy_symbol, to_sympy

    at = data.draw(values(expr, exact=True))
    names = ordered(expr)
    assume(names)
    assume(well_conditioned(expr, {k: float(v) for k, v in at.items()}, 1e4))
    engine = Engine()
    gradient = np.asarray(
        engine.function([names], [engine.gradient(expr, names)])(at_point(names, at))
    ).ravel()
    exact = {sympy_symbol(*n.value): sympy.Rational(at[key_name(*n.value)]) for n in names}
    converted = to_sympy(expr)
    for name, derivative in zip(names, gradient, strict=True):
        theirs = sympy.diff(converted, sympy_symbol(*name.value)).subs(exact).evalf(30)
        assert derivative == pytest.approx(float(theirs), rel=1e-6, abs=1e-6)


def test_jacobian_and_directional_derivative():
    engine = Engine()
    column = [X * Y, call("sin", X), power(Y, number(3))]
    jacobian = engine.function([X, Y], [engine.jacobian(column, [X, Y])])(0.5, 2.0)
    np.testing.assert_allclose(jacobian, [[2.0, 0.5], [np.cos(0.5), 0.0], [0.0, 12.0]], rtol=1e-14)
    along = engine.directional(column, [X, Y], engine.column([number(3), Y]))
    result = engine.function([X, Y], [along])(0.5, 2.0)
    np.testing.assert_allclose(result, jacobian @ np.array([[3.0], [2.0]]), rtol=1e-14)


def test_linearity_is_seen_in_the_structure():
    engine = Engine()
    assert engine.is_linear(mul(call("sin", Y), X) + Y, [X])
    assert not engine.is_linear(X * X, [X])
    assert engine.is_linear_column(engine.column([X, Y]), [X, Y])
    assert engine.is_linear_column(engine.column([]), [X])


def test_empty_columns():
    engine = Engine()
    assert engine.column([]).shape == (0, 1)
    assert engine.jacobian([], [X]).shape == (0, 1)


def test_every_node_is_converted_once():
    engine = Engine()
    shared = call("sin", X)
    first, second = engine.convert([shared, shared * Y])
    assert casadi.is_equal(first, second.dep(0))
    assert engine(shared).__hash__() == first.__hash__()


def test_definitions_cost_nothing():
    engine = Engine()
    d = define("d", call("sin", X))
    plain = engine.function([X], [engine(mul(call("sin", X), call("sin", X)))])
    named = engine.function([X], [engine(mul(d, d))])
    assert named.n_instructions() == plain.n_instructions()


# --- what derivatives cost, counted ---------------------------------------------------------------


def large(nodes: int, variables: int = 50, seed: int = 0) -> tuple[Expr, list[Expr]]:
    """A graph of about so many nodes in which every operation occurs and parts are shared."""
    rng = random.Random(seed)
    names = [symbol(f"q{i}") for i in range(variables)]
    made: list[Expr] = list(names)
    unary = ["sin", "cos", "tan", "atan", "tanh", "exp", "sqrt", "log", "asinh", "sinh", "cosh", "abs"]
    loose: list[Expr] = []
    while len(made) < 1.02 * nodes:
        a, b = rng.choice(made[-400:]), rng.choice(made)
        kind = rng.randrange(6)
        node = (
            a + b if kind == 0
            else a * b if kind == 1
            else a / b if kind == 2
            else power(a, number(rng.randrange(2, 5))) if kind == 3
            else call("atan2", a, b) if kind == 4
            else call(rng.choice(unary), a)
        )  # fmt: skip
        made.append(node)
        loose.append(node)
    return add(*loose), names


@pytest.mark.parametrize("nodes", [1_000, pytest.param(40_000, marks=pytest.mark.slow)])
def test_a_gradient_costs_fewer_than_ten_functions(nodes):
    expr, names = large(nodes)
    size = graph.size(expr)
    assert size >= nodes
    engine = Engine()
    function = engine.function([names], [engine(expr)])
    gradient = engine.function([names], [engine.gradient(expr, names)])
    assert function.n_instructions() <= 3 * size
    assert gradient.n_instructions() < 10 * size
    assert gradient.n_instructions() < 10 * function.n_instructions()


@pytest.mark.slow
def test_the_cost_of_a_gradient_does_not_grow_with_the_number_of_variables():
    ratios = []
    for variables in (5, 500):
        expr, names = large(10_000, variables)
        engine = Engine()
        cost = engine.function([names], [engine.gradient(expr, names)]).n_instructions()
        ratios.append(cost / graph.size(expr))
    assert ratios[1] < 1.5 * ratios[0]


def nested(count: int) -> Expr:
    d = X
    for i in range(count):
        d = define(f"d{i}", add(mul(d, d), call("sin", d)))
    return d


def test_nested_definitions_stay_linear():
    def instructions(count: int) -> int:
        engine = Engine()
        return int(engine.function([X], [engine.gradient(nested(count), [X])]).n_instructions())

    costs = [instructions(n) for n in (50, 100, 200)]
    assert costs[1] - costs[0] <= 15 * 50
    assert costs[2] - costs[1] == pytest.approx(2 * (costs[1] - costs[0]), abs=4)


@pytest.mark.slow
def test_a_graph_at_the_depth_limit_is_converted_and_differentiated():
    expr = X
    for _ in range(10_000):
        expr = call("sin", expr + number(1))
    engine = Engine()
    gradient = engine.function([X], [engine.gradient(expr, [X])])
    assert gradient.n_instructions() < 10 * graph.size(expr)
    assert np.isfinite(float(gradient(0.3)))
