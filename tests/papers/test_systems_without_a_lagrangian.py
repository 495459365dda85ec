"""The gallery's systems without a Lagrangian do what their summaries say (SCOPE Sa1, K25, D4)."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.equations.law.fundamental import FundamentalForm
from formulas import formula

AT = [2.0, 5.0, 10.0]


def test_Sa1_the_speed_of_the_steered_car_tends_to_a_limit() -> None:
    car = ch.load("steered-car")
    motion = ch.simulate(car, at=AT, until=10)
    np.testing.assert_allclose(motion.s_dot, 2 * np.tanh(AT), rtol=1e-8)
    t = np.array([18.0, 20.0])
    late = ch.simulate(car, at=t, until=20)
    slope = 0.05 * 2 * t  # θ' = k t √(p/c): the curvature of a clothoid grows with its length
    np.testing.assert_allclose(late.theta_dot, slope, rtol=1e-8)


@pytest.mark.slow
def test_K25_the_sleigh_on_Q_has_the_path_of_the_ambient_one() -> None:
    on_q, ambient = (ch.simulate(ch.load(n), at=AT, until=10) for n in ("sleigh-on-q", "caratheodory-sleigh"))
    for name in ("x", "y", "phi"):
        np.testing.assert_allclose(on_q[name], ambient[name], atol=1e-7)
    law, other = ch.integrals(ch.load("sleigh-on-q"), {"E": "m*s'^2/2 + (J + m*a^2)*phi'^2/2"})
    assert law.name == "E"
    assert law.conserved
    assert law.proof.proved
    assert other.expression == formula("phi'*exp(s*m*a/(m*a^2 + J))", factor=True)


@pytest.mark.parametrize(("load", "grows"), [(2.0, False), (2.5, True)])
def test_D4_zieglers_pendulum_flutters_beyond_the_critical_load(load: float, grows: bool) -> None:
    """P l/k = 7/2 − √2 = 2.0858 (Ziegler 1952)."""
    system = ch.load("ziegler-pendulum").with_parameters(P=load)
    motion = ch.simulate(system, until=30, initial={"a": 1e-6})
    size = np.abs(motion.b.values)
    first, last = size[: len(size) // 3].max(), size[-len(size) // 3 :].max()
    assert (last > 100 * first) == grows
    M, K = np.array([[3, 1], [1, 1]]), np.array([[2 - load, load - 1], [-1, 1]])
    squares = np.linalg.eigvals(np.linalg.solve(M, K))
    assert (np.abs(squares.imag).max() > 0) == grows


def test_D4_the_form_of_zieglers_pendulum_is_a_lagrangian_with_a_force() -> None:
    system = ch.load("ziegler-pendulum")
    found = FundamentalForm.of(system).exactness()
    assert found.closed is False
    ambient = ch.System(
        coordinates=["a", "b"],
        lagrangian="m*l^2*(3*a'^2/2 + cos(a - b)*a'*b' + b'^2/2) - k*a^2/2 - k*(b - a)^2/2",
        forces={"a": "P*l*sin(a - b)"},
        parameters={"m": 1, "l": 1, "k": 1, "P": 2.5},
    )
    q, v = np.array([[0.3, -0.4], [1.0, 2.0]]), np.array([[0.5, 0.1], [-0.2, 1.0]])
    np.testing.assert_allclose(ch.field(system)(0.0, q, v), ch.field(ambient)(0.0, q, v), rtol=1e-12)
