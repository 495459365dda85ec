"""Constraints on accelerations in a classification (SCOPE L9)."""

from __future__ import annotations

import pytest

import chetaev as ch

FREE = "(x'^2 + y'^2 + z'^2)/2"


def system(*acceleration: str, velocity: tuple[str, ...] = (), lagrangian: str = FREE) -> ch.System:
    return ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=lagrangian,
        constraints={"velocity": list(velocity), "acceleration": list(acceleration)},
        degenerate=True,
    )


@pytest.mark.parametrize(
    ("constraint", "time"),
    [
        ("x'' = -3*x + t*y'", "rheonomic"),
        ("cos(t)*x'' + sin(t)*y'' = 1", "rheonomic"),
        ("t*(x'' + x*y'') = 0", "skleronomic"),  # t is only a factor
        ("exp(t)*x'' = exp(t)*y'' + exp(t)*x'^2", "skleronomic"),
        ("x''*y' = y''*x'", "skleronomic"),
    ],
)
def test_L9_time_in_a_constraint_on_accelerations(constraint: str, time: str) -> None:
    answer = ch.classify(system(constraint))
    assert (answer.holonomy, answer.time, answer.degrees_of_freedom) == ("nonholonomic", time, 2)
    assert answer.reason("time")


def test_L9_time_counts_beside_a_velocity_constraint_too() -> None:
    answer = ch.classify(system("y'' = t*x", velocity=("z' = y*x'",)))
    assert (answer.time, answer.degrees_of_freedom) == ("rheonomic", 1)
    assert "depends on time" in answer.reason("time")


def test_L9_the_derivative_of_a_velocity_constraint_adds_nothing() -> None:
    answer = ch.classify(system("x'' = y'*z' + y*z''", velocity=("x' = y*z'",)))
    assert answer.degrees_of_freedom == 2
    assert any("x'' = y'*z' + y*z'' is redundant" in w for w in answer.warnings)
    integrable = ch.classify(system("z'' = x*x'' + x'^2", velocity=("z' = x*x'",)))
    assert integrable.holonomy == "semiholonomic"


def test_L9_dependent_constraints_on_accelerations_count_once() -> None:
    answer = ch.classify(system("x'' = y*t", "2*x'' = 2*y*t"))
    assert answer.degrees_of_freedom == 2
    assert any("redundant" in w for w in answer.warnings)


def test_L9_an_acceleration_constraint_may_make_up_for_a_degenerate_lagrangian() -> None:
    lagrangian = "(x'^2 + y'^2)/2 - x*z"
    assert ch.classify(system(lagrangian=lagrangian)).regular is False
    assert ch.classify(system("z'' = x", lagrangian=lagrangian)).regular is True
    assert ch.classify(system("y'' = x", lagrangian=lagrangian)).regular is False


def test_an_ignorable_coordinate_held_by_an_acceleration_constraint_may_lose_its_momentum() -> None:
    (warning,) = ch.classify(system("x'' = 2*y''")).warnings
    assert "a momentum may change" in warning
