"""Systems of the textbooks, and the integrals that they are known to have (K10, K22): all are found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import chetaev as ch
from chetaev.expr.language.parser import parse
from chetaev.laws.law import Law
from chetaev.laws.search.independence import is_new
from formulas import any_order


def system(coordinates: str, lagrangian: str, *constraints: str, **more: Any) -> ch.System:
    return ch.System(
        coordinates=coordinates.split(), lagrangian=lagrangian, constraints=list(constraints), **more
    )


ONE, TWO = "(theta'*cos(psi) + phi'*sin(theta)*sin(psi))", "(theta'*sin(psi) - phi'*sin(theta)*cos(psi))"
THREE = "(psi' + phi'*cos(theta))"
"""Angular velocities in the body, in Euler's angles; the second with its sign changed."""
SPHERE = ch.System(
    coordinates=["x", "y", "z"],
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + 2*y^2 + 4*z^2)/2",
    constraints={"position": ["x^2 + y^2 + z^2 = 1"]},
)

KNOWN: dict[str, tuple[ch.System, list[str]]] = {
    "Kepler in space": (
        system("x y z", "(x'^2 + y'^2 + z'^2)/2 + k/sqrt(x^2 + y^2 + z^2)", parameters={"k": 2}),
        ["x*y' - y*x'", "y*z' - z*y'", "z*x' - x*z'",
         "y'*(x*y' - y*x') - z'*(z*x' - x*z') - k*x/sqrt(x^2 + y^2 + z^2)"],
    ),
    "Kepler in polar coordinates": (
        system("r phi", "(r'^2 + r^2*phi'^2)/2 + k/r", parameters={"k": 1}),
        ["r^2*phi'", "r^3*phi'^2*cos(phi) + r^2*r'*phi'*sin(phi) - k*cos(phi)"],
    ),
    "isotropic oscillator": (
        system("x y", "(x'^2 + y'^2)/2 - k*(x^2 + y^2)/2", parameters={"k": 2}),
        ["x*y' - y*x'", "x'*y' + k*x*y", "x'^2 + k*x^2", "x'*cos(t*sqrt(k)) + x*sqrt(k)*sin(t*sqrt(k))"],
    ),
    "Neumann": (SPHERE, ["x^2 - (x*y' - y*x')^2 - (x*z' - z*x')^2/3"]),
    "Euler's top": (
        system("phi theta psi", f"(A*{ONE}^2 + B*{TWO}^2 + C*{THREE}^2)/2",
               parameters={"A": 1, "B": 2, "C": 3}),
        [f"A^2*{ONE}^2 + B^2*{TWO}^2 + C^2*{THREE}^2"],
    ),
    "charge in a uniform magnetic field": (
        system("x y z", "(x'^2 + y'^2 + z'^2)/2 + B*(x*y' - y*x')/2", parameters={"B": 2}),
        ["x' - B*y", "y' + B*x", "z'", "t*z' - z", "x'*cos(B*t) - y'*sin(B*t)"],
    ),
    "constant speed": (
        system("x y", "(x'^2 + y'^2)/2 - g*y", "x'^2 + y'^2 = v0^2", parameters={"g": 1, "v0": 2}),
        ["x'*exp(-y*g/v0^2)"],
    ),
    "free particle on a rotating table": (
        system("x y", "((x' - W*y)^2 + (y' + W*x)^2)/2", parameters={"W": 2}),
        ["(x' - W*y)^2 + (y' + W*x)^2", "x*(y' + W*x) - y*(x' - W*y)",
         "(x' - W*y)*cos(W*t) - (y' + W*x)*sin(W*t)"],
    ),
    "growing mass": (
        system("x y", "exp(l*t)*(x'^2 + y'^2)/2 - exp(l*t)*y", parameters={"l": 1}),
        ["exp(l*t)*x'", "x + x'/l"],
    ),
    "sleigh": (
        system("x y phi", "(x'^2 + y'^2 + phi'^2)/2", "y'*cos(phi) = x'*sin(phi)"),
        ["phi'", "x'*cos(phi) + y'*sin(phi)", "x*phi' - y'", "y*phi' + x'", "t*phi' - phi"],
    ),
    "knife edge on an incline": (
        system("x y phi", "(x'^2 + y'^2 + phi'^2)/2 + g*x", "y'*cos(phi) = x'*sin(phi)", parameters={"g": 1}),
        ["phi'", "t*phi' - phi", "2*x*phi'^2 - 2*y'*phi' + g*sin(phi)^2"],
    ),
    "heavy nonholonomic particle": (
        system("x y z", "(x'^2 + y'^2 + z'^2)/2 - z", "z' = y*x'"),
        ["y'", "sqrt(y^2 + 1)*(x'*y' + 1)"],
    ),
    "nonholonomic oscillator": (
        system("x y z", "(x'^2 + y'^2 + z'^2)/2 - y^2/2", "z' = y*x'"),
        ["x'*sqrt(1 + y^2)", "y'*cos(t) + y*sin(t)"],
    ),
    "quadratic friction": (
        system("x", "x'^2/2", forces={"x": "-c*x'^2"}, parameters={"c": 1}),
        ["x'*exp(c*x)"],
    ),
    "falling with friction": (
        system("x y", "(x'^2 + y'^2)/2 - g*y", forces={"x": "-c*x'", "y": "-c*y'"},
               parameters={"c": 1, "g": 2}),
        ["x' + c*x", "y' + c*y + g*t", "x'*exp(c*t)"],
    ),
    "cone with a third of the angle": (
        system("r phi", "(r'^2 + r^2*phi'^2/9)/2"),
        ["r'*cos(phi/3) - r*phi'/3*sin(phi/3)"],
    ),
    "Lagrange's top": (
        system("phi theta psi", f"(theta'^2 + phi'^2*sin(theta)^2)/2 + C*{THREE}^2/2 - k*cos(theta)",
               parameters={"C": 2, "k": 1}),
        [THREE, f"phi'*sin(theta)^2 + C*{THREE}*cos(theta)"],
    ),
    "Calogero": (system("x y", "(x'^2 + y'^2)/2 - 1/(x - y)^2"), ["x' + y'", "t*(x' + y') - x - y"]),
    "Emden": (system("x", "t^2*(x'^2/2 - x^6/6)"), ["t^3*x'^2 + t^2*x*x' + t^3*x^6/3"]),
    "integrable constraint": (system("x y z", "(x'^2 + y'^2 + z'^2)/2", "z' = y*x' + x*y'"), ["z - x*y"]),
    "Suslov": (
        system("phi theta psi", f"({ONE}^2 + 2*{TWO}^2 + 3*{THREE}^2)/2", f"{THREE} = 0"),
        [ONE, TWO],
    ),
    "constraint in the time": (system("x y", "(x'^2 + y'^2)/2", "y' = t*x'"), ["x'*sqrt(1 + t^2)"]),
}  # fmt: skip

