"""Killing algebras of known dimension (L3): spaces of constant curvature, products, homogeneous metrics."""

from __future__ import annotations

import pytest

import chetaev as ch
from portions import some

W1 = "(psi'*sin(theta)*sin(phi) + theta'*cos(phi))"
W2 = "(psi'*sin(theta)*cos(phi) - theta'*sin(phi))"
W3 = "(psi'*cos(theta) + phi')"
SPHERE = "theta'^2 + sin(theta)^2*phi'^2"
SPACES: list[tuple[str, str, int]] = [
    ("theta phi psi", "theta'^2 + phi'^2 + psi'^2 + 2*cos(theta)*phi'*psi'", 6),  # S³ in Euler's angles
    ("x y", "exp(2*x)*(x'^2 + y'^2)", 3),  # the plane by log z
    ("theta phi", SPHERE, 3),
    ("theta phi", f"5*({SPHERE})", 3),
    ("theta phi z", f"{SPHERE} + z'^2", 4),
    ("theta phi z", f"{SPHERE} + 3*z'^2", 4),
    ("x y", "(x'^2 + y'^2)/y^2", 3),  # the hyperbolic plane, three times
    ("x y", "x'^2 + exp(2*x)*y'^2", 3),
    ("x y", "4*(x'^2 + y'^2)/(1 - x^2 - y^2)^2", 3),
    ("x y z", "(x'^2 + y'^2)/y^2 + z'^2", 4),
    ("x y z", "(x'^2 + y'^2 + z'^2)/z^2", 6),
    ("x y", "(x'^2 + y'^2)/(1 + x^2 + y^2)^2", 3),  # the elliptic plane, twice
    ("x y", "(x'^2*(1 + y^2) + y'^2*(1 + x^2) - 2*x*y*x'*y')/(1 + x^2 + y^2)^2", 3),
    ("r phi", "r'^2 + r^2*phi'^2", 3),
    ("r phi z", "r'^2 + r^2*phi'^2 + z'^2", 6),
    ("x y", "2*x'^2 + 3*y'^2 + x'*y'", 3),
    ("x y z", "x'^2 + y'^2 + z'^2", 6),
    ("r phi", "r'^2 + (2 + cos(r))^2*phi'^2", 1),  # a torus of revolution
    ("x y", "(1 + x^2 + y^4)*(x'^2 + y'^2)", 0),
    ("x y", "(1 + x^2)*x'^2 + (2 + sin(x))*y'^2", 1),
    ("x y", "x'^2 + (1 + x^2)^3*y'^2", 1),
    ("x y z", "x'^2 + y'^2 + (z' - x*y')^2", 4),  # Heisenberg's group
    ("x y z", "x'^2 + 4*y'^2 + (z' - x*y')^2", 4),
    ("x y z", "exp(2*z)*x'^2 + exp(-2*z)*y'^2 + z'^2", 3),  # Sol
    ("x y z", "exp(2*z)*(x'^2 + y'^2) + z'^2", 6),
    ("theta phi psi", f"{W1}^2 + {W2}^2 + 3*{W3}^2", 4),  # a symmetric top, and one that is not
    ("theta phi psi", f"{W1}^2 + 2*{W2}^2 + 3*{W3}^2", 3),
    ("theta phi psi", f"{W1}^2 + {W2}^2 + {W3}^2", 6),
    ("u v", "(1 + u^2 + 4*v^2)*(u'^2 + v'^2)", 0),
    ("u v", "(u^2 + v^2)*(u'^2 + v'^2)", 3),  # the plane in parabolic coordinates
    ("x y theta phi psi", "x'^2 + y'^2 + theta'^2 + phi'^2 + psi'^2 + 2*cos(theta)*phi'*psi'", 9),  # R² × S³
    ("x y theta phi", f"2*x'^2 + 3*y'^2 + {SPHERE}", 6),
    ("x y u v", "(x'^2 + y'^2)/y^2 + exp(2*u)*(u'^2 + v'^2)", 6),
]


@pytest.mark.parametrize("case", some(range(len(SPACES)), 6))
def test_L3_killing_algebras_of_known_dimension(case: int) -> None:
    names, line_element, dimension = SPACES[case]
    found = ch.killing(ch.System(coordinates=names.split(), lagrangian=f"({line_element})/2"))
    assert len(found) <= dimension <= found.bound
    assert len(found) == dimension, str(found)
    assert all(one.metric.holds for one in found)
