"""Mestdag's review of Cushman, Duistermaat and Śniatycki, chapter 5: Carathéodory's sleigh (M1).

Equations in five ways, the reduced system in three, reconstruction, and the whole motion in closed form. With
u the speed along the edge, ω = φ', b² = (J + m a²)/m and V² = u² + b² ω² (twice the energy over the mass):

    u' = a ω²,   b² ω' = −a u ω:      u = V tanh s,   ω = (V/b) sech s,   s = a V (t − t₀)/b²,
    φ = φ₀ + (b/a) gd s,              gd s = 2 arctan tanh(s/2):   the sleigh turns by π b/a in all.

The path has a cusp at s = 0, from where it runs to a straight line of the direction φ₀ + π b/2a. Its distance
from the cusp is (b²/a) ∫ cot τ sin(κ τ) dτ from 0 to π/2, with κ = b/a, which is

    (b²/2a) sin(κπ/2) (β(1 + κ/2) + β(1 − κ/2)),      β(x) = (ψ((x + 1)/2) − ψ(x/2))/2.
"""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest
import sympy

import chetaev as ch
from chetaev.expr.graph.node import sub
from chetaev.laws.standpoint import standpoints
from chetaev.laws.vanishing_on_q import vanish

SLEIGH = ch.load("caratheodory-sleigh")
MOTIONS = [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}]
FRAME = {
    "omega": {"phi": 1},
    "u": {"x": "cos(phi)", "y": "sin(phi)"},
    "v": {"x": "-sin(phi)", "y": "cos(phi)"},
}
WAYS = {
    "chetaev": "d'Alembert's principle with multipliers",
    "dalembert": "orthogonal projection onto D",
    "quasi": "Hamel's equations in u and ω",
    "hamilton": "Hamilton's equations with multipliers",
    "bracket": "the almost Poisson bracket on D*",
}


@pytest.mark.few(2)
@pytest.mark.parametrize("form", WAYS)
def test_M1_equations_in_five_ways(form):
    """Each gives the accelerations of the reduced equations on Q, proved for all parameters."""
    known = ch.equations(SLEIGH, "reduced").accelerations
    found = ch.equations(SLEIGH, form).accelerations
    defects = [sub(found[c], known[c]) for c in SLEIGH.coordinates]
    for verdict in vanish(SLEIGH, defects, standpoints(SLEIGH)[0], 10_000_000):
        assert verdict.is_zero
        assert verdict.proved


@cache
def three():
    """By invariants of the symmetries, by the momenta of D ∩ V, on the algebra se(2)."""
    return (
        ch.reduce(SLEIGH, symmetries=MOTIONS),
        ch.reduce_by_group(SLEIGH, MOTIONS),
        ch.on_algebra(SLEIGH, frame=FRAME),
    )


def rates(field, names):
    """u' and ω' as SymPy expressions in u and ω, from a field in other names: (ω, u) = names."""
    m, J, a, u, w = sympy.symbols("m J a u omega")
    put = {"m": m, "J": J, "a": a, **names(m, J, a, u, w)}
    found = []
    for e in field:
        e = e.to_sympy()
        found.append(e.subs({s: put[s.name] for s in e.free_symbols}, simultaneous=True))
    return found


@pytest.mark.slow
def test_M1_reduction_in_three_ways():
    by_invariants, by_momenta, on_algebra = three()
    m, J, a, u, w = sympy.symbols("m J a u omega")
    expected = [-m * a * u * w / (J + m * a**2), a * w**2]
    first = rates(by_invariants.field.values(), lambda m, J, a, u, w: {"v_phi": w, "s1": u})
    third = rates(on_algebra.rates.values(), lambda m, J, a, u, w: {"omega": w, "u": u})
    second = rates(
        by_momenta.momentum_equations.values(),
        lambda m, J, a, u, w: {"p_1": (J + m * a**2) * w, "p_2": m * u},
    )
    second = [second[0] / (J + m * a**2), second[1] / m]
    for found in (first, second, third):
        assert [sympy.simplify(x - y) for x, y in zip(found, expected, strict=True)] == [0, 0]
    assert by_invariants.closed is True
    for verdicts in (by_momenta.agreement(), on_algebra.agreement()):
        assert all(v.proved and v.is_zero for v in verdicts.values())


