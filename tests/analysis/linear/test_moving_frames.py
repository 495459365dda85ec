"""Linearisation relative to symmetries that are no translations: X − ξ_Q on the quotient (M3, M6)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import chetaev as ch

KEPLER = ch.System(
    coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + k/sqrt(x^2 + y^2)", parameters={"k": 1}
)
TURN = {"x": "-y", "y": "x"}
CIRCLE = {"x": 0.6, "y": 0.8, "x'": -0.8, "y'": 0.6}


def test_circular_orbit_in_cartesian_coordinates_is_that_in_polar_ones_M6() -> None:
    polar = ch.System(coordinates=["r", "phi"], lagrangian="(r'^2 + r^2*phi'^2)/2 + k/r", parameters={"k": 1})
    plain = ch.linearize(polar, at={"r": 1, "phi": 0, "r'": 0, "phi'": 1}, relative_to=["phi"])
    turned = ch.linearize(KEPLER, at=CIRCLE, relative_to=[TURN])
    assert turned.kind == "relative equilibrium"
    assert len(turned.states) == len(plain.states) == 3
    by_frequency = sorted(turned.eigenvalues, key=lambda z: z.imag)
    assert np.abs(by_frequency - np.array([-1j, 0, 1j])).max() < 1e-12
    assert sorted(plain.eigenvalues.imag) == [-1, 0, 1]
    assert np.abs(turned.drift.values).max() < 1e-12


def test_another_speed_is_no_relative_equilibrium() -> None:
    near = ch.linearize(KEPLER, at={**CIRCLE, "x'": -0.9}, relative_to=[TURN])
    assert near.kind == "no equilibrium"


@pytest.mark.slow
def test_groups_that_do_not_commute_M3_disc_by_motions_of_the_plane() -> None:
    """SE(2) × S¹: the eigenvalues ±iφ' of the group itself do not appear."""
    disc = ch.load("rolling-disc")
    lean, turn, values = 0.4, 2.0, ch.load("rolling-disc").parameter_values
    R, g = values["R"], values["g"]
    spin = math.sin(lean) * (5 * R * turn**2 * math.cos(lean) + 4 * g) / (6 * R * turn * math.cos(lean))
    at = {"theta": lean, "phi'": turn, "psi'": spin, "theta'": 0}
    group = [{"x": 1}, {"y": 1}, {"phi": 1, "x": "-y", "y": "x"}, {"psi": 1}]
    by_group = ch.linearize(disc, at=at, relative_to=group)
    by_names = ch.linearize(disc, at=at, relative_to=["x", "y", "psi", "phi"])
    assert by_group.kind == by_names.kind == "relative equilibrium"
    assert np.abs(by_group.eigenvalues - by_names.eigenvalues).max() < 1e-6
    assert any("rounding" in note for note in by_names.notes)


def test_inputs_outputs_and_mistakes() -> None:
    near = ch.linearize(KEPLER, at=CIRCLE, relative_to=[TURN], inputs=["x"], outputs=["x^2 + y^2"])
    assert near.B.shape == (3, 1)
    assert near.C.shape == (1, 3)
    for wrong in ([{"x": "y"}], [{"q": 1}], [{"x": "x'"}], [{"t": 1}], [{}], [3]):
        with pytest.raises(ch.ModelError):
            ch.linearize(KEPLER, at=CIRCLE, relative_to=wrong)
    with pytest.raises(ch.ModelError, match="changes along"):
        ch.linearize(KEPLER, at=CIRCLE, relative_to=[TURN], outputs=["x"])
