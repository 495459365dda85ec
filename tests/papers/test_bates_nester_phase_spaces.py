"""Bates and Nester, On D'Alembert's principle, sections 4 and 8 (B6, B8, B13). It numbers no equations."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import number, substitute, symbol
from chetaev.expr.language.parser import parse
from formulas import formula, formulas

METRIC, CONSTRAINED = ch.load("brachistochrone-metric"), ch.load("brachistochrone-constrained")


def last(motion, *names: str) -> list[float]:
    return [float(motion[name][-1]) for name in names]


def accelerations(system: ch.System, form: str) -> dict[str, object]:
    return dict(ch.equations(system, form).accelerations)


# --- 4.1 and 4.4: the brachistochrone ---------------------------------------------------------------


def test_section_4_1_B6_geodesics_and_constrained_motions_are_the_same_curves() -> None:
    """On x'² + y'² = 2gy both systems have the same accelerations: the same curves in the same time."""
    free, bound = accelerations(METRIC, "euler-lagrange"), accelerations(CONSTRAINED, "chetaev")
    (constraint,) = CONSTRAINED.velocity_constraints
    for name in ("x", "y"):
        verdict = zero_test(free[name] - bound[name], [constraint.residual])
        assert (verdict.answer, verdict.proved) == ("zero", True)
    elsewhere = zero_test(free["x"] - bound["x"])
    assert elsewhere.answer == "nonzero"  # off the constraint they differ: it is used


def test_section_4_1_B6_geodesics_of_any_speed_run_through_the_same_curves() -> None:
    """K = (x'y'' − y'x'')/|v|³ of the geodesics does not depend on how fast they are run through."""
    a = accelerations(METRIC, "euler-lagrange")
    x, y = symbol("x", 1), symbol("y", 1)
    turning = x * a["y"] - y * a["x"]
    faster = substitute([turning], {x: number(3) * x, y: number(3) * y})[0]
    assert zero_test(faster - number(27) * turning).proved
    bound = accelerations(CONSTRAINED, "chetaev")
    (constraint,) = CONSTRAINED.velocity_constraints
    assert zero_test(turning - (x * bound["y"] - y * bound["x"]), [constraint.residual]).is_zero


def test_section_4_1_B6_the_cycloid_is_met() -> None:
    """x = a(s − sin s), y = a(1 − cos s), s = nt with n = √(g/a): exactly, for every a and g."""
    scope = ch.System(
        coordinates=["s"], lagrangian="s'^2", parameters={"a": 1, "n": 1, "g": 1}
    ).scope  # the motion is s' = n
    curve = {
        symbol("x"): "a*(s - sin(s))", symbol("y"): "a*(1 - cos(s))",
        symbol("x", 1): "a*n*(1 - cos(s))", symbol("y", 1): "a*n*sin(s)",
    }  # fmt: skip
    put = {k: parse(text, scope) for k, text in curve.items()} | {symbol("g"): parse("a*n^2", scope)}
    second = {"x": "a*n^2*sin(s)", "y": "a*n^2*cos(s)"}
    (constraint,) = CONSTRAINED.velocity_constraints
    assert zero_test(substitute([constraint.residual], put)[0]).proved
    for system, form in ((METRIC, "euler-lagrange"), (CONSTRAINED, "chetaev")):
        for name, a in accelerations(system, form).items():
            verdict = zero_test(substitute([a], put)[0] - parse(second[name], scope))
            assert (verdict.answer, verdict.proved) == ("zero", True)


@pytest.mark.parametrize("system", [METRIC, CONSTRAINED], ids=["metric", "constrained"])
def test_section_4_1_B6_runs_meet_the_cycloid(system: ch.System) -> None:
    motion = ch.simulate(system, until=1.0, at=[0.25, 0.5, 1.0], tolerance=1e-11)
    a, g = system.parameter_values["a"], system.parameter_values["g"]
    for i, t in enumerate((0.25, 0.5, 1.0)):
        s = pi / 2 + sqrt(g / a) * t
        expected = [a * (s - sin(s)), a * (1 - cos(s))]
        assert [float(motion[n][i]) for n in "xy"] == pytest.approx(expected, abs=1e-8)


ARC = ch.System(
    coordinates=["x", "y"],
    dynamics={"lagrangian": "sqrt((x'^2 + y'^2)/(2*g*y))", "degenerate": True},
    parameters={"g": 1},
    time="sigma",
)


def test_section_4_4_B6_primary_constraint_and_gauge() -> None:
    """2gy(p_x² + p_y²) − 1 = 0 is of the first class, H₀ = 0, and the multiplier stays free."""
    found = ch.dirac(ARC)
    assert list(found.primary) == formulas(["2*g*y*p_x^2 + 2*g*y*p_y^2 - 1"], factor=True)
    assert found.hamiltonian == formula("0")
    assert (found.outcome, found.first_class, found.free) == ("gauge", 1, ("u_1",))


def test_section_4_4_B6_a_gauge_gives_the_equations_of_the_metric() -> None:
    """With H = (u/4)(2gy p² − 1), u = 1, the equations are those of h = g y p²/2 (section 4.1)."""
    space = Field()
    system = ch.dirac(ARC).system({"u_1": "1/4"})
    canonical = {"x'": "g*y*p_x", "y'": "g*y*p_y", "p_x'": "0", "p_y'": "-g*(p_x^2 + p_y^2)/2"}
    for e in system.velocity_constraints:
        expected = parse(canonical[str(e.lhs)], system.scope)
        assert (space(e.rhs) - space(expected)).is_zero


def test_section_4_4_B6_every_gauge_meets_the_cycloid() -> None:
    """y = (1 − cos μs)/(2μ²), x = (s − sin(μs)/μ)/(2μ) with μ = p_x and g = 1; x = σ as a gauge, too."""
    mu, s = 0.7, 1.0
    y, x = (1 - cos(mu * s)) / (2 * mu**2), (s - sin(mu * s) / mu) / (2 * mu)
    p_y = sqrt(1 / (2 * y) - mu**2)
    start = {"x": x, "y": y, "p_x": mu, "p_y": p_y, "t": 0}
    slow = ch.simulate(ARC, until=1.0, at=[1.0], initial=start, gauge={"u_1": "(1 + sigma)/8"})
    X, Y = last(slow, "x", "y")
    steady = ch.simulate(ARC, until=X, at=[X], initial={**start, "t": x}, gauge=["x = sigma"])
    assert last(steady, "x", "y") == pytest.approx([X, Y], abs=1e-8)
    # the curve itself: y(2D − y)... (dy/dx)² = 1/(2gμ²y) − 1 on it
    slope = last(slow, "y_dot")[0] / last(slow, "x_dot")[0]
    assert slope**2 == pytest.approx(1 / (2 * mu**2 * Y) - 1, rel=1e-8)


# --- 4.3: the relativistic particle -------------------------------------------------------------------

POTENTIALS = "- k*(x^2 + s*y) + q*(x*s' + s*y')"
ROOT = "sqrt(s'^2 - x'^2 - y'^2)"
VALUES = {"m": 2, "k": 0.1, "q": 0.3}


def particle(lagrangian: str, *constraints: str) -> ch.System:
    return ch.System(
        coordinates=["s", "x", "y"],
        dynamics={"lagrangian": lagrangian, "degenerate": True},
        constraints=list(constraints),
        parameters=VALUES,
        time="tau",
    )


L1 = particle(f"-m*{ROOT} {POTENTIALS}", f"{ROOT} = 1")
L2 = particle(f"m*(x'^2 + y'^2 - s'^2)/2 {POTENTIALS}", "s'^2 - x'^2 - y'^2 = 1")


def test_section_4_3_B8_mass_shell_lapse_and_force() -> None:
    """g^μν 𝐩_μ 𝐩_ν = −m², N = 1, and λ = 𝐩^μ ∂_μ V/m with 𝐩 = p − qA (c = 1; g = diag(−1, 1, 1))."""
    found = ch.dirac(L1)
    branch = found.branches[0]
    space = branch.motion.space
    read, on = space.read, branch.branch.surface.restrict
    shell = read("m^2 - (p_s - q*x)^2 + p_x^2 + (p_y - q*s)^2")
    (primary,) = branch.primary
    ratio = read(primary) / shell
    assert ratio.is_number
    lapse = space.field(branch.multipliers["u_1"]) * ratio * 2 * read("m")
    assert lapse.is_number
    assert abs(lapse.as_fraction()) == 1
    force = space.field(branch.multipliers["lambda_1"])
    expected = read("(-(p_s - q*x)*k*y + p_x*2*k*x + (p_y - q*s)*k*s)/m")
    assert on(force - expected).is_zero or on(force + expected).is_zero
    assert (branch.outcome, branch.degrees_of_freedom) == ("second class", 2)


def test_section_4_3_B8_both_lagrangians_have_the_same_world_line() -> None:
    """l₁ by Dirac's algorithm on phase space, l₂ by its accelerations: the same proper time and place."""
    velocity = {"x_dot": 0.3, "y_dot": -0.2}
    start = {"s": 0, "x": 0.5, "y": 0.1, "s_dot": sqrt(1 + 0.13), **velocity}
    times = [1.0, 2.5]
    free = ch.simulate(L2, at=times, initial=start)
    (branch,) = ch.dirac(L1).branches
    bound = branch.simulate(until=2.5, at=times, initial=start)
    for name in ("s", "x", "y", "s_dot", "x_dot", "y_dot"):
        assert bound[name].values == pytest.approx(free[name].values, abs=1e-7)
    direct = ch.simulate(L1, at=times, initial=start)  # determined by the constraint: no phase space needed
    assert last(direct, "s", "x", "y") == pytest.approx(last(free, "s", "x", "y"), abs=1e-7)


