"""Schemes of fixed steps: order on four problems each, what they keep, the way back, and what they refuse."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.flow.schemes import find
from chetaev.flow.schemes.lagrange_dalembert import KAHAN_LI, MOMENTA
from portions import some

FIXED = [scheme for scheme in ch.schemes() if scheme.fixed and scheme.name != "lie-midpoint"]
"""Steps on the group of rotations have tests of their own."""
SYMMETRIC = [s.name for s in FIXED if s.reversible and s.on_constraints]

SKATE = ch.System(
    coordinates=["x", "y", "phi"],
    lagrangian="(x'^2 + y'^2)/2 + phi'^2/20 + 4.9*x + cos(phi)/10",
    constraints=["x'*sin(phi) = y'*cos(phi)"],
    initial={"x": 0.2, "y": 0, "phi": 0.3, "x'": 0.5, "phi'": 3},
)
"""Linear in the velocities."""
CARRIED = ch.System(
    coordinates=["x", "y", "z"],
    lagrangian="(x'^2 + (1 + x^2)*y'^2 + z'^2)/2 + x'*z - cos(x + t)",
    constraints=["z' = y*x' + sin(t)"],
    forces={"x": "-x'/5"},
    initial={"x": 0.4, "y": 0.3, "z": 0.1, "x'": 0.3, "y'": -0.6},
)
"""Affine, rheonomic, with a force and terms linear in the velocities in L."""
SPEED = ch.System(
    coordinates=["x", "y", "z"],
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - z - x^2/2 - y^2*z/3",
    constraints=["x'^2 + y'^2 + z'^2 = 1 + x^2/4"],
    initial={"x": 0.3, "y": 0.2, "z": 1, "x'": 0.6, "y'": 0.5},
)
"""Not linear in the velocities."""
SPHERE = ch.System(
    coordinates=["x", "y", "z", "w"],
    lagrangian="(x'^2 + y'^2 + z'^2 + w'^2)/2 - z - x*y/2 - w^2/2",
    constraints={"position": ["x^2 + y^2 + z^2 = 1"], "velocity": ["w' = x*y' - y*x'"]},
    initial={"x": 0.6, "y": 0, "z": 0.8, "w": 0.2, "x'": 0.2, "y'": 0.5},
)
"""With a position constraint."""
PROBLEMS = {"skate": SKATE, "carried": CARRIED, "speed": SPEED, "sphere": SPHERE}


def at_end(system: ch.System, until: float, **how: object) -> np.ndarray:
    motion = ch.simulate(system, until=until, at=[until], **how)  # type: ignore[arg-type]
    assert motion.attrs["status"] == "done", motion.attrs["reason"]
    names = [name + dot for dot in ("", "_dot") for name in system.coordinates]
    return np.array([motion[name].item() for name in names])


def applies(name: str, system: ch.System) -> bool:
    return not (name == "leapfrog" and system.position_constraints)


CASES = [(s.name, p) for p in PROBLEMS for s in FIXED if applies(s.name, PROBLEMS[p])]


@pytest.mark.parametrize(("name", "problem"), some(CASES, 12))
def test_the_order_is_what_the_record_says(name: str, problem: str) -> None:
    system, order = PROBLEMS[problem], find(name).order
    exact = at_end(system, 1.0, tolerance=1e-13)
    few = {1: 100, 2: 40, 4: 10, 6: 4}[order]
    errors = [
        float(np.max(np.abs(at_end(system, 1.0, method=name, step=1.0 / n) - exact)))
        for n in (few, 2 * few, 4 * few)
    ]
    measured = np.log2([a / b for a, b in pairwise(errors)])
    assert measured[-1] > order - 0.3, (errors, measured)
    assert measured[-1] < order + 1.2, (errors, measured)


@pytest.mark.parametrize(
    ("name", "problem"), some([(n, p) for p in ("skate", "sphere") for n in SYMMETRIC], 6)
)
def test_a_run_back_undoes_a_run_to_rounding_error(name: str, problem: str) -> None:
    """300 steps there and 300 back."""
    system = PROBLEMS[problem]
    there = at_end(system, 6.0, method=name, step=0.02)
    names = [c + dot for dot in ("", "_dot") for c in system.coordinates]
    begin = at_end(
        system, 0.0, method=name, step=0.02, initial={**dict(zip(names, there, strict=True)), "t": 6.0}
    )
    first = [*system.state.position.values(), *system.state.velocity.values()]
    assert np.max(np.abs(begin - first)) < 1e-11


@pytest.mark.parametrize("name", [s.name for s in FIXED if s.on_constraints])
def test_states_are_on_the_constraints_without_projection(name: str) -> None:
    motion = ch.simulate(SPHERE, until=4.0, at=9, method=name, step=0.05)
    assert float(abs(motion.residual).max()) < 1e-13
    assert float(abs(motion.position_residual).max()) < 1e-13
    between = ch.simulate(SPHERE, until=1.0, at=[0.33, 0.77], method=name, step=0.05)  # by the dense output
    assert float(abs(between.residual).max()) < 1e-13


def test_the_leapfrog_misses_the_constraints_by_the_square_of_the_step() -> None:
    missed = [
        float(abs(ch.simulate(SKATE, until=2.0, at=41, method="leapfrog", step=h).residual).max())
        for h in (0.05, 0.025)
    ]
    assert 1e-6 < missed[1] < missed[0] / 3


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("system", "until"),
    [(SKATE, 100.0), (SPHERE, 20.0), (ch.load("rolling-disc"), 20.0)],
    ids=["skate", "sphere", "disc"],
)
def test_the_discrete_gradient_keeps_the_energy(system: ch.System, until: float) -> None:
    motion = ch.simulate(system, until=until, at=11, method="discrete-gradient", step=0.02)
    drift = abs(motion.energy - motion.energy[0]).max().item()
    assert drift < 1e-12 * max(1.0, abs(motion.energy[0].item())) * until
    other = ch.simulate(system, until=until, at=11, method="dla-midpoint", step=0.02)
    assert abs(other.energy - other.energy[0]).max().item() > 1e4 * drift


@pytest.mark.few(1)
@pytest.mark.parametrize("held", [False, True])
def test_the_discrete_gradient_keeps_the_energy_on_cones_of_velocities(held: bool) -> None:
    """C v = 2 f: the motion keeps the energy, whatever the degree; so does the step, with its order."""
    constraints = {"velocity": ["w'^2 = k*(x'^2 + y'^2)"]}
    system = ch.System(
        coordinates=["x", "y", "z", "w"],
        parameters={"k": 0.5},
        lagrangian="(x'^2 + y'^2 + z'^2 + w'^2)/2 - z - w^2/2 - x*y/5",
        constraints=constraints | ({"position": ["x^2 + y^2 + z^2 = 1"]} if held else {}),
        initial={"x": 0.6, "y": 0, "z": 0.8, "w": 0.2, "x'": 0.2, "y'": 0.5} | ({} if held else {"z'": 0.3}),
    )
    exact = at_end(system, 1.0, tolerance=1e-12)
    errors = []
    for step in (0.02, 0.01):
        run = ch.simulate(system, until=1.0, at=11, method="discrete-gradient", step=step)
        assert abs(run.energy - run.energy[0]).max().item() < 1e-13
        errors.append(np.max(np.abs([run[c][-1].item() for c in system.coordinates] - exact[:4])))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)
    other = ch.simulate(system, until=1.0, at=11, method="gauss2", step=0.02)
    assert abs(other.energy - other.energy[0]).max().item() > 1e-9


def test_with_forces_the_energy_changes_by_their_work() -> None:
    """E₁ − E₀ = F̄·Δq over every step: here −c |Δq|²/h, which is known from the result."""
    damped = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - x^4/4 - y^2/2",
        constraints=["y' = x*x'"],
        forces={"x": "-1/3"},
        initial={"x": 1, "x'": 0.2},
    )
    motion = ch.simulate(damped, until=2.0, at="0:2:0.05", method="discrete-gradient", step=0.05)
    work = -(motion.x - motion.x[0]) / 3
    np.testing.assert_allclose(motion.energy - motion.energy[0], work, atol=1e-14)


def test_left_and_right_are_adjoint() -> None:
    """A step of dla-left and one of dla-right back: where it began."""
    there = at_end(SKATE, 0.1, method="dla-left", step=0.1)
    names = [c + dot for dot in ("", "_dot") for c in SKATE.coordinates]
    back = at_end(
        SKATE, 0.0, method="dla-right", step=0.1, initial={**dict(zip(names, there, strict=True)), "t": 0.1}
    )
    first = [*SKATE.state.position.values(), *SKATE.state.velocity.values()]
    assert np.max(np.abs(back - first)) < 1e-13


def test_coefficients_of_the_compositions_satisfy_the_order_conditions() -> None:
    """For symmetric compositions of a symmetric scheme: Σγ = 1, Σγ³ = 0, for order 6 also Σγ⁵ = 0."""
    for record in (find("suzuki4"), find("kahan-li6")):
        gamma = np.array(record.substeps)
        assert sum(gamma) == pytest.approx(1, abs=1e-15)
        assert sum(gamma**3) == pytest.approx(0, abs=1e-15)
        assert gamma.tolist() == gamma[::-1].tolist()
    gamma = np.array(KAHAN_LI)
    assert sum(gamma**5) == pytest.approx(0, abs=1e-15)


def test_the_discrete_principle_is_that_of_cortes_and_martinez() -> None:
    """Three successive positions: D₂L_d(q₋₁, q₀) + D₁L_d(q₀, q₁) ∈ span C(q₀)ᵀ, written out by hand."""
    h = 0.05
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2)/2",
        constraints=["z' = y*x'"],
        initial={"x": 1, "y": 0.4, "x'": 0.3, "y'": 0.7},
    )
    motion = ch.simulate(system, until=3 * h, at=[0.0, h, 2 * h, 3 * h], method="dla-midpoint", step=h)
    q = np.stack([motion[c].values for c in "xyz"], axis=1)
    for before, now, after in ((q[0], q[1], q[2]), (q[1], q[2], q[3])):
        left, right = (before + now) / 2, (now + after) / 2
        pull = np.array([1.0, 1.0, 0.0])
        jump = (now - before) / h - h / 2 * pull * left - (after - now) / h - h / 2 * pull * right
        assert jump[1] == pytest.approx(0, abs=1e-13)  # C = (−y, 0, 1)
        assert jump[0] == pytest.approx(-now[1] * jump[2], abs=1e-13)
        moved, middle = after - now, (now + after) / 2
        assert moved[2] == pytest.approx(middle[1] * moved[0], abs=1e-14)


def test_left_and_right_are_at_their_ends() -> None:
    """f(q₀, Δq/h) = 0 and f(q₁, Δq/h) = 0 for z' = y x': one step each."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["z' = y*x'"],
        initial={"x": 1, "y": 0.4, "x'": 0.3, "y'": 0.7},
    )
    for method, end in (("dla-left", 0), ("dla-right", 1)):
        motion = ch.simulate(system, until=0.1, at=[0.0, 0.1], method=method, step=0.1)
        moved = {c: float(motion[c][1] - motion[c][0]) for c in "xyz"}
        assert moved["z"] == pytest.approx(float(motion.y[end]) * moved["x"], abs=1e-15)


