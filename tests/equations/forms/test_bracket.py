"""Multipliers by brackets on velocity phase space (B3, B5)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms import bracket
from chetaev.equations.forms import chetaev as chetaev_form
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph import node as graph
from chetaev.expr.language.parser import parse
from chetaev.model.states.points import random_points
from formulas import formula
from galleries import LAGRANGIAN
from portions import some
from random_systems import random_system

SINGULAR = (
    "brachistochrone-constrained",
    "relativistic-particle-homogeneous",
    "relativistic-particle-scalar-homogeneous",
)


@pytest.mark.parametrize("name", some(LAGRANGIAN, 6))
def test_B3_accelerations_and_multipliers_are_those_of_chetaev(name: str) -> None:
    system = ch.load(name)
    if name in SINGULAR or system.acceleration_constraints:
        with pytest.raises(ch.ModelError, match=r"bracket"):
            bracket.derive(system)
        return
    ours, reference = bracket.derive(system), chetaev_form.derive(system)
    for point in random_points(system, 2, seed=11):
        a, mu = ours.evaluate(point)
        b, nu = reference.evaluate(point)
        for x, y in zip([*a, *mu], [*b, *nu], strict=True):
            assert abs(x - y) < 1e-38 * (1 + abs(y))


@pytest.mark.parametrize("seed", range(8))
def test_B3_random_systems(seed: int) -> None:
    system = random_system(seed, most=4)
    ours, reference = bracket.derive(system), chetaev_form.derive(system)
    for point in random_points(system, 1, seed=seed):
        for x, y in zip(ours.evaluate(point)[0], reference.evaluate(point)[0], strict=True):
            assert abs(x - y) < 1e-35 * (1 + abs(y))


def test_B5_the_matrix_of_brackets_is_symmetric_and_the_inverse_metric() -> None:
    system = ch.load("rolling-disc")
    law = bracket.derive(system)
    assert zero_test(graph.sub(law.M_AB[0][1], law.M_AB[1][0])).is_zero
    free = ch.System(coordinates=["x", "y"], lagrangian="m*x'^2/2 + M*y'^2/2", constraints=["a*x' = b*y'"],
                     parameters={"m": 2, "M": 3, "a": 5, "b": 7})  # fmt: skip
    expected = parse("a^2/m + b^2/M", free.scope)
    assert zero_test(graph.sub(bracket.derive(free).M_AB[0][0], expected)).is_zero


def test_B5_a_null_direction_in_lorentz_signature_fails() -> None:
    light = ch.System(
        coordinates=["w", "x", "y"], lagrangian="(x'^2 + y'^2 - w'^2)/2", constraints=["w' = x'"]
    )
    with pytest.raises(ch.ModelError, match="null direction"):
        bracket.derive(light)
    timelike = ch.System(
        coordinates=["w", "x", "y"], lagrangian="(x'^2 + y'^2 - w'^2)/2", constraints=["2*w' = x'"]
    )
    assert bracket.derive(timelike).unknowns == ("mu_1",)


def test_B3_bracket_of_a_function_with_a_1_form_is_the_poisson_bracket_with_a_position() -> None:
    """{f, dx} = ∂f/∂p_x: with p = m v + A(q), the bracket of x' is 1/m."""
    system = ch.System(coordinates=["x", "y"], lagrangian="m*(x'^2 + y'^2)/2 + x*y'", parameters={"m": 2})
    one = [graph.ONE, graph.ZERO]
    assert bracket.bracket(system, graph.symbol("x", 1), one) == formula("1/m")
    assert bracket.bracket(system, graph.symbol("y", 1), one) == formula("0")
    assert bracket.bracket(system, graph.symbol("x"), one) == formula("0")
