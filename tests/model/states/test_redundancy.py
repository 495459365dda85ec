"""Constraints that say no more than others do, and those that contradict them."""

from __future__ import annotations

from typing import Any

import pytest

import chetaev as ch


def made(constraints: Any, **more: Any) -> ch.System:
    return ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z",
        constraints=constraints,
        **more,
    )


@pytest.mark.parametrize(
    ("constraints", "rank", "dependent"),
    [
        (["z' = y*x'"], 1, ()),
        (["z' = y*x'", "x' = 2*y'"], 2, ()),
        (["z' = y*x'", "exp(x)*(z' - y*x') + 2*(z' - y*x') = 0"], 1, (1,)),
        (["x' = y'", "y' = z'", "z' = x'", "2*z' = 2*x'"], 2, (2, 3)),
        (["x' = y'", "(x' - y')*(1 + x') = 0"], 1, (1,)),  # dependent on Q, independent off it
        (["x' = y'", "(x' - y')^2 = 0"], 1, (1,)),
        (["x*(x' - y') = 0", "(1 - x)*(x' - y') = 0"], 1, (1,)),
        (["x'^2 + y'^2 = 4", "(x'^2 + y'^2)^2 = 16"], 1, (1,)),
        ({"position": ["x^2 + y^2 = 1"], "velocity": ["x*x' + y*y' = 0"]}, 1, (1,)),
        ({"position": ["x^2 + y^2 = 1", "(x^2 + y^2 - 1)*(x + 3) = 0"]}, 1, (1,)),
        ({"velocity": ["x' = t"], "acceleration": ["x'' = 1"]}, 1, (1,)),
        ({"acceleration": ["x'' = 1", "2*x'' = 2"]}, 1, (1,)),
    ],
)
def test_the_rank_on_Q_and_the_rows_that_depend_on_earlier_ones(
    constraints: Any, rank: int, dependent: tuple[int, ...]
) -> None:
    system = made(constraints)
    assert (system.redundancy.rank, system.redundancy.dependent) == (rank, dependent)
    assert system.degrees_of_freedom == 3 - rank


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("constraints", "named"),
    [
        ({"acceleration": ["x'' = 1", "2*x'' = 3"]}, r"2\*x'' = 3 depends on x'' = 1"),
        ({"velocity": ["x' = t"], "acceleration": ["x'' = 2"]}, r"x'' = 2 depends on x' = t"),
        (["x' = 1", "x' = 2"], r"no state was found.*x' = 1; x' = 2"),
        (["(x' - y')^2 = 0", "z' = x'"], r"no state was found.*\(x' - y'\)\^2"),
    ],
)
def test_rows_that_ask_for_more_than_those_they_depend_on_are_named(constraints: Any, named: str) -> None:
    from chetaev.flow.run.compiled_field import compile_field

    with pytest.raises(ch.ModelError, match=named):
        _ = made(constraints).redundancy
    with pytest.raises(ch.ModelError, match=named):
        compile_field(made(constraints))


def test_a_hidden_condition_on_positions_is_told_although_the_initial_state_meets_it() -> None:
    with pytest.raises(ch.ModelError, match="imply a relation between positions: 1 - x = 0"):
        made(["x' = y'", "x' = y' + x - 1"], initial={"x": 1, "x'": 0, "z'": 0})


def test_initial_data_are_solved_beside_redundant_constraints() -> None:
    system = made(["x' = y'", "y' = z'", "z' = x'"], initial={"x'": 1})
    assert system.state.velocity == {"x": 1.0, "y": 1.0, "z": 1.0}
    assert repr(system).endswith("3 coordinates, 3 constraints>")


def test_a_start_where_rows_become_dependent_is_still_refused() -> None:
    with pytest.raises(ch.ModelError, match="dependent at the initial state"):
        made(["x' = y'", "x'*cos(x) = y'"], initial={"x": 0, "x'": 1, "z'": 0})
