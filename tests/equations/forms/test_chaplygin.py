"""Generalized Čaplygin equations (Sa10)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms import chaplygin, chetaev, lepage
from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from galleries import LAGRANGIAN
from portions import some

FREE = ("acceleration-constraint", "bouncing-ball", "brachistochrone-metric", "charged-particle-magnetic",
        "double-pendulum", "stick-slip")  # fmt: skip
MODELS = [n for n in LAGRANGIAN if n not in FREE]


def largest(a, b):
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0) / max([1, *map(abs, b)])


@pytest.mark.few(4, 3)
@pytest.mark.parametrize("name", some(MODELS, 3))
def test_Sa10_agrees_with_chetaev_on_the_gallery(name):
    system = ch.load(name)
    law, reference = chaplygin.derive(system), chetaev.derive(system)
    for point in random_points(system, 3):
        assert largest(law.evaluate(point)[0], reference.evaluate(point)[0]) < 1e-40


@pytest.mark.parametrize(
    "name", ["rolling-disc", "ball-on-accelerated-table", "snakeboard", "dog-pursues-man"]
)
def test_Sa10_solved_outright_or_implicitly_is_the_same(name):
    system = ch.load(name)
    s = lepage.ChosenChart(system)
    closed, implicit = chaplygin._explicit(s), chaplygin._implicit(s)
    for one, two in (
        (closed.C, implicit.C),
        (closed.matrix, implicit.matrix),
        (closed.right, implicit.right),
    ):
        graphs = [e for part in (one, two) for row in s.matrix(part) for e in row]
        half = len(graphs) // 2
        for point in random_points(system, 2):
            values = evaluate_mp(graphs, point, 50)
            assert largest(values[:half], values[half:]) < 1e-40


def test_Sa10_affine_constraints_give_functions_of_the_independent_velocities_only():
    law = chaplygin.derive(ch.load("rolling-disc"), ["x", "y"])
    roots = [
        *law.right,
        *(e for row in law.matrix for e in row),
        *law.offset,
        *(e for row in law.C for e in row),
    ]
    assert {n for n, order in graph.symbols(*roots) if order} == {"psi", "phi", "theta"}
    assert law.solved == "closed"


@pytest.mark.parametrize("name", ["semiholonomic-disc", "semiholonomic-cone", "bead-on-rotating-hoop"])
def test_Sa10_C_vanishes_for_semiholonomic_constraints(name):
    law = chaplygin.derive(ch.load(name))
    for point in random_points(law.system, 3):
        assert max(map(abs, evaluate_mp([e for row in law.C for e in row], point, 50))) < 1e-40


@pytest.mark.parametrize("name", ["rolling-disc", "knife-edge", "dog-pursues-man", "leibniz-particle"])
def test_Sa10_C_does_not_vanish_for_others(name):
    system = ch.load(name)
    law = chaplygin.derive(system)
    entries = [e for row in law.C for e in row]
    found = [max(map(abs, evaluate_mp(entries, p, 50))) for p in random_points(system, 3)]
    # for the Leibniz particle the part of C without accelerations is 0, although it is nonholonomic
    assert (max(found) > 1e-3) == (name != "leibniz-particle")


def test_Sa10_the_curvature_is_skew():
    law = chaplygin.derive(ch.load("rolling-disc"))
    point = next(random_points(law.system, 1))
    for R in law.R:
        size = len(R)
        values = evaluate_mp([e for row in R for e in row], point, 50)
        assert all(
            abs(values[i * size + j] + values[j * size + i]) < 1e-45 for i in range(size) for j in range(size)
        )


def test_an_unconstrained_system_is_sent_to_euler_lagrange():
    with pytest.raises(ModelError, match="no constraint") as error:
        chaplygin.derive(ch.load("double-pendulum"))
    assert "euler-lagrange" in error.value.remedy


def test_constraints_on_accelerations_are_refused():
    with pytest.raises(ModelError, match="those on accelerations are not"):
        chaplygin.derive(ch.load("acceleration-constraint"))
