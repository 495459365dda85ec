"""The parser against the grammar: it reads what the grammar reads, in the same way, and nothing else."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.number_range import expect_value
from chetaev.expr.language.parser import TOKEN, Equation, parse, parse_equation, read_number
from chetaev.expr.language.scope import NAME, Scope
from portions import examples

SCOPE = Scope.of(coordinates=["x", "phi", "é"], parameters=["m", "R", "e1"])
PIECES = [
    "x", "x'", "x''", "x ′", "phi", "phi’", "phi_dot", "m", "R", "e1", "é", "e\u0301", "pi", "e", "2", "0",
    "0.5", ".25", "3.", "1e3", "2E-1", "1e400", "²", "³", "¹⁰", "⁻¹", "⁻", "x⁻²", "+", "-", "−",
    "*", "·", "×", "⋅", "/", "^", "**", "(", ")", "(", ")", ",", "=", "sin(", "cos (", "atan2(", "max(",
    "sqrt(", "y", "½", "#", " ", "\n",
    "\u00a0", "″", "'", ".", "_",
]  # fmt: skip

atoms = st.sampled_from(["x", "x'", "phi'", "m", "R", "pi", "2", "0.5", "1e-3", "é", "x²", "(x)²³", "x⁻¹"])


def grown(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", " - ", "−", "*", "/", "·", "^", "**"]), inner).map("".join),
        inner.map(lambda a: f"({a})"),
        inner.map(lambda a: f"-{a}"),
        inner.map(lambda a: f"+ {a}"),
        inner.map(lambda a: f"sin({a})"),
        inner.map(lambda a: f"({a})²"),
        pair.map(lambda p: f"({p[0]})^-{p[1]}"),
        pair.map(lambda p: f"atan2({p[0]}, {p[1]})"),
        pair.map(lambda p: f"max({p[0]},{p[1]} , 1)"),
    )


expressions = st.recursive(atoms, grown, max_leaves=25)
soups = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


class Reference:
    """The grammar of the parser's docstring, rule by rule, by recursion; it explains nothing."""

    def __init__(self, text):
        self.tokens = [*TOKEN.findall(text), ""]

    def take(self, *kinds):
        if self.tokens[0] in kinds:
            return self.tokens.pop(0)
        return None

    def need(self, kind):
        assert self.take(kind) == kind

    def sides(self, count):
        sides = [self.sum()]
        while len(sides) < count:
            self.need("=")
            sides.append(self.sum())
        assert self.tokens == [""]
        return tuple(sides)

    def sum(self):
        terms = [self.product()]
        while sign := self.take("+", "-", "−"):
            terms.append(self.product() if sign == "+" else graph.neg(self.product()))
        return graph.add(*terms) if len(terms) > 1 else terms[0]

    def product(self):
        factors = [self.signed(self.unary)]
        while operator := self.take("*", "·", "×", "⋅", "/"):
            factor = self.signed(self.unary)
            factors = [graph.div(graph.mul(*factors), factor)] if operator == "/" else [*factors, factor]
        return graph.mul(*factors) if len(factors) > 1 else factors[0]

    def signed(self, inner):
        sign = self.take("+", "-", "−")
        if not sign:
            return inner()
        return self.signed(inner) if sign == "+" else graph.neg(self.signed(inner))

    def unary(self):
        base = self.atom()
        while re.fullmatch("⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", self.tokens[0]):
            assert len(self.tokens[0]) <= 1000
            exponent = self.tokens.pop(0).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
            base = graph.power(base, graph.number(int(exponent)))
        return graph.power(base, self.signed(self.unary)) if self.take("^", "**") else base

    def atom(self):
        token = self.tokens.pop(0)
        if token == "(":
            inner = self.sum()
            self.need(")")
            return inner
        if re.match(r"\.?[0-9]", token):
            return graph.number(read_number(token))
        assert re.match(NAME, token)
        if self.take("("):
            arguments = []
            while not self.take(")"):
                if arguments:
                    self.need(",")
                arguments.append(self.sum())
            for argument in arguments[-1:]:
                if argument.op == "number":
                    expect_value(token, argument.value)
            return graph.call(token, *arguments)
        primes = self.tokens.pop(0) if self.tokens[0][:1] in tuple("'’′″") else ""
        return SCOPE.resolve(token, sum(2 if c == "″" else 1 for c in primes))


def agree(text, must=False):
    """The parser reads a text as the grammar does, or both refuse it."""
    reading = parse_equation if "=" in text else parse
    try:
        expected = Reference(text).sides(2 if "=" in text else 1)
    except (ModelError, AssertionError, ZeroDivisionError, ValueError):
        assert not must
        with pytest.raises(ModelError):
            reading(text, SCOPE)
        return
    read = reading(text, SCOPE)
    sides = (read.lhs, read.rhs) if isinstance(read, Equation) else (read,)
    assert all(a is b for a, b in zip(sides, expected, strict=True)), text


@pytest.mark.slow
@settings(max_examples=examples(120), deadline=None)
@given(expressions)
def test_expressions_are_read_as_the_grammar_reads_them(text):
    agree(text, must=True)


@settings(max_examples=examples(60), deadline=None)
@given(expressions, expressions)
def test_equations(left, right):
    agree(f"{left} = {right}", must=True)


@settings(max_examples=examples(400), deadline=None)
@given(soups)
def test_no_soup_of_tokens_is_read_otherwise(text):
    agree(text)


@settings(max_examples=examples(100), deadline=None)
@given(expressions, st.integers(0, 200), st.sampled_from(PIECES))
def test_a_disturbed_expression_is_not_read_otherwise(text, at, piece):
    agree(text[: at % (len(text) + 1)] + piece + text[at % (len(text) + 1) :])


@pytest.mark.parametrize(
    "text",
    ["-x^2", "x^-2^x", "a", "2*-x", "- -x", "-2*x", "x/2*m/R", "1/2/m", "x - 2 - 3", "2^3", "(x", "x)", "()",
     "sin()", "sin(x,x)", "f(x)", "sin", "x(2)", "2x", "x 2", "x = m = 2", "= x", "x =", "(x = m)", "x, m",
     "(x, m)", "1/0", "0^-1", "1e400", "2''", "m'", "x'''", "x'''' ''", "", "1..2", "a***b", "x* *m",
     "9" * 1001, "x" + "²" * 1001],
)  # fmt: skip
def test_corners(text):
    agree(text)


def test_long_nests():
    for text in ("(" * 90 + "x" + ")" * 90, "sin(" * 90 + "x" + ")" * 90, "x^" * 90 + "x", "-" * 90 + "x"):
        agree(text, must=True)
