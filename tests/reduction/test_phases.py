"""Geometric and dynamic phases of relative periodic orbits (M6)."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import chetaev as ch

TURN = {"x": "-y", "y": "x"}


def beanie(**initial):
    """Elroy's: two bodies on one axis, their relative angle b in a potential."""
    return ch.System(
        coordinates=["a", "b"],
        lagrangian="J*a'^2/2 + I*(a' + b')^2/2 + cos(b)",
        parameters={"J": 3, "I": 1},
        initial={"a": 0, "b": 0, "a_dot": 0.5, "b_dot": 4} | initial,
        until=20,
    )


def test_M6_the_beanie_turns_by_its_momentum_and_by_its_shape():
    """Δa = μT/(I + J) − 2π I/(I + J): dynamic and geometric, for a relative angle that turns once."""
    found = ch.reduce(beanie(), symmetries=[{"a": 1}]).phases()
    momentum = 3 * 0.5 + 1 * 4.5
    assert abs(found.dynamic[0] - momentum * found.period / 4) < 1e-9
    assert abs(found.geometric[0] + 2 * math.pi / 4) < 1e-9
    full = ch.simulate(beanie(), until=found.period, at=[0, found.period], tolerance=1e-13)
    assert abs(found.total[0] - float(full["a"][-1])) < 1e-9
    assert found.connection == "mechanical"
    assert found.commuting
    json.dumps(found.to_json())
    assert f"geometric exp of {found.geometric[0]:.9g} (∂/∂a)" in str(found)


@pytest.mark.slow
def test_M6_a_shape_that_swings_has_no_geometric_phase():
    found = ch.reduce(beanie(b_dot=1, a_dot=0), symmetries=[{"a": 1}]).phases()
    assert abs(found.geometric[0]) < 1e-9
    assert found.error < 1e-9


@pytest.mark.slow
def test_M6_a_rolling_coin_is_all_geometry():
    """The group of translations is transverse to the constraint: the shift is the holonomy of the shapes.

    The steering angle swings, φ = cos, the wheel angle swings with another phase: x, y shift by a curve
    integral over the loop (φ, ψ) that is computed by itself.
    """
    coin = ch.System(
        coordinates=["x", "y", "phi", "psi"],
        lagrangian="(x'^2 + y'^2 + phi'^2)/2 + psi'^2/2 - 2*phi^2 - psi^2",
        constraints=["x' = cos(phi)*psi'", "y' = sin(phi)*psi'"],
        initial={"x": 0, "y": 0, "phi": 0.8, "psi": 0, "phi_dot": 0, "psi_dot": 1},
        until=20,
    )
    # on the constraint psi'' = −psi, phi'' = −4 phi: both return after 2π
    found = ch.reduce(coin, symmetries=[{"x": 1}, {"y": 1}]).phases()
    assert abs(found.period - 2 * math.pi) < 1e-8
    assert found.connection == "nonholonomic"
    assert np.abs(found.dynamic).max() < 1e-12
    t = np.arange(20_000) * (found.period / 20_000)
    phi, speed = 0.8 * np.cos(2 * t), np.cos(t)
    loop = [np.mean(f(phi) * speed) * found.period for f in (np.cos, np.sin)]
    np.testing.assert_allclose(found.geometric, loop, atol=1e-9)
    assert abs(loop[0]) + abs(loop[1]) < 1e-9 or np.abs(loop).max() > 1e-3
    full = ch.simulate(coin, until=found.period, at=[0, found.period], tolerance=1e-13)
    np.testing.assert_allclose(found.total, [full["x"][-1], full["y"][-1]], atol=1e-9)


@pytest.mark.slow
def test_M6_rotations_of_space_shift_by_a_group_element():
    """A particle in a central field: after a radial period it has turned about its angular momentum."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)/2 - (x^2 + y^2 + z^2)^2/4",
        initial={"x": 1, "y": 0, "z": 0.2, "x_dot": 0, "y_dot": 0.5, "z_dot": 0.3},
        until=20,
    )
    fields = [TURN, {"y": "-z", "z": "y"}, {"z": "-x", "x": "z"}]
    found = ch.reduce(system, symmetries=fields).phases()
    assert not found.commuting
    assert found.error < 1e-9
    axis = np.array([found.total[1], found.total[2], found.total[0]])
    momentum = np.cross([1, 0, 0.2], [0, 0.5, 0.3])
    np.testing.assert_allclose(np.cross(axis, momentum), 0, atol=1e-8)


@pytest.mark.slow
def test_M6_motions_of_the_plane_shift_by_a_group_element():
    """A sleigh whose blade is under its centre of mass runs in circles: any time is a period."""
    edge = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints=["x'*sin(phi) = y'*cos(phi)"],
        initial={"x": 0.3, "y": 0.1, "phi": 0.2, "x_dot": 2, "phi_dot": 1},
        until=5,
    )
    found = ch.reduce(edge, symmetries=[{"x": 1}, {"y": 1}, TURN | {"phi": 1}])
    with pytest.raises(ch.ModelError, match="relative equilibrium"):
        found.phases()
    shift = found.phases(period=2.0)
    assert shift.error < 1e-9
    assert abs(shift.total[2] - 2.0) < 1e-9
    np.testing.assert_allclose(shift.geometric, 0, atol=1e-9)


def test_M6_bad_phases_are_sentences():
    found = ch.reduce(beanie(), symmetries=[{"a": 1}])
    with pytest.raises(ch.ModelError, match="not where the group takes"):
        found.phases(period=1.0)
    with pytest.raises(ch.ModelError, match="the period is"):
        found.phases(period=float("nan"))
    with pytest.raises(ch.ModelError, match="does not return"):
        found.phases(until=0.5)
    by_hand = ch.reduce(beanie(), invariants={"b": "b", "u": "a'", "w": "b'"})
    with pytest.raises(ch.ModelError, match="made by invariants"):
        by_hand.phases()
