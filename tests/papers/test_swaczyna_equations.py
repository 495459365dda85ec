"""Swaczyna, Several examples of nonholonomic mechanical systems: coefficients and solutions (Sw1–Sw7).

Printed coefficients A', B' are read as texts of the model language and compared, in the paper's own chart,
with those the package derives, at random points of Q with 50 digits. Where the print is wrong the test shows
the right formula, and that the printed one differs. q̇ printed for q̈ in reduced equations, and ∂L̄/∂q̇^l
printed for ∂L̄/∂q^l as the first term of (12), are slips of the type and are read as meant.
"""

from __future__ import annotations

import casadi
import pytest
from mpmath import mp

import chetaev as ch
from chetaev.equations.forms import chetaev, lepage, reduced
from chetaev.equations.law.setup import Setup
from chetaev.equations.law.singular import analyse
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import ZERO
from chetaev.expr.language.parser import parse
from chetaev.model.states.points import random_points
from chetaev.variation.first_variation import Curve


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def distance(system, expressions, texts, count=3):
    """Largest relative difference between expressions and texts on Q."""
    scope = system.scope.but(order=2)
    read = [parse(text, scope) for text in texts]
    worst = mp.mpf(0)
    for point in random_points(system, count):
        a = chetaev.derive(system).evaluate(point)[0]
        point |= {(c, 2): x for c, x in zip(system.coordinates, a, strict=True)}
        found, wanted = evaluate_mp(expressions, point, 50), evaluate_mp(read, point, 50)
        scale = max([mp.mpf(1), *map(abs, wanted)])
        worst = max(worst, *(abs(x - y) / scale for x, y in zip(found, wanted, strict=True)))
    return worst


def zero_on_motions(system, *texts, count=3):
    """Largest value of expressions in accelerations at the motions."""
    return distance(system, [ZERO] * len(texts), texts, count)


def moves_along(name, curve, times):
    """Largest difference between the accelerations of a closed curve and the law."""
    system = ch.load(name)
    law, on_curve = chetaev.derive(system), Curve(system, curve)
    worst = mp.mpf(0)
    for t in times:
        point = on_curve.point(t)
        worst = max(
            worst,
            *(abs(x) for x in evaluate_mp([e.residual for e in system.velocity_constraints], point, 50)),
        )
        a = law.evaluate(point)[0]
        worst = max(worst, *(abs(x - point[c, 2]) for c, x in zip(system.coordinates, a, strict=True)))
    return worst


def test_12_13_14_general_coefficients_equal_those_of_krupkova():
    system = ch.load("ball-on-accelerated-table")
    by_forms, by_lagrangian = lepage.derive(system), reduced.derive(system)
    for point in random_points(system, 2):
        for one, two in (([by_forms.A], [by_lagrangian.A]), (by_forms.B, by_lagrangian.B)):
            left = evaluate_mp([e for row in one for e in row], point, 50)
            right = evaluate_mp([e for row in two for e in row], point, 50)
            assert max(abs(x - y) for x, y in zip(left, right, strict=True)) < 1e-40


S, C = "sin(theta)", "cos(theta)"
SPHERE = ["-m*(1 + x'^2/z'^2)", "-m*x'*y'/z'^2", "-m*x'*y'/z'^2", "-m*(1 + y'^2/z'^2)"]
RATE = {"ball-on-rotating-table": "0", "ball-on-accelerated-table": "beta"}


def disc(A, mixed):
    inner = f"-(m*R^2 + I2)*{S}^2 - I1*{C}^2"
    return A, ["-(m*R^2 + I2)", mixed, "0", mixed, inner, "0", "0", "0", "-(m*R^2 + I1)"]


def ball(rate):
    A = [
        f"-(R^2 + k^2)*phi'*psi'*{S} + R*(Omega*x' + {rate}*x)*cos(psi) + R*(Omega*y' + {rate}*y)*sin(psi)",
        f"-R^2*theta'*phi'*{S}*{C} + (R^2 + k^2)*theta'*psi'*{S} + R*{rate}*{S}*(x*sin(psi) - y*cos(psi))"
        f" + R*Omega*{S}*(x'*sin(psi) - y'*cos(psi))",
        f"k^2*theta'*phi'*{S}",
    ]
    return A, ["-(R^2 + k^2)", "0", "0", "0", f"-(R^2*{S}^2 + k^2)", f"-k^2*{C}", "0", f"-k^2*{C}", "-k^2"]


