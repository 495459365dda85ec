"""Equations from the first variation (D4, D8), and first variation formulas on curves (K8, K21)."""

from __future__ import annotations

import pytest
import sympy
from mpmath import mp
from sympy.calculus.euler import euler_equations

import chetaev as ch
from chetaev.equations.forms import chetaev, first_variation
from chetaev.equations.forms.first_variation import FundamentalForm, field_equations
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.language.sympy_bridge import to_sympy
from chetaev.model.states.points import random_points
from chetaev.variation.first_variation import Curve, constrained_first_variation
from chetaev.variation.first_variation import first_variation as on_a_curve
from galleries import REACTING
from portions import some

MODELS = [n for n in REACTING if n != "acceleration-constraint"]


@pytest.mark.few(8, 3)
@pytest.mark.parametrize("name", some(MODELS, 3))
def test_D4_agrees_with_chetaev_on_the_gallery(name):
    system = ch.load(name)
    law, reference = first_variation.derive(system), chetaev.derive(system)
    for point in random_points(system, 2):
        a, b = law.evaluate(point)[0], reference.evaluate(point)[0]
        assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-40 * max([1, *map(abs, b)])


def test_D4_a_form_that_no_lagrangian_gives():
    """Π is not a gradient in v: the inertia ∂Π/∂v is not symmetric. Virtual work on δy = x δx decides."""
    form = {"F": ["-x - c*x'", "t"], "Pi": ["x' + c*y'", "2*y'"]}
    system = ch.System(
        coordinates=["x", "y"], constraints=["y' = x*x'"], parameters={"c": 3}, dynamics={"form": form}
    )
    assert FundamentalForm.of(system).exactness().exact is False
    law = first_variation.derive(system)
    point = next(random_points(system, 1))
    t, x, v = point["t"], point["x", 0], point["x", 1]
    a = law.evaluate(point)[0]
    # (F_x − x'' − 3y'') + x (F_y − 2y'') = 0 with y'' = x x'' + x'²
    expected = (-x - 3 * v + x * t - (3 + 2 * x) * v**2) / (1 + 3 * x + 2 * x**2)
    assert abs(a[0] - expected) < 1e-45
    assert abs(a[1] - x * expected - v**2) < 1e-45


@pytest.mark.parametrize("name", ["rolling-disc", "damped-sleigh", "charged-particle-magnetic"])
def test_D4_phi_is_exact_exactly_without_forces_that_depend_on_velocities(name):
    system = ch.load(name)
    found = FundamentalForm.of(system).exactness()
    assert found.exact is (name != "damped-sleigh")
    assert found.proved
    assert ("a Lagrangian exists" in str(found)) is found.exact


def test_D4_the_homotopy_gives_the_lagrangian_back():
    system = ch.load("double-pendulum")
    phi = FundamentalForm.of(system)
    point = next(random_points(system, 1, digits=40))
    rest = point | {(c, order): mp.mpf(0) for c in system.coordinates for order in (0, 1)}
    L, L_0 = (evaluate_mp([system.lagrangian], p, 40)[0] for p in (point, rest))
    assert abs(phi.lagrangian_value(point) - (L - L_0)) < 1e-25


def test_D4_constraints_on_accelerations_are_refused():
    with pytest.raises(ModelError, match="not from those on accelerations"):
        first_variation.derive(ch.load("acceleration-constraint"))


# --- D8 ---------------------------------------------------------------------------------------------


def test_D8_field_equations_equal_those_of_sympy_when_a_density_exists():
    """L = u_t²/2 − (1 + u²) u_x²/2 − cos(u x) u_t: F = ∂L/∂u, Π^a = ∂L/∂u_a."""
    t, x = sympy.symbols("t x", real=True)
    u = sympy.Function("u")(t, x)
    L = u.diff(t) ** 2 / 2 - (1 + u**2) * u.diff(x) ** 2 / 2 - sympy.cos(u * x) * u.diff(t)
    expected = euler_equations(L, [u], [t, x])[0].lhs
    found = field_equations(
        ["t", "x"],
        ["u"],
        {"u": "-u*u_x^2 + x*sin(u*x)*u_t"},
        {("u", "t"): "u_t - cos(u*x)", ("u", "x"): "-(1 + u^2)*u_x"},
    )[0]
    names = {u.diff(t, 2): "u_tt", u.diff(t, x): "u_tx", u.diff(x, t): "u_tx", u.diff(x, 2): "u_xx",
             u.diff(t): "u_t", u.diff(x): "u_x", u: "u"}  # fmt: skip
    for derivative, name in names.items():
        expected = expected.subs(derivative, sympy.Symbol(name, real=True))
    assert sympy.simplify(to_sympy(found) - expected) == 0


def test_D8_stresses_that_come_from_no_density():
    """Two fields, with a Maxwell-like stress that is not a gradient: F_μ = ∂Π_μ^a/∂t^a."""
    found = field_equations(
        ["t", "x"],
        ["u", "w"],
        {"u": "-k*u_t"},
        {("u", "t"): "u_t", ("u", "x"): "-u_x + w*u_t", ("w", "t"): "w_t", ("w", "x"): "-2*w_x + u"},
        constants=["k"],
    )
    u_t, u_tt, u_tx, u_xx, w, w_x, k, w_tt, w_xx, u_x = sympy.symbols(
        "u_t u_tt u_tx u_xx w w_x k w_tt w_xx u_x", real=True
    )
    expected = [-k * u_t - u_tt + u_xx - w_x * u_t - w * u_tx, -w_tt + 2 * w_xx - u_x]
    assert [sympy.expand(to_sympy(e) - f) for e, f in zip(found, expected, strict=True)] == [0, 0]


