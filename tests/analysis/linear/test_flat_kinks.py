"""Kinks that do not matter: quadratic drag at rest has a derivative, and never raises the energy (M1, M6)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.analysis.steady.sign_by_shape import sign_by_shape
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import add as plus
from chetaev.expr.graph.node import call, div, mul, neg, number, power, sub, symbol
from portions import examples

FLAT = [
    "-c*abs(x')*x'",
    "-sqrt(x'^2 + y'^2)*x'",
    "-abs(x')^(1/2)*x'*c",
    "-x'*(2 + max(x', y'))",
    "-abs(x')*abs(x')*c",
    "-(c + abs(x'))*x' - y'*abs(y')/3",
    "-max(x', y')*abs(y')",
    "-x'*max(x', y', 5)",
    "-y'*min(x', -3, y')",
]


def system(force, **more):
    return ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - x^2 - y^2",
        forces={"x": force},
        parameters={"c": "1/5"},
        **more,
    )


@pytest.mark.parametrize("force", FLAT)
def test_the_derivative_at_rest_is_that_of_differences(force):
    model = system(force)
    found = ch.linearize(model, at={"x": 0, "y": 0, "x_dot": 0, "y_dot": 0})
    assert found.kind == "equilibrium"
    assert "the kink does not matter" in found.notes[-1]
    row = found.A.sel(state="x_dot").to_numpy()
    h = 1e-9
    expr = model.forces["x"]
    for name, column in (("x", 2), ("y", 3)):
        at = {"c": 0.2, ("x", 1): 0.0, ("y", 1): 0.0, ("x", 0): 0.0, ("y", 0): 0.0}
        slopes = [float(evaluate([expr], {**at, (name, 1): s * h})[0]) / (s * h) for s in (1.0, -1.0)]
        place = list(found.A.indexes["by"]).index(f"{name}_dot")
        assert place == column
        assert np.allclose(slopes, row[place], atol=1e-4)  # √h, where the force begins with |v|^(3/2)


MATTER = [
    "-abs(x')",
    "-sign(x')*x'",
    "-x'*sign(y')*2",
    "-sqrt(abs(x'))",
    "-max(x', y')",
    "-atan2(x', y')*abs(x')",  # a direction has no limit
    "-abs(x')*acos(1 - x'^2)",
]


@pytest.mark.parametrize("force", MATTER)
def test_kinks_that_matter_are_refused(force):
    with pytest.raises(ch.ModelError, match=r"kink|derivative"):
        ch.linearize(system(force), at={"x": 0, "y": 0, "x_dot": 0, "y_dot": 0})


def test_a_kink_elsewhere_stays():
    """The same |x'| stands alone in another force."""
    model = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - x^2 - y^2",
        forces={"x": "-abs(x')*x'", "y": "-abs(x')"},
    )
    with pytest.raises(ch.ModelError, match=r"abs\(x'\) has no derivative"):
        ch.linearize(model, at={"x": 0, "y": 0, "x_dot": 0, "y_dot": 0})


@pytest.mark.parametrize(
    ("forces", "stable"),
    [
        ({"x": "-abs(x')*x'/10"}, True),
        ({"x": "-sqrt(x'^2 + y'^2)*x'/10", "y": "-sqrt(x'^2 + y'^2)*y'/10"}, True),
        ({"x": "-(1 + abs(x'))*x'", "y": "-y'*abs(y')"}, True),
        ({"x": "abs(x')*x'/10"}, None),  # linear theory does not decide, and the energy grows
        ({"x": "-abs(x')*y'"}, None),
    ],
)
def test_rest_under_quadratic_drag(forces, stable):
    model = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - x^2 - y^2", forces=forces)
    (rest,) = ch.equilibria(model)
    assert rest.stable is stable
    assert stable is None or "forces never raise" in rest.reason


X, Y = symbol("x"), symbol("y")
LEAVES = st.sampled_from([X, Y, number(0), number(2), number(-3), number(Fraction(1, 2))])
GRAPHS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda a, b: mul(a, b), inner, inner),
        st.builds(lambda a, b: plus(a, b), inner, inner),
        st.builds(lambda a, b: sub(a, b), inner, inner),
        st.builds(neg, inner),
        st.builds(lambda a, n: power(a, number(n)), inner, st.sampled_from([2, 3, 4])),
        st.builds(lambda a, f: call(f, a), inner, st.sampled_from(["abs", "exp", "cosh", "sin"])),
        st.builds(lambda a: div(a, plus(number(1), power(X, number(2)))), inner),
    ),
    max_leaves=12,
)


@settings(max_examples=examples(150))
@given(GRAPHS, st.lists(st.tuples(*[st.floats(-2, 2)] * 2), min_size=8, max_size=8))
def test_the_sign_of_a_shape_is_that_of_its_values(expr, places):
    sign = sign_by_shape(expr)
    for x, y in places if sign is not None else ():
        value = float(evaluate([expr], {("x", 0): x, ("y", 0): y})[0])
        if np.isfinite(value):
            assert value == 0.0 if sign == 0 else sign * value >= 0.0
