"""F, H, K and the distributional Hamilton equations (SCOPE B3, B5, B9)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import add, mul, sub, symbol
from chetaev.laws.rate import rate
from formulas import any_order, formula, formulas
from on_the_distribution import check_motion

LORENTZ = "(x'^2 + y'^2 - w'^2)/2"
CURVED = ch.System(
    coordinates=["x", "y", "z"],
    lagrangian="((2 + sin(y))*x'^2 + (1 + x^2)*y'^2 + z'^2 + x*y'*z'/2)/2 - x*z + y*x'",
    constraints=["z' = y*x' + t*x + 1"],
    forces={"x": "-x'/3"},
    name="curved, rheonomic, with a force",
)
TWO = ch.System(
    coordinates=["w", "x", "y"],
    lagrangian=LORENTZ + " - x*y",
    constraints=["w' = y*x'", "y'^2 = w'^2 + 1"],
    name="two constraints, Lorentz signature",
)


@pytest.mark.parametrize(
    "system",
    [
        ch.load("heisenberg"),
        ch.load("leibniz-particle"),
        ch.load("relativistic-particle-scalar"),
        CURVED,
        TWO,
    ],
    ids=lambda s: s.name,
)
def test_B9_the_equations_on_H_are_the_lagrangian_motion(system: ch.System) -> None:
    found = ch.distributional(system)
    check_motion(system, found)
    m, k = len(system.coordinates), len(constraint_functions(system))
    assert (len(found.F), len(found.H), len(found.K)) == (2 * m - k, 2 * (m - k), k)
    on = constraint_functions(system)
    energy = ch.bracket(system).hamiltonian
    difference = sub(rate(system, energy), found.energy_rate)
    assert zero_test(difference, on).is_zero  # B3: Ė = μ_A φ^A(v) + F·v − ∂L/∂t


@pytest.mark.parametrize("name", ["heisenberg", "leibniz-particle"])
def test_B9_H_is_tangent_and_annihilated_and_K_is_orthogonal(name: str) -> None:
    system = ch.load(name)
    found, on = ch.distributional(system), constraint_functions(system)
    names = system.coordinates
    slots = [*(symbol(c) for c in names), *(symbol(c, 1) for c in names)]
    from chetaev.expr.exact import Field

    field = Field()
    for f in on:
        gradient = [field(f).diff(s).to_expr() for s in slots]
        for vector in (*found.H, *found.K):
            assert zero_test(add(*(mul(a, b) for a, b in zip(gradient, vector, strict=True))), on).is_zero
        for vector in (*found.H, *found.F):
            phi = [mul(a, b) for a, b in zip(gradient[len(names) :], vector[: len(names)], strict=True)]
            assert zero_test(add(*phi), on).is_zero
    p = [field(system.lagrangian).diff((c, 1)) for c in names]
    slopes = [[e.diff(s).to_expr() for s in slots] for e in p]
    for h in found.H:
        for k in found.K:
            terms = []
            for i, row in enumerate(slopes):
                terms.append(mul(h[i], add(*(mul(a, b) for a, b in zip(row, k, strict=True)))))
                terms.append(mul(-1 * k[i], add(*(mul(a, b) for a, b in zip(row, h, strict=True)))))
            assert zero_test(add(*terms), on).is_zero


def test_B9_extreme_cases_of_the_splitting() -> None:
    """X = X_H for homogeneous constraints, X = X_K where the energy itself is the constraint (section 5)."""
    homogeneous = ch.distributional(ch.load("appell-hamel"))
    assert homogeneous.homogeneous is True
    on = constraint_functions(ch.load("appell-hamel"))
    assert all(zero_test(e, on).is_zero for e in homogeneous.complementary.values())
    energy = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - x*y^2",
        constraints=["(x'^2 + y'^2)/2 + x*y^2 = 1"],
    )
    found = ch.distributional(energy)
    on = constraint_functions(energy)
    assert found.homogeneous is False
    assert all(zero_test(e, on).is_zero for e in found.horizontal.values())
    assert zero_test(found.multipliers["mu_1"], on).is_zero


def test_B5_solvability_in_definite_and_lorentz_signature() -> None:
    definite = ch.distributional(ch.load("heisenberg")).brackets
    assert (definite.nondegenerate.is_zero, definite.degenerate_where) == (False, ())
    crossing = ch.System(coordinates=["w", "x", "y"], lagrangian=LORENTZ, constraints=["w' = y*x'"])
    where = ch.distributional(crossing).brackets.degenerate_where
    # the span is null there, the constraint independent
    assert where == any_order("y + 1", "y - 1", factor=True)
    null = ch.System(coordinates=["w", "x", "y"], lagrangian=LORENTZ, constraints=["w'^2 = x'^2 + y'^2"])
    brackets = ch.distributional(null).brackets
    assert brackets.nondegenerate.is_zero is True
    assert "nowhere" in str(brackets)
    for ask in (lambda: ch.distributional(null).field, lambda: ch.bracket(null).tensor):
        with pytest.raises(ch.ModelError, match="g-nondegenerate"):
            ask()
    # off its null directions, the same cone of time-like velocities is harmless
    shell = ch.System(coordinates=["w", "x", "y"], lagrangian=LORENTZ, constraints=["w'^2 = x'^2 + y'^2 + 1"])
    harmless = ch.distributional(shell).brackets
    assert (harmless.nondegenerate.is_zero, harmless.degenerate_where) == (False, ())


def test_B9_bad_input() -> None:
    for wrong in ("disc", None):
        with pytest.raises(ch.ModelError, match=r"ch\.distributional"):
            ch.distributional(wrong)
    with pytest.raises(ch.ModelError, match="no Lagrangian"):
        ch.distributional(ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x"}}))
    with pytest.raises(ch.ModelError, match="constraints on accelerations"):
        ch.distributional(ch.load("acceleration-constraint"))
    found = ch.distributional(ch.load("heisenberg"))
    assert found.to_json()["X_K"]["x"] == formula("0")
    assert "X_H" in found._repr_latex_()
    assert "<pre" in found._repr_html_()
    free = ch.distributional(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2"))
    assert dict(free.field) == formulas({"x": "x'", "x'": "-x"})
    assert "no constraints" in str(free)