def test_the_leapfrog_is_that_of_mclachlan_and_perlmutter() -> None:
    """Drift, kick, drift of L = v²/2 − V with z' = y x', by hand."""
    h, q0, v0 = 0.1, np.array([1.0, 0.4, 0.0]), np.array([0.3, 0.7, 0.12])
    middle = q0 + h / 2 * v0
    row = np.array([-middle[1], 0.0, 1.0])
    free = v0 - h * np.array([middle[0], middle[1], 0.0])
    v1 = free - row * (row @ (v0 + free)) / (row @ row)
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2)/2",
        constraints=["z' = y*x'"],
        initial={"x": 1, "y": 0.4, "z": 0, "x'": 0.3, "y'": 0.7},
    )
    found = at_end(system, h, method="leapfrog", step=h)
    np.testing.assert_allclose(found, [*(middle + h / 2 * v1), *v1], atol=1e-14)


def test_compositions_know_the_time_of_their_parts() -> None:
    """A force cos(20 t): at a wrong time the order is lost."""
    driven = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "cos(20*t)"}, initial={"x'": 0})
    found = at_end(driven, 1.0, method="suzuki4", step=0.01)
    assert found[0] == pytest.approx((1 - np.cos(20.0)) / 400, abs=1e-7)


# --- runs -----------------------------------------------------------------------------------------------


