"""Constraints with several branches: pivots of the branch in use, starts on each, and no jump unsaid."""

from __future__ import annotations

import math
from typing import Any

import pytest

import chetaev as ch

START = {"s": 1, "s_dot": 0.3, "y": 0.5}
LAGRANGIAN = {"lagrangian": "(s'^2 - s^2 + y'^2)/2"}


def mixed(velocity: str, **start: float) -> Any:
    """s'' = −s, y' = g."""
    dynamics = {"accelerations": {"s": "-s"}, "velocities": {"y": velocity}}
    return ch.System(coordinates=["s", "y"], dynamics=dynamics, initial=START | start)


def test_a_pivot_may_vanish_with_its_branch() -> None:
    """y' = max(s', 0) has no s' where s' < 0: the motion s = cos t + 0.3 sin t goes on, and y rests."""
    end = ch.simulate(mixed("max(s', 0)"), until=1.5, at=[1.5])
    assert end.attrs["status"] == "done"
    assert float(end.s[-1]) == pytest.approx(math.cos(1.5) + 0.3 * math.sin(1.5), abs=1e-8)
    assert float(end.y[-1]) == pytest.approx(0.5 + math.hypot(1, 0.3) - 1, abs=1e-8)


def test_a_pivot_with_its_branch_under_reactions() -> None:
    """While y' = s' > 0 both masses move, 2s'' = −s; then y rests, and s'' = −s."""
    system = ch.System(coordinates=["s", "y"], constraints=["y' = max(s', 0)"], initial=START, **LAGRANGIAN)
    w = math.sqrt(0.5)
    turn, top = math.atan(0.3 / w) / w, math.hypot(1, 0.3 / w)
    end = ch.simulate(system, until=1.5, at=[1.5])
    assert float(end.s[-1]) == pytest.approx(top * math.cos(1.5 - turn), abs=1e-7)
    assert float(end.y[-1]) == pytest.approx(0.5 + top - 1, abs=1e-7)


@pytest.mark.parametrize("speed", [-0.3, 0.0])
def test_a_motion_may_start_on_either_branch(speed: float) -> None:
    end = ch.simulate(mixed("max(s', 0)", s_dot=speed), until=1, at=[1])
    assert float(end.s[-1]) == pytest.approx(math.cos(1) + speed * math.sin(1), abs=1e-8)
    assert float(end.y[-1]) == 0.5


@pytest.mark.parametrize("constraint", ["y' = s'/2 + sign(s')/10", "y' = s' + y*sign(s')"])
def test_velocities_that_would_jump_end_a_run(constraint: str) -> None:
    given = ch.System(coordinates=["s", "y"], constraints=[constraint], initial=START, **LAGRANGIAN)
    for system in (given, mixed(constraint.removeprefix("y' = "))):
        attrs = ch.simulate(system, until=1.5).attrs
        assert attrs["status"] == "kink in a constraint"
        assert "where s' = 0: the velocities would have to jump" in attrs["reason"]


def test_rates_of_the_first_order_may_jump() -> None:
    """x' = sign(y), y' = −1: nothing but x and y is the state, and x = 1 − |1 − t|."""
    dynamics = {"velocities": {"x": "sign(y)", "y": "-1"}}
    system = ch.System(coordinates=["x", "y"], dynamics=dynamics, initial={"x": 0, "y": 1})
    end = ch.simulate(system, until=3, at=[3])
    assert float(end.x[-1]) == pytest.approx(-1, abs=1e-9)


def test_a_motion_of_the_first_order_is_held_between_its_branches() -> None:
    """x' = −sign(x) comes to x = 0 at t = ½, and was let through."""
    system = ch.System(coordinates=["x"], dynamics={"velocities": {"x": "-sign(x)"}}, initial={"x": 0.5})
    end = ch.simulate(system, until=3)
    assert end.attrs["status"] == "sliding"
    assert end.attrs["end_time"] == pytest.approx(0.5)


def test_a_constraint_with_branches_on_phase_space_is_that_on_velocities() -> None:
    """k = max(xp, 0) in (x, y, p, k) and y' = max(xx', 0) are one motion; forces of reaction jump."""
    poisson = {
        "bracket": {"x, p": 1, "y, k": 1},
        "hamiltonian": "(p^2 + k^2)/2 + x*y",
        "momenta": ["p", "k"],
        "constraints": ["k = max(x*p, 0)"],
    }
    start = {"x": 0.5, "p": 0.1, "y": 0.2, "k": 0.05}
    one = ch.System(coordinates=["x", "p", "y", "k"], poisson=poisson, initial=start)
    lagrangian = {"lagrangian": "(x'^2 + y'^2)/2 - x*y", "constraints": ["y' = max(x*x', 0)"]}
    other = ch.System(coordinates=["x", "y"], initial={"x": 0.5, "x_dot": 0.1, "y": 0.2}, **lagrangian)
    a, b = (ch.simulate(s, until=1, at=[1]) for s in (one, other))
    for here, there in (("x", "x"), ("p", "x_dot"), ("y", "y"), ("k", "y_dot")):
        assert float(a[here][-1]) == pytest.approx(float(b[there][-1]), abs=1e-7)
