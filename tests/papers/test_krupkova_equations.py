"""Krupková, Geometric mechanics on nonholonomic submanifolds: the equations of motion, one by one.

Each test evaluates a displayed formula as it stands, by means of its own, at random points of Q with 50
digits, and compares with what the package derives. Krupková's force is Φ = −F; her Euler–Lagrange
expression is E = ∂L/∂q − d/dt ∂L/∂v, the negative of DESIGN's left side.
"""

from __future__ import annotations

import random

import casadi
import pytest
import sympy
from mpmath import mp

import chetaev as ch
from chetaev.equations.forms import chetaev, euler_lagrange, internal, lepage, reduced, sode, vakonomic
from chetaev.equations.forms.reduced import DerivationsOnQ
from chetaev.equations.law.setup import Setup
from chetaev.equations.law.singular import analyse
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import random_points
from chetaev.variation.first_variation import constrained_first_variation, first_variation

SYSTEMS = (
    "rolling-disc",
    "leibniz-particle",
    "decelerated-particle",
    "damped-sleigh",
    "implicit-constraint-quintic",
)
"""Linear, quadratic, rheonomic, with a force, and with no closed normal form."""


def values(s, matrix, point):
    """A matrix of engine nodes at a point, as an mpmath matrix."""
    return numbers(s.matrix(casadi.densify(matrix)), point)


def numbers(rows, point):
    """Rows of graphs at a point, as an mpmath matrix."""
    flat = iter(evaluate_mp([e for row in rows for e in row], point, 50))
    return mp.matrix([[next(flat) for _ in row] for row in rows])


def close(a, b):
    return mp.norm(a - b) < 1e-38 * (1 + mp.norm(b))


def free_accelerations(s, on_q, point, seed=0):
    """Random accelerations of Q̂: a^s any, a^a = d_c g^a/dt (54)."""
    rng = random.Random(seed)
    chosen = mp.matrix([mp.mpf(rng.randint(-999, 999)) / 256 for _ in s.independent])
    dependent = values(s, on_q.g_t + on_q.g_q @ s.v, point) + values(s, on_q.g_v, point) * chosen
    a = dict(zip(s.independent, chosen, strict=True)) | dict(zip(s.dependent, dependent, strict=True))
    return chosen, mp.matrix([a[i] for i in range(s.m)])


def with_a(s, point, a):
    return point | {(c, 2): a[i] for i, c in enumerate(s.system.coordinates)}


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


@pytest.fixture(params=SYSTEMS)
def prepared(request):
    s = Setup(ch.load(request.param))
    return s, DerivationsOnQ(s), next(random_points(s.system, 1, seed=3))


def euler_expression(s):
    """E_σ = A_σ + B_σν a^ν with a force (31), (33)."""
    p = casadi.gradient(s.L, s.v)
    return casadi.gradient(s.L, s.q) - s.along(p) - s.by_v(p) @ s.a + s.F


def test_16_22_33_A_and_B_of_the_unconstrained_system():
    s = Setup(ch.load("double-pendulum"))
    A, B = lepage.ambient(s)
    law = euler_lagrange.derive(s.system)
    point = next(random_points(s.system, 1))
    assert close(numbers([law.A], point).T, values(s, A, point))
    assert close(numbers(law.B, point), values(s, B, point))
    assert mp.norm(values(s, euler_expression(s), with_a(s, point, law.evaluate(point)[0]))) < 1e-40


def test_19_20_21_first_variation_formula():
    found = first_variation(
        ch.load("double-pendulum"), {"a1": "t^2", "a2": "sin(t)"}, {"a1": "a2*t", "a2": "1"}, (0, 1), "cos(t)"
    )
    assert found.defect < 1e-25


def test_39_to_44_holonomic_constraints_both_ways():
    """(44) prints L and means L̄ = L∘J¹ι."""
    system = ch.load("bead-on-rotating-hoop")
    point = next(random_points(system, 1))
    a, mu = internal.derive(system).evaluate(point)
    b, reactions = chetaev.derive(system).evaluate(point)
    assert max(abs(x - y) for x, y in zip([*a, *mu], [*b, *reactions], strict=True)) < 1e-40


def test_48_49_chetaev_equations(prepared):
    """∂L/∂q − d/dt ∂L/∂v + F = −μ_a ∂f^a/∂v, so the force of constraint is +μ_a ∂f^a/∂v in our sign."""
    s, _, point = prepared
    a, mu = chetaev.derive(s.system).evaluate(point)
    left = values(s, euler_expression(s), with_a(s, point, a))
    assert close(left, -values(s, s.by_v(s.f).T, point) * mp.matrix(mu))


