"""As many independent constraints as coordinates: a prescribed motion, and the forces that it takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.random_systems import random_system

import chetaev as ch
from portions import examples

CAR = ch.System(
    coordinates=["x", "y", "th"],
    lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 - m*g*y",
    forces={"x": "-c*x'"},
    parameters={"m": 2, "J": 0.5, "g": 9.8, "c": 3},
    constraints=["x' = cos(th)", "y' = sin(th)", "th' = sin(t)"],
    initial={},
)


@pytest.mark.slow
def test_a_car_that_is_told_how_to_drive_has_the_reactions_of_newton() -> None:
    assert CAR.degrees_of_freedom == ch.classify(CAR).degrees_of_freedom == 0
    run = ch.simulate(CAR, at="0:10:0.5")
    t = run["time"].values
    th = 1 - np.cos(t)  # by hand, as are the forces: m a less what is applied
    assert np.allclose(run["th"], th, atol=1e-9)
    assert np.allclose(run["reaction_x"], -2 * np.sin(th) * np.sin(t) + 3 * np.cos(th), atol=1e-8)
    assert np.allclose(run["reaction_y"], 2 * np.cos(th) * np.sin(t) + 2 * 9.8, atol=1e-8)
    assert np.allclose(run["reaction_th"], 0.5 * np.cos(t), atol=1e-9)
    assert np.allclose(run["multiplier"].values[:, 2], 0.5 * np.cos(t), atol=1e-9)
    assert abs(run["residual"]).max() < 1e-13


@pytest.mark.slow
def test_the_forms_agree_and_those_that_need_freedom_say_so() -> None:
    table = ch.compare(CAR, samples=3)
    assert table.agree
    assert "chetaev" in ch.forms(CAR)
    assert "prescribe the motion" in ch.forms(CAR).excluded["hamel"]
    with pytest.raises(ch.ModelError, match="use form='chetaev'"):
        ch.equations(CAR, "hamel")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("coordinates", "constraints", "initial"),
    [
        (["x"], ["x' = x"], {"x": 1}),
        (["x", "y"], {"position": ["x = cos(t)", "y = sin(t)"]}, {}),
        (["x", "y"], {"velocity": ["x' = y"], "acceleration": ["y'' = -y"]}, {"y": 1, "y_dot": 0}),
        (["x", "y"], ["x'^2 + y'^2 = 4", "x' = 1"], {"y_dot": 1.7320508075688772}),
        (["x", "y"], {"velocity": ["x' = 1", "y' = 2", "x' + y' = 3"]}, {}),  # one too many, and it agrees
    ],
)
def test_every_level_and_kind_may_prescribe(coordinates, constraints, initial) -> None:
    kinetic = " + ".join(f"{c}'^2/2" for c in coordinates)
    s = ch.System(
        coordinates=coordinates,
        lagrangian=f"{kinetic} - 9*{coordinates[-1]}",
        constraints=constraints,
        initial=initial,
    )
    run = ch.simulate(s, at="0:2:0.25")
    assert run.attrs["status"] == "done"
    for i, c in enumerate(coordinates):  # Newton: the reaction is the acceleration less the weight
        weight = -9.0 if i == len(coordinates) - 1 else 0.0
        assert np.allclose(run[f"reaction_{c}"], run[f"{c}_ddot"] - weight, atol=1e-9)
        slope = np.gradient(run[f"{c}_dot"].values, run["time"].values)
        assert np.allclose(slope[1:-1], run[f"{c}_ddot"].values[1:-1], atol=0.15)
    assert ch.compare(s, samples=2).agree


@pytest.mark.slow
@settings(max_examples=examples(2), deadline=None)
@given(st.integers(0, 10**6))
def test_random_systems_whose_free_velocities_are_prescribed_too(seed: int) -> None:
    """Their accelerations satisfy C a + c = 0 alone, so any Lagrangian gives the same ones."""
    s = random_system(seed, most=4)
    free = sorted(set(s.coordinates) - {c for c in s.coordinates if c in _solved(s)})
    more = [f"{c}' = sin(t)/3 + cos({s.coordinates[0]})/5" for c in free]
    every = [*map(str, s.velocity_constraints), *more]
    forces = {c: str(f) for c, f in s.forces.items()}
    values = {n: str(e) for n, e in s.parameters.items()}
    told, other = (
        ch.System(
            coordinates=s.coordinates, lagrangian=L, constraints=every, forces=forces, parameters=values
        )
        for L in (str(s.lagrangian), " + ".join(f"{c}'^2/2" for c in s.coordinates))
    )
    assert told.degrees_of_freedom == 0
    t, q, v = 0.3, np.linspace(0.1, 0.4, len(s.coordinates)), np.linspace(-0.3, 0.2, len(s.coordinates))
    assert np.allclose(ch.field(told, "chetaev")(t, q, v), ch.field(other, "chetaev")(t, q, v), atol=1e-9)
    assert ch.compare(told, samples=2).agree


def _solved(s: ch.System) -> tuple[str, ...]:
    from chetaev.equations.law.setup import Setup

    found = Setup(s)
    return tuple(s.coordinates[i] for i in found.dependent)


@pytest.mark.slow
def test_constraints_that_contradict_each_other_are_refused() -> None:
    for constraints in (["x' = 1", "y' = 2", "x' + y' = 4"], {"position": ["x = 1", "y = 2", "x = 3"]}):
        with pytest.raises(ch.ModelError, match="contradict each other"):
            ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=constraints)
