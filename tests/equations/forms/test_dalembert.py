"""Orthogonal projection of the acceleration, energy rate, admissible variations (B1, B2, B4, L10)."""

from __future__ import annotations

import math
from typing import Any

import casadi
import mpmath
import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, dalembert
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from galleries import LAGRANGIAN
from portions import some

SINGULAR = (
    "brachistochrone-constrained",
    "relativistic-particle-homogeneous",
    "relativistic-particle-scalar-homogeneous",
)
REGULAR = [n for n in LAGRANGIAN if n not in SINGULAR]


def difference(x: list[Any], y: list[Any]) -> Any:
    """The largest difference, relative to the largest entry or to 1."""
    assert len(x) == len(y)
    return max((abs(a - b) for a, b in zip(x, y, strict=True)), default=0) / (1 + max(map(abs, x), default=0))


def matrix(rows: Any, point: dict[Any, Any]) -> Any:
    """Rows of graphs as an mpmath matrix."""
    values = evaluate_mp([e for row in rows for e in row], point, 50)
    with mpmath.workdps(50):
        return mpmath.matrix(len(rows), len(rows[0])) + mpmath.matrix(
            [values[i * len(rows[0]) : (i + 1) * len(rows[0])] for i in range(len(rows))]
        )


@pytest.mark.few(7)
@pytest.mark.parametrize("name", some(REGULAR, 3))
def test_B1_B2_projection_agrees_with_chetaev_by_christoffel_symbols_and_by_the_hessian(name: str) -> None:
    system = ch.load(name)
    reference = chetaev.derive(system)
    forms = (dalembert.derive(system), dalembert.derive(system, covariant=False))
    for point in random_points(system, 2, seed=1):
        a, mu = reference.evaluate(point)
        for form in forms:
            b, nu = form.evaluate(point)
            assert difference(a, b) < 1e-40
            assert difference(mu, nu) < 1e-40
            assert difference(mu, evaluate_mp(form.lambda_, point, 50)) < 1e-40


@pytest.mark.parametrize("name", SINGULAR)
def test_B2_a_lagrangian_that_is_not_regular_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="not regular") as error:
        dalembert.derive(ch.load(name))
    assert "gauss" in error.value.remedy


def test_B1_christoffel_symbols_need_a_metric() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="x'^4 + y'^2", constraints=["y' = x*x'"])
    with pytest.raises(ModelError, match="not quadratic"):
        dalembert.derive(system, covariant=True)
    dalembert.derive(system)


def test_B5_a_constraint_along_a_null_direction_is_refused() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 - y'^2 + z'^2)/2", constraints=["x' = y'"]
    )
    with pytest.raises(ModelError, match="degenerate in the metric"):
        dalembert.derive(system)


@pytest.mark.parametrize("name", ["rolling-disc", "appell-hamel", "relativistic-particle"])
def test_B1_P_is_the_orthogonal_projector_onto_the_directions_of_the_plane(name: str) -> None:
    system = ch.load(name)
    equations, ingredients = dalembert.derive(system), chetaev.derive(system)
    with mpmath.workdps(50):
        for point in random_points(system, 2, seed=2):
            P, M, C = (matrix(x, point) for x in (equations.P, ingredients.M, ingredients.C))
            assert mpmath.norm(P * P - P) < 1e-40 * (1 + mpmath.norm(P))
            assert mpmath.norm(C * P) < 1e-40 * (1 + mpmath.norm(C) * mpmath.norm(P))
            assert mpmath.norm(M * P - (M * P).T) < 1e-40 * (1 + mpmath.norm(M * P))


@pytest.mark.few(8)
@pytest.mark.parametrize("name", some(REGULAR, 3))
def test_B4_energy_rate_is_the_derivative_of_the_energy_along_the_motion(name: str) -> None:
    system = ch.load(name)
    equations = dalembert.derive(system)
    s = Setup(system)
    e = s(equations.energy)
    rate = s.graphs(s.along(e) + s.by_v(e) @ s.a)[0]
    for point in random_points(system, 2, seed=3):
        a, _ = equations.evaluate(point)
        values = dict(point) | {(c, 2): x for c, x in zip(system.coordinates, a, strict=True)}
        expected = evaluate_mp([rate], values, 50)[0]
        assert abs(dalembert.energy_rate(equations, point) - expected) < 1e-38 * (1 + abs(expected))


@pytest.mark.parametrize(
    "name", ["appell-hamel", "particle-on-cone", "rolling-disc", "perpendicular-velocities"]
)
def test_B4_homogeneous_constraints_do_no_work(name: str) -> None:
    system = ch.load(name)
    equations = dalembert.derive(system)
    for point in random_points(system, 2, seed=4):
        assert max(map(abs, evaluate_mp(equations.reaction_power, point, 50))) < 1e-40