def test_50_51_vakonomic_equations_the_printed_sign_of_the_last_term_is_wrong(prepared):
    """Right: ∂L/∂q − d/dt ∂L/∂v = −μ (∂f/∂q − d/dt ∂f/∂v) + μ̇ ∂f/∂v; (51) prints − before μ̇ ∂f/∂v."""
    s, _, point = prepared
    law = vakonomic.derive(s.system)
    point = vakonomic.extend(law, point)
    a, rates = law.evaluate(point)
    point = with_a(s, point, a)
    left = values(s, euler_expression(s), point)
    C = s.by_v(s.f)
    right, wrong = mp.zeros(s.m, 1), mp.zeros(s.m, 1)
    for i in range(s.k):
        p = C[i, :].T
        bracket = values(s, s.by_q(s.f)[i, :].T - s.along(p) - s.by_v(p) @ s.a, point)
        moving = rates[i] * values(s, p, point)
        mu = mp.mpf(point[law.mu[i]].numerator) / point[law.mu[i]].denominator
        right += -mu * bracket + moving
        wrong += -mu * bracket - moving
    assert close(left, right)
    assert mp.norm(left - wrong) > 1e-3


@pytest.mark.slow
def test_50_51_the_sign_from_a_general_lagrangian():
    """The Euler–Lagrange equation of L + μ f with undetermined functions, by SymPy."""
    t, x, v, m = sympy.symbols("t x v m")
    q, mu = sympy.Function("q")(t), sympy.Function("mu")(t)
    L, f = sympy.Function("L")(t, x, v), sympy.Function("f")(t, x, v)

    def along(e):
        return e.subs({x: q, v: q.diff(t), m: mu}).doit()

    def euler(e):
        return along(e.diff(x)) - along(e.diff(v)).diff(t)

    assert sympy.simplify(euler(L + m * f) - (euler(L) + mu * euler(f) - mu.diff(t) * along(f.diff(v)))) == 0


def test_52_semiholonomic_constraints_make_both_equal():
    system = ch.load("semiholonomic-cone")
    assert vakonomic.agreement(system, next(random_points(system, 1))).agrees(1e-40)


def test_53_54_the_accelerations_lie_in_the_prolongation(prepared):
    s, _, point = prepared
    a = mp.matrix(chetaev.derive(s.system).evaluate(point)[0])
    assert mp.norm(values(s, s.by_v(s.f), point) * a + values(s, s.along(s.f), point)) < 1e-38 * (
        1 + mp.norm(a)
    )


def test_64_the_semiholonomy_condition():
    for name, semiholonomic in (
        ("semiholonomic-cone", True),
        ("knife-edge", False),
        ("leibniz-particle", False),
    ):
        s = Setup(ch.load(name))
        on_q = DerivationsOnQ(s)
        point = next(random_points(s.system, 1))
        chosen, _ = free_accelerations(s, on_q, point)
        size = mp.mpf(0)
        for a in range(len(s.dependent)):
            g_s = on_q.g_v[a, :].T
            partial = on_q.g_q[a, s.independent] + on_q.g_q[a, s.dependent] @ on_q.g_v
            condition = (
                values(s, partial.T - on_q.along(g_s), point) - values(s, on_q.by_v(g_s), point) * chosen
            )
            size = max(size, mp.norm(condition))
        assert (size < 1e-40) is semiholonomic


def test_65_to_70_pullback_of_the_lepage_form(prepared):
    """(68) as printed, with d'g/dt taken on Q (d'_c), is the pullback of (65), and equal to (69), (70)."""
    s, on_q, point = prepared
    S, D = s.independent, s.dependent
    A, B = lepage.ambient(s)
    g, g_dot = on_q.g_v, on_q.g_t + on_q.g_q @ s.v
    A_bar = A[S] + g.T @ A[D] + (B[S, D] + g.T @ B[D, D]) @ g_dot
    B_bar = B[S, S] + B[S, D] @ g + (B[D, S].T @ g).T + g.T @ B[D, D] @ g
    for found in (lepage.derive(s.system), reduced.derive(s.system)):
        assert close(numbers([found.A], point).T, values(s, A_bar, point))
        assert close(numbers(found.B, point), values(s, B_bar, point))


def reduced_expression(s, point, chosen):
    """Ā_s + B̄_sr a^r by (68)."""
    law = lepage.derive(s.system)
    return numbers([law.A], point).T + numbers(law.B, point) * chosen


def test_71_72_the_constrained_dynamical_form(prepared):
    """Ē^c = (Ā_s + B̄_sr a^r) ω^s∧dt is E restricted to the canonical distribution, on all of Q̂."""
    s, on_q, point = prepared
    chosen, a = free_accelerations(s, on_q, point)
    E = values(s, euler_expression(s), with_a(s, point, a))
    g_v = values(s, on_q.g_v, point)
    restricted = mp.matrix([E[i] for i in s.independent]) + g_v.T * mp.matrix([E[i] for i in s.dependent])
    expected = reduced_expression(s, point, chosen)
    assert close(restricted, expected)


