"""Consistent initial data (K13): what is given is kept, what is left out is solved or explained."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.errors import InitialDataError, ModelError
from chetaev.model.system import System
from counted import counted

FREE = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2"}


def helpful(error: ModelError) -> None:
    assert error.message
    assert error.remedy or error.expected


def circle(**initial: object) -> System:
    return System(**FREE, constraints={"position": ["x^2 + y^2 = 1"]}, initial=initial)  # type: ignore[arg-type]


def speed(**initial: object) -> System:
    return System(**FREE, constraints=["x'^2 + y'^2 = 4"], initial=initial)  # type: ignore[arg-type]


# --- positions ------------------------------------------------------------------------------------


def test_a_position_left_out_is_solved():
    state = circle(x=0.6, x_dot=0).state
    assert abs(state.position["y"]) == pytest.approx(0.8, rel=1e-14)
    assert state.position["x"] == 0.6
    assert max(map(abs, state.residuals)) <= 1e-14
    assert "y" in state.solved


def test_positions_left_out_move_least():
    """The point of x + 2y = 5 nearest to the origin is (1, 2)."""
    state = System(**FREE, constraints={"position": ["x + 2*y = 5"]}, initial={"x_dot": 0}).state
    assert state.position == pytest.approx({"x": 1.0, "y": 2.0}, abs=1e-12)


def test_positions_left_out_move_least_on_a_curve():
    """The point of the parabola y = x² − 2 nearest to the origin has x² = 3/2."""
    state = System(**FREE, constraints={"position": ["y = x^2 - 2"]}, initial={"x_dot": 0}).state
    assert math.hypot(*state.position.values()) <= math.sqrt(1.5 + 0.25) + 1e-6
    assert max(map(abs, state.residuals)) <= 1e-12


def test_a_circle_is_met_from_its_centre_where_the_gradient_vanishes():
    state = circle(x_dot=1).state
    assert math.hypot(*state.position.values()) == pytest.approx(1.0, rel=1e-12)
    assert circle(x_dot=1).state == state


@pytest.mark.slow
def test_a_constraint_that_nothing_meets():
    with pytest.raises(InitialDataError, match="no choice of the positions left out helps"):
        System(**FREE, constraints={"position": ["x^2 + y^2 = -1"]}, initial={"x_dot": 0})


def test_a_position_constraint_counts_at_velocity_level():
    state = circle(x=0.6, y=0.8, x_dot=1).state
    assert state.velocity["y"] == pytest.approx(-0.75, rel=1e-14)
    with pytest.raises(InitialDataError, match="misses the constraint"):
        circle(x=0.6, y=0.8, x_dot=1, y_dot=0)


def test_a_moving_position_constraint_has_its_own_velocity():
    state = System(
        **FREE, constraints={"position": ["x = sin(3*t)"]}, initial={"t": 0.2, "y_dot": 1}
    ).state  # fmt: skip
    assert state.position["x"] == pytest.approx(math.sin(0.6), rel=1e-14)
    assert state.velocity["x"] == pytest.approx(3 * math.cos(0.6), rel=1e-14)


# --- roundoff -------------------------------------------------------------------------------------


@pytest.mark.parametrize("miss", [1e-16, 1e-12, -4e-10])
def test_values_that_miss_by_roundoff_are_set_right(miss):
    state = circle(x=0.6, y=0.8 + miss, x_dot=0, y_dot=0).state
    assert abs(state.position["x"] ** 2 + state.position["y"] ** 2 - 1) <= 4e-16
    state = speed(x_dot=2 + miss, y_dot=0).state
    assert abs(state.residuals[0]) <= 1e-15


@pytest.mark.parametrize("miss", [1e-6, -1e-7, 0.1])
def test_values_that_miss_by_more_are_an_error(miss):
    with pytest.raises(InitialDataError, match="misses the constraint"):
        circle(x=0.6, y=0.8 + miss, x_dot=0, y_dot=0)
    with pytest.raises(InitialDataError, match="misses the constraint"):
        speed(x_dot=2 + miss, y_dot=0)


def test_roundoff_is_measured_against_the_terms_that_cancel():
    state = System(
        **FREE, constraints=["x' = 1e6*y'"], initial={"x_dot": 1e6 * (1 + 1e-15), "y_dot": 1}
    ).state  # fmt: skip
    assert abs(state.residuals[0]) <= 1e-9


# --- velocities -----------------------------------------------------------------------------------


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=3),
    st.lists(st.integers(-3, 3), min_size=4, max_size=4),
)
@settings(max_examples=60)
def test_linear_constraints_with_a_known_answer(rows, velocity):
    """k rows of rank k, and the last k velocities left out: they come back, if the rows determine them."""
    matrix = np.array(rows, dtype=float)
    k = len(rows)
    assume(np.linalg.matrix_rank(matrix[:, 4 - k :]) == k)
    names = ["a", "b", "c", "d"]
    equations = [
        " + ".join(f"{c}*{n}'" for c, n in zip(row, names, strict=True)) + f" = {int(np.dot(row, velocity))}"
        for row in rows
    ]
    system = System(
        coordinates=names,
        lagrangian="a'^2 + b'^2 + c'^2 + d'^2",
        constraints=equations,
        initial={f"{n}_dot": v for n, v in list(zip(names, velocity, strict=True))[: 4 - k]},
    )
    assert list(system.state.velocity.values()) == pytest.approx(velocity, abs=1e-10)
    assert max(map(abs, system.state.residuals)) <= 1e-12


def test_other_branches_are_reported():
    state = speed(x_dot=1).state
    assert state.velocity["y"] == pytest.approx(math.sqrt(3), rel=1e-14)
    assert [b["y"] for b in state.branches] == [pytest.approx(-math.sqrt(3), rel=1e-14)]


def test_a_value_at_the_edge_of_a_branch():
    """At x' = 2 the two branches y' = ±√(4 − x'²) meet: y' is not determined by a regular equation."""
    with pytest.raises(InitialDataError):
        speed(x_dot=2)
    near = speed(x_dot=2 - 1e-6).state
    assert near.velocity["y"] == pytest.approx(math.sqrt(4 - (2 - 1e-6) ** 2), rel=1e-6)
    assert near.velocity["y"] > 0


@pytest.mark.slow
def test_no_branch():
    with pytest.raises(InitialDataError, match="no value of y' satisfies"):
        speed(x_dot=3)


@pytest.mark.parametrize(
    ("constraints", "initial", "message"),
    [
        ([], {"x_dot": 1}, "y' is free"),
        (["x' = 1"], {"x": 0}, "y' is free"),
        (["x'*y = 0"], {"x_dot": 0}, "dependent|free|no derivative"),
        (["x'^2 = x^2*y'^2"], {"x": 1}, "x', y' are free"),
    ],
)
def test_what_is_free_is_named(constraints, initial, message):
    with pytest.raises(InitialDataError, match=message) as caught:
        System(**FREE, constraints=constraints, initial=initial)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("constraints", "initial"),
    [
        ([], {"x": 1}),
        (["x' = y'"], {"x": 0}),
        ({"position": ["x^2 + y^2 = 1"]}, {"x": 1}),
    ],
)
def test_where_no_velocity_is_given_a_system_that_may_rest_starts_at_rest(constraints, initial):
    state = System(**FREE, constraints=constraints, initial=initial).state
    assert set(state.velocity.values()) == {0.0}


def test_what_may_not_rest_does_not_start_at_rest():
    with pytest.raises(InitialDataError, match=r"are free"):
        System(**FREE, constraints=["x' - y' = 1"], initial={"x": 0})
    assert System(**FREE, constraints=["x' = 1", "y' = x'"], initial={"x": 0}).state.velocity["y"] == 1


def test_dependent_constraints_are_named():
    with pytest.raises(InitialDataError, match=r"y' = x\*x' .*depends on|y' = x\*x' has|dependent") as caught:
        System(
            coordinates=["x", "y", "z"],
            lagrangian="x'^2 + y'^2 + z'^2",
            constraints=["y' = 0", "y' = x*x'"],
            initial={"x_dot": 1, "y_dot": 0, "z_dot": 1},
        )
    assert "rank ∂f/∂v = 1 of 2" in caught.value.message
    assert caught.value.file == "constraints.velocity[1]"


def test_the_first_dependent_constraint_of_many_is_named():
    names = [f"x{i}" for i in range(9)]
    constraints = [f"x{i}' = 0" for i in range(5)] + ["x0' + x1' = x8*x7'", "x6' = 0"]
    with pytest.raises(InitialDataError, match="dependent") as caught:
        System(
            coordinates=names,
            lagrangian=" + ".join(f"{n}'^2" for n in names),
            constraints=constraints,
            initial={f"{n}_dot": 0 for n in names},
        )
    assert "x0' + x1' = x8*x7' depends" in caught.value.message
    assert caught.value.file == "constraints.velocity[5]"


def test_redundant_constraints_are_no_obstacle():
    state = System(
        coordinates=["x", "y", "z"],
        lagrangian="x'^2 + y'^2 + z'^2",
        constraints={"velocity": ["x' = 0", "2*x' = 0"], "acceleration": ["x'' = 0"]},
        initial={"y_dot": 0, "z_dot": 0},
    ).state
    assert state.velocity == {"x": 0.0, "y": 0.0, "z": 0.0}


@pytest.mark.few(7)
@pytest.mark.parametrize(
    "constraint",
    [
        "sqrt(x') = y'",
        "sqrt(abs(x')) = y'",
        "log(x') = y'",
        "x'/y' = 1",
        "acos(x') = y'",
        "x'^0.5 = y'",
        "1/x' = y'",
    ],
)
@pytest.mark.parametrize(
    "initial", [{"x_dot": 0}, {"y_dot": 0}, {"x_dot": 0, "y_dot": 0}, {"x": 1}, {"x_dot": -1}]
)
def test_constraints_outside_their_domain_never_crash(constraint, initial):
    try:
        state = System(**FREE, constraints=[constraint], initial=initial).state
    except InitialDataError as error:
        helpful(error)
    else:
        assert all(map(math.isfinite, state.velocity.values()))
        assert abs(state.residuals[0]) <= 1e-9


@pytest.mark.few(24)
@pytest.mark.parametrize(
    "constraint", ["sqrt(x) = y", "log(x) = y", "1/x = y", "sqrt(x - 5) = y", "x^2 + y^2 = 0"]
)
@pytest.mark.parametrize("initial", [{}, {"x": 0}, {"y": 0}, {"x": 0, "y": 0}, {"x": 5}])
def test_position_constraints_outside_their_domain_never_crash(constraint, initial):
    try:
        state = System(**FREE, constraints={"position": [constraint]}, initial={**initial, "x_dot": 0}).state
    except InitialDataError as error:
        helpful(error)
    else:
        assert abs(state.residuals[0]) <= 1e-9


@pytest.mark.few(2)
@pytest.mark.parametrize("value", [1e200, 1e-200, -1e300, 1e308])
def test_extreme_values_never_crash(value):
    for build in (
        lambda: speed(x_dot=value),
        lambda: circle(x=value, x_dot=0),
        lambda: circle(x=0.5, x_dot=value),
    ):
        try:
            state = build().state
        except ModelError as error:
            helpful(error)
        else:
            assert all(map(math.isfinite, (*state.position.values(), *state.velocity.values())))


def test_a_singular_lagrangian_or_force_is_refused_at_the_start():
    for changes in ({"lagrangian": "(x'^2 + y'^2)/x"}, {"forces": {"x": "log(x)"}}):
        with pytest.raises(ModelError, match="no finite value at the initial state"):
            System(**{**FREE, **changes}, initial={"x": 0, "x_dot": 1, "y_dot": 1})


def test_without_initial_data_there_is_no_state_but_a_system():
    system = System(**FREE)
    assert system.initial is None
    with pytest.raises(ModelError, match="no initial data") as caught:
        _ = system.state
    assert "with_initial" in caught.value.remedy


def test_many_velocities_left_out_are_named_at_once():
    names = [f"x{i}" for i in range(3000)]
    with counted() as count, pytest.raises(InitialDataError, match=r"x1', x2'.*… are free"):
        System(coordinates=names, lagrangian=" + ".join(f"{n}'^2" for n in names), initial={"x0_dot": 1})
    assert count.calls < 300 * len(names)


def test_the_answer_is_reproducible():
    for name in ("perpendicular-velocities", "relativistic-particle", "pendulum-cartesian"):
        assert ch.load(name).state == ch.load(name).state


def test_roundoff_is_set_right_also_when_other_values_are_left_out():
    """The values left out cannot help, so the given ones move; by less than 1e-9."""
    system = System(
        coordinates=["x", "y", "phi"],
        lagrangian="x'^2 + y'^2 + phi'^2",
        constraints={"position": ["x^2 + y^2 = 1"], "velocity": ["phi' = x'"]},
        initial={"x": 0.6, "y": 0.8 + 4e-10, "x_dot": 0.8, "y_dot": -0.6 + 3e-10},
    )
    assert max(map(abs, system.state.residuals)) <= 1e-12
    assert system.state.velocity["phi"] == pytest.approx(0.8, abs=1e-9)
    assert system.state.position["y"] == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("initial", [{"x": 1}, {"x": 1, "y": 1}, {"x": 1, "y_dot": 0}])
def test_K13_a_hidden_relation_between_positions_is_named(initial: dict[str, int]) -> None:
    for velocity in (["x' = x", "x' = x + y"], ["x' = x", "3*x'*exp(x) = exp(x)*(3*x - y)"]):
        with pytest.raises(InitialDataError, match=r"imply a relation between positions: y(\*exp\(x\))? = 0"):
            System(**FREE, constraints=velocity, initial=initial)
        both = {"velocity": velocity, "position": ["y = 0"]}
        assert System(**FREE, constraints=both, initial={"x": 1}).state.velocity == {"x": 1.0, "y": 0.0}
