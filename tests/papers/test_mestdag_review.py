"""Mestdag's review of Cushman, Duistermaat, Śniatycki: what it says of their chapters on reduction (M1, M6).

The review has no numbered equations; names of tests say which sentence they belong to.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import chetaev as ch
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.given_fields import read_fields
from chetaev.reduction.on_section import rates_on_section
from formulas import formulas

MOVES = [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}]
QUASI = {"w": "phi'", "u": "x'*cos(phi) + y'*sin(phi)"}


def test_M1_the_sleigh_is_reduced_in_three_ways():
    """By its symmetries, by invariants that are named, and by d'Alembert's principle at one state."""
    sleigh = ch.load("caratheodory-sleigh")
    by_symmetry = ch.reduce(sleigh, symmetries=MOVES)
    by_name = ch.reduce(sleigh, invariants=QUASI)
    at_one = rates_on_section(
        sleigh, read_fields(sleigh, MOVES, "point"), by_name.invariants, standpoints(sleigh)[0], 4_000_000
    )
    expected = {"w": "-m*a*w*u/(m*a^2 + J)", "u": "a*w^2"}
    assert by_name.field == formulas(expected)
    assert at_one == formulas(expected)
    renamed = [str(e).replace("v_phi", "w").replace("s1", "u") for e in by_symmetry.field.values()]
    assert renamed == formulas([expected["w"], expected["u"]])


@pytest.mark.slow
def test_M1_the_motion_of_the_sleigh_in_closed_form_and_reconstructed():
    """u = A tanh λ(t − t₀), ω = B / cosh λ(t − t₀): it runs straight in the end, whatever its beginning."""
    sleigh = ch.load("caratheodory-sleigh")
    found = ch.reduce(sleigh, invariants=QUASI)
    at = np.linspace(0, 8, 41)
    small = ch.simulate(found.system, until=8, at=at, tolerance=1e-12)
    p = found.full.parameter_values
    u0, w0 = float(small["u"][0]), float(small["w"][0])
    inertia = p["J"] + p["m"] * p["a"] ** 2
    energy = (p["m"] * u0**2 + inertia * w0**2) / 2
    A, B = math.sqrt(2 * energy / p["m"]), math.sqrt(2 * energy / inertia)
    rate = p["m"] * p["a"] * A / inertia
    begin = math.atanh(u0 / A)
    np.testing.assert_allclose(small["u"], A * np.tanh(rate * at + begin), atol=1e-9)
    np.testing.assert_allclose(small["w"], math.copysign(B, w0) / np.cosh(rate * at + begin), atol=1e-9)
    full = ch.simulate(sleigh, until=8, at=at, tolerance=1e-12)
    back = found.reconstruct(until=8, at=at, tolerance=1e-12)
    for c in sleigh.coordinates:
        np.testing.assert_allclose(back[c], full[c], atol=1e-9)
