"""Delphenich, variational formulation with non-holonomic constraints: sections 2.1–2.4, 3.2, 4 (D1, D3–D6).

Misprints are named where they are shown. A^ν_μ is the matrix of the frame, e_μ = A^ν_μ ∂_ν, Ã its inverse.
"""

from __future__ import annotations

from typing import Any

import casadi
import pytest
import sympy as sp

import chetaev as ch
from chetaev.equations.forms import chetaev, hamel
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points

# --- frames (2.9)–(2.36), with sympy ------------------------------------------------------------------

X = sp.symbols("x1:5", real=True)
FRAME = sp.Matrix([  # columns: e_1, …, e_4
    [1, X[1], 0, sp.sin(X[2])],
    [X[3], 2 + sp.cos(X[0]), 0, 1],
    [0, X[0] * X[2], 1, X[1]],
    [X[0], 0, X[2], 3 + X[3] ** 2],
])  # fmt: skip
SOMEWHERE = dict(
    zip(X, (sp.Rational(1, 3), sp.Rational(1, 2), sp.Rational(-2, 5), sp.Rational(3, 4)), strict=True)
)
DUAL = FRAME.adjugate() / FRAME.det()  # a hundredth of the cost of FRAME.inv()
M = 4


def at(expression: Any) -> Any:
    return sp.N(sp.sympify(expression).subs(SOMEWHERE), 40)


def bracket(mu: int, nu: int, frame: sp.Matrix = FRAME) -> sp.Matrix:
    e, f = frame[:, mu], frame[:, nu]
    return f.jacobian(X[: len(e)]) * e - e.jacobian(X[: len(e)]) * f


@pytest.mark.slow
def test_2_13_structure_functions_with_the_index_rho_printed_as_alpha() -> None:
    """D1: c^λ_μν = (A^κ_μ ∂_κ A^ρ_ν − A^κ_ν ∂_κ A^ρ_μ) Ã^λ_ρ."""
    c = DUAL * bracket(0, 1)
    rebuilt = FRAME * c - bracket(0, 1)
    assert max(abs(at(x)) for x in rebuilt) < 1e-35


def d_theta(lam: int, mu: int, nu: int) -> Any:
    """dθ^λ(e_μ, e_ν)."""
    theta = DUAL[lam, :]
    d = sp.Matrix(M, M, lambda i, j: sp.diff(theta[j], X[i]) - sp.diff(theta[i], X[j]))
    return (FRAME[:, mu].T * d * FRAME[:, nu])[0]


@pytest.mark.slow
def test_2_16_and_2_19_the_exterior_derivative_with_the_signs_and_halves_of_the_print_put_right() -> None:
    """D1: dθ^λ(e_μ, e_ν) = −c^λ_μν for all pairs.

    (2.19) prints + for the mixed and the last part, and ½ for the mixed one. Right:
    dθ^i = −½ c^i_jk θ^j∧θ^k − c^i_jβ θ^j∧θ^β − ½ c^i_βγ θ^β∧θ^γ.
    """
    for lam, mu, nu in ((0, 0, 1), (0, 0, 2), (3, 1, 3), (1, 2, 3)):
        assert abs(at(d_theta(lam, mu, nu) + (DUAL * bracket(mu, nu))[lam])) < 1e-35
    assert abs(at(d_theta(1, 0, 2))) > 1e-3  # a mixed one that is not zero, so that its sign matters


x, y, z, w = X
CHAPLYGIN = sp.Matrix([[sp.sin(z) + x * y, w * x], [y * w, x + z**2]])  # a^α_i(x^i, x^α), α = 3, 4
COFRAME = sp.eye(4)
COFRAME[2:, :2] = -CHAPLYGIN


def test_2_32_the_inverse_has_plus_delta_in_the_corner() -> None:
    """D1: printed with −δ it is no inverse of (2.31), and the product (2.33) would not hold."""
    right, printed = sp.eye(4), sp.eye(4)
    right[2:, :2] = printed[2:, :2] = CHAPLYGIN
    printed[2:, 2:] = -sp.eye(2)
    assert COFRAME * right == sp.eye(4)
    assert COFRAME * printed != sp.eye(4)
    other = sp.eye(4)
    other[2:, :2] = 2 * CHAPLYGIN
    total = sp.eye(4)
    total[2:, :2] = 3 * CHAPLYGIN
    assert (right * other - total).expand() == sp.zeros(4)  # (2.33)


def test_2_36_structure_functions_of_a_chaplygin_frame_have_the_other_sign_and_more_of_them_remain() -> None:
    """D1: c^α_ij = D_i a^α_j − D_j a^α_i, D_i = ∂_i + a^β_i ∂_β; c^α_iβ = −∂_β a^α_i is left out in print."""
    frame = COFRAME.inv()
    D = [lambda f, i=i: sp.diff(f, X[i]) + sum(CHAPLYGIN[b, i] * sp.diff(f, X[2 + b]) for b in range(2))
         for i in range(2)]  # fmt: skip
    for a in range(2):
        true = (COFRAME * bracket(0, 1, frame))[2 + a]
        printed = D[1](CHAPLYGIN[a, 0]) - D[0](CHAPLYGIN[a, 1])
        assert sp.simplify(true + printed) == 0
        for i in range(2):
            for b in range(2):
                mixed = (COFRAME * bracket(i, 2 + b, frame))[2 + a]
                assert sp.simplify(mixed + sp.diff(CHAPLYGIN[a, i], X[2 + b])) == 0
    assert sp.simplify((COFRAME * bracket(0, 1, frame))[2]) != 0


