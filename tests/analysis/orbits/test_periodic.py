"""Periodic and relative periodic orbits: known periods and multipliers, families, symmetries (M6)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipk, mathieu_a

import chetaev as ch

PENDULUM = ch.System(coordinates=["theta"], lagrangian="theta'^2/2 + cos(theta)", name="Pendulum")
HENON = ch.System(
    coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3",
    initial={"x": 0, "y": 0.3, "x'": 0.4, "y'": 0},
)  # fmt: skip
POL = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "(1 - x^2)*x'"})
POLAR = ch.System(coordinates=["r", "phi"], lagrangian="(r'^2 + r^2*phi'^2)/2 - r^2/2 - r^4/4")
PLANE = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - (x^2 + y^2)^2/4")
TURN = {"x": "-y", "y": "x"}
MOVING = {"x": 1, "y": 0, "x'": 0, "y'": 1}
ROLLING = ("x", "y", "psi", "phi")


@pytest.mark.parametrize("angle", [0.4, 1.0, 2.5])
def test_period_of_the_pendulum_is_an_elliptic_integral_M6(angle: float) -> None:
    start = {"theta": angle, "theta'": 0}
    orbit = ch.periodic(PENDULUM, start, period=6.5 + angle, hold=["theta", "theta'"])
    assert abs(orbit.period - 4 * ellipk(math.sin(angle / 2) ** 2)) < 1e-9
    assert [m.because for m in orbit.spectrum.known] == ["the motion itself", "energy"]
    assert (orbit.multipliers == 1).all()
    assert orbit.family == 1
    assert orbit.stable is True
    assert orbit.residual < 1e-10


def test_monodromy_of_the_pendulum_is_a_shear_by_the_slope_of_the_period_M6() -> None:
    """Over one period M v − v = −T'(E) dE(v) X, and dT/dE follows from the elliptic integral."""
    angle = 1.2

    def period(energy: float) -> float:
        return float(4 * ellipk((1 + energy) / 2))  # E = −cos(angle) = 2k² − 1

    energy, h = -math.cos(angle), 1e-5
    slope = (period(energy + h) - period(energy - h)) / (2 * h)
    M = ch.return_map(PENDULUM, initial={"theta": angle, "theta'": 0}, period=period(energy))
    X, dE = np.array([0.0, -math.sin(angle)]), np.array([math.sin(angle), 0.0])
    np.testing.assert_allclose(M.derivative(M.start), np.eye(2) - slope * np.outer(X, dE), atol=1e-7)


def test_position_constraints_give_the_same_orbit_M6() -> None:
    cartesian = ch.load("pendulum-cartesian")
    orbit = ch.periodic(cartesian, period=2.0)
    assert len(orbit.multipliers) == 2  # dim Q, not 4
    height = float(orbit.motion.y.max())
    expected = 4 * math.sqrt(1 / 9.8) * ellipk((1 + height) / 2)
    assert abs(orbit.period - expected) < 1e-6
    assert orbit.family == 1
    assert float(abs(orbit.motion.x**2 + orbit.motion.y**2 - 1).max()) < 1e-9


def test_an_angle_that_turns_round_closes_up_to_a_shift_M6() -> None:
    speed = 2.6
    start = {"theta": 0, "theta'": speed}
    orbit = ch.periodic(PENDULUM, start, period=3, shift={"theta": "2*pi"}, hold=["theta", "theta'"])
    expected, _ = quad(lambda x: 1 / math.sqrt(speed**2 - 2 + 2 * math.cos(x)), 0, 2 * math.pi)
    assert abs(orbit.period - expected) < 1e-8
    assert orbit.kind == "relative periodic orbit"


def test_limit_cycle_of_van_der_pol_M6() -> None:
    for asked in ({"period": 6.5}, {"event": "x"}, {"period": 6.7, "segments": 4}):
        orbit = ch.periodic(POL, {"x": 2, "x'": 0}, **asked)
        assert abs(orbit.period - 6.663286859323130) < 1e-9
        motion = orbit.motion
        expected = math.exp(np.trapezoid(1 - motion.x.values**2, motion.time.values))  # periodic: exact
        assert abs(orbit.multipliers[1].real - expected) < 1e-8
        assert (orbit.stable, orbit.family) == (True, 0)


def test_multipliers_of_mathieus_equation_M6() -> None:
    """For x'' = (2q cos 2t − a) x the discriminant is 2 at the characteristic values a_r, r even, else −2."""
    for order in (0, 1, 2):
        a, trace = mathieu_a(order, 1.5), 2.0 * (-1) ** order
        system = ch.System(
            coordinates=["x"], lagrangian="x'^2/2 - (a - 2*q*cos(2*t))*x^2/2", initial={"x": 0, "x'": 0},
            parameters={"a": float(a), "q": 1.5},
        )  # fmt: skip
        orbit = ch.periodic(system, period=math.pi)
        assert abs(orbit.multipliers.sum().real - trace) < 1e-7, order
        assert abs(orbit.multipliers.prod() - 1) < 1e-8
    between = system.with_parameters(a=float(mathieu_a(1, 1.5)) - 0.1)  # in the gap below a_1: a tongue
    assert ch.periodic(between, period=math.pi).stable in (False, None)