RATIONAL = {
    "three species": ({"x": "x*(y - z)", "y": "y*(z - x)", "z": "z*(x - y)"}, ["x*y*z", "x + y + z"]),
    "two rates": ({"x": "2*x", "y": "3*y"}, ["x*exp(-2*t)", "y^2/x^3"]),
    "circles": ({"x": "x^2 - y^2", "y": "2*x*y"}, ["(x^2 + y^2)/y"]),
    "prey": ({"x": "x*(2 - y)", "y": "y*(x - 3)"}, ["x^3*y^2*exp(-x - y)"]),
    "lines": ({"x": "(x + y)*x", "y": "(x + y)*(y + 1)"}, ["x/(y + 1)"]),
}  # fmt: skip


def missed(which: ch.System, laws: Sequence[Law], expected: Sequence[str]) -> list[str]:
    """What is no function of the laws."""
    known = [law.expression for law in laws]
    return [text for text in expected if is_new(which, parse(text, which.scope), known)]


FAST = ("Kepler in polar coordinates", "quadratic friction", "Emden")


@pytest.mark.parametrize("name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in KNOWN])
def test_K22_integrals_of_the_textbooks_are_found(name: str) -> None:
    which, expected = KNOWN[name]
    laws = ch.integrals(which)
    assert not missed(which, laws, expected), [str(law.expression) for law in laws]
    assert all(law.proof.proved for law in laws)
    for n, law in enumerate(laws):
        others = [other.expression for k, other in enumerate(laws) if k < n]
        assert is_new(which, law.expression, others), "laws are independent on Q"


@pytest.mark.slow
def test_K22_an_integral_of_degree_three() -> None:
    toda = system("x y z", "(x'^2 + y'^2 + z'^2)/2 - exp(x - y) - exp(y - z)")
    laws = ch.integrals(toda, degree=3)
    assert not missed(toda, laws, ["x'*y'*z' - x'*exp(y - z) - z'*exp(x - y)"])


@pytest.mark.parametrize(
    "name", [n if n == "lines" else pytest.param(n, marks=pytest.mark.slow) for n in RATIONAL]
)
def test_K22_darboux_functions_give_quotients_and_products(name: str) -> None:
    velocities, expected = RATIONAL[name]
    which = ch.System(
        coordinates=[*velocities, "s"],
        dynamics={"accelerations": {"s": "s'^3 - s^2"}, "velocities": velocities},
    )
    laws = ch.integrals(which, rational=True, effort=600_000)
    assert not missed(which, laws, expected), [str(law.expression) for law in laws]
    assert all(law.proof.proved for law in laws)


@pytest.mark.slow
@pytest.mark.parametrize("lagrangian", ["(x'^2 + y'^2)/2 - x^4*y^2 - exp(x*y)", "x'^2/2 + cos(x) + y'^2*x^2"])
def test_K22_nothing_but_what_is_there_is_found_by_quotients(lagrangian: str) -> None:
    which = system("x y", lagrangian)
    laws = ch.integrals(which, rational=True, effort=600_000)
    assert all(law.proof.proved for law in laws)
    assert len(laws) <= 2


def test_where_a_law_is_undefined_is_said_without_parameters_and_powers() -> None:
    which = system("x y", "(x'^2 + y'^2)/2 + k/sqrt(x^2 + y^2)", parameters={"k": 2})
    laws = ch.integrals(which, {"F": "x'/(k*(x - y)^2)"}, effort=300_000)
    said = {law.undefined.removeprefix("not defined where ") for law in laws if law.undefined}
    assert said == any_order("x^2 + y^2 = 0")
