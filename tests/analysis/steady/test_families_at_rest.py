"""Families of equilibria: at which member a verdict was found, for which it holds, where C loses rank."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.analysis.linear.criteria import SPECTRAL
from formulas import formula, formulas


def test_M3_a_verdict_says_at_which_member_of_a_family_it_was_found() -> None:
    """x'' = (4 − y²) x − x'/5 near x = 0: unstable for |y| < 2 only."""
    wells = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - (x^2 - 1)^2 - x^2*y^2/2",
        forces={"x": "-x'/5", "y": "-y'/3"},
    )
    family = next(e for e in ch.equilibria(wells) if e.free)
    assert family.free == ("y",)
    assert family.reason.endswith("(at y = 0)")
    assert family.criteria is not None
    assert list(family.criteria.conditions) == formulas(["y^2 - 4"], factor="positive")
    assert (family.criteria.says, family.criteria.is_open) == (SPECTRAL, True)


@pytest.mark.slow
def test_M3_a_member_is_looked_at_where_the_constraint_has_its_rank() -> None:
    """C = (y, −z, 0) is 0 at y = z = 0; elsewhere x = 1 rests, and with z = 0 the constraint holds any x."""
    held = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x - 1)^2/2",
        constraints=["y*x' = z*y'"],
    )
    found = ch.equilibria(held)
    assert [(e.exact["x"], e.free) for e in found[:1]] == [(formula("1"), ("y", "z"))]
    assert [(e.exact["z"], e.free) for e in found[1:]] == [(formula("0"), ("x", "y"))]
    assert found.complete is None
    assert [e.to_json()["singular"] for e in found] == formulas([["y^2 + z^2"], ["y"]], factor=True)


def test_M3_never_leaves_out_the_boundary() -> None:
    """(s² + 1)² + z²: roots on the right for every z but 0."""
    turning = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)/2",
        constraints=["z' = y*x' - x*y'"],
    )
    (family,) = ch.equilibria(turning)
    assert family.criteria.holds is False
    assert list(family.criteria.unless) == formulas(["z"], factor=True)


@pytest.mark.slow
def test_M3_a_constraint_on_phase_space_is_kept_where_its_rate_follows() -> None:
    """Suslov: ω rests on the line s = I13 ω₁ + I23 ω₂ = 0, and s decays beside one half of it.

    ṡ = −(I13 ω₂/I11 − I23 ω₁/I22) s.
    """
    suslov = ch.load("suslov-poisson")
    (family,) = ch.equilibria(suslov)
    w2 = family.state["M2"] / 1.5
    rate = -(0.3 * w2 / 2 + 0.2 * (0.2 * w2 / 0.3) / 1.5)
    assert family.exact["M1"] == formula("-I11*I23*M2/(I22*I13)")
    assert sorted(family.eigenvalues.real.tolist()) == pytest.approx([rate, 0], abs=1e-12)
    assert ch.linearize(suslov).states == ("M1", "M2")


def test_M3_a_coordinate_that_is_free_for_one_value_of_a_parameter_alone() -> None:
    """Suslov's reduced equations rest where I13 w1 + I23 w2 = 0: for I23 = 0 at w1 = 0 with any w2."""
    suslov = ch.System(
        coordinates=["w1", "w2"],
        parameters={"I13": 1, "I23": 0},
        dynamics={"velocities": {"w1": "-(I13*w1 + I23*w2)*w2", "w2": "(I13*w1 + I23*w2)*w1"}},
        initial={"w1": 0, "w2": 2},
    )
    (family,) = ch.equilibria(suslov)
    assert (family.free, family.state["w2"], family.stable) == (("w2",), 2, True)
    assert family.exact["w1"] == formula("-I23*w2/I13")
