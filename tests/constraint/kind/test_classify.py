"""Constraints with a trap: disguises, unions, redundancy, hidden relations, singular and hostile ones
(SCOPE K13, K17, K18)."""

from __future__ import annotations

import pytest

from chetaev.constraint import Classification, Constraint, ConstraintData, classify
from chetaev.expr.exact.vanishing import zero_test
from chetaev.model.file.loader import load
from chetaev.model.system import System
from formulas import any_order, sentence


def kind(*equations: str, names: str = "xyz", position: tuple[str, ...] = ()) -> Classification:
    return classify(ConstraintData.of(equations, list(names), position), effort=10**7)


def test_K18_the_two_examples_of_the_issue() -> None:
    assert kind("x' + z*z' = 0").integrable is True
    assert kind("x' + z*z' = 0").holonomy == "semiholonomic"
    assert kind("x' + y*z' = 0").integrable is False
    assert kind("x' + y*z' = 0").holonomy == "nonholonomic"


@pytest.mark.parametrize(
    ("equation", "degree"),
    [
        ("x'^5 + x'*y' + y*z'^3 - 1 = 0", 5),
        ("sin(x') + y'*z' = x", None),
        ("x'^5 + x' + (1 + x^2)*(y'^5 + y') + z'^5 + z' = 2", 5),
        ("x'*exp(x') + y'*exp(y') + z'*exp(z') = 1 + x^2", None),
    ],
)
def test_K13_implicit_constraints_without_closed_normal_form(equation: str, degree: int | None) -> None:
    c = kind(equation)
    assert (c.holonomy, c.velocities, c.degree) == ("nonholonomic", "nonlinear", degree)
    assert c.growth_vector == (5, 6)
    assert "proved" in c.reason("velocities")


# --- space-time -----------------------------------------------------------------------------------


def test_K18_time_counts() -> None:
    assert kind("x' = t*y'").holonomy == "nonholonomic"  # at frozen t it would be integrable
    c = kind("x' = t*y' + y")
    assert (c.holonomy, c.velocities, c.time) == ("semiholonomic", "affine", "rheonomic")
    assert kind("x' = y", names="xy").holonomy == "nonholonomic"  # at frozen t there would be nothing to ask


def test_K13_intrinsic_time_and_homogeneity() -> None:
    c = kind("exp(t)*(x' - y') = 0")
    assert (c.time, c.homogeneous, c.velocities) == ("skleronomic", True, "linear")
    c = kind("x'^2 + y'^2 = z'^2*(1 + t^2)")
    assert (c.time, c.homogeneous) == ("rheonomic", True)


# --- unions of branches ---------------------------------------------------------------------------


def test_K13_a_product_is_a_union_of_branches() -> None:
    c = kind("x'^2 - y'^2 = 0")
    assert len(c.branches) == 2
    assert {b.holonomy for b in c.branches} == {"semiholonomic"}
    assert "union of 2 branches" in c.kind
    assert any("union of 2 branches" in r for r in c.reasons)


def test_K13_branches_of_different_kind() -> None:
    c = kind("(x' + y*z')*(x' - z*z') = 0")
    assert sorted(b.holonomy for b in c.branches) == ["nonholonomic", "semiholonomic"]
    assert c.holonomy == "nonholonomic"


def test_K13_the_initial_state_chooses_the_branch() -> None:
    s = System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["(x' + y*z')*(x' - z*z') = 0"],
        initial={"z": 1, "y": 2, "x_dot": 1, "y_dot": 0, "z_dot": 1},
    )
    c = classify(s)
    assert c.holonomy == "semiholonomic"
    assert any("branch of the initial state" in r for r in c.reasons)


def test_K13_a_union_that_does_not_factor_as_a_polynomial() -> None:
    c = kind("x'^2*cos(z)^2 = y'^2*sin(z)^2")
    assert len(c.branches) == 2
    assert {b.velocities for b in c.branches} == {"linear"}


def test_K13_powers_and_factors() -> None:
    c = kind("(x' + z*z')^3 = 0")
    assert (c.holonomy, c.velocities, c.written, c.degree) == ("semiholonomic", "linear", "nonlinear", 1)
    assert sentence("", "(x' + z*z')^3 = 0", " means ", "x' + z*z' = 0", ";") in c.reasons
    assert any("y ≠ 0" in r for r in kind("y*(x' + z*z') = 0").reasons)
    assert kind("(x' - y*z')*(x'^2 + 1) = 0").branches == ()


def test_K13_branch_of_abs_and_sqrt() -> None:
    for equation in ("abs(x') = y*z'", "sqrt(x'^2 + y'^2) = z'"):
        assert any("holds on the branch" in r for r in kind(equation).reasons)


# --- rank -----------------------------------------------------------------------------------------


def test_K13_redundant() -> None:
    c = kind("x' = y*z'", "2*x' = 2*y*z'")
    assert (c.codimension, c.degrees_of_freedom) == (1, 2)
    assert any("redundant" in w for w in c.warnings)
    c = kind("x' = y*z'", "y' = z'", "x' + y' = (1 + y)*z'")
    assert c.codimension == 2


