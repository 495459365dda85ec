"""Vakonomic motions (K15): the printed equations hold along them, and they are another dynamics."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from formulas import formulas
from random_systems import random_system


def defect(system: ch.System, motion, row: int) -> float:
    """How far a and μ̇ of a motion are from those of the formulation 'vakonomic', derived on its own."""
    law = ch.equations(system, "vakonomic")
    point = {**system.parameter_values, system.time: float(motion.time[row])}
    for c in system.coordinates:
        point[c, 0], point[c, 1] = float(motion[c][row]), float(motion[f"{c}_dot"][row])
    for name in law.mu:
        point[name] = float(motion[name][row])
    a, rates = law.evaluate(point, 30)
    known = [float(motion[f"{c}_ddot"][row]) for c in system.coordinates]
    known += [float(motion[f"{name}_dot"][row]) for name in law.mu]
    return max(abs(float(x) - y) for x, y in zip((*a, *rates), known, strict=True))


@pytest.mark.parametrize("seed", [1, 5, 8])
def test_K15_the_derived_equations_hold_along_motions_of_random_systems(seed: int) -> None:
    system = random_system(seed, kinds=("linear", "affine", "polynomial"), most=4)
    start = system.with_initial(system.random_states(1, seed=seed)[0])
    k = len(system.velocity_constraints)
    motion = ch.vakonomic(start, until=0.3, at=7, multipliers=[0.2 * (i + 1) for i in range(k)])
    assert motion.attrs["status"] == "done"
    assert motion.mu_1.values[0] == 0.2
    assert float(abs(motion.residual).max()) < 1e-7
    assert max(defect(start, motion, row) for row in range(7)) < 1e-9


def test_K15_the_multipliers_at_the_start_decide_and_0_starts_as_chetaev_does() -> None:
    skate = ch.load("knife-edge")
    a, b, c = (ch.vakonomic(skate, until=1, multipliers=m, at=[0.0, 1.0]) for m in (None, [0], {"mu_1": 1}))
    own = ch.simulate(skate, until=1, at=[0.0, 1.0])
    assert a.y.values[-1] == b.y.values[-1]
    assert abs(a.y.values[-1] - c.y.values[-1]) > 0.01
    assert abs(a.y.values[-1] - own.y.values[-1]) > 0.01
    assert a.y_ddot.values[0] == pytest.approx(own.y_ddot.values[0], abs=1e-12)


def test_K15_for_integrable_constraints_every_multiplier_gives_the_same_motion() -> None:
    disc = ch.load("semiholonomic-disc")
    own = ch.simulate(disc, until=2, at=[2.0])
    for mu in (0.0, 3.0):
        found = ch.vakonomic(disc, until=2, multipliers=[mu], at=[2.0])
        np.testing.assert_allclose(found.x.values, own.x.values, atol=1e-7)
    energy = ch.vakonomic(disc, until=2, multipliers=[3.0]).energy.values
    assert np.ptp(energy) < 1e-7 * abs(energy).max()


def test_position_constraints_stay_and_names_do_not_collide() -> None:
    """A skate on a sphere whose coordinates are called time and mu_1."""
    system = ch.System(
        coordinates=["time", "mu_1", "z"],
        lagrangian="(time'^2 + mu_1'^2 + z'^2)/2 - z",
        constraints={"position": ["time^2 + mu_1^2 + z^2 = 1"], "velocity": ["z' = mu_1*time'"]},
        initial={"time": 0.6, "mu_1": 0.8, "z": 0, "time_dot": 0.3},
    )
    motion = ch.vakonomic(system, until=0.5, at=11, multipliers=[0.1])
    assert float(abs(motion.position_residual).max()) < 1e-12
    assert float(abs(motion.residual).max()) < 1e-7
    assert motion["mu__1"].values[0] == 0.1
    assert dict(motion.sizes)["time_"] == 11
    every = (*system.position_constraints, *system.velocity_constraints)
    assert list(motion.constraint.values) == formulas([str(e) for e in every])


def test_the_force_of_the_constraint_is_what_the_free_motion_lacks() -> None:
    system = ch.load("nonholonomic-particle")
    motion = ch.vakonomic(system, until=1, multipliers=[0.4], at=5)
    m = system.parameter_values.get("m", 1.0)
    for c in system.coordinates:
        np.testing.assert_allclose(motion[f"reaction_{c}"], m * motion[f"{c}_ddot"], atol=1e-10)
    found = ch.vakonomic(system, until=1, multipliers=[0.4], at=5, laws={"twice": "2*mu_1"})
    np.testing.assert_array_equal(found.twice, 2 * found.mu_1)


UNIT_SPEED = {
    "coordinates": ["x", "y"],
    "lagrangian": "(x'^2 + y'^2)/2",
    "initial": {"x": 0, "y": 0, "x_dot": 1, "y_dot": 0},
}


@pytest.mark.parametrize(
    ("constraints", "multipliers", "said"),
    [
        (["x'^2 + y'^2 = 1"], [-0.5], "bordered matrix"),  # M + 2μ vanishes
        (["x' = y' + 1", "2*x' = 2*y' + 2"], [0, 0], "bordered matrix"),  # redundant
        (["x'^2 + y'^2 = 1"], [1, 2], "expected 1: mu_1"),
        (["x'^2 + y'^2 = 1"], {"mu_2": 1}, "no multiplier 'mu_2'"),
        (["x'^2 + y'^2 = 1"], ["a"], "the multiplier mu_1 is 'a'"),
        ({"position": ["x^2 + y^2 = t + 1"]}, None, "no constraint on velocities"),
        ({"acceleration": ["x'' = 1"]}, None, "constraints on accelerations"),
    ],
)  # fmt: skip
def test_what_has_no_vakonomic_motion_is_refused_in_a_sentence(constraints, multipliers, said) -> None:
    given = UNIT_SPEED | ({"initial": {"x": 1, "y": 0, "y_dot": 0}} if "position" in constraints else {})
    system = ch.System(**given, constraints=constraints)
    with pytest.raises(ch.ModelError, match=said):
        ch.vakonomic(system, until=1, multipliers=multipliers)


def test_a_system_without_a_lagrangian_has_none() -> None:
    with pytest.raises(ch.ModelError, match="no Lagrangian"):
        ch.vakonomic(ch.load("steered-car"), until=1)
    with pytest.raises(ch.ModelError, match="no option 'precision'"):
        ch.vakonomic(ch.load("knife-edge"), until=1, precision=30)


def test_residuals_stand_with_their_constraints() -> None:
    """dφ/dt of the position constraint, then f, and φ apart, at states that miss all of them."""
    from chetaev.flow.data.vakonomic import residuals

    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"velocity": ["z' = y*x'"], "position": ["x^2 + y^2 = 4"]},
    )
    q, v = np.array([[1.0, 2.0, 3.0]]), np.array([[0.5, -1.0, 7.0]])
    found = residuals(system, np.zeros(1), q, v)
    assert found["residual"].tolist() == [[2 * 0.5 - 4.0, 7.0 - 2 * 0.5]]
    assert found["position_residual"].tolist() == [[1.0]]
