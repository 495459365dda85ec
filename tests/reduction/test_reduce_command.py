"""`chetaev reduce`: what people see and what machines read (B11, M6)."""

from __future__ import annotations

import json

import pytest

from chetaev.cli import run
from formulas import formulas

BEANIE = """
name = "beanie"
coordinates = ["a", "b"]
[dynamics]
lagrangian = "3*a'^2/2 + (a' + b')^2/2 + cos(b)"
[initial.position]
a = 0
b = 0
[initial.velocity]
a = 0.5
b = 4
[run]
until = 10
"""
SPRINGS = """
name = "springs"
coordinates = ["x", "y"]
[dynamics]
lagrangian = "(x'^2 + y'^2)/2 - (x^2 + y^2)/2"
"""


@pytest.fixture
def springs(tmp_path):
    path = tmp_path / "springs.toml"
    path.write_text(SPRINGS)
    return str(path)


@pytest.mark.slow
def test_B11_a_linear_symmetry_is_shown_and_in_the_json(springs, capsys):
    assert run(["reduce", springs, "--symmetry", "x=-y,y=x"]) == 0
    shown = capsys.readouterr().out
    assert "orbits in configuration space of dimension 1, smaller where y = x = 0" in shown
    assert run(["reduce", springs, "--symmetry", "x=-y,y=x", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["symmetries"] == formulas([{"x": "-y", "y": "x"}])
    assert facts["relations"] == formulas(["s2^2 + s3^2 - s1*s4"], factor=True)


def test_B11_maps_of_a_finite_group_are_options(springs, capsys):
    assert run(["reduce", springs, "--map", "x=y,y=x"]) == 0
    assert "s1 = x + y" in capsys.readouterr().out
    assert run(["reduce", springs, "--map", "x=2*x"]) != 0
    assert "more than 500 elements" in capsys.readouterr().err


@pytest.mark.slow
def test_M6_phases_are_shown(tmp_path, capsys):
    path = tmp_path / "beanie.toml"
    path.write_text(BEANIE)
    assert run(["reduce", str(path), "--symmetry", "a=1", "--phases"]) == 0
    assert "geometric exp of -1.57079633 (∂/∂a)" in capsys.readouterr().out
    assert run(["reduce", str(path), "--symmetry", "a=1", "--phases", "--json"]) == 0
    assert abs(json.loads(capsys.readouterr().out)["phases"]["geometric"][0] + 1.5707963267949) < 1e-9


def test_an_invariant_that_does_not_close_is_exit_status_1(springs, capsys):
    assert run(["reduce", springs, "--invariant", "b=x*x' + y*y'"]) == 1
    assert "not closed: b" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "nothing to reduce by was given"),
        (["--symmetry", "x=1", "--invariant", "u=x'"], "more than one thing to reduce by was given"),
        (["--symmetry", "x=1,x=2"], "'x' is given twice: as '1' and as '2'"),
        (["--symmetry", "x=atan2(1,2),y"], "a symmetry is 'y'"),
    ],
)
def test_options_that_say_nothing_or_too_much_are_a_sentence(springs, options, words, capsys):
    assert run(["reduce", springs, *options]) == 2
    assert words in capsys.readouterr().err