@pytest.mark.slow
def test_2_38_components_of_df_transform_with_A_not_its_inverse() -> None:
    """D1: f̄_μ = e_μ(f) = A^ν_μ f_ν."""
    f = sp.sin(X[0]) * X[1] + X[2] ** 2 * X[3]
    gradient = sp.Matrix([[sp.diff(f, c) for c in X]])
    right, printed = gradient * FRAME, gradient * DUAL
    rebuilt = right * DUAL - gradient
    assert max(abs(at(e)) for e in rebuilt) < 1e-35
    assert max(abs(at(e)) for e in printed * DUAL - gradient) > 1e-3


def gamma(nu: int, mu: int, kappa: int) -> Any:
    """γ^ν_μκ = A^λ_μ,ρ Ã^ν_λ A^ρ_κ: de_μ = +γ^ν_μ e_ν."""
    return (DUAL * FRAME[:, mu].jacobian(X) * FRAME[:, kappa])[nu]


@pytest.mark.slow
def test_2_42_to_2_56_the_sign_of_gamma() -> None:
    """D3: (2.44), (2.46), (2.50), (4.13) belong to de_μ = +γ^ν_μ e_ν; (2.42), (2.43), (2.54), (2.56) to −γ.

    With +: ∇X̄ = dX̄ + γX̄, ∇ᾱ = dᾱ − γᾱ, dθ^μ = −γ^μ_ν∧θ^ν, c^μ_κν = γ^μ_νκ − γ^μ_κν. And (2.44) prints Ã
    for the last A. The torsion is dθ^μ, not 2dθ^μ as in (2.58): the frame is parallel, its connection form
    vanishes in it.
    """
    for mu, kappa, nu in ((0, 0, 1), (2, 1, 3), (3, 0, 2)):
        c = (DUAL * bracket(kappa, nu))[mu]
        assert abs(at(gamma(mu, nu, kappa) - gamma(mu, kappa, nu) - c)) < 1e-35
    # covariant differential of a covector along a direction
    alpha = sp.Matrix([[X[1] * X[2], X[0], sp.sin(X[3]), X[0] * X[3]]])
    bar = alpha * FRAME
    direction = FRAME[:, 2]
    for mu in range(M):
        plain = (sp.Matrix([[sp.diff(e, c) for c in X] for e in alpha]) * direction).T * FRAME[:, mu]
        d_bar = sum(sp.diff(bar[mu], c) * direction[i] for i, c in enumerate(X))
        covariant = d_bar - sum(gamma(nu, mu, 2) * bar[nu] for nu in range(M))
        assert abs(at(plain[0] - covariant)) < 1e-35


# --- equations of motion ------------------------------------------------------------------------------


def frame_terms(name: str, quasi: list[str]) -> tuple[Any, ...]:
    """At a motion: F̄_s = e_s^i(∂L/∂q^i + F_i), d/dt p̄_s, γ^I_s(v) p̄_I, c^I_As u^A p̄_I."""
    system = ch.load(name)
    equations = hamel.derive(system, quasi)
    s = Setup(system)
    n = len(quasi)
    E = casadi.vertcat(*(s.column(row).T for row in equations.frame))
    J = casadi.vertcat(*(s.column(row).T for row in equations.coframe))
    p = s.column(equations.momenta)
    F_bar = E[:, :n].T @ (casadi.gradient(s.L, s.q) + s.F)
    p_dot = s.along(p) + s.by_v(p) @ s.a
    E_dot = casadi.reshape(s.along(casadi.vec(E)), s.m, s.m)
    gamma_p = (E_dot.T @ J.T @ p)[:n]
    u = casadi.vertcat(1, s.column(equations.quasi_velocities))
    c_p = casadi.SX(n, 1)
    for i, part in enumerate(equations.structure):
        c = casadi.vertcat(*(s.column(row).T for row in part))
        c_p += p[i] * (u.T @ c[:, 1 : n + 1]).T
    graphs = [s.graphs(e) for e in (F_bar, p_dot[:n], gamma_p, c_p)]
    results = []
    for point in random_points(system, 2, seed=1):
        a, _ = chetaev.derive(system).evaluate(point)
        values = {**point, **{(k, 2): b for k, b in zip(system.coordinates, a, strict=True)}}
        results.append([evaluate_mp(e, values, 50) for e in graphs])
    return tuple(results)


