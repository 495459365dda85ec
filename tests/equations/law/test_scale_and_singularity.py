"""Units, degenerate laws, redundant constraints: systems at the edges of what the formulations assume."""

from __future__ import annotations

import json

import numpy as np
import pytest

import chetaev as ch
from chetaev.cli import run
from chetaev.compare.compare import compare
from chetaev.compare.comparison_table import WITNESSES
from chetaev.equations.forms import lepage, reduced
from chetaev.equations.forms.vakonomic import bracket_defect
from chetaev.equations.law.equation_facts import equation_facts
from chetaev.equations.law.law import SingularError
from chetaev.equations.law.normal_law import ChosenChart, DerivationsOnQ
from chetaev.equations.law.setup import Setup
from chetaev.model.states.points import random_points
from chetaev.numeric import is_regular
from formulas import formula, formulas

XYZ = ["x", "y", "z"]
FREE = "(x'^2 + y'^2 + z'^2)/2"
REDUNDANT = {"lagrangian": FREE + " - x*z", "constraints": ["x' = y'", "2*x' = 2*y'"]}


def particle(m: str, c: str, g: str = "9.81") -> ch.System:
    return ch.System(
        coordinates=XYZ,
        lagrangian="m*(x'^2 + y'^2 + z'^2)/2 - m*g*z",
        constraints=["c*(z' - x*y') = 0"],
        parameters={"m": m, "c": c, "g": g},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "c", "g"),
    [("1e-30", "1e-30", "9.81"), ("1e30", "1e30", "9.81"), ("9.1e-31", "1e15", "1e-20"), ("1", "1e-12", "1")],
)
def test_units_change_neither_the_forms_that_apply_nor_their_agreement(m: str, c: str, g: str) -> None:
    usual, scaled = compare(particle("1", "1"), samples=2), compare(particle(m, c, g), samples=2)
    assert scaled.agree
    assert [(r.form, r.points) for r in scaled.rows] == [(r.form, r.points) for r in usual.rows]


def test_masses_of_different_orders_of_magnitude_are_regular() -> None:
    system = ch.System(
        coordinates=XYZ,
        lagrangian="(x'^2 + y'^2)/2 + m*z'^2/2 - m*g*z",
        constraints=["c*(z' - x*y') = 0", "y' = 2"],
        parameters={"m": "1e-14", "g": "9.81", "c": "1e-12"},
    )
    found = ch.forms(system)
    assert {"dalembert", "connection", "gauss", "reduced"} <= set(found.names)


def test_small_coefficients_do_not_make_a_quartic_lagrangian_quadratic() -> None:
    system = ch.System(
        coordinates=XYZ,
        lagrangian=FREE + " + eps*x'^4",
        constraints=["z' = x*y'"],
        parameters={"eps": "1e-30"},
    )
    assert "not quadratic" in ch.forms(system).excluded["connection"]


def test_what_only_looks_quartic_still_counts_as_quadratic() -> None:
    system = ch.System(
        coordinates=["x", "y"], lagrangian="sqrt((x'^2 + y'^2)^2)/2", constraints=["x' = y*y'"]
    )
    assert "connection" in ch.forms(system)


def test_rounding_errors_of_a_zero_are_no_pivots() -> None:
    s = Setup(ch.System(coordinates=["x", "y"], lagrangian="x'^2 + (sin(x)^2 + cos(x)^2 - 1)*y'^2 + y'"))
    import casadi

    M = s.number(casadi.hessian(s.L, s.v)[0])
    assert M[1, 1] == 0
    assert not is_regular(M)


def test_bracket_defect_does_not_depend_on_units() -> None:
    point = next(iter(random_points(particle("1", "1"), 1)))
    large = bracket_defect(particle("1", "1"), point)
    assert abs(bracket_defect(particle("1", "1e-30"), {**point, "c": 1e-30}) - large) < 1e-12
    assert large > 1e-3


# --- singular laws ----------------------------------------------------------------------------------

DEGENERATE = [
    {"coordinates": ["x", "y"], "lagrangian": "(x'^2 - y'^2)/2", "constraints": ["x' = y'"]},
    {
        "coordinates": XYZ,
        "lagrangian": "(x' + y')^2/2 - x*y + z",
        "constraints": ["x' = 2*y'"],
        "degenerate": True,
    },
    {"coordinates": ["x", "y"], "lagrangian": "x*y' - y*x' - x^2", "degenerate": True},
]


