"""A symmetry keeps Lagrangian, constraint, forces and connection: each is asked about (K10, K22, L11)."""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.laws.measure.density import determinant
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.symmetry.momentum_equation import momentum_equations
from formulas import formulas


def judged(system: ch.System, field: dict[str, Any]) -> Any:
    (one,) = ch.symmetries(system, fields=[field])
    return one


def test_K10_a_dilation_of_space_and_time_keeps_the_action_of_a_free_particle() -> None:
    free = ch.System(coordinates=["x"], lagrangian="x'^2/2")
    one = judged(free, {"t": "2*t", "x": "x"})
    assert (one.of_lagrangian, one.of_dynamics) == (True, True)
    one = judged(free, {"t": "t", "x": "x"})
    assert (one.of_lagrangian, one.of_dynamics) == (False, True)


def test_K22_a_symmetry_of_the_lagrangian_alone_moves_the_constraint() -> None:
    particle = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints=["z' = y*x'"]
    )
    one = judged(particle, {"y": 1})
    assert (one.of_lagrangian, one.of_constraint, one.of_dynamics) == (True, False, False)


def test_K10_a_force_that_is_not_kept_is_no_symmetry() -> None:
    spring = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-x"})
    one = judged(spring, {"x": 1})
    assert (one.of_lagrangian, one.of_dynamics) == (True, False)


def test_K10_a_change_linear_in_the_velocities_need_not_be_a_total_derivative() -> None:
    field = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + x^2*y'")
    assert judged(field, {"x": 1}).of_lagrangian is False  # 2 x y' is no dF/dt
    field = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + x*y'")
    assert judged(field, {"x": 1}).of_lagrangian is True  # y' is


def test_L1_a_rotation_keeps_the_connection_of_the_sleigh() -> None:
    sleigh = ch.load("caratheodory-sleigh")
    assert judged(sleigh, {"x": "-y", "y": "x", "phi": 1}).of_connection is True
    assert judged(sleigh, {"x": "-y", "y": "x"}).of_connection is False


def test_L11_momentum_equations_have_the_forces_in_them() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        forces={"x": "-x'", "y": "-3*y'"},
        constraints=["z' = y*x'"],
    )
    found = momentum_equations(system, fields=[{"x": 1}, {"y": 1}, {"z": 1}])
    assert all(one.answer.holds and one.answer.proved for one in found)
    assert (found[1].momentum, found[1].rate) == formulas(("y'", "-3*y'"))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_determinants_by_minors(n: int) -> None:
    rng = np.random.default_rng(n)
    matrix = rng.integers(-5, 6, (n, n)).astype(float)
    found = casadi.Function("f", [], [determinant(casadi.SX(matrix))])
    assert float(found()["o0"]) == pytest.approx(np.linalg.det(matrix))


def test_M4_the_divergence_counts_velocities_that_depend_on_their_own_coordinate() -> None:
    """div Γ in the chart (x, y, z, x', y'), by central differences of the motion."""
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints=["z' = z^2*x' + y*y'"]
    )
    lin = Linearized(system)
    assert [system.coordinates[i] for i in lin.dependent] == ["z"]
    (graph,) = lin.s.graphs(lin.divergence)
    field = ch.field(system)

    def gamma(s: np.ndarray) -> np.ndarray:
        x, y, z, u, v = s
        w = z * z * u + y * v
        a = field(0.0, np.array([x, y, z]), np.array([u, v, w]))
        return np.array([u, v, w, a[0], a[1]])

    at = np.array([0.3, -0.4, 0.7, 1.1, 0.6])
    h = 1e-6
    numeric = sum((gamma(at + h * e)[i] - gamma(at - h * e)[i]) / (2 * h) for i, e in enumerate(np.eye(5)))
    x, y, z, u, v = at
    values = {"t": 0.0, "x": x, "y": y, "z": z, "x_dot": u, "y_dot": v, "z_dot": z * z * u + y * v}
    assert float(evaluate([graph], values)[0]) == pytest.approx(numeric, rel=1e-7)
