"""Bodies that roll on a plane, from their support functions (M2)."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import chetaev as ch
from chetaev.bodies.convexity import convexity
from chetaev.bodies.support_function import read_support
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.language.parser import parse
from formulas import any_order, formula, formulas

START = {"theta": 1, "psi_dot": 0.5, "theta_dot": 0.2, "phi_dot": 2}


@cache
def body(name):
    """Bodies that several tests share."""
    if name == "rattleback":
        return ch.bodies.rolling(
            support="sqrt(a^2*g1^2 + b^2*g2^2 + c^2*g3^2)",
            inertia=[["A", "D", 0], ["D", "B", 0], [0, 0, "C"]],
            mass="m",
            centre=[0, 0, "-d"],
            parameters={"m": 1, "g": 9.81, "a": 0.2, "b": 0.03, "c": 0.02, "d": 0.01}
            | {"A": 2e-4, "B": 1.6e-3, "C": 1.7e-3, "D": -2e-5},
            initial={"alpha": "pi/360", "beta": "pi/360", "psi_dot": -5, "alpha_dot": 0, "beta_dot": 0},
            until=8,
        )
    torus = name == "torus"
    return ch.bodies.rolling(
        support="b + a*sqrt(g1^2 + g2^2)" if torus else "sqrt(a^2*(g1^2 + g2^2) + c^2*g3^2)",
        inertia=["A", "A", "C"],
        parameters={"a": 1, "A": 3, "C": 2} | ({"b": 0.25} if torus else {"c": 2}),
        initial=START,
    )


def along(body, names, motion):
    """ω and γ along a motion of the full system."""
    system = body.system
    values = {system.time: motion["time"].values, **system.parameter_values}
    for c in system.coordinates:
        values |= {(c, 0): motion[c].values, (c, 1): motion[f"{c}_dot"].values}
    return evaluate([parse(n, system.scope) for n in names], values)


def agrees(body, until):
    at = np.linspace(0, until, 9)
    full = ch.simulate(body.system, until=until, at=at, tolerance=1e-12)
    small = ch.simulate(body.reduced, until=until, at=at, tolerance=1e-12)
    for n, values in zip(body.reduced.coordinates, along(body, body.reduced.coordinates, full), strict=True):
        np.testing.assert_allclose(small[n], values, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "parameters", "sum_", "product"),
    [
        ("R", {"R": 2}, "2*R", "R^2"),
        ("R*sqrt(g1^2 + g2^2)", {"R": 2}, "R/sqrt(g1^2 + g2^2)", "0"),  # an edge
        ("R + l*g3", {"R": 2, "l": 1}, "2*R", "R^2"),  # another origin: the same radii
    ],
)
def test_M2_radii_of_curvature(text, parameters, sum_, product):
    assert list(read_support(text, parameters).curvature) == formulas([sum_, product])


def test_M2_the_contact_of_an_ellipsoid_lies_on_it_with_the_normal_down():
    support = read_support("sqrt(a^2*g1^2 + b^2*g2^2 + c^2*g3^2)", {"a": 2, "b": 3, "c": 5})
    g = {"g1": 2 / 7, "g2": -3 / 7, "g3": 6 / 7}
    x = np.array([float(e) for e in evaluate(support.contact, g | {"a": 2.0, "b": 3.0, "c": 5.0})])
    half = np.array([2.0, 3.0, 5.0])
    assert abs(np.sum((x / half) ** 2) - 1) < 1e-14
    normal = x / half**2
    np.testing.assert_allclose(normal / np.linalg.norm(normal), [-2 / 7, 3 / 7, -6 / 7], atol=1e-14)


@pytest.mark.parametrize(
    ("text", "holds"),
    [("sqrt(4*g1^2 + g2^2 + g3^2)", True), ("1 + g3^2/5", True), ("1 + g1*g2*g3/10", True),
     ("1 + 2*g3^2", False), ("1 + g1*g2*g3", False), ("-1", False), ("2 + sqrt(1 - g3^2)", None)],
)  # fmt: skip
def test_M2_convexity(text, holds):
    found = convexity(read_support(text, {}))
    assert found.holds is holds
    assert (found.witness is not None) is (holds is False)


def test_M2_a_ball_is_the_one_of_the_gallery():
    """Another derivation of the same motion: constant angular velocity in space, uniform motion."""
    ball = ch.bodies.rolling(
        support="R", inertia=["2/5*m*R^2"] * 3, mass="m", parameters={"m": 1, "R": 0.5, "g": 9.8}
    )
    known = ch.load("rolling-ball")
    field, other = ch.field(ball.system), ch.field(known)
    for state in known.random_states(3):
        order = [ball.system.coordinates, known.coordinates]
        mine, theirs = (field(0.0, *_split(state, order[0])), other(0.0, *_split(state, order[1])))
        by_name = dict(zip(order[1], theirs, strict=True))
        np.testing.assert_allclose(mine, [by_name[c] for c in order[0]], atol=1e-12)


def _split(state, names):
    return [state[c] for c in names], [state[f"{c}_dot"] for c in names]


@pytest.mark.slow
def test_M2_the_sharp_edge_is_the_rolling_disc_of_the_gallery():
    """h = R √(γ₁² + γ₂²): the energy and the height are those of the disc, with other angles."""
    body = ch.bodies.rolling(
        support="R*sqrt(g1^2 + g2^2)",
        inertia=["I1", "I1", "I2"],
        mass="m",
        parameters={"m": 1, "g": 9.8, "R": 0.5, "I1": "m*R^2/4", "I2": "m*R^2/2"},
        initial={"theta": "pi/2 - 0.4", "psi_dot": 0.7, "theta_dot": -0.2, "phi_dot": -3},
    )
    # the disc's angles: theta leans from upright, psi' - phi' sin(theta) is the spin about the axis
    disc = ch.load("rolling-disc").with_initial(theta=0.4, phi_dot=0.7, theta_dot=0.2, psi_dot=3)
    at = np.linspace(0, 2, 9)
    mine = ch.simulate(body.system, until=2, at=at, tolerance=1e-12)
    theirs = ch.simulate(disc, until=2, at=at, tolerance=1e-12)
    np.testing.assert_allclose(np.cos(mine["theta"]), np.sin(theirs["theta"]), atol=1e-9)
    np.testing.assert_allclose(mine["phi_dot"], -theirs["psi_dot"], atol=1e-8)


@pytest.mark.parametrize("name", [pytest.param("egg", marks=pytest.mark.slow), "torus"])
def test_M2_reduced_equations_are_proved_from_the_full_ones(name):
    found = body(name).agreement()
    assert list(found) == ["w1", "w2", "w3", "g1", "g2", "g3"]
    assert all(v.is_zero and v.proved for v in found.values())
    agrees(body(name), 2.0)


@pytest.mark.slow
def test_M2_general_bodies_agree_with_their_reduced_equations():
    agrees(body("rattleback"), 0.5)
    lopsided = ch.bodies.rolling(
        support="1 + g1*g2*g3/10 + g1/7",
        inertia=[[2, 0.1, 0.2], [0.1, 3, -0.3], [0.2, -0.3, 2.5]],
        mass=2,
        centre=[0.1, 0, -0.2],
        angles="zyx",
        initial={"alpha": 0.4, "beta": 0.3, "psi_dot": 0.5, "alpha_dot": 0.2, "beta_dot": -1},
    )
    agrees(lopsided, 2.0)
    assert all(v.is_zero for v in body("rattleback").agreement(effort=200_000).values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["egg", "torus"])
def test_M2_bodies_of_revolution_have_two_linear_integrals(name):
    """Coefficients that solve a linear equation in θ; their values along a motion are constant."""
    (found,) = ch.integrals(body(name).system).by_equation
    assert found.new == 2
    assert list(found.velocities) == formulas(["psi'", "phi'"])
    values, errors = found.along_with_bounds(
        ch.simulate(body(name).system, until=3, at="0:3:0.1", tolerance=1e-11)
    )
    assert errors.max() < 1e-11
    assert np.abs(values - values[:, :1]).max() < 1e-9 * np.abs(values).max()


def test_M2_momenta_of_a_body_of_revolution_obey_a_linear_equation_in_the_inclination():
    """Another way to the two integrals: ṗ = θ' A(θ) p for the momenta of D ∩ V, so that dp/dθ = A(θ) p."""
    turns = [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "psi": 1}, {"phi": 1}]
    found = ch.reduce_by_group(body("torus").system, turns)
    assert found.shape == ("theta",)
    assert found.dimensions["S"] == 2
    assert all(v.is_zero and v.proved for v in found.agreement().values())
    for rate in found.derived.rates:
        slope = rate.diff("theta'")
        assert slope.diff("theta'").is_zero is True
        assert rate.subs({"theta'": 0}).is_zero is True
        assert slope.subs({"p_1": 0, "p_2": 0}).is_zero is True
        assert all(slope.diff(a, b).is_zero is True for a in ("p_1", "p_2") for b in ("p_1", "p_2"))


