"""Laws under position constraints are judged where φ = 0, not on every level of φ (SCOPE K12, K22)."""

from __future__ import annotations

from typing import Any

import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import symbols
from chetaev.laws.integrals import judged
from chetaev.laws.standpoint import EVERY_VALUE

AREA = {"area": "x*y' - y*x'"}
GAINED = ["y*(x^2 + y^2 - r^2)", "exp(x)*(x^2 + y^2 - r^2)", "(x^2 + y^2)^2*x - r^4*x"]
"""Potentials that are constant on the circle of radius r and on no other: there only, the area is kept."""


def on_circle(potential: str, circle: str = "x^2 + y^2 = r^2", **more: Any) -> ch.System:
    return ch.System(
        coordinates=["x", "y"],
        lagrangian=f"(x'^2 + y'^2)/2 - ({potential})",
        constraints={"position": [circle]},
        parameters={"r": 2},
        **more,
    )


@pytest.mark.parametrize("potential", GAINED)
def test_K12_what_is_conserved_on_the_level_of_the_constraint_only_is_conserved(potential: str) -> None:
    law = judged(on_circle(potential), AREA)[-1]
    assert law.conserved
    assert law.evidence == f"proved {EVERY_VALUE}"


@pytest.mark.parametrize("potential", GAINED)
def test_K12_on_another_level_it_is_not(potential: str) -> None:
    law = judged(on_circle(potential, "x^2 + y^2 = 4*r^2"), AREA)[-1]
    assert law.conserved is False


@pytest.mark.parametrize("name", ["pendulum-moving-support", "pendulum-cartesian", "bead-on-rotating-hoop"])
def test_K12_a_witness_against_a_law_satisfies_the_position_constraints(name: str) -> None:
    system = ch.load(name)
    parameters = {key: float(value) for key, value in system.parameter_values.items()}
    witnesses = [law.proof.witness for law in judged(system) if law.conserved is False and law.proof.witness]
    assert witnesses
    for witness in witnesses:
        at = {**parameters, **{key: float(value) for key, value in witness.items()}}
        for equation in system.position_constraints:
            at_rest = {n + "'" * k: 0.0 for n, k in symbols(equation.residual)} | at
            assert abs(float(evaluate([equation.residual], at_rest)[0])) < 1e-9
