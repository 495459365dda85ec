"""The framework of the formulations: exact derivatives, points of Q, laws, comparison, display."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy

import chetaev as ch
from chetaev.equations.forms import chetaev as chetaev_form
from chetaev.equations.law.equation_facts import equation_facts
from chetaev.equations.law.law_display import rows
from chetaev.equations.law.solved_law import solve
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.sharing import name_shared, text_length
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.expr.language.sympy_bridge import to_sympy
from chetaev.model.states.points import exact_levels, random_points
from formulas import formula

SCOPE = Scope.of(coordinates=["x", "y"], parameters=["m"])


@pytest.mark.parametrize(
    "text",
    [
        "x^3/3 + 0.1*sin(x*y)",
        "x^y*log(x)",
        "atan2(x, y)*pi",
        "acosh(1+x^2) + asinh(y)",
        "exp(x/7)*tanh(y)",
        "sqrt(x*y/3)",
    ],
)
def test_calculus_gradient_is_exact_to_forty_digits(text: str) -> None:
    expr = parse(text, SCOPE)
    x, y = graph.symbol("x"), graph.symbol("y")
    calculus = Calculus()
    gradient = calculus.graphs(calculus.gradient(expr, [x, y]))
    point = {"x": Fraction(13, 10), "y": Fraction(7, 10)}
    ours = evaluate_mp(gradient, point, 50)
    exact = to_sympy(expr)
    for value, name in zip(ours, "xy", strict=True):
        derivative = sympy.diff(exact, sympy.Symbol(name, real=True))
        theirs = derivative.subs({sympy.Symbol(n, real=True): sympy.Rational(v.numerator, v.denominator)
                                  for n, v in point.items()}).evalf(50)  # fmt: skip
        assert abs(sympy.Float(str(value), 50) - theirs) < sympy.Float("1e-40")


def test_calculus_derivative_of_min_max_abs() -> None:
    expr = parse("min(x, y)*3 + max(x, 2*y) + abs(x - y) + sign(x)", SCOPE)
    calculus = Calculus()
    dx, dy = calculus.graphs(calculus.gradient(expr, [graph.symbol("x"), graph.symbol("y")]))
    values = evaluate_mp([dx, dy], {"x": 1, "y": 3}, 30)
    assert [float(v) for v in values] == [3 - 1, 2 + 1]


@pytest.mark.parametrize(
    "name", ["implicit-constraint-quintic", "bead-on-rotating-hoop", "relativistic-particle"]
)
def test_K13_random_points_lie_on_Q_and_differ(name: str) -> None:
    system = ch.load(name)
    (phi, _), (f, _) = exact_levels(system)
    points = list(random_points(system, 5, seed=3, digits=40))
    for point in points:
        residuals = evaluate_mp([*phi, *f], point, 60)
        assert max(abs(r) for r in residuals) < 1e-40
    first = [float(p[(system.coordinates[0], 1)]) for p in points]
    assert len(set(first)) == len(first)
    again = next(iter(random_points(system, 1, seed=3, digits=40)))
    assert again == points[0]


@pytest.mark.slow
def test_random_points_of_an_empty_constraint_is_a_sentence() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=["x'^2 + y'^2 = -1"])
    with pytest.raises(ch.ModelError, match="no point of the constraint"):
        list(random_points(system, 1))


def test_comparison_finds_a_wrong_law() -> None:
    system = ch.load("knife-edge")
    law = chetaev_form.derive(system)
    wrong = replace(law, right=[graph.add(law.right[0], graph.number(Fraction(1, 10**6))), *law.right[1:]])
    point = next(iter(random_points(system, 1)))
    a, b = law.evaluate(point)[0], wrong.evaluate(point)[0]
    assert max(abs(x - y) for x, y in zip(a, b, strict=True)) > 1e-8


def test_forms_say_why_one_does_not_apply() -> None:
    found = ch.forms(ch.load("acceleration-constraint"))
    assert "chetaev" in found
    assert "accelerations" in found.excluded["reduced"]


def test_unknown_form_offers_the_nearest() -> None:
    with pytest.raises(ch.ModelError, match="did you mean 'reduced'"):
        ch.equations(ch.load("knife-edge"), "reducd")


def test_K14_accelerations_and_multipliers_as_expressions_leibniz() -> None:
    particle = ch.load("leibniz-particle")
    law = ch.equations(particle, "chetaev")
    assert law.accelerations["x"] == formula("g*x'*z'/(x'^2 + y'^2 + z'^2)", on=particle)
    assert law.multipliers[0] == formula("m*g*z'/(2*(x'^2 + y'^2 + z'^2))", on=particle)


def test_K14_sign_of_the_multiplier_is_that_of_the_reaction() -> None:
    """A bead on the line y = 0 under gravity: the reaction is +m g along y."""
    bead = ch.System(
        coordinates=["x", "y"], lagrangian="m*(x'^2 + y'^2)/2 - m*g*y", constraints=["y' = 0"],
        parameters={"m": 2, "g": 9.8},
    )  # fmt: skip
    for form in ("chetaev", "reduced"):
        assert ch.equations(bead, form).multipliers[0] == formula("m*g")
    turned = ch.System(
        coordinates=["x", "y"], lagrangian="m*(x'^2 + y'^2)/2 - m*g*y", constraints=["0 = y'"],
        parameters={"m": 2, "g": 9.8},
    )  # fmt: skip
    assert ch.equations(turned, "chetaev").multipliers[0] == formula("-m*g")


@pytest.mark.parametrize("name", ["rolling-disc", "suslov", "snakeboard", "appell-hamel", "particle-on-cone"])
@pytest.mark.parametrize("form", ["reduced", "chetaev"])
def test_solved_accelerations_equal_the_law_at_points(name: str, form: str) -> None:
    system = ch.load(name)
    law = ch.equations(system, form)
    expressions = [*law.accelerations.values(), *law.multipliers]
    reference = chetaev_form.derive(system)
    for point in random_points(system, 2, seed=5):
        a, mu = reference.evaluate(point)
        for ours, theirs in zip(evaluate_mp(expressions, point, 50), [*a, *mu], strict=True):
            assert abs(ours - theirs) < 1e-38 * (1 + abs(theirs))


def test_Sw6_disc_coefficients_are_as_short_as_in_print() -> None:
    law = ch.equations(ch.load("rolling-disc"))
    assert law.rows[0] == formula(
        "(m*R^2 + I2)*psi'' - sin(theta)*(m*R^2 + I2)*phi'' = phi'*theta'*cos(theta)*(2*m*R^2 + I2)"
    )
    assert max(len(str(row)) for row in law.rows) < 230


@pytest.mark.slow
def test_large_law_is_shown_with_names_for_what_repeats() -> None:
    law = ch.equations(ch.load("car-with-trailers-2"))
    shown = rows(law, effort=200_000)
    named = graph.definitions(*(side for e in shown for side in (e.lhs, e.rhs)))
    assert sum(len(str(e)) for e in shown) + sum(len(str(d.args[0])) for d in named) < 60_000
    accelerations = dict(zip(law.system.coordinates, solve(law, effort=200_000)[0], strict=True))
    point = next(iter(random_points(law.system, 1)))
    direct = law.evaluate(point)[0]
    for ours, theirs in zip(evaluate_mp(accelerations.values(), point, 50), direct, strict=True):
        assert abs(ours - theirs) < 1e-35 * (1 + abs(theirs))


def test_sharing_keeps_the_value_and_bounds_the_text() -> None:
    x = graph.add(graph.symbol("x"), graph.number(1))
    for _ in range(60):
        x = graph.mul(x, graph.div(graph.ONE, graph.add(x, graph.number(2))))
    assert text_length(x) > 10**12
    (short,), names = name_shared([x])
    total = len(str(short)) + sum(len(str(n.args[0])) for n in names)
    assert total < 10_000
    a, b = evaluate_mp([x, short], {"x": Fraction(1, 3)}, 40)
    assert a == b


def test_field_broadcasts_and_gives_nan_at_singular_states() -> None:
    a = ch.field(ch.load("leibniz-particle"), "chetaev")
    q = np.zeros((4, 1, 3))
    v = np.array([[3.0, 0, 4], [0, 0, 5], [0, 0, 0]])
    result = a(0.0, q, v)
    assert result.shape == (4, 3, 3)
    assert np.isnan(result[:, 2]).all()
    assert np.allclose(result[0, 0], [4.704, 0, -3.528])
    assert a.multipliers(0.0, q, v).shape == (4, 3, 1)


def test_field_with_more_digits() -> None:
    a = ch.field(ch.load("knife-edge"), "chetaev", precision=40)
    values = a(0, [0, 0, "0.3"], [1, 0, 2])
    assert len(str(values[0])) > 35


def test_field_with_a_wrong_shape_is_a_sentence() -> None:
    with pytest.raises(ch.ModelError, match="one entry a coordinate"):
        ch.field(ch.load("knife-edge"))(0.0, [0.0, 0.0], [1.0, 0.0, 0.0])


def test_facts_are_json() -> None:
    facts = equation_facts(ch.equations(ch.load("nonholonomic-particle"), "chetaev"))
    assert json.loads(json.dumps(facts))["equations"][0] == formula("m*x'' + y*mu_1 = 0")


def test_K15_vakonomic_is_no_field() -> None:
    with pytest.raises(ch.ModelError, match="further states"):
        ch.field(ch.load("knife-edge"), "vakonomic")


@pytest.mark.parametrize(("eps", "known"), [("1e-5", True), ("1e-12", True), ("3e-16", False), ("0", False)])
def test_field_gives_nan_within_rounding_error_of_a_singular_law(eps: str, known: bool) -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x' + y')^2/2 + eps*y'^2/2 - y - 2*x",
        parameters={"eps": eps},
        degenerate=True,
    )
    a = ch.field(system, "chetaev")(0.0, [0.0, 0.0], [0.0, 0.0])
    assert np.isfinite(a).all() == known
    if known:
        assert a[1] == pytest.approx(1 / float(eps), rel=1e-3)


def test_field_does_not_take_units_for_singularity() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="m*x'^2/2 + y'^2/2 - m*g*x",
        parameters={"m": "9e-31", "g": 9},
        constraints=["y' = 1e20*x'"],
    )
    for form in ("reduced", "chetaev", "gauss"):
        a = ch.field(system, form)(0.0, [0.0, 0.0], [1.0, 1e20])
        assert a[1] == pytest.approx(-8.1e-50, rel=1e-12)
