"""Printing to text: what is printed is read back as the identical node."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.strategies import OPEN, graphs, scope_of

from chetaev.errors import TooLargeError
from chetaev.expr.graph.node import add, call, define, div, mul, neg, number, power, symbol
from chetaev.expr.language.parser import Equation, parse, parse_equation
from chetaev.expr.print import decimal_text, number_text, to_text
from chetaev.expr.print.text import render
from portions import examples

X, Y, V = symbol("x"), symbol("y"), symbol("x", 1)
M, R = symbol("m"), symbol("R")
HALF = number(Fraction(1, 2))


@given(graphs())
@settings(max_examples=examples(120))
@example(neg(neg(X)))
@example(neg(mul(number(2), X)))
@example(mul(number(-2), X))
@example(add(X, mul(number(-2), Y)))
@example(add(X, neg(mul(number(2), Y))))
@example(add(neg(X), number(-3), number(Fraction(-1, 3))))
@example(add(X, neg(neg(Y))))
@example(add(X, neg(add(X, Y))))
@example(add(add(X, Y), add(X, Y)))
@example(mul(mul(X, Y), mul(X, Y)))
@example(mul(div(X, Y), div(X, Y)))
@example(div(div(X, Y), div(X, Y)))
@example(div(mul(X, Y), mul(X, Y)))
@example(div(X, neg(Y)))
@example(mul(X, neg(Y)))
@example(neg(div(number(1), X)))
@example(neg(div(HALF, X)))
@example(mul(HALF, X, HALF, Y))
@example(div(X, HALF))
@example(power(HALF, X))
@example(power(number(-2), X))
@example(power(X, number(-2)))
@example(power(X, HALF))
@example(power(power(X, Y), X))
@example(power(X, power(Y, X)))
@example(power(neg(X), number(2)))
@example(power(X, neg(Y)))
@example(power(V, number(2)))
@example(neg(power(X, number(2))))
@example(call("min", neg(X), add(X, Y), number(-1)))
def test_reading_back_gives_the_identical_node(expr):
    assert parse(to_text(expr), scope_of(expr)) is expr


@given(graphs(definitions=False), graphs(definitions=False))
def test_equations_are_read_back(lhs, rhs):
    equation = Equation(lhs, rhs)
    again = parse_equation(str(equation), OPEN)
    assert again == equation
    assert again.lhs is lhs
    assert again.rhs is rhs


@given(graphs(most=6))
def test_repr_shows_the_text(expr):
    assert repr(expr) == f"Expr({to_text(expr)!r})"


@given(
    st.fractions(),
    st.integers(-307, 307),
    st.sampled_from([2, 3, 5, 7, 10]),
    st.integers(-300, 300),
)
@settings(max_examples=examples(100))
@example(Fraction(1), 308, 3, 0)
@example(Fraction(-1, 3), 0, 7, 0)
@example(Fraction(1), 0, 3, -640)
@example(Fraction(17 * 10**291, 17 * 10**290 + 1), 306, 3, 0)
def test_every_number_the_graph_takes_is_read_back(fraction, ten, base, exponent):
    value = fraction * Fraction(10) ** ten * Fraction(base) ** exponent
    try:
        node = number(value)
    except TooLargeError:
        return
    assert parse(number_text(value), OPEN) is node
    assert parse(to_text(power(symbol("x"), node)), OPEN) is power(symbol("x"), node)
    decimal = decimal_text(value)
    assert (decimal is None) == (_rest(value.denominator) != 1)
    if decimal is not None and len(decimal) < 300:
        assert Fraction(decimal) == value


def _rest(denominator: int) -> int:
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator


def test_numbers_whose_parts_leave_double_range():
    third = power(number(Fraction(1, 3)), number(640))
    assert parse(to_text(third), OPEN) is third
    quotient = number(Fraction(10**500 + 1, 3 * 10**499))
    assert parse(to_text(quotient), OPEN) is quotient
    assert number_text(Fraction(1, 10**309)) == "1e-309"
    assert number_text(Fraction(-12, 10**309)) == "-12e-309"


def test_definitions_are_printed_by_name_and_never_expanded():
    d = symbol("x")
    for i in range(500):
        d = define(f"d{i}", add(mul(d, d), d))
    assert to_text(mul(d, d)) == "d499*d499"
    assert to_text(d.args[0]) == "d498*d498 + d498"


def test_several_expressions_share_their_parts():
    shared = call("sin", X)
    assert render([shared, shared + Y, -shared]) == ["sin(x)", "sin(x) + y", "-sin(x)"]
