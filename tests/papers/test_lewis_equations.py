"""Lewis, Equations of motion for nonholonomic systems (1997), slides 1 to 16 (L1–L3, L5–L9).

Slides 17 and 18 (L10) are in tests/equations/forms/test_dalembert.py, where the admissible variations live.
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np
import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, connection, gauss, gibbs_appell, gibbs_geometric, gibbs_sasaki
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.language.parser import parse
from chetaev.model.states.points import random_points

# A metric that is not flat, no potential: the setting of slides 1 to 8.
CURVED = ch.System(
    coordinates=["x", "y", "z"],
    lagrangian="((2 + sin(y))*x'^2 + (1 + x^2)*y'^2 + z'^2 + x*y'*z'/2)/2",
    constraints=["z' = y*x' + sin(x)*y'"],
)
LINEAR = [CURVED, ch.load("heisenberg"), ch.load("vertical-rolling-disc")]


def numbers(graphs: Any, point: dict[Any, Any]) -> Any:
    """Values of nested lists of graphs."""
    if isinstance(graphs, list) and graphs and isinstance(graphs[0], list):
        return [numbers(part, point) for part in graphs]
    return evaluate_mp(graphs, point, 50)


def quadratic(rows: Any, v: list[Any], w: list[Any] | None = None) -> Any:
    """rows_jk v^j w^k."""
    w = v if w is None else w
    return sum(rows[j][k] * v[j] * w[k] for j in range(len(v)) for k in range(len(v)))


def velocity(system: ch.System, point: dict[Any, Any]) -> list[Any]:
    return [point[(c, 1)] for c in system.coordinates]


def with_accelerations(system: ch.System, point: dict[Any, Any], a: list[Any]) -> dict[Any, Any]:
    return {**point, **{(c, 2): x for c, x in zip(system.coordinates, a, strict=True)}}


# --- affine connections -------------------------------------------------------------------------------


@pytest.mark.parametrize("system", LINEAR, ids=lambda s: s.name)
def test_slide_2_the_reaction_is_minus_nabla_P_of_the_velocity(system: ch.System) -> None:
    """L1: ∇^g_ċ ċ = λ ∈ D^⊥, P(ċ) = 0, λ = −(∇^g_ċ P)(ċ)."""
    equations, reference = connection.derive(system), chetaev.derive(system)
    for point in random_points(system, 2, seed=1):
        a, _ = reference.evaluate(point)
        v = velocity(system, point)
        gamma, nabla, P = (numbers(x, point) for x in (equations.Gamma, equations.nabla, equations.P))
        for i, row in enumerate(P):
            lam = a[i] + quadratic(gamma[i], v)
            assert abs(sum(x * y for x, y in zip(row, v, strict=True))) < 1e-40
            assert abs(lam + quadratic(nabla[i], v) - quadratic(gamma[i], v)) < 1e-40
        lam = [x + quadratic(gamma[i], v) for i, x in enumerate(a)]
        for i, row in enumerate(P):
            assert abs(sum(x * y for x, y in zip(row, lam, strict=True)) - lam[i]) < 1e-40


@pytest.mark.parametrize("system", LINEAR, ids=lambda s: s.name)
def test_slide_3_geodesics_of_nabla_are_the_motions(system: ch.System) -> None:
    """L1: a^i = −∇^i_jk v^j v^k."""
    equations, reference = connection.derive(system), chetaev.derive(system)
    for point in random_points(system, 2, seed=2):
        v = velocity(system, point)
        for x, part in zip(reference.evaluate(point)[0], numbers(equations.nabla, point), strict=True):
            assert abs(x + quadratic(part, v)) < 1e-40


def test_slide_3_notes_AP_in_place_of_P_needs_the_inverse_of_A() -> None:
    """L1: with AP for P in (1b), (1a) is multiplied by AP too, and λ = −A⁻¹(∇^g(AP))(ċ).

    Taken literally, ∇^g + ∇^g(AP), the printed remark gives other geodesics, which leave D.
    """
    A = [["2 + sin(x)", "0", "0"], ["y", "1", "0"], ["0", "x", "3"]]
    reference, right = chetaev.derive(CURVED), connection.derive(CURVED, A=A)
    geometry = connection.Geometry.of(CURVED)
    s = geometry.s
    tensor = casadi.vertcat(*(s.column([parse(e, CURVED.scope) for e in row]).T for row in A))
    literal = geometry.coefficients(geometry.derivative(tensor @ geometry.P))
    point = next(iter(random_points(CURVED, 1, seed=3)))
    v = velocity(CURVED, point)
    a, _ = reference.evaluate(point)
    b = [-quadratic(numbers(part, point), v) for part in right.nabla]
    c = [-quadratic(numbers(s.matrix(part), point), v) for part in literal]
    assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-40
    assert max(abs(x - y) for x, y in zip(a, c, strict=True)) > 1e-3
    C, rest = numbers(reference.C, point), numbers(reference.c, point)
    assert abs(sum(x * y for x, y in zip(C[0], c, strict=True)) + rest[0]) > 1e-3


@pytest.mark.parametrize("system", LINEAR, ids=lambda s: s.name)
def test_slide_4_second_fundamental_form_is_nabla_g_P_misprinted_without_g(system: ch.System) -> None:
    """L2: S_D(X, Y) = (∇^g_X P)(Y) ∈ D^⊥; as printed, (∇_X P)(Y) with ∇ itself, it would vanish on D."""
    geometry = connection.Geometry.of(system)
    s, P = geometry.s, geometry.P
    S, W = connection.second_fundamental_form(system)
    columns = casadi.vertcat(*(s.column(row).T for row in W))
    extra = geometry.derivative(P)
    size = 0.0
    for point in random_points(system, 1, seed=4):
        P_numbers = numbers(s.matrix(P), point)
        values = numbers(S, point)
        for a in range(len(W[0])):
            for b in range(len(W[0])):
                vector = [values[i][a][b] for i in range(s.m)]
                size = max(size, *map(abs, vector))
                for i, row in enumerate(P_numbers):  # P S = S
                    assert abs(sum(x * y for x, y in zip(row, vector, strict=True)) - vector[i]) < 1e-40
        for j in range(s.m):
            # (∇_j P) = (∇^g_j P) + [K_j, P] with K_j = ∇^g_j P
            printed = extra[j] + extra[j] @ P - P @ extra[j]
            assert max(map(abs, evaluate_mp(s.graphs(printed @ columns), point, 50))) < 1e-40
    assert size > 1e-3


def test_slide_5_geodesic_invariance_is_skewness() -> None:
    """L2: lines that start in D: z' = xy' − yx' stay in D, and S_D is skew; not so for Heisenberg's D."""
    common: dict[str, Any] = {"coordinates": ["x", "y", "z"], "lagrangian": "(x'^2 + y'^2 + z'^2)/2"}
    skew = ch.System(constraints=["z' = x*y' - y*x'"], **common)
    for system, invariant in ((skew, True), (ch.load("heisenberg"), False)):
        assert connection.is_geodesically_invariant(system) is invariant
        s = Setup(system)
        along_lines = s.graphs(s.along(s.f))  # d/dt f on a straight line
        values = [abs(evaluate_mp(along_lines, p, 50)[0]) for p in random_points(system, 3, seed=5)]
        assert (max(values) < 1e-40) is invariant


@pytest.mark.parametrize("system", LINEAR, ids=lambda s: s.name)
def test_slide_5_torsion_on_D_is_minus_P_of_the_bracket(system: ch.System) -> None:
    """L2: T(X, Y) = −P[X, Y] for X, Y ∈ D; so torsion zero implies D integrable."""
    geometry = connection.Geometry.of(system)
    s = geometry.s
    T, vanishes = connection.torsion(system)
    _, W = connection.second_fundamental_form(system)
    columns = casadi.vertcat(*(s.column(row).T for row in W))
    X, Y = columns[:, 0], columns[:, 1]
    bracket = casadi.jacobian(Y, s.q) @ X - casadi.jacobian(X, s.q) @ Y
    point = next(iter(random_points(system, 1, seed=6)))
    right = evaluate_mp(s.graphs(-geometry.P @ bracket), point, 50)
    x, y = (evaluate_mp(s.graphs(z), point, 50) for z in (X, Y))
    for part, expected in zip(numbers(T, point), right, strict=True):
        assert abs(quadratic(part, x, y) - expected) < 1e-40
    assert not vanishes


def rate(system: ch.System, quantity: str, point: dict[Any, Any]) -> Any:
    """d/dt of a function on J¹ along the motion."""
    s = Setup(system)
    J = s(parse(quantity, system.scope))
    a, _ = chetaev.derive(system).evaluate(point)
    graphs = s.graphs(s.along(J) + s.by_v(J) @ s.a)
    return evaluate_mp(graphs, with_accelerations(system, point, a), 50)[0]


def test_slides_6_and_7_killing_fields_and_the_momentum_equation() -> None:
    """L3 on z' = yx': X₂ = ∂_y is a Killing field in D; Y = X₁ + yX₃ ∈ D has d/dt J_Y = ẏ J_X₃."""
    system = ch.load("heisenberg")
    s = Setup(system)
    for point in random_points(system, 2, seed=7):
        C = evaluate_mp(s.graphs(s.by_v(s.f)), point, 50)
        y, y_dot, z_dot = point[("y", 0)], point[("y", 1)], point[("z", 1)]
        assert abs(C[1]) < 1e-45
        assert abs(C[0] + y * C[2]) < 1e-45
        assert abs(rate(system, "y'", point)) < 1e-40
        assert abs(rate(system, "x' + y*z'", point) - y_dot * z_dot) < 1e-40
        assert abs(rate(system, "z'", point)) > 1e-6  # J_X₃ alone is not conserved: X₃ is not in D


def test_slide_8_notes_an_energy_preserving_connection_is_metric() -> None:
    """L5: ∇̃_k g_ij = ∂_k g_ij − ∇̃^l_ki g_lj − ∇̃^l_kj g_il = 0."""
    coefficients = connection.energy_preserving(CURVED)
    geometry = connection.Geometry.of(CURVED)
    s, g = geometry.s, geometry.metric.g
    for point in random_points(CURVED, 1, seed=8):
        values, metric = numbers(coefficients, point), numbers(s.matrix(g), point)
        for k in range(3):
            d = numbers(s.matrix(casadi.reshape(s.by_q(casadi.vec(g))[:, k], 3, 3)), point)
            for i in range(3):
                for j in range(3):
                    both = sum(
                        values[r][k][i] * metric[r][j] + values[r][k][j] * metric[i][r] for r in range(3)
                    )
                    assert abs(d[i][j] - both) < 1e-40


# --- Gibbs–Appell -------------------------------------------------------------------------------------


def test_slide_9_notes_rigid_body_gibbs_function_with_the_mass_missing() -> None:
    """L6: ∂G/∂ω̇ gives Euler's equations; in front of ‖ẍ‖² the printed function lacks the mass.

    Body: Euler angles ZXZ, ω = (φ' sinθ sinψ + θ' cosψ, φ' sinθ cosψ − θ' sinψ, φ' cosθ + ψ').
    """
    omega = [
        "phi'*sin(theta)*sin(psi) + theta'*cos(psi)",
        "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
        "phi'*cos(theta) + psi'",
    ]
    system = ch.System(
        coordinates=["x", "phi", "theta", "psi"],
        lagrangian=f"m*x'^2/2 + (I1*({omega[0]})^2 + I2*({omega[1]})^2 + I3*({omega[2]})^2)/2",
        parameters={"m": 3, "I1": 1, "I2": 2, "I3": "5/2"},
        initial={"theta": 1, "x_dot": 1, "phi_dot": 1, "theta_dot": 1, "psi_dot": 1},
    )
    equations = gibbs_appell.derive(system, ["x'", *omega])
    for point in random_points(system, 2, seed=9):
        w1, w2, w3 = evaluate_mp(equations.quasi_velocities, point, 50)[1:]
        I1, I2, I3 = (point[f"I{i}"] for i in (1, 2, 3))
        matrix, right = numbers(equations.matrix, point), evaluate_mp(equations.right, point, 50)
        gyroscopic = [(I3 - I2) * w2 * w3, (I1 - I3) * w3 * w1, (I2 - I1) * w1 * w2]
        inertia = [3, I1, I2, I3]  # the mass in front of ‖ẍ‖², printed as 1
        for i in range(4):
            for j in range(4):
                assert abs(matrix[i][j] - (inertia[i] if i == j else 0)) < 1e-40
            assert abs(right[i] + (0 if i == 0 else gyroscopic[i - 1])) < 1e-40


def test_slide_10_the_point_mass_with_one_constraint() -> None:
    """L6: accelerations by ν, ν̇ put into ½‖ẍ‖², here for ω = dz − y dx: X₁ = ∂_x + y∂_z, X₂ = ∂_y."""
    system = ch.load("heisenberg")
    equations = gibbs_appell.derive(system, ["x'", "y'"])
    for point in random_points(system, 2, seed=10):
        y, n1, n2 = point[("y", 0)], point[("x", 1)], point[("y", 1)]
        a, _ = chetaev.derive(system).evaluate(point)
        # G = ½(ν̇₁² + ν̇₂² + (yν̇₁ + ν₂ν₁)²)
        matrix, right = numbers(equations.matrix, point), evaluate_mp(equations.right, point, 50)
        expected = [[1 + y**2, 0], [0, 1]]
        scale = matrix[1][1]  # the mass
        assert all(abs(matrix[i][j] - scale * expected[i][j]) < 1e-40 for i in (0, 1) for j in (0, 1))
        assert abs(right[0] + scale * y * n1 * n2) < 1e-40
        assert abs(a[0] + y * n1 * n2 / (1 + y**2)) < 1e-40


def test_slide_12_the_unconstrained_gibbs_function_is_critical_on_the_free_motion() -> None:
    system = ch.load("double-pendulum")
    equations = gibbs_geometric.derive(system)
    s = Setup(system)
    gradient = s.graphs(casadi.gradient(s(equations.G), s.a))
    for point in random_points(system, 2, seed=11):
        a, _ = chetaev.derive(system).evaluate(point)
        values = with_accelerations(system, point, a)
        assert max(map(abs, evaluate_mp([equations.G, *gradient], values, 50))) < 1e-38


@pytest.mark.few(37, 7)
@pytest.mark.parametrize("name", ch.gallery())
def test_slide_13_constraints_of_the_gallery_have_dim_Lambda_equal_to_dim_S_star_Lambda(name: str) -> None:
    """L9: Λ = span df^a, S*df^a = (∂f^a/∂v^i)(dq^i − v^i dt); but S*dφ = 0 for a position constraint φ."""
    system = ch.load(name)
    s = Setup(system)
    assert casadi.jacobian(s.phi, s.v).nnz() == 0
    if s.f.numel():
        gradient = s.number(casadi.jacobian(s.f, casadi.vertcat(s.t, s.q, s.v)))
        pulled = s.number(s.by_v(s.f))
        independent = s.f.numel() - len(system.dynamics.relations)  # which follow from ż = Z on a phase space
        assert np.linalg.matrix_rank(gradient) == np.linalg.matrix_rank(pulled) == independent


def test_slide_14_the_sasaki_kinetic_energy_less_that_of_Q_is_the_gibbs_function() -> None:
    """L7: G_L = L^TQ − L exactly, on all of J²."""
    sasaki, geometric = gibbs_sasaki.derive(CURVED), gibbs_geometric.derive(CURVED)
    for point in random_points(CURVED, 2, seed=12):
        for a in ([1, -2, 3], [0, 0, 0]):
            values = with_accelerations(CURVED, point, a)
            x, y = evaluate_mp([sasaki.G, geometric.G], values, 50)
            assert abs(x - y) < 1e-40 * (1 + abs(x))


# --- variational principles ---------------------------------------------------------------------------


def test_slide_16_gauss_function_and_gibbs_function_differ_by_a_function_on_J1() -> None:
    system = ch.load("appell-hamel")
    first, second = gauss.derive(system), gibbs_geometric.derive(system)
    for point in random_points(system, 2, seed=13):
        gaps = []
        for a in ([0, 0, 0], [1, -2, 3], [5, 1, 1]):
            x, y = evaluate_mp([first.Z, second.G], with_accelerations(system, point, a), 50)
            gaps.append(x - y)
        assert max(abs(g - gaps[0]) for g in gaps) < 1e-40