def test_steps_have_one_length_and_times_do_not_gather_rounding() -> None:
    run = ch.simulate(SKATE, until=100.0, at=[100.0], method="dla-midpoint", step=0.1)
    assert run.attrs["steps"] == 1000
    assert run.attrs["end_time"] == 100.0
    assert run.attrs["step"] == 0.1
    odd = ch.simulate(SKATE, until=1.0, at=[1.0], method="gauss6", step=0.3)  # the last one is shorter
    assert odd.attrs["steps"] == 4
    assert odd["x"].item() == pytest.approx(at_end(SKATE, 1.0, tolerance=1e-12)[0], abs=1e-4)


def test_events_are_found_and_end_runs() -> None:
    """The skate without potential in phi turns back at π/2."""
    skate = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2)/2 + phi'^2/20 + 4.9*x",
        constraints=["x'*sin(phi) = y'*cos(phi)"],
        initial={"x": 0, "x'": 0, "phi'": 1},
    )
    stop = ch.Event("x'", terminal=True, direction=-1)
    run = ch.simulate(skate, until=5.0, at=5, method="gauss6", step=0.01, events=[stop])
    assert run.attrs["status"] == "event"
    assert run.attrs["end_time"] == pytest.approx(np.pi / 2, abs=1e-8)


@pytest.mark.parametrize("name", ["gauss6", "kahan-li6", "dla-midpoint"])
def test_the_order_between_the_steps_is_what_the_record_says(name: str) -> None:
    """Positions and velocities a third into a step."""
    errors = []
    for steps in (10, 20, 40):
        time = (steps / 2 + 1 / 3) / steps
        names = [c + dot for dot in ("", "_dot") for c in SKATE.coordinates]
        made, sure = (
            ch.simulate(SKATE, until=1.0, at=[time], **how)
            for how in ({"method": name, "step": 1.0 / steps}, {"tolerance": 1e-13})
        )
        errors.append(max(abs(made[c].item() - sure[c].item()) for c in names))
    measured = np.log2([a / b for a, b in pairwise(errors)])
    assert measured[-1] > find(name).dense_order - 0.3, (errors, measured)


