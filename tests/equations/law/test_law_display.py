"""Laws as text: signs and hyperbolic functions as people write them."""

from __future__ import annotations

import random

import pytest

import chetaev as ch
from chetaev.equations.law.law import times
from chetaev.equations.law.law_display import rows
from chetaev.expr.exact import Field
from chetaev.expr.exact.readable.shorter_sums import tidy
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ZERO, add, div, mul, neg, number, symbol
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope


def test_signs_of_products_with_numbers() -> None:
    x, y = symbol("x"), symbol("y")
    scope = Scope.of(["x", "y"], {}, "t")
    assert tidy(neg(div(mul(number(3), x), y))) is parse("-3*x/y", scope)
    assert tidy(add(neg(mul(number(2), x)), mul(number(-4), y))) is parse("-2*x - 4*y", scope)


def test_a_law_has_no_sum_with_a_negative_term_in_brackets() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="exp(t)*x'^2/2 + exp(-2*x)*y'^2/2 - t*x^4",
        forces={"x": "-x'^3*t"},
    )
    text = str(ch.equations(system, "reduced"))
    assert "exp(-2*x)" in text
    assert "(-" not in text.replace("exp(-2*x)", "")
    assert "-(2" not in text


@pytest.mark.slow
def test_hyperbolic_display_has_the_value_of_what_it_shows() -> None:
    rng = random.Random(3)
    scope = Scope.of(["x", "y"], {"a": 1}, "t")
    values = {("x", 0): 0.37, ("y", 0): -0.61, ("a", 0): 0.9}

    def product() -> str:
        arguments = ["x", "2*x", "x/2", "x + y", "a*x"]
        functions = [f"{f}({rng.choice(arguments)})" for f in ("sinh", "cosh", "tanh", "exp")]
        return "*".join(rng.choice([*functions, functions[0] + "^2", "y", "2/3"]) for _ in range(2))

    for _ in range(60):
        text = f"({product()} - {product()})/({product()} + 3)"
        given = parse(text, scope)
        before, after = evaluate([given, Field()(given).to_expr()], values)
        assert after == pytest.approx(before, rel=1e-9)


def test_K23_the_remedy_names_gauss_only_where_constraints_are_redundant() -> None:
    free = ch.System(coordinates=["x", "y"], lagrangian="x*y' - y*x' - x^2", degenerate=True)
    redundant = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["x' = y'", "2*x' = 2*y'"],
    )
    remedies = []
    for system in (free, redundant):
        try:
            _ = ch.equations(system, "chetaev").accelerations
        except ch.ModelError as error:
            remedies.append(str(error))
    assert ["gauss" in r for r in remedies] == [False, True]


@pytest.mark.parametrize("form", ["reduced", "chetaev", "quasi"])
def test_K23_a_row_without_accelerations_keeps_what_has_to_vanish(form: str) -> None:
    system = ch.System(
        coordinates=["x", "y", "s"],
        lagrangian="(x'^2 + y'^2)/2 - s*(x^2 + y^2 - 1)/2 + y*(x' - x)*s^2",
        degenerate=True,
    )
    law = ch.equations(system, form)
    (row,) = (e for e in rows(law) if e.lhs is ZERO)
    field = Field()
    expected = field(parse("(x^2 + y^2 - 1)/2 - 2*s*y*(x' - x)", Scope.of(["x", "y", "s"], {}, "t")))
    assert (field(row.rhs) / expected).is_number


def test_signs_inside_of_products_that_are_not_normal_forms() -> None:
    """Equations shown as derived may hold a product that begins with a sum that begins with a minus sign."""
    x, y, a = symbol("x"), symbol("y"), symbol("a")
    first = add(neg(x), y)
    for coefficient in (mul(first, y), mul(neg(x), y), div(first, y), mul(mul(number(-2), x), y), neg(first)):
        values = {("x", 0): 3.0, ("y", 0): 5.0, ("a", 0): 7.0}
        wanted = 7.0 * evaluate([coefficient], values)[0]
        assert evaluate([times(coefficient, a)], values)[0] == wanted