@pytest.mark.slow
def test_M2_steady_motions_of_the_torus_and_when_they_are_stable():
    found = ch.relative_equilibria(body("torus").system, ["x", "y", "psi", "phi"], given={"theta": "pi/2"})
    speeds = [e.exact["x_dot"] for e in found if e.free == ("phi_dot",) and "x_dot" in e.exact]
    assert formula("-phi'*(b + a)") in speeds
    assert [formula("m*(b + a)^2*psi'^2 + A*psi'^2 - m*a*g", factor="positive")] in [
        list(e.criteria.conditions) for e in found if e.criteria
    ]


def test_M2_a_body_of_revolution_in_other_angles_moves_alike():
    """The same torus in angles that are regular where its axis is vertical: γ and ω are the same."""
    other = ch.bodies.rolling(
        support="b + a*sqrt(g1^2 + g2^2)",
        inertia=["A", "A", "C"],
        parameters={"a": 1, "A": 3, "C": 2, "b": 0.25},
        angles="zyx",
        initial={"alpha": 0.4, "beta": 0.3, "psi_dot": 0.5, "alpha_dot": 0.2, "beta_dot": -1},
    )
    agrees(other, 1.0)
    known = [str(e) for e in body("torus").reduced.velocity_constraints]
    assert other.reduced.velocity_constraints == any_order(*known)