@pytest.mark.parametrize("name", [s.name for s in FIXED if MOMENTA in s.preserves])
def test_momenta_are_kept_where_the_record_says(name: str) -> None:
    """∂/∂φ leaves L alone and the constraint allows to turn, though it is not invariant: φ' is kept."""
    sleigh = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="(x'^2 + y'^2)/2 + phi'^2/10 - x^2/2",
        constraints=["x'*sin(phi) = y'*cos(phi)"],
        initial={"x": 1, "phi": 0.3, "x'": 0.2, "phi'": 1},
    )
    run = ch.simulate(sleigh, until=20.0, at=11, method=name, step=0.1)
    assert float(abs(run.phi_dot - 1).max()) < 1e-13


@pytest.mark.parametrize("name", ["leapfrog", "gauss4"])
def test_steps_end_at_the_knots_of_a_table(name: str) -> None:
    """The leapfrog's velocities miss the constraint there, which is no kink of the constraint."""
    pushed = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - x^2/2",
        constraints=["y' = x*x'"],
        forces={"x": "push(t)"},
        data={"push": ([0, 0.37, 1.1, 3], [0, 2, -1, 0])},
        initial={"x": 0.3, "x'": 0.4},
    )
    exact = at_end(pushed, 1.5, tolerance=1e-12)
    errors = [np.max(np.abs(at_end(pushed, 1.5, method=name, step=h) - exact)) for h in (0.04, 0.01)]
    assert errors[1] < {"leapfrog": 2e-4, "gauss4": 1e-8}[name]
    assert errors[1] < errors[0] / 8


def test_a_chart_is_left_where_it_must() -> None:
    """cos φ and sin φ in turn vanish: no chart holds along the whole motion."""
    run = ch.simulate(SKATE, until=12.0, at=3, method="dla-midpoint", step=0.05)
    assert run.attrs["status"] == "done"
    assert run.attrs["chart_changes"] > 1


@pytest.mark.parametrize("step", [0.01, 0.0137, 0.1])
def test_the_apex_of_a_cone_of_velocities_is_not_stepped_over(step: float) -> None:
    """The particle thrown up its cone comes to rest, where ∂f/∂v = 0 and nothing says how it goes on."""
    cone = ch.load("particle-on-cone")
    sure = ch.simulate(cone, until=2.0, at=[0.0])
    run = ch.simulate(cone, until=2.0, at=[0.0], method="gauss4", step=step)
    assert sure.attrs["status"] == run.attrs["status"] == "constraint rank lost"
    assert 0 < sure.attrs["end_time"] - run.attrs["end_time"] < step


def test_constraints_that_turn_by_more_than_a_right_angle_in_a_step_are_none() -> None:
    run = ch.simulate(SKATE, until=6.0, at=[6.0], method="gauss6", step=0.6)
    assert run.attrs["status"] == "done"


def test_check_runs_again_with_half_of_the_step() -> None:
    run = ch.simulate(SKATE, until=1.0, at=3, method="gauss2", step=0.01, check=True)
    assert run.attrs["check_step"] == 0.005
    assert 1e-7 < run.attrs["check_error"] < 1e-2


def test_a_step_that_is_too_long_ends_the_run_with_a_sentence() -> None:
    run = ch.simulate(ch.load("rolling-disc"), until=50.0, method="dla-trapezoidal", step=0.5)
    assert run.attrs["status"] != "done"
    assert "shorter step" in run.attrs["reason"] or "end the run before" in run.attrs["reason"]


