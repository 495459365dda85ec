"""The section of a study on equilibria and steady motions: what it finds, what it says if there is none."""

from __future__ import annotations

from typing import Any

import pytest

import chetaev as ch
from chetaev.study.packed_objects import packed, unpacked
from chetaev.study.report import render
from chetaev.study.steady_stage import steady

FALL = ch.System(coordinates=["z"], lagrangian="m*z'^2/2 - m*g*z", parameters={"m": 1, "g": 10})


def last(system: ch.System) -> dict[str, Any]:
    *_, data = steady(system, None)
    return data


def test_pendulum_rests_in_two_places_and_the_values_can_be_sent() -> None:
    data = last(ch.load("pendulum-cartesian"))
    assert [row["stable"] for row in unpacked(packed(data["values"]))["equilibria"]] == [True, False]
    assert data["equilibria"]["complete"] is True
    assert data["cyclic"] == []
    assert "motions" not in data


@pytest.mark.slow
def test_steady_motions_of_the_disc_are_a_family() -> None:
    data = last(ch.load("rolling-disc"))
    assert data["cyclic"] == ["x", "y", "psi", "phi"]
    (row,) = data["values"]["motions"]
    assert row["free"] == [("theta", 0), ("phi", 1)]
    assert len(row["conditions"]) == 1


def test_nothing_at_rest_and_time_in_the_law_are_sentences() -> None:
    assert last(FALL)["values"]["equilibria"] == []
    assert "depend on t" in last(ch.load("bead-on-rotating-hoop"))["excluded"]["equilibria"]


def test_the_section_of_the_report(tmp_path: Any) -> None:
    from chetaev.study.assistant import Outcome
    from chetaev.study.study import Study

    spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2")
    told = (ch.load("ziegler-pendulum"), "Equilibria"), (FALL, "can rest nowhere"), (spring, "<td>i, −i</td>")
    for system, words in told:
        study = Study(system, tmp_path, 1.0)
        data = last(system)
        values = data.pop("values")
        study.outcomes = {"steady": Outcome(status="done", seconds=0.0, data=data, message="", values=values)}
        section = render(study).partition('<section id="steady">')[2].partition("</section>")[0]
        assert words in section
