"""Lagrangians affine in the velocities (B7, K9): Ω(q) q' = −∇H in every verb, velocities from positions."""

from __future__ import annotations

import random

import numpy as np
import pytest

import chetaev as ch
from formulas import any_order

OSCILLATOR = ch.System(
    coordinates=["x", "v"], dynamics={"lagrangian": "v*x' - (v^2 + x^2)/2", "degenerate": True}
)


def vortices(strengths: list[int]) -> ch.System:
    """Kirchhoff: Γ_i x_i' = ∂H/∂y_i, Γ_i y_i' = −∂H/∂x_i with H = −Σ Γ_i Γ_j log|z_i − z_j|."""
    n = range(len(strengths))
    names = [f"{c}{i}" for i in n for c in "xy"]
    kinetic = " + ".join(f"{strengths[i]}*x{i}*y{i}'" for i in n)
    pairs = [(i, j) for i in n for j in range(i)]
    logs = " + ".join(
        f"{strengths[i] * strengths[j]}/2*log((x{i} - x{j})^2 + (y{i} - y{j})^2)" for i, j in pairs
    )
    return ch.System(coordinates=names, dynamics={"lagrangian": f"{kinetic} + {logs}", "degenerate": True})


def velocities(strengths: list[int], z: np.ndarray) -> np.ndarray:
    """Each in the field of the others, by hand."""
    result = np.zeros_like(z)
    for i in range(len(strengths)):
        for j in range(len(strengths)):
            if i != j:
                d = z[i] - z[j]
                # Γ_i y_i' with p_y = Γ_i x_i: −Γ_i x_i' + ∂L/∂y = 0, Γ_i y_i' + ∂L/∂x = 0
                result[i] += strengths[j] / (d @ d) * np.array([d[1], -d[0]])
    return result


@pytest.mark.parametrize("count", [3, 5, 8])
def test_B7_point_vortices_start_from_their_positions(count: int) -> None:
    draw = random.Random(count)
    strengths = [draw.choice([1, 2, -1, 3]) for _ in range(count)]
    system = vortices(strengths)
    z = np.array([[draw.uniform(-2, 2), draw.uniform(-2, 2)] for _ in range(count)])
    initial = {f"{c}{i}": float(z[i, k]) for i in range(count) for k, c in enumerate("xy")}
    start = ch.System(
        coordinates=system.coordinates,
        dynamics={"lagrangian": system.lagrangian, "degenerate": True},
        initial=initial,
    ).state
    expected = velocities(strengths, z)
    for i in range(count):
        for k, c in enumerate("xy"):
            assert start.velocity[f"{c}{i}"] == pytest.approx(expected[i, k], rel=1e-9, abs=1e-12)
    motion = ch.simulate(system, until=0.05, initial=initial)
    for c in "xy":
        centre = sum(g * motion[f"{c}{i}"] for i, g in enumerate(strengths))
        assert float(np.abs(centre - centre[0]).max()) < 1e-7
    assert float(np.abs(motion.energy - motion.energy[0]).max()) < 1e-6


def test_B7_every_verb_has_the_same_motion() -> None:
    initial = {"x": 1, "v": 0}
    motion = ch.simulate(OSCILLATOR, until=np.pi, initial=initial)
    assert float(motion.x[-1]) == pytest.approx(-1, abs=1e-7)
    assert float(motion.p_x[-1]) == pytest.approx(0, abs=1e-7)
    (rest,) = ch.equilibria(OSCILLATOR)
    assert rest.stable
    linear = ch.linearize(OSCILLATOR, at={"x": 0, "v": 0})
    assert sorted(complex(e).imag for e in linear.eigenvalues) == [-1, 1]
    crossings = ch.section(OSCILLATOR, "x", crossings=2, initial=initial, until=20)
    assert crossings.time.values == pytest.approx([1.5 * np.pi, 3.5 * np.pi], abs=1e-7)
    exponents = ch.lyapunov(OSCILLATOR, until=10, initial=initial)
    assert float(np.abs(exponents.exponent).max()) < 1e-6
    sensitive = ch.sensitivities(OSCILLATOR, until=1, initial=initial)
    assert float(sensitive.state[0]) == pytest.approx(np.cos(1), abs=1e-8)
    assert ch.measure(OSCILLATOR).evidence == "proved"
    members = ch.ensemble(OSCILLATOR, over={"x": [1, 2]}, initial={"v": 0}, until=np.pi / 2)
    assert members.final.sel(state="v").values == pytest.approx([-1, -2], abs=1e-7)


@pytest.mark.few(1)
@pytest.mark.parametrize("order", [2, 4, 6])
def test_B7_gauss_runs_equations_of_first_order(order: int) -> None:
    """Gauss's method for q' = g: its order, and quadratic laws kept; also beside accelerations."""
    mixed = {"accelerations": {"s": "-s"}, "velocities": {"x": "y*s'", "y": "-x*s'"}}
    turning = ch.System(coordinates=["s", "x", "y"], dynamics=mixed, initial={"x": 1, "s_dot": 1})
    for system, initial, exact in (
        (OSCILLATOR, {"x": 1, "v": 0}, np.cos(1)),
        (turning, {}, np.cos(np.sin(1))),  # x + i y = exp(−i s), s = sin t
    ):
        errors = []
        for step in (0.2, 0.1):
            run = ch.simulate(system, 1, at=[1], initial=initial, method=f"gauss{order}", step=step)
            errors.append(abs(float(run.x[-1]) - exact))
            if system is OSCILLATOR:
                assert float(run.x[-1] ** 2 + run.v[-1] ** 2) == pytest.approx(1, abs=1e-12)
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.4)


def test_schemes_for_accelerations_say_that_the_model_has_none() -> None:
    for method in ("dla-midpoint", "leapfrog", "discrete-gradient"):
        with pytest.raises(ch.ModelError, match="are of first order"):
            ch.simulate(OSCILLATOR, 1, initial={"x": 1, "v": 0}, method=method, step=0.1)


@pytest.mark.slow
def test_K22_vortices_keep_their_centre_and_moment() -> None:
    system = vortices([1, 2, 3])
    laws = ch.integrals(system)
    assert all(law.proof.proved for law in laws)
    assert [law.expression for law in laws[1:3]] == any_order(
        "x0 + 2*x1 + 3*x2", "y0 + 2*y1 + 3*y2", factor=True
    )
    assert len(laws) == 4
    assert ch.dirac(system).degrees_of_freedom == 3
