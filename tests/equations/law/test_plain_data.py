"""Results of the equations as plain data."""

from __future__ import annotations

import json

import pytest

import chetaev as ch
from formulas import formulas

SLEIGH = ch.load("caratheodory-sleigh")
DEGENERATE = ch.System(coordinates=["x", "y"], lagrangian="(x' + y')^2/2 - x*y", degenerate=True)
RESULTS = {
    "equations": (lambda: ch.equations(SLEIGH), "accelerations"),
    "forms": (lambda: ch.forms(SLEIGH), "forms"),
    "singular": (lambda: ch.singular(SLEIGH), "outcome"),
    "singular, degenerate": (lambda: ch.singular(DEGENERATE), "primary"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_plain_data(name):
    ask, key = RESULTS[name]
    data = ask().to_json()
    assert json.loads(json.dumps(data)) == data
    assert data[key]


def test_accelerations_in_plain_data_K20_are_those_of_the_equations():
    found = ch.equations(SLEIGH)
    assert found.accelerations == formulas(found.to_json()["accelerations"])
