"""Reduced equations by the forms (K4, K11, K19): ι*α modulo the constraint ideal."""

from __future__ import annotations

import casadi
import pytest

import chetaev as ch
from chetaev.equations.forms import chetaev, lepage, reduced
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from galleries import REACTING
from portions import some

MODELS = [n for n in REACTING if n != "acceleration-constraint"]


def largest(a, b):
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0) / max([1, *map(abs, b)])


@pytest.mark.few(8, 3)
@pytest.mark.parametrize("name", some(MODELS, 3))
def test_K19_agrees_with_chetaev_on_the_gallery(name):
    system = ch.load(name)
    law, reference = lepage.derive(system), chetaev.derive(system)
    for point in random_points(system, 3):
        assert largest(law.evaluate(point)[0], reference.evaluate(point)[0]) < 1e-40


@pytest.mark.parametrize("name", ["rolling-disc", "decelerated-particle", "implicit-constraint-quintic"])
def test_K19_coefficients_by_68_equal_those_by_69_and_70(name):
    system = ch.load(name)
    by_forms, by_lagrangian = lepage.derive(system), reduced.derive(system)
    assert by_forms.unknowns == by_lagrangian.unknowns
    flat = [[*law.A, *(e for row in law.B for e in row)] for law in (by_forms, by_lagrangian)]
    for point in random_points(system, 2):
        one, two = (evaluate_mp(f, point, 50) for f in flat)
        assert largest(one, two) < 1e-40


def test_K4_the_class_does_not_depend_on_its_2_contact_part():
    s = lepage.ChosenChart(ch.load("leibniz-particle"))
    A, B = lepage.ambient(s)
    n, k = len(s.independent), len(s.dependent)
    basis = lepage.coframe(s)
    F = casadi.SX([[0, 1, 2], [3, 0, 4], [5, 6, 0]]) * s.v[0]
    plain, other = lepage.pullback(basis, A, B), lepage.pullback(basis, A, B, F)
    read = slice(1, 1 + n)
    assert s.graphs(plain[read, 0]) == s.graphs(other[read, 0])
    assert s.matrix(plain[read, 1 + n + k :]) == s.matrix(other[read, 1 + n + k :])
    assert s.matrix(plain) != s.matrix(other)


def test_a_form_is_skew():
    system = ch.load("knife-edge")
    alpha = lepage.derive(system).alpha
    size = len(alpha)
    point = next(random_points(system, 1))
    values = evaluate_mp([e for row in alpha for e in row], point, 50)
    assert all(
        abs(values[i * size + j] + values[j * size + i]) < 1e-45 for i in range(size) for j in range(size)
    )


@pytest.mark.parametrize("dependent", [["x"], ["y"], ["z"]])
def test_every_chart_gives_the_same_accelerations(dependent):
    system = ch.load("leibniz-particle")
    law, reference = lepage.derive(system, dependent), chetaev.derive(system)
    assert law.unknowns == tuple(f"{c}''" for c in "xyz" if c not in dependent)
    for point in random_points(system, 4):
        assert largest(law.evaluate(point)[0], reference.evaluate(point)[0]) < 1e-40


def test_a_force_enters_with_phi_equal_minus_F():
    system = ch.System(coordinates=["x", "y"], lagrangian="x'^2/2 + y'^2/2", forces={"x": "-x'*y"},
                       constraints=["y' = t*x'"])  # fmt: skip
    law = lepage.derive(system, ["y"])
    point = next(random_points(system, 1))
    x_dot, y, t = point["x", 1], point["y", 0], point["t"]
    assert abs(law.evaluate(point)[0][0] - (-x_dot * y - t * x_dot) / (1 + t**2)) < 1e-45


def test_constraints_on_accelerations_define_no_submanifold():
    with pytest.raises(ModelError, match="constraints on accelerations define none"):
        lepage.derive(ch.load("acceleration-constraint"))


@pytest.mark.parametrize(("dependent", "message"), [(["w"], "no coordinate"), (["x", "y"], "2 dependent")])
def test_a_wrong_chart_is_refused(dependent, message):
    with pytest.raises(ModelError, match=message):
        lepage.derive(ch.load("leibniz-particle"), dependent)
