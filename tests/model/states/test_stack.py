"""One order of constraints: formulations, compiled field and data sets have the same rows."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.equations.law.setup import Setup
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.run.compiled_field import compile_field
from chetaev.model.states.kinematics import Kinematics
from chetaev.model.states.stack_of_constraints import Stack, every_constraint
from formulas import formulas

MIXED = ch.System(
    coordinates=["x", "y", "z", "w"],
    lagrangian="(x'^2 + y'^2 + 2*z'^2 + w'^2)/2 - x*z",
    constraints={
        "velocity": ["x' = y*w' + 1"],
        "position": ["z^2 + y = 3"],
        "acceleration": ["x'' + w*z'' = x"],
    },
    initial={"position": {"x": 1, "y": 2, "z": 1, "w": 3}, "velocity": {"w": 2, "z": 1}},
)


def test_every_room_reads_the_rows_in_one_order() -> None:
    stack = Stack.of_constraints(MIXED)
    assert list(every_constraint(MIXED)) == formulas(["z^2 + y = 3", "x' = y*w' + 1", "x'' + w*z'' = x"])
    assert stack.with_functions(stack.functions) == stack
    assert Ingredients.of(MIXED).functions == stack.functions
    assert ConstraintData.from_system(MIXED).functions == stack.functions[: stack.on_velocities]
    state = MIXED.state
    q, v = (np.array([x[c] for c in MIXED.coordinates]) for x in (state.position, state.velocity))
    expected = [[0, 1, 2, 0], [1, 0, 0, -2], [1, 0, 3, 0]]  # dφ/dt, f, α
    assert Kinematics(MIXED, {}).rows(0.0, q, v).tolist() == expected
    assert compile_field(MIXED).matrices(0.0, q, v)[2].tolist() == expected
    s = Setup(MIXED)
    values = {("y", 0): 2, ("z", 0): 1, ("w", 0): 3}
    assert [[float(ch_value(e, values)) for e in row] for row in s.matrix(s.rows.C)] == expected


def ch_value(expr: object, values: dict[tuple[str, int], float]) -> float:
    from chetaev.expr.graph.evaluate import evaluate

    return float(evaluate([expr], values)[0])  # type: ignore[list-item]


def test_a_data_set_has_the_multipliers_of_chetaevs_equations() -> None:
    motion = ch.simulate(MIXED, until=0.2, at=[0.0, 0.2])
    assert list(motion.constraint.values) == formulas([str(e) for e in every_constraint(MIXED)])
    last = motion.isel(time=-1)
    point = {"t": 0.2} | {n: float(last[n]) for c in MIXED.coordinates for n in (c, f"{c}_dot")}
    _, mu = ch.equations(MIXED, "chetaev").evaluate(point)
    assert last.multiplier.values == pytest.approx([float(x) for x in mu], rel=1e-7)
    assert np.abs(motion.residual).max() < 1e-9