COEFFICIENTS = {
    "Sw1": ("decelerated-particle", "z", (["-m*x'/(2*t^2*z'^2)", "-m*y'/(2*t^2*z'^2)"], SPHERE)),
    "Sw2 (22)": ("dog-pursues-man", "y", (["m*c*x'*(y - c*t)/x^2"], ["-m*(1 + (y - c*t)^2/x^2)"])),
    "Sw3 (28)": ("pursuit", "y", (
        ["m*x'*((a*w*cos(w*t))*(y - eta)*(x - xi) + a*w*sin(w*t)*(y - eta)^2)/(x - xi)^3"],
        ["-m*(1 + (y - eta)^2/(x - xi)^2)"],
    )),
    # printed A' has the wrong sign: ∂g/∂q̇^l = −q̇^l/g
    "Sw4 (31)": ("leibniz-particle", "z", (["m*g*x'/z'", "m*g*y'/z'"], SPHERE)),
    "Sw5 (34)": ("particle-on-cone", "z", (
        ["-m*g*b^2*x'/z'", "-m*g*b^2*y'/z'"],
        [f"-m*({int(p == q)} + b^2*{p}'*{q}'/(x'^2 + y'^2))" for p in "xy" for q in "xy"],
    )),
    "Sw6 (37) and (38) as printed": ("rolling-disc-swaczyna", "xy", disc([
        f"(2*m*R^2 - I2)*{C}*phi'*theta'",
        f"-I2*{C}*psi'*theta' - 2*(m*R^2 - I1 + I2)*{S}*{C}*phi'*theta'",
        f"(I2 - m*R^2)*{C}*psi'*phi' + (m*R^2 - I1 + I2)*{S}*{C}*phi'^2 + m*g*R*{S}",
    ], f"(m*R^2 - I2)*{S}")),
    # (37) and (38) belong to discs that turn opposite ways; these follow from ψ' − φ' sin ϑ in (37)
    "Sw6 the right disc": ("rolling-disc", "xy", disc([
        f"(2*m*R^2 + I2)*{C}*phi'*theta'",
        f"I2*{C}*psi'*theta' - 2*(m*R^2 - I1 + I2)*{S}*{C}*phi'*theta'",
        f"-(m*R^2 + I2)*{C}*psi'*phi' + (m*R^2 - I1 + I2)*{S}*{C}*phi'^2 + m*g*R*{S}",
    ], f"(m*R^2 + I2)*{S}")),
    "Sw7 (39), constant": ("ball-on-rotating-table", "xy", ball("0")),
    "Sw7 (39), not constant": ("ball-on-accelerated-table", "xy", ball("beta")),
}  # fmt: skip


@pytest.mark.few(2)
@pytest.mark.parametrize("example", COEFFICIENTS)
def test_A_and_B(example):
    name, dependent, (A, B) = COEFFICIENTS[example]
    system = ch.load(name)
    law = lepage.derive(system, list(dependent))
    assert distance(system, law.A, A) < 1e-38
    assert distance(system, [e for row in law.B for e in row], B) < 1e-38
    assert analyse(system).regular


def test_Sw4_31_the_printed_sign_of_A_is_wrong():
    system = ch.load("leibniz-particle")
    assert distance(system, lepage.derive(system, ["z"]).A, ["-m*g*x'/z'", "-m*g*y'/z'"]) > 1e-2


