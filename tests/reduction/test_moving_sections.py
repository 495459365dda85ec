"""Groups that turn frames: invariants across a section, lifted back; reduction in stages (B11, M4, M6)."""

from __future__ import annotations

import random

import pytest

import chetaev as ch
from chetaev.expr.graph.node import postorder
from chetaev.laws.standpoint import EVERY_VALUE
from formulas import formula, formulas
from portions import parts
from reduction.test_reduce import PLANE_MOTIONS, agrees

TURN = {"x": "-y", "y": "x", "phi": 1}
X, Y = "(x*cos(phi) + y*sin(phi))", "(y*cos(phi) - x*sin(phi))"
U, W = "(x'*cos(phi) + y'*sin(phi))", "(y'*cos(phi) - x'*sin(phi))"


def blade():
    """A blade on a spring to the origin."""
    return ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="m/2*(x'^2 + y'^2) + J/2*phi'^2 - k/2*(x^2 + y^2)",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
        parameters={"m": 2, "J": 1, "k": 3},
        initial={"x": 1, "y": 0.3, "phi": 0.4, "x_dot": 0.5, "phi_dot": 0.7},
    )


def two_blades():
    """Two blades on the plane, joined by a spring."""
    return ch.System(
        coordinates=["x", "y", "p", "X", "Y", "P"],
        lagrangian="m/2*(x'^2 + y'^2) + J/2*p'^2 + M/2*(X'^2 + Y'^2) + K/2*P'^2"
        " - k/2*((x - X)^2 + (y - Y)^2)",
        constraints=["y'*cos(p) = x'*sin(p)", "Y'*cos(P) = X'*sin(P)"],
        parameters={"m": 2, "J": 1, "k": 3, "M": 1.5, "K": 0.7},
        initial={"x": 1, "y": 0.3, "p": 0.4, "x_dot": 0.5, "p_dot": 0.7}
        | {"X": -1, "P": 1, "X_dot": 0.3, "P_dot": -0.4},
    )


@pytest.mark.slow
def test_B11_a_blade_on_a_spring_is_reduced_by_turns_about_the_origin():
    found = ch.reduce(blade(), symmetries=[TURN])
    assert found.closed is True
    assert dict(found.field) == formulas(
        {
            "s1": "s2*v_phi + s3",
            "s2": "-s1*v_phi",
            "v_phi": "0",
            "s3": "-k*s1/m",
        }
    )
    assert not found.poles


@pytest.mark.slow
def test_B11_two_blades_on_a_spring_are_reduced_by_the_motions_of_the_plane():
    """Both speeds are those along the blades: invariants without poles are chosen, one after the other."""
    moves = [{"x": 1, "X": 1}, {"y": 1, "Y": 1}, {"x": "-y", "y": "x", "p": 1, "X": "-Y", "Y": "X", "P": 1}]
    found = ch.reduce(two_blades(), symmetries=moves)
    assert found.closed is True
    assert not found.poles
    assert found.field["s5"] == formula("-k*(s2*cos(s1) + s3*sin(s1))/M")
    agrees(found, until=1.0)


@pytest.mark.slow
def test_B11_a_ball_on_a_rotating_table_is_reduced_by_turns_about_the_axis():
    """Affine constraints; the section is at one angle of the ball."""
    found = ch.reduce(ch.load("ball-on-rotating-table"), symmetries=[{"x": "-y", "y": "x", "psi": 1}])
    assert found.closed is True
    assert all(r.evidence == f"proved {EVERY_VALUE}" for r in found.rates.values())
    agrees(found)


def turned(seed):
    """A random plate with a blade in a random field, both seen alike by one who turns about the origin."""
    rng = random.Random(seed)
    speeds = [U, W, "phi'"]
    kinetic = " + ".join(f"{rng.randint(2, 4)}*{v}^2/2" for v in speeds)
    a, b = rng.sample(speeds, 2)
    potential = f"{rng.randint(1, 3)}*{X}^2/2 + k*{Y}^2 + {rng.choice([X, Y])}*{rng.choice(['1', X, Y])}/3"
    chosen = rng.sample(speeds, 2)
    place = rng.choice(["1", "(2 + k)", f"(3 + {X}^2)"])
    left = f"{place}*{chosen[0]} + {rng.choice([-1, 2])}*{chosen[1]}"
    return ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian=f"{kinetic} + {a}*{b}/3 - ({potential})",
        constraints=[f"{left} = {rng.choice(['0', '0', f'k*{Y}'])}"],
        forces={"phi": f"-{rng.randint(1, 3)}*phi'"} if rng.random() < 0.5 else {},
        parameters={"k": rng.randint(1, 3)},
        initial={"x": 0.8, "y": -0.3, "phi": 0.4, "x_dot": 0.5, "phi_dot": 0.7},
    )