def test_73_74_the_class_of_alpha_contracted_with_chetaev_fields(prepared):
    """J¹γ* i_Z ᾱ = Z^s (Ā_s + B̄_sr a^r) dt for vertical Chetaev fields, whatever Z̃^s is."""
    s, on_q, point = prepared
    form = numbers(lepage.derive(s.system).alpha, point)
    chosen, _ = free_accelerations(s, on_q, point)
    n, k = len(s.independent), len(s.dependent)
    Z = [mp.mpf(i + 2) / 3 for i in range(n)]
    field = mp.matrix([0, *Z, *([0] * k), *(mp.mpf(5) / (i + 1) for i in range(n))])
    speed = mp.matrix([1, *([0] * n), *([0] * k), *chosen])
    expected = reduced_expression(s, point, chosen)
    found = (field.T * form * speed)[0]
    assert abs(found - sum(z * e for z, e in zip(Z, expected, strict=True))) < 1e-38 * (1 + mp.norm(expected))


def test_75_76_79_reduced_equations_with_the_full_constraint_derivative(prepared):
    """(76), (79): d_c/dt with accelerations in it, on all of Q̂; at the motion it vanishes (75)."""
    s, on_q, point = prepared
    chosen, _ = free_accelerations(s, on_q, point)
    S, D = s.independent, s.dependent
    L_v = on_q.by_v(s.L).T

    def total(column):
        return values(s, on_q.along(column), point) + values(s, on_q.by_v(column), point) * chosen

    p = values(s, s.by_v(s.L)[:, D], point)
    expression = values(s, on_q.chetaev(s.L).T + s.F[S] + on_q.g_v.T @ s.F[D], point) - total(L_v)
    for a in range(len(D)):
        g_c = (on_q.g_q[a, S] + on_q.g_q[a, D] @ on_q.g_v).T
        expression -= p[a] * (values(s, g_c, point) - total(on_q.g_v[a, :].T))
    expected = reduced_expression(s, point, chosen)
    assert close(expression, expected)
    a = chetaev.derive(s.system).evaluate(point)[0]
    motion = mp.matrix([a[i] for i in S])
    assert mp.norm(reduced_expression(s, point, motion)) < 1e-38 * (1 + mp.norm(expected))


@pytest.mark.parametrize("name", ["rolling-disc", "leibniz-particle", "implicit-constraint-quintic"])
def test_77_78_iota_star_d_theta_on_vertical_chetaev_fields(name):
    """J¹γ* i_Z ι*dθ_λ = Z^s (Ā_s + B̄_sr a^r) dt for a system without force."""
    s = lepage.ChosenChart(ch.load(name))
    on_q = sode.FormsOnQ(s)
    point = next(random_points(s.system, 1))
    chosen, a = free_accelerations(s, on_q, point)
    theta = s.L * on_q.dt
    for i in range(s.m):
        theta += s.by_v(s.L)[i] * (on_q.dq[i] - s.v[i] * on_q.dt)
    speed = casadi.vertcat(1, s.v, s.a[s.independent])
    found = values(s, on_q.X.T @ on_q.exterior(theta) @ speed, with_a(s, point, a))
    expected = reduced_expression(s, point, chosen)
    assert close(found, expected)


def test_80_to_83_nonholonomic_first_variation_formula():
    curve = {"x": "v0/2*sin(2*t)", "y": "v0/2*cos(2*t)", "z": "t*0"}
    found = constrained_first_variation(
        ch.load("leibniz-particle"), curve, {"y": "y'*z + 1"}, {"z": "t"}, (0.1, 0.5), "t", dependent=["x"]
    )
    assert found.defect < 1e-25


@pytest.mark.parametrize(
    ("name", "enough"), [("semiholonomic-cone", True), ("semiholonomic-disc", True), ("rolling-disc", False)]
)
def test_84_the_restricted_lagrangian_is_enough_for_semiholonomic_constraints_only(name, enough):
    s = Setup(ch.load(name))
    on_q = DerivationsOnQ(s)
    point = next(random_points(s.system, 1))
    a = chetaev.derive(s.system).evaluate(point)[0]
    motion = mp.matrix([a[i] for i in s.independent])
    L_v = on_q.by_v(s.L).T
    left = values(s, on_q.chetaev(s.L).T - on_q.along(L_v), point) - values(s, on_q.by_v(L_v), point) * motion
    assert (mp.norm(left) < 1e-38 * (1 + mp.norm(motion))) is enough


@pytest.mark.few(3)
def test_85_86_87_regularity_and_the_constrained_semispray(prepared):
    """ζ of (87) is Sarlet's Γ: dq/dt = v on Q, and dv^l/dt = −B̄^ls Ā_s."""
    s, _, point = prepared
    assert analyse(s.system, point).regular
    law = lepage.derive(s.system)
    zeta = mp.lu_solve(numbers(law.B, point), -numbers([law.A], point).T)
    gamma = evaluate_mp(sode.derive(s.system).Gamma, point, 50)
    assert mp.norm(mp.matrix(gamma[1 + s.m :]) - zeta) < 1e-38 * (1 + mp.norm(zeta))
    speed = mp.matrix([point[c, 1] for c in s.system.coordinates])
    assert mp.norm(mp.matrix(gamma[1 : 1 + s.m]) - speed) < 1e-45
