"""Reduction by symmetries: refusals, rings, finite groups, systems there and back (B11, B12, M1, M6)."""

from __future__ import annotations

import random

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.given_fields import read_fields
from chetaev.reduction.on_section import rates_on_section
from formulas import formulas
from portions import parts
from reduction.test_reduce import agrees

TURN = {"x": "-y", "y": "x"}
SHIFTS = [{"x": 1}, {"y": 1}]
SPACE = [TURN, {"y": "-z", "z": "y"}, {"z": "-x", "x": "z"}]


def spherical_pendulum(**initial):
    return ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z",
        constraints={"position": ["x^2 + y^2 + z^2 = 1"]},
        parameters={"g": 9.8},
        initial=initial or {"x": 0.6, "y": 0, "z": -0.8, "x_dot": 0, "y_dot": 1},
    )


def breathing():
    """A particle in the plane whose speed is prescribed as a function of time: rheonomic and not linear."""
    return ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)^2/4",
        constraints=["x'^2 + y'^2 = (2 + t)^2"],
        initial={"x": 1, "y": 0.5, "x_dot": 0.3},
    )


MORE = {
    "spherical pendulum": (spherical_pendulum, [TURN]),
    "central force with constant speed": (lambda: ch.load("central-force-constant-speed"), [TURN]),
    "vertical disc": (
        lambda: ch.load("vertical-rolling-disc"),
        [*SHIFTS, {"theta": 1}, TURN | {"phi": 1}],
    ),
    "Heisenberg's constraint, turned": (lambda: ch.load("heisenberg-symmetric"), [TURN, {"z": 1}]),
    "rolling ball": (lambda: ch.load("rolling-ball"), [*SHIFTS, {"phi": 1}, TURN | {"psi": 1}]),
    "prescribed speed": (breathing, [TURN]),
    "car with two trailers": (
        lambda: ch.load("car-with-trailers-2"),
        [*SHIFTS, TURN | {"theta": 1, "theta1": 1, "theta2": 1}],
    ),
}
"""Beside the seven of test_reduce.py."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE)
def test_B11_M6_further_systems_are_reduced_and_lifted_back(name):
    make, fields = MORE[name]
    found = ch.reduce(make(), symmetries=fields)
    assert found.closed is True
    assert all(r.evidence.startswith("proved") for r in found.rates.values())
    agrees(found)


def random_planted(seed, breaking=False):
    """A system in the plane and a height with a hidden rotation, or one that a term breaks."""
    rng = random.Random(seed)
    a, b, c, d = 1, rng.randint(-2, 2), 0, rng.choice([-2, -1, 1, 2])
    x, y = f"({a}*x + {b}*y)", f"({c}*x + {d}*y)"
    u, v = f"({a}*x' + {b}*y')", f"({c}*x' + {d}*y')"
    potential = f"k*({x}^2 + {y}^2)^{rng.choice([1, 2])} + z^2*({x}^2 + {y}^2)"
    if breaking:
        potential += f" + {rng.choice([x, y, f'{x}*{y}', f'{x}^3'])}*z"
    constraint = rng.choice(
        [f"z' = {x}*{v} - {y}*{u}", f"z' = {x}*{u} + {y}*{v} + z", f"{u}^2 + {v}^2 = 2 + z'^2"]
    )
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=f"({u}^2 + {v}^2 + z'^2)/2 - ({potential})",
        constraints=[constraint],
        parameters={"k": rng.randint(1, 3)},
    )
    # X → −Y, Y → X in the coordinates x = X − (b/d) Y, y = Y/d
    return system, {"x": f"-{y} - ({b}/({d}))*{x}", "y": f"{x}/({d})"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *parts(range(1, 8), slow=3)])
def test_B11_planted_rotations_are_reduced_by_their_ring(seed):
    system, turn = random_planted(seed)
    found = ch.reduce(system, symmetries=[turn])
    assert found.closed is True
    assert [s.name for s in found.invariants] == ["z", "v_z", "s1", "s2", "s3", "s4"]
    assert any(note.startswith("generators of the invariant polynomials, all") for note in found.notes)


@pytest.mark.parametrize("seed", [0, *parts(range(1, 8), slow=3)])
def test_B11_a_term_that_breaks_a_symmetry_is_shown(seed):
    system, turn = random_planted(seed, breaking=True)
    with pytest.raises(ch.ModelError, match=r"no symmetry of the motion: the Lagrangian .* X\(L\) = .*z"):
        ch.reduce(system, symmetries=[turn])


def test_B11_a_constraint_that_is_not_invariant_is_shown_with_its_change():
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints=["z' = y*x'"]
    )
    with pytest.raises(
        ch.ModelError, match=r"the constraint is not invariant: X\(f\) = .* does not vanish with f"
    ):
        ch.reduce(system, symmetries=[TURN])


@pytest.mark.slow
def test_B12_the_central_force_problem_by_rotations_of_space():
    """The ring of the rotations gives Bates and Nester's σ."""
    found = ch.reduce(ch.load("central-force-constant-speed"), symmetries=SPACE)
    assert found.closed is True
    assert [s.function for s in found.invariants] == formulas(
        [
            "x^2 + y^2 + z^2",
            "x*x' + y*y' + z*z'",
            "x'^2 + y'^2 + z'^2",
        ]
    )
    assert list(found.relations) == formulas(["s3 - v0^2"], factor=True)


