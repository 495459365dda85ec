"""Gibbs–Appell equations: with quasi-velocities, on J², and by the Sasaki metric (L6, L7, L9)."""

from __future__ import annotations

from typing import Any

import casadi
import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, gibbs_appell, gibbs_geometric, gibbs_sasaki
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from galleries import LAGRANGIAN
from portions import some

NOT_QUADRATIC = (
    "brachistochrone-constrained",
    "relativistic-particle-homogeneous",
    "relativistic-particle-scalar-homogeneous",
)


def difference(x: list[Any], y: list[Any]) -> Any:
    """The largest difference, relative to the largest entry or to 1."""
    assert len(x) == len(y)
    return max((abs(a - b) for a, b in zip(x, y, strict=True)), default=0) / (1 + max(map(abs, x), default=0))


def check(system: ch.System, *forms: Any) -> None:
    """Each form has Chetaev's accelerations."""
    reference = chetaev.derive(system)
    for point in random_points(system, 2, seed=1):
        a, _ = reference.evaluate(point)
        for form in forms:
            assert difference(a, form.evaluate(point)[0]) < 1e-40


@pytest.mark.few(6, 2)
@pytest.mark.parametrize("name", some(LAGRANGIAN, 6))
def test_L6_L9_classical_and_geometric_agree_with_chetaev(name: str) -> None:
    system = ch.load(name)
    check(system, gibbs_appell.derive(system), gibbs_geometric.derive(system))


@pytest.mark.few(7, 3)
@pytest.mark.parametrize("name", some([n for n in LAGRANGIAN if n not in NOT_QUADRATIC], 3))
def test_L7_sasaki_agrees_with_chetaev(name: str) -> None:
    system = ch.load(name)
    check(system, gibbs_sasaki.derive(system))


@pytest.mark.parametrize("name", NOT_QUADRATIC)
def test_L7_sasaki_needs_a_metric(name: str) -> None:
    with pytest.raises(ModelError, match="not quadratic in the velocities") as error:
        gibbs_sasaki.derive(ch.load(name))
    assert "gibbs-appell" in error.value.remedy


@pytest.mark.parametrize(("name", "quasi"), [
    ("knife-edge", ["phi'", "x'*cos(phi) + y'*sin(phi)"]),
    ("appell-hamel", ["x' + y*t", "exp(y'/5) + x*x'"]),
    ("acceleration-constraint", ["x'^2 + y'^2"]),
    ("rolling-disc", ["theta'", "phi'*sin(theta)", "psi' + phi'*cos(theta)"]),
])  # fmt: skip
def test_L6_given_quasi_velocities(name: str, quasi: list[str]) -> None:
    system = ch.load(name)
    check(system, gibbs_appell.derive(system, quasi))


def test_L6_wrong_quasi_velocities_are_refused() -> None:
    with pytest.raises(ModelError, match="3 quasi-velocities were given"):
        gibbs_appell.derive(ch.load("knife-edge"), ["x'", "y'", "phi'"])
    with pytest.raises(ModelError, match="not independent"):
        gibbs_appell.derive(ch.load("knife-edge"), ["x'*sin(phi) - y'*cos(phi)", "phi'"])


def test_L6_the_gibbs_function_of_a_point_mass_is_half_m_a_squared() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="m*(x'^2 + y'^2 + z'^2)/2", parameters={"m": 3}
    )
    S = gibbs_appell.derive(system).S
    values = {"m": 3, "t": 0, ("x", 2): 2, ("y", 2): 5, ("z", 2): -1}
    values |= {(c, k): 7 for c in "xyz" for k in (0, 1)}
    assert evaluate_mp([S], values, 30)[0] == 45


@pytest.mark.parametrize("name", some(LAGRANGIAN, 6))
def test_L6_the_fibre_derivative_of_every_gibbs_function_is_the_euler_lagrange_form(name: str) -> None:
    """∂S/∂a = d/dt ∂L/∂v − ∂L/∂q, and ∂G/∂a = that − F: they differ by functions on J¹."""
    system = ch.load(name)
    s = Setup(system)
    p = casadi.gradient(s.L, s.v)
    E = s.along(p) + s.by_v(p) @ s.a - casadi.gradient(s.L, s.q)
    S, G = s(gibbs_appell.derive(system).S), s(gibbs_geometric.derive(system).G)
    defect = s.graphs(casadi.vertcat(casadi.gradient(S, s.a) - E, casadi.gradient(G, s.a) - E + s.F))
    for point in random_points(system, 1, seed=2):
        values = {**point, **{(c, 2): 1 + i for i, c in enumerate(system.coordinates)}}
        scale = 1 + max(map(abs, evaluate_mp(s.graphs(E), values, 50)))
        assert max(map(abs, evaluate_mp(defect, values, 50))) < 1e-38 * scale


@pytest.mark.parametrize("name", ["appell-hamel", "brachistochrone-constrained", "damped-sleigh"])
def test_L6_the_reference_section_does_not_matter(name: str) -> None:
    system = ch.load(name)
    reference = [f"{c}*t + {c}'^2" for c in system.coordinates]
    check(system, gibbs_geometric.derive(system, reference))


def test_L7_the_sasaki_metric_is_symmetric_and_of_doubled_signature() -> None:
    system = ch.load("double-pendulum")
    rows = gibbs_sasaki.derive(system).sasaki
    point = next(iter(random_points(system, 1)))
    values = [evaluate_mp(row, point, 50) for row in rows]
    m = len(system.coordinates)
    assert all(abs(values[i][j] - values[j][i]) < 1e-45 for i in range(2 * m) for j in range(2 * m))
    import mpmath

    with mpmath.workdps(50):
        whole, g = mpmath.matrix(values), mpmath.matrix([row[m:] for row in values[m:]])
        assert abs(mpmath.det(whole) - mpmath.det(g) ** 2) < 1e-40 * mpmath.det(g) ** 2
