"""Laws with roots of parameters say for which values they are real; nothing complex is printed (K22)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.graph.node import postorder
from chetaev.expr.language.parser import parse
from chetaev.laws.integrals import judged
from chetaev.laws.parameter_signs import without_signs
from chetaev.laws.reality import realness
from chetaev.laws.standpoint import EVERY_VALUE
from chetaev.laws.undefined import undefined
from formulas import formula, formulas

EFFORT = 300_000


def spring(k: int, m: int = 2) -> ch.System:
    return ch.System(coordinates=["x"], lagrangian="(m*x'^2 - k*x^2)/2", parameters={"k": k, "m": m})


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, -3])
def test_K22_quadratic_functions_of_an_oscillator_have_no_complex_law(k: int) -> None:
    """a = x², b = x x', c = x'² of x'' = -k x, where exp(−2 t √(−k)) is complex for k = 2."""
    rates = {"a": "2*b", "b": "c - k*a", "c": "-2*k*b"}
    system = ch.System(coordinates=["a", "b", "c"], dynamics={"velocities": rates}, parameters={"k": k})
    laws = ch.integrals(system, {"F": "(2*b*sqrt(-k) + c - a*k)*exp(-2*t*sqrt(-k))"}, effort=EFFORT)
    assert all(realness(system, law.expression).holds for law in laws)
    assert ("F" in {law.name for law in laws}) == (k < 0)
    if k < 0:
        assert laws[0].evidence == f"proved {EVERY_VALUE} with k < 0"


@pytest.mark.slow
@pytest.mark.parametrize(("k", "condition"), [(3, "m*k > 0"), (-3, "m*k < 0")])
def test_K22_the_condition_is_part_of_the_statement(k: int, condition: str) -> None:
    law = ch.integrals(spring(k), effort=EFFORT)[1]
    assert law.proof.proved
    every, said = law.parameters.split(" with ")
    assert (every, said) == (EVERY_VALUE, formula(condition))
    assert "sign" not in {node.op for node in postorder(law.expression)}
    assert law.to_json()["parameters"] == law.parameters


def test_K22_a_complex_candidate_is_undecided() -> None:
    given = {"F": "(x' + x*sqrt(-k/m))*exp(-t*sqrt(-k/m))", "log": "log(m - 3)*(m*x'^2 + k*x^2)"}
    complex_one, logarithm = judged(spring(3), given, effort=EFFORT)[-2:]
    assert complex_one.conserved is None
    assert "not real unless k/m < 0" in complex_one.evidence
    assert logarithm.conserved is None
    assert "m - 3 > 0" in logarithm.evidence
    assert judged(spring(-3), given, effort=EFFORT)[-2].conserved


def test_K22_conditions_on_parameters_only() -> None:
    system = spring(3)
    asked: dict[str, list[str]] = {
        "sqrt(x^2 - k)": [],
        "sqrt(k^2 + 1)": [],
        "sqrt(2)": [],
        "k^(1/2)": ["k > 0"],
        "log(m*k)": ["m*k > 0"],
    }
    for text, conditions in asked.items():
        assert list(realness(system, parse(text, system.scope)).conditions) == formulas(conditions), text
    assert without_signs(spring(3, -2), parse("t*sign(m)*x", system.scope)) == formula("-t*x")


def test_B4_an_energy_that_is_nothing_says_so() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="sqrt(x'^2 + y'^2)",
        constraints=["x'^2 + y'^2 = 1"],
        degenerate=True,
    )
    law = judged(system, effort=EFFORT)[0]
    assert law.expression == formula("0")
    assert "homogeneous of degree one" in law.cause


@pytest.mark.slow
def test_K22_a_law_that_jumps_is_none() -> None:
    """sign(x)(x'² + 2 k |x|) has the rate zero on both sides of x = 0, where it changes its sign."""
    absolute = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - k*abs(x)",
        forces={"y": "-y'*abs(y')"},
        parameters={"k": 2},
    )
    laws = ch.integrals(absolute, {"F": "x'^2*sign(x) + 2*x*k", "G": "x'^2 + 2*k*abs(x)"}, effort=EFFORT)
    assert [law.name for law in laws] == ["G"]
    assert "jumps where x = 0" in judged(absolute, {"F": "x'^2*sign(x) + 2*x*k"})[-1].evidence
    found = ch.integrals(absolute)
    assert [law.expression for law in found] == formulas(["x'^2 + 2*x*k*sign(x)"], factor=True)
    assert not found.by_equation


def test_K22_where_a_law_is_not_defined_is_said_once() -> None:
    system = spring(3)
    said = undefined(parse("log(t)/sqrt(t)", system.scope), system)
    assert said.removeprefix("not defined where ") == formula("t ≤ 0")


@pytest.mark.parametrize(
    "text", ["log(-x'^2 - 1)", "sqrt(-1 - x'^2)", "log(sin(x') - 2)", "log(x' - x')", "x'/a", "a^(-1)*x'"]
)
def test_K22_a_function_without_values_is_no_law(text: str) -> None:
    """Also where a division by zero shows only at the values of the parameters."""
    free = ch.System(coordinates=["x"], lagrangian="x'^2/2", parameters={"a": 0})
    (law,) = (law for law in judged(free, {"F": text}) if law.name == "F")
    assert law.conserved is None
    assert "F" not in {law.name for law in ch.integrals(free, {"F": text})}
    for kind in ("conserved", "not_conserved"):
        model = {"coordinates": ["x"], "lagrangian": "x'^2/2", "parameters": {"a": 0}}
        (claim,) = ch.claims(ch.System(**model, claims=[{kind: text}]))  # type: ignore[arg-type]
        assert claim.holds is None
