"""To SymPy and back: the same values, definitions as symbols, and clear refusals."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols
from tests.strategies import OPEN, graphs, scope_of, values, well_conditioned

from chetaev.errors import ModelError, TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import add, call, define, mul, number, power, symbol
from chetaev.expr.graph.table import DataTable
from chetaev.expr.language.scope import Scope
from chetaev.expr.language.sympy_bridge import convert, from_sympy, meanings, sympy_symbol, to_sympy
from formulas import formula
from portions import examples

X, Y = symbol("x"), symbol("y")
SCOPE = Scope.of(["x", "y", "theta"], ["m", "R"], order=2)


def close(a: object, b: object) -> bool:
    return abs(a - b) <= 1e-25 * (1 + abs(a))  # type: ignore[operator]


@given(graphs(most=7), st.data())
@settings(max_examples=examples(50))
def test_there_and_back_gives_equal_values(expr, data):
    at = data.draw(values(expr, exact=True))
    assume(well_conditioned(expr, {k: float(v) for k, v in at.items()}, 1e8))
    back = from_sympy(to_sympy(expr), scope_of(expr))
    assert graph.symbols(back) <= graph.symbols(expr)
    assert close(evaluate_mp([expr], at, 60)[0], evaluate_mp([back], at, 60)[0])


@given(graphs(most=6, definitions=False), st.data())
@settings(max_examples=examples(30))
def test_sympy_gives_the_same_values(expr, data):
    at = data.draw(values(expr, exact=True))
    assume(well_conditioned(expr, {k: float(v) for k, v in at.items()}, 1e8))
    point = {sympy.Symbol(k, real=True): sympy.Rational(v.numerator, v.denominator) for k, v in at.items()}
    theirs = to_sympy(expr).subs(point).evalf(40)
    assert theirs.is_number
    assert float(theirs) == pytest.approx(float(evaluate_mp([expr], at, 60)[0]), rel=1e-12, abs=1e-12)


def test_symbols_are_real_and_named_as_in_data_sets():
    assert sympy_symbol("x", 2) == sympy.Symbol("x_ddot", real=True)
    assert to_sympy(symbol("θ", 1)) == sympy.Symbol("θ_dot", real=True)
    assert to_sympy(power(symbol("x", 1), number(2)) / number(2)) == sympy.Symbol("x_dot", real=True) ** 2 / 2


@pytest.mark.parametrize("name", graph.FUNCTIONS)
def test_every_function_goes_there_and_back(name):
    arguments = [X, Y][: abs(graph.FUNCTIONS[name])]
    expr = call(name, *arguments)
    back = from_sympy(to_sympy(expr), SCOPE)
    assert back is expr or (name in ("min", "max") and back is call(name, *reversed(arguments)))


def test_definitions_stay_symbols_unless_expanded():
    d = define("d", X + number(1))
    assert to_sympy(d * Y) == sympy.Symbol("d", real=True) * sympy.Symbol("y", real=True)
    assert sympy.expand(to_sympy(d * Y, expand=True)) == sympy.expand((to_sympy(X) + 1) * to_sympy(Y))
    assert from_sympy(to_sympy(d * Y), SCOPE.but(values={**SCOPE.values, "d": d})) is d * Y
    assert meanings(d * Y) == [(sympy.Symbol("d", real=True), to_sympy(X) + 1)]


def test_nested_definitions_stay_linear():
    def operations(count: int) -> int:
        d = X
        for i in range(count):
            d = define(f"d{i:03}", add(mul(d, d), call("sin", d)))
        found = meanings(d)
        assert len(found) == count
        return int(sum(m.count_ops() for _, m in found))

    assert operations(200) == 2 * operations(100)


def test_shared_parts_are_converted_once():
    shared = call("sin", X)
    first, second = convert([shared, add(shared, Y)])
    assert second == first + to_sympy(Y)


# --- from SymPy -----------------------------------------------------------------------------------

t = dynamicsymbols._t
q, theta = dynamicsymbols("x theta")
x, m = sympy.symbols("x m")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (q.diff(t) ** 2 / 2, "x'^2/2"),
        (q.diff(t, 2), "x''"),
        (q.diff(t).diff(t) + sympy.sin(theta), "sin(theta) + x''"),
        (sympy.Derivative(theta, t), "theta'"),
        (sympy.Derivative(theta, (t, 2)), "theta''"),
        (m * x, "m*x"),
        (sympy.Symbol("x_dot") * m, "m*x'"),
        (-m * x / 3, "-m*x/3"),
        (x**-2, "1/x^2"),
        (m * x**-2, "m/x^2"),
        (sympy.sqrt(x), "sqrt(x)"),
        (1 / sympy.sqrt(x), "1/sqrt(x)"),
        (x ** sympy.Rational(3, 2), "x^(3/2)"),
        (sympy.exp(-x), "exp(-x)"),
        (sympy.cot(x), "1/tan(x)"),
        (sympy.sech(x), "1/cosh(x)"),
        (sympy.Rational(1, 3), "1/3"),
        (sympy.Float(0.1), "1/10"),
        (sympy.Float("0.1", 40), "1/10"),
        (sympy.pi * sympy.E, "e*pi"),
        (sympy.Abs(x), "abs(x)"),
        (2, "2"),
        (0.25, "1/4"),
        (t * x, "t*x"),
        (2**x, "2^x"),
        (sympy.atan2(m, x), "atan2(m, x)"),
    ],
)
def test_expressions_as_sympy_writes_them(expression, text):
    assert from_sympy(expression, SCOPE) == formula(text)


@pytest.mark.parametrize(
    "expression",
    [
        sympy.I,
        sympy.I * x,
        sympy.oo,
        -sympy.oo,
        sympy.zoo,
        sympy.nan,
        sympy.Symbol("unknown"),
        sympy.Function("f")(x, m),
        sympy.Function("f")(t),
        sympy.gamma(x),
        sympy.Integral(x, x),
        sympy.Derivative(q * theta, t),
        sympy.Derivative(q, t, 3),
        sympy.Derivative(q, x),
        sympy.Piecewise((x, x > 0), (0, True)),
        sympy.Matrix([x]),
        sympy.ImmutableMatrix([x]),
        sympy.Eq(x, m),
        sympy.true,
        x > m,
        sympy.Interval(0, 1),
        sympy.Float("1e400"),
        sympy.Float("1e400", 60),
        sympy.Float("1e-400"),
        sympy.Float(2) ** (10**9),
        sympy.Float(2, 60) ** (10**9),
        sympy.Float(2, 60) ** -(10**9),
        sympy.Mul(x, sympy.Pow(0, -1, evaluate=False), evaluate=False),
        sympy.Integer(10) ** 400,
        sympy.Rational(1, 10**400),
        x ** (sympy.Integer(10) ** 400),
        sympy.Mod(x, 2),
        sympy.floor(x),
        sympy.Heaviside(x),
        sympy.DiracDelta(x),
        sympy.Symbol("x'y"),
        sympy.Symbol("__import__('os')"),
        sympy.Symbol(""),
        sympy.Dummy("zz"),
        sympy.Wild("w"),
        sympy.EulerGamma,
        sympy.GoldenRatio,
        "x",
        None,
        object(),
        [x],
        {"x": 1},
        1j,
        float("nan"),
        float("inf"),
    ],
)
def test_what_has_no_counterpart_is_refused(expression):
    with pytest.raises(ModelError) as caught:
        from_sympy(expression, SCOPE)
    assert len(str(caught.value)) < 2000


def test_a_number_keeps_its_value_however_it_is_split():
    tiny = sympy.Rational(3, 10**308) * x
    expr = from_sympy(tiny, SCOPE)
    assert evaluate_mp([expr], {"x": 1}, 30)[0] == evaluate_mp([number(Fraction(3, 10**308))], {}, 30)[0]


def nest(depth: int) -> sympy.Expr:
    expression: sympy.Expr = x
    for _ in range(depth):
        expression = sympy.Add(sympy.sin(expression, evaluate=False), 1, evaluate=False)
    return expression


def test_a_deep_expression_is_read_or_refused():
    assert graph.depth(from_sympy(nest(100), SCOPE)) == 201
    deep = nest(5000)
    try:
        depth = graph.depth(from_sympy(deep, SCOPE))
    except TooLargeError:
        depth = 10_001
    assert depth == 10_001


def test_many_terms():
    expression = sympy.Add(*[sympy.sin(i * x) for i in range(1, 300)])
    assert len(from_sympy(expression, SCOPE).args) == 299
    assert graph.symbols(from_sympy(expression, OPEN)) == {("x", 0)}


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_a_table_is_a_function_or_its_pieces(interpolation: str) -> None:
    knots, heights = (tuple(map(Fraction, numbers)) for numbers in ((0, 1, 3), (1, 3, 2)))
    table = DataTable("wind", knots, heights, interpolation)
    expr = graph.table(table, symbol("t"))
    t = sympy.Symbol("t", real=True)
    assert to_sympy(expr) == sympy.Function("wind")(t)
    pieces = to_sympy(expr, expand=True)
    for u in (-1, 0, Fraction(1, 3), 1, Fraction(5, 2), 3, 4):
        exact = table.exact(Fraction(u))
        assert pieces.subs(t, sympy.Rational(u)) == sympy.Rational(exact.numerator, exact.denominator)
