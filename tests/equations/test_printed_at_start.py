"""Reduced equations as they are printed: finite at the initial state, and true there (SCOPE K19)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.expr.evaluate import evaluate
from chetaev.expr.parser import parse_equation
from portions import some


def residuals(system: ch.System, text: str) -> list[float]:
    """Both sides of every printed line, subtracted, at the initial state with the accelerations there."""
    state = system.state
    at: dict[object, float] = {**system.parameter_values, system.time: state.t}
    q, v = list(state.position.values()), list(state.velocity.values())
    form = "gauss" if system.dynamics.constraints_react else "reduced-lepage"
    accelerations = ch.field(system, form)(state.t, q, v)
    for order, values in enumerate((q, v, accelerations)):
        at |= {(name, order): float(x) for name, x in zip(system.coordinates, values, strict=True)}
    scope, found = replace(system.scope, order=2), []
    for line in text.splitlines():
        equation = parse_equation(line, scope)
        left, right = (float(x) for x in evaluate([equation.lhs, equation.rhs], at))
        found.append((left - right) / (1 + abs(left)))
    return found


@pytest.mark.parametrize("name", some(ch.gallery(), 3))
def test_K19_reduced_equations_hold_at_the_initial_state_as_they_are_printed(name: str) -> None:
    system = ch.load(name)
    try:
        text = str(ch.equations(system, "reduced"))
    except ModelError:
        pytest.skip("there are no reduced equations")
    if "where" in text:
        pytest.skip("it is printed with names for parts")
    assert np.abs(residuals(system, text)).max() < 1e-7


def test_K19_the_sleigh_in_the_velocities_of_a_regular_chart() -> None:
    text = str(ch.equations(ch.load("caratheodory-sleigh"), "reduced"))
    assert "(m*a^2 + J)*phi'' = -m*a*x'*phi'/cos(phi)" in text