def test_M2_the_rattleback_of_the_gallery_is_written_from_its_support_function():
    mine, known = ch.field(body("rattleback").system), ch.field(ch.load("rattleback"))
    for state in ch.load("rattleback").random_states(3):
        q, v = _split(state, body("rattleback").system.coordinates)
        np.testing.assert_allclose(mine(0.0, q, v), known(0.0, q, v), rtol=1e-9, atol=1e-9)


def test_M2_the_rattleback_turns_back_soon_in_one_direction_only():
    rattleback = ch.load("rattleback")
    motion = ch.simulate(rattleback, tolerance=1e-9)
    assert motion["psi_dot"].values[0] == -5
    assert motion["psi_dot"].values[-1] > 3
    other = ch.simulate(rattleback, initial={"psi_dot": 5}, tolerance=1e-9)
    assert other["psi_dot"].values.min() > 2
    energy = motion["energy"].values
    assert np.abs(energy - energy[0]).max() < 1e-5 * np.abs(energy[0])


@pytest.mark.slow
def test_M2_the_rattleback_knows_left_from_right():
    """Spectra of opposite spins are opposite; oscillations grow tenfold as fast for one direction."""
    rattleback = ch.load("rattleback")
    rest = dict.fromkeys(["x", "y", "psi", "alpha", "beta", "alpha_dot", "beta_dot"], 0)
    spectra = []
    for spin in (-5, 5):
        found = ch.linearize(rattleback, at=rest | {"psi_dot": spin}, relative_to=("x", "y", "psi"))
        spectra.append(sorted((complex(z) for z in found.eigenvalues), key=lambda z: (z.real, z.imag)))
    fast, slow = (max(z.real for z in s) for s in spectra)
    assert fast > 10 * slow > 0
    np.testing.assert_allclose([z.real for z in spectra[0]], [-z.real for z in spectra[1]][::-1], atol=1e-9)


def test_a_body_shows_itself():
    text = json.loads(json.dumps(body("egg").to_json()))
    assert text["revolution"] is True
    assert text["convex"] is True
    assert ch.loads(text["model"]).coordinates == ("x", "y", "psi", "theta", "phi")
    assert ch.loads(text["reduced"]).coordinates == ("w1", "w2", "w3", "g1", "g2", "g3")
    assert "a body of revolution" in str(body("egg"))
    assert "\\rho" in body("egg")._repr_html_()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"support": "1 + 2*g3^2"}, "not convex: for γ = "),
        ({"support": "g3"}, "a point or of a body with corners"),
        ({"support": "1 + q"}, "unknown name 'q'"),
        ({"support": "1 + t"}, "contains t"),
        ({"support": "1 + g1'"}, "g1'"),
        ({"inertia": [1, 2]}, "the inertia is"),
        ({"inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "not symmetric"),
        ({"inertia": ["g1", 1, 1]}, "contains 'g1'"),
        ({"centre": [0, 0]}, "the centre of mass is"),
        ({"angles": "xyz"}, "angles is 'xyz'"),
        ({"gravity": 3, "parameters": {"g": 2}}, "gravity is given twice"),
        ({"parameters": {"w1": 2}}, "a parameter is called 'w1'"),
        ({"parameters": {"m": 2}, "mass": 3}, "a parameter is called 'm'"),
        ({"initial": {"tetha": 1}}, "tetha"),
        ({"initial": START | {"theta": -1}}, "theta is -1 at the start"),
    ],
)
def test_M2_mistakes_are_sentences(given, words):
    with pytest.raises(ch.ModelError, match=words):
        ch.bodies.rolling(**({"support": "1", "inertia": [1, 1, 1]} | given))