KAPPA = "(k^2*Omega/(R^2 + k^2))"
D1, D2 = "(wx - R*Omega*x/(R^2 + k^2))", "(wy - R*Omega*y/(R^2 + k^2))"
WX_DOT = (
    f"(theta''*cos(psi) - theta'*psi'*sin(psi) + phi''*{S}*sin(psi)"
    f" + phi'*theta'*{C}*sin(psi) + phi'*psi'*{S}*cos(psi))"
)
WY_DOT = (
    f"(theta''*sin(psi) + theta'*psi'*cos(psi) - phi''*{S}*cos(psi)"
    f" - phi'*theta'*{C}*cos(psi) + phi'*psi'*{S}*sin(psi))"
)
MOTIONS = {
    "Sw1": ("decelerated-particle", "x'' + x'/(2*t)", "y'' + y'/(2*t)", "z'' + z'/(2*t)"),
    "Sw2 (22)": ("dog-pursues-man", "m*c*(y - c*t)/x^2*x' - m*(x^2 + (y - c*t)^2)/x^2*x''"),
    # ẍ = μ* G, ÿ = −μ*; the energy balance in print lacks a factor m
    "Sw2 (23)": ("dog-pursues-man", "x'' + (y - c*t)/x*y''", "x'*x'' + y'*y''"),
    "Sw4": ("leibniz-particle", "x'' - g/v0^2*x'*z'", "y'' - g/v0^2*y'*z'",
            "-m*g*x'/z' + m*(1 + x'^2/z'^2)*x'' + m*x'*y'/z'^2*y''"),
    "Sw5 (36)": ("particle-on-cone", "z'*x'' + b^2*g*x'/(1 + b^2)", "z'' + g*b^2/(1 + b^2)"),
    # frequency κ (printed κ²), centre (R D₁/κ, R D₂/κ): circles, no ellipses
    "Sw7 constant": ("ball-on-rotating-table", f"x'' + {KAPPA}^2*x - {KAPPA}*R*{D1}",
                     f"y'' + {KAPPA}^2*y - {KAPPA}*R*{D2}",
                     f"(x - R*{D1}/{KAPPA})*x' + (y - R*{D2}/{KAPPA})*y'"),
}  # fmt: skip
for table, rate in RATE.items():
    MOTIONS |= {
        # the third equation is k² q̈³ = 0 (printed −k q̈³)
        f"Sw7 (41) to (43) {table}": (
            table,
            f"(R^2 + k^2)*{WX_DOT} - R^2*Omega*wy - R*{rate}*x + R*Omega^2*y",
            f"(R^2 + k^2)*{WY_DOT} + R^2*Omega*wx - R*{rate}*y - R*Omega^2*x",
            f"k^2*(psi'' + phi''*{C} - phi'*theta'*{S})",
        ),
        f"Sw7 (44) {table}": (
            table,
            f"(R^2 + k^2)*{WX_DOT} - R*(Omega*x' + {rate}*x)",
            f"(R^2 + k^2)*{WY_DOT} - R*(Omega*y' + {rate}*y)",
        ),
        # printed: + R D₁ in the first, − R D₂ in the second
        f"Sw7 (45) {table}": (table, f"x' + {KAPPA}*y - R*{D2}", f"y' - {KAPPA}*x + R*{D1}"),
        f"Sw7 (46) {table}": (
            table,
            f"x'' + {KAPPA}*y' + k^2*{rate}/(R^2 + k^2)*y",
            f"y'' - {KAPPA}*x' - k^2*{rate}/(R^2 + k^2)*x",
        ),
    }


@pytest.mark.few(9)
@pytest.mark.parametrize("example", MOTIONS)
def test_reduced_equations_and_integrals(example):
    name, *texts = MOTIONS[example]
    assert zero_on_motions(ch.load(name), *texts) < 1e-38


WRONG = {
    "Sw4": ("leibniz-particle", "m*g*x'/z' + m*(1 + x'^2/z'^2)*x'' + m*x'*y'/z'^2*y''"),
    "Sw7 (45)": ("ball-on-rotating-table", f"x' + {KAPPA}*y + R*{D1}", f"y' - {KAPPA}*x - R*{D2}"),
}


@pytest.mark.parametrize("example", WRONG)
def test_equations_wrong_in_print(example):
    name, *texts = WRONG[example]
    assert zero_on_motions(ch.load(name), *texts) > 1e-2


def test_Sw1_closed_solution_needs_minus_before_both_squares():
    """C₁³ = √(4 − (C₁¹)² − (C₁²)²); the print has + (C₁²)². It holds for a = 1."""
    curve = {"x": "1.2*sqrt(t) + 1", "y": "0.5*sqrt(t) - 2", "z": "sqrt(4 - 1.2^2 - 0.5^2)*sqrt(t)"}
    assert moves_along("decelerated-particle", curve, ["0.5", "1", "7"]) < 1e-45
    printed = curve | {"z": "sqrt(4 - 1.2^2 + 0.5^2)*sqrt(t)"}
    assert moves_along("decelerated-particle", printed, ["1"]) > 1e-2


def test_Sw2_25_26_27_the_curve_of_pursuit():
    """At a point of the curve its slope gives t and the velocity, and the law gives back its curvature."""
    system = ch.load("dog-pursues-man")
    law = chetaev.derive(system)
    c, v, x0, y0 = 1, 2, mp.mpf(4), mp.mpf(3)
    alpha = mp.mpf(c) / v
    A = (y0 + mp.sqrt(x0**2 + y0**2)) / x0 ** (1 + alpha)

    def y(x):
        rise = A / (1 + alpha) * (x ** (1 + alpha) - x0 ** (1 + alpha))
        return y0 + (rise - (x ** (1 - alpha) - x0 ** (1 - alpha)) / (A * (1 - alpha))) / 2

    def slope(x):
        return (A * x**alpha - 1 / (A * x**alpha)) / 2

    def x_dot(x):
        return -v / mp.sqrt(1 + slope(x) ** 2)

    for x in (mp.mpf(4), mp.mpf("2.5"), mp.mpf("0.7")):
        bend = alpha / x * mp.sqrt(1 + slope(x) ** 2)
        assert abs(mp.diff(y, x) - slope(x)) < 1e-20
        assert abs(mp.diff(slope, x) - bend) < 1e-20
        assert abs(x_dot(x) + c / (x * bend)) < 1e-45
        t = (y(x) - x * slope(x)) / c
        point = {"m": 1, "c": c, "v": v, "t": t, ("x", 0): x, ("y", 0): y(x)}
        point |= {("x", 1): x_dot(x), ("y", 1): slope(x) * x_dot(x)}
        expected = mp.diff(x_dot, x) * x_dot(x)
        assert abs(law.evaluate(point)[0][0] - expected) < 1e-18


