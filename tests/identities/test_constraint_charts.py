"""Verdicts do not depend on the coordinates (SCOPE K13, K17, K18; issue 3, "chart independence of every
verdict").

A constraint f(t, q, q') = 0 is written in new coordinates, q = q(t, Q), by substitution: q' = dq/dt. What
the constraint *is* must not change; under a transformation that depends on time, linear may become affine
and skleronomic rheonomic.
"""

from __future__ import annotations

import random

import pytest

from chetaev.constraint import ConstraintData, classify
from chetaev.expr.exact import Element
from chetaev.geometry.chart.chart import JetChart
from portions import some

CONSTRAINTS = {
    "contact": (["x' + y*z'"], "nonholonomic"),
    "integrable": (["x' + z*z'"], "semiholonomic"),
    "affine": (["x' - y*z' - x"], "nonholonomic"),
    "sphere": (["x'^2 + y'^2 + z'^2 - 1"], "nonholonomic"),
    "cone": (["x'^2 + y'^2 - z'^2"], "nonholonomic"),
    "rheonomic": (["x' - t*y'"], "nonholonomic"),
    "rheonomic integrable": (["x' - t*y' - y"], "semiholonomic"),
    "mixture": (["z' - x*y'", "w' - z*z'"], "nonholonomic"),
    "implicit": (["x'^5 + x'*y' + y*z'^3 - 1"], "nonholonomic"),
    "two": (["x'^2 + y'^2 - 1", "w' - z*z'"], "nonholonomic"),
}


def transformed(functions: list[str], names: list[str], seed: int, timed: bool) -> list[Element]:
    """The functions with q_i = Q_i + p_i(t, Q_1 … Q_{i−1}) put in, old names used for the new coordinates."""
    rng = random.Random(seed)
    J = JetChart(names, 1)
    order = list(names)
    rng.shuffle(order)
    put: dict[object, Element] = {}
    for i, q in enumerate(order):
        before = order[:i] + (["t"] if timed else [])
        image = rng.choice([2, 1, -1]) * J.field.symbol(q)
        for p in rng.sample(before, min(len(before), 2)):
            a = J.field.symbol(p)
            image = image + rng.choice([1, -1]) * rng.choice([a, a**2, J.field.sin(a)])
        put[q, 0] = image
    for q in names:
        put[q, 1] = J.cut_total_derivative(put[q, 0])
    return [J(f).subs(put) for f in functions]


@pytest.mark.few(1)
@pytest.mark.parametrize("timed", [False, True], ids=["fixed", "moving"])
@pytest.mark.parametrize("name", some(CONSTRAINTS, 2))
def test_K18_verdicts_are_the_same_in_all_coordinates(name: str, timed: bool) -> None:
    functions, holonomy = CONSTRAINTS[name]
    names = ["x", "y", "z", "w"] if any("w" in f for f in functions) else ["x", "y", "z"]
    before = classify(ConstraintData.of(functions, names))
    assert before.holonomy == holonomy
    for seed in (1,) if timed else (0, 1):
        rows = transformed(functions, names, seed, timed)
        after = classify(ConstraintData.of([r.to_expr() for r in rows], names))
        for what in ("holonomy", "integrable", "integrable_dimension", "projectable", "codimension"):
            assert getattr(after, what) == getattr(before, what), (what, str(after))
        if before.velocities == "nonlinear":
            assert after.growth_vector == before.growth_vector
        if not timed:
            for what in ("velocities", "time", "homogeneous", "degree", "growth_vector"):
                assert getattr(after, what) == getattr(before, what), (what, str(after))


@pytest.mark.few(3)
@pytest.mark.parametrize("factor", ["exp(x)", "1 + y^2", "2 + sin(t)", "3 + cos(x')^2"])
@pytest.mark.parametrize(
    "name", some(["contact", "integrable", "affine", "rheonomic integrable", "sphere"], 3)
)
def test_K13_factors_that_never_vanish_change_nothing(name: str, factor: str) -> None:
    functions, _ = CONSTRAINTS[name]
    names = ["x", "y", "z"]
    before = classify(ConstraintData.of(functions, names))
    after = classify(ConstraintData.of([f"({factor})*({f})" for f in functions], names))
    for what in (
        "holonomy",
        "velocities",
        "time",
        "homogeneous",
        "projectable",
        "integrable_dimension",
        "growth_vector",
    ):
        assert getattr(after, what) == getattr(before, what), (what, str(after))


@pytest.mark.few(7)
@pytest.mark.parametrize("wrap", ["exp({})-1", "sinh({})", "({})^3", "({})^5 + ({})^3", "atan({})"])
@pytest.mark.parametrize("name", ["contact", "integrable", "rheonomic integrable"])
def test_K17_functions_of_an_affine_constraint_are_affine_on_Q(name: str, wrap: str) -> None:
    functions, holonomy = CONSTRAINTS[name]
    after = classify(ConstraintData.of([wrap.format(f, f) for f in functions], ["x", "y", "z"]))
    assert after.holonomy == holonomy, str(after)
    assert after.projectable
    assert after.velocities in ("linear", "affine")
    assert after.written == "nonlinear"
    assert after.degree == 1