def test_section_4_3_B8_the_equation_of_motion() -> None:
    """m u̇_μ = qF_μν u^ν − (δ_μ^ν + u^ν u_μ)∂_νV at points of the constraint."""
    metric = np.diag([-1.0, 1.0, 1.0])
    field = ch.field(L2, "chetaev")
    for q, (vx, vy) in (((0.2, 0.5, -0.3), (0.4, -0.7)), ((1.0, -0.4, 0.6), (-1.2, 0.1))):
        s, x, y = q
        u = np.array([sqrt(1 + vx**2 + vy**2), vx, vy])
        m, k, charge = VALUES["m"], VALUES["k"], VALUES["q"]
        dA = np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 0, 0]])  # ∂_μ A_ν of A = (x, 0, s)
        dV = k * np.array([y, 2 * x, s])
        lower = metric @ u
        right = charge * (dA - dA.T) @ u - dV - lower * (u @ dV)
        assert m * metric @ np.array(field(0.0, list(q), list(u))) == pytest.approx(right, abs=1e-12)


def test_section_4_3_B8_without_the_constraint_the_lapse_is_gauge() -> None:
    found = ch.dirac(particle(f"-m*{ROOT} + q*(x*s' + s*y')"))
    assert (found.outcome, found.free, found.degrees_of_freedom) == ("gauge", ("u_1",), 2)
    scalar = ch.dirac(particle(f"-m*{ROOT} - k*x^2"))  # a scalar potential alone: V must keep constant
    assert scalar.secondary


