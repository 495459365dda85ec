"""`ch.play`: what a page is told, and what it cannot compute."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.cli import run
from chetaev.errors import ModelError
from chetaev.view.play.play_page import usual

PENDULUM = {
    "coordinates": ["a"],
    "parameters": {"m": 2, "l": "m/2"},
    "lagrangian": "m*l^2*a'^2/2 + m*l*cos(a)",
    "initial": {"a": 1, "a_dot": 0},
}


def told(**changed: object) -> list[dict[str, object]]:
    page = ch.play(ch.System(**(PENDULUM | changed)), laws=[], until=1.0)
    return page.told["sliders"]  # type: ignore[no-any-return]


def test_parameters_that_are_numbers_and_initial_data_have_sliders() -> None:
    found = told()
    assert [(s["name"], s["value"]) for s in found] == [("m", 2.0), ("a", 1.0), ("a_dot", 0.0)]
    assert all(s["low"] <= s["value"] <= s["high"] for s in found)  # type: ignore[operator]


def test_velocities_that_constraints_determine_have_none() -> None:
    names = [s["name"] for s in ch.play(ch.load("rolling-disc"), laws=[], until=1.0).told["sliders"]]
    assert {"psi_dot", "phi_dot", "theta_dot"} <= set(names)
    assert not {"x_dot", "y_dot"} & set(names)


def test_free_velocities_that_are_not_given_are_those_of_a_chart() -> None:
    """A skate at rest: of three velocities under one constraint two are free."""
    skate = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
        initial={"x": 0, "y": 0, "phi": 0.3},
    )
    names = [s["name"] for s in ch.play(skate, laws=[], until=1.0).told["sliders"]]
    assert len([n for n in names if n.endswith("_dot")]) == 2


def test_a_view_says_where_sliders_end() -> None:
    ranges = {"m": [1, 3], "a'": [-2, 2]}
    found = {s["name"]: (s["low"], s["high"]) for s in told(view={"sliders": ranges})}
    assert found["m"] == (1.0, 3.0)
    assert found["a_dot"] == (-2.0, 2.0)


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ({"M": [1, 2]}, "there is no 'M' to vary"),
        ({"l": [1, 2]}, "there is no 'l' to vary"),  # it follows from m
        ({"m": [2, 1]}, "the smaller one first"),
        ({"m": 3}, "two numbers"),
        ([1], "a table such as"),
    ],
)
def test_a_wrong_slider_is_a_sentence(ranges: object, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        told(view={"sliders": ranges})


@pytest.mark.parametrize(
    ("value", "low", "high"), [(2.0, 0.5, 8.0), (-1.0, -4.0, 4.0), (0.0, -1.0, 1.0), (1e-9, 2.5e-10, 4e-9)]
)
def test_usual_ranges(value: float, low: float, high: float) -> None:
    assert usual(value) == (low, high)


def test_what_the_page_lacks_is_said_and_the_computed_motion_is_shown() -> None:
    page = ch.play(ch.load("bouncing-ball"), until=1.0)
    assert page.missing == "the page computes no impacts"
    text = page.html()
    assert "This is the computed motion" in text
    assert "chetaevPlay(" not in text


def test_a_name_ends_no_script() -> None:
    page = ch.play(ch.System(**PENDULUM, name="</script><b>$x$"), laws=[], until=1.0).html()
    assert "</script><b>" not in page


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "page.html"
    assert run(["play", "knife-edge", "-o", str(file), "--until", "1", "--set", "m=2"]) == 0
    text = file.read_text(encoding="utf-8")
    assert '"until":1' in text
    sliders = json.loads(text.split('id="chetaev-player-play">')[1].split("</script>")[0])["sliders"]
    assert next(s for s in sliders if s["name"] == "m")["value"] == 2
    assert len(text) < 300_000
    file.write_text("mine")
    capsys.readouterr()
    assert run(["play", "knife-edge", "-o", str(file)]) == 2
    assert "--force" in capsys.readouterr().err
    assert run(["play", "stick-slip", "-o", str(file), "--force"]) == 0
    assert "nothing can be varied" in capsys.readouterr().err
