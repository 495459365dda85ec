"""Lyapunov exponents and sections: sums, zeros, spectra that are known, crossings on the surface (M6)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import simpson

import chetaev as ch

HENON = ch.System(
    coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3",
    initial={"x": 0, "y": -0.15, "x'": 0.48, "y'": 0.1},
)  # fmt: skip


def test_exponents_of_a_linear_motion_are_real_parts_of_its_eigenvalues() -> None:
    system = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + x^2/2 - 2*y^2", forces={"y": "-y'"},
        initial={"x": 0, "y": 0, "x'": 0, "y'": 0},
    )  # fmt: skip
    found = ch.lyapunov(system, until=40)
    expected = sorted(ch.linearize(system).eigenvalues.real)[::-1]
    np.testing.assert_allclose(found.exponent, expected, atol=0.06)
    assert abs(float(found.exponent.sum()) - sum(expected)) < 1e-6  # the mean divergence


def test_a_conservative_chaotic_motion_has_pairs_and_two_zeros() -> None:
    found = ch.lyapunov(HENON, until=1500, intervals=150)
    a, b, c, d = found.exponent.values
    assert a > 0.03
    assert abs(b) < 0.012
    assert abs(a + d) < 0.005
    assert abs(b + c) < 0.005
    assert abs(a + b + c + d) < 1e-7  # the divergence is 0
    assert found.running.dims == ("time", "index")
    np.testing.assert_allclose(np.sort(found.running.values[-1]), np.sort(found.exponent))


@pytest.mark.slow
def test_under_constraints_there_are_dim_Q_exponents_and_their_sum_is_the_mean_divergence() -> None:
    """Lengths are those of (q, v), so the volume of the chart is corrected by |G|/|G_D| at both ends."""
    sleigh, end = ch.load("caratheodory-sleigh"), 1.0
    found = ch.lyapunov(sleigh, until=end, intervals=20)
    assert found.sizes["index"] == 5
    motion = ch.simulate(sleigh, until=end, at=201)
    along = ch.linearize(sleigh, along=motion)
    rates = np.trace(along.A.values, axis1=1, axis2=2)
    divergence = simpson(rates, x=along.time.values)
    (left_out,) = {"x_dot", "y_dot"} - {str(n) for n in along.state.values}
    sizes = []
    for k in (0, -1):
        now = {n: float(motion[n][k]) for n in ("phi", "x_dot", "y_dot")}
        sine, cosine = math.sin(now["phi"]), math.cos(now["phi"])
        by_phi = now["y_dot"] * sine + now["x_dot"] * cosine  # of f = y' cos phi - x' sin phi, up to its sign
        sizes.append(math.sqrt(1 + by_phi**2) / abs(sine if left_out == "x_dot" else cosine))
    expected = divergence + math.log(sizes[1] / sizes[0])
    assert abs(float(found.exponent.sum()) * end - expected) < 1e-6
    one = ch.lyapunov(sleigh, until=1, exponents=1)
    assert one.sizes["index"] == 1


def test_sections_lie_on_the_surface_and_are_crossed_upwards() -> None:
    found = ch.section(HENON, "x", crossings=40)
    assert found.sizes["crossing"] == 40
    assert float(abs(found.x).max()) < 1e-10
    assert float(found.x_dot.min()) > 0
    energy = (found.x_dot**2 + found.y_dot**2 + found.y**2) / 2 - found.y**3 / 3
    assert float(abs(energy - energy[0]).max()) < 1e-6
    assert (np.diff(found.time) > 0).all()
    assert found.attrs["status"] == "done"


def test_sections_know_directions_and_tell_when_crossings_are_few() -> None:
    spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x'": 0})
    down = ch.section(spring, ch.Event("x", direction=-1), crossings=12)
    np.testing.assert_allclose(down.time, math.pi / 2 + 2 * math.pi * np.arange(12), atol=1e-6)
    both = ch.section(spring, ch.Event("x"), crossings=5)
    np.testing.assert_allclose(both.time, math.pi / 2 + math.pi * np.arange(5), atol=1e-6)
    free = ch.System(coordinates=["x"], lagrangian="x'^2/2", initial={"x": -1, "x'": 1})
    once = ch.section(free, "x", crossings=2, until=50)
    assert once.sizes["crossing"] == 1
    assert once.attrs["status"] == "few crossings"


BAD = [
    (lambda: ch.lyapunov(HENON, until=-1), "after the initial one"),
    (lambda: ch.lyapunov(HENON, until=1, exponents=5), "number of exponents"),
    (lambda: ch.lyapunov(HENON, until=1, exponents="2"), "number of exponents"),
    (lambda: ch.lyapunov(HENON), "how long to run"),
    (lambda: ch.lyapunov(ch.load("stick-slip"), until=1), "smooth model"),
    (lambda: ch.section(HENON, "q"), "unknown name"),
    (lambda: ch.section(HENON, 3), "an event is 3"),
    (lambda: ch.section(HENON, "x", crossings=0), "number of crossings"),
    (lambda: ch.section(HENON, "x", until=-3), "after the initial one"),
    (lambda: ch.section("model", "x"), "a System"),
]


@pytest.mark.parametrize(("ask", "words"), BAD)
def test_mistakes_are_answered_by_a_sentence(ask: object, words: str) -> None:
    with pytest.raises(ch.ModelError, match=words):
        ask()
