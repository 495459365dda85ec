"""Are these all? Where something is left out, it is said, and `complete` is None (M3, M6)."""

from __future__ import annotations

import math

import pytest

import chetaev as ch
from chetaev.analysis.steady.completeness import InBox, RealZeros


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("potential", "count", "complete"),
    [
        ("sqrt(x^2 + y^2)", 0, None),  # the tip of a cone is a minimum, and no zero of its derivatives
        ("1/sqrt(x^2 + y^2) + x^2 + 2*y^2", 4, True),  # a pole is no state
        ("sqrt(1 + x^2) + y^2", 1, True),
        ("(sqrt((x - 1)^2 + 1) - 2)^2 + y^2", 3, True),
    ],
)
def test_a_root_that_comes_to_a_point_is_a_kink_M3(potential: str, count: int, complete: bool | None) -> None:
    found = ch.equilibria(ch.System(coordinates=["x", "y"], lagrangian=f"(x'^2 + y'^2)/2 - ({potential})"))
    assert (len(found), found.complete) == (count, complete)
    assert ("root" in found.searched) is (complete is None)


@pytest.mark.slow
def test_steady_motions_where_a_chart_ends_are_found_in_another_M6() -> None:
    """F·W = sin θ cos θ and the torque −sin 2θ vanish at θ = 0, π/2, π, −π/2; a chart sees two of them."""
    skate = ch.System(
        coordinates=["x", "y", "th"],
        lagrangian="(x'^2 + y'^2 + th'^2)/2",
        constraints=["x'*sin(th) = y'*cos(th)"],
        forces={"x": "sin(th)", "th": "-sin(2*th)"},
    )
    found = ch.relative_equilibria(skate, ["x", "y"])
    assert sorted(e.state["th"] for e in found) == pytest.approx([-math.pi / 2, 0, math.pi / 2, math.pi])
    assert found.complete
    speed = ch.System(
        coordinates=["r", "phi"],
        lagrangian="(r'^2 + r^2*phi'^2)/2 + 2/r",
        constraints=["r'^2 + r^2*phi'^2 = 1"],
    )
    assert ch.relative_equilibria(speed, ["phi"]).complete  # where r φ' = 0 the constraint does not hold


@pytest.mark.slow
def test_orbits_that_do_not_meet_the_section_M6() -> None:
    """Orbits of boosts with |x| > |y| never come to x = 0, those of turns always do."""
    for sign, complete in (("-", None), ("+", True)):
        plane = ch.System(coordinates=["x", "y"], lagrangian=f"(x'^2 {sign} y'^2)/2 - (x^2 {sign} y^2 - 1)^2")
        field = {"x": "-y" if complete else "y", "y": "x"}
        assert ch.relative_equilibria(plane, [field], {"rate_1": 0}).complete is complete


@pytest.mark.slow
def test_stops_are_left_out_of_account_M6() -> None:
    parts = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2 - y^2/2 - y"}
    for stops, complete in (((), True), (({"position": "y", "restitution": 0.5},), None)):
        system = ch.System(**parts, stops=stops)
        assert ch.relative_equilibria(system, ["x"]).complete is complete
        assert ch.equilibria(system).complete is complete


def test_what_was_seen_is_a_value_and_its_words_are_made_of_it_M3() -> None:
    assert RealZeros(found=1).complete is True
    for left_out in (
        {"singular": 1}, {"kinks": True}, {"held": True}, {"stops": True}, {"cut": ("y",)},
        {"independent": False}, {"singular_members": True}, {"left_out": ("y",)}, {"solved_for": ("x'",)},
    ):  # fmt: skip
        seen = RealZeros(found=1, **left_out)
        assert seen.complete is None
        assert str(seen) != str(RealZeros(found=1))
    held = RealZeros(found=1, kinks=True, held=True)
    assert str(held).startswith(
        "these are all in which no such force acts off kinks, angles up to whole turns: "
    )
    assert "no others" in str(RealZeros(found=0, singular=2))
    assert "no others" not in str(RealZeros(found=0, singular=2, held=True))
    box = InBox(box={("x", 0): (-5, 5), ("y", 1): (0, 2)}, undecided=0, why="the function exp", stops=True)
    assert str(box) == (
        "interval Newton in |x| ≤ 5, 0 ≤ y' ≤ 2, all of them there; nothing is said about the outside (the "
        "function exp); stops are left out of account: what rests against one is not found"
    )
