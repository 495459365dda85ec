"""Bates and Nester, On D'Alembert's principle, sections 2 and 4 to 8: the Hamiltonian side (B3, B5–B10, B12).

The paper numbers no equations. Misprints met here, each shown by a test: 4.1 has h = 1 where its solutions
need h = 1/2, and arccos(2μ²y − 1) for arccos(1 − 2μ²y); 4.3 has + λp/(mc) in ṗ and − λp/(mc) in the line that
follows from it.
"""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms.bracket import bracket as with_a_form
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.expr.exact import Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import Expr, add, mul, sub
from chetaev.expr.language.parser import parse
from chetaev.hamilton.horizontal import Horizontal
from chetaev.hamilton.solvability import Solvability
from chetaev.laws.rate import is_first_integral, rate
from formulas import formula, formulas

FREE = "(x'^2 + y'^2 + z'^2)/2"
CONTACT = ch.System(coordinates=["x", "y", "z"], lagrangian=FREE + " - x*z", constraints=["z' = y*x'"])
SPEED = ch.System(
    coordinates=["x", "y", "z"], lagrangian=FREE + " - x*z", constraints=["x'^2 + y'^2 + z'^2 = 4"]
)
LORENTZ = ch.System(
    coordinates=["w", "x", "y"],
    lagrangian="(x'^2 + y'^2 - w'^2)/2 - x*y",
    constraints=["w' = 3*y*x'", "y'^2 = w'^2 + 1"],
)


def is_zero(e: Expr, system: ch.System | None = None) -> bool | None:
    return zero_test(e, [] if system is None else constraint_functions(system)).is_zero


@pytest.mark.parametrize("system", [CONTACT, SPEED], ids=["linear", "speed"])
def test_section_2_the_rate_is_a_bracket_with_a_form(system: ch.System) -> None:
    """B3: ḟ = {f, ψ} with ψ = dh + λ_A φ^A; here {f, h} + μ {f, φ}, φ = ∂c/∂v dq, for f = x y' + z'."""
    free = ch.System(coordinates=["x", "y", "z"], lagrangian=FREE + " - x*z")
    poisson, energy = ch.bracket(free), ch.bracket(free).hamiltonian
    f = parse("x*y' + z'", system.scope)
    (c,) = constraint_functions(system)
    C = [Field()(c).diff((name, 1)).to_expr() for name in system.coordinates]
    mu = ch.distributional(system).multipliers["mu_1"]
    right = add(poisson(f, energy), mul(mu, with_a_form(free, f, C)))
    assert is_zero(sub(rate(system, f), right), system)


@pytest.mark.parametrize("system", [CONTACT, SPEED], ids=["linear", "speed"])
def test_sections_3_3_and_7_multipliers_are_eliminated_by_brackets(system: ch.System) -> None:
    """B5: ḟ = {f, h} + {f, φ^A} M_AB {c^B, h} with the paper's {c, φ} = −M; ours is +M: a minus."""
    free = ch.System(coordinates=["x", "y", "z"], lagrangian=FREE + " - x*z")
    poisson = ch.bracket(free)
    energy = poisson.hamiltonian
    (c,) = constraint_functions(system)
    C = [Field()(c).diff((name, 1)).to_expr() for name in system.coordinates]
    M = with_a_form(free, c, C)
    assert is_zero(sub(M, ch.distributional(system).brackets.gram[0][0]), system)
    for f in ("x'", "y*z'", "x + z'^2"):
        F = parse(f, system.scope)
        right = sub(poisson(F, energy), with_a_form(free, F, C) * poisson(c, energy) / M)
        assert is_zero(sub(rate(system, F), right), system)


def test_section_4_1_hamiltonian_of_the_brachistochrone() -> None:
    """B6: h = g y (p_x² + p_y²)/2; for g = 1 ẋ = y p_x, ṗ_x = 0, ẏ = y p_y, ṗ_y = −h/y."""
    found = ch.hamilton(
        ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/(2*g*y)", parameters={"g": 1}, time="s")
    )
    assert found.hamiltonian == formula("g*y*(p_x^2 + p_y^2)/2")
    scope = ch.System(
        coordinates=["x", "y", "p_x", "p_y"], lagrangian="x'*y' + p_x'*p_y'", parameters={"g": 1}
    ).scope
    expected = {"x": "g*y*p_x", "p_x": "0", "y": "g*y*p_y", "p_y": "-(g*y*(p_x^2 + p_y^2)/2)/y"}
    for name, text in expected.items():
        assert is_zero(sub(found.equations[name], parse(text, scope)))


def test_section_4_1_cycloids_have_h_one_half_and_not_one() -> None:
    """B6: y = (1 − cos μs)/(2μ²), x = (s − sin(μs)/μ)/(2μ), p_x = μ: h = 1/2."""
    scope = ch.System(coordinates=["u"], lagrangian="u'^2", parameters={"mu": 2}, time="s").scope
    F = Field()
    x, y, mu = (F(parse(e, scope)) for e in ("(s - sin(mu*s)/mu)/(2*mu)", "(1 - cos(mu*s))/(2*mu^2)", "mu"))
    p_y = y.diff("s") / y
    assert (x.diff("s") - y * mu).is_zero
    assert (y * (mu**2 + p_y**2) / 2 - F(parse("1/2", scope))).is_zero
    assert (p_y.diff("s") + (y * (mu**2 + p_y**2) / 2) / y).is_zero
    assert (y.diff("s") ** 2 - (y - mu**2 * y**2)).is_zero  # the printed reduced equation: right for h = 1/2
    printed = 2 * mu**2 * y - 1
    assert (printed + F(parse("cos(mu*s)", scope))).is_zero  # so arccos of it is π − μs


