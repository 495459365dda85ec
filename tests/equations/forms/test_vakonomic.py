"""Vakonomic equations and when they agree with Chetaev's (K15)."""

from __future__ import annotations

import mpmath
import pytest
import sympy

import chetaev as ch
from chetaev.equations.forms import chetaev, vakonomic
from chetaev.errors import ModelError
from chetaev.expr.language.sympy_bridge import to_sympy
from chetaev.model.states.points import random_points
from galleries import LAGRANGIAN
from portions import some

FREE = ("acceleration-constraint", "bouncing-ball", "brachistochrone-metric", "charged-particle-magnetic",
        "double-pendulum", "stick-slip")  # fmt: skip
SEMIHOLONOMIC = ("bead-on-rotating-hoop", "pendulum-cartesian", "pendulum-moving-support",
                 "semiholonomic-cone", "semiholonomic-disc")  # fmt: skip
STRAIGHT = ("appell-hamel", "brachistochrone-constrained", "decelerated-particle", "particle-on-cone")
"""Nonholonomic, yet both motions agree: d/dt ∂f/∂v stays in the span of ∂f/∂v along Chetaev's motions."""
OTHERS = [n for n in LAGRANGIAN if n not in FREE + SEMIHOLONOMIC + STRAIGHT]


@pytest.mark.parametrize("name", SEMIHOLONOMIC)
def test_K15_semiholonomic_motions_agree_for_every_multiplier(name):
    system = ch.load(name)
    for seed, point in enumerate(random_points(system, 2)):
        mu = [seed + 0.5 - i for i in range(len(vakonomic.derive(system).mu))]
        found = vakonomic.agreement(system, point, mu)
        assert found.agrees(1e-40)
        assert found.bracket_defect < 1e-40


@pytest.mark.parametrize(
    "constraint",
    [
        "x' - y - t*y' = 0",
        "exp(z)*(2 + y'^2)*(x' - y - t*y') = 0",
        "sinh(x' - y - t*y') + (x' - y - t*y')^3 = 0",
    ],
)
def test_K15_it_does_not_matter_which_f_describes_a_semiholonomic_constraint(constraint):
    """u = x − t y, by f = du/dt, by f = A(z, v) du/dt, and by a nonlinear function of du/dt."""
    system = ch.System(coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + (2 + x^2)*z'^2)/2 - sin(x*y)",
                       constraints=[constraint], forces={"z": "x' - z'*y'"})  # fmt: skip
    for point in random_points(system, 2):
        found = vakonomic.agreement(system, point)
        assert found.agrees(1e-35)
        assert found.bracket_defect < 1e-35


@pytest.mark.few(3)
@pytest.mark.parametrize("name", some(OTHERS, 3))
def test_K15_nonholonomic_motions_differ(name):
    system = ch.load(name)
    found = [vakonomic.agreement(system, point) for point in random_points(system, 2)]
    assert max(f.bracket_defect for f in found) > 1e-4
    assert max(f.difference for f in found) > 1e-4
    assert not all(f.agrees() for f in found)


@pytest.mark.parametrize("name", STRAIGHT)
def test_K15_for_one_lagrangian_a_nonholonomic_constraint_may_agree_too(name):
    """So "different unless semiholonomic" is true of a constraint, for all L together, not of a system."""
    system = ch.load(name)
    for point in random_points(system, 2):
        found = vakonomic.agreement(system, point)
        assert found.agrees(1e-40)
        assert found.bracket_defect > 1e-4


def test_K15_such_an_agreement_ends_with_another_lagrangian():
    system = ch.System(coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2 - x*y",
                       constraints=["x'^2 + y'^2 + z'^2 = 1/t"])  # fmt: skip
    assert not vakonomic.agreement(system, next(random_points(system, 1))).agrees()


@pytest.mark.parametrize("name", ["semiholonomic-disc", "pendulum-cartesian", "bead-on-rotating-hoop"])
def test_K15_if_f_is_du_dt_chetaevs_multipliers_are_minus_the_rates(name):
    system = ch.load(name)
    for point in random_points(system, 2):
        found = vakonomic.agreement(system, point)
        assert max(abs(r + rate) for r, rate in zip(found.reactions, found.rates, strict=True)) < 1e-40


@pytest.mark.parametrize("name", ["rolling-disc", "leibniz-particle"])
def test_K15_with_zero_multipliers_the_accelerations_always_agree(name):
    system = ch.load(name)
    point = next(random_points(system, 1))
    mu = [0] * len(vakonomic.derive(system).mu)
    assert vakonomic.agreement(system, point, mu).agrees(1e-40)


def test_K15_the_law_is_the_euler_lagrange_equation_of_L_plus_mu_f():
    """Independent of the engine: SymPy differentiates L + μ f along a curve."""
    system = ch.load("leibniz-particle")
    t = sympy.Symbol("t")
    q = [sympy.Function(c)(t) for c in system.coordinates]
    mu = sympy.Function("mu")(t)
    L, f = to_sympy(system.lagrangian, expand=True), to_sympy(system.velocity_constraints[0].residual)
    jets = {sympy.Symbol(c, real=True): x for c, x in zip(system.coordinates, q, strict=True)}
    jets |= {
        sympy.Symbol(f"{c}_dot", real=True): x.diff(t) for c, x in zip(system.coordinates, q, strict=True)
    }
    L_hat = (L + mu * f).subs(jets)
    law = vakonomic.derive(system)
    point = vakonomic.extend(law, next(random_points(system, 1, digits=30)), [mpmath.mpf(3) / 4])
    a, rates = law.evaluate(point, 30)
    values = {mu.diff(t): rates[0], mu: point["mu_1"]}
    for c, x, acceleration in zip(system.coordinates, q, a, strict=True):
        values |= {x.diff(t, 2): acceleration, x.diff(t): point[c, 1], x: point[c, 0]}
    ordered = sorted(
        values.items(), key=lambda item: -sum(n for _, n in getattr(item[0], "variable_count", ()))
    )
    parameters = {sympy.Symbol(p, real=True): point[p] for p in system.parameters}
    for x in q:
        equation = L_hat.diff(x.diff(t)).diff(t) - L_hat.diff(x)
        assert abs(equation.subs(ordered).subs(parameters).evalf(30)) < 1e-20


def test_the_names_of_multipliers_avoid_those_of_the_model():
    system = ch.System(coordinates=["x", "y"], lagrangian="x'^2/2 + y'^2/2", constraints=["y' = mu_1*x*x'"],
                       parameters={"mu_1": 2})  # fmt: skip
    assert vakonomic.derive(system).mu == ("mu__1",)


@pytest.mark.parametrize("name", FREE)
def test_without_velocity_constraints_there_is_nothing_vakonomic(name):
    with pytest.raises(ModelError):
        vakonomic.derive(ch.load(name))


def test_the_number_of_multipliers_is_checked():
    system = ch.load("knife-edge")
    with pytest.raises(ModelError, match="2 multipliers are given"):
        vakonomic.agreement(system, next(random_points(system, 1)), [1, 2])


def test_the_agreement_says_so_in_words():
    system = ch.load("semiholonomic-disc")
    assert "agree here" in str(vakonomic.agreement(system, next(random_points(system, 1))))
    assert chetaev.derive(system).form == "chetaev"


def test_K15_accelerations_are_solved_where_multipliers_stay_in_the_matrix():
    system = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["tan(x' - t*y' - y) = 0"]
    )
    law = ch.equations(system, "vakonomic")
    assert law.further_states == ("mu_1",)
    assert set(law.accelerations) == {"x", "y"}
