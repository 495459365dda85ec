"""Constraints affine in the velocities: coefficients against the number engine."""

import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import InitialDataError
from chetaev.expr.graph.affine_forms import affine_forms
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.model import gallery
from chetaev.model.states.kinematics import Functions, Kinematics

SCOPE = Scope.of(coordinates=["x", "y"], parameters=["a"])
VALUES = {("x", 0): 0.3, ("y", 0): -1.2, ("a", 0): 2.0, ("t", 0): 0.7}


@pytest.mark.parametrize(
    ("text", "slopes", "rest"),
    [
        ("x' - a*y'", [1, -2], 0),
        ("(x' + y'*a)/a - (2*x' - t)*3", [-5.5, 1], 2.1),
        ("a*(1 + x'*sin(y) - -x')", [2 * (1 + np.sin(-1.2)), 0], 2),
        ("x^2 + a", [0, 0], 2.09),
        ("x'*y^-2 + max(x, y)*y'", [1.2**-2, 0.3], 0),
    ],
)
def test_coefficients(text, slopes, rest):
    matrix, constant = affine_forms([parse(text, SCOPE)], ["x", "y"], VALUES)
    np.testing.assert_allclose(matrix, [slopes], rtol=1e-15)
    np.testing.assert_allclose(constant, [rest], rtol=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "x'*y'",
        "x'^2",
        "x'^1",
        "a/x'",
        "a^y'",
        "sin(x')",
        "abs(x')",
        "x'/(x - x)",
        "x' + sqrt(y)",
        "log(y)*x'",
    ],
)
def test_what_is_not_affine_or_not_finite_is_declined(text):
    assert affine_forms([parse(text, SCOPE)], ["x", "y"], VALUES) is None


@pytest.mark.few(37, 7)
@pytest.mark.parametrize("name", gallery.names())
def test_the_gallery_has_the_same_kinematics_either_way(name):
    system = ch.load(name)
    fields, parameters = system, system.parameter_values
    rng = np.random.default_rng(1)
    n = len(system.coordinates)
    fast, thorough = Kinematics(fields, parameters), Functions(fields, parameters)
    for _ in range(3):
        q, v = rng.uniform(0.1, 1, n), rng.normal(size=n)
        if fast._forms(0.3, q) is not None:
            assert thorough.linear
        for a, b in zip(fast.velocity(0.3, q, v), thorough.velocity(0.3, q, v), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(fast.rows(0.3, q, v), thorough.rows(0.3, q, v), rtol=1e-13, atol=1e-13)


def test_errors_are_those_of_the_engine():
    """Where a coefficient is not finite, the error still names the constraint."""
    with pytest.raises(InitialDataError, match="finite"):
        ch.System(
            coordinates=["x", "y"],
            lagrangian="x'^2 + y'^2",
            constraints=["x'*log(x) = y'"],
            initial={"x": 0, "y": 0, "x_dot": 1},
        )
