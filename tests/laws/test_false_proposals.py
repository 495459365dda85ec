"""What a search proposes is judged exactly: where the proposal is spoiled, nothing is found or said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import chetaev as ch
from chetaev.expr.exact import Field
from chetaev.laws.coefficient import equations as coefficients
from chetaev.laws.inverse import helmholtz, primitive
from chetaev.laws.measure import density
from chetaev.laws.symmetry import algebra, from_adjoint, momentum_equation
from formulas import formula

SLEIGH = ch.load("caratheodory-sleigh")
MOVES = [{"x": 1}, {"y": 1}, {"x": "y", "y": "-x", "phi": "-1"}]


def doubled_first(propose: Callable[..., Any]) -> Callable[..., Any]:
    """The proposal with its first coefficient doubled, if it has several."""

    def spoiled(*given: Any, **options: Any) -> Any:
        found = propose(*given, **options)
        if found is None or len(found) < 2:
            return found
        first = min(found)
        return found | {first: found[first] * 2}

    return spoiled


def test_M4_a_density_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ch.measure(ch.load("heisenberg")).preserved is True
    monkeypatch.setattr(density, "exact", doubled_first(density.exact))
    found = ch.measure(ch.load("heisenberg"))
    assert (found.preserved, found.density) == (None, None)


def test_structure_constants_are_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    plane = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2")
    assert ch.killing(plane).algebra.closed is True
    monkeypatch.setattr(algebra, "exact", doubled_first(algebra.exact))
    assert ch.killing(plane).algebra.closed is not True


def test_L3_a_combination_is_horizontal_only_if_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints=["z' = 2*x'"]
    )
    given = [{"x": 1}, {"y": 1}, {"z": 1}]
    found = momentum_equation.momentum_equations(system, fields=given)
    assert found.horizontal == ("∂/∂y", "1/2 ∂/∂x + ∂/∂z")
    monkeypatch.setattr(momentum_equation, "exact", doubled_first(momentum_equation.exact))
    found = momentum_equation.momentum_equations(system, fields=given)
    assert found.horizontal == ("∂/∂y",)


def test_a_primitive_is_differentiated_back(monkeypatch: pytest.MonkeyPatch) -> None:
    field = Field()
    x, y = field.symbols("x y")
    form = {("x", 0): 2 * x * y, ("y", 0): x**2}
    assert primitive.primitive(form) == x**2 * y
    solve = primitive._particular

    def spoiled(*given: Any) -> Any:
        kept, values = solve(*given)
        return {monomial: 3 * c for monomial, c in kept.items()}, values

    monkeypatch.setattr(primitive, "_particular", spoiled)
    assert primitive.primitive(form) is None


def test_K7_a_potential_gives_the_force(monkeypatch: pytest.MonkeyPatch) -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-3*x"})
    assert ch.helmholtz(system).potential == formula("3*x^2/2")
    integrate = helmholtz.primitive
    monkeypatch.setattr(helmholtz, "primitive", lambda *given: 2 * integrate(*given))
    found = ch.helmholtz(system)
    assert (found.variational, found.potential) == (True, None)


def test_Sa8_the_integral_of_an_adjoint_symmetry_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    system = ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x"}})
    given = [{"x": "x'"}]
    before = [one.integral is not None or one.new_lagrangian is not None for one in _adjoint(system, given)]
    assert before == [True]
    monkeypatch.setattr(from_adjoint, "primitive", _with_a_term(from_adjoint.primitive))
    assert [one.integral for one in _adjoint(system, given)] == [None]


def _adjoint(system: ch.System, fields: list[dict[str, str]]) -> Any:
    return ch.symmetries(system, "adjoint", fields=fields)


def _with_a_term(integrate: Callable[..., Any]) -> Callable[..., Any]:
    def spoiled(form: Any, *given: Any) -> Any:
        found = integrate(form, *given)
        return None if found is None else found + found.field.symbol("x") ** 3

    return spoiled


def test_K22_integrals_with_coefficients_are_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    spring = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2 - x^2 - y^2*x^2)/2 - x^4")
    falling = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - t*y - x^4*y'")
    proposed = coefficients.blocks

    def spoiled(*given: Any) -> Any:
        return [
            replace(block, matrix=tuple(tuple(2 * e for e in row) for row in block.matrix))
            for block in proposed(*given)
        ]

    known = [c for c in (spring, falling, SLEIGH) if coefficients.coefficient_equations(c, [])]
    assert known
    monkeypatch.setattr(coefficients, "blocks", spoiled)
    assert not any(coefficients.coefficient_equations(c, []) for c in known)
