"""The field Γ from i_ΓΩ = 0 (Sa9)."""

from __future__ import annotations

import casadi
import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, lepage, sode
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from galleries import LAGRANGIAN
from portions import some

MODELS = [n for n in LAGRANGIAN if n != "acceleration-constraint"]
NONLINEAR = ["leibniz-particle", "implicit-constraint-quintic", "relativistic-particle-scalar"]


def largest(a, b):
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0) / max([1, *map(abs, b)])


def with_accelerations(law, point):
    """The point with the accelerations that the law gives."""
    a = law.evaluate(point)[0]
    return point | {(c, 2): x for c, x in zip(law.system.coordinates, a, strict=True)}


@pytest.mark.few(4, 4)
@pytest.mark.parametrize("name", some(MODELS, 3))
def test_Sa9_agrees_with_chetaev_on_the_gallery(name):
    system = ch.load(name)
    law, reference = sode.derive(system), chetaev.derive(system)
    for point in random_points(system, 3):
        assert largest(law.evaluate(point)[0], reference.evaluate(point)[0]) < 1e-40


@pytest.mark.parametrize("name", ["rolling-disc", "dog-pursues-man", "damped-sleigh", *NONLINEAR])
def test_Sa9_the_whole_contraction_vanishes_not_only_the_law(name):
    law = sode.derive(ch.load(name))
    for point in random_points(law.system, 2):
        values = evaluate_mp(law.contraction, with_accelerations(law, point), 50)
        assert max(map(abs, values)) < 1e-38


@pytest.mark.parametrize("name", ["rolling-disc", *NONLINEAR])
def test_Sa9_gamma_is_a_second_order_field(name):
    law = sode.derive(ch.load(name))
    system = law.system
    point = next(random_points(system, 1))
    gamma = evaluate_mp(law.Gamma, point, 50)
    speed = [point[c, 1] for c in system.coordinates]
    a = dict(zip(system.coordinates, law.evaluate(point)[0], strict=True))
    assert largest(gamma, [1, *speed, *(a[c] for c in law.chart)]) < 1e-40


@pytest.mark.parametrize("name", NONLINEAR)
def test_Sa9_for_nonlinear_constraints_psi_needs_the_accelerations_in_gamma(name):
    """With C as for linear constraints, without f^β ∂²g/∂v∂v, the law would be wrong."""
    s = lepage.ChosenChart(ch.load(name))
    on_q = sode.FormsOnQ(s)
    n = on_q.n
    f = s.a[s.independent]
    wrong = sode.correction(on_q, sode.curvature(on_q, casadi.SX.zeros(n)))
    omega = on_q.exterior(sode.cartan_form(on_q)) + on_q.wedge(wrong, on_q.dt)
    law = s.graphs(on_q.X.T @ omega.T @ casadi.vertcat(1, s.v, f))
    right = sode.derive(s.system)
    point = next(random_points(s.system, 1))
    assert max(map(abs, evaluate_mp(law, with_accelerations(right, point), 50))) > 1e-3


def test_Sa9_without_N_dL_the_constraint_directions_would_not_vanish():
    s = lepage.ChosenChart(ch.load("dog-pursues-man").with_parameters(m=2))
    on_q = sode.FormsOnQ(s)
    theta = sode.cartan_form(on_q)
    contraction = on_q.exterior(theta).T @ casadi.vertcat(1, s.v, s.a[s.independent])
    L_q = s.graphs(on_q.by_q(s.L)[:, s.dependent])
    direction = s.graphs(contraction[[1 + i for i in s.dependent]])
    law = sode.derive(s.system)
    point = with_accelerations(law, next(random_points(s.system, 1)))
    one, two = evaluate_mp([*direction, *L_q], point, 50)
    # i_Γ dθ_L̄ on ∂/∂q^a is −∂L̄/∂q^a, which ψ takes away
    assert abs(one + two) < 1e-45
    assert abs(two) > 1e-3


def test_a_singular_restricted_lagrangian_has_no_gamma():
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 - y'^2)/2 + z'^2/2 - x", constraints=["y' = x'"]
    )
    with pytest.raises(ModelError, match="not regular on Q"):
        sode.derive(system)


def test_constraints_on_accelerations_are_refused():
    with pytest.raises(ModelError, match="constraints on accelerations define none"):
        sode.derive(ch.load("acceleration-constraint"))