@pytest.mark.slow
def test_M1_reconstruction_in_three_ways():
    at = np.linspace(0, 12, 7)
    full = ch.simulate(SLEIGH, until=12, at=at, tolerance=1e-12)
    for found in three():
        back = found.reconstruct(until=12, at=at, tolerance=1e-12)
        for c in SLEIGH.coordinates:
            np.testing.assert_allclose(back[c], full[c], atol=1e-9)


def test_M1_the_motion_in_closed_form_solves_the_reduced_equations():
    s, V, a, b, p0 = sympy.symbols("s V a b phi0", positive=True)
    u, w = V * sympy.tanh(s), V / b / sympy.cosh(s)
    phi = p0 + b / a * 2 * sympy.atan(sympy.tanh(s / 2))
    speed = a * V / b**2  # ds/dt
    assert sympy.simplify((sympy.diff(u, s) * speed - a * w**2).rewrite(sympy.exp)) == 0
    assert sympy.simplify((sympy.diff(w, s) * speed + a * u * w / b**2).rewrite(sympy.exp)) == 0
    assert sympy.simplify((sympy.diff(phi, s) * speed - w).rewrite(sympy.exp)) == 0


def closed():
    """a, b, V, s at the start and ds/dt of the gallery's motion, φ₀."""
    values = SLEIGH.parameter_values
    m, J, a = (values[n] for n in "mJa")
    state = SLEIGH.state
    u, w = state.velocity["x"], state.velocity["phi"]  # φ = 0 at the start
    b = float(np.sqrt((J + m * a * a) / m))
    V = float(np.hypot(u, b * w))
    s = float(np.arctanh(u / V))
    return a, b, V, s, a * V / b**2, -b / a * gd(s)


def gd(s):
    return 2 * np.arctan(np.tanh(s / 2))


def test_M1_the_motion_of_the_gallery_is_the_closed_one():
    a, b, V, s0, speed, phi0 = closed()
    at = np.linspace(0, 20, 21)
    motion = ch.simulate(SLEIGH, until=20, at=at, tolerance=1e-12)
    s = s0 + speed * at
    np.testing.assert_allclose(motion["phi"], phi0 + b / a * gd(s), atol=1e-9)
    np.testing.assert_allclose(motion["phi_dot"], V / b / np.cosh(s), atol=1e-9)
    along = motion["x_dot"] * np.cos(motion["phi"]) + motion["y_dot"] * np.sin(motion["phi"])
    np.testing.assert_allclose(along, V * np.tanh(s), atol=1e-9)


def distance(a, b):
    """From the cusp to the straight line at the end."""
    kappa = mpmath.mpf(b) / mpmath.mpf(a)

    def beta(x):
        return (mpmath.digamma((x + 1) / 2) - mpmath.digamma(x / 2)) / 2

    return b**2 / (2 * a) * mpmath.sin(kappa * mpmath.pi / 2) * (beta(1 + kappa / 2) + beta(1 - kappa / 2))


@pytest.mark.parametrize(("a", "b"), [(0.4, 0.8124038404635961), (1.0, 0.3), (0.7, 2.3)])
def test_M1_the_integral_of_the_lateral_shift(a, b):
    with mpmath.workdps(25):
        integral = mpmath.quad(lambda t: mpmath.cot(t) * mpmath.sin(b / a * t), [0, mpmath.pi / 2])
        assert abs(b**2 / a * integral - distance(a, b)) < mpmath.mpf(10) ** -15


def test_M1_the_sleigh_ends_on_the_straight_line_with_the_centre_of_mass_in_front():
    a, b, V, s0, speed, phi0 = closed()
    cusp = -s0 / speed
    motion = ch.simulate(SLEIGH, until=70, at=[0, cusp, 70], tolerance=1e-12)
    end = phi0 + np.pi * b / (2 * a)
    assert abs(float(motion["phi"][-1]) - end) < 1e-9
    assert abs(float(motion["phi"][-1] - phi0) * 2 - np.pi * b / a) < 1e-9  # half of the whole turn
    dx, dy = (float(motion[c][2] - motion[c][1]) for c in "xy")
    lateral = -dx * np.sin(end) + dy * np.cos(end)
    assert abs(abs(lateral) - float(distance(a, b))) < 1e-8
    ahead = motion["x_dot"][-1] * np.cos(end) + motion["y_dot"][-1] * np.sin(end)
    assert abs(float(ahead) - V) < 1e-9
