"""What a report and equations.tex say of where equations hold, of witnesses, and of letters of papers."""

from __future__ import annotations

import re
from itertools import islice

import pytest

import chetaev as ch
from chetaev.study.assistant import Outcome
from chetaev.study.report import render
from chetaev.study.stages import STAGES
from chetaev.study.study import Study
from chetaev.study.tex import equations_tex
from chetaev.study.told_figures import follow
from chetaev.terms_of_papers import with_explanations


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


@pytest.mark.slow
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


def test_reasons_are_typed_as_people_write() -> None:
    system = ch.load("dog-pursues-man")
    study = Study(system, None, 1.0)
    *_, data = STAGES["classification"](system, None)
    study.outcomes["classification"] = Outcome("done", 1.0, data, values=data.pop("values", None))
    assert "the rank condition fails where t·c − y = 0 and x = 0" in render(study)


def test_letters_of_papers_are_explained_once_and_where_they_first_occur(damped: Study) -> None:
    report = render(damped)
    assert report.count("<li>Q: the states") == 1
    assert report.index("<li>Q: the states") < report.index('<section id="equations">')
    assert report.count("rows of the ledger of constructs") == 1


def test_names_of_a_model_in_formulas_are_not_explained() -> None:
    page = '<section id="laws"><math><mi>Q</mi></math><h2>Y</h2></section>'
    assert with_explanations(page) == page


def test_K10_an_applied_force_is_named_as_the_reason(damped: Study) -> None:
    words = damped.summary()
    assert (
        "The momentum of z is not conserved, although z is cyclic: the applied force −2·z' acts on it."
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


def test_units_claims_and_what_was_solved_stand_in_a_report() -> None:
    text = """
        coordinates = ["x", "y", "steering_angle"]
        [parameters]
        m = 1e-7
        [units]
        m = "kg"
        x = "m"
        [dynamics]
        lagrangian = "m*(x'^2 + y'^2 + steering_angle'^2)/2"
        [constraints]
        velocity = ["y' = -x'*steering_angle"]
        [initial.velocity]
        x = -2
        steering_angle = 1
        [[claims]]
        conserved = ["x'"]
        """
    study = Study(ch.loads(text), None, 1.0)
    *_, data = STAGES["claims"](study.system, None)
    study.outcomes["claims"] = Outcome("done", 1.0, data, values=data.pop("values", None))
    page = render(study)
    assert re.search(r"1·10⁻⁷</td><td>kg</td>", page)
    assert re.search(r"−2</td><td>m</td>", page)
    assert "Solved from the constraints: <math" in page
    assert "1. Conserved" in page


@pytest.mark.slow
def test_a_quantity_that_is_zero_is_as_well_conserved_as_others() -> None:
    """Its drift is told as a bound, relative to its terms, not to the error that its value is."""
    free = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2",
        initial={"x": 1, "y": 2, "x_dot": 2, "y_dot": 4},
    )
    (law,) = (one for one in ch.integrals(free, {"turn": "x*y' - y*x'"}) if one.name == "turn")
    entry: dict[str, float] = {}
    ((_, values, size),) = follow(free, ch.simulate(free, until=50), [law], [entry])
    assert abs(values).max() < 1e-6 < 1 < size
    assert entry["relative_drift"] < 1e-6
    assert entry["drift"] in [float(f"{k}e-{n}") for k in (1, 2, 5) for n in range(6, 14)] + [0.0]
