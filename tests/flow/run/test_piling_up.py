"""Switches that pile up, kinks of tables in equations of first order, and pulses between steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import chetaev as ch


@pytest.mark.parametrize(("friction", "start"), [(0.5, 1.0), (0.25, 2.0), (0.75, 0.5)])
def test_switches_that_pile_up_end_the_run(friction: float, start: float) -> None:
    """x'' = −sign x − μ sign x' from rest at a: inwards for √(2a/(1 − μ)), outwards to a' = a (1 − μ)/(1 + μ)
    for √(2a'/(1 + μ)), and so on; the sum of all times is finite."""
    relay = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", forces={"x": f"-sign(x) - {friction}*sign(x')"},
        initial={"x": start, "x'": 0},
    )  # fmt: skip
    motion = ch.simulate(relay, until=100)
    swing, total = start, 0.0
    ratio = (1 - friction) / (1 + friction)
    for _ in range(200):
        total += math.sqrt(2 * swing / (1 - friction)) + math.sqrt(2 * swing * ratio / (1 + friction))
        swing *= ratio
    assert motion.attrs["status"] == "switches pile up"
    assert "x = " in motion.attrs["reason"]
    assert abs(motion.attrs["end_time"] - total) < 1e-6
    assert abs(float(motion.x[-1])) < 1e-12


def test_dry_friction_on_its_own_still_sticks() -> None:
    block = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", forces={"x": "-sign(x')/2", "y": "-sign(y')/2"},
        initial={"x": 0, "y": 0, "x'": 1, "y'": 1},
    )  # fmt: skip
    motion = ch.simulate(block, until=5)
    assert motion.attrs["status"] == "done"
    np.testing.assert_allclose([float(motion.x[-1]), float(motion.y[-1])], 1, atol=1e-9)


def test_an_equation_of_first_order_goes_over_kinks_of_its_table() -> None:
    """x' = w(t), a roof: x(2) is its area."""
    driven = ch.loads("""
coordinates = ["x"]
[data.w]
t = [0, 1, 2, 3]
values = [0, 1, 0, 1]
interpolation = "linear"
[dynamics.velocities]
x = "w(t)"
[initial.position]
x = 0
""")
    motion = ch.simulate(driven, until=3, check=True)
    assert motion.attrs["status"] == "done"
    assert abs(float(motion.x[-1]) - 1.5) < 1e-9
    assert motion.attrs["check_error"] < 1e-9


@pytest.mark.parametrize("at", [5.0, 0.7, 9.9])
@pytest.mark.parametrize("sense", [1, -1])
def test_a_pulse_is_not_stepped_over(at: float, sense: int) -> None:
    """1000 exp(−10⁶ (t − a)²) gives a body at rest the velocity √π, in runs either way."""
    hit = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", forces={"x": f"1000*exp(-10^6*(t - {at})^2)"},
        initial={"x": 0, "x'": 0, "t": 0 if sense > 0 else 10},
    )  # fmt: skip
    motion = ch.simulate(hit, until=10 if sense > 0 else 0)
    assert abs(sense * float(motion.x_dot[-1]) - math.sqrt(math.pi)) < 1e-7


def test_planar_dry_friction_ends_at_rest() -> None:
    """−v/|v|: at rest after |v₀| the law has no value, and steps that go to and fro end the run."""
    puck = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2",
        forces={"x": "-x'/sqrt(x'^2 + y'^2)", "y": "-y'/sqrt(x'^2 + y'^2)"},
        initial={"x": 0, "y": 0, "x'": 1, "y'": 0.5},
    )  # fmt: skip
    motion = ch.simulate(puck, until=3)
    assert motion.attrs["status"] == "law jumps"
    assert "x' = " in motion.attrs["reason"]
    assert abs(motion.attrs["end_time"] - math.sqrt(1.25)) < 1e-2
    assert motion.attrs["steps"] < 20_000


def test_long_runs_of_fast_oscillations_follow_their_law() -> None:
    fast = ch.System(coordinates=["x"], lagrangian="x'^2/2 - 10^6*x^2/2", initial={"x": 1, "x'": 0})
    motion = ch.simulate(fast, until=20, at=[20.0])
    assert (motion.attrs["status"], motion.attrs["steps"] > 10_000) == ("done", True)


def test_explicit_steps_in_a_stiff_system_follow_their_law() -> None:
    stiff = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-10^5*x'"}, initial={"x": 1, "x'": 0}
    )
    motion = ch.simulate(stiff, until=2, at=[2.0])
    assert (motion.attrs["status"], motion.attrs["steps"] > 20_000) == ("done", True)
