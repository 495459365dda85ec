"""Forces, what is linear in the velocities, sections: each part of the reduced equations counts (M4, M6)."""

from __future__ import annotations

from typing import Any

import pytest

import chetaev as ch
from formulas import formula

SLEIGH = ch.load("caratheodory-sleigh")


def proved(found: Any) -> bool:
    return all(v.is_zero and v.proved for v in found.agreement().values())


def test_M4_forces_act_on_shape_and_momentum() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        forces={"y": "-y'", "x": "-3*x'"},
        constraints=["z' = y*x'"],
    )
    found = ch.reduce_by_group(system, [{"x": 1}, {"z": 1}])
    assert found.accelerations["y"] == formula("-y'")
    assert proved(found)


def test_M4_a_momentum_has_the_part_of_the_lagrangian_that_is_linear_in_the_velocities() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + y*x'")
    found = ch.reduce_by_group(system, [{"x": 1}])
    assert found.conserved == ("p_1",)
    assert found.reconstruction["x"] == formula("p_1 - y")
    assert proved(found)


def test_M6_a_section_that_the_group_moves_is_refused() -> None:
    along = {"x": "cos(phi)", "y": "sin(phi)"}
    assert proved(ch.reduce_by_group(SLEIGH, [{"x": 1}, {"y": 1}], sections=[along]))
    moved = {"x": "x*cos(phi)", "y": "x*sin(phi)"}
    with pytest.raises(ch.ModelError, match="is not invariant"):
        ch.reduce_by_group(SLEIGH, [{"x": 1}, {"y": 1}], sections=[moved])


def test_M6_a_momentum_that_changes_is_not_conserved() -> None:
    assert ch.reduce_by_group(SLEIGH, [{"x": 1}, {"y": 1}]).conserved == ()
