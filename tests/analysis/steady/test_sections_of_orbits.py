"""Steady motions along symmetries that are given by their fields (SCOPE M3, M6)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chetaev as ch
from formulas import formulas

PLANE = [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}]
TURN = {"x": "-y", "y": "x"}


def robot(**values):
    """A sleigh with drag that is pushed and turned; its contact point is (x, y)."""
    return ch.System(
        name="robot",
        coordinates=["x", "y", "phi"],
        parameters={"m": 2, "J": 1, "a": 0.3, "c": 0.4, "T": 1, "N": 0.5} | values,
        lagrangian="m*((x'-a*sin(phi)*phi')^2+(y'+a*cos(phi)*phi')^2)/2+J*phi'^2/2",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
        forces={"x": "T*cos(phi)-c*x'", "y": "T*sin(phi)-c*y'", "phi": "N-c*phi'"},
    )


@pytest.mark.parametrize("phi", [0, 0.7])
def test_circles_of_a_robot_M6_obey_the_reduced_equations(phi):
    """m(u' − aω²) = T − cu, (J + ma²)ω' + m a u ω = N − cω, at any heading of the section."""
    every = ch.relative_equilibria(robot(), PLANE, given={"phi": phi})
    (found,) = every
    assert every.complete is (None if phi else True)  # the sine of 0.7 is no algebraic number
    m, J, a, c, T, N = 2, 1, 0.3, 0.4, 1, 0.5
    omega = found.state["phi_dot"]
    u = found.state["x_dot"] / math.cos(phi)
    assert found.state["y_dot"] == pytest.approx(u * math.sin(phi), abs=1e-12)
    assert [-m * a * omega**2 - T + c * u, m * a * u * omega - N + c * omega] == pytest.approx(
        [0, 0], abs=1e-9
    )
    inertia = J + m * a**2
    A = [[-c / m, 2 * a * omega], [-m * a * omega / inertia, -(c + m * a * u) / inertia]]
    assert sorted(found.eigenvalues.real) == pytest.approx(sorted(np.linalg.eigvals(A).real), abs=1e-9)
    assert found.stable is True


@pytest.mark.slow
def test_the_way_ahead_of_the_sleigh_M1_is_stable_and_back_is_not():
    sleigh = ch.load("caratheodory-sleigh")
    for speed, stable in ((2, True), (-2, False)):
        (found,) = ch.relative_equilibria(sleigh.with_initial({"x'": speed, "phi": 0, "phi'": 0}), PLANE)
        assert found.free == ("rate_1",)
        assert found.stable is stable
        assert list(found.criteria.conditions) == formulas(["rate_1"])


@pytest.mark.slow
@given(st.integers(1, 4), st.integers(1, 3), st.fractions(1, 3, max_denominator=4))
def test_circles_in_a_central_field_M6_have_their_epicyclic_frequency(n, k, r):
    """V = k ρ^(2n)/2n: ω² = k r^(2n−2), κ² = V'' + 3V'/r = (2n + 2) ω²."""
    system = ch.System(
        coordinates=["x", "y"],
        parameters={"k": k},
        lagrangian=f"(x'^2 + y'^2)/2 - k*(x^2 + y^2)^{n}/{2 * n}",
    )
    found = ch.relative_equilibria(system, [TURN], given={"x": str(r), "y": 0})
    omega = math.sqrt(k * float(r) ** (2 * n - 2))
    assert sorted(e.state["y_dot"] for e in found) == pytest.approx([-float(r) * omega, float(r) * omega])
    for e in found:
        assert sorted(e.eigenvalues.imag)[::2] == pytest.approx(
            [-math.sqrt(2 * n + 2) * omega, math.sqrt(2 * n + 2) * omega]
        )
        assert e.stable is True
        assert e.linearization.evidence.startswith("exact")


def test_a_potential_that_is_no_polynomial_M6_is_searched():
    """V = exp(ρ²): ω² = 2 exp(r²), κ² = V'' + 3V'/r = (8 + 4r²) exp(r²)."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - exp(x^2 + y^2)")
    found = ch.relative_equilibria(system, [TURN], given={"x": 1, "y": 0})
    assert len(found) == 2
    assert found.complete is None
    for e in found:
        assert abs(e.state["y_dot"]) == pytest.approx(math.sqrt(2 * math.e))
        assert max(e.eigenvalues.imag) == pytest.approx(math.sqrt(12 * math.e))


def test_the_conical_pendulum_M6_in_cartesian_coordinates():
    system = ch.System(
        coordinates=["x", "y", "z"],
        parameters={"g": 10, "l": 1},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z",
        constraints={"position": ["x^2 + y^2 + z^2 = l^2"]},
    )
    found = ch.relative_equilibria(system, [TURN], given={"y'": 4})
    assert len(found) == 2
    assert found.complete is True
    for e in found:
        x, z = e.state["x"], e.state["z"]
        omega = 4 / x
        assert omega**2 == pytest.approx(-10 / z)
        across = math.sqrt(omega**2 * (1 + 3 * z**2))  # of small changes of the angle
        assert sorted(e.eigenvalues.imag) == pytest.approx([-across, 0, across])
        assert e.stable is True


def test_generators_that_are_dependent_M6_leave_rates_unknown():
    """Rotations of space at a point: one of three generators does not move it, but turns velocities."""
    ball = [TURN, {"y": "-z", "z": "y"}, {"z": "-x", "x": "z"}]
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)^2/4"
    )
    found = ch.relative_equilibria(system, ball, given={"x": 1, "z'": 0})
    assert [(e.state["y"], e.state["z"], e.state["y_dot"]) for e in found] == [(0, 0, -1), (0, 0, 1)]


def test_a_moving_frame_M6_is_exact_in_the_parameters():
    at = {"x": 0, "y": 0, "phi": 0, "x'": "T/c", "phi'": 0}
    found = ch.linearize(robot(N=0), at=at, relative_to=PLANE)
    assert found.kind == "relative equilibrium"
    assert list(found.characteristic) == formulas(["s + c/m", "s + (T*m*a + c^2)/(c*(m*a^2 + J))"])
    assert found.criteria is None  # it is steady for N = 0 alone


@pytest.mark.parametrize(
    ("symmetries", "given", "said"),
    [
        ([{"x": "y"}], None, "is no symmetry"),
        ([{"x": 1}, TURN | {"phi": 1}], {"J'": 1}, "J"),
        ([], None, "no symmetries are named"),
        ([{"w": 1}], None, "neither time nor a coordinate"),
        (["x", "y", "phi"], None, "by its components"),
    ],
)
def test_what_is_no_symmetry_is_a_sentence_M6(symmetries, given, said):
    with pytest.raises(ch.ModelError, match=said):
        ch.relative_equilibria(robot(), symmetries, given)


def test_a_velocity_that_nothing_moves_is_a_sentence_M6():
    system = ch.System(coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2 - z^2 - x^2 - y^2")
    with pytest.raises(ch.ModelError, match="z is not moved by the symmetries"):
        ch.relative_equilibria(system, [TURN], {"z'": 1})
