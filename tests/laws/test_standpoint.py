"""Laws for every value of the parameters, and for the values given; derived parameters are what they say."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.laws.energy import energy_law
from chetaev.laws.integrals import judged
from chetaev.laws.law import Law
from chetaev.laws.standpoint import EVERY_VALUE, VALUES_GIVEN, standpoints

FREE = "(x'^2 + y'^2)/2"
BOUND = {"k": 2, "l": "k"}


def of(name: str, laws: list[Law]) -> Law:
    return next(law for law in laws if law.name == name)


def plane(**rest: object) -> ch.System:
    return ch.System(**({"coordinates": ["x", "y"], "lagrangian": FREE, "parameters": BOUND} | rest))


def test_a_parameter_defined_by_another_is_that_one() -> None:
    system = plane(lagrangian=f"{FREE} - k*x^2/2 - l*y^2/2")
    law = of("J", judged(system, {"J": "x*y' - y*x'"}))
    assert law.conserved is True
    assert law.proof.proved
    assert law.parameters == EVERY_VALUE


@pytest.mark.parametrize(
    "system",
    [
        plane(forces={"x": "(k - l)*x'"}),
        plane(constraints=["y' = x*x' + k - l"]),
        plane(lagrangian=f"{FREE} - (k - l)*t*x^2"),
        plane(parameters={"k": 3, "a": "k^2", "b": "sqrt(a)"}, lagrangian=f"{FREE} - (abs(k) - b)*t*x^2"),
    ],
    ids=["force", "affine constraint", "Lagrangian", "chain"],
)
def test_B4_energy_with_derived_parameters(system: ch.System) -> None:
    law = energy_law(system)
    assert law.conserved is True
    assert law.proof.proved
    assert law.parameters == EVERY_VALUE
    assert "conserved because" in law.origin


def test_Sw7_ball_on_a_turntable_with_the_inertia_of_a_homogeneous_ball() -> None:
    # ax', ay', az' stand for the components of the angular velocity in space
    system = ch.System(
        coordinates=["x", "y", "ax", "ay", "az"],
        parameters={"m": 3, "r": "1/2", "I": "2*m*r^2/5", "Omega": "7/5"},
        lagrangian="m*(x'^2 + y'^2)/2 + I*(ax'^2 + ay'^2 + az'^2)/2",
        constraints=["x' = r*ay' - Omega*y", "y' = -r*ax' + Omega*x"],
    )
    law = of("centre", judged(system, {"centre": "x' + 2*Omega*y/7"}))
    assert law.conserved is True
    assert law.proof.proved
    assert law.parameters == EVERY_VALUE


def test_a_law_for_the_values_given_says_so() -> None:
    system = plane(parameters={"k": 2, "l": 2}, lagrangian=f"{FREE} - k*x^2/2 - l*y^2/2")
    law = of("J", judged(system, {"J": "x*y' - y*x'"}))
    assert law.conserved is True
    assert law.parameters == VALUES_GIVEN
    assert law.evidence == "proved for the values given"
    assert of("energy", judged(system)).parameters == EVERY_VALUE


def test_a_refutation_is_a_state_of_this_very_model() -> None:
    system = plane(parameters={"k": 2, "l": 3}, lagrangian=f"{FREE} - k*x^2/2 - l*y^2/2")
    law = of("J", judged(system, {"J": "x*y' - y*x'"}))
    assert law.conserved is False
    assert law.proof.proved
    assert law.parameters == VALUES_GIVEN
    witness = law.proof.witness
    assert witness is not None
    assert not {"k", "l"} & set(witness)
    x, y = witness["x"], witness["y"]
    # Γ(J) = x·y'' − y·x'' = (k − l)·x·y
    assert (2 - 3) * x * y != 0
    assert f"{float((2 - 3) * x * y):.3g}"[:3] in law.proof.method


def test_momenta_are_cyclic_for_the_values_given() -> None:
    system = plane(parameters={"k": 2, "l": 2}, lagrangian=f"{FREE} - (k - l)*x^2")
    law = of("momentum of x", judged(system))
    assert law.conserved is True
    assert law.parameters == VALUES_GIVEN


def test_without_parameters_nothing_is_said_of_them() -> None:
    system = plane(parameters={})
    assert [s.words for s in standpoints(system)] == [""]
    assert energy_law(system).evidence == "proved"


def test_forces_that_do_no_work_are_not_denied() -> None:
    law = energy_law(plane(parameters={}, forces={"x": "y'", "y": "-x'"}))
    assert law.conserved is True
    assert "the forces do no work" in law.origin


def test_forces_that_vanish_for_the_values_given_are_said_to_do_so() -> None:
    """A torque of 0 does no work, and is an applied force all the same."""
    law = energy_law(plane(parameters={"u": 0}, forces={"x": "u"}))
    assert law.conserved is True
    assert f"the forces do no work {VALUES_GIVEN}" in law.origin


def test_B4_terms_that_cancel_are_named() -> None:
    # x'^2/2 grows by the force what the explicit time takes: dE/dt = −∂L/∂t + F·v = 0
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 + t*x'^2", forces={"x": "x'"})
    law = energy_law(system)
    assert law.conserved is True
    assert "−∂L/∂t and F·v cancel" in law.origin
    assert "multipliers" not in law.origin


def test_B4_multipliers_that_vanish_are_the_reason() -> None:
    law = energy_law(plane(parameters={"c": 1}, constraints=["x'^2 + y'^2 = c"]))
    assert law.conserved is True
    assert "invariant relation of the free motion" in law.origin
    assert "cancel" not in law.origin


def test_K10_forces_on_cyclic_coordinates_are_named() -> None:
    laws = judged(plane(parameters={}, forces={"x": "-x'"}, constraints=["y' = x*x'"]))
    assert "a force and a constraint act on it" in of("momentum of x", laws).origin
    assert "a constraint acts on it" in of("momentum of y", laws).origin
