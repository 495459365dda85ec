"""Lewis's constrained connection and its geometry (L1, L2, L5)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, connection
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from galleries import LAGRANGIAN
from portions import some

NONLINEAR = (
    "appell-hamel", "central-force-constant-speed", "decelerated-particle", "implicit-constraint",
    "implicit-constraint-quintic", "leibniz-particle", "particle-on-cone", "perpendicular-velocities",
    "relativistic-particle", "relativistic-particle-scalar", "brachistochrone-constrained",
    "relativistic-particle-homogeneous", "relativistic-particle-scalar-homogeneous",
)  # fmt: skip
APPLICABLE = [n for n in LAGRANGIAN if n not in NONLINEAR and n != "acceleration-constraint"]


def difference(x: list[Any], y: list[Any]) -> Any:
    """The largest difference, relative to the largest entry or to 1."""
    assert len(x) == len(y)
    return max((abs(a - b) for a, b in zip(x, y, strict=True)), default=0) / (1 + max(map(abs, x), default=0))


def tensor(rows: Any, point: dict[Any, Any]) -> list[list[list[Any]]]:
    """A tensor of graphs in numbers."""
    return [[evaluate_mp(row, point, 50) for row in part] for part in rows]


@pytest.mark.few(4)
@pytest.mark.parametrize("name", some(APPLICABLE, 3))
def test_L1_geodesics_of_the_constrained_connection_are_the_motions(name: str) -> None:
    system = ch.load(name)
    reference, equations = chetaev.derive(system), connection.derive(system)
    for point in random_points(system, 2, seed=1):
        (a, mu), (b, nu) = reference.evaluate(point), equations.evaluate(point)
        assert difference(a, b) < 1e-40
        assert difference(mu, nu) < 1e-40


@pytest.mark.parametrize("name", NONLINEAR)
def test_L1_nonlinear_constraints_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match="constraint 1 is not affine in the velocities") as error:
        connection.derive(ch.load(name))
    assert "dalembert" in error.value.remedy


def test_L1_acceleration_constraints_and_other_lagrangians_are_refused() -> None:
    with pytest.raises(ModelError, match="needs a distribution"):
        connection.derive(ch.load("acceleration-constraint"))
    quartic = ch.System(coordinates=["x", "y"], lagrangian="x'^4 + y'^2", constraints=["y' = x*x'"])
    with pytest.raises(ModelError, match="not quadratic"):
        connection.derive(quartic)
    singular = ch.System(
        coordinates=["x", "y"], lagrangian="(x' + y')^2", constraints=["y' = x*x'"], degenerate=True
    )
    with pytest.raises(ModelError, match="rank 1 of 2"):
        connection.derive(singular)


def test_L1_a_lagrangian_that_is_quadratic_but_does_not_look_so_is_accepted() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="sqrt((x'^2 + (2 + sin(x))*y'^2)^2)/2 + x*y'",
        constraints=["y' = x*x' + 1"],
    )
    point = next(iter(random_points(system, 1)))
    expected = chetaev.derive(system).evaluate(point)[0]
    assert difference(expected, connection.derive(system).evaluate(point)[0]) < 1e-40


@pytest.mark.parametrize("name", ["knife-edge", "ball-on-rotating-table", "ball-on-accelerated-table"])
def test_L1_the_freedom_of_P_to_AP_changes_the_connection_and_not_the_motions(name: str) -> None:
    system = ch.load(name)
    m = len(system.coordinates)
    q = system.coordinates
    A = [["0"] * m for _ in range(m)]
    for i in range(m):
        A[i][i] = f"2 + sin({q[(i + 1) % m]} + t)"
        A[i][(i + 1) % m] = f"cos({q[i]})/3"
    plain, other = connection.derive(system), connection.derive(system, A=A)
    for point in random_points(system, 2, seed=2):
        (a, mu), (b, nu) = plain.evaluate(point), other.evaluate(point)
        assert difference(a, b) < 1e-40
        assert difference(mu, nu) < 1e-40
        off = {**point, **{(c, 1): point[(c, 1)] + 1 for c in q}}
        assert difference(plain.evaluate(off)[0], other.evaluate(off)[0]) > 1e-6


def test_L1_A_is_checked() -> None:
    system = ch.load("knife-edge")
    with pytest.raises(ModelError, match="3 rows of 3"):
        connection.derive(system, A=[["1"]])
    with pytest.raises(ModelError, match="depends on velocities"):
        connection.derive(system, A=[["1", "0", "0"], ["0", "1 + x'", "0"], ["0", "0", "1"]])


LINEAR = ["knife-edge", "heisenberg", "rolling-disc", "suslov", "semiholonomic-cone", "caratheodory-sleigh"]


@pytest.mark.parametrize("name", some(LINEAR, 3))
def test_L1_the_connection_restricts_to_D(name: str) -> None:
    """∇_X Y ∈ D for all X and all Y ∈ D."""
    system = ch.load(name)
    equations = connection.derive(system)
    m = len(system.coordinates)
    for point in random_points(system, 1, seed=3):
        P = [evaluate_mp(row, point, 50) for row in equations.P]
        nabla = tensor(equations.nabla, point)
        # with Y = (1 − P)Z: P ∇_j((1 − P)Z) = 0, where ∂_j P is taken from ∇ and Γ
        gamma = tensor(equations.Gamma, point)
        for j in range(m):
            for z in range(m):
                Y = [(i == z) - P[i][z] for i in range(m)]
                # (∂_j P)^i_z = (∇_j P)^i_z − Γ^i_jl P^l_z + Γ^l_jz P^i_l,  (∇_j P)^i_z = nabla − Γ
                dP = [
                    nabla[i][j][z] - gamma[i][j][z]
                    - sum(gamma[i][j][r] * P[r][z] for r in range(m))
                    + sum(gamma[r][j][z] * P[i][r] for r in range(m))
                    for i in range(m)
                ]  # fmt: skip
                covariant = [sum(nabla[i][j][r] * Y[r] for r in range(m)) - dP[i] for i in range(m)]
                normal = [sum(P[i][r] * covariant[r] for r in range(m)) for i in range(m)]
                assert max(map(abs, normal)) < 1e-38 * (1 + max(map(abs, covariant)))


def test_L2_geodesic_invariance() -> None:
    flat: dict[str, Any] = {"coordinates": ["x", "y", "z"], "lagrangian": "(x'^2 + y'^2 + z'^2)/2"}
    # a contact structure whose planes are spanned by straight lines: S_D skew, not zero, D not integrable
    twisted = ch.System(constraints=["z' = x*y' - y*x'"], **flat)
    assert connection.is_geodesically_invariant(twisted)
    S, W = connection.second_fundamental_form(twisted)
    assert len(W[0]) == 2
    point = next(iter(random_points(twisted, 1)))
    assert max(abs(x) for part in tensor(S, point) for row in part for x in row) > 1e-3
    assert not connection.torsion(twisted)[1]
    # the same planes with another gauge: not invariant
    assert not connection.is_geodesically_invariant(ch.load("heisenberg"))
    # integrable, leaves z = const: totally geodesic; leaves the spheres: not
    assert connection.is_geodesically_invariant(ch.System(constraints=["z' = 0"], **flat))
    spheres = ch.System(
        constraints=["x*x' + y*y' + z*z' = 0"], initial={"x": 1, "y_dot": 0, "z_dot": 0}, **flat
    )
    assert not connection.is_geodesically_invariant(spheres)
    assert connection.torsion(spheres)[1]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("name", "integrable"),
    [
        ("knife-edge", False),
        ("rolling-disc", False),
        ("semiholonomic-cone", True),
        ("semiholonomic-disc", True),
    ],
)
def test_L2_torsion_vanishes_on_D_exactly_for_integrable_constraints(name: str, integrable: bool) -> None:
    T, vanishes = connection.torsion(ch.load(name))
    assert vanishes is integrable
    point = next(iter(random_points(ch.load(name), 1)))
    for part in tensor(T, point):
        assert all(abs(part[j][k] + part[k][j]) < 1e-45 for j in range(len(part)) for k in range(len(part)))


def test_L2_affine_constraints_have_no_distribution() -> None:
    with pytest.raises(ModelError, match="affine, not linear"):
        connection.torsion(ch.load("ball-on-rotating-table"))


@pytest.mark.parametrize("name", some(LINEAR, 3))
def test_L5_energy_preserving_connection(name: str) -> None:
    """Same geodesics in D; g(v, v) constant along all its geodesics, which is not so for ∇."""
    system = ch.load(name)
    equations = connection.derive(system)
    preserving = connection.energy_preserving(system)
    m = len(system.coordinates)
    broken = 0.0
    for point in random_points(system, 2, seed=4):
        g = [evaluate_mp(row, point, 50) for row in equations.g]
        gamma, nabla, metric = (tensor(x, point) for x in (equations.Gamma, equations.nabla, preserving))
        v = [point[(c, 1)] for c in system.coordinates]
        on_D = [contract(part, v) for part in nabla]
        assert difference(on_D, [contract(part, v) for part in metric]) < 1e-38
        w = [x + 1 + i for i, x in enumerate(v)]
        # d/dt ½g(w, w) = g(∇^g_w w, w) = −g((∇̃ − ∇^g)(w, w), w)
        for coefficients, exact in ((metric, True), (nabla, False)):
            extra = [contract(coefficients[i], w) - contract(gamma[i], w) for i in range(m)]
            rate = sum(g[i][j] * extra[i] * w[j] for i in range(m) for j in range(m))
            if exact:
                assert abs(rate) < 1e-38 * (1 + max(map(abs, extra)))
            else:
                broken = max(broken, abs(rate))
    assert broken > 1e-6


def contract(rows: list[list[Any]], v: list[Any]) -> Any:
    return sum(rows[j][k] * v[j] * v[k] for j in range(len(v)) for k in range(len(v)))


@pytest.mark.slow
def test_L1_the_law_of_many_coordinates_needs_no_tensor_of_third_order():
    n = 16
    q = [f"q{i}" for i in range(n)]
    couplings = " + ".join(f"cos({a} - {b})*{a}'*{b}'/10" for a, b in pairwise(q))
    system = ch.System(
        coordinates=q,
        lagrangian="(" + " + ".join(f"{a}'^2" for a in q) + f")/2 + {couplings}",
        constraints=[f"{q[i]}'*cos({q[i + 1]}) = {q[i + 8]}'*sin({q[i + 1]})" for i in range(n // 2 - 1)],
    )
    law = ch.equations(system, "connection")
    assert law.operations < 30 * n**2 * 2
    assert list(law.objects) == ["g", "Gamma", "P", "nu", "nabla", "lambda_"]
    assert not law.objects._made


@pytest.mark.parametrize(
    "ask", ["torsion", "is_geodesically_invariant", "energy_preserving", "second_fundamental_form"]
)
@pytest.mark.parametrize(
    ("lagrangian", "constraint"),
    [
        ("(x'^2 + y'^2 + z'^2)/2", "x' = t*y'"),  # for each t integrable, in space-time not
        ("(x'^2 + y'^2 + z'^2)/2", "z' = cos(t)*x'"),
        ("((1 + t^2)*x'^2 + y'^2 + z'^2)/2", "z' = y*x'"),
    ],
)
def test_L2_what_depends_on_time_has_no_distribution_on_the_configurations(
    ask: str, lagrangian: str, constraint: str
) -> None:
    system = ch.System(coordinates=["x", "y", "z"], lagrangian=lagrangian, constraints=[constraint])
    with pytest.raises(ch.ModelError, match="on time"):
        getattr(connection, ask)(system)


def test_L2_a_factor_that_depends_on_time_is_no_dependence() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints=["exp(t)*(x' - y') = 0"]
    )
    assert connection.torsion(system)[1]
