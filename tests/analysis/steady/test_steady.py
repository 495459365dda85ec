"""Equilibria and steady motions: where, whether all, whether stable; published criteria (M3, M6, B12)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import chetaev as ch
from formulas import any_order, formula, formulas

HOOP = ch.System(
    coordinates=["theta"],
    lagrangian="m*R^2*(theta'^2 + Omega^2*sin(theta)^2)/2 + m*g*R*cos(theta)",
    parameters={"m": 1, "R": 1, "g": 10, "Omega": 4},
)
DISC = ch.load("rolling-disc")
ROLLING = ("x", "y", "psi", "phi")
TOP = ch.System(
    coordinates=["a", "b", "psi"],
    lagrangian="A*(b'^2 + a'^2*cos(b)^2)/2 + C*(psi' + a'*sin(b))^2/2 - m*g*l*cos(a)*cos(b)",
    parameters={"A": 1, "C": 0.5, "m": 1, "g": 10, "l": 1},
)
SLEIGH = ch.load("caratheodory-sleigh")


def positive(*conditions: str) -> any_order:
    """Expressions that are to be positive, in any order, each up to a positive factor."""
    return any_order(*conditions, factor="positive")


def test_bead_on_a_rotating_hoop_all_equilibria_and_the_pitchfork() -> None:
    found = ch.equilibria(HOOP)
    assert found.complete
    assert [(e.exact["theta"], e.stable) for e in found] == formulas(
        [
            ("pi", False),
            ("-acos(g/(Omega^2*R))", True),
            ("0", False),
            ("acos(g/(Omega^2*R))", True),
        ]
    )
    assert found[2].criteria.conditions == positive("g - R*Omega^2")
    assert found[1].criteria.conditions == positive("R*Omega^2 - g")
    slow = ch.equilibria(HOOP.with_parameters(Omega=2))
    assert slow.complete
    assert [(e.exact["theta"], e.stable) for e in slow] == formulas([("pi", False), ("0", True)])


@pytest.mark.slow
def test_disc_M3_straight_rolling_and_spinning_by_machine() -> None:
    """psi'^2 > g/(3 R) and phi'^2 > 4 g/(5 R) for a homogeneous disc (Neimark and Fufaev; O'Reilly 1996)."""
    spinning, rolling = ch.relative_equilibria(DISC, ROLLING, given={"theta": 0})
    assert rolling.free == ("psi_dot",)
    assert rolling.criteria.conditions == positive("3*R*psi'^2 - g")
    assert rolling.criteria.zeros == 2
    assert rolling.stable is None  # linear theory does not decide, and momenta are not conserved
    assert spinning.free == ("phi_dot",)
    assert spinning.criteria.conditions == positive("5*R*phi'^2 - 4*g")


@pytest.mark.slow
def test_hoop_M3_rolls_straight_above_its_own_speed() -> None:
    """v^2 > g R/4 for a hoop."""
    hoop = DISC.with_parameters(I1="m*R^2/2", I2="m*R^2")
    (rolling,) = ch.relative_equilibria(hoop, ROLLING, given={"theta": 0, "phi'": 0})
    assert rolling.criteria.conditions == positive("4*R*psi'^2 - g")


@pytest.mark.slow
def test_any_body_of_revolution_M3_rolls_straight_above_a_speed_in_its_moments() -> None:
    """psi'^2 > I1 m g R/(I2 (I2 + m R^2)), the comment of the gallery's file, derived."""
    body = DISC.with_parameters(I1=0.07, I2=0.11)
    (rolling,) = ch.relative_equilibria(body, ROLLING, given={"theta": 0, "phi'": 0})
    assert rolling.criteria.conditions == positive("m*R^2*I2*psi'^2 + I2^2*psi'^2 - m*R*I1*g")


@pytest.mark.slow
def test_circles_of_the_disc_M3_by_a_certified_search() -> None:
    found = ch.relative_equilibria(DISC, ROLLING, given={"theta": 0.3, "phi'": 2})
    assert len(found) == 1
    assert found.complete is None
    (circle,) = found
    assert circle.linearization.kind == "relative equilibrium"
    assert np.count_nonzero(abs(circle.eigenvalues) < 1e-6) == 2


def test_sleeping_top_by_machine() -> None:
    """C^2 psi'^2 > 4 A m g l (Klein and Sommerfeld)."""
    (sleeping,) = ch.relative_equilibria(TOP, ["psi"], given={"a": 0, "b": 0})
    assert sleeping.criteria.conditions == positive("C^2*psi'^2 - 4*A*l*m*g")
    assert sleeping.stable is False  # at psi' = 1


@pytest.mark.slow
def test_sleigh_moves_stably_only_with_its_mass_ahead() -> None:
    (straight,) = ch.relative_equilibria(
        SLEIGH.with_initial({"x'": 1, "phi": 0, "phi'": 0}), ["x", "y"], {"phi": 0}
    )
    assert straight.criteria.conditions == positive("x'")
    assert straight.stable is True  # without friction: motions end on the family
    (back,) = ch.relative_equilibria(
        SLEIGH.with_initial({"x'": -1, "phi": 0, "phi'": 0}), ["x", "y"], {"phi": 0}
    )
    assert back.stable is False
    found = ch.relative_equilibria(SLEIGH, ["x", "y"])
    family, *others = found  # in a chart of phi = 0, where x' is no function of y'
    assert family.free == ("phi", "x_dot")
    assert family.criteria.conditions == positive("x'*cos(phi)")
    assert [e.exact["phi"] for e in others] == formulas(["-pi/2", "pi/2"])
    assert [e.free for e in others] == [("y_dot",)] * 2
    assert found.complete  # straight ahead with cos(phi) = 0 is beyond the first chart
    assert "x' is constant and phi rests, or y' is constant where" in found.searched


@pytest.mark.slow
def test_circular_orbits_B12_are_destabilised_by_constant_speed() -> None:
    """Bates and Nester: with r = k/v0^2 the exponents are ± v0/r, without the constraint ± i."""
    parts = {
        "coordinates": ["r", "phi"],
        "lagrangian": "m*(r'^2 + r^2*phi'^2)/2 + m*k/r",
        "parameters": {"m": 1, "k": 2, "v0": 1},
    }
    held = ch.relative_equilibria(ch.System(constraints=["r'^2 + r^2*phi'^2 = v0^2"], **parts), ["phi"])
    assert held.complete
    for e in held:
        assert e.state["r"] == 2
        assert e.stable is False
        assert e.eigenvalues.tolist() == [0.5, -0.5]
    free = ch.relative_equilibria(ch.System(**parts), ["phi"], given={"r": 2})
    assert [e.stable for e in free] == [True, True]


@pytest.mark.slow
def test_triangular_points_of_three_bodies_by_machine() -> None:
    """27 mu (1 - mu) < 1 (Gascheau 1843, Routh)."""
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="((x' - y)^2 + (y' + x)^2)/2 + (1 - mu)/sqrt((x + mu)^2 + y^2)"
        " + mu/sqrt((x - 1 + mu)^2 + y^2)",
        parameters={"mu": 0.01},
    )
    at = {"x": "1/2 - mu", "y": "sqrt(3)/2", "x'": 0, "y'": 0}
    found = ch.linearize(system, at=at)
    assert found.kind == "equilibrium"
    assert formula("27*mu^2 - 27*mu + 1", factor="positive") in found.criteria.conditions