# --- 8.1 and 8.2 --------------------------------------------------------------------------------------


def test_section_8_1_central_force_with_a_speed_constraint_on_phase_space() -> None:
    """c = |p|²/2: λ = −(q·p)V'/(2cr) with ṗ = −qV'/r − λp; ours has the other sign in front of λ."""
    system = ch.System(
        coordinates=["x", "y", "px", "py"],
        poisson={
            "bracket": {"x, px": 1, "y, py": 1},
            "hamiltonian": "(px^2 + py^2)/2 + (x^2 + y^2)^2/4",  # V = r⁴/4, V'/r = r²
            "constraints": ["(px^2 + py^2)/2 = c"],
            "momenta": ["px", "py"],
        },
        parameters={"c": 2},
    )
    field = Field()
    (multiplier,) = system.dynamics.multipliers
    expected = parse("(x*px + y*py)*(x^2 + y^2)/(px^2 + py^2)", system.scope)
    assert (field(multiplier) - field(expected)).is_zero


def test_section_8_2_B13_particle_with_spin() -> None:
    """ẋ = v, v̇ = (q/m) v × B + (g/m) ∇(S·B), Ṡ = g S × B for the model of the gallery."""
    system = ch.load("particle-with-spin")
    texts = {
        "x'": "px/m", "y'": "py/m", "z'": "pz/m",
        "px'": "q*py*Bz/m - g*b*S1", "py'": "q*(pz*Bx - px*Bz)/m", "pz'": "-q*py*Bx/m + g*b*S3",
        "S1'": "g*S2*Bz", "S2'": "g*(S3*Bx - S1*Bz)", "S3'": "-g*S2*Bx",
    }  # fmt: skip
    field = Field()
    for e in system.velocity_constraints:
        assert (field(e.rhs) - field(parse(texts[str(e.lhs)], system.scope))).is_zero, str(e.lhs)
    assert system.dynamics.multipliers == ()