def test_B4_a_first_integral_as_constraint_has_no_reaction() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + 2*y'^2)/2 - x^2*y",
        constraints=["(x'^2 + 2*y'^2)/2 + x^2*y = E"],
        parameters={"E": 2},
    )
    equations = dalembert.derive(system)
    for point in random_points(system, 3, seed=5):
        assert abs(equations.evaluate(point)[1][0]) < 1e-40


def test_B4_a_nonhomogeneous_constraint_changes_the_energy() -> None:
    equations = dalembert.derive(ch.load("implicit-constraint"))
    point = next(iter(random_points(equations.system, 1, seed=6)))
    assert abs(dalembert.energy_rate(equations, point)) > 1e-3


@pytest.mark.parametrize("name", some(LAGRANGIAN, 6))
def test_L10_motions_are_stationary_under_admissible_variations(name: str) -> None:
    """d/dt (coefficient of σ̇) = coefficient of σ, which is what ∫(…)dt = 0 for all σ says."""
    system = ch.load(name)
    reference = chetaev.derive(system)
    by_sigma, by_sigma_dot = dalembert.first_variation(system)
    s = Setup(system)
    momenta = s.column(by_sigma_dot)
    defect = s.graphs(s.along(momenta) + s.by_v(momenta) @ s.a - s.column(by_sigma))
    for point in random_points(system, 2, seed=7):
        a, _ = reference.evaluate(point)
        values = dict(point) | {(c, 2): x for c, x in zip(system.coordinates, a, strict=True)}
        assert max(map(abs, evaluate_mp(defect, values, 50))) < 1e-38 * (1 + max(map(abs, a)))


def test_L10_admissible_variations_are_the_kernel_of_the_constraints_and_depend_on_velocities() -> None:
    system = ch.load("appell-hamel")
    W = dalembert.admissible_variations(system)
    s = Setup(system)
    rows = casadi.vertcat(*(s.column(row).T for row in W))
    assert casadi.depends_on(rows, s.v)
    for point in random_points(system, 2, seed=8):
        assert max(map(abs, evaluate_mp(s.graphs(s.by_v(s.f) @ rows), point, 50))) < 1e-40


def test_L10_slide_18_the_action_is_stationary_under_admissible_variations_and_under_no_others() -> None:
    """L10 on a motion with a nonlinear constraint: ∫(… σ + … σ̇) dt with σ = sin²(πt/T)."""
    system = ch.load("appell-hamel")
    T, steps, digits = 1.0, 40, 20
    by_sigma, by_sigma_dot = dalembert.first_variation(system)
    s = Setup(system)
    other = s.graphs(casadi.vertcat(casadi.gradient(s.L, s.q), casadi.gradient(s.L, s.v)))
    equations = chetaev.derive(system)
    values: dict[Any, Any] = dict(next(iter(random_points(system, 1, seed=14, digits=digits))))
    values = {k: float(x) for k, x in values.items()} | {system.time: 0.0}
    keys = [(c, k) for k in (0, 1) for c in system.coordinates]

    def slope(t: float, x: list[float]) -> list[float]:
        at = values | dict(zip(keys, x, strict=True)) | {system.time: t}
        return [*x[s.m :], *map(float, equations.evaluate(at, digits)[0])]

    x = [values[k] for k in keys]
    h, admissible, forbidden = T / steps, [0.0] * len(by_sigma), 0.0
    for step in range(steps + 1):
        t = step * h
        k1 = slope(t, x)
        weight = (1 if step in (0, steps) else 4 if step % 2 else 2) * h / 3
        sigma, sigma_dot = math.sin(math.pi * t / T) ** 2, math.pi / T * math.sin(2 * math.pi * t / T)
        at = values | dict(zip(keys, x, strict=True)) | {system.time: t}
        at |= dict(zip([(c, 2) for c in system.coordinates], k1[s.m :], strict=True))
        first, second = (list(map(float, evaluate_mp(e, at, digits))) for e in (by_sigma, by_sigma_dot))
        for i in range(len(first)):
            admissible[i] += weight * (first[i] * sigma + second[i] * sigma_dot)
        L_q, L_v = (list(map(float, evaluate_mp(part, at, digits))) for part in (other[: s.m], other[s.m :]))
        forbidden += weight * (L_q[-1] * sigma + L_v[-1] * sigma_dot)  # δq along the last coordinate alone
        k2 = slope(t + h / 2, [a + h / 2 * b for a, b in zip(x, k1, strict=True)])
        k3 = slope(t + h / 2, [a + h / 2 * b for a, b in zip(x, k2, strict=True)])
        k4 = slope(t + h, [a + h * b for a, b in zip(x, k3, strict=True)])
        x = [a + h / 6 * (p + 2 * q + 2 * r + u) for a, p, q, r, u in zip(x, k1, k2, k3, k4, strict=True)]
    assert max(map(abs, admissible)) < 1e-5 * abs(forbidden)
    assert abs(forbidden) > 1e-2