@pytest.mark.slow
def test_double_pendulum_has_its_textbook_frequencies() -> None:
    """omega^2 = (2 ± sqrt 2) g/l for equal masses and lengths."""
    found = ch.equilibria(ch.load("double-pendulum").with_parameters(m1=1, m2=1, l1=1, l2=1, g=9.8))
    assert found.complete
    assert [e.stable for e in found] == [False, False, False, True]
    expected = sorted(math.sqrt((2 + s * math.sqrt(2)) * 9.8) for s in (-1, 1))
    np.testing.assert_allclose(sorted(found[-1].eigenvalues.imag)[2:], expected, rtol=1e-12)


def test_zieglers_column_flutters_above_its_load() -> None:
    """P l/c = 7/2 - sqrt 2 = 2.086 without damping (Ziegler 1952): masses 2 m and m."""
    found = ch.linearize(
        ch.System(
            coordinates=["a", "b"],
            lagrangian="m*l^2*(3*a'^2 + b'^2 + 2*a'*b'*cos(a - b))/2 - c*(a^2 + (b - a)^2)/2",
            forces={"a": "P*l*sin(a - b)"},
            parameters={"m": 1, "l": 1, "c": 1, "P": 2},
            initial={"a": 0, "b": 0, "a'": 0, "b'": 0},
        )
    )
    assert found.spectrum.count(1) == 0
    assert found.criteria.conditions == positive("7*c - 2*l*P", "4*l^2*P^2 - 28*l*c*P + 41*c^2")
    assert abs(41 - 28 * (3.5 - math.sqrt(2)) + 4 * (3.5 - math.sqrt(2)) ** 2) < 1e-12