@pytest.mark.slow
def test_B11_the_reduced_motion_goes_on_where_the_action_is_not_free():
    """A spherical pendulum swings through the lowest point, where all of the circle stands still."""
    found = ch.reduce(spherical_pendulum(x=0.6, y=0, z=-0.8, x_dot=0, y_dot=0), symmetries=[TURN])
    at = np.linspace(0, 3, 301)
    small = ch.simulate(found.system, until=3, at=at, tolerance=1e-12)
    assert float(small["s1"].min()) < 1e-3  # it passes the pole
    values = {(s.name, 0): small[s.name].values for s in found.invariants} | {"g": 9.8}
    for e in found.relations:
        assert float(np.max(np.abs(evaluate([e], values)[0]))) < 1e-9
    full = ch.simulate(found.full, until=3, at=at, tolerance=1e-12)
    np.testing.assert_allclose(small["s1"], full["x"] ** 2 + full["y"] ** 2, atol=1e-8)


WAYS = {
    "caratheodory-sleigh": [*SHIFTS, TURN | {"phi": 1}],
    "rolling-disc": [*SHIFTS, {"psi": 1}, TURN | {"phi": 1}],
    "nonholonomic-particle": [{"x": 1}, {"z": 1}],
    "vertical-rolling-disc": [*SHIFTS, {"theta": 1}, TURN | {"phi": 1}],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS)
def test_B11_ways_of_reduction_agree(name):
    """At a section by d'Alembert's principle, and from the full system's accelerations: the same rates."""
    system = ch.load(name)
    fields = read_fields(system, WAYS[name], "point")
    found = ch.reduce(system, symmetries=WAYS[name])
    texts = {s.name: str(s.function) for s in found.invariants}
    first = rates_on_section(system, fields, found.invariants, standpoints(system)[0], 20_000_000)
    second = ch.reduce(system, invariants=texts)
    assert second.closed is True
    rng = random.Random(5)
    for _ in range(5):
        values = {(n, 0): rng.uniform(0.3, 1.2) for n in texts}
        values |= dict(system.parameter_values) | {system.time: rng.random()}
        for n in texts:
            here, there = evaluate([first[n], second.field[n]], values)
            assert abs(here - there) < 1e-9 * (1 + abs(there)), n


@pytest.mark.slow
def test_B11_a_finite_group_reduces_by_its_invariants():
    system = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - x^2*y^2 - k*x*y", parameters={"k": 1}
    )
    by_name = ch.reduce(system, group=[{"x": "y", "y": "x"}])
    by_rows = ch.reduce(system, group=[[[0, 1], [1, 0]]])
    assert by_name.closed is True
    assert by_name.to_json() == by_rows.to_json()
    assert [s.function for s in by_name.invariants[:3]] == formulas(["x + y", "x' + y'", "x*y"])
    with pytest.raises(
        ch.ModelError, match=r"x → -x does not take motions to motions: the Lagrangian changes by 2"
    ):
        ch.reduce(system, group=[{"x": "-x"}])


def test_B11_actions_without_polynomial_invariants_are_searched_among_other_functions():
    """A scaling has no invariant polynomial; the search of before finds none either and says so."""
    system = ch.System(coordinates=["x", "y"], dynamics={"accelerations": {"x": "0", "y": "0"}})
    with pytest.raises(ch.ModelError, match=r"no invariant of these symmetries|could not be searched"):
        ch.reduce(system, symmetries=[{"x": "x", "y": "y"}])


def test_M6_definitions_are_written_out_in_the_way_back():
    system = ch.System(
        coordinates=["x", "y"],
        define={"speed": "x' + y'"},
        lagrangian="(x'^2 + y'^2)/2",
        constraints=["speed = 1"],
        initial={"x": 0, "y": 0, "x_dot": 0.25},
    )
    found = ch.reduce(system, symmetries=[{"x": 1}])
    assert found.lifted.velocity_constraints
    agrees(found, until=1.0)


BAD_GROUPS = {
    "no list": ({"x": "-x"}, "the group is"),
    "an unknown coordinate": ([{"w": "x"}], "no coordinate"),
    "not linear": ([{"x": "x^2"}], "linear function"),
    "not invertible": ([{"x": "0"}], "not invertible"),
    "a matrix of the wrong size": ([[[1]]], "rows of 3 rational numbers"),
    "infinite": ([{"x": "x + y"}], "more than 500 elements"),
    "a number": ([3], "a map is 3"),
}


@pytest.mark.parametrize("case", BAD_GROUPS)
def test_bad_groups_are_sentences(case):
    given, words = BAD_GROUPS[case]
    with pytest.raises(ch.ModelError, match=words):
        ch.reduce(ch.load("caratheodory-sleigh"), group=given)
