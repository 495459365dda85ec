"""Bates and Nester, section 8: what is lost and what is kept in a central field at constant speed (B12)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.language.parser import parse
from chetaev.laws.rate import is_first_integral
from chetaev.laws.standpoint import EVERY_VALUE


def test_B12_angular_momentum_is_lost_to_the_force_of_the_constraint():
    """L' = (V̇/m v0²) L along the motion: no component is conserved, all of L exp(−V/m v0²) are."""
    system = ch.load("central-force-constant-speed")
    components = {"Lx": "(y*z' - z*y')", "Ly": "(z*x' - x*z')", "Lz": "(x*y' - y*x')"}
    factor = "exp(k/(v0^2*sqrt(x^2 + y^2 + z^2)))"
    for e in components.values():
        kept, view = is_first_integral(system, parse(f"{e}*{factor}", system.scope))
        assert kept.is_zero
        assert kept.proved
        assert view.words == EVERY_VALUE
        lost, _ = is_first_integral(system, parse(e, system.scope))
        assert lost.is_zero is False
        assert lost.witness


@pytest.mark.slow
def test_B12_the_reduced_motion_has_an_integral_in_the_place_of_angular_momentum():
    """(σ₁v0² − σ₂²) exp(2k/(v0²√σ₁)): |L|² exp(−2V/m v0²) in the invariants."""
    system = ch.load("central-force-constant-speed")
    found = ch.reduce(system, invariants={"s1": "x^2 + y^2 + z^2", "s2": "x*x' + y*y' + z*z'"})
    (law,) = ch.integrals(found.system, {"K": "(s1*v0^2 - s2^2)*exp(2*k/(v0^2*sqrt(s1)))"})
    assert law.name == "K"
    assert law.conserved is True
    assert law.parameters == EVERY_VALUE