def test_polynomial_systems_are_solved_completely() -> None:
    duffing = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 + x^2/2 - x^4/4", forces={"x": "-d*x'"}, parameters={"d": 0.1}
    )
    found = ch.equilibria(duffing)
    assert found.complete
    assert [(e.state["x"], e.stable) for e in found] == [(-1, True), (0, False), (1, True)]
    nothing = ch.equilibria(ch.System(coordinates=["z"], lagrangian="z'^2/2 - z"))
    assert nothing.complete
    assert not nothing
    assert "none" in nothing.searched


@pytest.mark.slow
def test_families_are_told_and_zeros_along_them_decide_nothing() -> None:
    (rest,) = ch.equilibria(SLEIGH)
    assert rest.free == ("x", "y", "phi")
    assert not rest.isolated
    assert rest.stable is None
    assert "do" in rest.reason
    ring = ch.equilibria(ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2 - 1)^2"))
    assert ring.complete is None
    assert [e.stable for e in ring] == [False, None, None]
    cross = ch.equilibria(ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x*y)^2"))
    assert {e.free for e in cross} == {("x",), ("y",)}
    assert cross.complete


@pytest.mark.slow
def test_a_family_that_misses_the_slice_is_not_called_empty() -> None:
    small = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (400*x^2 + 400*y^2 - 1)^2")
    assert ch.equilibria(small).complete is None


def test_nonholonomic_friction_makes_a_family_stable() -> None:
    skate = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
        forces={"x": "-x'", "y": "-y'", "phi": "-phi'"},
    )
    (rest,) = ch.equilibria(skate)
    assert rest.stable is True
    assert "family" in rest.reason


