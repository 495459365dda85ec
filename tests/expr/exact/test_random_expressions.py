"""Random expressions: the normal form, its derivative and its printed form mean the same function."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from chetaev.expr.exact import Budget, BudgetError, EffortError, Field, NotRealError
from chetaev.expr.exact.numbers.balls import BallProgram, OutsideDomainError
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph import node as g

SYMBOLS = [g.symbol("x"), g.symbol("y"), g.symbol("x", 1)]
ONE_PLACE = [
    "sin", "cos", "tan", "exp", "sinh", "cosh", "tanh", "sqrt", "abs", "sign", "log",
    "asin", "acos", "atan", "asinh", "acosh", "atanh",
]  # fmt: skip
TWO_PLACES = ["atan2", "min", "max"]
EXPONENTS = [2, 3, -1, Fraction(1, 2), Fraction(-1, 2), Fraction(1, 3), Fraction(3, 2)]

numbers = st.builds(lambda p, q: g.number(Fraction(p, q)), st.integers(-4, 4), st.integers(1, 3))
leaves = st.one_of(st.sampled_from(SYMBOLS), st.sampled_from(SYMBOLS), numbers)


def quotient(a, b):
    return a if b is g.ZERO else g.div(a, b)


def power(a, q):
    return a if a.op == "number" else g.power(a, g.number(q))


def extend(inner):
    return st.one_of(
        st.builds(g.add, inner, inner),
        st.builds(g.mul, inner, inner),
        st.builds(g.sub, inner, inner),
        st.builds(quotient, inner, inner),
        st.builds(power, inner, st.sampled_from(EXPONENTS)),
        st.builds(lambda f, a: g.call(f, a), st.sampled_from(ONE_PLACE), inner),
        st.builds(lambda f, a, b: g.call(f, a, b), st.sampled_from(TWO_PLACES), inner, inner),
    )


expressions = st.recursive(leaves, extend, max_leaves=6)
smooth = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(g.add, inner, inner),
        st.builds(g.mul, inner, inner),
        st.builds(quotient, inner, inner),
        st.builds(lambda f, a: g.call(f, a), st.sampled_from(["sin", "cos", "exp"]), inner),
    ),
    max_leaves=6,
)
LIMITS = settings(max_examples=60, deadline=None, derandomize=True)


def points(names, count):
    draw = random.Random(7)
    for i in range(count):
        scale = (-1, 1, 3, -3, 1)[i % 5]
        yield {
            n: arb(fmpq(draw.randint(1, 997), 499)) * scale * (1 if scale > 0 else draw.choice((1, -1)))
            for n in names
        }


def element_of(expression):
    try:
        return Field(Budget(10**6, terms=3000, products=300_000))(expression)
    except (BudgetError, EffortError, NotRealError):
        return None


@LIMITS
@given(expressions)
def test_normal_form_derivative_and_print_have_the_values_of_the_expression(expression):
    element = element_of(expression)
    if element is None or element.terms > 100:
        return
    program, printed = BallProgram([expression]), BallProgram([element.to_expr()])
    names = sorted({*program.names, *printed.names})
    try:
        with element.field.limit(Budget(10**6, terms=3000, products=300_000)):
            derivatives = {n: element.diff(n) for n in sorted(element.symbols)}
    except (BudgetError, EffortError, NotRealError):
        derivatives = {}
    with ctx.workprec(200):
        for point in points(names, 8):
            try:
                (value,), (slopes,) = program.gradients(point, list(derivatives))
            except (OutsideDomainError, ZeroDivisionError):
                continue
            found = element.evaluate(point, 200)
            assert not found.is_finite() or value.overlaps(found)
            for slope, d in zip(slopes, derivatives.values(), strict=True):
                found = d.evaluate(point, 200)
                assert not (found.is_finite() and slope.is_finite()) or slope.overlaps(found)
            try:
                assert value.overlaps(printed.run(point)[0])
            except OutsideDomainError:
                continue


@pytest.mark.slow
@LIMITS
@given(smooth, smooth, smooth)
def test_zero_by_construction_is_never_nonzero(a, b, c):
    options = {"effort": 300_000}
    for zero in (a * (b + c) - a * b - a * c, (a + b) ** 2 - a**2 - 2 * a * b - b**2):
        assert zero_test(zero, **options).answer != "nonzero"
    sine, cosine = g.call("sin", a + b), g.call("cos", a + b)
    rewritten = g.call("sin", a) * g.call("cos", b) + g.call("cos", a) * g.call("sin", b)
    assert zero_test(sine - rewritten, **options).answer != "nonzero"
    assert zero_test(sine**2 + cosine**2 - 1, **options).answer != "nonzero"


@LIMITS
@given(expressions)
def test_what_differs_by_a_positive_amount_is_never_zero(a):
    verdict = zero_test(a - a + g.call("exp", g.symbol("x")) / 1000, effort=300_000)
    assert verdict.answer != "zero"


@settings(max_examples=25, deadline=None, derandomize=True)
@given(smooth)
def test_derivative_agrees_with_sympy(expression):
    element = element_of(expression)
    if element is None or element.terms > 60:
        return
    x, y, v = sympy.symbols("x y v")
    there = {("x", 0): x, ("y", 0): y, ("x", 1): v}
    values: dict[int, sympy.Expr] = {}
    for node in g.postorder(expression):
        args = [values[id(a)] for a in node.args]
        if node.op == "symbol":
            result = there[node.value]
        elif node.op == "number":
            result = sympy.Rational(node.value.numerator, node.value.denominator)
        elif node.op in ("add", "mul"):
            result = (sympy.Add if node.op == "add" else sympy.Mul)(*args)
        elif node.op == "neg":
            result = -args[0]
        elif node.op == "div":
            if args[1] == 0:
                return
            result = args[0] / args[1]
        else:
            result = getattr(sympy, node.op)(*args)
        values[id(node)] = result
    theirs = sympy.diff(values[id(expression)], x)
    try:
        ours = element.diff("x")
    except BudgetError:
        return
    point = {("x", 0): Fraction(3, 7), ("y", 0): Fraction(5, 4), ("x", 1): Fraction(-2, 3)}
    ball = ours.evaluate(point, 100)
    number = theirs.subs({x: sympy.Rational(3, 7), y: sympy.Rational(5, 4), v: sympy.Rational(-2, 3)}).evalf(
        20
    )
    if ball.is_finite() and number.is_finite and abs(number) < 1e6:
        assert abs(float(ball) - float(number)) <= 1e-9 * (1 + abs(float(number)))
