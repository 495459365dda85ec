"""Euler–Lagrange forms, equivalent Lagrangians (K6), and 1-forms along ρ (Sa4), by their definitions."""

from __future__ import annotations

import pytest
import sympy

from chetaev.expr.graph.evaluate import evaluate
from chetaev.geometry import (
    AlongRho,
    GeometryError,
    JetChart,
    MixedSpace,
    are_equivalent,
    euler_lagrange_form,
    lepage_equivalent,
)

LAGRANGIANS = ["x'^2*sin(y) + x*y'^3 - t*x*y", "exp(x')*y + t*x'*y' + x^2*y'", "x'^2*y'^2/(1 + x^2)"]


@pytest.mark.parametrize("text", LAGRANGIANS)
def test_K6_the_euler_lagrange_form_against_sympy(text):
    """E_σ = ∂L/∂q^σ − d/dt ∂L/∂v^σ on a curve, d/dt taken by SymPy."""
    t, x, y, u, v = sympy.symbols("t x y u v")
    curve = {x: sympy.sin(t) + t / 3, y: sympy.exp(t / 2)}
    curve |= {u: curve[x].diff(t), v: curve[y].diff(t)}
    L = sympy.sympify(text.replace("x'", "u").replace("y'", "v").replace("^", "**"))
    E = euler_lagrange_form(JetChart(["x", "y"], order=1), text)
    point = {"t": 0.7}
    for name, q, w in (("x", x, u), ("y", y, v)):
        jets = (curve[q], curve[w], curve[w].diff(t))
        point |= {name + "'" * k: float(e.subs(t, 0.7)) for k, e in enumerate(jets)}
    for q, w, found in zip((x, y), (u, v), E.components, strict=True):
        expected = L.diff(q).subs(curve) - L.diff(w).subs(curve).diff(t)
        assert evaluate([found.to_expr()], point)[0] == pytest.approx(float(expected.subs(t, 0.7)))


@pytest.mark.parametrize("text", LAGRANGIANS)
def test_K6_equivalent_lagrangians_differ_by_a_derivative(text):
    J = JetChart(["x", "y"], order=1)
    null = J.at_order(0).total_derivative("sin(x*y) + t^2*x + y^3")
    L = J(text)
    assert are_equivalent(J, L, L + J(null)) is True
    assert are_equivalent(J, L, L + J("x'^2")) is False
    assert are_equivalent(J, L, L + J("t*x'")) is False
    assert lepage_equivalent(J, L).d().d().is_zero


def test_Sa4_one_forms_are_horizontal_and_vertical_lifts_in_one_way():
    space = MixedSpace(["x", "y"], ["z"], {"z": "x'*y' + t*y*x'"}, parameters=["k"])
    chart = space.chart
    gamma = space.second_order_field(["-k*x*y'", "x'^2 + z"])
    form = chart("y") * chart.d("x'") + chart("x'") * chart.d("z") + chart("t*z") * chart.d("t")
    form = form + chart("k*x") * chart.d("y'") + chart("y'") * chart.d("x")
    alpha, bar = space.decompose_form(gamma, form)
    assert (space.horizontal_form(alpha) + space.vertical_form(gamma, bar) - form).is_zero
    field = AlongRho(chart("x"), (chart("y"), chart("z")), (chart("t"),))
    other = AlongRho(chart("0"), (chart("x*y"), chart("k")), (chart("0"),))
    Z = space.horizontal_lift(gamma, field) + space.vertical_lift(other)
    paired = alpha.time * field.time + alpha.dependent[0] * field.dependent[0]
    lifts = (alpha.independent, field.independent, bar.independent, other.independent)
    for a, x, b, y in zip(*lifts, strict=True):
        paired = paired + a * x + b * y
    assert form(Z) == paired
    assert space.horizontal_form(alpha)(space.vertical_lift(other)).is_zero
    assert space.vertical_form(gamma, bar)(space.horizontal_lift(gamma, field)).is_zero
    with pytest.raises(GeometryError, match="1-form"):
        space.decompose_form(gamma, form.d())