def test_D8_one_parameter_gives_the_mechanical_equations():
    found = field_equations(["t"], ["x"], {"x": "-x^3"}, {("x", "t"): "x_t*(1 + x)"})[0]
    x, x_t, x_tt = sympy.symbols("x x_t x_tt", real=True)
    assert sympy.expand(to_sympy(found) - (-(x**3) - x_tt * (1 + x) - x_t**2)) == 0


def test_D8_components_for_unknown_fields_are_refused():
    with pytest.raises(ModelError, match="component for"):
        field_equations(["t"], ["u"], {"w": "1"}, {})
    with pytest.raises(ModelError, match="component for"):
        field_equations(["t"], ["u"], {}, {("u", "x"): "1"})


# --- K8, K21 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["double-pendulum", "charged-particle-magnetic"])
def test_K8_the_first_variation_formula_holds_on_a_curve(name):
    system = ch.load(name)
    curve = {c: f"sin(t + {i}) + t^2/{i + 2}" for i, c in enumerate(system.coordinates)}
    variation = {c: f"cos(t)*{c} + {i} + t" for i, c in enumerate(system.coordinates)}
    found = on_a_curve(system, curve, variation, (0, 1), time_variation="sin(2*t)")
    assert found.defect < 1e-25
    assert abs(found.interior) > 1e-3
    assert abs(found.boundary) > 1e-3


def test_K8_on_an_extremal_the_interior_term_vanishes():
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2")
    found = on_a_curve(system, {"x": "2*cos(t) + sin(t)"}, {"x": "t*x"}, (0, 2))
    assert abs(found.interior) < 1e-25
    assert abs(found.boundary) > 0.1


def independent(system):
    s = Setup(system)
    return [system.coordinates[i] for i in s.independent]


def test_K21_the_nonholonomic_formula_holds_on_a_curve_of_Q():
    """A curve of Q that is no motion, and a Chetaev field that is no prolongation."""
    system = ch.load("leibniz-particle")
    curve = {"x": "v0/2*sin(2*t)", "y": "v0/2*cos(2*t)", "z": "1"}
    Z, Z_velocity = {"y": "x*y' + t", "z": "1 + z"}, {"y": "cos(t)*z", "z": "y^2"}
    found = constrained_first_variation(
        system, curve, Z, Z_velocity, (0.1, 0.6), Z_time="t^2", dependent=["x"]
    )
    assert found.defect < 1e-25
    assert min(abs(found.variation), abs(found.interior), abs(found.boundary)) > 1e-3


@pytest.mark.parametrize(
    ("name", "curve"),
    [
        # s = g t/v0: z' = −v0 tanh s, (x', y') = v0 sech s (1, 2)/√5
        ("leibniz-particle", {"x": "v0^2/(g*sqrt(5))*2*atan(exp(g*t/v0))",
                              "y": "2*v0^2/(g*sqrt(5))*2*atan(exp(g*t/v0))",
                              "z": "-v0^2/g*log(cosh(g*t/v0))"}),
        ("particle-on-cone", {"x": "3*(t - g*b/(5*(1 + b^2))*t^2/2)", "y": "4*(t - g*b/(5*(1 + b^2))*t^2/2)",
                              "z": "5*b*(t - g*b/(5*(1 + b^2))*t^2/2)"}),
    ],
)  # fmt: skip
def test_K21_motions_are_constrained_extremals(name, curve):
    """Closed motions under nonlinear constraints: the interior term vanishes for every vertical Z."""
    system = ch.load(name)
    point = Curve(system, curve).point("0.2")
    a = chetaev.derive(system).evaluate(point)[0]
    assert max(abs(x - point[c, 2]) for c, x in zip("xyz", a, strict=True)) < 1e-45
    free = independent(system)
    Z = {free[0]: "x*y' + t", free[1]: "z'*cos(t)"}
    found = constrained_first_variation(system, curve, Z, {free[0]: "x"}, (0.1, 0.3))
    assert abs(found.interior) < 1e-24
    assert found.defect < 1e-24
    # for the Leibniz particle the momentum vanishes on virtual displacements, ∂L/∂v = m v = (m/2) ∂f/∂v
    assert (abs(found.variation) > 1e-3) == (name == "particle-on-cone")


def test_K21_a_curve_outside_the_chart_is_refused():
    curve = {"x": "v0*t", "y": "0", "z": "1"}
    with pytest.raises(ModelError, match="leaves the chart"):
        constrained_first_variation(
            ch.load("leibniz-particle"), curve, {"x": "t*z"}, {}, (0, 1), dependent=["z"]
        )


def test_K21_a_curve_outside_Q_is_refused():
    with pytest.raises(ModelError, match="does not satisfy the constraints"):
        constrained_first_variation(ch.load("semiholonomic-disc"), {"x": "t", "psi": "t"}, {}, {}, (0, 1))


def test_K21_variations_of_dependent_coordinates_follow():
    system = ch.load("semiholonomic-disc")
    dependent = next(c for c in system.coordinates if c not in independent(system))
    with pytest.raises(ModelError, match="components for the independent"):
        constrained_first_variation(system, {"x": "t*R", "psi": "t"}, {dependent: "1"}, {}, (0, 1))


def test_a_curve_says_what_every_coordinate_is():
    with pytest.raises(ModelError, match="does not say what 'psi' is"):
        Curve(ch.load("semiholonomic-disc"), {"x": "t"})
