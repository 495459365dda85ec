"""Where inputs can take a system: known answers, each with its proof (SCOPE M6)."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import chetaev as ch
from formulas import formulas
from galleries import MODELS as GALLERY
from portions import parts

BODY = ch.System(
    coordinates=["x", "y", "th"],
    lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2",
    parameters={"m": 1, "J": 2, "h": "1/2", "F": 0, "G": 0},
    forces={"x": "F*cos(th) - G*sin(th)", "y": "F*sin(th) + G*cos(th)", "th": "-h*G"},
)
"""A planar body with a thruster at a distance h: F along the line through the centre, G across it."""
AT_REST = {"x": 0, "y": 0, "th": 0}
UNICYCLE = GALLERY["knife-edge"]


def test_unicycle_has_growth_2_3_and_is_controllable_M6() -> None:
    found = ch.accessibility(UNICYCLE, at={"phi": 0})
    assert (found.level, found.growth_vector, found.accessible) == ("kinematic", (2, 3), True)
    assert found.controllable is not None
    assert found.controllable.verdict is True
    assert "Brockett" in found.remarks[0]


@pytest.mark.slow
def test_two_trailers_grow_by_one_also_where_all_are_aligned() -> None:
    found = ch.accessibility(
        GALLERY["car-with-trailers-2"], at={"theta": 0, "delta": 0, "theta1": 0, "theta2": 0}
    )
    assert found.growth_vector == (2, 3, 4, 5, 6)
    assert found.brackets[-1] == "[Y1, [Y1, [Y1, [Y1, Y2]]]]"
    assert found.accessible_there is True


def test_plate_and_ball_without_spin_grow_2_3_5() -> None:
    ball = GALLERY["rolling-ball"]
    pure = ch.System(
        coordinates=list(ball.coordinates), parameters=dict(ball.parameters),
        define={n: d.args[0] for n, d in ball.definitions.items()}, lagrangian=ball.lagrangian,
        constraints=[*ball.velocity_constraints, "psi' + phi'*cos(theta) = 0"],
    )  # fmt: skip
    assert ch.accessibility(pure).growth_vector == (2, 3, 5)
    assert ch.accessibility(ball).growth_vector == (3, 5)


def test_forces_on_a_ball_leave_its_spin_and_that_is_the_proof() -> None:
    found = ch.accessibility(GALLERY["rolling-ball"], inputs=["x", "y"])
    assert found.accessible is False
    assert found.strongly_accessible is False
    assert list(found.invariants) == formulas(["wz"], factor=True)
    assert found.evidence == "proved"


def test_wheel_angles_of_a_differential_drive_lie_on_leaves() -> None:
    found = ch.accessibility(GALLERY["differential-drive"], inputs=["right", "left"])
    assert found.accessible is False
    assert list(found.invariants) == formulas(["5*theta - right + left"], factor=True)


def test_one_thruster_through_the_centre_leaves_the_rotation() -> None:
    found = ch.accessibility(BODY, ["F"], AT_REST)
    assert found.accessible is False
    assert list(found.invariants) == formulas(["th'"], factor=True)
    assert found.linear is not None
    assert (found.linear.rank, found.linear.stabilizable) == (2, False)


def test_one_thruster_across_is_accessible_and_not_locally_controllable() -> None:
    found = ch.accessibility(BODY, ["G"], AT_REST)
    assert found.accessible is True
    assert found.strongly_accessible is True
    assert found.accessible_there is True
    assert found.controllable is not None
    assert found.controllable.verdict is False
    assert "Sussmann 1983" in found.controllable.source
    assert found.at_rest is not None
    assert found.at_rest.configuration_controllable is None


def test_two_thrusters_are_controllable_by_two_theorems() -> None:
    found = ch.accessibility(BODY, ["F", "G"], AT_REST)
    assert found.controllable is not None
    assert found.controllable.verdict is True
    assert "[Y2, [X, Y2]]" in found.controllable.reason  # neutralised
    assert found.at_rest is not None
    assert found.at_rest.configuration_controllable is True
    assert found.linear is not None
    assert found.linear.controllable is False


def test_snakeboard_is_strongly_accessible() -> None:
    board = GALLERY["snakeboard"].with_parameters(kpsi=0, kphi=0, dpsi=0, dphi=0)
    found = ch.accessibility(board, ["psi", "phi"])
    assert found.accessible is True
    assert found.dimension == 8


def test_position_constraints_stay() -> None:
    found = ch.accessibility(GALLERY["pendulum-cartesian"], ["x"], {"x": 0, "y": -1})
    assert found.dimension == 2
    assert found.linear is not None
    assert found.linear.controllable is True
    assert found.linear.stabilizable is True


def test_a_heavy_pendulum_beside_a_free_one_is_not_stabilised() -> None:
    two = ch.System(coordinates=["a", "b"], lagrangian="a'^2/2 + b'^2/2 - cos(a) - b^2/2")
    top = ch.accessibility(two, ["b"], {"a": 0, "b": 0})
    assert top.linear is not None
    assert top.linear.stabilizable is False
    assert top.accessible is False


def linear(A: np.ndarray, B: np.ndarray) -> ch.System:
    """x' = A x + B u as a first-order model."""
    n, m = B.shape
    rows = {
        f"x{i}": " + ".join([f"({A[i, j]})*x{j}" for j in range(n)] + [f"({B[i, a]})*u{a}" for a in range(m)])
        for i in range(n)
    }
    return ch.System(
        coordinates=[f"x{i}" for i in range(n)],
        parameters={f"u{a}": 0 for a in range(m)},
        dynamics={"velocities": rows},
    )


