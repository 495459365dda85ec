"""Rolling bodies against Newton's and Euler's equations in plain NumPy, from the height alone (M2).

Unknown are ω̇ and the force N at the point of contact, in the frame of the body:

    m (v̇ + ω × v) = N − m g γ,     I ω̇ + ω × I ω = ρ × N,     v = ρ × ω,     ρ = −∂h/∂γ

with h of degree one in γ; nothing of chetaev is in it.
"""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate

M, G = 1.3, 9.81
TENSOR = [[2, 0.1, 0.05], [0.1, 3, 0.2], [0.05, 0.2, 3.5]]


def size(v):
    return np.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)


BODIES = {
    "ellipsoid, axes of inertia turned": (
        "sqrt(g1^2 + 1.69*g2^2 + 0.64*g3^2)",
        TENSOR,
        lambda v: np.sqrt(v[0] ** 2 + 1.69 * v[1] ** 2 + 0.64 * v[2] ** 2),
    ),
    "bumpy": ("1 + g1*g2*g3/10", [2, 3, 3.5], lambda v: size(v) + v[0] * v[1] * v[2] / size(v) ** 2 / 10),
    "ball off its centre": ("1 + g3/5 + g1/7", [2, 3, 3.5], lambda v: size(v) + v[2] / 5 + v[0] / 7),
}


def contact(height, gamma):
    """ρ by complex steps."""
    return -np.array([np.imag(height(gamma + 1e-30j * e)) / 1e-30 for e in np.eye(3)])


def cross(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turning(height, inertia, omega, gamma):
    """ω̇."""
    falling, step = np.cross(gamma, omega), 1e-6
    rho = contact(height, gamma)
    rate = (contact(height, gamma + step * falling) - contact(height, gamma - step * falling)) / (2 * step)
    matrix = np.block([[M * cross(rho), -np.eye(3)], [inertia, -cross(rho)]])
    push = -M * G * gamma - M * np.cross(rate, omega) - M * np.cross(omega, np.cross(rho, omega))
    return np.linalg.solve(matrix, np.r_[push, -np.cross(omega, inertia @ omega)])[:3]


def placed(angles):
    """The frame of the body by the angles z, x, y."""
    (a, b, c), (s, t, u) = np.cos(angles), np.sin(angles)
    z = np.array([[a, -s, 0], [s, a, 0], [0, 0, 1]])
    x = np.array([[1, 0, 0], [0, b, -t], [0, t, b]])
    y = np.array([[c, 0, u], [0, 1, 0], [-u, 0, c]])
    return z @ x @ y


def angular_velocity(angles, rates, step=1e-5):
    moved = (placed(angles + step * rates) - placed(angles - step * rates)) / (2 * step)
    w = placed(angles).T @ moved
    return np.array([w[2, 1], w[0, 2], w[1, 0]])


@pytest.mark.few(1)
@pytest.mark.parametrize("name", BODIES)
def test_M2_general_bodies_obey_newton_and_euler(name):
    support, inertia, height = BODIES[name]
    body = ch.bodies.rolling(support=support, inertia=inertia, mass="m", parameters={"m": M}, angles="zxy")
    tensor = np.array(inertia) if np.ndim(inertia) == 2 else np.diag(inertia)
    full, reduced = body.system, body.reduced
    assert full.coordinates == ("x", "y", "psi", "alpha", "beta")
    rates_of = {str(e.lhs): e.rhs for e in reduced.velocity_constraints}
    field = ch.field(full)
    rng = np.random.default_rng(3)
    for _ in range(3):
        angles, rates = rng.uniform(-0.6, 0.6, 3), rng.uniform(-1, 1, 3)
        frame = placed(angles)
        gamma, omega = frame.T @ [0, 0, 1], angular_velocity(angles, rates)
        expected = turning(height, tensor, omega, gamma)
        values = dict(reduced.parameter_values) | {reduced.time: 0.0}
        values |= {(c, 0): x for c, x in zip(reduced.coordinates, [*omega, *gamma], strict=True)}
        found = [float(evaluate([rates_of[f"w{i}'"]], values)[0]) for i in (1, 2, 3)]
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)
        speed = frame @ np.cross(contact(height, gamma), omega)
        acceleration = field(0.0, np.array([[0, 0, *angles]]), np.array([[*speed[:2], *rates]]))[0]

        def later(t, angles=angles, rates=rates, bend=acceleration[2:]):
            return angular_velocity(angles + t * rates + t * t / 2 * bend, rates + t * bend)

        np.testing.assert_allclose((later(1e-4) - later(-1e-4)) / 2e-4, expected, rtol=2e-5, atol=2e-5)
