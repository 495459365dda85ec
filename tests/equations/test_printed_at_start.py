"""Equations as they are printed: finite at the initial state, true there, and on Q equal to the law they come
from (SCOPE K19): the text is read back, nothing else.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.equations.law.law_display import rows, text_of
from chetaev.equations.registry import every_law
from chetaev.errors import ModelError
from chetaev.expr.graph.node import postorder
from chetaev.model.states.points import random_points
from formulas import formula, formulas
from galleries import DETERMINED
from portions import some
from printed import disagreement, read, start
from random_systems import random_system

LENGTHS = tomllib.loads((Path(__file__).parent / "printed_lengths.toml").read_text())
"""Characters of the reduced equations of the gallery as they are printed."""
EFFORT = 200_000


def printed(name: str, form: str = "reduced") -> str:
    return str(ch.equations(ch.load(name), form))


@pytest.mark.parametrize("name", some(DETERMINED, 5))
def test_K19_reduced_equations_hold_at_the_initial_state_as_they_are_printed(name: str) -> None:
    system = ch.load(name)
    if "reduced" not in ch.forms(system):
        with pytest.raises(ModelError):
            printed(name)
        return
    text, law = printed(name), ch.equations(system, "reduced")
    if not law.unknowns:  # the constraints determine the motion, as on a phase space
        assert text == ""
        return
    assert disagreement(system, law, text, start(system)) < 1e-7, text
    if name in LENGTHS:
        assert len(text) <= 1.1 * LENGTHS[name] + 4, text


@pytest.mark.parametrize("name", some(["caratheodory-sleigh", *DETERMINED], 60, slow=4))
def test_K19_every_form_is_finite_at_the_initial_state_and_equals_its_law(name: str) -> None:
    system, compared = ch.load(name), 0
    for form, law in every_law(system):
        if not isinstance(law, str):
            text = text_of(rows(law, EFFORT))
            if not law.unknowns:
                assert text == ""
                compared += 1
                continue
            found = disagreement(system, law, text, start(system))
            assert not found > 1e-7, f"{form}\n{text}"  # not a number: the law has no solution there
            compared += found == found
    assert compared


@pytest.mark.parametrize("seed", some(range(1, 7), 6))
@pytest.mark.parametrize("form", ["reduced", "chetaev"])
def test_K19_printed_equations_of_random_systems_equal_the_law_on_q(form: str, seed: int) -> None:
    system = random_system(seed, most=3)
    law = ch.equations(system, form)
    text = text_of(rows(law, 10 * EFFORT))
    for point in random_points(system, 3, seed=seed):
        at = {k if isinstance(k, tuple) else (k, 0): float(x) for k, x in point.items()}
        assert disagreement(system, law, text, at) < 1e-8, text


def test_a_wrong_sign_in_a_printed_equation_is_seen() -> None:
    system = ch.load("caratheodory-sleigh")
    law = ch.equations(system, "reduced")
    wrong = str(law).replace("-m*a*x'", "m*a*x'")
    assert disagreement(system, law, wrong, start(system)) > 1e-3
    assert read(system, law, wrong, start(system))[0].shape == (2, 2)


@pytest.mark.slow
def test_the_reduced_equations_of_the_gallery_are_as_short_as_they_were() -> None:
    """In the first version those of 45 models had 16,948 characters."""
    found = {name: len(str(ch.equations(ch.load(name), "reduced"))) for name in LENGTHS}
    assert sum(found.values()) <= 1.01 * sum(LENGTHS.values()), found


def test_K19_the_sleigh_in_the_velocities_of_a_regular_chart() -> None:
    sleigh = ch.load("caratheodory-sleigh")
    assert list(ch.equations(sleigh, "reduced").rows) == formulas(
        ["x'' = phi'*(a*phi'*cos(phi) - y')", "(m*a^2 + J)*phi'' = -m*a*x'*phi'/cos(phi)"]
    )


def test_a_row_that_holds_on_all_of_q_is_not_divided_by_what_may_vanish() -> None:
    assert ch.equations(ch.load("knife-edge"), "chetaev").rows[-1] == formula(
        "sin(phi)*x'' - cos(phi)*y'' = -phi'*(x'*cos(phi) + y'*sin(phi))"
    )


def test_names_and_sums_of_angles_stay() -> None:
    car = ch.System(
        coordinates=["x", "y", "th"],
        parameters={"m": 2, "J": 1, "L": 1},
        define={"delta": "0.4*sin(0.5*t)"},
        lagrangian="m/2*(x'^2 + y'^2) + J/2*th'^2",
        constraints=["x'*sin(th) = y'*cos(th)", "x'*sin(th + delta) - y'*cos(th + delta) = L*th'*cos(delta)"],
        initial={"x": 0, "y": 0, "th": 0, "x'": 1},
    )
    law = ch.equations(car, "chetaev")
    shown = [node for row in law.rows for node in postorder(row.lhs, row.rhs)]
    assert formula("sin(delta + th)") in [node for node in shown if node.op == "sin"]
    assert [node.value for node in shown if node.op == "define"].count("delta")
    text = str(law)
    assert disagreement(car, ch.equations(car, "chetaev"), text, start(car)) < 1e-9
    assert len(str(ch.equations(car, "reduced"))) < 300


def test_a_root_gets_its_name_back() -> None:
    planet = ch.System(
        coordinates=["x", "y", "z"],
        parameters={"k": 2},
        define={"r": "sqrt(x^2 + y^2 + z^2)"},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + k/r",
    )
    assert ch.equations(planet, "euler-lagrange").rows[0] == formula("x'' = -k*x/r^3")


@pytest.mark.parametrize(("start", "velocity"), [({"y_dot": 1, "x_dot": 0}, "y'"), ({"x_dot": 1}, "x'")])
def test_of_several_sheets_the_chart_is_that_of_the_start(start: dict[str, int], velocity: str) -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - x - y",
        constraints=["x'*y' = 0"],
        initial=start,
    )
    law = ch.equations(system, "reduced")
    assert law.unknowns == (f"{velocity}'",)
    assert list(law.valid.conditions) == formulas([velocity], factor=True)