def test_K13_what_is_nearly_redundant_is_not_said_to_follow() -> None:
    """It says y' = 0 too: what holds for the others alone is no verdict."""
    found = kind("x' = y*z'", "x' = y*z' + 1e-12*y'")
    assert found.holonomy == "undecided"
    assert "does not follow from them (proved: value" in found.reasons[0]


def test_K13_contradictions_are_proved() -> None:
    for pair in (("x' + y' = 1", "x' + y' = 2"), ("x' = x", "x' = x + y^2 + 1")):
        assert "contradict each other: no state satisfies all of them (proved" in kind(*pair).reasons[0]


def test_K13_factors_that_vanish_nowhere_leave_nothing_out() -> None:
    told = [r for r in kind("exp(x)*y*(y*x' + x*y' + z') = 0").reasons if "factor is left out" in r]
    assert [r.partition("where ")[2] for r in told] == ["y ≠ 0"]


def test_K13_branches_are_written_without_two_signs() -> None:
    branches = kind("x'^2 = 1 + x^2").reasons[0]
    plus, minus = "x' + sqrt(x^2 + 1) = 0", "x' - sqrt(x^2 + 1) = 0"
    assert any(
        sentence("branches: ", *pair, ";") == branches
        for pair in ((plus, " or ", minus), (minus, " or ", plus))
    )
    assert "+ -" not in branches
    assert "- -" not in branches


def test_K13_hidden_position_constraint() -> None:
    c = kind("x' = y'", "x' = y' + x")
    assert any("imply the position constraint x = 0" in r for r in c.reasons)
    assert c.degrees_of_freedom == 1


def test_K13_hidden_position_constraint_of_nonlinear_constraints() -> None:
    c = kind("x'^2 + y'^2 = 1", "x'^2 + y'^2 = 1 + z")
    assert any("imply the position constraint" in r for r in c.reasons)
    assert (c.codimension, c.integrable_dimension) == (2, 1)
    assert kind("x = 0").holonomy == "holonomic"
    assert kind("(x - y^2)^3 = 0").holonomy == "holonomic"


def test_K13_identities_say_nothing() -> None:
    c = kind("x' = x'")
    assert c.holonomy == "unconstrained"
    assert any("holds identically" in w for w in c.warnings)
    assert kind("0*x' = 0", "x' = y*z'").codimension == 1


def test_K13_velocity_constraint_that_follows_from_a_position_constraint() -> None:
    c = kind("x*x' + y*y' = 0", position=("x^2 + y^2 = 1",))
    assert (c.holonomy, c.velocities, c.codimension) == ("holonomic", "none", 1)
    assert sentence("constraint ", "x*x' + y*y' = 0", " is redundant") in c.warnings


@pytest.mark.slow
def test_K13_constraints_without_solution() -> None:
    for equations in (("x' = y'", "x' = y' + 1"), ("x'^2 + y'^2 + 1 = 0",)):
        assert kind(*equations).holonomy == "undecided"


@pytest.mark.parametrize("equation", ["x'^2 + y'^2 = 0", "sqrt(x'^2 + y'^2) = 0", "x'^2 + y'^2 + z'^2 = 0"])
def test_K13_singular_everywhere_as_written(equation: str) -> None:
    c = kind(equation)
    assert c.holonomy == "semiholonomic"  # x' = 0, y' = 0, …
    assert any("loses the rank condition (46) on all of Q" in w for w in c.warnings)


def test_K13_rank_fails_at_the_apex_of_a_cone() -> None:
    assert kind("x'^2 + y'^2 = z'^2").rank_fails_where == any_order("x'", "y'", "z'", factor=True)


def test_K13_as_many_constraints_as_coordinates() -> None:
    c = kind("x' = 1", "y' = x", "z' = y")
    assert (c.holonomy, c.degrees_of_freedom, c.integrable_dimension) == ("semiholonomic", 0, 3)
    assert len(c.integrals) == 3


# --- mixtures, positions --------------------------------------------------------------------------


def test_D2_mixture_of_a_nonlinear_and_an_integrable_constraint() -> None:
    c = kind("x'^2 + y'^2 = 1", "w' = z*z'", names="xyzw")
    assert (c.holonomy, c.integrable_dimension) == ("nonholonomic", 1)
    assert len(c.integrals) == 1


def test_D2_combination_is_integrable_though_no_single_constraint_is() -> None:
    c = kind("x' = y*z'", "y*w' = y^2*z' + y*r'", names="xyzwr")
    assert (c.holonomy, c.integrable_dimension) == ("nonholonomic", 1)
    assert any("a combination of the velocity constraints" in w for w in c.warnings)


def test_K18_integrable_only_together() -> None:
    c = kind("x' = y*z'", "y' = 0")
    assert (c.holonomy, c.integrable_dimension) == ("semiholonomic", 2)


def test_K18_integrable_only_on_a_position_constraint() -> None:
    c = kind("x' = y*z'", position=("y = 2",))
    assert c.holonomy == "semiholonomic"
    assert kind("x' = y*z'", position=("w = 2",), names="xyzw").holonomy == "nonholonomic"