def test_section_4_3_the_relativistic_particle_with_a_degenerate_lagrangian() -> None:
    """B8: mass shell with p − qA, h₀ = V, lapse N = 1 (u = N/(2m)), λ = (mc)⁻¹ p^μ ∂_μV.

    The velocity constraint is √(−g v v) = c here, C₁ of the paper with the other sign, so that ṗ has
    −λ p/(mc), the sign that the paper's own condition uses.
    """
    particle = ch.System(
        coordinates=["s", "x"],
        parameters={"m": 2, "k": 3},
        lagrangian="-m*sqrt(s'^2 - x'^2) - x^2 + k*x*s'",
        constraints=["sqrt(s'^2 - x'^2) = 1"],
        time="tau",
    )
    found = ch.dirac(particle)
    scope = ch.System(
        coordinates=["s", "x", "p_s", "p_x"], lagrangian="s'*x' + p_s'*p_x'", parameters={"m": 2, "k": 3}
    ).scope
    shell = parse("m^2 - (p_s - k*x)^2 + p_x^2", scope)
    assert is_zero(sub(found.primary[0], shell)) or is_zero(add(found.primary[0], shell))
    assert is_zero(sub(found.multipliers["lambda_1"], parse("p_x*2*x/m", scope)))
    u = found.multipliers["u_1"]
    assert is_zero(sub(mul(u, u), parse("1/(4*m^2)", scope)))


@pytest.mark.parametrize("system", [CONTACT, SPEED, LORENTZ], ids=["linear", "speed", "lorentz"])
def test_section_5_theorem_1_omega_on_H_and_the_metric_on_normals(system: ch.System) -> None:
    """B9: for regular M det ω_H ≠ 0 exactly where det M^AB ≠ 0: det(WᵀMW) det² C_D = det M det M^AB."""
    at = Horizontal(system)
    W = linear.determinant(at.restricted)
    normals = linear.determinant([[at.field(e) for e in row] for row in Solvability(at).gram])
    pivots = linear.determinant([[row[d] for d in at.dependent] for row in at.C])
    difference = W * pivots**2 - linear.determinant(at.p_v) * normals
    assert is_zero(difference.to_expr(), system)
    omega = linear.determinant(at.omega_H)
    assert is_zero((omega - W**2).to_expr(), system)


@pytest.mark.parametrize("system", [CONTACT, SPEED, LORENTZ], ids=["linear", "speed", "lorentz"])
def test_section_5_the_splitting_of_X(system: ch.System) -> None:
    """B9: X = X_H + X_K; X_K = 0 for homogeneous constraints, where X ⌟ ω_H = dh_H is all."""
    found = ch.distributional(system)
    zero = all(is_zero(e, system) for e in found.complementary.values())
    assert zero is (system is CONTACT) is found.homogeneous
    for name, e in found.field.items():
        parts = add(found.horizontal[name], found.complementary[name])
        assert is_zero(sub(e, parts), system)


def test_section_6_lemma_1_and_theorem_2() -> None:
    """B10: p_y of the free particle has the field ∂_y, which lies in F for z' = y x': it is conserved."""
    system = ch.System(coordinates=["x", "y", "z"], lagrangian=FREE, constraints=["z' = y*x'"])
    found = ch.distributional(system)
    assert formulas(("0", "1", "0", "0", "0", "0")) in map(tuple, found.F)  # ∂_y lies in F
    for f, conserved in (("y'", True), ("x'", False), ("z'", False)):
        assert is_first_integral(system, parse(f, system.scope))[0].is_zero is conserved


def test_section_8_1_central_force_with_constant_speed() -> None:
    """B12: λ = −(1/2c)(q·p/r)V'(r) (ṗ = … − λp), and σ̇₁ = 2σ₂, σ̇₂ = 2(c − (σ₁ − σ₂²/(2c)) dV/dσ₁)."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        parameters={"k": 1, "c": 2},
        lagrangian=FREE + " - k*(x^2 + y^2 + z^2)^2",
        constraints=["(x'^2 + y'^2 + z'^2)/2 = c"],
    )
    scope, s1, s2 = system.scope, "(x^2 + y^2 + z^2)", "(x*x' + y*y' + z*z')"
    mu = ch.distributional(system).multipliers["mu_1"]  # the reaction is μ p, so λ = −μ
    assert is_zero(add(mu, parse(f"-1/(2*c)*{s2}*4*k*{s1}", scope)), system)
    assert is_zero(sub(rate(system, parse(s1, scope)), parse(f"2*{s2}", scope)), system)
    second = parse(f"2*(c - ({s1} - {s2}^2/(2*c))*2*k*{s1})", scope)
    assert is_zero(sub(rate(system, parse(s2, scope)), second), system)
