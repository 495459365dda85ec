"""Euler–Lagrange equations (K6, K11): unconstrained systems; position constraints from inside."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, euler_lagrange
from chetaev.errors import ModelError
from chetaev.model.states.points import random_points
from galleries import LAGRANGIAN
from portions import some

APPLY = ("bead-on-rotating-hoop", "bouncing-ball", "brachistochrone-metric", "charged-particle-magnetic",
         "double-pendulum", "pendulum-cartesian", "pendulum-moving-support", "stick-slip")  # fmt: skip


@pytest.mark.parametrize("name", some(LAGRANGIAN, 6))
def test_K11_agrees_with_chetaev_or_names_the_hypothesis_that_fails(name):
    system = ch.load(name)
    if name not in APPLY:
        with pytest.raises(ModelError, match="on velocities or accelerations"):
            euler_lagrange.derive(system)
        return
    law, reference = euler_lagrange.derive(system), chetaev.derive(system)
    for point in random_points(system, 4):
        a, b = law.evaluate(point)[0], reference.evaluate(point)[0]
        assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-40 * max([1, *map(abs, b)])


def test_K11_forces_time_and_velocity_dependent_lagrangians():
    system = ch.System(
        coordinates=["x"], lagrangian="exp(t)*x'^4/12 + x'^2/2 + x*x' - x^2/2", forces={"x": "-x'^3"}
    )
    point = next(random_points(system, 1))
    t, x, v = point["t"], point["x", 0], point["x", 1]
    a = euler_lagrange.derive(system).evaluate(point)[0][0]
    from mpmath import mp

    with mp.workdps(50):
        e = mp.exp(t)
        assert abs((e * v**2 + 1) * a + e * v**3 / 3 + x + v**3) < 1e-45