CASES = [
    ("caratheodory-sleigh", ["phi'", "x'*cos(phi) + y'*sin(phi)"]),
    ("vertical-disc-torques", ["psi1'", "psi2'"]),
    ("rolling-disc", ["psi'", "phi'", "theta'"]),
]


@pytest.mark.parametrize(("name", "quasi"), CASES)
def test_3_41_F_bar_is_the_covariant_derivative_of_the_momenta(name: str, quasi: list[str]) -> None:
    """D4, D5: F̄_i = ∇_t Π̄_i = dΠ̄_i/dt − γ^ν_i(v) Π̄_ν, with φ = F dx + Π dẋ and (3.34)."""
    for F_bar, p_dot, gamma_p, _ in frame_terms(name, quasi):
        for f, d, g in zip(F_bar, p_dot, gamma_p, strict=True):
            assert abs(f - d + g) < 1e-38 * (1 + abs(f) + abs(d))


def test_4_23_has_the_structure_functions_in_place_of_gamma() -> None:
    """D5: F̄_μ = dp̄_μ/dt − c^ν_μ(v) p̄_ν holds only if F̄ is taken at fixed quasi-velocities (Hamel).

    With F̄ of (3.34), at fixed velocities, it is γ, not c, that belongs here: for the sleigh the two
    differ, for the upright disc both terms vanish, so that (4.24) and (4.25) are not affected.
    """
    sleigh = frame_terms(*CASES[0])
    assert max(abs(f - d + c) for F, D, _, C in sleigh for f, d, c in zip(F, D, C, strict=True)) > 1e-3
    for _, _, gamma_p, c_p in frame_terms(*CASES[1]):
        assert max(map(abs, [*gamma_p, *c_p])) < 1e-40


def test_4_12_and_4_13_connection_of_the_disc_with_a_rotation_missing() -> None:
    """D3: γ^α_j = −dR^α_β R̃^β_γ a^γ_j, printed without R̃; (4.13) is right. (4.10) swaps A and Ã."""
    beta, R = sp.symbols("beta R")
    rotation = sp.Matrix([[sp.cos(beta), sp.sin(beta)], [-sp.sin(beta), sp.cos(beta)]])  # R(α + ψ²)
    a = sp.Matrix([[R, 0], [0, 0]])
    right = sp.simplify(-rotation.diff(beta) * rotation.T * a)
    assert right == sp.Matrix([[0, 0], [R, 0]])  # (4.13)
    assert sp.simplify(-rotation.diff(beta) * a) != right
    assert sp.simplify(-rotation.diff(beta) * rotation.T) == sp.Matrix([[0, -1], [1, 0]])


def test_4_14_differential_of_the_polar_angle() -> None:
    alpha, psi, r = sp.symbols("alpha psi r")
    back = sp.Matrix(
        [[sp.cos(alpha + psi), -sp.sin(alpha + psi)], [sp.sin(alpha + psi), sp.cos(alpha + psi)]]
    )
    row = sp.Matrix([[-sp.sin(alpha), sp.cos(alpha)]]) / r * back  # dα in ξ¹, ξ²; ξ = θ + a dψ
    assert sp.simplify(row - sp.Matrix([[sp.sin(psi), sp.cos(psi)]]) / r) == sp.zeros(1, 2)


def test_4_19_to_4_22_momenta_of_the_disc_with_an_R_missing_in_4_21() -> None:
    """D6: L̄_1 = L_1 + p̄_1 R = (I_1 + mR²)ω_1; (4.21) prints p̄_1 R = m v̄_1 = mRω_1 for mRv̄_1 = mR²ω_1."""
    system = ch.load("vertical-disc-torques")
    equations = hamel.derive(system, ["psi1'", "psi2'"])
    for point in random_points(system, 2, seed=2):
        m, R, I1, I2 = (point[k] for k in ("m", "R", "I1", "I2"))
        p = evaluate_mp(equations.momenta, point, 50)
        assert abs(p[0] - (I1 + m * R**2) * point[("psi1", 1)]) < 1e-45
        assert abs(p[1] - I2 * point[("psi2", 1)]) < 1e-45


@pytest.mark.parametrize("name", ["vertical-disc-torques", "vertical-disc-torques-delphenich"])
def test_4_25_vertical_disc_with_torques(name: str) -> None:
    """D6: ω̇_1 = (τ_1 + RF̄_1)/(I_1 + mR²), ω̇_2 = τ_2/I_2; heading from a fixed line, and as printed."""
    system = ch.load(name)
    equations = hamel.derive(system, ["psi1'", "psi2'"])
    s = Setup(system)
    loads = [system.definitions[k] for k in ("tau1", "tau2", "F1")]
    for point in random_points(system, 3, seed=3):
        m, R, I1, I2 = (point[k] for k in ("m", "R", "I1", "I2"))
        tau1, tau2, F1 = evaluate_mp(loads, point, 50)
        a, _ = equations.evaluate(point)
        assert abs(a[0] - (tau1 + R * F1) / (I1 + m * R**2)) < 1e-40
        assert abs(a[1] - tau2 / I2) < 1e-40
    assert s.k == 2
