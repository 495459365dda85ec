"""Reduction by invariants and by symmetries (B11, M1, M6)."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.language.parser import parse
from formulas import formula, formulas

PLANE_MOTIONS = [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}]
DISC = [{"x": 1}, {"y": 1}, {"psi": 1}, {"x": "-y", "y": "x", "phi": 1}]
TRANSLATIONS = {
    "leibniz-particle": [{"x": 1}],
    "nonholonomic-particle": [{"x": 1}, {"z": 1}],
    "snakeboard": [{"x": 1}, {"y": 1}],
    "knife-edge": [{"y": 1}],
    "heisenberg": [{"x": 1}, {"z": 1}],
}


def along(system, text, motion):
    """A function of the state along a motion of the system."""
    values = {system.time: motion["time"].values, **system.parameter_values}
    for c in system.coordinates:
        values |= {(c, 0): motion[c].values, (c, 1): motion[f"{c}_dot"].values}
    return np.asarray(evaluate([parse(text, system.scope)], values)[0])


def agrees(found, until=2.0):
    """The reduced motion is that of the invariants along the full one, which is reconstructed."""
    at = np.linspace(0, until, 9)
    full = ch.simulate(found.full, until=until, at=at, tolerance=1e-12)
    small = ch.simulate(found.system, until=until, at=at, tolerance=1e-12)
    for s in found.invariants:
        np.testing.assert_allclose(small[s.name], along(found.full, str(s.function), full), atol=1e-9)
    back = found.reconstruct(until=until, at=at, tolerance=1e-12)
    for c in found.full.coordinates:
        np.testing.assert_allclose(back[c], full[c], atol=1e-9)


def test_M1_the_sleigh_is_reduced_by_the_motions_of_the_plane_and_lifted_back():
    found = ch.reduce(ch.load("caratheodory-sleigh"), symmetries=PLANE_MOTIONS)
    assert found.closed is True
    assert dict(found.field) == formulas(
        {
            "v_phi": "-m*a*v_phi*s1/(m*a^2 + J)",
            "s1": "a*v_phi^2",
        }
    )
    assert found.invariants[1].function == formula("x'*cos(phi) + y'*sin(phi)")
    agrees(found)


@pytest.mark.slow
def test_B11_the_rolling_disc_is_reduced_and_lifted_back():
    found = ch.reduce(ch.load("rolling-disc"), symmetries=DISC)
    assert found.closed is True
    assert list(found.field) == ["theta", "v_psi", "v_phi", "v_theta"]
    agrees(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSLATIONS)
def test_B11_translations_are_reduced_and_lifted_back(name):
    found = ch.reduce(ch.load(name), symmetries=TRANSLATIONS[name])
    assert found.closed is True
    agrees(found)


def isotropic(seed):
    """A system that turns about an axis which random linear coordinates hide, and its invariants."""
    rng = random.Random(seed)
    a, b, c, d = (rng.randint(-3, 3) for _ in range(4))
    while a * d == b * c:
        a, b, c, d = (rng.randint(-3, 3) for _ in range(4))

    def turned(text):
        words = {"X": f"({a}*x + {b}*y)", "Y": f"({c}*x + {d}*y)", "U": f"({a}*x' + {b}*y')"}
        words |= {"V": f"({c}*x' + {d}*y')"}
        return "".join(words.get(letter, letter) for letter in text)

    n, k = rng.choice([1, 2]), rng.randint(1, 3)
    constraint = rng.choice(["U^2 + V^2 = 2 + w^2", "w' = X*V - Y*U", "w' = k*(X*U + Y*V) + w"])
    constraint = constraint.replace("w^2", "z^2").replace("w", "z")
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=turned(f"(U^2 + V^2 + z'^2)/2 - k*(X^2 + Y^2)^{n} - z^2*(X^2 + Y^2)/{k}"),
        constraints=[turned(constraint)],
        parameters={"k": k},
    )
    invariants = {
        "p": turned("X^2 + Y^2"),
        "r": turned("X*U + Y*V"),
        "s": turned("U^2 + V^2"),
        "j": turned("X*V - Y*U"),
        "z": "z",
        "u": "z'",
    }
    return system, invariants


@pytest.mark.parametrize("seed", [pytest.param(i, marks=pytest.mark.slow if i else ()) for i in range(6)])
def test_B11_planted_rotations_close(seed):
    """Invariants of a hidden rotation close; the reduced rates are those of the full motion on Q."""
    system, invariants = isotropic(seed)
    found = ch.reduce(system, invariants=invariants)
    assert found.closed is True
    assert len(found.relations) >= 1
    field = ch.field(system)
    for state in system.random_states(3):
        q = np.array([[state[c] for c in system.coordinates]])
        v = np.array([[state[f"{c}_dot"] for c in system.coordinates]])
        h = 1e-5
        acceleration = field(0.0, q, v)

        def values(t, q=q, v=v, acceleration=acceleration):
            here = dict(system.parameter_values) | {system.time: 0.0}
            for i, c in enumerate(system.coordinates):
                here[c, 0] = (q + t * v + t * t / 2 * acceleration)[0, i]
                here[c, 1] = (v + t * acceleration)[0, i]
            return {n: evaluate([parse(e, system.scope)], here)[0] for n, e in invariants.items()}

        start, before, after = values(0.0), values(-h), values(h)
        sigma = {(n, 0): x for n, x in start.items()} | dict(system.parameter_values) | {system.time: 0.0}
        for n, e in found.field.items():
            (expected,) = evaluate([e], sigma)
            assert abs((after[n] - before[n]) / (2 * h) - expected) < 1e-5 * (1 + abs(expected))


def test_B11_rates_that_are_no_functions_of_the_invariants_are_refuted_with_a_witness():
    system = ch.load("caratheodory-sleigh")
    found = ch.reduce(system, invariants={"w": "phi'"})
    assert found.closed is False
    shown = found.rates["w"].witness
    assert shown is not None
    # along the direction the invariant and the constraint stand still, the rate does not
    names = [*system.coordinates, *(c + "'" for c in system.coordinates)]

    def at(text, h):
        here = dict(system.parameter_values) | {system.time: 0.0}
        for n in names:
            here[n.rstrip("'"), n.count("'")] = shown.state[n] + h * shown.direction.get(n, 0)
        return evaluate([parse(text, system.scope)], here)[0]

    def slope(text, h=1e-6):
        return (at(text, h) - at(text, -h)) / (2 * h)

    (constraint,) = system.velocity_constraints
    assert abs(slope("phi'")) < 1e-9
    assert abs(slope(f"({constraint.lhs}) - ({constraint.rhs})")) < 1e-9
    assert abs(slope(str(found.rates["w"].on_q)) - shown.change) < 1e-6
    with pytest.raises(ch.ModelError, match="do not close"):
        _ = found.system


def test_B11_a_field_that_is_no_symmetry_is_refused_with_what_breaks_it():
    with pytest.raises(
        ch.ModelError, match=r"no symmetry of the motion: the Lagrangian .* X\(L\) = .*m\*R\*g\*sin"
    ):
        ch.reduce(ch.load("rolling-disc"), symmetries=[{"theta": 1}])


def test_B11_fields_that_form_no_algebra_are_refused():
    system = ch.System(coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2")
    turns = [{"x": "-y", "y": "x"}, {"y": "-z", "z": "y"}]
    bracket = "the bracket of .* is -z ∂/∂x \\+ x ∂/∂z, no combination"
    with pytest.raises(ch.ModelError, match=f"do not form an algebra: {bracket}"):
        ch.reduce(system, symmetries=turns)


@pytest.mark.slow
def test_B11_rates_may_contain_time_and_functions_of_invariants():
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - cos(t)*exp(-(x^2 + y^2))/sqrt(1 + x^2 + y^2)",
    )
    texts = {"a": "x^2 + y^2", "b": "x*x' + y*y'", "c": "x'^2 + y'^2"}
    found = ch.reduce(system, invariants=texts)
    assert found.closed is True
    # b' = c - r V'(r) for V = cos t exp(-a)/sqrt(1 + a), a = r²
    assert found.field["b"] == formula(
        "c + 2*a*cos(t)*exp(-a)*(1/sqrt(1 + a) + 1/(2*sqrt(1 + a)^3))", positive="a"
    )


@pytest.mark.slow
def test_B11_the_reduced_motion_is_a_system_like_others():
    oscillator = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - k*(x^2 + y^2)/2",
        parameters={"k": 2},
        initial={"x": 1, "x_dot": 0, "y_dot": 1},
    )
    texts = {"a": "x^2 + y^2", "b": "x*x' + y*y'", "c": "x'^2 + y'^2"}
    found = ch.reduce(oscillator, invariants=texts)
    small = found.system
    assert ch.loads(small.to_toml()) == small
    assert ch.compare(small, samples=4).agree
    conserved = [law.expression for law in ch.integrals(small) if law.conserved]
    assert formula("a*k + c", factor=True) in conserved
    json.dumps(found.to_json())


@pytest.mark.slow
def test_M6_velocities_that_invariants_leave_open_follow_the_law_of_the_full_system():
    texts = {"a": "x^2 + y^2 + z^2", "b": "x*x' + y*y' + z*z'", "c": "x'^2 + y'^2 + z'^2"}
    start = {"x": 1, "y": 0.5, "z": 0, "x_dot": 0, "y_dot": 1, "z_dot": 0.3}
    space = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)^2/4",
        initial=start,
    )
    found = ch.reduce(space, invariants=texts)
    assert found.closed is True
    agrees(found)


def test_M6_velocities_that_are_open_without_a_law_are_a_sentence():
    laws = {"accelerations": {"x": "-x", "y": "-y", "z": "-z"}}
    system = ch.System(coordinates=["x", "y", "z"], dynamics=laws)
    found = ch.reduce(
        system, invariants={"a": "x^2 + y^2 + z^2", "b": "x*x' + y*y' + z*z'", "c": "x'^2 + y'^2 + z'^2"}
    )
    assert found.closed is True
    with pytest.raises(ch.ModelError, match="determine 2 of the 3 velocities"):
        _ = found.lifted


def test_B11_stops_are_said_to_be_no_part_of_the_reduced_motion():
    found = ch.reduce(ch.load("bouncing-ball"), symmetries=[{"x": 1}])
    assert dict(found.field) == formulas({"y": "v_y", "v_x": "0", "v_y": "-g"})
    assert any(note.startswith("between impacts") for note in found.notes)


BAD = {
    "nothing": ({}, "nothing to reduce by"),
    "both": ({"invariants": {"a": "x"}, "symmetries": [{"x": 1}]}, "more than one thing to reduce by"),
    "unknown name": ({"invariants": {"b": "x + w"}}, "unknown name 'w'"),
    "a parameter's name": ({"invariants": {"m": "x"}}, "name of a parameter"),
    "time's name": ({"invariants": {"t": "x"}}, "name of time"),
    "another coordinate's name": ({"invariants": {"x": "y"}}, "name of a coordinate"),
    "a function's name": ({"invariants": {"sin": "x"}}, "cannot be called 'sin'"),
    "a number": ({"invariants": {"b": "2*m"}}, "no function of the state"),
    "no mapping": ({"invariants": ["x"]}, "the invariants are"),
    "accelerations": ({"invariants": {"b": "x''"}}, "acceleration"),
    "a field with unknown components": ({"symmetries": [{"w": 1}]}, "neither time nor a coordinate"),
    "no field": ({"symmetries": []}, "no symmetry was given"),
    "a field along time": ({"symmetries": [{"t": 1}]}, "moves time"),
    "effort": ({"invariants": {"a": "x"}, "effort": -1}, "the effort is"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_sentence(case):
    options, message = BAD[case]
    with pytest.raises(ch.ModelError, match=message):
        ch.reduce(ch.load("caratheodory-sleigh"), **options)