def test_position_and_velocity_constraints_together() -> None:
    c = kind("z' = x*y'", position=("w = x^2",), names="xyzw")
    assert (c.holonomy, c.codimension, c.integrable_dimension) == ("nonholonomic", 2, 1)


@pytest.mark.parametrize(
    ("equation", "parameters"),
    [
        ("x' = cos(a)*y'", {"a": "pi/9"}),
        ("x' = sqrt(2)*y' + k*z*z'", {"k": "sqrt(2/5)"}),
        ("x' = pi*z*z' + exp(1)*y'", {}),
        ("x'/x = z'*tan(z)", {}),
        ("x*y' - y*x' = (x^2 + y^2)*z'", {}),
        ("x'*cos(y) - x*sin(y)*y' = 3*t^2 + exp(z)*z'", {}),
        ("y*x' = x*(y' + y*z')", {}),
        ("x' = abs(y)*y'/y + z*z'", {}),
        ("x' = (asin(y) + acos(y))*z'", {}),
        ("x' = log(y*z)*z' - (log(y) + log(z))*z' + z*z'", {}),
    ],
)
def test_K18_integrals_in_closed_form(equation: str, parameters: dict[str, str]) -> None:
    given = ConstraintData.of([equation], ["x", "y", "z"], parameters=parameters)
    c = classify(given, effort=10**7)
    assert c.holonomy == "semiholonomic"
    (u,) = c.integrals
    Q = Constraint(given)
    rate = Q.chart.cut_total_derivative(Q.chart(u.expression))
    on = given.with_values(*given.velocity)
    assert zero_test(given.with_values(rate.to_expr())[0], on).is_zero, u


@pytest.mark.parametrize(
    "function", ["sqrt(y)", "log(y)", "asin(y)", "abs(y)", "y^(2/3)", "atan2(y, 1 + z^2)"]
)
def test_K18_not_integrable_with_functions_whose_normal_form_does_not_decide(function: str) -> None:
    c = kind(f"x' = {function}*z'")
    assert c.holonomy == "nonholonomic"
    assert "proved" in c.reason("holonomy")


# --- hostile --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "equation", ["x' + 10^12*y*z' = 0", "x' + 10^(-12)*y*z' = 0", "x' = y' + 10^(-12)*y*z'"]
)
def test_huge_and_tiny_coefficients(equation: str) -> None:
    c = kind(equation)
    assert c.holonomy == "nonholonomic"
    assert "proved" in c.reason("holonomy")


def test_zero_parameter_makes_it_integrable() -> None:
    s = System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["x' + a*y*z' = z*z'"],
        parameters={"a": 0},
    )
    assert classify(s).holonomy == "semiholonomic"
    assert classify(s.with_parameters(a=1)).holonomy == "nonholonomic"


def test_a_long_constraint_does_not_hang() -> None:
    names = ["x", "y", "z", "u", "w", "r", "s", "p"]
    sines = " + ".join(
        f"sin({a}*{b})*{c}'" for a, b, c in zip(names, names[1:] + names[:1], names, strict=True)
    )
    more = " + ".join(
        f"exp({a})*cos({b})*{c}'" for a, b, c in zip(names, names[2:] + names[:2], names, strict=True)
    )
    c = classify(
        ConstraintData.of([f"{sines} = 0", f"({more})*({sines} + 1) + {more} = 1", f"{more} = x'*y'"], names)
    )
    assert c.holonomy == "nonholonomic"


def test_models_without_initial_data_and_without_lagrangian_work() -> None:
    s = System(coordinates=["x", "y", "z"], lagrangian="x'^2/2", constraints=["x' = y*z'"], degenerate=True)
    c = classify(s)
    assert c.holonomy == "nonholonomic"
    assert c.regular is False  # ∂²L/∂v∂v has rank 1, two velocities are free
    assert classify(ConstraintData.of(["x' = y*z'"], ["x", "y", "z"])).regular is None


def test_L9_a_numerical_look_at_accelerations_is_not_called_a_proof():
    found = classify(
        System(
            coordinates=["x", "y"],
            lagrangian="(x'^2 + y'^2)/2",
            constraints={"acceleration": ["x'' = t*y''"]},
        )
    )
    assert found.time == "rheonomic"
    assert "tested at" in found.reason("time")
    assert "proved" not in found.reason("time")


def test_K17_a_constraint_that_is_no_cone_has_a_witness():
    found = classify(load("decelerated-particle"))
    assert found.homogeneous is False
    (evidence,) = (f.evidence for f in found.findings if f.question == "homogeneous")
    assert evidence.proved
    assert "value" in evidence.method


@pytest.mark.parametrize("text", ["sin(x' - y*z') = 0", "tan(x' - y*z') = 1", "cos(x' - x*y') = 1/2"])
def test_K13_a_periodic_function_has_branches_without_end(text: str) -> None:
    found = classify(ConstraintData.of([text], ["x", "y", "z"]))
    assert "union of infinitely many branches" in found.kind
    assert "pi of the argument of " in found.reason("branches")
