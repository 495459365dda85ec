"""Equilibria that are not isolated, that follow several parameters, or that a search finds (M6)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.node import postorder
from formulas import any_order, formula, formulas

LORENZ = """
name = "Lorenz"
coordinates = ["x", "y", "z"]
[parameters]
r = 14
s = 10
b = "8/3"
[dynamics]
velocities = {x = "s*(y - x)", y = "x*(r - z) - y", z = "x*y - b*z"}
"""


@pytest.mark.slow
def test_a_family_is_given_by_functions_of_what_numbers_its_members() -> None:
    ring = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2 - a)^2", parameters={"a": 1}
    )
    centre, left, right = ch.equilibria(ring)
    assert centre.isolated
    assert [e.exact["x"] for e in (left, right)] == formulas(["-sqrt(a - y^2)", "sqrt(a - y^2)"])
    assert left.free == right.free == ("y",)
    assert left.cut == ()
    assert "(at y = 0.333333)" in left.reason
    tilted = ch.equilibria(ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x - 2*y)^2"))
    assert [(e.exact["x"], e.free) for e in tilted] == [(formula("2*y"), ("y",))]


@pytest.mark.slow
def test_a_member_of_a_family_that_was_not_solved_is_not_said_to_be_all_of_it() -> None:
    """x = -0.17 is an equilibrium at z = 1/3 only: the equations are of third degree."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - x^2 - y^2 - z*x",
        constraints=["z' = (x*y' - y*x')/2"],
    )
    (member,) = ch.equilibria(system)
    assert member.cut == ("z",)
    assert member.to_json()["cut"] == ["z"]
    assert member.exact["z"] == formula("1/3")
    assert member.where.endswith("one of a family along z")
    x, y, z = (member.state[n] for n in "xyz")
    force, row = np.array([-2 * x - z, -2 * y, -x]), np.array([y / 2, -x / 2, 1])
    assert np.abs(np.cross(force, row)).max() < 1e-12


@pytest.mark.slow
def test_several_unknowns_follow_the_parameters_and_the_criterion_is_Lorenz_own() -> None:
    """r < s (s + b + 3)/(s − b − 1): Lorenz, J. Atmos. Sci. 20 (1963), with (s, b) = (10, 8/3): 470/19."""
    origin, left, right = ch.equilibria(ch.loads(LORENZ))
    assert origin.criteria.conditions[0] == formula("1 - r", factor="positive")
    assert right.exact["z"] == formula("r - 1")
    assert right.criteria.conditions == any_order(
        "s^2 - s*r + s*b + r*b + 3*s + r", "r - 1", factor="positive"
    )
    for r, stable in ((24.7, True), (24.8, False)):
        again = ch.equilibria(ch.loads(LORENZ).with_parameters(r=r))
        assert [e.stable for e in again] == [False, stable, stable]
    assert left.stable is right.stable is True


def test_roots_of_quadratic_equations_follow_the_parameters() -> None:
    well = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - x^3/3 - a*x^2/2 + b*x", parameters={"a": 1, "b": 2}
    )
    assert [(e.exact["x"], e.stable) for e in ch.equilibria(well)] == formulas(
        [("-a/2 - sqrt((a^2 + 4*b)/4)", False), ("-a/2 + sqrt((a^2 + 4*b)/4)", True)]
    )
    turned = ch.System(
        coordinates=["q"],
        lagrangian="q'^2/2 - k*cos(2*q) + g*sin(q) - cos(q)^2*sin(q)",
        parameters={"k": 1, "g": 1},
    )
    found = ch.equilibria(turned)
    assert found.complete
    for e in found:
        angle = e.state["q"]
        force = 2 * math.sin(2 * angle) + math.cos(angle) + 2 * math.cos(angle) * math.sin(angle) ** 2
        assert abs(force - math.cos(angle) ** 3) < 1e-12
    roots = [
        {n.value if n.op == "symbol" else n.op for n in postorder(e.exact["q"])} for e in found if e.exact
    ]
    assert any({"asin", "sqrt", ("k", 0)} <= inside for inside in roots)


