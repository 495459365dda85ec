"""Constraints on accelerations in a classification (SCOPE L9)."""

from __future__ import annotations

import pytest

import chetaev as ch
from formulas import sentence

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
        ("x''*y' = y''*z'", "skleronomic"),
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
    assert sentence("constraint ", "x'' = y'*z' + y*z''", " is redundant") in answer.warnings
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


@pytest.mark.parametrize(
    ("constraint", "kept"),
    [
        ("y'' = 0", "y'"),
        ("x*x'' + y*y'' + x'^2 + y'^2 = 0", "x*x' + y*y'"),
        ("x''*y' = y''*x'", "y'/x'"),
        ("exp(t)*(x'' - y'') = exp(t)*2*t", "t^2"),
    ],
)
def test_L9_what_can_be_integrated_twice_is_semiholonomic(constraint: str, kept: str) -> None:
    answer = ch.classify(system(constraint))
    assert (answer.holonomy, answer.integrable) == ("semiholonomic", True)
    assert "integrated twice" in answer.reason("holonomy")
    assert "proved" in answer.reason("holonomy")
    assert kept in answer.reason("integrals")


@pytest.mark.parametrize(
    ("constraint", "kept"),
    [
        ("z'' = y*x'' + x'*y'", "z' - y*x'"),
        ("x'*x'' + y'*y'' = 0", "x'^2 + y'^2"),
        ("z'*z'' = x*x'", "x"),
        ("z'' = x*x'' + x'^2 + y'", "z'"),  # z' = x*x' + y + const is not integrable
    ],
)
def test_L9_what_comes_from_a_condition_on_velocities_is_said_to(constraint: str, kept: str) -> None:
    answer = ch.classify(system(constraint))
    assert (answer.holonomy, answer.integrable) == ("nonholonomic", False)
    assert "comes from a condition on velocities, which is not integrable" in answer.reason("holonomy")
    assert kept in answer.reason("integrals")


@pytest.mark.parametrize("constraint", ["z'' = y*x''", "x'' = y*t*z''", "x'' = x'*y"])
def test_L9_what_comes_from_no_condition_on_velocities_is_proved_so(constraint: str) -> None:
    answer = ch.classify(system(constraint))
    assert answer.holonomy == "nonholonomic"
    assert "does not come from a condition on velocities (proved" in answer.reason("holonomy")


def test_L9_several_constraints_are_counted() -> None:
    answer = ch.classify(system("x'' = 0", "z'' = y*x''"))
    assert answer.holonomy == "semiholonomic"  # z'' = 0 with the first
    answer = ch.classify(system("x'' = t", "z'' = y*x''"))
    assert answer.holonomy == "nonholonomic"
    assert "of 2 constraints 1 comes from conditions on velocities" in answer.reason("holonomy")


def test_L9_constraints_beside_it_are_counted_in() -> None:
    assert ch.classify(system("y'' = t", velocity=("z' = x*x'",))).holonomy == "semiholonomic"
    assert ch.classify(system("y'' = t", velocity=("z' = y*x'",))).holonomy == "nonholonomic"


@pytest.mark.parametrize(
    ("acceleration", "velocity"),
    [
        (("x'' = 1", "2*x'' = 3"), ()),
        (("x'' = 2",), ("x' = t",)),
        (("x'' = y'", "x'' = z'"), ()),  # only where y' = z'
        (("x'' + y'' = 0", "y'' + z'' = 0", "x'' - z'' = 1"), ()),
    ],
)
def test_L9_contradictory_constraints_are_refused(
    acceleration: tuple[str, ...], velocity: tuple[str, ...]
) -> None:
    wrong = system(*acceleration, velocity=velocity)
    for ask in (ch.classify, ch.compare, lambda s: ch.equations(s, "gauss")):
        with pytest.raises(ch.ModelError, match=r"contradicts .*leave no acceleration") as error:
            ask(wrong)
        assert acceleration[-1] in str(error.value)


def test_L9_conditions_that_agree_where_velocities_do_are_accepted() -> None:
    answer = ch.classify(system("x'' = y'", "x'' = z'", velocity=("y' = z'",)))
    assert answer.degrees_of_freedom == 1


@pytest.mark.parametrize("text", ["x''*0 + x' = 1", "x'' - x'' = y'"])
def test_L9_a_constraint_without_accelerations_is_refused(text: str) -> None:
    with pytest.raises(ch.ModelError, match="contains no acceleration") as error:
        system(text)
    assert "'velocity'" in str(error.value)


def test_B4_the_energy_of_an_acceleration_constraint_has_the_reason_that_was_tested() -> None:
    (energy,) = [law for law in ch.integrals(ch.load("acceleration-constraint")) if law.name == "energy"]
    assert "(∂f/∂a)·v = 0" in energy.origin
    assert "∂f/∂v" not in energy.origin