# --- what is refused ----------------------------------------------------------------------------------------

REFUSED = {
    "no step": ({"method": "gauss4"}, "has steps of one length, and none is given"),
    "zero": ({"method": "gauss4", "step": 0}, "the step is 0"),
    "negative": ({"method": "gauss4", "step": -0.1}, "positive number"),
    "nan": ({"method": "gauss4", "step": float("nan")}, "the step is nan"),
    "text": ({"method": "gauss4", "step": "0.1"}, "the step is '0.1'"),
    "adaptive": ({"method": "dop853", "step": 0.1}, "chooses its steps itself, and step=0.1"),
    "default": ({"step": 0.1}, "chooses its steps itself"),
    "automatic": ({"method": "auto", "step": 0.1}, "chooses its steps itself"),
    "unknown": ({"method": "gaus4", "step": 0.1}, "did you mean 'gauss4'"),
    "tolerance": ({"method": "gauss4", "step": 0.1, "tolerance": 1e-6}, "no tolerance governs"),
    "precision": ({"method": "gauss4", "step": 0.1, "precision": 30}, "precision"),
    "quasi": ({"method": "gauss4", "step": 0.1, "form": "quasi"}, "form='quasi' chooses its steps"),
    "functions": (
        {"method": "gauss4", "step": 0.1, "forces": {"x": lambda t, q, v: 0.0}},
        "Python functions",
    ),
}


def test_steps_that_doubles_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(ModelError, match="too short to be told apart"):
        ch.simulate(SKATE, until=1e17 + 64, initial={"t": 1e17}, method="gauss4", step=1)
    late = ch.simulate(SKATE, until=1e9 + 1, at=[1e9 + 1], initial={"t": 1e9}, method="gauss4", step=0.01)
    assert late["x"].item() == pytest.approx(at_end(SKATE, 1.0, method="gauss4", step=0.01)[0], abs=1e-6)


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused_with_a_sentence(case: str) -> None:
    arguments, words = REFUSED[case]
    with pytest.raises(ModelError, match=words):
        ch.simulate(SKATE, until=1.0, **arguments)


def test_a_scheme_says_what_it_needs() -> None:
    with pytest.raises(ModelError, match="'leapfrog' needs constraints on velocities"):
        ch.simulate(SPHERE, until=1.0, method="leapfrog", step=0.1)
    with pytest.raises(ModelError, match="needs a Lagrangian"):
        ch.simulate(ch.load("ziegler-pendulum"), until=1.0, method="dla-midpoint", step=0.1)
    with pytest.raises(ModelError, match="a constraint is on accelerations"):
        ch.simulate(ch.load("acceleration-constraint"), until=1.0, method="dla-midpoint", step=0.1)
    with pytest.raises(ModelError, match="needs smooth functions"):
        ch.simulate(ch.load("stick-slip"), until=1.0, method="gauss4", step=0.1)
    with pytest.raises(ModelError, match="stops chooses its steps itself"):
        ch.simulate(ch.load("bouncing-ball"), until=1.0, method="gauss4", step=0.1)
    weightless = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2)/2 - z*x", constraints=["z' = y*x'"],
        initial={"x": 1, "x'": 0.4, "y'": 0.3},
    )  # fmt: skip
    with pytest.raises(ModelError, match="a regular matrix ∂²L/∂v², and here its rank is 2 of 3"):
        ch.simulate(weightless, until=1.0, method="leapfrog", step=0.1)
    assert at_end(weightless, 1.0, method="dla-midpoint", step=0.1)[1] == pytest.approx(0.3, abs=0.1)


SPRING = {"coordinates": ["x", "y", "z"], "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - x^2 - z"}
START = {"x": 0.6, "y": 0.2, "y'": 0.5}
TWICE = {"position": ["z = x*y"], "velocity": ["z'*exp(x) = (x*y' + y*x')*exp(x)", "x' = y*y'"]}
ONCE = {"position": ["z = x*y"], "velocity": ["x' = y*y'"]}


@pytest.mark.few(2)
@pytest.mark.parametrize("method", ["gauss4", "dla-midpoint", "dla-left", "discrete-gradient", "suzuki4"])
def test_redundant_constraints_are_left_out_of_the_equations_of_a_step(method: str) -> None:
    ends = [
        at_end(ch.System(**SPRING, constraints=c, initial=START), 1.0, method=method, step=0.05)
        for c in (TWICE, ONCE)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
