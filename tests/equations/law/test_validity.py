"""Where equations hold as they are printed (SCOPE K16, K19)."""

from __future__ import annotations

import json

import pytest

import chetaev as ch
from chetaev.cli import run
from chetaev.equations.leading_form import Shown, in_order
from chetaev.equations.registry import every_law
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import definitions, postorder
from formulas import any_order, formula, formulas

PLANE = "m/2*(x'^2 + y'^2) + J/2*th'^2"
SKATE = {
    "coordinates": ["x", "y", "th"],
    "parameters": {"m": 1, "J": 1, "g": 9.81},
    "lagrangian": f"{PLANE} + m*g*x",
    "constraints": ["x'*sin(th) = y'*cos(th)"],
}
CAR = {
    "coordinates": ["x", "y", "th"],
    "parameters": {"m": 2, "J": 1, "L": 1},
    "define": {"delta": "0.4*sin(0.5*t)"},
    "lagrangian": PLANE,
    "constraints": ["x'*sin(th) = y'*cos(th)", "x'*sin(th + delta) - y'*cos(th + delta) = L*th'*cos(delta)"],
    "initial": {"x": 0, "y": 0, "th": 0, "x'": 1},
}
PLANET = {
    "coordinates": ["x", "y"],
    "parameters": {"k": 2},
    "define": {"r": "sqrt(x^2 + y^2)"},
    "lagrangian": "(x'^2 + y'^2)/2 + k/r",
}
LINKS = {
    "coordinates": ["a", "b"],
    "lagrangian": "a'^2 + b'^2/2 + a'*b'*cos(a - b)",
}
PLANE_IN_SPACE = {"coordinates": ["x", "y", "z"], "lagrangian": "(x'^2 + y'^2 + z'^2)/2"}
PRESSED = ch.System(
    coordinates=["x", "y"], lagrangian="y*x'^2/2 + y'^2/2", constraints=["y*x' = (1 + x^2)*y'"]
)


def start(system: dict[str, object], **values: float) -> ch.System:
    return ch.System(**system, initial=values)  # type: ignore[arg-type]


def assert_valid(law: ch.Equations, conditions: list[str]) -> None:
    """Valid where none of the conditions vanishes; everywhere if there are none."""
    assert law.valid.conditions == any_order(*conditions, factor=True)
    assert (law.valid.complete, law.valid.independent, law.valid.impossible) == (True, False, False)
    assert law.valid.everywhere is (None if conditions else True)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("system", "form", "conditions"),
    [
        (start(SKATE, th=0, x_dot=1, th_dot=1), "reduced", ["cos(th)"]),
        (start(SKATE, th=1.5707963267948966, y_dot=1, th_dot=1), "reduced", ["sin(th)"]),
        (ch.System(**SKATE), "chetaev", []),
        (ch.System(**SKATE), "quasi", []),
        (ch.load("snakeboard"), "quasi", ["cos(phi)"]),
        (ch.System(**SKATE), "first-variation", []),
        (ch.System(**CAR), "reduced", ["cos(th)", "cos(delta)"]),
        (ch.System(**PLANET), "euler-lagrange", ["r"]),
        (ch.System(**LINKS), "gauss", []),
        (ch.load("nonholonomic-particle"), "reduced", []),
        # where cos φ = 0 the constraints are dependent
        (ch.load("snakeboard"), "reduced", ["sin(phi)", "cos(phi)"]),
        (ch.load("snakeboard"), "chetaev", []),
        # rows were divided by what makes B̄ singular: y(…)x'' = y(…), sin²θ ψ'' = sin θ(…)
        (PRESSED, "reduced", ["y"]),
        (PRESSED, "gibbs-geometric", ["y"]),
        (PRESSED, "chetaev", []),
        (ch.load("suslov"), "reduced", ["sin(theta)"]),
        # the constraint has no reaction where a factor of it vanishes
        (ch.System(**PLANE_IN_SPACE, constraints=["x*(z' - y*x') = 0"]), "reduced", ["x"]),
        # one condition implies the others
        (
            ch.System(**PLANE_IN_SPACE, constraints=["tan(x')*y' = z' + t"]),
            "reduced",
            ["cos(x')"],
        ),
        (
            ch.System(**PLANE_IN_SPACE, constraints=["x'^2 + y'^2 = (1 + t)^2"]),
            "reduced",
            ["x'"],
        ),
    ],
)
def test_K19_where_equations_are_valid(system: ch.System, form: str, conditions: list[str]) -> None:
    law = ch.equations(system, form)
    assert_valid(law, conditions)
    assert ("valid where" in law.latex()) is not bool(law.valid.everywhere)
    assert json.loads(json.dumps(law.valid.to_json()))["words"] == str(law.valid)


