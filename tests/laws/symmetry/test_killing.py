"""Killing fields (L3): spaces of constant curvature have all of them, and the bound says when there are no
more.
"""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.laws.standpoint import EVERY_VALUE
from chetaev.laws.symmetry.momentum_equation import momentum_equations
from formulas import any_order, formula, formulas

PLANE = (["x", "y"], "(x'^2 + y'^2)/2")
POLAR = (["r", "phi"], "(r'^2 + r^2*phi'^2)/2")
SPHERE = (["theta", "phi"], "(theta'^2 + sin(theta)^2*phi'^2)/2")
HALF_PLANE = (["x", "y"], "(x'^2 + y'^2)/(2*y^2)")
SURFACE = (["x", "y"], "(x'^2 + (1 + x^4)*y'^2)/2")
RIGID = (["x", "y"], "(x'^2*(1 + y^2) + (1 + x^4)*y'^2)/2")
SPACE = (["x", "y", "z"], "(x'^2 + y'^2 + z'^2)/2")
HEISENBERG = (["x", "y", "z"], "(x'^2 + y'^2 + (z' - x*y')^2)/2")
DISC = (["x", "y"], "2*(x'^2 + y'^2)/(1 - x^2 - y^2)^2")
PRODUCT = (["x", "y", "z"], "(x'^2 + y'^2)/(2*y^2) + z'^2/2")
SOL = (["x", "y", "z"], "(exp(2*z)*x'^2 + exp(-2*z)*y'^2 + z'^2)/2")
SPHERICAL = (["r", "theta", "phi"], "(r'^2 + r^2*theta'^2 + r^2*sin(theta)^2*phi'^2)/2")


@pytest.mark.parametrize(
    ("system", "count"),
    [
        pytest.param(PLANE, 3, id="plane"),
        pytest.param(POLAR, 3, id="polar"),
        pytest.param(SPHERE, 3, id="sphere", marks=pytest.mark.slow),
        pytest.param(HALF_PLANE, 3, id="hyperbolic"),
        pytest.param(SURFACE, 1, id="revolution"),
        pytest.param(RIGID, 0, id="none"),
        pytest.param(SPACE, 6, id="space"),
        pytest.param(HEISENBERG, 4, id="heisenberg", marks=pytest.mark.slow),
        pytest.param(DISC, 3, id="poincare-disc"),
        pytest.param(PRODUCT, 4, id="product", marks=pytest.mark.slow),
        pytest.param(SOL, 3, id="sol"),
        pytest.param(SPHERICAL, 6, id="spherical", marks=pytest.mark.slow),
    ],
)
def test_L3_killing_fields_are_all_found(system, count: int) -> None:
    coordinates, lagrangian = system
    found = ch.killing(ch.System(coordinates=coordinates, lagrangian=lagrangian))
    assert len(found) == found.bound == count
    assert found.complete
    assert all(one.metric.evidence == "proved" for one in found)
    assert count < 2 or found.algebra.closed


def test_L3_momenta_of_killing_fields_of_a_free_system_are_conserved() -> None:
    system = ch.System(coordinates=HALF_PLANE[0], lagrangian=HALF_PLANE[1])
    laws = {f"J{i}": one.momentum for i, one in enumerate(ch.killing(system))}
    assert {law.name for law in ch.integrals(system, laws)} >= set(laws)


def test_the_bound_without_enough_fields_is_no_claim() -> None:
    """A cone whose angle needs cos(phi/2): the plane's metric in disguise, two fields outside of the
    space.
    """
    cone = ch.System(coordinates=["r", "phi"], lagrangian="(r'^2 + r^2*phi'^2/4)/2")
    found = ch.killing(cone, degree=2)
    assert (len(found), found.bound, found.complete) == (1, 3, None)
    assert "outside of the space" in str(found)


@pytest.mark.parametrize(
    ("lagrangian", "sentence"),
    [("x'^4 + y'^2", "depends on the velocities"), ("t*x'^2 + y'^2", "depends on t")],
)
def test_what_is_no_metric_is_refused(lagrangian: str, sentence: str) -> None:
    with pytest.raises(ch.ModelError, match=sentence):
        ch.killing(ch.System(coordinates=["x", "y"], lagrangian=lagrangian))
    with pytest.raises(ch.ModelError, match="the degree is -1"):
        ch.killing(ch.load("heisenberg"), degree=-1)
    with pytest.raises(ch.ModelError, match="no Lagrangian"):
        ch.killing(ch.load("steered-car"))


def test_L11_M6_momentum_equations_of_the_sleigh() -> None:
    """ṗ = m a ω², (J + m a²) ω̇ = −m a ω v: the equations of the Chaplygin sleigh, from SE(2)."""
    turn = {"x": "y", "y": "-x", "phi": "-1"}
    found = momentum_equations(ch.load("caratheodory-sleigh"), fields=[{"x": 1}, {"y": 1}, turn])
    assert [(e.momentum, e.rate) for e in found] == formulas(
        [
            ("m*(x'*cos(phi) + y'*sin(phi))", "m*a*phi'^2"),
            ("phi'*(m*a^2 + J)", "-m*a*phi'*(x'*cos(phi) + y'*sin(phi))"),
        ],
        on=ch.load("caratheodory-sleigh"),
    )
    assert all(e.answer.holds for e in found)
    assert found.conserved == ()


@pytest.mark.slow
def test_L3_B10_which_part_of_the_algebra_gives_conserved_momenta() -> None:
    """For z' = y x' also -∂x + z ∂y − y ∂z lies in D: a horizontal symmetry that is none of the
    constraint.
    """
    found = momentum_equations(ch.load("heisenberg"))
    assert found.symmetries == any_order("∂/∂x", "∂/∂z", factor=True)
    assert found.horizontal == any_order("∂/∂y", "-∂/∂x + z ∂/∂y - y ∂/∂z", factor=True)
    assert found.conserved == found.horizontal
    laws = ch.integrals(ch.load("heisenberg"), {"J": "-x' + z*y' - y*z'"})
    assert "J" in {law.name for law in laws}
    assert found.to_json()["equations"][0]["rate"] == formula("y*x'*y'", on=ch.load("heisenberg"))


@pytest.mark.slow
def test_L11_momentum_equation_of_the_snakeboard() -> None:
    """One section of se(2) lies in D: its momentum is changed by steering alone."""
    found = momentum_equations(ch.load("snakeboard"))
    first, second = found
    assert dict(first.components) == formulas(
        {
            "x": "l*cos(phi)*cos(theta)",
            "y": "l*cos(phi)*sin(theta)",
            "theta": "sin(phi)",
        }
    )
    assert first.rate == formula(
        "phi'*cos(phi)*(J*theta' + Jr*theta' + Jr*psi' + 2*Jw*theta' - m*l^2*theta')",
        on=ch.load("snakeboard"),
    )
    assert list(second.components) == ["psi"]
    assert first.answer.evidence == second.answer.evidence == f"proved {EVERY_VALUE}"
    assert found.conserved == ()


def test_a_degenerate_metric_is_refused() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="(x' + y')^2/2 - x*y", degenerate=True)
    with pytest.raises(ch.ModelError, match=r"degenerate|singular"):
        ch.killing(system)


def test_L11_a_field_that_is_no_symmetry_is_refused() -> None:
    with pytest.raises(ch.ModelError, match="no symmetry of the Lagrangian"):
        momentum_equations(ch.load("heisenberg"), fields=[{"x": "x"}])
    with pytest.raises(ch.ModelError, match="moves time"):
        momentum_equations(ch.load("heisenberg"), fields=[{"t": 1}])
