"""Verdicts where the energy is no integral or not enough: other integrals, linear motions, families (M6)."""

from __future__ import annotations

from typing import Any

import pytest

import chetaev as ch

PLANE = {"coordinates": ["x", "y"]}
TWO = "(x'^2 + y'^2)/2"


@pytest.mark.parametrize(
    ("parts", "stable", "why"),
    [
        ({"lagrangian": "x'*y' - x*y"}, True, "linear"),  # two oscillators: the energy is indefinite
        ({"lagrangian": f"{TWO} - (x^2 + y^2)/2", "forces": {"y": "x"}}, False, "linear"),  # resonance
        ({"lagrangian": f"{TWO} - (x + y)^2"}, False, "linear"),  # x − y drifts
        ({"lagrangian": TWO, "forces": {"x": "-x", "y": "-y - 2*y^3"}}, True, "y^4"),
        ({"lagrangian": f"{TWO} - x^4 - x^2 - y^2", "constraints": ["x' = y'"]}, True, "energy, y - x"),
        ({"lagrangian": f"{TWO} - x^2 - y", "constraints": ["x' = 0", "y' = 0"]}, True, "nothing is left"),
    ],
)
def test_verdicts_on_rest_M6(parts: dict[str, Any], stable: bool, why: str) -> None:
    (found,) = ch.equilibria(ch.System(**PLANE, **parts))
    assert (found.stable, why in found.reason) == (stable, True), found.reason


def test_an_affine_constraint_does_work_and_other_integrals_hold_M6() -> None:
    """y'' = −y, and x' √(y² + 1) is constant: by hand from x'' = −μ y, z'' = μ = (y x')'."""
    particle = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - y^2/2",
        constraints=["z' = y*x' + 1"],
    )
    (found,) = ch.relative_equilibria(particle, ["x", "z"])
    assert found.stable is True


def test_the_axes_of_a_free_body_are_judged_where_it_turns_M6() -> None:
    """About the greatest and the smallest moment of inertia it is stable, about the middle one it is not."""
    found = ch.equilibria(ch.on_algebra("so3", inertia=[1, 2, 3]).system)
    assert {e.free: e.stable for e in found} == {("w1",): True, ("w2",): False, ("w3",): True}
    assert all("at w" in e.reason for e in found)


def test_a_hamiltonian_on_another_phase_space_is_an_integral_M6() -> None:
    lotka = {"bracket": {"x, y": "x*y"}, "hamiltonian": "x + y - log(x) - log(y)"}
    (found,) = ch.equilibria(ch.System(**PLANE, poisson=lotka))
    assert (found.state["x"], found.state["y"], found.stable) == (1, 1, True)


def test_a_casimir_function_held_at_the_equilibria_of_a_free_body_M6() -> None:
    """Which relation follows from |M| = 1 is another one at every axis: none of the six is singular."""
    body = ch.System(
        coordinates=["M1", "M2", "M3"],
        poisson={
            "bracket": {"M1, M2": "-M3", "M2, M3": "-M1", "M3, M1": "-M2"},
            "hamiltonian": "(M1^2 + M2^2/2 + M3^2/3)/2",
        },
        constraints={"position": ["M1^2 + M2^2 + M3^2 = 1"]},
        initial={"M1": 0, "M2": 1, "M3": 0},
    )
    found = ch.equilibria(body)
    assert found.complete
    assert {c: {e.stable for e in found if e.state[c]} for c in body.coordinates} == {
        "M1": {True},
        "M2": {False},
        "M3": {True},
    }
    assert len(found) == 6
