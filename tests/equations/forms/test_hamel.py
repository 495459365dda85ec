"""Boltzmann–Hamel equations: frames, structure functions, nonlinear quasi-velocities (D1, D5)."""

from __future__ import annotations

from typing import Any

import casadi
import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, hamel
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from galleries import REACTING
from portions import some

APPLICABLE = [n for n in REACTING if n != "acceleration-constraint"]
FRAMES = [
    ("knife-edge", ["phi'", "x'*cos(phi) + y'*sin(phi)"]),
    ("caratheodory-sleigh", ["phi'", "x'*cos(phi) + y'*sin(phi) + phi'"]),
    ("heisenberg", ["x' + y'", "y' - x*x'"]),
    ("ball-on-rotating-table", None),
    ("ball-on-accelerated-table", None),
    ("bead-on-rotating-hoop", None),
    ("double-pendulum", None),
]


def difference(x: list[Any], y: list[Any]) -> Any:
    """The largest difference, relative to the largest entry or to 1."""
    assert len(x) == len(y)
    return max((abs(a - b) for a, b in zip(x, y, strict=True)), default=0) / (1 + max(map(abs, x), default=0))


@pytest.mark.few(8)
@pytest.mark.parametrize("name", some(APPLICABLE, 3))
def test_D5_hamel_agrees_with_chetaev(name: str) -> None:
    system = ch.load(name)
    reference, equations = chetaev.derive(system), hamel.derive(system)
    for point in random_points(system, 2, seed=1):
        assert difference(reference.evaluate(point)[0], equations.evaluate(point)[0]) < 1e-40


def test_D5_acceleration_constraints_are_refused() -> None:
    with pytest.raises(ModelError, match="members of a coframe") as error:
        hamel.derive(ch.load("acceleration-constraint"))
    assert "gibbs-appell" in error.value.remedy


@pytest.mark.parametrize(("name", "quasi"), [f for f in FRAMES if f[1]])
def test_D5_given_quasi_velocities(name: str, quasi: list[str]) -> None:
    system = ch.load(name)
    reference, equations = chetaev.derive(system), hamel.derive(system, quasi)
    assert equations.unknowns == tuple(f"u{i + 1}'" for i in range(len(quasi)))
    for point in random_points(system, 2, seed=2):
        assert difference(reference.evaluate(point)[0], equations.evaluate(point)[0]) < 1e-40


NONLINEAR = [
    ("knife-edge", ["phi' + phi'^3", "x'*cos(phi) + y'*sin(phi)"]),
    ("heisenberg", ["exp(x'/3) + t*y", "y' + x'^2/7"]),
    ("appell-hamel", ["x'*cos(y) + y'/2 + t", "exp(y'/5) + x*x'"]),
    ("double-pendulum", None),
]


@pytest.mark.parametrize(("name", "quasi"), NONLINEAR)
def test_D5_nonlinear_and_time_dependent_quasi_velocities(name: str, quasi: list[str] | None) -> None:
    system = ch.load(name)
    if quasi is None:
        quasi = [f"{c}' + {c}'^3/9 + sin({c}*t)" for c in system.coordinates]
    reference, equations = chetaev.derive(system), hamel.derive(system, quasi)
    assert "N" in equations.objects
    for point in random_points(system, 2, seed=3):
        assert difference(reference.evaluate(point)[0], equations.evaluate(point)[0]) < 1e-40


def test_D5_linear_frames_fit_both_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    """N^I_s = c^I_As u^A where the frame is affine: the nonlinear equations contain the linear ones."""
    system = ch.load("ball-on-accelerated-table")
    linear = hamel.derive(system)
    monkeypatch.setattr(hamel, "are_affine", lambda *_: False)
    nonlinear = hamel.derive(system)
    n = len(linear.unknowns)
    for point in random_points(system, 2, seed=4):
        u = [1, *evaluate_mp(linear.quasi_velocities, point, 50)]
        N = [evaluate_mp(row, point, 50) for row in nonlinear.N]
        for i, part in enumerate(linear.structure):
            c = [evaluate_mp(row, point, 50) for row in part]
            for s in range(n):
                assert abs(N[i][s] - sum(c[A][1 + s] * u[A] for A in range(n + 1))) < 1e-40
        assert difference(linear.evaluate(point)[0], nonlinear.evaluate(point)[0]) < 1e-40


@pytest.mark.parametrize(("name", "quasi"), FRAMES)
def test_D1_structure_functions_are_those_of_the_coframe(name: str, quasi: list[str] | None) -> None:
    """dθ^I = −½ c^I_AB θ^A ∧ θ^B on space-time, with the frame reciprocal to the coframe."""
    system = ch.load(name)
    equations = hamel.derive(system, quasi)
    s = Setup(system)
    m = s.m
    u = s.column(equations.quasi_velocities)
    J = s.by_v(u)
    theta = casadi.substitute(casadi.horzcat(u - J @ s.v, J), s.v, casadi.SX.zeros(m))  # components of θ^I
    x = casadi.vertcat(s.t, s.q)
    d_theta = [casadi.jacobian(theta[i, :].T, x).T for i in range(m)]  # ∂_A θ_B
    point = next(iter(random_points(system, 1, seed=5)))
    E = casadi.vertcat(*(s.column(row).T for row in equations.frame))
    frame = casadi.blockcat([[1, casadi.SX(1, m)], [-E @ theta[:, 0], E]])  # e_0, e_1, …, e_m as columns
    reciprocal = s.graphs(theta @ frame - casadi.horzcat(casadi.SX(m, 1), casadi.SX.eye(m)))
    assert max(map(abs, evaluate_mp(reciprocal, point, 50))) < 1e-40
    for i in range(m):
        exterior = s.matrix(frame.T @ (d_theta[i] - d_theta[i].T) @ frame)
        for A in range(m + 1):
            left = evaluate_mp(exterior[A], point, 50)
            right = evaluate_mp(equations.structure[i][A], point, 50)
            assert difference(left, [-y for y in right]) < 1e-40


def test_D5_substituting_the_constraints_into_the_lagrangian_loses_a_term() -> None:
    """Momenta p_a of the constrained directions occur with c^a_sr: without them the sleigh goes straight."""
    system = ch.load("caratheodory-sleigh")
    equations = hamel.derive(system, ["phi'", "x'*cos(phi) + y'*sin(phi)"])
    point = next(iter(random_points(system, 1, seed=6)))
    p = evaluate_mp(equations.momenta, point, 50)
    c = [evaluate_mp(row, point, 50) for row in equations.structure[2]]
    assert abs(p[2] * c[1][2]) > 1e-6


def test_D5_quasi_velocities_are_checked() -> None:
    system = ch.load("knife-edge")
    with pytest.raises(ModelError, match="1 quasi-velocities were given, but the system has 2 degrees"):
        hamel.derive(system, ["phi'"])
    with pytest.raises(ModelError, match="not independent"):
        hamel.derive(system, ["phi'", "2*phi'"])
    with pytest.raises(ModelError, match="unknown name 'omega'"):
        hamel.derive(system, ["phi'", "omega"])
