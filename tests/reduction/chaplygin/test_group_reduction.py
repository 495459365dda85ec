"""Reduction by a group with its Lagrangian: Chaplygin systems, momenta, Lagrange–d'Alembert (M4, M6)."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import chetaev as ch
from chetaev.cli import run
from chetaev.expr.graph.evaluate import evaluate
from chetaev.laws.symmetry.momentum_equation import momentum_equations
from formulas import formula, formulas

PLANE = [{"x": 1}, {"y": 1}]
MOTIONS = [*PLANE, {"x": "-y", "y": "x", "phi": 1}]
BOARD = [*PLANE, {"x": "-y", "y": "x", "theta": 1}]
CASES = {
    "heisenberg": ([{"z": 1}], "kinematic"),
    "heisenberg by two": ([{"x": 1}, {"z": 1}], "general"),
    "caratheodory-sleigh by translations": (PLANE, "general"),
    "caratheodory-sleigh": (MOTIONS, "general"),
    "rolling-disc by translations": (PLANE, "kinematic"),
    "rolling-disc": ([*MOTIONS, {"psi": 1}], "general"),
    "rolling-ball": (PLANE, "kinematic"),
    "differential-drive": (BOARD, "kinematic"),
    "snakeboard": (BOARD, "general"),
    "vertical-rolling-disc": (MOTIONS, "general"),
}
SLOW = {"caratheodory-sleigh", "differential-drive", "snakeboard"}


def cases(kind=None):
    return [
        pytest.param(n, marks=pytest.mark.slow if n in SLOW else ())
        for n, (_, case) in CASES.items()
        if kind in (None, case)
    ]


def reduced(name):
    return ch.reduce_by_group(ch.load(name.split()[0]), CASES[name][0])


def proved(verdicts):
    return all(v.is_zero and v.proved for v in verdicts.values())


@pytest.mark.parametrize("name", cases())
def test_M4_reduced_equations_follow_from_the_full_ones(name):
    """Proved on Q; beside it numbers: the lifted motion is that of the compiled full field."""
    found = reduced(name)
    assert found.case == CASES[name][1]
    assert proved(found.agreement())
    at = np.linspace(0, 1, 5)
    full = ch.simulate(found.full, until=1, at=at, tolerance=1e-12)
    back = found.reconstruct(until=1, at=at, tolerance=1e-12)
    for c in found.full.coordinates:
        np.testing.assert_allclose(back[c], full[c], atol=1e-9)
    small = ch.simulate(found.system, until=1, at=at, tolerance=1e-12)
    for c in (*found.shape, *found.momenta):
        np.testing.assert_allclose(small[c], back[c], atol=1e-9)


@pytest.mark.parametrize("name", cases("kinematic"))
def test_M4_chaplygins_equations_are_those_of_the_formulation(name):
    found = reduced(name)
    assert proved(found.compared())


def test_M4_curvature_is_the_gyroscopic_force():
    """⟨P, [H_β, H_α]⟩ ṙ^β with the curvature as shown."""
    found = reduced("heisenberg")
    assert {pair: dict(x) for pair, x in found.curvature.items()} == formulas({("x", "y"): {"z": "-1"}})
    assert dict(found.gyroscopic) == formulas({"x": "y*x'*y'", "y": "-y*x'^2"})


def test_M6_the_momentum_equation_of_the_snakeboard_as_printed():
    """ṗ = 2 J₀ cos²φ φ̇ψ̇ − tan φ φ̇ p for J + J₀ + 2J₁ = m r², back wheels at φ, front wheels at −φ (Bloch,
    Krishnaprasad, Marsden and Murray 1996, section 9; Ostrowski, Lewis, Murray and Burdick 1994).
    """
    board = ch.System(
        coordinates=["x", "y", "theta", "psi", "phi"],
        parameters={"m": 6, "r": 0.2, "J": 0.1, "J0": 0.072, "J1": "(m*r^2 - J - J0)/2"},
        lagrangian="m/2*(x'^2 + y'^2) + J/2*theta'^2 + J0/2*(theta' + psi')^2"
        " + J1/2*((theta' + phi')^2 + (theta' - phi')^2)",
        constraints=[
            "x'*sin(theta + phi) - y'*cos(theta + phi) + r*cos(phi)*theta' = 0",
            "x'*sin(theta - phi) - y'*cos(theta - phi) - r*cos(phi)*theta' = 0",
        ],
    )
    section = {"x": "-2*r*cos(phi)^2*cos(theta)", "y": "-2*r*cos(phi)^2*sin(theta)", "theta": "sin(2*phi)"}
    found = ch.reduce_by_group(board, BOARD, sections=[section])
    assert found.momentum_equations["p_1"] == formula("phi'*(2*J0*psi'*cos(phi)^3 - p_1*sin(phi))/cos(phi)")
    assert dict(found.connection["psi"])["theta"] == formula("-J0*sin(phi)^2/(m*r^2)")
    # the velocity of the board: θ̇ = −(J₀/m r²) sin²φ ψ̇ + (1/2 m r²) tan φ p
    assert found.reconstruction["theta"] == formula(
        "sin(phi)*(p_1 - 2*J0*psi'*sin(phi)*cos(phi))/(2*m*r^2*cos(phi))"
    )
    assert proved(found.agreement())


def test_M6_a_bicycle_has_one_momentum_which_steering_changes():
    """Rear wheel at (x, y), the front fork turned by δ: S is rolling along, p' is proportional to δ'."""
    bicycle = ch.System(
        coordinates=["x", "y", "theta", "delta"],
        parameters={"m": 10, "c": 0.5, "L": 1, "J": 2, "Jf": 0.1},
        lagrangian="m/2*((x' - c*theta'*sin(theta))^2 + (y' + c*theta'*cos(theta))^2) + J/2*theta'^2"
        " + Jf/2*(theta' + delta')^2",
        constraints=[
            "y'*cos(theta) = x'*sin(theta)",
            "(y' + L*theta'*cos(theta))*cos(theta + delta) = (x' - L*theta'*sin(theta))*sin(theta + delta)",
        ],
        initial={"delta": 0.3, "delta_dot": 0.2, "x_dot": 2},
    )
    found = ch.reduce_by_group(bicycle, BOARD)
    assert found.case == "general"
    assert found.shape == ("delta",)
    assert proved(found.agreement())
    rate = found.derived.rates[0]
    assert rate.subs({"delta'": 0}).is_zero is True
    full = ch.simulate(bicycle, until=2, at=[0, 1, 2], tolerance=1e-12)
    back = found.reconstruct(until=2, at=[0, 1, 2], tolerance=1e-12)
    np.testing.assert_allclose(back["x"], full["x"], atol=1e-9)


@pytest.mark.slow
def test_M6_the_momentum_equation_is_that_of_the_momentum_map():
    """Another derivation, d/dt J^nh = (dη/dt) J: the rates agree on random states."""
    board = ch.load("snakeboard")
    found = ch.reduce_by_group(board, BOARD)
    (other,) = momentum_equations(board, fields=BOARD)
    mine = found.pulled_back([found.momentum_equations["p_1"]])[0]
    for state in board.random_states(3):
        values = dict(board.parameter_values) | {board.time: 0.0}
        for c in board.coordinates:
            values |= {(c, 0): state[c], (c, 1): state[f"{c}_dot"]}
        p, j, a, b = (
            float(x) for x in evaluate([found.momenta["p_1"], other.momentum, mine, other.rate], values)
        )
        assert abs(p - j) < 1e-9 * (1 + abs(j))
        assert abs(a - b) < 1e-9 * (1 + abs(b))


def test_M6_momenta_of_horizontal_symmetries_are_conserved():
    disc = ch.reduce_by_group(ch.load("vertical-rolling-disc"), [{"phi": 1, "x": "-y", "y": "x"}, *PLANE])
    assert disc.conserved == ("p_1",)


def test_M4_orbits_in_d_are_the_horizontal_case():
    system = ch.System(
        coordinates=["x", "y", "z", "s"],
        lagrangian="(x'^2 + y'^2 + z'^2 + (1 + y^2)*s'^2)/2 - y^2/2",
        constraints=["z' = y*x'"],
        initial={"y": 1, "x_dot": 1, "y_dot": 0.5, "s_dot": 2},
    )
    found = ch.reduce_by_group(system, [{"s": 1}])
    assert found.case == "horizontal"
    assert found.conserved == ("p_1",)
    assert set(found.velocities) == {"x"} or set(found.velocities) == {"z"}
    assert proved(found.agreement())


@pytest.mark.slow
def test_M4_shape_coordinates_may_be_functions():
    """A blade on a spring to the origin: a Chaplygin system over the place seen from the blade."""
    blade = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="m/2*(x'^2 + y'^2) + J/2*phi'^2 - k/2*(x^2 + y^2)",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
        forces={"phi": "-c*phi'"},
        parameters={"m": 2, "J": 1, "k": 3, "c": 0.1},
        initial={"x": 1, "y": 0.5, "phi": 0.3, "x_dot": 0.2, "phi_dot": 0.7},
    )
    turns = [{"x": "-y", "y": "x", "phi": 1}]
    with pytest.raises(ch.ModelError, match="2 dimensions"):
        ch.reduce_by_group(blade, turns)
    shape = {"X": "x*cos(phi) + y*sin(phi)", "Y": "y*cos(phi) - x*sin(phi)"}
    found = ch.reduce_by_group(blade, turns, shape=shape)
    assert found.shape == ("X", "Y")
    assert found.case == "kinematic"
    assert proved(found.agreement())
    assert proved(found.compared())
    at = np.linspace(0, 1, 5)
    full = ch.simulate(blade, until=1, at=at, tolerance=1e-12)
    back = found.reconstruct(until=1, at=at, tolerance=1e-12)
    np.testing.assert_allclose(back["phi"], full["phi"], atol=1e-9)
    X = full["x"] * np.cos(full["phi"]) + full["y"] * np.sin(full["phi"])
    np.testing.assert_allclose(back["X"], X, atol=1e-9)
    for wrong, words in (
        ({"X": "x", "Y": "y"}, "is no coordinate of the shape"),
        ({"R": "x^2 + y^2"}, "not affine"),
        ({"x": "x*cos(phi) + y*sin(phi)"}, "name"),
        ([], "the shape is"),
    ):
        with pytest.raises(ch.ModelError, match=words):
            ch.reduce_by_group(blade, turns, shape=wrong)


def planted(seed):
    """A random system on R² × S¹ × R with the motions of the plane as symmetries and one constraint."""
    rng = random.Random(seed)
    a, b, c, d = (rng.choice([-2, -1, 1, 2]) for _ in range(4))
    u, w = "(x'*cos(phi) + y'*sin(phi))", "(y'*cos(phi) - x'*sin(phi))"
    lagrangian = (
        f"({u}^2*(2 + s^2) + {w}^2 + 3*phi'^2 + s'^2 + {u}*s')/2 + {w}*phi'/{2 + abs(a)} - {abs(b)}*s^2"
    )
    constraint = rng.choice(
        [f"{w} = {a}*s*phi'", f"{u} = {b}*s'", f"s' = {c}*phi' + {d}*{w}", f"{w} = {a}*s^2*s' + {d}*phi'"]
    )
    return ch.System(coordinates=["x", "y", "phi", "s"], lagrangian=lagrangian, constraints=[constraint])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_M4_planted_groups_are_reduced_and_proved(seed):
    found = ch.reduce_by_group(planted(seed), MOTIONS)
    assert found.dimensions["V"] == 3
    assert proved(found.agreement())


def test_a_reduction_shows_itself():
    found = reduced("rolling-disc")
    text = json.loads(json.dumps(found.to_json()))
    assert text["case"] == "general"
    assert list(text["momenta"]) == ["p_1", "p_2"]
    assert "S_1 = " in str(found)
    assert "<table>" in found._repr_html_()


@pytest.mark.parametrize(
    ("name", "symmetries", "options", "words"),
    [
        ("rolling-disc", [{"theta": 1}], {}, "is no symmetry of the Lagrangian"),
        ("heisenberg", [{"y": 1}], {}, "is no symmetry of the constraint"),
        ("rolling-disc", [{"x": 1}, {"x": "-y", "y": "x", "phi": 1}], {}, "do not form an algebra"),
        ("rolling-disc", [*MOTIONS], {"case": "chaplygin"}, r"D ∩ V has dimension 1 and D \+ V has"),
        ("rolling-disc", [{"x": "-y", "y": "x", "phi": 1}], {}, "4 dimensions, but the group leaves only"),
        ("ball-on-rotating-table", [{"psi": 1}], {}, "not homogeneous"),
        ("leibniz-particle", [{"x": 1}], {}, "not linear in the velocities"),
        ("pendulum-cartesian", [{"x": "-y", "y": "x"}], {}, "constraints on positions"),
        ("sleigh-on-q", [{"x": 1}], {}, "no Lagrangian"),
        ("rolling-disc", [], {}, "no symmetry was given"),
        ("rolling-disc", [{"x": 0}], {}, "a symmetry is 0"),
        ("heisenberg", [{"z": 1}], {"case": "kane"}, "case is 'kane'"),
        ("heisenberg", [{"x": 1}, {"z": 1}], {"sections": [{"x": 1}]}, "does not lie in D"),
        ("heisenberg", [{"x": 1}, {"z": 1}], {"sections": []}, "0 sections are given"),
        ("heisenberg", [{"x": 1}, {"z": 1}], {"sections": [{"y": 1}]}, "not tangent to the orbits"),
    ],
)  # fmt: skip
def test_M4_mistakes_are_sentences(name, symmetries, options, words):
    with pytest.raises(ch.ModelError, match=words):
        ch.reduce_by_group(ch.load(name), symmetries, **options)


def test_M4_on_the_command_line(capsys):
    assert run(["reduce", "heisenberg", "--symmetry", "z=1", "--chaplygin", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["case"] == "kinematic"
    assert set(found["agreement"].values()) == {"zero (proved: normal form)"}
    assert run(["reduce", "heisenberg", "--symmetry", "z=1", "--symmetry", "x=1", "--chaplygin"]) == 2
    assert "D ∩ V has dimension 1" in capsys.readouterr().err
    assert run(["reduce", "heisenberg", "--invariant", "a=x", "--lagrangian"]) == 2
    assert "are for symmetries, without --invariant" in capsys.readouterr().err


@pytest.mark.slow
def test_M4_shape_coordinates_that_are_missing_are_named_and_can_be_given():
    """Also for a model with definitions, which are written out in the new coordinates."""
    disc, turn = ch.load("rolling-disc"), [{"x": "-y", "y": "x", "phi": 1}]
    with pytest.raises(ch.ModelError, match="the quotient by the group has 4 dimensions") as told:
        ch.reduce_by_group(disc, turn)
    assert 'shape={"s1": "x*cos(phi) + y*sin(phi)", "s2": "y*cos(phi) - x*sin(phi)"}' in str(told.value)
    shape = {"s1": "x*cos(phi) + y*sin(phi)", "s2": "y*cos(phi) - x*sin(phi)"}
    found = ch.reduce_by_group(disc, turn, shape=shape)
    assert found.shape == ("psi", "theta", "s1", "s2")
    assert all(v.proved for v in found.agreement().values())