def test_a_coordinate_without_forces_does_not_hinder_the_search() -> None:
    slope = ch.equilibria(
        ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - exp(y) + y + y^2/9")
    )
    (only,) = [e for e in slope if abs(e.state["y"]) < 1]
    assert only.free == ("x",)
    assert only.stable is True


@pytest.mark.slow
def test_what_occurs_outside_of_sines_is_no_angle_and_half_angles_turn_twice() -> None:
    spring = ch.equilibria(ch.System(coordinates=["a"], lagrangian="a'^2/2 + 5*cos(a) - a^2/8"))
    assert np.allclose(sorted(e.state["a"] for e in spring), [-3.307743219, 0, 3.307743219])
    twice = ch.equilibria(
        ch.System(coordinates=["a"], lagrangian="a'^2/2 + cos(a) + exp(cos(a/2))/2"), box={"a": (-6.5, 6.5)}
    )
    assert any(math.isclose(abs(e.state["a"]), 2 * math.pi) for e in twice)


def test_an_exact_matrix_that_cannot_be_written_is_left_to_doubles() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="(1 + exp(x))*x'^2/2 + y'^2/2 - exp(y) + y*x + 3*y")
    at = {"x": 0.123456789012345, "y": -0.234567890123456, "x'": 0.345678901234567, "y'": 0.456789012345678}
    found = ch.linearize(system, at=at)
    x, v = at["x"], at["x'"]
    slope = -math.exp(x) * v / (1 + math.exp(x))  # of −e^x x'^2/2/(1 + e^x) + y/(1 + e^x) by x'
    assert math.isclose(float(found.A.sel(state="x_dot", by="x_dot")), slope, rel_tol=1e-12)
    assert len(found.states) == 4


def test_exponentials_and_signs_are_algebra_too() -> None:
    """A ring of three with Toda's forces in a well, and what grows for ever; |x| has a kink."""
    toda = ch.equilibria(
        ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - exp(x - y) - exp(y) - exp(-x)")
    )
    assert toda.complete
    assert [(e.state["x"], e.state["y"], e.stable) for e in toda] == [(0, 0, True)]
    assert ch.equilibria(ch.System(coordinates=["x"], lagrangian="x'^2/2 - exp(x)")).complete is True
    (three,) = ch.equilibria(ch.System(coordinates=["x"], lagrangian="x'^2/2 - exp(2*x) + 6*x"))
    assert math.isclose(three.state["x"], math.log(3) / 2)
    kink = ch.equilibria(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2 + abs(x)"))
    assert [(e.state["x"], e.stable) for e in kink] == [(-1, True), (1, True)]
    assert kink.complete is None  # x = 0 is one, too
    assert "kink" in kink.searched


NO_POLYNOMIALS = {
    "a potential of the angle": ("cos(x) + y^4 + z^4 + x*z/5", "z' = x*y'", "z"),
    "wells": ("-cos(x) + y^4 + y^2 + z^2 + x*z/5 + x^2/9", "z' = x*y'", "z"),
    "a skate": ("x^2 + cos(y) + z^2/2 + y*z/3", "x'*cos(z) + y'*sin(z) = 0", "z"),
    "along x alone": ("x^2 + cosh(y) + z^2/2", "x'*cos(z) + y'*sin(z) = 0", "x"),
}


@pytest.mark.parametrize("case", NO_POLYNOMIALS)
def test_families_are_cut_where_equations_are_no_polynomials_M6(case: str) -> None:
    """k constraints leave k-dimensional families at rest; those of other equations are cut, too."""
    V, constraint, along = NO_POLYNOMIALS[case]
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=f"(x'^2 + 2*y'^2 + z'^2)/2 - ({V})",
        constraints=[constraint],
        forces={c: f"-{c}'" for c in "xyz"},
    )
    found = ch.equilibria(system)
    assert found
    assert found.complete is None
    assert f"families along {along} were cut" in found.searched
    acceleration = ch.field(system)
    for e in found:
        assert e.free == (along,)
        assert acceleration(0.0, [e.state[c] for c in "xyz"], [0, 0, 0]) == pytest.approx([0, 0, 0], abs=1e-9)
        # the others are functions of it: the family has one zero among its eigenvalues
        assert (abs(e.eigenvalues) < 1e-9).sum() >= 1
        assert e.stable is bool(e.eigenvalues.real.max() < 1e-9)
