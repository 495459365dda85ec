"""Long formulas over several lines: narrow enough, whole, and broken where people break them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from chetaev.expr.graph.node import Expr, add, call, div, mul, neg, number, power, symbol
from chetaev.expr.print import latex, mathml, page, to_latex
from chetaev.expr.print.broken_lines import lines, measure

A, B, C, K, W, Z = map(symbol, "abckwz")
ACCELERATION = symbol("x", 2)


def broken(left: Expr, right: Expr, width: int) -> list[str]:
    """The lines as LaTeX; each is narrow enough and well-formed."""
    made = lines(*page(left, right), width)
    for line in made:
        assert measure(line) <= 1.25 * width
        ElementTree.fromstring(mathml(line))
    return [latex(line) for line in made]


def long_sum(count: int) -> Expr:
    return add(
        *(
            mul(symbol(f"m{i}"), power(symbol(f"x{i}", 1), number(2)), call("sin", symbol(f"theta{i}")))
            for i in range(count)
        )
    )


def letters(text: str) -> list[str]:
    return re.findall(r"m_\{\d+\}|\\ddot\{\w\}|(?<![a-z])[abckwz](?![a-z])", text)


def test_short_equations_are_left_alone() -> None:
    assert broken(A, add(B, C), 92) == ["a = b + c"]


def test_lines_break_before_signs_and_relations() -> None:
    right = add(neg(A), div(add(B, neg(C)), K), neg(add(W, Z)))
    assert broken(A, right, 11) == ["a = -a", r"+ \frac{b - c}{k}", r"- \left(w + z\right)"]


def test_sums_inside_of_functions_are_not_broken() -> None:
    assert broken(A, add(mul(A, call("cos", add(B, C))), neg(K)), 14)[-1] == "- k"
    made = lines(*page(A, mul(A, call("cos", add(B, C)))), 6)
    assert [latex(line) for line in made] == ["a = a", r"\cdot \cos\left(b + c\right)"]


@pytest.mark.parametrize(
    "right",
    [
        long_sum(20),
        div(long_sum(20), number(2)),
        mul(div(mul(A, long_sum(20)), add(B, C)), Z),
        neg(mul(K, add(long_sum(8), neg(mul(long_sum(20), W))), symbol("y", 2))),
    ],
    ids=["sum", "fraction", "factor", "nested"],
)
def test_long_equations_are_broken_and_stay_whole(right: Expr) -> None:
    made = broken(ACCELERATION, right, 60)
    assert len(made) > 3
    joined, whole = " ".join(made), rf"\ddot{{x}} = {to_latex(right)}"
    assert sorted(letters(joined)) == sorted(letters(whole))
    assert letters(joined) == letters(whole) or "frac" in whole
    for opening, closing in (("{", "}"), (r"\left", r"\right"), (r"\bigl(", r"\bigr)")):
        assert joined.count(opening) == joined.count(closing)


def wide(stem: str, count: int = 60) -> Expr:
    return add(*(mul(symbol(f"{stem}{i}"), symbol(f"b{i}")) for i in range(count)))


def test_a_wide_denominator_is_broken_too() -> None:
    made = broken(ACCELERATION, div(number(1), wide("a")), 60)
    assert len(made) > 3
    assert "\\frac" not in "".join(made)
    text = " ".join(broken(ACCELERATION, add(mul(number(2), div(wide("c"), wide("a"))), neg(W)), 60))
    assert text.count("\\bigl(") == text.count("\\bigr)") == 2


def test_a_fraction_over_half_a_line_is_opened_once() -> None:
    made = broken(ACCELERATION, mul(div(mul(A, wide("c", 40)), wide("a", 4)), Z), 60)
    assert " ".join(made).count(r"\frac{1}") == 1


def test_a_long_product_is_broken_between_factors() -> None:
    factors = [power(symbol(f"speed{i}"), number(2)) for i in range(30)]
    made = broken(ACCELERATION, mul(*factors), 60)
    assert len(made) > 3
    assert made[2].startswith(r"\cdot ")
    assert "".join(made).count("speed") == 30


def test_brackets_within_brackets_do_not_exhaust_the_stack() -> None:
    deep = add(A, B)
    for i in range(600):
        deep = mul(symbol(f"c{i}"), add(symbol(f"d{i}"), deep))
    assert lines(*page(A, deep), 60)