@pytest.mark.parametrize("seed", parts([10, *range(10), *range(11, 16)], slow=4))
def test_B11_M6_random_turning_systems_are_reduced_proved_and_lifted_back(seed):
    found = ch.reduce(turned(seed), symmetries=[TURN])
    assert found.closed is True
    assert all(r.evidence.startswith("proved") for r in found.rates.values())
    agrees(found, until=1.0)


def test_the_normal_forms_of_a_turned_frame_come_to_an_end():
    """Here a divisor cancelled in half angles and a conjugate undid each other, for ever."""
    accelerations = ch.equations(turned(10), "reduced").accelerations
    assert not any(node.op == "sqrt" for node in postorder(*accelerations.values()))


def test_B11_relations_of_rheonomic_systems_contain_time():
    system = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints=["y'*cos(phi) - x'*sin(phi) = a*cos(w*t)"],
        parameters={"a": 0.5, "w": 2},
    )
    found = ch.reduce(system, invariants={"phi": "phi", "u": "x'", "v": "y'", "s": "phi'"})
    assert list(found.relations) == formulas(["v*cos(phi) - u*sin(phi) - a*cos(w*t)"], factor=True)


def test_B11_where_invariants_are_related_rates_without_poles_are_preferred():
    system = ch.System(coordinates=["x", "y"], lagrangian="x'*y' - k*x*y", parameters={"k": 1})
    found = ch.reduce(system, symmetries=[{"x": "x", "y": "-y"}])
    assert found.field["s2"] == formula("s4 - k*s1")
    assert not found.poles


def test_B11_a_force_or_a_law_that_is_not_invariant_is_shown():
    pushed = ch.System(
        coordinates=["x", "phi"],
        lagrangian="(x'^2 + phi'^2)/2",
        forces={"phi": "-b*x^2"},
        parameters={"b": 3},
    )
    with pytest.raises(
        ch.ModelError, match=r"the force along phi is not invariant: \(L_X F\)_phi = -2\*x\*b"
    ):
        ch.reduce(pushed, symmetries=[{"x": 1}])
    law = ch.System(coordinates=["x", "y"], dynamics={"accelerations": {"x": "-x*y", "y": "-x^3"}})
    with pytest.raises(ch.ModelError, match=r"the law of x'' is not invariant, it changes by y"):
        ch.reduce(law, symmetries=[{"x": 1}])


@pytest.mark.slow
def test_B11_a_group_that_moves_every_place_is_not_said_to_rest_somewhere():
    sphere = ch.System(coordinates=["th", "ph"], lagrangian="(th'^2 + sin(th)^2*ph'^2)/2")
    turns = [
        {"ph": 1},
        {"th": "-sin(ph)", "ph": "-cos(ph)/tan(th)"},
        {"th": "cos(ph)", "ph": "-sin(ph)/tan(th)"},
    ]
    found = ch.reduce(sphere, symmetries=turns)
    assert "orbits in configuration space of dimension 2 everywhere" in found.notes


@pytest.mark.slow
def test_M4_a_reduced_system_is_reduced_again_and_has_measures_and_laws():
    """Translations, then turns; a density on the reduced space, and what forbids a smooth one."""
    sleigh = ch.load("caratheodory-sleigh")
    first = ch.reduce(sleigh, symmetries=PLANE_MOTIONS[:2]).system
    again = ch.reduce(first, symmetries=[{"phi": 1, "v_x": "-v_y", "v_y": "v_x"}])
    assert again.closed is True
    assert again.field["v_phi"] == formula("-m*a*v_phi*s1/(m*a^2 + J)")
    small = ch.reduce(sleigh, symmetries=PLANE_MOTIONS).system
    assert ch.measure(small).obstruction is not None
    disc = ch.reduce(ch.load("rolling-disc"), symmetries=[*PLANE_MOTIONS, {"psi": 1}]).system
    (energy,) = ch.integrals(disc)
    assert energy.expression == formula(
        "5*v_phi^2*R*sin(theta)^2 - 12*v_psi*v_phi*R*sin(theta) + 6*v_psi^2*R + v_phi^2*R + 5*v_theta^2*R"
        " + 8*g*cos(theta)",
        factor=True,
    )
    density = ch.measure(disc)
    assert density.density == formula("cos(theta)^2", factor=True)
    assert " for dq is preserved (proved" in str(density)


def test_B11_the_way_back_ends_where_the_reduced_motion_is_not_defined():
    free = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2",
        initial={"x": 1, "y": -1, "x_dot": 0.5, "y_dot": 1},
    )
    found = ch.reduce(free, invariants={"x": "x", "y": "y", "a": "y^2*x'", "b": "y'"})
    assert list(found.poles) == formulas(["y"], factor=True)
    back = found.reconstruct(until=3, at=[0, 0.5, 3])
    assert back.attrs["status"] != "done"
    assert 0.9 < back.attrs["end_time"] < 1.1