def check_kalman(seed: int) -> None:
    rng = random.Random(seed)
    n, m = rng.choice([(2, 1), (3, 1), (3, 2), (4, 1)])
    A = np.array([[rng.choice([0, 0, 1, -1, 2]) for _ in range(n)] for _ in range(n)])
    B = np.array([[rng.choice([0, 1, -1]) for _ in range(m)] for _ in range(n)])
    if not B.any(axis=0).all():
        B[0] = 1
    rank = int(np.linalg.matrix_rank(np.hstack([np.linalg.matrix_power(A, k) @ B for k in range(n)])))
    found = ch.accessibility(linear(A, B), [f"u{a}" for a in range(m)], {f"x{i}": 0 for i in range(n)})
    assert found.linear is not None
    assert (found.linear.rank, found.linear.controllable) == (rank, rank == n), (A, B)
    assert found.strongly_accessible is (rank == n)
    if rank == n:
        assert found.controllable is not None
        assert found.controllable.verdict is True


@pytest.mark.parametrize("seed", range(3))
def test_linear_systems_against_kalman_by_numpy(seed: int) -> None:
    check_kalman(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 23))
def test_more_linear_systems_against_kalman_by_numpy(seed: int) -> None:
    check_kalman(seed)


def hidden(seed: int, accessible: bool) -> tuple[ch.System, list[str]]:
    """A chained system in twisted coordinates, with a further coordinate that nothing reaches unless asked.

    In y: y1' = u1, y2' = u2, y3' = y2 u1, and y4' = y3 u1 or y4' = 0; then x4 = y4 + g(y1, y2, y3).
    """
    rng = random.Random(seed)
    a, b, c = (Fraction(rng.randint(-3, 3), rng.randint(1, 3)) for _ in range(3))
    twist = {"x1": f"({2 * a})*x1 + ({c})*x2", "x2": f"({b})*cos(x2) + ({c})*x1", "x3": "1"}
    rate = "x3*u1" if accessible else "0"
    last = f"{rate} + ({twist['x1']})*u1 + ({twist['x2']})*u2 + ({twist['x3']})*x2*u1"
    return ch.System(
        coordinates=["x1", "x2", "x3", "x4"],
        parameters={"u1": 0, "u2": 0},
        dynamics={"velocities": {"x1": "u1", "x2": "u2", "x3": "x2*u1", "x4": last}},
    ), ["u1", "u2"]


@pytest.mark.parametrize("seed", range(2))
def test_accessibility_by_construction(seed: int) -> None:
    for accessible in (True, False):
        system, inputs = hidden(seed, accessible)
        found = ch.accessibility(system, inputs)
        assert found.accessible is accessible, (seed, found)


@pytest.mark.parametrize("seed", parts(range(2, 40), 14))
def test_more_accessibility_by_construction(seed: int) -> None:
    test_accessibility_by_construction(seed)


def test_what_is_asked_wrongly_is_a_sentence() -> None:
    with pytest.raises(ch.ModelError, match="no coordinate and no parameter"):
        ch.accessibility(UNICYCLE, ["z"])
    with pytest.raises(ch.ModelError, match="stands in a constraint"):
        ch.accessibility(GALLERY["rolling-ball"], ["R"])
    with pytest.raises(ch.ModelError, match="does not occur"):
        ch.accessibility(ch.System(coordinates=["x"], lagrangian="x'^2/2", parameters={"k": 1}), ["k"])
    with pytest.raises(ch.ModelError, match="not affine"):
        ch.accessibility(
            ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "k^2"}, parameters={"k": 1}), ["k"]
        )
    with pytest.raises(ch.ModelError, match="stops"):
        ch.accessibility(GALLERY["bouncing-ball"], ["y"])


def test_results_are_plain_data() -> None:
    import json

    found = ch.accessibility(BODY, ["F", "G"], AT_REST)
    data = json.loads(json.dumps(found.to_json()))
    assert data["controllable"]["verdict"] is True
    assert data["growth_vector"] == [3, 5, 6]
    assert "<table" in found._repr_html_()


def test_kinks_leave_the_verdict_open() -> None:
    dry = ch.System(coordinates=["x", "y"], lagrangian="x'^2/2 + y'^2/2", forces={"y": "-sign(y')"})
    found = ch.accessibility(dry, ["x"])
    assert found.accessible is None
    assert "smooth side" in found.evidence
    with pytest.raises(ch.ModelError, match="kinks"):
        ch.accessibility(dry, ["x"], {"x": 0, "y": 0})