def test_straight_orbit_of_henon_and_heiles_M6() -> None:
    y = 0.35
    orbit = ch.periodic(HENON, {"x": 0, "y": y, "x'": 0, "y'": 0}, period=6.5, hold=["x", "y", "x'", "y'"])
    energy = y**2 / 2 - y**3 / 3
    roots = sorted(np.roots([-1 / 3, 1 / 2, 0, -energy]).real)
    low, high = roots[0], roots[1]

    def speed(s: float) -> float:  # y = middle + half·sin s takes away the ends' singularities
        at = (low + high) / 2 + (high - low) / 2 * math.sin(s)
        return math.sqrt(3 / 2) / math.sqrt(roots[2] - at)

    expected = 2 * quad(speed, -math.pi / 2, math.pi / 2)[0]
    assert abs(high - y) < 1e-12
    assert abs(orbit.period - expected) < 1e-8
    assert abs(np.prod(orbit.multipliers) - 1) < 1e-7
    assert orbit.family == 1


def test_a_symmetric_orbit_starts_and_turns_at_fixed_states_of_the_reversal_M6() -> None:
    (R,) = ch.reversals(HENON, {"x": "-x"})
    orbit = ch.periodic(HENON, period=6.3, reversal=R)
    half = orbit.motion.isel(time=200)
    assert abs(float(half.x)) + abs(float(half.y_dot)) < 1e-8
    a, b = orbit.multipliers[2:]
    assert abs(a * b - 1) < 1e-8


def test_cyclic_coordinates_and_a_group_tell_the_same_of_one_motion_M6() -> None:
    polar = ch.periodic(
        POLAR,
        {"r": 1, "phi": 0, "r'": 0, "phi'": 1},
        period=2.2,
        relative_to=["phi"],
        hold=["r", "r'", "phi'"],
    )
    plane = ch.periodic(
        PLANE, {"x": 1, "y": 0, "x'": 0, "y'": 1}, period=2.2, relative_to=[TURN], hold=["x", "y", "x'", "y'"]
    )
    assert abs(polar.period - plane.period) < 1e-9
    angle = polar.drift["phi"] - plane.drift["(x: -y, y: x)"]
    assert abs(math.remainder(angle, 2 * math.pi)) < 1e-8
    assert polar.family == plane.family == 2
    assert len(polar.multipliers) == len(plane.multipliers) == 4
    assert {m.because for m in plane.spectrum.known} == {
        "the motion itself", "energy", "symmetry along (x: -y, y: x)", "momentum along (x: -y, y: x)",
    }  # fmt: skip


def test_kepler_orbits_fill_their_neighbourhood_M6() -> None:
    kepler = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)")
    orbit = ch.periodic(kepler, {"x": 1, "y": 0, "x'": 0, "y'": 1.2}, period=14)
    at = orbit.state
    energy = (at["x_dot"] ** 2 + at["y_dot"] ** 2) / 2 - 1 / math.hypot(at["x"], at["y"])
    assert abs(orbit.period - 2 * math.pi * (-2 * energy) ** -1.5) < 1e-7
    assert orbit.family == 3
    assert orbit.stable is True


def test_nutation_of_the_rolling_disc_is_a_relative_periodic_orbit_M6() -> None:
    disc = ch.load("rolling-disc")
    start = {"theta": 0.15, "theta'": 0, "psi'": 3, "phi'": 0}
    orbit = ch.periodic(disc, start, event=ch.Event("theta'", direction=-1), relative_to=ROLLING)
    assert len(orbit.multipliers) == 8
    assert orbit.family == 3
    motion = orbit.motion
    for name in ("theta", "theta_dot", "psi_dot", "phi_dot"):
        assert abs(float(motion[name][-1] - motion[name][0])) < 1e-8
    assert set(orbit.drift) == set(ROLLING)
    assert abs(orbit.drift["psi"] - float(motion.psi[-1] - motion.psi[0])) < 1e-8
    small = ch.periodic(
        disc, {"theta": 1e-4, "theta'": 0, "psi'": 4, "phi'": 0}, relative_to=ROLLING,
        event=ch.Event("theta'", direction=-1),
    )  # fmt: skip
    rolling = ch.linearize(disc, at={"theta": 0, "psi'": 4}, relative_to=ROLLING)
    frequency = max(rolling.eigenvalues.imag)
    assert abs(small.period - 2 * math.pi / frequency) < 1e-5


