"""Conservation laws: found, proved, refuted (K10, B4, B10), and kept by the number path."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.language.parser import parse
from chetaev.laws.energy import energy_law
from chetaev.laws.integrals import integrals, judged
from chetaev.laws.momenta import momenta
from chetaev.laws.rate import is_first_integral
from chetaev.laws.standpoint import EVERY_VALUE
from portions import some

CONSERVED = [
    "rolling-disc",
    "knife-edge",
    "appell-hamel",
    "particle-on-cone",
    "suslov",
    "double-pendulum",
    "perpendicular-velocities",
    "pursuit",
    "pendulum-cartesian",
    "charged-particle-magnetic",
]
LOST = {
    "leibniz-particle": "constraint forces do work",
    "ball-on-rotating-table": "constraint forces do work",
    "decelerated-particle": "constraint forces do work",
    "damped-sleigh": "forces do work",
    "pendulum-moving-support": "constraint forces do work",
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", CONSERVED)
def test_B4_energy_is_proved_conserved(name: str) -> None:
    law = energy_law(ch.load(name))
    assert law.conserved
    assert law.proof.proved
    assert "conserved because" in law.origin


@pytest.mark.few(1)
@pytest.mark.parametrize("name", LOST)
def test_B4_energy_is_refuted_with_the_cause(name: str) -> None:
    law = energy_law(ch.load(name))
    assert law.conserved is False
    assert law.proof.proved
    assert LOST[name] in law.origin


def test_B4_constraint_that_is_a_first_integral_does_nothing() -> None:
    """g(u, u) = −c² with a Maxwell field: the constraint is not homogeneous, its multiplier vanishes."""
    law = energy_law(ch.load("relativistic-particle"))
    assert law.conserved
    assert "multipliers vanish" in law.origin


def test_time_dependent_lagrangian_loses_energy() -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2*cos(t)")
    law = energy_law(system)
    assert law.conserved is False
    assert "depends on time" in law.origin


def test_K10_momentum_of_a_cyclic_coordinate_without_reaction() -> None:
    found = {law.name: law for law in momenta(ch.load("knife-edge"))}
    assert found["momentum of phi"].conserved
    assert found["momentum of y"].conserved is False
    assert "a constraint acts" in found["momentum of y"].origin


def test_K10_momentum_where_accelerations_are_not_determined() -> None:
    """dp/dt = ∂L/∂x holds for every motion, also where primary constraints keep it and nothing is solved."""
    text = {"lagrangian": "(x' + y)^2/2 + z'*y - z^2/2 + a*z*y", "degenerate": True}
    system = ch.System(coordinates=["x", "y", "z"], dynamics=text, parameters={"a": 1})
    (law,) = momenta(system)
    assert (law.name, law.conserved, law.proof.proved) == ("momentum of x", True, True)
    assert law.parameters == EVERY_VALUE


def test_L4_heisenberg_momenta() -> None:
    names = [law.name for law in judged(ch.load("heisenberg")) if law.conserved]
    assert names == ["energy", "momentum of y"]


def test_L4_heisenberg_law_that_no_symmetry_explains() -> None:
    """x'·√(1 + y²) is constant: not a momentum; given by hand and proved."""
    found = judged(ch.load("heisenberg"), {"J": "x'*sqrt(1 + y^2)", "wrong": "x'*(1 + y^2)"})
    by_name = {law.name: law for law in found}
    assert by_name["J"].conserved
    assert by_name["J"].proof.proved
    assert by_name["wrong"].conserved is False


def test_L4_of_the_four_quantities_in_the_notes_two_are_conserved() -> None:
    """J_X = g(X, v) for X₂ and X₁ + X₄ as printed; X₁ − X₆ and X₄ + X₆ only together."""
    printed = {
        "X2": "y'",
        "X1 + X4": "x' - z*y' + y*z'",
        "X1 - X6": "x' + y*x' - x*y'",
        "X4 + X6": "-z*y' + y*z' - y*x' + x*y'",
    }
    found = {law.name: law for law in judged(ch.load("heisenberg"), printed)}
    assert [found[name].conserved for name in printed] == [True, True, False, False]
    assert all(found[name].proof.proved for name in printed)


def test_B12_law_of_the_central_force_with_constant_speed() -> None:
    """|L|·exp(−V/(m v0²)) is constant for V = −k/r: proved along one component of L."""
    system = ch.load("central-force-constant-speed")
    verdict, _ = is_first_integral(system, parse("x'^2 + y'^2 + z'^2", system.scope))
    assert verdict.is_zero
    assert verdict.proved


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", some(["knife-edge", "rolling-ball", "contact-oscillator", "rolling-disc"], 2)
)
def test_laws_are_kept_by_the_number_path(name: str) -> None:
    system = ch.load(name)
    laws = {f"law{i}": law.expression for i, law in enumerate(integrals(system))}
    run = ch.simulate(system, laws=laws, tolerance=1e-12, at=50)
    for key in laws:
        values = run[key].values
        assert np.ptp(values) < 1e-8 * max(1.0, np.abs(values).max())


def test_candidates_are_parsed_with_places() -> None:
    with pytest.raises(ch.ModelError, match="unknown name"):
        integrals(ch.load("knife-edge"), {"law": "zz'"})


def test_B4_energy_is_proved_to_be_conserved_where_constraints_have_irrational_constants() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z",
        constraints=["(x' - sqrt(2)*y')*(x' + sqrt(2)*y') = sin(1)*z'^2"],
    )
    law = energy_law(system)
    assert law.conserved
    assert law.proof.proved


@pytest.mark.parametrize(
    ("velocity", "kept", "lost"),
    [
        ({"x_dot": 1, "y_dot": 1, "z_dot": 3}, "x' - y'", None),  # on y' = x', where a free particle stays
        ({"x_dot": 3, "y_dot": 1, "z_dot": 3}, "x' - y*z'", "x'"),  # on x' = y z' at y = 1
    ],
)
def test_K22_laws_are_those_of_the_branch_of_the_initial_state(
    velocity: dict[str, int], kept: str, lost: str | None
) -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["(x' - y*z')*(y' - x') = 0"],
        initial={"y": 1, **velocity},
    )
    laws = {law.name: law for law in judged(system, {"kept": kept, "x": "x'"})}
    assert laws["kept"].conserved is True
    assert laws["x"].conserved is (lost is None)
    for law in laws.values():
        assert law.cause.endswith("of the initial state")
        assert ("z'" in law.cause.partition("on the branch")[2]) is (lost is not None)
    assert any(law.name.startswith("integral") for law in ch.integrals(system))
