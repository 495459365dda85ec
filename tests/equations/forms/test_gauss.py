"""Gauss's principle, its Moore–Penrose form (L8, L9), and all forms of this group on random systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.equations.forms import (
    chetaev,
    connection,
    dalembert,
    gauss,
    gibbs_appell,
    gibbs_geometric,
    gibbs_sasaki,
    hamel,
)
from chetaev.equations.law.law import Equations, SingularError
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context, read_matrix
from chetaev.model.states.points import random_points
from galleries import REACTING
from moore_penrose import moore_penrose
from portions import examples, some


def difference(x: list[Any], y: list[Any]) -> Any:
    """The largest difference, relative to the largest entry or to 1."""
    assert len(x) == len(y)
    return max((abs(a - b) for a, b in zip(x, y, strict=True)), default=0) / (1 + max(map(abs, x), default=0))


def is_minimum(equations: Equations, point: Mapping[Any, Any], digits: int = 50) -> bool:
    """Whether the critical point of Z is its minimum on the plane at a point of J¹Y."""
    mp, n = mp_context(digits), len(equations.unknowns)
    values = evaluate_mp([e for row in equations.matrix for e in row], point, digits)
    H = read_matrix(mp, iter(values), n, n)
    return all(x > 0 for x in mp.eigsy((H + H.T) / 2, eigvals_only=True)) if n else True


@pytest.mark.few(5, 2)
@pytest.mark.parametrize("name", some(REACTING, 6))
def test_L8_gauss_and_moore_penrose_agree_with_chetaev(name: str) -> None:
    system = ch.load(name)
    reference = chetaev.derive(system)
    forms = (gauss.derive(system), moore_penrose(system))
    for point in random_points(system, 2, seed=1):
        a, mu = reference.evaluate(point)
        for form in forms:
            b, nu = form.evaluate(point)
            assert difference(a, b) < 1e-40
            assert difference(mu, nu) < 1e-40


def test_L8_the_constraint_is_least_for_a_definite_metric() -> None:
    system = ch.load("rolling-disc")
    equations = gauss.derive(system)
    for point in random_points(system, 2, seed=2):
        assert is_minimum(equations, point)
        a, _ = equations.evaluate(point)
        W = evaluate_mp([e for row in equations.W for e in row], point, 50)
        n = len(equations.unknowns)
        best = Z(equations, point, a)
        for r in range(n):
            for step in (-1, 1):
                other = [x + step * W[n * i + r] / 8 for i, x in enumerate(a)]
                assert Z(equations, point, other) > best


def Z(equations: Any, point: dict[Any, Any], a: list[Any]) -> Any:
    values = dict(point) | {(c, 2): x for c, x in zip(equations.system.coordinates, a, strict=True)}
    return evaluate_mp([equations.Z], values, 50)[0]


def test_L8_a_critical_point_that_is_no_minimum_for_an_indefinite_metric() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 - y'^2 + z'^2)/2 - x*y",
        constraints=["z' = y*x' + y'^2"],
    )
    equations, reference = gauss.derive(system), chetaev.derive(system)
    for point in random_points(system, 3, seed=3):
        assert not is_minimum(equations, point)
        assert difference(reference.evaluate(point)[0], equations.evaluate(point)[0]) < 1e-40


SLEIGH = "m*(x'^2 + y'^2)/2 + phi'^2/4 - m*x"
EDGE = "y'*cos(phi) = x'*sin(phi)"


def test_L8_redundant_constraints_are_no_obstacle() -> None:
    common: dict[str, Any] = {
        "coordinates": ["x", "y", "phi"],
        "lagrangian": SLEIGH,
        "parameters": {"m": 2},
    }
    once = ch.System(constraints=[EDGE], **common)
    twice = ch.System(constraints=[EDGE, f"3*({EDGE.replace(' = ', ' - ')}) = 0"], **common)
    reference = chetaev.derive(once)
    for point in random_points(once, 2, seed=4):
        a, mu = reference.evaluate(point)
        b, _ = gauss.derive(twice).evaluate(point)
        c, nu = moore_penrose(twice).evaluate(point)
        assert difference(a, b) < 1e-40
        assert difference(a, c) < 1e-40
        assert abs(nu[0] + 3 * nu[1] - mu[0]) < 1e-40  # the same reaction
        assert abs(nu[1] - 3 * nu[0]) < 1e-40  # of least norm
    with pytest.raises(ModelError, match="constraints are dependent"):
        hamel.derive(twice)


def test_L8_contradictory_accelerations_are_reported() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="x'^2 + y'^2 + z'^2",
        constraints={"acceleration": ["x'' = 1", "x'' = 2"]},
    )
    with pytest.raises(SingularError, match="contradict"):
        moore_penrose(system).evaluate(next(iter(random_points(system, 1))))


def test_L8_an_undetermined_motion_is_reported() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y*x'", constraints=[], degenerate=True)
    with pytest.raises(SingularError, match="no single critical point"):
        moore_penrose(system).evaluate(next(iter(random_points(system, 1))))


@pytest.mark.parametrize("form", [gauss, gibbs_appell, gibbs_geometric, dalembert])
def test_L9_a_velocity_constraint_given_by_its_derivative_is_the_same(form: Any) -> None:
    common: dict[str, Any] = {"coordinates": ["x", "y", "z"], "lagrangian": "(x'^2 + y'^2 + 2*z'^2)/2 - z"}
    velocity = ch.System(constraints=["z'^2 = x'^2 + y*y'"], **common)
    acceleration = ch.System(constraints={"acceleration": ["2*z'*z'' = 2*x'*x'' + y'^2 + y*y''"]}, **common)
    first, second = chetaev.derive(velocity), form.derive(acceleration)
    for point in random_points(velocity, 2, seed=5):
        assert difference(first.evaluate(point)[0], second.evaluate(point)[0]) < 1e-40


# --- random systems -----------------------------------------------------------------------------------

small = st.integers(1, 5)


@st.composite
def systems(draw: st.DrawFn, quadratic: bool, affine: bool) -> ch.System:
    """A system with a regular Hessian; the first m − k velocities are free."""
    m = draw(st.integers(2, 4))
    k = draw(st.integers(1, m - 1))
    q = [f"q{i}" for i in range(m)]
    index = st.integers(0, m - 1)
    terms = [f"({draw(small)} + sin({draw(st.sampled_from(q))} + t)/3)*{c}'^2" for c in q]
    terms += [f"cos({q[draw(index)]}*t)*{q[draw(index)]}'*{q[draw(index)]}'/8" for _ in range(2)]
    terms += [f"{q[draw(index)]}*sin(t)*{q[draw(index)]}'", f"-{q[draw(index)]}^2*{q[draw(index)]}/5"]
    if not quadratic:
        terms += [f"{q[draw(index)]}'^4/20", f"exp(-{q[draw(index)]}'^2)/16"]
    free = st.integers(0, m - k - 1)
    rows = []
    for a in range(m - k, m):
        kinds = ["linear", "affine"] + ([] if affine else ["quadratic", "root", "sine", "implicit"])
        s, r, other = q[draw(free)], q[draw(free)], q[draw(index)]
        rows.append({
            "linear": f"{q[a]}' = sin({other})*{s}' + {other}*{r}'/2",
            "affine": f"{q[a]}' = cos({other} + t)*{s}' + t*{other} + 1",
            "quadratic": f"{q[a]}' = {s}'*{r}' + {other}/3",
            "root": f"{q[a]}' = sqrt(1 + {s}'^2 + {other}^2)",
            "sine": f"{q[a]}' = sin({s}' + t) + {other}*{r}'",
            "implicit": f"{q[a]}' + {q[a]}'^3/3 = {s}' + {other}",
        }[draw(st.sampled_from(kinds))])  # fmt: skip
    forces = {q[draw(index)]: f"-{q[draw(index)]}'/{draw(small)} + cos(t)"}
    return ch.System(coordinates=q, lagrangian=" + ".join(terms), constraints=rows, forces=forces)


@settings(max_examples=examples(4))
@given(systems(quadratic=False, affine=False))
def test_random_systems_B2_L6_L8_D5(system: ch.System) -> None:
    compare(system, (gauss, gibbs_appell, gibbs_geometric, dalembert, hamel))


@settings(max_examples=examples(4))
@given(systems(quadratic=True, affine=True))
def test_random_quadratic_systems_with_affine_constraints_L1_L7_B1_D5(system: ch.System) -> None:
    compare(system, (gibbs_sasaki, dalembert, connection, hamel))


def compare(system: ch.System, forms: tuple[Any, ...]) -> None:
    point = next(iter(random_points(system, 1, seed=6)))
    a, mu = chetaev.derive(system).evaluate(point)
    for form in forms:
        b, nu = form.derive(system).evaluate(point)
        assert difference(a, b) < 1e-35, form.__name__
        assert not nu or difference(mu, nu) < 1e-35, form.__name__
