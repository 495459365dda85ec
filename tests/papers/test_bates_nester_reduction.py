"""Bates and Nester, section 8: reduction by invariants (B11, B12)."""

from __future__ import annotations

import pytest
import sympy

import chetaev as ch
from formulas import any_order, formula, formulas


def test_B12_the_reduced_central_force_problem_with_constant_speed():
    """σ̇₁ = 2σ₂, σ̇₂ = 2(c − (σ₁ − σ₂²/2c) dV/dσ₁), with |p|² = 2c and any V(σ₁); the paper's formula holds."""
    V = "k/(x^2 + y^2 + z^2) + h*(x^2 + y^2 + z^2)"
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=f"(x'^2 + y'^2 + z'^2)/2 - ({V})",
        constraints=["x'^2 + y'^2 + z'^2 = 2*c"],
        parameters={"c": 1, "k": 2, "h": 3},
    )
    found = ch.reduce(system, invariants={"s1": "x^2 + y^2 + z^2", "s2": "x*x' + y*y' + z*z'"})
    assert found.closed is True
    assert all(r.evidence.startswith("proved for every value") for r in found.rates.values())
    s1, s2, c, k, h = sympy.symbols("s1 s2 c k h")
    slope = sympy.diff(k / s1 + h * s1, s1)
    shown = {n: e.to_sympy() for n, e in found.field.items()}
    names = {str(s): s for e in shown.values() for s in e.free_symbols}
    values = {names[str(s)]: s for s in (s1, s2, c, k, h) if str(s) in names}
    assert sympy.simplify(shown["s1"].subs(values) - 2 * s2) == 0
    expected = 2 * (c - (s1 - s2**2 / (2 * c)) * slope)
    assert sympy.simplify(shown["s2"].subs(values) - expected) == 0


@pytest.mark.slow
def test_B11_angular_momentum_is_lost_and_its_square_is_a_function_of_the_invariants():
    """|q × p|² = σ₁σ₃ − σ₂²: its rate does not vanish, and closes."""
    system = ch.load("central-force-constant-speed")
    invariants = {
        "s1": "x^2 + y^2 + z^2",
        "s2": "x*x' + y*y' + z*z'",
        "s3": "x'^2 + y'^2 + z'^2",
        "j": "(x*y' - y*x')^2 + (y*z' - z*y')^2 + (z*x' - x*z')^2",
    }
    found = ch.reduce(system, invariants=invariants)
    assert found.closed is True
    assert found.rank == 2
    assert list(found.relations) == any_order("s3 - v0^2", "s2^2 + j - s1*v0^2", factor=True)
    assert found.field["j"] != formula("0")


@pytest.mark.slow
def test_B11_section_9_invariants_may_close_without_the_problem_being_invariant():
    """The motion varies along the orbits alone: a wheel of constant speed in a potential of its angle."""
    system = ch.System(
        coordinates=["x", "phi"],
        lagrangian="(x'^2 + phi'^2)/2 - k*x^2/2 - cos(phi)",
        constraints=["phi'^2 = w^2"],
        parameters={"k": 2, "w": 3},
    )
    by_symmetry = ch.reduce(system, symmetries=[{"phi": 1}])
    assert by_symmetry.closed is True
    assert any("though the Lagrangian is not invariant: X(L) = sin(phi)" in n for n in by_symmetry.notes)
    found = ch.reduce(system, invariants={"x": "x", "u": "x'", "v": "phi'"})
    assert found.closed is True
    assert dict(found.field) == formulas({"x": "u", "u": "-k*x", "v": "0"})
