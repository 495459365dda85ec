"""Random systems: the Hamiltonian side against the Lagrangian one, and the rules of brackets (K24, B3, M5).

A few with the slow tests, the whole lists with `make soak`.
"""

from __future__ import annotations

import random

import pytest

import chetaev as ch
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import add, mul, sub
from chetaev.expr.language.parser import parse
from on_the_distribution import check_motion
from portions import SOAK
from random_systems import random_system

NAMES = ["x", "y", "z"]
COEFFICIENTS = ["x", "y", "z", "x*y", "y^2", "cos(x)", "sin(y)", "1", "2", "exp(z)", "x - z", "z^2 + 1", "t"]
SIDES = [
    "x*y + z", "exp(x) - y*z", "x^2 + y^2 + z^2", "sin(x)*y + z", "z*exp(y) + x", "x*y*z + z", "y^2 - cos(z)",
]  # fmt: skip


def lists(few: range, many: range) -> list[object]:
    return [
        pytest.param(few, marks=pytest.mark.slow, id="few"),
        pytest.param(many, marks=SOAK, id="many"),
    ]


def same_accelerations(system: ch.System, form: str, seed: int) -> None:
    point = system.random_states(1, seed=seed)[0]
    q = [point[c] for c in system.coordinates]
    v = [point[f"{c}_dot"] for c in system.coordinates]
    t = point.get(system.time, 0.0)
    one, other = (ch.field(system, f)(t, q, v) for f in (form, "chetaev"))
    assert one == pytest.approx(other, rel=1e-7, abs=1e-7), (seed, form, system.text)


@pytest.mark.parametrize("seeds", lists(range(12), range(12, 150)))
def test_K24_canonical_equations_are_the_motion_under_linear_and_affine_constraints(seeds: range) -> None:
    for seed in seeds:
        same_accelerations(random_system(seed, ("linear", "affine"), most=4), "hamilton", seed)


@pytest.mark.parametrize("seeds", lists(range(150, 162), range(162, 300)))
def test_B3_symplectic_equations_are_the_motion_under_constraints_of_every_kind(seeds: range) -> None:
    for seed in seeds:
        same_accelerations(random_system(seed, most=4), "bracket", seed)


def small_system(seed: int) -> ch.System:
    """One or two constraints, linear, affine with time, or a quadric; a metric that depends on positions."""
    rng = random.Random(seed)
    a, b, c, d = (rng.choice(COEFFICIENTS) for _ in range(4))
    rows = rng.choice(
        [[f"z' = ({a})*x' + ({b})*y'"], [f"z' = ({a})*x' + ({b})*y' + {c}"],
         [f"z' = ({a})*x' + y'^2/3 + {d}"], [f"z'^2 = x'^2 + (1 + ({b})^2)*y'^2 + 1"],
         [f"z' = ({a})*x'", f"y' = ({b})*x' + 1"]]
    )  # fmt: skip
    lagrangian = (
        f"(x'^2 + (2 + {rng.choice(['x^2', 'y^2', 'cos(z)'])})*y'^2 + z'^2)/2 + x'*y'/3 - ({c})*y + x*z'"
    )
    return ch.System(coordinates=NAMES, lagrangian=lagrangian, constraints=rows)


@pytest.mark.parametrize("seeds", lists(range(6), range(6, 60)))
def test_B9_the_equations_on_H_are_the_motion(seeds: range) -> None:
    for seed in seeds:
        system = small_system(seed)
        check_motion(system, ch.distributional(system), seed)


def random_constraint(seed: int) -> ch.System:
    """One constraint, linear at random or made of a total derivative with an integrating factor."""
    rng = random.Random(seed)
    a, b = rng.choice(COEFFICIENTS[:-1]), rng.choice(COEFFICIENTS[:-1])
    if seed % 2:
        row = f"z' = ({a})*x' + ({b})*y'"
    else:
        from chetaev.expr.exact import Field

        scope = ch.System(coordinates=NAMES, lagrangian="x'^2 + y'^2 + z'^2").scope
        side = Field()(parse(rng.choice(SIDES), scope))
        factor = rng.choice(["1", "exp(x)", "2 + y^2", "2 + sin(x)"])
        row = " + ".join(f"({factor})*({side.diff(c).to_expr()})*{c}'" for c in NAMES) + " = 0"
    return ch.System(coordinates=NAMES, lagrangian=f"(x'^2 + 2*y'^2 + z'^2)/2 - ({b})*y", constraints=[row])


def rules_and_jacobi(seed: int) -> None:
    system = random_constraint(seed)
    b, on, scope = ch.bracket(system), constraint_functions(system), system.scope
    F, G, H = "x*y' + z", "sin(y)*x'", "z^2 + y'"
    assert zero_test(add(b(F, G), b(G, F)), on).is_zero, seed
    product = add(mul(b(F, G), parse(H, scope)), mul(parse(G, scope), b(F, H)))
    assert zero_test(sub(b(F, f"({G})*({H})"), product), on).is_zero, seed
    assert b.jacobi is (ch.classify(system).holonomy != "nonholonomic"), (seed, b.evidence, system.text)


@pytest.mark.parametrize("seeds", lists(range(12), range(12, 300)))
def test_M5_antisymmetry_leibniz_and_jacobi_exactly_for_semiholonomic_constraints(seeds: range) -> None:
    for seed in seeds:
        rules_and_jacobi(seed)
