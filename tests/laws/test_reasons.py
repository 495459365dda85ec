"""Why a law holds (K10, K22, L11, B4, B10, Sa8), on systems where the answer is known."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.language.parser import parse
from chetaev.laws.integrals import explained, integrals
from chetaev.laws.law import Law
from chetaev.laws.rate import is_first_integral

SMALL = 100_000


def theorems(system: ch.System, function: str) -> list[str]:
    """The names of the theorems that give a law."""
    expression = parse(function, system.scope)
    verdict, standpoint = is_first_integral(system, expression)
    assert verdict.is_zero
    law = explained(system, Law("F", expression, "", verdict, standpoint.words))
    return [reason.theorem for reason in law.reasons]


@pytest.mark.slow
def test_K10_B10_a_momentum_carries_every_theorem_that_gives_it() -> None:
    momentum = integrals(ch.load("knife-edge"), effort=SMALL)[1]
    assert [reason.theorem for reason in momentum.reasons] == [
        "ignorable coordinate",
        "horizontal symmetry",
        "integral of the free motion",
    ]
    assert momentum.origin.startswith("phi is cyclic")


def test_K10_a_generalized_symmetry_is_named_where_nothing_else_explains_a_law() -> None:
    kepler = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)")
    assert theorems(kepler, "x*y' - y*x'") == ["Noether"]
    assert theorems(kepler, "y'*(x*y' - y*x') - x/sqrt(x^2 + y^2)") == ["Noether, for a generalized symmetry"]
    contact = ch.load("contact-oscillator")
    assert theorems(contact, "y'^2 + y^2") == ["integral of the free motion"]


def test_Sa8_mixed_systems_have_adjoint_symmetries_only() -> None:
    mixed = {"accelerations": {"x": "-x"}, "velocities": {"y": "x'^2*x"}}
    system = ch.System(coordinates=["x", "y"], dynamics=mixed)
    assert theorems(system, "x'^2 + x^2") == ["adjoint symmetry"]


def test_L11_gauge_momenta_and_horizontal_symmetries_are_told_apart() -> None:
    """R cos φ ∂x + R sin φ ∂y + ∂θ of the vertical disc keeps L on Q only, ∂φ everywhere."""
    disc = ch.load("vertical-rolling-disc")
    assert theorems(disc, "theta'")[0] == "gauge momentum"
    assert theorems(disc, "phi'")[0] == "horizontal symmetry"


def test_B4_a_moving_energy_of_an_affine_constraint() -> None:
    """A particle on a turning vertical plane: E − Ω (x y' − y x') is kept, the energy is not."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        parameters={"W": 2},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z - (x^2 + y^2)/3",
        constraints=["x*y' - y*x' = W*(x^2 + y^2)"],
    )
    energy = "(x'^2 + y'^2 + z'^2)/2 + z + (x^2 + y^2)/3"
    assert "moving energy" in theorems(system, f"{energy} - W*(x*y' - y*x')")
    verdict, _ = is_first_integral(system, parse(energy, system.scope))
    assert verdict.is_zero is False


def test_B4_a_moving_energy_is_seen_beside_other_laws() -> None:
    """A wheel on a turntable: the search gives E − Ω J less a function of the spin about the vertical."""
    wheel = ch.System(
        coordinates=["x", "y", "phi", "psi"],
        parameters={"m": 1, "I": 0.5, "J": 0.25, "R": 0.3, "W": 0.7},
        lagrangian="m/2*(x'^2 + y'^2) + J/2*phi'^2 + I/2*psi'^2",
        constraints=["x' + W*y = R*psi'*cos(phi)", "y' - W*x = R*psi'*sin(phi)"],
    )
    named = [reason for law in ch.integrals(wheel) for reason in law.reasons if "moving" in reason.theorem]
    assert [reason.proved for reason in named] == [True]
    assert all((f"∂/∂{c}" in named[0].words) is (c in "xy") for c in ("x", "y", "phi", "psi"))


def test_K18_a_function_of_positions_is_a_constraint_in_disguise() -> None:
    assert theorems(ch.load("semiholonomic-disc"), "psi*R - x") == ["constraint in disguise"]


@pytest.mark.slow
@pytest.mark.parametrize("spin", ["2 + sin(3*t)", pytest.param("exp(-t)", marks=pytest.mark.slow)])
def test_K22_ball_on_a_table_that_turns_anyhow(spin: str) -> None:
    """7 x' + 2 Ω(t) y and 7 y' − 2 Ω(t) x are kept whatever Ω(t) is: momenta of horizontal symmetries."""
    plain = ch.load("ball-on-rotating-table")
    system = ch.loads(
        plain.to_toml()
        .replace("+ Omega*y = 0", f"+ ({spin})*y = 0")
        .replace("- Omega*x = 0", f"- ({spin})*x = 0")
    )
    assert theorems(system, f"7*x' + 2*({spin})*y") == ["horizontal symmetry"]
    assert theorems(system, f"7*y' - 2*({spin})*x") == ["horizontal symmetry"]
