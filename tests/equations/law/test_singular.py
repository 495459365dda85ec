"""Where the motion is not determined (K23)."""

from __future__ import annotations

import pytest
from mpmath import mp

import chetaev as ch
from chetaev.equations.law.singular import analyse
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.model.states.points import parameter_point, random_points
from galleries import REACTING
from portions import some

DEGENERATE = ("brachistochrone-constrained", "relativistic-particle-homogeneous",
              "relativistic-particle-scalar-homogeneous")  # fmt: skip


def rest(system, **values):
    """All coordinates and velocities 0, t = 1, but for those given."""
    point = {**parameter_point(system, 60), system.time: mp.mpf(1)}
    point |= {(c, order): mp.mpf(0) for c in system.coordinates for order in (0, 1)}
    for name, value in values.items():
        point[(name.removesuffix("_dot"), 1) if name.endswith("_dot") else (name, 0)] = mp.mpf(value)
    return point


@pytest.mark.parametrize("name", some([n for n in REACTING if n != "acceleration-constraint"], 3))
def test_K23_every_gallery_system_is_generically_determined(name):
    report = analyse(ch.load(name), digits=30)
    assert report.outcome == "determined"
    assert report.regular
    assert report.rank_bordered == report.coordinates + report.constraints
    assert (report.rank_M < report.coordinates) == (name in DEGENERATE)


@pytest.mark.parametrize("name", ["sleigh-on-q", "steered-car"])
def test_K23_systems_given_on_Q_have_no_mass_matrix_to_be_singular(name):
    report = analyse(ch.load(name), digits=30)
    assert report.outcome == "determined"
    assert report.regular
    assert "rank M" not in str(report)
    assert "Lagrangian" not in str(report)


def test_K23_the_cone_has_a_singular_apex():
    system = ch.load("particle-on-cone")
    report = analyse(system, rest(system))
    assert (report.rank_C, report.regular) == (0, False)
    assert "no submanifold" in str(report)
    # C a = 0 holds for every a at rest, but free fall leaves the cone: the law does not say what happens
    assert report.outcome == "undetermined"


def test_K23_regular_B_does_not_follow_from_regular_M():
    """Krupková after (68): M is regular, B̄ = 0 in the null direction; Ā is a primary constraint."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 - y'^2)/2 - x^2*y", constraints=["y' = x'"])
    report = analyse(system)
    assert (report.rank_M, report.rank_B, report.free) == (2, 0, 1)
    assert report.outcome == "impossible"
    assert len(report.primary) == 1
    point = rest(system, x=3, y=5)
    assert abs(abs(evaluate_mp(report.primary, point, 50)[0]) - (2 * 3 * 5 + 9)) < 1e-40
    assert "primary constraint" in str(report)
    on_it = analyse(system, rest(system, x=2, y=-1))
    assert on_it.outcome == "undetermined"
    assert "1 of them stay free" in on_it.verdict


def test_K23_a_degenerate_lagrangian_without_constraints():
    system = ch.System(coordinates=["x", "y"], lagrangian="(x' + y')^2/2 - x^2 - 3*y")
    report = analyse(system)
    assert (report.rank_M, report.rank_B, report.outcome) == (1, 1, "impossible")
    # E_x − E_y: 2x − 3 = 0
    assert abs(abs(evaluate_mp(report.primary, rest(system, x=5), 50)[0]) - 7) < 1e-40
    assert analyse(system, rest(system, x=1.5)).outcome == "undetermined"


def test_K23_a_gauge_freedom_is_undetermined_everywhere():
    system = ch.System(coordinates=["x", "y"], lagrangian="(x' + y')^2/2 - (x + y)^4")
    report = analyse(system)
    assert (report.outcome, report.free) == ("undetermined", 1)
    values = [evaluate_mp(report.primary, p, 50)[0] for p in random_points(system, 3)]
    assert max(map(abs, values)) < 1e-40


def test_K23_a_lagrangian_affine_in_velocities_has_only_primary_constraints():
    system = ch.System(coordinates=["x", "y"], lagrangian="x*y' - y*x' - x^2 - y^2")
    report = analyse(system)
    assert (report.rank_M, report.rank_B, len(report.primary)) == (0, 0, 2)
    # 2y' = 2x, −2x' = 2y: the motion is of first order, y' = x, x' = −y
    values = evaluate_mp(report.primary, rest(system, x=1, y=2, x_dot=-2, y_dot=1), 50)
    assert max(map(abs, values)) < 1e-40


@pytest.mark.parametrize(("potential", "outcome"), [(" - x", "impossible"), ("", "undetermined")])
def test_K23_an_isolated_singular_point(potential, outcome):
    system = ch.System(coordinates=["x"], lagrangian=f"x'^3/6{potential}")
    assert analyse(system).outcome == "determined"
    report = analyse(system, rest(system))
    assert report.outcome == outcome
    assert report.primary == ()
    assert report.rank_B == 0


def test_K23_where_C_vanishes_the_constraint_may_allow_no_acceleration():
    """x'² = t − x at x' = 0: its derivative 2x' x'' = 1 − x' cannot hold."""
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["x'^2 = t - x"])
    report = analyse(system, rest(system, x=1, y_dot=2))
    assert (report.rank_C, report.outcome) == (0, "impossible")


def test_K23_constraints_on_accelerations_are_refused():
    with pytest.raises(ModelError, match="constraints on accelerations define none"):
        analyse(ch.load("acceleration-constraint"))


def test_K23_where_the_rank_of_the_constraint_drops_nothing_is_determined() -> None:
    """The apex of the Appell–Hamel cone: ∂f/∂v = 0 at v = 0."""
    system = ch.load("appell-hamel")
    point = dict(system.parameter_values) | {"t": 0}
    for c in system.coordinates:
        point[(c, 0)], point[(c, 1)] = 1, 0
    report = analyse(system, point)
    assert report.rank_drops
    assert report.outcome == "undetermined"
    assert "drops" in report.verdict


# --- units --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mass", ["9.1e-31", "1e40"])
@pytest.mark.parametrize(
    ("lagrangian", "constraints"),
    [
        ("m*(x'^2 + y'^2)/2", ["y' = x*x'"]),
        ("m*x'^2/2 - m*y*x", []),
        ("m*(x'^2 - y'^2)/2", ["x' = y'"]),
        ("m*(x' + y')^2/2 - m*x*y", []),
    ],
)
def test_K23_ranks_and_outcome_do_not_depend_on_units(mass, lagrangian, constraints):
    usual, scaled = (
        analyse(
            ch.System(
                coordinates=["x", "y"],
                lagrangian=lagrangian,
                constraints=constraints,
                degenerate=True,
                parameters={"m": m},
            )
        )
        for m in ("1", mass)
    )
    one, other = (report.to_json() for report in (scaled, usual))
    sizes = [[abs(x) for x in data.pop("residuals")] for data in (one, other)]
    assert one == other
    assert sizes[0] == pytest.approx(sizes[1])


def test_K23_a_primary_constraint_that_holds_by_itself_is_not_printed():
    report = analyse(ch.System(coordinates=["x", "y"], lagrangian="(x'^2 - y'^2)/2", constraints=["x' = y'"]))
    assert report.outcome == "undetermined"
    assert "0 = 0" not in str(report)