@pytest.mark.parametrize("arguments", DEGENERATE)
@pytest.mark.parametrize("form", ["chetaev", "reduced", "gauss"])
def test_K23_a_singular_law_has_no_accelerations_and_says_so(arguments: dict, form: str) -> None:
    law = ch.equations(ch.System(**arguments), form)
    with pytest.raises(ch.ModelError, match="do not determine the accelerations"):
        _ = law.accelerations
    facts = equation_facts(law)
    assert "do not determine" in facts["undetermined"]
    assert facts["accelerations"] == {}
    assert facts["equations"]


def test_K23_a_system_without_inertia_is_compared_and_found_singular() -> None:
    system = ch.System(
        coordinates=XYZ,
        lagrangian="m*(x'^2 + y'^2)/2 + z'^2/2",
        constraints=["x' = y'"],
        parameters={"m": 0},
    )
    assert not compare(system, samples=2).evaluated


@pytest.mark.few(1)
@pytest.mark.parametrize("arguments", DEGENERATE)
def test_B4_energy_is_conserved_where_accelerations_are_not_determined(arguments: dict) -> None:
    law = next(law for law in ch.integrals(ch.System(**arguments)) if law.name == "energy")
    assert law.proof.proved


def test_a_law_without_value_at_a_point_is_singular_there() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + 1/x", constraints=["x' = y'/y"])
    with pytest.raises(SingularError, match="no value"):
        ch.equations(system, "chetaev").evaluate({"t": 0, ("x", 0): 0, ("y", 0): 1, ("x", 1): 1, ("y", 1): 1})


def test_a_law_that_is_singular_but_for_rounding_is_singular() -> None:
    system = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + (sin(x)^2 + cos(x)^2 - 1)*y'^2)/2 + y'*x", degenerate=True
    )
    law = ch.equations(system, "chetaev")
    for x in ("0.1", "0.7", "1.3"):
        with pytest.raises(SingularError):
            law.evaluate({"t": 0, ("x", 0): x, ("y", 0): 1, ("x", 1): 1, ("y", 1): 1})


# --- redundant and acceleration constraints ---------------------------------------------------------


@pytest.mark.slow
def test_L8_redundant_constraints_have_accelerations_and_multipliers_in_gauss() -> None:
    system = ch.System(coordinates=XYZ, **REDUNDANT)
    law = ch.equations(system, "gauss")
    assert law.accelerations == formulas({"x": "-z/2", "y": "-z/2", "z": "-x"})
    assert list(law.multipliers) == formulas(["z/2", "0"])
    laws = ch.integrals(system)
    assert laws[0].name == "energy"
    assert all(law.proof.proved for law in laws)


def test_L9_multipliers_of_an_acceleration_constraint_that_misses_the_first_coordinate() -> None:
    system = ch.System(
        coordinates=XYZ, lagrangian=FREE + " - 3*z", constraints={"acceleration": ["z'' = x*y''"]}
    )
    for form in ("chetaev", "gauss", "dalembert", "gibbs-appell", "gibbs-geometric", "gibbs-sasaki"):
        assert list(ch.equations(system, form).multipliers) == formulas(["3/(x^2 + 1)"]), form
    rows = compare(system, samples=1, prove=True).rows
    assert all(row.proved for row in rows if row.form not in WITNESSES)


@pytest.mark.slow
def test_multipliers_change_sign_with_the_sides_of_a_constraint() -> None:
    one = ch.System(coordinates=XYZ, lagrangian=FREE + " - 3*z", constraints=["z' = x*y'"])
    other = ch.System(coordinates=XYZ, lagrangian=FREE + " - 3*z", constraints=["x*y' = z'"])
    for form in ch.forms(one):
        if form != "vakonomic":
            (mu,), (minus_mu,) = ch.equations(one, form).multipliers, ch.equations(other, form).multipliers
            assert mu == formula("(x'*y' + 3)/(x^2 + 1)"), form
            assert minus_mu == formula("-(x'*y' + 3)/(x^2 + 1)"), form


