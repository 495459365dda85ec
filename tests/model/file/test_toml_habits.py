"""Lines of a model file that are not TOML, and keys that stand elsewhere, are answered with what to write."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.errors import ModelError

MODEL = """\
coordinates = ["x", "theta"]
[parameters]
m = 1
[dynamics]
lagrangian = "m*(x'^2 + theta'^2)/2"
[constraints]
velocity = ["x' = theta'"]
[initial.velocity]
x = 1
"""


@pytest.mark.parametrize(
    ("right", "wrong", "remedy"),
    [
        ("m = 1", "m = 1 kg", 'label it under [units]: m = "kg"'),
        ("m = 1", "m = 9.81 m/s^2", "without its unit"),
        ("m = 1", "m = 30 deg", 'write "30*pi/180", in quotes'),
        ("m = 1", "m = 30°", 'write "30*pi/180", in quotes'),
        ("m = 1", "m = 0,5", "write 0.5"),
        ("m = 1", "m = .5", "write 0.5"),
        ("m = 1", "m = 5.", "write 5.0"),
        ("m = 1", "m = 1/2", "in quotes"),
        ("m = 1", "m = pi/2", "in quotes"),
        ("m = 1", "m = 1 // mass", "starts with #"),
        ("m = 1", "m: 1", "write m = 1"),
        ("m = 1", "φ_1 = 1", '"φ_1" = 1'),
        ("[parameters]", "[parameters", "write [parameters]"),
        ("[parameters]", '{"m": 1}', "TOML file"),
        ("[parameters]", "import sympy", "TOML file"),
        ("\"m*(x'^2 + theta'^2)/2\"", '"\\frac{m}{2} \\dot x^2"', "LaTeX is not read"),
        ("\"m*(x'^2 + theta'^2)/2\"", "\"m*(x'^2\n+ theta'^2)/2\"", "a text of several lines"),
        ("\"m*(x'^2 + theta'^2)/2\"", "\"L = m*(x'^2 + theta'^2)/2\"", "leave 'L =' out"),
        ("\"x' = theta'\"", "\"x' := theta'\"", "written with ="),
        ("m = 1", "m =", "give the value"),
        ("\"m*(x'^2 + theta'^2)/2\"", "m*x'^2", "in quotes"),
        ("\"m*(x'^2 + theta'^2)/2\"", "'m*(x'^2 + theta'^2)/2'", "double quotes"),
        ("[\"x' = theta'\"]", "[x' = theta']", "in quotes"),
        ('["x", "theta"]', "[x, theta]", '["x", "theta"]'),
        ('["x", "theta"]', "x, theta", '["x", "theta"]'),
        ("[initial.velocity]\nx = 1", "[initial]\nx = 1", "[initial.position]"),
        ("[initial.velocity]\nx = 1", "[initial]\nx_dot = 1", "x = … belongs into [initial.velocity]"),
        ("x = 1", "x_dot = 1", "did you mean 'x'"),
        ("x = 1", "x' = 1", "without primes"),
        ("x = 1", '"θ" = 1', "did you mean 'theta'"),
        ("lagrangian =", "L =", "did you mean 'lagrangian'"),
        ("lagrangian =", "T =", "did you mean 'kinetic'"),
        ("velocity = [", "nonholonomic = [", "did you mean 'velocity'"),
    ],
)
def test_the_remedy_says_what_to_write(right: str, wrong: str, remedy: str) -> None:
    assert right in MODEL
    text = MODEL.replace(right, wrong, 1)
    with pytest.raises(ModelError) as caught:
        ch.loads(text, "model.toml")
    assert remedy in caught.value.remedy
    assert caught.value.place is not None
