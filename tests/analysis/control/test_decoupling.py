"""Decoupling fields: known answers, and forces that follow the fields at any speed (SCOPE M6)."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.flow.run.compiled_field import compile_field
from formulas import formula, formulas
from galleries import MODELS

BOARD = MODELS["snakeboard"].with_parameters(kpsi=0, kphi=0, dpsi=0, dphi=0)
BODY = ch.System(
    coordinates=["x", "y", "th"],
    lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2",
    parameters={"m": 1, "J": 2, "h": "1/2", "F": 0, "G": 0},
    forces={"x": "F*cos(th) - G*sin(th)", "y": "F*sin(th) + G*cos(th)", "th": "-h*G"},
)


def needed(
    system: ch.System, field: dict[str, object], q: np.ndarray, speed: float, push: float
) -> np.ndarray:
    """The generalized force for q' = s V(q) with s = `speed`, s' = `push`: M a + h, by differences of V."""
    names = system.coordinates

    def V(q: np.ndarray) -> np.ndarray:
        known = dict(system.parameter_values) | {(c, 0): x for c, x in zip(names, q, strict=True)}
        return np.array([float(x) for x in evaluate(list(field.values()), known)])

    v, e = speed * V(q), 1e-5
    a = push * V(q) + speed * (V(q + e * v) - V(q - e * v)) / (2 * e)
    mass, rest, _, _ = compile_field(system).matrices(np.array([0.0]), q[None], v[None])
    return mass[0] @ a + rest[0]


def test_snakeboard_has_two_and_is_kinematically_controllable() -> None:
    found = ch.decoupling(BOARD, ["psi", "phi"])
    assert (len(found.fields), found.complete, found.controllable) == (2, True, True)
    steering = {c for c, e in found.fields[1].items() if e != formula("0")}
    assert steering == {"phi"}
    assert found.fields[0]["phi"] == formula("0")  # the other one keeps the steering fixed


@pytest.mark.parametrize("number", [0, 1])
def test_torques_and_reactions_follow_the_fields_of_the_snakeboard(number: int) -> None:
    found = ch.decoupling(BOARD, ["psi", "phi"])
    q = np.array([0.3, -0.2, 0.4, 0.1, 0.5])
    force = needed(BOARD, dict(found.fields[number]), q, 0.7, -0.4)
    known = dict(BOARD.parameter_values) | {(c, 0): x for c, x in zip(BOARD.coordinates, q, strict=True)}
    rows = []
    for equation in BOARD.velocity_constraints:
        unit = [{(c, 1): float(c == d) for c in BOARD.coordinates} for d in BOARD.coordinates]
        rows.append([float(evaluate([equation.residual], known | u)[0]) for u in unit])
    allowed = np.array([*rows, [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]).T
    missed = force - allowed @ np.linalg.lstsq(allowed, force, rcond=None)[0]
    assert np.abs(missed).max() < 1e-6


def test_planar_body_moves_along_its_axis_and_about_the_centre_of_percussion() -> None:
    found = ch.decoupling(BODY, ["F", "G"])
    assert list(found.fields[0].values()) == formulas(["cos(th)", "sin(th)", "0"])
    assert list(found.fields[1].values()) == formulas(["-sin(th)", "cos(th)", "-1/4"])
    assert found.complete is True
    assert found.controllable is True


def test_one_input_with_curved_motion_has_none() -> None:
    curved = ch.System(coordinates=["x", "y"], lagrangian="(1 + y^2)*x'^2/2 + y'^2/2")
    assert ch.decoupling(curved, ["x"]).fields == ()
    straight = ch.decoupling(curved, ["y"])
    assert straight.reducible is True
    assert straight.controllable is False


def test_roots_that_are_no_unit_vectors_are_found() -> None:
    # modulo span(Y), <V : V> is -(c_x^2 - 4 c_z^2)-like: two fields, neither of them an input
    mixed = ch.System(
        coordinates=["x", "y", "z"], lagrangian="x'^2/2 + z'^2/2 + y'^2/2 + y*(x'^2 - 4*z'^2)/4"
    )
    found = ch.decoupling(mixed, ["x", "z"])
    assert len(found.fields) == 2
    assert found.complete is True


def test_a_weight_is_refused_with_a_sentence() -> None:
    heavy = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x")
    with pytest.raises(ch.ModelError, match="kinetic energy alone"):
        ch.decoupling(heavy, ["x"])


def test_a_body_goes_anywhere_along_its_fields_with_rests_between() -> None:
    end = {"x": 1, "y": 0.5, "th": 0.3}
    plan = ch.decoupling(BODY, ["F", "G"]).plan({}, end, 6)
    assert plan.end_error < 1e-8
    assert len(plan.segments) == len(plan.systems) == 3
    for system, (_, _, _, until) in zip(plan.systems, plan.segments, strict=True):
        run = ch.simulate(system, at=[until], tolerance=1e-11)  # forces on the law itself, from rest to rest
        assert all(abs(float(run[c + "_dot"].values[-1])) < 1e-8 for c in BODY.coordinates)
    assert all(abs(float(run[c].values[-1]) - x) < 1e-7 for c, x in end.items())
    assert plan.to_json()["end_error"] < 1e-8
    with pytest.raises(ch.ModelError, match="is not zero"):
        ch.decoupling(BODY, ["F", "G"]).plan({}, {"x'": 1}, 6)


@pytest.mark.slow
def test_snakeboard_goes_sideways_along_its_fields() -> None:
    plan = ch.decoupling(BOARD, ["psi", "phi"]).plan({"psi": 0, "phi": 0}, {"x": 0.3, "y": 0.1}, 20)
    assert plan.end_error < 1e-8
    assert {k for k, *_ in plan.segments} == {1, 2}


@pytest.mark.slow
def test_the_board_is_parked_and_turned_along_its_fields() -> None:
    """By way of ends in between; sequences that begin a segment with wheels across are passed over."""
    fields = ch.decoupling(BOARD, ["psi", "phi"])
    for end in ({"y": 0.5}, {"theta": 0.5}):
        plan = fields.plan({"psi": 0, "phi": 0}, end, until=8)
        assert plan.end_error < 1e-8
        last = ch.simulate(plan.systems[-1], tolerance=1e-11, at=3)
        for name in BOARD.coordinates:
            assert abs(float(last[name].values[-1]) - end.get(name, 0)) < 1e-7
