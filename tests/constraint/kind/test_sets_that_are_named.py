"""Sets that are named as singular are not empty at the model's own parameters (SCOPE K13, K23)."""

from __future__ import annotations

import pytest
import sympy

import chetaev as ch
from chetaev.constraint.submanifold.positive_functions import positive_on_torus
from chetaev.expr.exact import Field
from formulas import any_order, formula, formulas, names_in

THREE = ["x", "y", "z"]
FREE = "(x'^2 + y'^2 + z'^2)/2"


def classified(lagrangian: str, *velocity: str, position: str = "", **parameters: float) -> ch.Classification:
    constraints = {"velocity": list(velocity), "position": [position] if position else []}
    system = ch.System(
        coordinates=THREE, parameters=parameters, lagrangian=lagrangian, constraints=constraints
    )
    return ch.classify(system)


@pytest.mark.parametrize(
    ("lagrangian", "parameters"),
    [
        ("M/2*x'^2 + m/2*(x'^2 + 2*l*x'*y'*cos(y) + l^2*y'^2) + z'^2", {"M": 2, "m": 1, "l": 1}),
        ("(m + M)/2*x'^2 + m/2*y'^2 + m*x'*y'*cos(x - y) + z'^2/2", {"m": 1, "M": 1}),
        ("(1 + k*cos(x))*x'^2/2 + y'^2/2 + z'^2/2", {"k": 0.5}),
        ("((1 + y^2)*x'^2 + 2*x*y*x'*y' + (1 + x^2)*y'^2 + z'^2)/2", {}),
    ],
)
def test_K23_without_constraints_a_definite_mass_is_singular_nowhere(
    lagrangian: str, parameters: dict[str, float]
) -> None:
    found = classified(lagrangian, **parameters)
    assert found.singular_where == ()


def test_K23_a_set_that_the_parameters_allow_stays_named() -> None:
    found = classified("(1 + k*cos(x))*x'^2/2 + y'^2/2 + z'^2/2", k=2)
    assert list(found.singular_where) == formulas(["k*cos(x) + 1"], factor=True)
    assert f"singular where {found.singular_where[0]} = 0" in str(found)


@pytest.mark.parametrize(
    ("velocity", "parameters"),
    [
        ("s*x' + R*y' = 0", {"s": 1, "R": 2}),
        ("z' = x'^5 + x'", {}),
        ("x'*sin(z) = y'*cos(z)", {}),
        ("x'*(x^2 + y^2 + 1) + y' = 0", {}),
        ("x'^2 + x'*y' + y'^2 = 1", {}),
    ],
)
def test_K13_empty_sets_are_not_named(velocity: str, parameters: dict[str, float]) -> None:
    found = classified(FREE, velocity, **parameters)
    assert found.reason("rank").startswith("the rank condition holds everywhere")
    assert not found.singular_where
    assert not found.rank_fails_where


def test_K23_a_sum_of_even_terms_that_q_excludes() -> None:
    found = classified("(x^4 + y^4)*x'^2/2 + y'^2/2 + z'^2", position="x^2 + y^2 = 1")
    assert not found.singular_where


@pytest.mark.parametrize(
    ("lagrangian", "velocity", "singular", "dependent", "words"),
    [
        # Δ = det(C_D)² det B̄ keeps a factor that det B̄ divides by
        ("y*x'^2/2 + y'^2/2 + z'^2/2", "y*x' = (1 + x^2)*y'", ["x^4 + 2*x^2 + y + 1", "y"], [], "in another"),
        ("(x*x'^2 + y'^2 + z'^2)/2", "x*x' = z'*x + y*y'", ["x^2 + y^2 + x", "x"], ["x", "y"], "in another"),
        # where the rank of ∂f/∂v drops, there is no B̄
        ("(x'^2 + y'^2 + 2*z'^2)/2", "x'^3 + y'^3 = z'^3", [], ["x'", "y'", "z'"], "fails where"),
        ("(x'^2 + y'^2 + z'^2)/2", "x'^2 + y'^2 = (1 + t)^2", [], ["x'", "y'"], "fails where"),
        # 1/√u, not √u
        ("z'^2 - sqrt(1 - x'^2 - y'^2)", "x' = y*y'", [], [], "is regular at generic points, det ="),
    ],
)  # fmt: skip
def test_K23_singular_places_belong_to_no_chart_and_to_regular_points_of_q(
    lagrangian: str, velocity: str, singular: list[str], dependent: list[str], words: str
) -> None:
    found = classified(lagrangian, velocity)
    assert found.singular_where == any_order(*singular, factor=True)
    assert found.rank_fails_where == any_order(*dependent, factor=True)
    assert words in str(found)


def test_K23_the_factors_are_those_of_the_bordered_determinant() -> None:
    """det [[M, Cᵀ], [C, 0]] of SymPy, which knows no chart."""
    x, y = sympy.symbols("x y")
    bordered = sympy.Matrix([[y, 0, y], [0, 1, -(1 + x**2)], [y, -(1 + x**2), 0]]).det()
    named = classified("y*x'^2/2 + y'^2/2 + z'^2/2", "y*x' = (1 + x^2)*y'").singular_where
    product = sympy.Mul(*named).subs({sympy.Symbol(str(s), real=True): s for s in (x, y)})
    assert sympy.expand(bordered + product) == 0


def test_positive_on_the_torus_has_no_false_yes() -> None:
    field = Field()
    a, b = field.symbols("a b")
    p = field.cos(a) * field.cos(b) + field.sin(a) * field.sin(b)  # cos(a − b), which reaches −1
    assert positive_on_torus(p + field.number(6) / 5)
    assert not positive_on_torus(p + 1)
    assert not positive_on_torus(p + field.number(4) / 5)
    assert not positive_on_torus(a**2 + 2 + field.cos(a))  # not a function on a torus


def test_K16_names_of_the_model_stay_in_normal_forms_and_determinants() -> None:
    car = ch.System(
        coordinates=["x", "y", "th"],
        parameters={"m": 2, "J": 1, "L": 1},
        define={"delta": "0.4*sin(0.5*t)"},
        lagrangian="m/2*(x'^2 + y'^2) + J/2*th'^2",
        constraints=["x'*sin(th) = y'*cos(th)", "x'*sin(th + delta) - y'*cos(th + delta) = L*th'*cos(delta)"],
    )
    found = ch.classify(car)
    (form,) = found.normal_forms
    assert formula("cos(delta)", factor=True) in form.nonzero
    shown = (*form.velocities.values(), *form.nonzero, *found.singular_where)
    assert not any("t" in names_in(e) for e in shown)
