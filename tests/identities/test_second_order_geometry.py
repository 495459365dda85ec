"""Identities of mixed equations on random data, linear and nonlinear constraints (Sa5, Sa6, Sa7).

The curvatures are computed from the Nijenhuis tensor and from brackets of lifts; here the coordinate formulas
of Sarlet's paper, his sections 4 and 5, are the other route.
"""

from __future__ import annotations

import random

import pytest

from chetaev.geometry import MixedSpace, SecondOrderGeometry

COEFFICIENTS = ("1", "-2", "x", "y", "z*x", "sin(x)", "t", "z")


def random_geometry(seed: int) -> SecondOrderGeometry:
    """Two second-order equations and one of first order, or one and two; every other one nonlinear."""
    rng = random.Random(seed)
    independent, dependent = (["x", "y"], ["z"]) if seed % 2 else (["x"], ["y", "z"])
    velocities = [f"{n}'" for n in independent]

    def function() -> str:
        terms = [f"{rng.choice(COEFFICIENTS)}*{v}" for v in velocities] + [rng.choice(COEFFICIENTS)]
        if seed % 4 < 2:
            terms.append(f"{rng.choice(COEFFICIENTS)}*{rng.choice(velocities)}^2")
        return " + ".join(rng.sample(terms, 2))

    space = MixedSpace(independent, dependent, {n: function() for n in dependent})
    return SecondOrderGeometry(space, space.second_order_field([function() for _ in independent]))


def random_components(rng: random.Random, G: SecondOrderGeometry) -> dict[str, list[str]]:
    names = [*COEFFICIENTS, *(f"{n}'" for n in G.space.independent)]

    def pick(count: int) -> list[str]:
        return [f"{rng.choice(names)}*{rng.choice(names)}" for _ in range(count)]

    return {"independent": pick(len(G.space.independent)), "dependent": pick(len(G.space.dependent))}


SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_Sa5_curvatures_are_what_the_formulas_say(seed: int) -> None:
    G = random_geometry(seed)
    f = G.gamma.components[-len(G.space.independent) :]
    Γ, c = G.gamma.derivative, G.coefficients
    n = len(f)
    for b in range(n):
        for a in range(n):
            square = sum((c[g][a] * c[b][g] for g in range(n)), G.zero)
            assert G.Phi.on_independent[b][a] == -G.space.X[a].derivative(f[b]) - square - Γ(c[b][a])
        for j, name in enumerate(G.space.dependent):
            assert G.Phi.on_independent[b][n + j] == -f[b].diff(name)
    for row, formula in zip(G.Psi.on_dependent, G.C, strict=True):
        assert row[:n] == formula
        assert all(e.is_zero for e in row[n:])


@pytest.mark.parametrize("seed", SEEDS)
def test_Sa6_nabla_is_what_the_lie_derivative_of_lifts_leaves(seed: int) -> None:
    G, rng = random_geometry(seed), random.Random(100 + seed)
    X = G.along(**random_components(rng, G), time="x*t")
    vertical, horizontal = G.space.vertical_lift(X), G.space.horizontal_lift(G.gamma, X)
    bar = G.along(independent=X.independent)
    nabla, psi, phi = G.nabla(X), G.apply(G.Psi, X), G.apply(G.Phi, X)
    expected = G.space.vertical_lift(nabla) - G.space.horizontal_lift(G.gamma, bar)
    assert G.gamma.bracket(vertical) == expected
    lifts = [G.space.horizontal_lift(G.gamma, Y) for Y in (nabla, psi)]
    assert G.gamma.bracket(horizontal) == lifts[0] + lifts[1] + G.space.vertical_lift(phi)
    alpha = G.form_along(**random_components(rng, G), time="t")
    pairing = _pair(alpha, X)
    assert G.gamma.derivative(pairing) == _pair(G.nabla_form(alpha), X) + _pair(alpha, nabla)


def _pair(alpha, X):
    total = alpha.time * X.time
    left, right = (*alpha.independent, *alpha.dependent), (*X.independent, *X.dependent)
    for a, b in zip(left, right, strict=True):
        total = total + a * b
    return total


@pytest.mark.parametrize("seed", SEEDS)
def test_Sa7_the_defects_are_what_is_left_of_the_lie_derivatives(seed: int) -> None:
    G, rng = random_geometry(seed), random.Random(200 + seed)
    X = G.along(**random_components(rng, G))
    defect = G.symmetry_defect(X)
    still = G.along(dependent=defect.dependent)
    moved = G.space.horizontal_lift(G.gamma, still) + G.space.vertical_lift(defect)
    assert G.gamma.bracket(G.lift(X)) == moved
    alpha = G.form_along(**random_components(rng, G))
    adjoint = G.adjoint_defect(alpha)
    form = G.form_along(
        independent=[-e for e in adjoint.independent], dependent=[-e for e in adjoint.dependent]
    )
    assert G.lift_form(alpha).lie(G.gamma) == G.space.horizontal_form(form)
    assert G.lift_form(alpha)(G.gamma).is_zero


def test_Sa7_symmetries_are_found_to_be_symmetries() -> None:
    """The skate z' = y x' without force: translations, time; not a rotation of the (x, y) plane."""
    space = MixedSpace(["x", "y"], ["z"], {"z": "y*x'"})
    G = SecondOrderGeometry(space, space.second_order_field(["-y*x'*y'/(1 + y^2)", "0"]))
    chart = space.chart
    assert all(G.is_symmetry(G.of_field(chart.partial(n))) for n in ("t", "x", "z"))
    turn = chart("x") * chart.partial("y") - chart("y") * chart.partial("x")
    assert G.is_symmetry(G.of_field(turn)) is False
