"""Formulas in a page: whole, well-formed, with the distances that people keep."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from tests.strategies import graphs

import chetaev as ch
from chetaev.expr.graph.node import call, mul, number, power, symbol
from chetaev.expr.language.parser import parse
from chetaev.expr.print import mathml, page, relation
from chetaev.expr.print.layout import Barred, Call, Indexed, Name, Row, Sign, Word
from chetaev.model.system_display import rows
from portions import examples

X, PHI = symbol("x"), symbol("phi")


def tree(layout):
    """The elements of a formula, which must be well-formed."""
    return ElementTree.fromstring(mathml(layout))


def shown(expr):
    return mathml(*page(expr))


@pytest.mark.parametrize("name", ch.gallery())
def test_every_formula_of_the_gallery_is_well_formed(name):
    for row in rows(ch.load(name)):
        for part in (row.left, row.right, row.label):
            if part is not None:
                tree(part)


@given(graphs())
@settings(max_examples=examples(80))
def test_every_graph_has_all_its_numbers_and_names(expr):
    found = tree(*page(expr))
    assert found.tag == "math"
    assert all(e.text for e in found.iter() if e.tag in ("mi", "mn", "mo", "mtext"))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("theta'^2/2", ["mfrac", "msup", "mover"]),
        ("sqrt(x)*abs(theta)", ["msqrt"]),
        ("atan2(x, theta) + asinh(x)", ["mi", "mrow"]),
        ("sin(theta)^2*x_1'^3", ["msubsup"]),
        ("exp(-x^2)*pi/e", ["msup", "mfrac"]),
        ("max(x, theta, größe)", ["mtext"]),
    ],
)
def test_parts_of_formulas(text, tags):
    system = ch.System(
        coordinates=["x", "theta", "x_1", "größe"], lagrangian="x'^2 + theta'^2 + x_1'^2 + größe'^2"
    )
    found = {element.tag for element in tree(*page(parse(text, system.scope))).iter()}
    assert found.issuperset(tags)


def test_functions_and_words_keep_their_distance():
    assert shown(mul(symbol("R"), call("cos", PHI), call("sin", PHI))).count("<mspace") == 4
    assert shown(call("cos", PHI)).count("<mspace") == 1
    assert shown(call("cos", X + PHI)).count("<mspace") == 0
    assert shown(mul(symbol("ab", 1), X)).count("<mspace") == 1
    assert shown(symbol("ab") + X).count("<mspace") == 0
    assert shown(mul(X, number(2))).count("⋅") == 1


def test_text_inside_of_formulas_is_escaped():
    assert "<script" not in mathml(Row((Word("<script>"), Name("a<b"), Sign("<"))))


def test_the_letters_of_the_page_itself():
    assert (
        mathml(Indexed(Name("f"), Name("a"), above=True)) == "<math><msup><mi>f</mi><mi>a</mi></msup></math>"
    )
    assert "<mi>det</mi>" in mathml(Call("det", (Barred(Name("B")),), ""))
    assert "≥" in mathml(relation(X, number(0), ">="))


def test_a_line_that_begins_with_a_sign_goes_on_with_the_last_one():
    assert mathml(Row((Sign("+"), Name("x")))) == "<math><mrow></mrow><mo>+</mo><mi>x</mi></math>"
    assert "<mrow></mrow>" not in mathml(Row((Sign("∂"), Name("x"))))


def test_high_derivatives():
    assert tree(*page(power(symbol("x_1", 3), number(2)))).find("msup") is not None


def test_deep_graphs_are_written_without_recursion():
    deep = X
    for _ in range(1100):
        deep = call("sin", deep + PHI)
    assert shown(deep).count("<mi>sin</mi>") == 1100
