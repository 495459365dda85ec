"""Steps on the group of rotations: order, momentum in space, and which coordinates are a quaternion."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.schemes.lie_midpoint import quaternions

UNIT = "a^2 + b^2 + c^2 + d^2 = 1"
RATES = {
    "O1": "2*(a*b' - b*a' - c*d' + d*c')",
    "O2": "2*(a*c' - c*a' - d*b' + b*d')",
    "O3": "2*(a*d' - d*a' - b*c' + c*b')",
    "w1": "2*(a*b' - b*a' + c*d' - d*c')",
    "w2": "2*(a*c' - c*a' + d*b' - b*d')",
}
"""Angular velocity in the body, and two of its components in space."""
START = {"a": 1, "b": 0, "c": 0, "d": 0, "b'": 0.3, "c'": 0.5, "d'": 0.1}
TOP = ch.System(
    coordinates=["a", "b", "c", "d"],
    define=RATES,
    lagrangian="(O1^2 + 2*O2^2 + 3*O3^2)/2",
    constraints={"position": [UNIT]},
    initial=START,
)
BALL = ch.System(
    coordinates=["x", "y", "a", "b", "c", "d"],
    define=RATES,
    lagrangian="(x'^2 + y'^2)/2 + (O1^2 + 1.5*O2^2 + 2*O3^2)/5 - x^2/3",
    constraints={"position": [UNIT], "velocity": ["x' = w2", "y' = -w1"]},
    initial=START,
)


@pytest.mark.parametrize("system", [TOP, BALL], ids=["top", "ball"])
def test_the_order_is_two(system: ch.System) -> None:
    exact = ch.simulate(system, until=2.0, at=[2.0], tolerance=1e-12)
    errors = []
    for steps in (40, 80):
        made = ch.simulate(system, until=2.0, at=[2.0], method="lie-midpoint", step=2.0 / steps)
        errors.append(max(abs(made[c].item() - exact[c].item()) for c in system.coordinates))
    assert [np.log2(a / b) for a, b in pairwise(errors)] == pytest.approx([2.0], abs=0.1)


def test_the_momentum_in_space_is_kept_exactly() -> None:
    """π = R(Q) I Ω, about all three axes."""
    run = ch.simulate(
        TOP, until=100.0, at=11, method="lie-midpoint", step=0.1, laws={k: k for k in ("O1", "O2", "O3")}
    )
    body = np.stack([run.O1, 2 * run.O2, 3 * run.O3])
    w, u = run.a.values, np.stack([run.b, run.c, run.d])
    space = body + 2 * np.cross(u, np.cross(u, body, axis=0) + w * body, axis=0)
    assert np.max(np.abs(space - space[:, :1])) < 1e-12
    assert float(abs(run.position_residual).max()) < 1e-14


def test_a_rotation_about_a_fixed_axis_keeps_its_axis() -> None:
    run = ch.simulate(
        TOP, until=20.0, at=5, method="lie-midpoint", step=0.2, initial={**START, "b'": 0, "c'": 0, "d'": 0.7}
    )
    assert float(abs(run.b).max()) < 1e-14
    assert float(abs(run.c).max()) < 1e-14


@pytest.mark.parametrize(
    ("constraint", "numbers"),
    [
        (UNIT, [(0, 1, 2, 3)]),
        ("3*(a^2 + b^2 + c^2 + d^2) = k", [(0, 1, 2, 3)]),
        ("a^2 + b^2 + c^2 + 2*d^2 = 1", []),
        ("a^2 + b^2 + c^2 + d^2 = 1 + a/2", []),
        ("a^2 + b^2 + c^2 = 1", []),
        ("a^2 + b^2 + c^2 + d^2 + a*b = 1", []),
        ("a^4 + b^2 + c^2 + d^2 = 1", []),
    ],
)
def test_a_quaternion_is_known_by_its_constraint(constraint: str, numbers: list[tuple[int, ...]]) -> None:
    system = ch.System(
        coordinates=["a", "b", "c", "d"],
        parameters={"k": 3},
        lagrangian="a'^2 + b'^2 + c'^2 + d'^2",
        constraints={"position": [constraint]},
    )
    assert [tuple(sorted(found)) for found in quaternions(Ingredients.of(system))] == numbers


def test_a_model_without_rotations_is_told_so() -> None:
    with pytest.raises(ModelError, match="needs a rotation: four coordinates"):
        ch.simulate(ch.load("rolling-disc"), until=1.0, method="lie-midpoint", step=0.1)


def test_the_middle_of_a_step_is_on_the_group() -> None:
    """L = |Q'|²/2 + V(Q): then a step about one axis is the pendulum's, with tan for the angle, by hand."""
    system = ch.System(
        coordinates=["a", "b", "c", "d"],
        lagrangian="(a'^2 + b'^2 + c'^2 + d'^2)/2",
        constraints={"position": [UNIT]},
        initial={"a": 1, "b": 0, "c": 0, "d": 0, "b'": 0.5, "c'": 0, "d'": 0},
    )
    h = 0.2
    run = ch.simulate(system, until=h, at=[h], method="lie-midpoint", step=h)
    half = np.arctan2(run.b.item(), run.a.item()) / 2
    # L_d = h |Q'|²/2 with |Q'| = 2 tan(half)/h, so that −D₁L_d is 2 tan(half)/(h cos²(half)) along the circle
    assert 2 * np.tan(half) / (h * np.cos(half) ** 2) == pytest.approx(0.5, abs=1e-12)
