"""Fundamental forms: closed, exact, and the Lagrangian of one (D4); fields with several parameters (D8)."""

from __future__ import annotations

import mpmath
import pytest

import chetaev as ch
from chetaev.equations.forms.first_variation import FundamentalForm, field_equations
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.language.parser import parse
from chetaev.geometry import JetChart
from chetaev.variation.first_variation import constrained_first_variation, first_variation
from formulas import formula


def form(F, Pi=None, names=(), **options):
    """φ by coordinate; what is left out is 0."""
    names = sorted({*F, *(Pi or {}), *names})
    system = ch.System(coordinates=names, lagrangian=" + ".join(f"{c}'^2" for c in names), **options)
    F, Pi = ([parse(part.get(c, "0"), system.scope) for c in names] for part in (F, Pi or {}))
    return FundamentalForm(system, tuple(F), tuple(Pi))


ANGLE = {"x": "-y/(x^2 + y^2)", "y": "x/(x^2 + y^2)"}


@pytest.mark.parametrize(
    ("F", "Pi", "closed", "exact"),
    [
        ({"x": "-x"}, {"x": "x'"}, True, True),
        ({"x": "-x/(1 + x^2)"}, {"x": "x'/sqrt(1 + x'^2)"}, True, True),
        ({"x": "exp(x)*t", "y": "cos(y)"}, {"x": "x'^3"}, True, True),
        ({"x": "k/(k^2 + 1)*x"}, {"x": "x'"}, True, True),
        (ANGLE, {}, True, None),
        ({"x": "1/x"}, {"x": "x'"}, True, None),
        ({"x": "log(x)"}, {"x": "x'"}, True, None),
        ({"x": "tan(x)"}, {"x": "x'"}, True, None),
        ({"x": "y"}, {"x": "x'"}, False, False),
        ({"x": "-x - x'/5"}, {"x": "x'"}, False, False),
        ({}, {"x": "y'", "y": "-x'"}, False, False),
    ],
)
def test_D4_closed_is_one_thing_and_exact_another(F, Pi, closed, exact):
    found = form(F, Pi, ("x", "y"), parameters={"k": 2}).exactness()
    assert (found.closed, found.exact) == (closed, exact)
    assert found.proved
    words = str(found)
    assert ("not closed" in words) is (closed is False)
    assert ("a Lagrangian exists" in words) is (exact is True)
    assert "there is no Lagrangian" not in words


def test_D4_the_damped_oscillator_has_a_lagrangian_after_multiplication():
    """ "As it stands": exp(t/5) times the equation comes from exp(t/5) (x'² − x²)/2."""
    damped = form({"x": "-x - x'/5"}, {"x": "x'"}).exactness()
    assert damped.exact is False
    assert "as it stands" in str(damped)
    assert form({"x": "-x*exp(t/5)"}, {"x": "x'*exp(t/5)"}).exactness().exact
    a = form({"x": "-x*exp(t/5)"}, {"x": "x'*exp(t/5)"})
    law = ch.equations(ch.System(coordinates=["x"], lagrangian="exp(t/5)*(x'^2 - x^2)/2"), "first-variation")
    point = {"t": 1, "x": 2, "x_dot": 3}
    assert abs(law.evaluate(point)[0][0] - (-2 - mpmath.mpf(3) / 5)) < 1e-14
    assert a.lagrangian_value(point) == pytest.approx(float(mpmath.exp(0.2)) * (9 - 4) / 2)


@pytest.mark.parametrize(
    ("F", "Pi", "L"),
    [
        ({"x": "1/x", "y": "0"}, {"x": "x'"}, lambda x, y, v, w: mpmath.log(x) + v**2 / 2),
        (ANGLE, {"y": "cos(y')"}, lambda x, y, v, w: mpmath.atan2(y, x) + mpmath.sin(w)),
        ({"x": "y'/sqrt(x)/2", "y": "0"}, {"y": "sqrt(x)"}, lambda x, y, v, w: mpmath.sqrt(x) * w),
        ({"x": "y*exp(x*y)", "y": "x*exp(x*y)"}, {}, lambda x, y, v, w: mpmath.exp(x * y)),
    ],
)
def test_D4_values_of_the_lagrangian_from_a_start_in_the_domain(F, Pi, L):
    start, end = (1, mpmath.mpf("0.5"), 2, -1), (2, 3, mpmath.mpf("0.25"), 1)
    names = ("x", "y", "x_dot", "y_dot")
    phi = form(F, Pi, ("x", "y"))
    found = phi.lagrangian_value(
        dict(zip(names, end, strict=True)), start=dict(zip(names, start, strict=True))
    )
    with mpmath.workdps(30):
        assert abs(found - (L(*end) - L(*start))) < mpmath.mpf(10) ** -25


