"""Steady motions along generators that are no translations (M6, B12), beside those in adapted coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest

import chetaev as ch
from formulas import formulas

TURN = {"x": "-y", "y": "x"}
KEPLER = ch.System(
    coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + k/sqrt(x^2 + y^2)", parameters={"k": 1}
)
SLEIGH = ch.System(
    coordinates=["x", "y", "p"],
    lagrangian="m*(x'^2 + y'^2)/2 + (J + m*a^2)*p'^2/2 + m*a*p'*(y'*cos(p) - x'*sin(p))",
    constraints=["y'*cos(p) = x'*sin(p)"],
    parameters={"m": 1, "J": 1, "a": 0.5},
)
PLANE = ["x", "y", {"x": "-y", "y": "x", "p": 1}]
PENDULUM = """
name = "Spherical pendulum"
coordinates = ["x", "y", "z"]
[parameters]
g = 10
[dynamics]
lagrangian = "(x'^2 + y'^2 + z'^2)/2 - g*z"
[constraints]
position = ["x^2 + y^2 + z^2 = 1"]
"""


def test_circular_orbits_are_stable_by_energy_and_momentum_M6() -> None:
    back, forth = ch.relative_equilibria(KEPLER, [TURN], given={"x": 1, "y": 0})
    at = [tuple(e.exact[n] for n in ("x", "y", "y_dot")) for e in (back, forth)]
    assert at == formulas([("1", "0", "-sqrt(k)"), ("1", "0", "sqrt(k)")])
    assert forth.stable is True
    assert "momentum along -y ∂/∂x + x ∂/∂y" in forth.reason
    assert list(forth.characteristic) == formulas(["s^3 + k*s"])
    found = ch.symmetries(KEPLER)
    (turn,) = [s for s in found if "t" not in s.components]
    assert len(ch.relative_equilibria(KEPLER, [turn], given={"x": 1, "y": 0})) == 2


@pytest.mark.slow
def test_conical_pendulum_in_cartesian_coordinates_M6() -> None:
    """z = −g/Ω² on the unit sphere, and the frequency Ω √(1 + 3 z²) of polar coordinates."""
    found = ch.relative_equilibria(ch.loads(PENDULUM), [TURN], given={"y": 0, "rate_1": 5})
    assert found.complete
    assert [e.stable for e in found] == [True, True, True, False]
    cone = found[2]
    assert [cone.exact[n] for n in ("x", "z")] == formulas(["sqrt((625 - g^2)/625)", "-g/25"])
    assert np.allclose(cone.eigenvalues, [0, 5j * math.sqrt(1.48), -5j * math.sqrt(1.48)])


def test_a_constant_speed_destabilises_circles_B12_also_in_cartesian_coordinates() -> None:
    held = ch.System(
        coordinates=["x", "y"],
        lagrangian="m*(x'^2 + y'^2)/2 + m*k/sqrt(x^2 + y^2)",
        constraints=["x'^2 + y'^2 = v0^2"],
        parameters={"m": 1, "k": 2, "v0": 1},
    )
    found = ch.relative_equilibria(held, [TURN], given={"y": 0})
    assert sorted((e.state["x"], e.state["y_dot"]) for e in found) == [(-2, -1), (-2, 1), (2, -1), (2, 1)]
    assert all(e.stable is False and np.allclose(e.eigenvalues, [0.5, -0.5]) for e in found)
    assert found.complete is None  # sqrt(x^2) has a kink


def test_a_sleigh_by_motions_of_the_plane_M6() -> None:
    """Straight on, stable with the mass ahead: −m a v/(J + m a²) is the eigenvalue."""
    (ahead,) = ch.relative_equilibria(SLEIGH, PLANE, given={"x": 0, "y": 0, "p": 0})
    assert ahead.free == ("rate_1",)
    assert ahead.stable is True
    assert list(ahead.criteria.conditions) == formulas(["rate_1"])
    assert np.allclose(ahead.eigenvalues, [0, -0.4])
    symmetric = SLEIGH.with_parameters(a=0)
    (circle,) = ch.relative_equilibria(symmetric, PLANE, given={"x": 0, "y": 0, "p": 0, "rate_1": 1})
    assert circle.free == ("rate_3",)
    assert circle.stable is None


@pytest.mark.slow
def test_exact_and_compiled_matrices_in_moving_frames_agree() -> None:
    for at in ({"p": 0, "x'": 1, "p'": 0}, {"x": 0.1, "y": 0.2, "p": 0.3, "x'": 1, "p'": 0.5}):
        exact, doubles = (
            ch.linearize(SLEIGH, at={"x": 0, "y": 0} | at, relative_to=PLANE, effort=effort)
            for effort in (1_000_000, 4)
        )
        assert exact.exact is not None
        assert doubles.exact is None
        assert exact.kind == doubles.kind
        assert np.allclose(exact.A, doubles.A, rtol=1e-12, atol=1e-12)
        assert np.allclose(exact.drift, doubles.drift, rtol=1e-12, atol=1e-12)


def test_a_state_at_rest_for_one_value_of_a_parameter_has_no_criterion() -> None:
    """V = −x³/3 + k x rests at x = 1 for k = 1 alone; sqrt(k) is what to judge."""
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^3/3 + k*x", parameters={"k": 1})
    near = ch.linearize(system, at={"x": 1, "x'": 0})
    assert near.kind == "equilibrium"
    assert near.criteria is None
    assert [e.exact["x"] for e in ch.equilibria(system)] == formulas(["-sqrt(k)", "sqrt(k)"])


BAD = (
    (lambda: ch.relative_equilibria(KEPLER, [TURN]), "form a family of"),
    (lambda: ch.relative_equilibria(KEPLER, [TURN], given={"u'": 1}), "neither a coordinate nor a speed"),
    (lambda: ch.relative_equilibria(KEPLER, [TURN], given={"x": "y"}), "contains y"),
    (lambda: ch.relative_equilibria(KEPLER, [TURN], given={"x": 1}, free=["x"]), "given and free"),
    (lambda: ch.relative_equilibria(KEPLER, [{"x": "-y", "y": "2*x"}]), "is no symmetry"),
    (lambda: ch.relative_equilibria(KEPLER, []), "no symmetries are named"),
)


@pytest.mark.parametrize(("ask", "words"), BAD)
def test_mistakes_are_sentences(ask: object, words: str) -> None:
    with pytest.raises(ch.ModelError, match=words):
        ask()


def test_a_limit_cycle_of_a_first_order_system_is_a_steady_motion() -> None:
    """Stuart and Landau: r' = r (a − r²), with the eigenvalue −2 a; at r = 0 any speed does."""
    text = """
coordinates = ["x", "y"]
[parameters]
a = 1
[dynamics]
velocities = {x = "x*(a - x^2 - y^2) - y", y = "y*(a - x^2 - y^2) + x"}
"""
    found = ch.relative_equilibria(ch.loads(text), [TURN], given={"y": 0})
    assert tuple(found[0].exact[n] for n in ("x", "y", "y_dot")) == formulas(("sqrt(a)", "0", "sqrt(a)"))
    assert [e.stable for e in found] == [True, True]
    assert np.allclose(found[0].eigenvalues, [-2])
    assert found.complete is None
    assert "families along rate_1" in found.searched