def test_Sw4_32_33_closed_solution_on_both_sides_of_the_top():
    """√C is v0. (33) holds for all t without the bars: q̇³ = √C (1 − B²e^{2αt})/(1 + B²e^{2αt}), α = G/√C."""
    alpha, kappa, B = "(g/v0)", "(1/2)", "(1/sqrt(5))"
    horizontal = f"2*v0^2/g*atan({B}*exp({alpha}*t))"
    curve = {
        "x": f"sqrt({kappa}^2/(1 + {kappa}^2))*{horizontal}",
        "y": f"sqrt(1/(1 + {kappa}^2))*{horizontal}",
        "z": f"-v0^2/g*log(2*cosh({alpha}*t + log({B})))",
    }
    assert moves_along("leibniz-particle", curve, ["0", "0.2", "0.246342537617", "0.9"]) < 1e-40
    point = Curve(ch.load("leibniz-particle"), curve).point("0.9")
    square = mp.exp(2 * point["g"] / 3 * mp.mpf("0.9")) / 5
    assert abs(point["z", 1] - 3 * (1 - square) / (1 + square)) < 1e-45
    late = Curve(ch.load("leibniz-particle"), curve).point("9")
    assert abs(late["z", 1] + 3) < 1e-20  # the final velocity is (0, 0, −√C); the print has +√C


def test_Sw4_the_integral_of_the_first_order_system_has_one_over_sqrt_C():
    """(1/√C) ln[(√K − √(K − p²))/p] = (G/C) t + b with K = C κ²/(1 + κ²); the print has √C before ln."""
    C, G, kappa = mp.mpf(9), mp.mpf("9.8"), mp.mpf(1) / 2
    K = C * kappa**2 / (1 + kappa**2)

    def integral(p):
        return mp.log((mp.sqrt(K) - mp.sqrt(K - p**2)) / p) / mp.sqrt(C)

    p = mp.mpf(1)
    rate = G / C * p * mp.sqrt(C - (1 + 1 / kappa**2) * p**2)
    assert abs(mp.diff(integral, p) * rate - G / C) < 1e-20


def test_Sw5_closed_solution():
    """Any K with (K¹)² + (K²)² = 1/b²."""
    fall = "(5/2*t - g*b^2/(1 + b^2)*t^2/2)"
    curve = {"x": f"0.6/b*{fall} + 3", "y": f"0.8/b*{fall}", "z": f"{fall} - 1"}
    assert moves_along("particle-on-cone", curve, ["0", "0.7", "1.2"]) < 1e-45


def test_Sw6_37_euler_lagrange_expressions_as_printed():
    """They follow from (37); the ψ equation has the other overall sign."""
    s = Setup(ch.load("rolling-disc-swaczyna"))
    p = casadi.gradient(s.L, s.v)
    E = s.graphs(casadi.gradient(s.L, s.q) - s.along(p) - s.by_v(p) @ s.a)
    printed = [
        f"-m*x'' + m*R*(cos(phi)*{S}*phi'' + sin(phi)*{C}*theta'')"
        f" - m*R*(sin(phi)*{S}*(phi'^2 + theta'^2) - 2*cos(phi)*{C}*phi'*theta')",
        f"-m*y'' + m*R*(sin(phi)*{S}*phi'' - cos(phi)*{C}*theta'')"
        f" + m*R*(cos(phi)*{S}*(phi'^2 + theta'^2) + 2*sin(phi)*{C}*phi'*theta')",
        f"-(I2*(psi'' + {S}*phi'') + I2*{C}*phi'*theta')",
        f"m*R*(cos(phi)*{S}*x'' + sin(phi)*{S}*y'') - I2*{S}*psi'' - ((m*R^2 + I2)*{S}^2 + I1*{C}^2)*phi''"
        f" - I2*{C}*psi'*theta' - 2*(m*R^2 - I1 + I2)*{S}*{C}*phi'*theta'",
        f"m*R*(sin(phi)*{C}*x'' - cos(phi)*{C}*y'') - (m*R^2 + I1)*theta''"
        f" + (m*R^2 - I1 + I2)*{S}*{C}*phi'^2 + I2*{C}*psi'*phi' + m*g*R*{S}",
    ]
    assert distance(s.system, E, printed) < 1e-40