@pytest.mark.slow
def test_energy_and_momentum_decide_where_linear_theory_does_not() -> None:
    cart = ch.System(
        coordinates=["x", "a"],
        lagrangian="M*x'^2/2 + m*(x'^2 + 2*l*x'*a'*cos(a) + l^2*a'^2)/2 + m*g*l*cos(a)",
        parameters={"M": 2, "m": 1, "l": 1, "g": 10},
    )
    up, down = ch.equilibria(cart)
    assert (up.stable, down.stable) == (False, True)
    assert "the energy" in down.reason  # alone: it has a minimum in a, a' and x'
    assert "relative to x" in down.reason
    saddle = ch.equilibria(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^3/3"))
    assert [e.stable for e in saddle] == [False]  # by its potential: tests/analysis/steady/test_minima.py
    flat = ch.equilibria(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^4"))
    assert [e.stable for e in flat] == [True]


def test_a_certified_search_finds_what_algebra_does_not_reach() -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - exp(x) + 3*x^2/2")  # exp(x) = 3 x
    found = ch.equilibria(system)
    assert found.complete is None
    assert [round(e.state["x"], 9) for e in found] == [0.619061287, 1.512134552]
    assert [e.stable for e in found] == [False, True]
    assert not ch.equilibria(system, box={"x": (-2, 0.5)})
    assert "outside" in found.searched


def test_roots_of_parameters_are_followed() -> None:
    left, right = ch.equilibria(
        ch.System(coordinates=["x"], lagrangian="x'^2/2 - (x^3/3 - a*x)", parameters={"a": 2})
    )
    assert (left.exact["x"], left.stable) == formulas(("-sqrt(a)", False))
    assert (right.exact["x"], right.stable) == formulas(("sqrt(a)", True))
    assert left.criteria.holds is False
    assert right.criteria.conditions == ()


def test_stops_are_left_out_of_account_and_this_is_told() -> None:
    ball = ch.System(
        coordinates=["y"], lagrangian="y'^2/2 - (y + 1)^2/2", stops=[{"position": "y", "restitution": 0.5}]
    )
    found = ch.equilibria(ball)
    assert found.complete is None
    assert "stops" in found.searched


def test_position_constraints_singular_rest_and_time() -> None:
    found = ch.equilibria(ch.load("pendulum-cartesian"))
    assert found.complete
    assert [(e.exact["x"], e.exact["y"], e.stable) for e in found] == formulas(
        [("0", "-l", True), ("0", "l", False)]
    )
    with pytest.raises(ch.ModelError, match="singular"):
        ch.equilibria(ch.load("particle-on-cone"))
    with pytest.raises(ch.ModelError, match="depend on t"):
        ch.equilibria(ch.load("snakeboard"))


BAD = [
    (lambda: ch.equilibria("disc"), "a System"),
    (lambda: ch.equilibria(HOOP, box={"x": (0, 1)}), "no coordinate"),
    (lambda: ch.equilibria(HOOP, box={"theta": (1, 0)}), "smaller number first"),
    (lambda: ch.equilibria(HOOP, box={"theta": 3}), "two numbers"),
    (lambda: ch.equilibria(HOOP, box=3), "the box is 3"),
    (lambda: ch.relative_equilibria(DISC), "no symmetries are named"),
    (lambda: ch.relative_equilibria(DISC, ["theta"]), "not cyclic"),
    (lambda: ch.relative_equilibria(DISC, ["u"]), "no coordinate"),
    (lambda: ch.relative_equilibria(DISC, ROLLING), "a family of 2 dimensions"),
    (lambda: ch.relative_equilibria(DISC, ROLLING, given={"theta'": 1}), "not among the symmetries"),
    (lambda: ch.relative_equilibria(DISC, ROLLING, given={"theta": "x"}), "contains x"),
    (lambda: ch.relative_equilibria(DISC, 5), "symmetries is 5"),
]


@pytest.mark.parametrize(("ask", "words"), BAD)
def test_mistakes_are_answered_by_a_sentence(ask: object, words: str) -> None:
    with pytest.raises(ch.ModelError, match=words):
        ask()


def test_results_are_shown_and_kept() -> None:
    found = ch.equilibria(HOOP)
    data = found.to_json()
    assert data["complete"] is True
    assert data["equilibria"][2]["criteria"]["conditions"] == formulas(["g - R*Omega^2 > 0"])
    assert "unstable" in found._repr_html_()
    assert "equilibrium at theta = 0: unstable" in str(found)


@pytest.mark.slow
def test_integrals_of_constrained_systems_M6_show_stability_where_momenta_are_not_conserved() -> None:
    """z' = y x' destroys the momentum of x and brings x' sqrt(1 + y^2): H − x'_0 times it has a minimum."""
    particle = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2 - k*y^2/2",
        constraints=["z' = y*x'"], parameters={"k": 1}, initial={"x": 0, "y": 0, "z": 0, "x'": 1, "y'": 0},
    )  # fmt: skip
    (straight,) = ch.relative_equilibria(particle, ["x", "z"])
    assert straight.stable is True
    assert "x'*sqrt(y^2 + 1)" in straight.reason
    (hill,) = ch.relative_equilibria(particle.with_parameters(k=-1), ["x", "z"])
    assert hill.stable is False


@pytest.mark.slow
def test_gyroscopic_stability_M6_by_an_integral_that_is_stationary_itself() -> None:
    """On a hill in a magnetic field: energy plus a multiple of the angular momentum is definite for B > 2 (of
    frequency 1), and for B < 2 the hill wins; the momentum of no coordinate is conserved.
    """
    hill = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 + B*(x*y' - y*x')/2 + (x^2 + y^2)/2 + (x^2 + y^2)^2",
        parameters={"B": 3},
    )
    (held,) = ch.equilibria(hill)
    assert held.stable is True
    assert "energy, " in held.reason
    assert held.criteria.conditions == positive("B^2 - 2", "B - 2")
    (falls,) = ch.equilibria(hill.with_parameters(B=1))
    assert falls.stable is False


@pytest.mark.slow
def test_the_rest_of_a_rattleback_M2_is_found_and_stable_by_its_energy() -> None:
    """Equations with roots are searched; each term of dE/dt vanishes, which the long rate itself hides."""
    found = ch.equilibria(ch.load("rattleback"), box={"alpha": (-0.5, 0.6), "beta": (-0.4, 0.5)})
    (rest,) = found
    assert (rest.state["alpha"], rest.state["beta"]) == (0, 0)
    assert rest.free == ("x", "y", "psi")
    assert rest.stable is True
    assert "energy" in rest.reason