@pytest.mark.slow
def test_K19_names_and_differences_of_angles_stay_in_quasi_velocities() -> None:
    law = ch.equations(ch.System(**CAR), "quasi")
    assert formula("x' = u*cos(delta)*cos(th)") in law.rows
    shown = [e for row in law.rows for e in (row.lhs, row.rhs)]
    assert {d.value: d.args[0] for d in definitions(*shown)}["delta"] == formula("2/5*sin(t/2)")
    trailer = ch.System(
        coordinates=["x", "y", "th", "ph"],
        parameters={"m": 1, "J": 1, "M": 2, "I": 0.5, "d": 1},
        lagrangian=f"{PLANE} + M/2*((x' + d*ph'*sin(ph))^2 + (y' - d*ph'*cos(ph))^2) + I/2*ph'^2",
        constraints=[
            "x'*sin(th) = y'*cos(th)",
            "(x' + d*ph'*sin(ph))*sin(ph) = (y' - d*ph'*cos(ph))*cos(ph)",
        ],
    )
    rows = ch.equations(trailer, "quasi").rows
    (turning,) = (row for row in rows if row == formula("ph' = u*sin(th - ph)/d"))
    assert formula("sin(th - ph)") in [node for node in postorder(turning.rhs) if node.op == "sin"]
    assert len(str(rows[0])) < 120


@pytest.mark.slow
def test_the_most_readable_form_comes_first_and_other_dynamics_last() -> None:
    system = start(SKATE, th=0, x_dot=1, th_dot=1)
    shown = {n: Shown.of(law, 200_000) for n, law in every_law(system) if not isinstance(law, str)}
    order = [s.law.form for s in in_order(system, shown)]
    assert order[0] == "quasi"
    assert order[-1] == "vakonomic"
    assert sorted(order) == sorted(shown)


def test_a_condition_is_one_where_a_chart_ends() -> None:
    """Near its zero the accelerations do not follow from the unknowns."""
    law = ch.equations(start(SKATE, th=0, x_dot=1, th_dot=1), "reduced")
    (condition,) = law.valid.conditions
    sizes = []
    for th in (0.3, 1.57):
        at = {("th", 0): th, ("x", 1): 1.0, ("y", 1): 2.0, ("th", 1): 1.0, ("m", 0): 1.0, ("J", 0): 1.0}
        values = evaluate([condition, *(e for row in law.recover for e in row)], at)
        sizes.append((abs(values[0]), max(abs(float(x)) for x in values[1:])))
    assert sizes[0][0] > 0.5
    assert sizes[0][1] < 2
    assert sizes[1][0] < 1e-3
    assert sizes[1][1] > 1e3


@pytest.mark.slow
def test_show_says_where_in_text_latex_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(*options: str) -> str:
        assert run(["show", "caratheodory-sleigh", "--form", "reduced", *options]) == 0
        return capsys.readouterr().out

    assert "  valid where cos(phi) != 0\n" in shown()
    assert r"& \text{valid where } \cos \phi \neq 0" in shown("--latex")
    (form,) = json.loads(shown("--json"))["forms"]
    assert form["valid"]["conditions"] == formulas(["cos(phi) != 0"])
    assert form["valid"]["everywhere"] is None


@pytest.mark.parametrize(
    ("potential", "constraints", "conditions"),
    [
        ("abs(x)", [], ["x"]),
        ("max(x, y)", [], ["y - x"]),
        ("abs(x^2 + 1)", [], []),
        ("k*abs(k)*x", [], []),
        ("x", ["y' = abs(x)*x'"], ["x"]),
    ],
)
def test_kinks_of_what_is_differentiated_are_no_part_of_everywhere(
    potential: str, constraints: list[str], conditions: list[str]
) -> None:
    system = ch.System(
        coordinates=["x", "y"],
        parameters={"k": 2},
        lagrangian=f"(x'^2 + y'^2)/2 - {potential}",
        constraints=constraints,
    )
    for form in ("reduced", "chetaev"):
        assert_valid(ch.equations(system, form), conditions)


def test_a_force_may_jump_where_the_equations_hold() -> None:
    """The force is put in, not differentiated."""
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-sign(x')"})
    assert ch.equations(system).valid.everywhere


def test_K23_equations_that_contradict_each_other_hold_nowhere() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 - y'^2)/2 - x", constraints=["x' = y'"])
    law = ch.equations(system)
    assert (law.valid.impossible, law.valid.everywhere) == (True, False)
    assert "no motion satisfies these equations" in str(law.valid)
    assert "no motion satisfies them" in ch.singular(system).left_open