@pytest.mark.parametrize(
    ("F", "point", "start"),
    [
        ({"x": "1/x"}, {"x": 2}, None),
        ({"x": "1/x"}, {"x": 2}, {"x": -1}),
        ({"x": "1/(x - 1)^2"}, {"x": 3}, None),
        ({"x": "log(x)"}, {"x": 2}, None),
        ({"x": "1/(x^2 - 2)"}, {"x": 3}, {"x": 0}),
        (ANGLE, {"x": 1, "y": 0}, {"x": -1, "y": 0}),
    ],
)
def test_D4_no_value_across_a_place_where_the_form_is_not_defined(F, point, start):
    phi = form(F)
    full = {f"{n}{d}": point.get(n, 0) if not d else 0 for n in F for d in ("", "_dot")}
    with pytest.raises(ModelError, match="not shown to be defined on the whole segment"):
        phi.lagrangian_value(full, start=start)


def test_D4_no_value_of_a_form_that_is_not_closed():
    with pytest.raises(ModelError, match="not closed"):
        form({"x": "y", "y": "0"}).lagrangian_value({"x": 1, "y": 1, "x_dot": 0, "y_dot": 0})
    with pytest.raises(ModelError, match="no value for x', y"):
        form({"x": "y", "y": "x"}).lagrangian_value({"x": 1})


# --- names that a formula does not have ----------------------------------------------------------------


def test_K8_unknown_names_of_a_variation_are_refused():
    s = ch.System(coordinates=["x", "y"], lagrangian="x'^2/2 + y'^2/2")
    curve = {"x": "t", "y": "t^2"}
    with pytest.raises(ModelError, match="component for 'X'"):
        first_variation(s, curve, {"X": "1"}, (0, 1))
    with pytest.raises(ModelError, match="'z' is"):
        first_variation(s, {**curve, "z": "t"}, {"x": "1"}, (0, 1))
    with pytest.raises(ModelError, match="component for 'X'"):
        constrained_first_variation(s, curve, {"X": "1"}, {}, (0, 1))
    with pytest.raises(ModelError, match="component for 'X'"):
        constrained_first_variation(s, curve, {}, {"X": "1"}, (0, 1))


def test_D8_second_derivatives_have_names_of_their_own():
    """Parameters x and xx: u_xx is ∂u/∂xx, the second derivative by x is u_x_x."""
    found = field_equations(["x", "xx"], ["u"], {"u": "u"}, {("u", "x"): "u_x^2/2", ("u", "xx"): "u_xx*u_x"})
    values = {"u": 2, "u_x": 3, "u_xx": 5, "u_x_x": 7, "u_x_xx": 11, "u_xx_xx": 13}
    assert float(evaluate(found, values)[0]) == 2 - 3 * 7 - (13 * 3 + 5 * 11)


@pytest.mark.parametrize(
    ("parameters", "fields", "constants"),
    [
        (["x"], ["u", "u_x"], []),
        (["x", "x"], ["u"], []),
        (["x"], ["u"], ["u_x"]),
        (["x_y", "y"], ["u", "u_x"], []),
        (["x"], ["x"], []),
    ],
)
def test_D8_names_with_two_meanings_are_refused(parameters, fields, constants):
    with pytest.raises(ModelError, match="two meanings"):
        field_equations(parameters, fields, {}, {}, constants)


@pytest.mark.parametrize("order", [3, 4, 6])
def test_K1_jets_of_higher_order_read_their_coordinates(order):
    J = JetChart(["x", "y"], order=order)
    name = "x" + "'" * order
    assert J(name) == J.q(order)[0]
    assert J(f"y*{name}^2").diff(("x", order)) == 2 * J("y") * J(name)
    assert J.at_order(order - 1).total_derivative("x" + "'" * (order - 1)) == J(name)
    assert J(name) == formula(name)
    with pytest.raises(ModelError):
        J("x" + "'" * (order + 1))