def test_section_8_2_B13_the_spinning_body_reduces_to_the_particle_with_spin() -> None:
    """A uniformly charged symmetric body, L = ½m|v|² + ½I|ω + gB(x)|², with |I(ω + gB)| constant as a
    nonlinear constraint, in Euler angles: S = I(ω + gB) and x move as on R⁶ × so(3)* (q = 0).
    """
    omega = {
        "w1": "theta'*cos(psi) + phi'*sin(theta)*sin(psi)",
        "w2": "theta'*sin(psi) - phi'*sin(theta)*cos(psi)",
        "w3": "psi' + phi'*cos(theta)",
    }
    spins = {"S1": "I*(w1 - g*b*x)", "S2": "I*w2", "S3": "I*(w3 + g*(B0 + b*z))"}
    values = {"m": 1, "I": 0.5, "g": 2, "B0": 1, "b": 0.2, "q": 0}
    body = ch.System(
        coordinates=["x", "y", "z", "psi", "theta", "phi"],
        define={**omega, **spins},
        lagrangian="m*(x'^2 + y'^2 + z'^2)/2 + (S1^2 + S2^2 + S3^2)/(2*I)",
        constraints=["S1^2 + S2^2 + S3^2 = s^2"],
        parameters={**values, "s": 1.4},
        initial={
            "x": 0.5, "theta": 1.2, "x_dot": 0, "y_dot": 0.8, "z_dot": 0.1, "psi_dot": 0.3, "theta_dot": 0.6,
        },
    )  # fmt: skip
    motion = ch.simulate(body, until=3.0, at=[0.0, 1.5, 3.0], laws=spins, tolerance=1e-11)
    assert float(np.abs(motion.multiplier).max()) < 1e-9  # |S| is an integral: the constraint does nothing
    start = {c: float(motion[c][0]) for c in ("x", "y", "z", *spins)}
    start |= {f"p{c}": float(motion[f"{c}_dot"][0]) for c in "xyz"}
    length = sqrt(sum(start[n] ** 2 for n in spins))
    reduced = ch.simulate(
        ch.load("particle-with-spin"), at=[0.0, 1.5, 3.0], initial=start, tolerance=1e-11,
        parameters={k: v for k, v in values.items() if k != "I"} | {"s": length},
    )  # fmt: skip
    for name in ("x", "y", "z", *spins):
        assert reduced[name].values == pytest.approx(motion[name].values, abs=1e-8)


def test_section_8_2_B13_suslov_on_its_momenta_is_suslov_in_its_angles() -> None:
    """The body angular velocity of `suslov` and of `suslov-poisson`."""
    angles = ch.load("suslov")
    laws = {n: str(angles.definitions[n].args[0]) for n in ("w1", "w2")}
    one = ch.simulate(angles, until=30.0, at=[10.0, 30.0], laws=laws, tolerance=1e-11)
    momenta = ch.load("suslov-poisson")
    two = ch.simulate(momenta, until=30.0, at=[10.0, 30.0], laws={"u1": "w1", "u2": "w2"}, tolerance=1e-11)
    assert two.u1.values == pytest.approx(one.w1.values, abs=1e-7)
    assert two.u2.values == pytest.approx(one.w2.values, abs=1e-7)
