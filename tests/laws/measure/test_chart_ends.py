"""Where the chart of an invariant density ends is said beside it."""

from __future__ import annotations

import chetaev as ch


def test_the_chart_of_a_skate_ends_across() -> None:
    skate = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
    )
    found = ch.measure(skate)
    assert found.chart == ("x", "phi")
    assert [str(e) for e in found.chart_ends] == ["cos(phi)"]
    assert "the chart of these velocities ends where cos(phi) = 0" in str(found)
    assert found.to_json()["chart_ends"] == ["cos(phi)"]


def test_a_chart_of_all_of_q_has_no_end() -> None:
    assert ch.measure(ch.load("heisenberg")).chart_ends == ()
