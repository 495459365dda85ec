"""What a report and equations.tex say of where equations hold, of witnesses, and of letters of papers."""

from __future__ import annotations

import re
from itertools import islice

import pytest

import chetaev as ch
from chetaev.study.assistant import Outcome
from chetaev.study.report import render
from chetaev.study.report_notions import with_notions
from chetaev.study.stages import STAGES
from chetaev.study.study import Study
from chetaev.study.tex import equations_tex


@pytest.fixture(scope="module")
def damped() -> Study:
    """A particle with x y' = z x', damped along z, and what three stages find of it."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        dynamics={"lagrangian": "(x'^2 + y'^2 + z'^2)/2", "forces": {"z": "-2*z'"}},
        constraints=["x*y' = z*x'"],
        initial={"x": 1, "x_dot": 1, "z_dot": 1},
    )
    study = Study(system, None, 1.0)
    for stage, most in (("classification", None), ("laws", 2), ("equations", None)):
        *_, data = islice(STAGES[stage](system, None), most)
        study.outcomes[stage] = Outcome("done", 1.0, data, values=data.pop("values", None))
    return study


def test_a_report_says_where_equations_hold(damped: Study) -> None:
    report = render(damped)
    valid = re.findall(r'<p class="small valid">(.*?)</p>', report)
    assert any(text.startswith("Holds everywhere on Q") for text in valid)
    assert any(re.match(r"Valid where <math>.*≠", text) for text in valid)
    assert re.search(r"(?i)valid where.*\\neq? 0", equations_tex(damped))


def test_witnesses_are_typeset(damped: Study) -> None:
    laws = re.search(r'<section id="laws">(.*?)</section>', render(damped), re.DOTALL)
    assert laws
    states = re.findall(r"\(proved: value (−?[\d.]+) at (.*?)\)", laws[1])
    assert states
    for _, state in states:
        assert "<math>" in state
        assert not re.search(r"\w'|-\d", re.sub(r"<[^>]*>", "", state))


def test_letters_of_papers_are_explained_once_and_where_they_first_occur(damped: Study) -> None:
    report = render(damped)
    assert report.count("<li>Q: the states") == 1
    assert report.index("<li>Q: the states") < report.index('<section id="equations">')
    assert report.count("rows of the ledger of constructs") == 1


def test_names_of_a_model_in_formulas_are_not_explained() -> None:
    page = '<section id="laws"><math><mi>Q</mi></math><h2>Y</h2></section>'
    assert with_notions(page) == page


def test_K10_an_applied_force_is_named_as_the_reason(damped: Study) -> None:
    words = damped.summary()
    assert (
        "The momentum of z is not conserved, although z is cyclic: the applied force -2*z' acts on it."
        in words
    )
    assert any(text.startswith("The momenta of x and y are not conserved, although these") for text in words)


def test_where_no_equation_is_left_that_is_said() -> None:
    system = ch.System(coordinates=["x"], dynamics={"lagrangian": "x'^2/2"}, constraints=["x' = sin(t)"])
    study = Study(system, None, 1.0)
    data = {}
    for data in STAGES["equations"](system, None):
        if data["forms"]:
            break
    study.outcomes["equations"] = Outcome("done", 1.0, data, values=data.pop("values", None))
    for text in (render(study), equations_tex(study)):
        assert "No equation is left: the constraints determine the motion." in text
        assert "Too long" not in text
