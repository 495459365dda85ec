"""Exponents beyond a machine word end in an answer or a sentence, never in the end of the process."""

from __future__ import annotations

import pytest

import chetaev as ch


@pytest.mark.parametrize("exponent", ["1e-20", "2 + 1e-20", "1e20", "10^25 + 1/2"])
def test_verbs_live_with_them(exponent: str) -> None:
    system = ch.System(coordinates=["x"], lagrangian=f"x'^2/2 - x^({exponent})", initial={"x": 1, "x_dot": 0})
    (energy,) = [law for law in ch.integrals(system) if law.conserved]
    assert energy.name == "energy"
    assert ch.equilibria(system).complete is not True
    assert ch.linearize(system) is not None