def test_straight_motion_of_the_sleigh_attracts_without_friction_M6() -> None:
    sleigh = ch.load("caratheodory-sleigh")
    orbit = ch.periodic(sleigh, {"x'": 1, "phi": 0, "phi'": 0}, period=2, relative_to=["x", "y"])
    ahead = ch.linearize(sleigh, {"x'": 1, "phi": 0, "phi'": 0}, relative_to=["x", "y"])
    rate = min(ahead.eigenvalues.real)
    assert orbit.kind == "relative equilibrium"
    assert abs(orbit.multipliers[-1] - math.exp(2 * rate)) < 1e-8
    assert (orbit.stable, orbit.family) == (True, 2)
    back = ch.periodic(sleigh, {"x'": -1, "phi": 0, "phi'": 0}, period=2, relative_to=["x", "y"])
    assert back.stable is False
    assert abs(back.multipliers[-1] * orbit.multipliers[-1] - 1) < 1e-8


def test_circles_under_a_nonlinear_constraint_are_unstable_M6_B12() -> None:
    system = ch.load("central-force-constant-speed").with_initial(
        {"x": 1, "y": 0, "z": 0, "x'": 0, "y'": 1, "z'": 0}
    )
    orbit = ch.periodic(system, period=2 * math.pi, hold=["x", "y"])
    assert len(orbit.multipliers) == 5
    assert abs(orbit.period - 2 * math.pi) < 1e-9
    assert orbit.stable is False
    assert abs(max(abs(orbit.multipliers)) - math.exp(2 * math.pi)) < 1e-4 * math.exp(2 * math.pi)


def test_forced_motion_contracts_as_its_friction_says_M6() -> None:
    system = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - x^2/2 - x^4/4 + x*cos(2*t)", forces={"x": "-x'/5"},
        initial={"x": 0, "x'": 0},
    )  # fmt: skip
    once = ch.periodic(system, period=math.pi)
    assert abs(np.prod(once.multipliers) - math.exp(-math.pi / 5)) < 1e-9
    assert once.kind == "forced periodic orbit"
    twice = ch.periodic(system, once.state, period=2 * math.pi)
    assert any("least period" in note for note in twice.notes)


def test_results_say_how_they_are_known_and_draw_themselves_M6() -> None:
    import json

    import matplotlib as mpl

    mpl.use("agg")
    orbit = ch.periodic(POL, {"x": 2, "x'": 0}, period=6.5)
    assert "not proved" in orbit.evidence
    assert min(map(abs, orbit.multipliers)) == pytest.approx(0.000859695, rel=1e-5)
    assert f"{min(map(abs, orbit.multipliers)):.6g}" in str(orbit)
    data = json.loads(json.dumps(orbit.to_json()))
    assert data["stable"] is True
    assert len(data["multipliers"]) == 2
    assert "<table" in orbit._repr_html_()
    figure = ch.plot(orbit)
    assert [ax.get_title() for ax in figure.axes][1] == "multipliers"
    assert figure.axes[1].get_legend_handles_labels()[1] == ["1 (the motion itself)", "the others"]
    mpl.pyplot.close("all")


BAD = [
    (lambda: ch.periodic(POL, {"x": 2, "x'": 0}), "a period or an event"),
    (lambda: ch.periodic(POL, {"x": 2, "x'": 0}, period=6, event="x"), "not both"),
    (lambda: ch.periodic(POL, {"x": 2, "x'": 0}, period=0), "positive"),
    (lambda: ch.periodic(POL, {"x": 2, "x'": 0}, period=-3), "positive"),
    (lambda: ch.periodic(POL, {"x": 0, "x'": 0}, period=6), "state of rest"),
    (lambda: ch.periodic(POL, {"x": 2, "x'": 0}, event="x - 9"), "0 times"),
    (lambda: ch.periodic(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x"), {"x": 0, "x'": 1}, period=1),
     "misses by"),
    (lambda: ch.periodic(ch.load("pendulum-cartesian"), {"x": 2, "y": 0}, period=2), "constraint"),
    (lambda: ch.periodic(ch.load("bouncing-ball"), period=1), "stops"),
    (lambda: ch.periodic(ch.load("stick-slip"), period=1), "smooth"),
    (lambda: ch.periodic(PENDULUM, {"theta": 1, "theta'": 0}, period=6, relative_to=["theta"]), "not cyclic"),
    (lambda: ch.periodic(PENDULUM, {"theta": 1, "theta'": 0}, period=6, shift={"theta": 1}), "no symmetry"),
    (lambda: ch.periodic(PLANE, MOVING, period=6, relative_to=[{"x": "1"}]), "no symmetry"),
    (lambda: ch.periodic(PLANE, MOVING, period=6, relative_to=[{"q": "1"}]), "component along 'q'"),
    (lambda: ch.periodic(POL, {"x": 2, "x'": 0}, period=6, reversal={}), "no reversal"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "words"), BAD)
def test_mistakes_are_answered_by_a_sentence(ask: object, words: str) -> None:
    with pytest.raises(ch.ModelError, match=words):
        ask()


def test_forcing_needs_a_period_of_its_own_M6() -> None:
    system = ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2 - x^2/2 + x*cos(2*t)",
        initial={"x": 0, "x'": 0},
        forces={"x": "-x'"},
    )
    with pytest.raises(ch.ModelError, match="do not repeat after 3"):
        ch.periodic(system, period=3)
    with pytest.raises(ch.ModelError, match="instead of an event"):
        ch.periodic(system, event="x")


