"""Sarlet, The geometry of mixed first and second-order equations: sections 1 and 6 (Sa1, Sa9, Sa10).

The equations of the paper carry no numbers; tests name the section.
"""

from __future__ import annotations

import pytest
import sympy
from mpmath import mp

import chetaev as ch
from chetaev.equations.forms import chaplygin, chetaev, lepage, reduced, sode
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.language.sympy_bridge import convert, sympy_symbol
from chetaev.expr.print import to_text
from chetaev.model.states.points import random_points
from given_on_q import mixed

LINEAR = ("rolling-disc", "dog-pursues-man", "ball-on-accelerated-table")


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("name", LINEAR)
def test_section_1_equations_of_motion_with_C(name):
    """d/dt ∂L̄/∂v^α = X_α(L̄) + C^a_α ∂L/∂v^a with C^a_α = dB^a_α/dt − X_α(B^a_β v^β + B^a), by SymPy.

    The constraints are solved by SymPy, L̄ is formed by substitution, and every derivative is SymPy's own.
    """
    system = ch.load(name)
    dependent = {
        "rolling-disc": ["x", "y"],
        "dog-pursues-man": ["y"],
        "ball-on-accelerated-table": ["x", "y"],
    }[name]
    free = [c for c in system.coordinates if c not in dependent]
    L, *f = convert([system.lagrangian, *(e.residual for e in system.velocity_constraints)], expand=True)
    t = sympy_symbol("t")
    q = {c: sympy_symbol(c) for c in system.coordinates}
    v = {c: sympy_symbol(c, 1) for c in system.coordinates}
    solved = sympy.solve(f, [v[c] for c in dependent], dict=True)[0]
    g = {c: solved[v[c]] for c in dependent}
    L_bar = L.subs(solved)
    point = next(random_points(system, 1, digits=40))
    a = dict(zip(system.coordinates, chetaev.derive(system).evaluate(point)[0], strict=True))
    numbers = {q[c]: point[c, 0] for c in q} | {v[c]: point[c, 1] for c in free} | {t: point["t"]}
    numbers |= {sympy_symbol(p): point[p] for p in system.parameters}
    rate = {sympy_symbol(c, 2): a[c] for c in free}

    def along(e):
        total = (
            e.diff(t) + sum(e.diff(q[c]) * v[c] for c in free) + sum(e.diff(q[c]) * g[c] for c in dependent)
        )
        return total + sum(e.diff(v[c]) * sympy_symbol(c, 2) for c in free)

    def X(alpha, e):
        return e.diff(q[alpha]) + sum(g[b].diff(v[alpha]) * e.diff(q[b]) for b in dependent)

    for alpha in free:
        C = {b: along(g[b].diff(v[alpha])) - X(alpha, g[b]) for b in dependent}
        forces = sum(C[b] * L.diff(v[b]).subs(solved) for b in dependent)
        equation = along(L_bar.diff(v[alpha])) - X(alpha, L_bar) - forces
        assert abs(equation.subs(rate).subs(numbers).evalf(30)) < 1e-20


@pytest.mark.parametrize("name", LINEAR)
def test_section_1_the_package_has_the_same_C(name):
    system = ch.load(name)
    one, two = chaplygin.derive(system), sode.derive(system)
    point = next(random_points(system, 1))
    left = evaluate_mp([e for row in one.C for e in row], point, 50)
    right = evaluate_mp(
        [e for row in two.C for e in row], point | {(c, 2): 7 for c in system.coordinates}, 50
    )
    assert max(abs(x - y) for x, y in zip(left, right, strict=True)) < 1e-40


def test_section_1_a_nonholonomic_system_becomes_a_mixed_system():
    """q̈^α = f^α, q̇^a = g^a: Γ of the knife edge, written out, is a mixed system with the same motion."""
    system = ch.load("dog-pursues-man")
    law = sode.derive(system, ["y"])
    # on Q every y' may be written by the constraint
    g = "(y - c*t)/x*x'"
    acceleration = to_text(law.Gamma[-1]).replace("y'", f"({g})")
    other = mixed(["x", "y"], second={"x": acceleration}, first={"y": g}, parameters={"m": 1, "c": 1, "v": 2},
                  initial={"x": 4, "y": 3, "x_dot": -1.6})  # fmt: skip
    for point in random_points(system, 3):
        a, b = reduced.derive(other).evaluate(point)[0], chetaev.derive(system).evaluate(point)[0]
        assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-40


@pytest.mark.parametrize(
    "name", ["rolling-disc", "leibniz-particle", "implicit-constraint-quintic", "damped-sleigh"]
)
def test_section_6_Gamma_is_the_only_second_order_field_with_i_Gamma_Omega_zero(name):
    """<Γ, dt> = 1, <Γ, θ^α> = 0, <Γ, η^a> = 0, i_ΓΩ = 0; ψ also for nonlinear constraints and forces."""
    system = ch.load(name)
    law = sode.derive(system)
    s = lepage.ChosenChart(system)
    on_q = sode.FormsOnQ(s)
    point = next(random_points(system, 1))
    gamma = mp.matrix(evaluate_mp(law.Gamma, point, 50))
    for form, value in [(on_q.dt, 1), *((f, 0) for f in on_q.theta), *((f, 0) for f in on_q.eta)]:
        components = mp.matrix(evaluate_mp(s.graphs(form), point, 50))
        assert abs((components.T * gamma)[0] - value) < 1e-45
    a = dict(zip(system.coordinates, law.evaluate(point)[0], strict=True))
    full = point | {(c, 2): x for c, x in a.items()}
    size = len(law.Omega)
    flat = evaluate_mp([e for row in law.Omega for e in row], full, 50)
    omega = mp.matrix([[flat[i * size + j] for j in range(size)] for i in range(size)])
    assert mp.norm(omega + omega.T) == 0
    assert mp.norm(omega.T * gamma) < 1e-38 * (1 + mp.norm(omega))


@pytest.mark.parametrize("name", ["rolling-disc", "knife-edge"])
def test_section_6_Omega_is_the_pullback_of_d_theta_modulo_constraint_forms(name):
    """ι*θ_L = θ_L̄ + p_a η^a: so Ω and ι*dθ_L agree on Γ and X_α (contractions with η vanish there)."""
    system = ch.load(name)
    law = sode.derive(system)
    s = lepage.ChosenChart(system)
    on_q = sode.FormsOnQ(s)
    point = next(random_points(system, 1))
    theta = sode.cartan_form(on_q)
    for a, i in enumerate(s.dependent):
        theta = theta + s.by_v(s.L)[i] * on_q.eta[a]
    accelerations = dict(zip(system.coordinates, law.evaluate(point)[0], strict=True))
    full = point | {(c, 2): x for c, x in accelerations.items()}
    parts = []
    for matrix in (s.matrix(on_q.exterior(theta)), law.Omega):
        flat = evaluate_mp([e for row in matrix for e in row], full, 50)
        parts.append(
            mp.matrix([[flat[i * on_q.size + j] for j in range(on_q.size)] for i in range(on_q.size)])
        )
    gamma = mp.matrix(evaluate_mp(law.Gamma, point, 50))
    X = s.matrix(on_q.X)
    flat = evaluate_mp([e for row in X for e in row], point, 50)
    fields = mp.matrix([[flat[i * on_q.n + j] for j in range(on_q.n)] for i in range(on_q.size)])
    difference = fields.T * (parts[0].T - parts[1].T) * gamma
    assert mp.norm(difference) < 1e-38 * (1 + mp.norm(parts[1]))
