"""The fast reader against the grammar: what it reads, lark reads the same; what it declines, lark judges."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.errors import ModelError, Origin
from chetaev.expr.language import explaining_parser
from chetaev.expr.language.fast_reader import read
from chetaev.expr.language.parser import Equation
from chetaev.expr.language.scope import Scope
from chetaev.model import gallery
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


def by_lark(text, start):
    """The nodes that lark builds, or None where it finds a mistake."""
    try:
        found = explaining_parser.read_thoroughly(text, SCOPE, Origin(text), start)
    except ModelError:
        return None
    return (found.lhs, found.rhs) if isinstance(found, Equation) else (found,)


def agree(text, must=False):
    found = read(text, SCOPE)
    expected = by_lark(text, "equation" if "=" in text else "expression")
    if found is None:
        assert not must or expected is None, f"declined {text!r}"
    else:
        assert expected is not None, f"read {text!r}, which is not valid"
        assert len(found) == len(expected)
        assert all(a is b for a, b in zip(found, expected, strict=True)), text


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


@pytest.mark.parametrize("name", gallery.names())
def test_models_of_the_gallery_need_no_lark(name, monkeypatch):
    def fails(*_):
        raise AssertionError("lark was asked")

    monkeypatch.setattr(explaining_parser, "read_thoroughly", fails)
    ch.load(name)


def test_long_nests_do_not_recurse():
    deep = "(" * 400 + "x" + ")" * 400
    agree(deep, must=True)
    agree("sin(" * 400 + "x" + ")" * 400, must=True)
    agree("x^" * 400 + "x", must=True)
    assert re.fullmatch(r"x", str(read(deep, SCOPE)[0]))