def test_a_double_multiplier_without_a_reason_is_not_taken_for_instability_M6() -> None:
    """Without laws the eigenvalues of a Jordan block at 1 are known to the root of the error only."""
    system = ch.System(
        coordinates=["r", "phi"], lagrangian="(r'^2 + r^2*phi'^2)/2 + 1/r",
        initial={"r": 1, "phi": 0, "r'": 0, "phi'": 1.2},
    )  # fmt: skip
    orbit = ch.periodic(system, period=15, relative_to=["phi"], laws=(), hold=["r", "r'", "phi'"])
    assert orbit.stable is not False
    assert all(abs(abs(z) - 1) < 1e-3 for z in orbit.multipliers)


@pytest.mark.slow
def test_a_symmetry_that_is_not_affine_M6() -> None:
    """u = exp(x) moves uniformly while y oscillates: after 2π the orbit returns, moved along exp(-x) ∂/∂x."""
    system = ch.System(
        coordinates=["x", "y"], lagrangian="exp(2*x)*x'^2/2 + y'^2/2 - y^2/2",
        initial={"x": 0, "y": 1, "x'": 0.25, "y'": 0},
    )  # fmt: skip
    orbit = ch.periodic(system, period=6, relative_to=[{"x": "exp(-x)"}], hold=["x", "y", "x'", "y'"])
    assert abs(orbit.period - 2 * math.pi) < 1e-8
    assert abs(orbit.drift["(x: exp(-x))"] - math.pi / 2) < 1e-7
    assert len(orbit.multipliers) == 4
    assert (orbit.multipliers == 1).all()


def test_figure_eight_of_three_bodies_M6() -> None:
    """Its multipliers are exp(2πi ν), ν = ±0.008423 and ±0.298093 (Simó), besides eight ones."""
    bodies = (1, 2, 3)
    pairs = " + ".join(f"1/sqrt((x{i} - x{j})^2 + (y{i} - y{j})^2)" for i, j in ((1, 2), (1, 3), (2, 3)))
    kinetic = " + ".join(f"x{i}'^2 + y{i}'^2" for i in bodies)
    x, y, u, v = 0.97, -0.243, 0.4662, 0.4324
    start = {"x1": x, "y1": y, "x2": -x, "y2": -y, "x3": 0, "y3": 0}
    start |= {"x1'": u, "y1'": v, "x2'": u, "y2'": v, "x3'": -2 * u, "y3'": -2 * v}
    system = ch.System(
        coordinates=[f"{c}{i}" for i in bodies for c in "xy"],
        lagrangian=f"({kinetic})/2 + {pairs}",
        initial=start,
    )
    orbit = ch.periodic(system, period=6.3)
    cosines = sorted(z.real for z in orbit.multipliers)
    expected = [math.cos(2 * math.pi * 0.29809253)] * 2 + [math.cos(2 * math.pi * 0.00842272)] * 2
    np.testing.assert_allclose(cosines[:4], expected, atol=2e-5)
    np.testing.assert_allclose(cosines[4:], 1, atol=2e-3)
    assert orbit.stable is None


@pytest.mark.parametrize(("stiffness", "amplitude"), [(1, 1e8), (1e12, 1.0), (1e-6, 50.0)])
def test_units_do_not_matter_M6(stiffness: float, amplitude: float) -> None:
    system = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", parameters={"k": stiffness},
        initial={"x": amplitude, "x'": 0},
    )  # fmt: skip
    expected = 2 * math.pi / math.sqrt(stiffness)
    orbit = ch.periodic(system, period=0.9 * expected)
    assert abs(orbit.period / expected - 1) < 1e-9
    assert (orbit.family, orbit.stable) == (1, True)


def test_an_orbit_smaller_than_the_errors_of_a_step_is_none_M6() -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1e-9, "x'": 0})
    with pytest.raises(ch.ModelError, match=r"misses by|state of rest"):
        ch.periodic(system, period=6)
