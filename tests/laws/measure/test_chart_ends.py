"""Where the chart of an invariant density ends is said beside it."""

from __future__ import annotations

import chetaev as ch
from formulas import formulas


def test_the_chart_of_a_skate_ends_across() -> None:
    skate = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
    )
    found = ch.measure(skate)
    assert found.chart == ("x", "phi")
    assert list(found.chart_ends) == formulas(["cos(phi)"], factor=True)
    assert f"the chart of these velocities ends where {found.chart_ends[0]} = 0" in str(found)
    assert found.to_json()["chart_ends"] == formulas(["cos(phi)"], factor=True)


def test_a_chart_of_all_of_q_has_no_end() -> None:
    assert ch.measure(ch.load("heisenberg")).chart_ends == ()