def test_a_law_without_unknowns_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    """d'Alembert's form of a free system has no multipliers to solve for."""
    assert run(["show", "double-pendulum", "--form", "dalembert", "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)["forms"]
    assert facts["unknowns"] == []
    assert set(facts["accelerations"]) == set(ch.load("double-pendulum").coordinates)


# --- charts, names, arguments -----------------------------------------------------------------------


def test_reduced_equations_in_a_chosen_chart() -> None:
    system = ch.load("leibniz-particle")
    for name in system.coordinates:
        law = ch.equations(system, "reduced", dependent=[name])
        assert f"{name}''" not in law.unknowns
        point = next(iter(random_points(system, 1, seed=5)))
        ours, theirs = law.evaluate(point)[0], ch.equations(system, "chetaev").evaluate(point)[0]
        assert max(abs(x - y) for x, y in zip(ours, theirs, strict=True)) < 1e-40
    assert lepage.ChosenChart is ChosenChart
    assert reduced.DerivationsOnQ is DerivationsOnQ


def test_invented_names_keep_away_from_the_models_own() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="mu_1*(x'^2 + y'^2)/2 - c1*x*y",
        constraints=["x' = c1*y*y'"],
        parameters={"mu_1": 2, "c1": "1/3"},
    )
    for form in ("chetaev", "dalembert", "vakonomic"):
        law = ch.equations(system, form)
        assert not {n.rstrip("'") for n in law.unknowns if not n.endswith("''")} & system.names, form
    with pytest.raises(ch.ModelError, match="no option 'dependant'"):
        ch.equations(system, "reduced", dependant=["x"])


@pytest.mark.slow
def test_names_for_shared_parts_differ_between_law_and_solution() -> None:
    define = {"d0": "x'^2 + y'^2 + x*y"}
    for i in range(1, 40):
        define[f"d{i}"] = f"d{i - 1}^2/(1 + d{i - 1}) + d{max(i - 2, 0)}*cos(x)"
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 + (c1 + s1)*d39",
        define=define,
        parameters={"c1": 1, "s1": 2, "c2": 3},
        initial={"x": "1/10", "y": "1/5", "x_dot": 0, "y_dot": 0},
    )
    facts = equation_facts(ch.equations(system, "chetaev"), 0.2)
    assert not set(facts["definitions"]) & set(system.parameters)
    occurring = ch.equations(system, "chetaev").rows
    assert len(facts["definitions"]) > 40
    assert occurring


def test_field_recomputes_parameters_that_depend_on_given_ones() -> None:
    system = ch.System(coordinates=["x"], lagrangian="m*x'^2/2 - k*x", parameters={"m": 1, "k": "3*m^2"})
    assert ch.field(system)(0.0, [0.0], [0.0], {"m": 2.0}) == pytest.approx([-6.0])
    assert float(ch.field(system, precision=20)(0, [0], [0], {"m": 2})[0]) == -6.0
    assert ch.field(system)(0.0, [0.0], [0.0], {"m": np.array([1.0, 2.0])}).shape == (2, 1)
    with pytest.raises(ch.ModelError, match="no parameter 'M'"):
        ch.field(system)(0.0, [0.0], [0.0], {"M": 2.0})


@pytest.mark.parametrize(
    "call",
    [
        lambda: ch.equations("rolling-disc"),  # type: ignore[arg-type]
        lambda: ch.forms(None),  # type: ignore[arg-type]
        lambda: ch.integrals("knife-edge"),  # type: ignore[arg-type]
        lambda: ch.integrals(ch.load("knife-edge"), {"a": 5}),  # type: ignore[dict-item]
        lambda: ch.equations(ch.load("knife-edge"), 5),  # type: ignore[arg-type]
        lambda: ch.compare(ch.load("knife-edge"), samples=0),
        lambda: ch.compare(ch.load("knife-edge"), samples=1, digits=3),
        lambda: ch.field(ch.load("knife-edge"), precision=0),
    ],
)
def test_wrong_arguments_are_model_errors(call) -> None:
    with pytest.raises(ch.ModelError):
        call()


def test_K15_vakonomic_agreement_does_not_drown_in_multipliers_of_another_size() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="m*(x'^2 + y'^2)/2",
        parameters={"m": "1e-40", "a": "1e-10"},
        constraints=["x' = y'*x/a"],
        initial={"x": "1e-10", "y": "1e-10", "y_dot": "1e-3"},
    )
    result = compare(system, samples=2)
    assert "vakonomic" in {row.form for row in result.rows}
    assert result.agree
