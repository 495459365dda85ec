"""Integrals of mixtures in closed form: separated variables, homogeneous, Riccati equations (SCOPE K18)."""

from __future__ import annotations

import math

import pytest
import sympy

import chetaev as ch
from chetaev.constraint.kind.classifier import classify
from chetaev.constraint.submanifold import constraint_data as given_module
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import symbols
from formulas import formula, formulas
from portions import some

FREE = "(x'^2 + y'^2 + z'^2)/2"


@pytest.mark.parametrize(
    "slope",
    some([
        "1 + x^2",
        "x^2 - 1",
        "x^2 - 2",
        "y*(1 + x^2)",
        "(1 + x^2)/(1 + y^2)",
        "cos(x)",
        "x/y + 1",
        "(x^2 + y^2)/(x*y)",
        "(x + y)^2",
        "(x - y)^2 + 1",
    ], 3),
)  # fmt: skip
def test_K18_the_integral_of_a_mixture_is_found(slope: str) -> None:
    answer = classify(
        ConstraintData.of([f"x' = ({slope})*y'", "w' = z*y'"], ["x", "y", "z", "w"]), effort=8 * 10**6
    )
    assert (answer.holonomy, answer.integrable_dimension) == ("nonholonomic", 1)
    (u,) = answer.integrals
    x, y = sympy.symbols("x y", positive=True)
    names = {"x": x, "y": y}
    found = u.expression.to_sympy().subs({sympy.Symbol(n, real=True): s for n, s in names.items()})
    rate = found.diff(y) + sympy.sympify(slope.replace("^", "**"), locals=names) * found.diff(x)
    point = {x: sympy.Rational(13, 7), y: sympy.Rational(11, 9)}
    assert abs(sympy.N(rate.subs(point), 30)) < 1e-25
    assert abs(sympy.N(found.diff(x).subs(point), 30)) > 1e-3


def test_K18_an_integral_of_logarithms_is_a_product() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=FREE,
        constraints=["y*z*x' + x*z*y' + 2*x*y*z' = 0"],
        initial={"x": -1, "y": 1, "z": 2, "x_dot": 1, "y_dot": 1},
    )
    (u,) = ch.classify(system).integrals
    assert (u.expression, u.value) == (formula("x*y*z^2"), -4.0)


def test_K18_an_integral_without_value_at_the_start_has_none() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=FREE,
        constraints=["tan(x)*y' = x'"],
        initial={"x": -1, "y_dot": 1, "z_dot": 0},
    )
    (u,) = ch.classify(system).integrals
    assert u.value is None or math.isfinite(u.value)


def test_K18_the_constant_of_a_position_constraint_is_zero() -> None:
    system = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints={"position": ["x = 2*y + 1"]}
    )
    assert ch.classify(system).integrals[0].value == 0
    mixed = ch.System(
        coordinates=["x", "y", "z", "w"],
        lagrangian="(x'^2 + y'^2 + z'^2 + w'^2)/2",
        constraints={"position": ["x^2 + y^2 = 4"], "velocity": ["w' = x*z'"]},
    )
    assert list(ch.classify(mixed).integrals) == formulas(["x^2 + y^2 - 4 = 0"])
    sphere = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints={"position": ["x^2 + y^2 = 4"]}
    )
    assert list(ch.classify(sphere).integrals) == formulas(["x^2 + y^2 - 4 = 0"])


@pytest.mark.slow
def test_a_coefficient_that_is_huge_at_some_points_hides_no_other_constraint() -> None:
    answer = classify(ConstraintData.of(["x' = (x^2/y^2 + 1)*y'", "w' = z*y'"], ["x", "y", "z", "w"]))
    assert (answer.holonomy, answer.degrees_of_freedom, answer.growth_vector) == ("nonholonomic", 2, (2, 3))


def test_parameters_are_resolved_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(
        given_module, "symbol", lambda *a, make=given_module.symbol: made.append(a) or make(*a)
    )
    values = {f"p{i}": f"p{i - 1} + 1" if i else 1 for i in range(200)}
    given = ConstraintData.of(["x' = p199*y'"], ["x", "y"], parameters=values)
    assert given.at_values().velocity[0] == formula("x' - 200*y'")
    assert len(made) < 5 * len(values)


def test_position_constraints_that_are_given_keep_their_constant() -> None:
    """x² + y² = R² is shown with R², and is 0; the integral of the other constraint has its value."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        dynamics={"lagrangian": "(x'^2 + y'^2 + z'^2)/2"},
        parameters={"R": 2},
        constraints={"position": ["x^2 + y^2 = R^2"], "velocity": ["z' = 2*x'"]},
        initial={"x": 2, "y": 0, "z": 1, "y_dot": 1},
    )
    first, second = ch.classify(system).integrals
    at = {"x": 2.0, "y": 0.0, "z": 1.0, "R": 2.0}
    for integral in (first, second):
        assert evaluate([integral.expression], at)[0] == pytest.approx(integral.value)
    assert first.value == 0
    assert ("R", 0) in symbols(first.expression)
