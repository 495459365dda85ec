"""Motions against closed forms, through chart changes, backwards, on the constraint, to honest ends."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.run_options import COARSEST, FINEST
from galleries import DETERMINED
from portions import some

Start = Callable[[str], Any]
Make = Callable[..., CompiledField]


# --- closed forms ------------------------------------------------------------------------------------


def test_decelerated_particle(start: Start) -> None:
    """Swaczyna 5.1: q(t) = q(1) + 2 q'(1)(√t − 1)."""
    field, t, q, v = start("decelerated-particle")
    times = np.linspace(1, 10, 19)
    run = integrate(field, t, q, v, 10.0, at=times, tolerance=1e-12)
    np.testing.assert_allclose(run.q, q + 2 * v * (np.sqrt(times)[:, None] - 1), atol=1e-10)


def test_leibniz_particle_passes_the_top(start: Start) -> None:
    """Swaczyna 5.4: z' = v₀ tanh(c − g t/v₀), with z' chosen dependent before or after the top."""
    field, t, q, v = start("leibniz-particle")
    times = np.linspace(0, 1.5, 31)
    run = integrate(field, t, q, v, 1.5, at=times, tolerance=1e-13)
    rapidity = np.arctanh(2 / 3) - 9.8 * times / 3
    np.testing.assert_allclose(run.v[:, 2], 3 * np.tanh(rapidity), atol=2e-12)
    np.testing.assert_allclose(run.v[:, 1], 2 * np.cosh(rapidity[0]) / np.cosh(rapidity), atol=2e-12)
    assert run.v[0, 2] > 0 > run.v[-1, 2]
    assert run.statistics.chart_changes >= 1


@pytest.mark.parametrize("first", [(1.0, 1e-3, 1e-3), (1e-3, 1.0, 1e-3), (1e-3, 1e-3, 1.0)])
def test_every_chart_carries_the_leibniz_particle(start: Start, first: tuple[float, ...]) -> None:
    field, t, q, _ = start("leibniz-particle")
    v = 3 * np.array(first) / np.linalg.norm(first)
    run = integrate(field, t, q, v, 1.5, tolerance=1e-12)
    wanted = 3 * np.tanh(np.arctanh(v[2] / 3) - 9.8 * 1.5 / 3)
    assert run.v[-1, 2] == pytest.approx(wanted, abs=1e-9)
    assert np.max(np.abs(run.residuals)) < 1e-13


def test_particle_on_a_cone_stops_at_rest(start: Start) -> None:
    """Swaczyna 5.5: a straight line, z'' = −g b²/(1 + b²), up to the apex of the cone at z'(1 + b²)/(g
    b²)."""
    field, t, q, v = start("particle-on-cone")
    times = np.linspace(0, 1.2, 7)
    run = integrate(field, t, q, v, 1.2, at=times, tolerance=1e-12)
    a = -9.8 * 0.25 / 1.25
    np.testing.assert_allclose(run.q[:, 2], 2.5 * times + a * times**2 / 2, atol=1e-11)
    for tolerance in (1e-3, 1e-9, 1e-13):
        run = integrate(field, t, q, v, 5.0, tolerance=tolerance)
        assert run.status == "constraint rank lost"
        assert run.time == pytest.approx(2.5 * 1.25 / (9.8 * 0.25), abs=1e-6)
        assert run.smallest_singular_value is not None
        assert run.smallest_singular_value < 1e-6
        assert "∂f/∂v" in run.reason
        assert run.times[-1] == run.time
        assert run.q.shape == (len(run.times), 3)


def test_knife_edge_moves_on_a_cycloid_through_all_headings(start: Start) -> None:
    field, t, q, v = start("knife-edge")
    times = np.linspace(0, 12, 25)
    run = integrate(field, t, q, v, 12.0, at=times, tolerance=1e-13)
    amplitude = 9.8 * 0.5 / 2
    np.testing.assert_allclose(run.q[:, 0], amplitude * np.sin(times) ** 2, atol=1e-10)
    np.testing.assert_allclose(run.q[:, 1], amplitude * (times - np.sin(2 * times) / 2), atol=1e-10)
    assert run.statistics.chart_changes >= 4  # twice a turn


def test_sleigh_turns_through_ninety_degrees(start: Start) -> None:
    """v = V tanh(aV(t − t₀)/b²), w = (V/b)/cosh(…)."""
    field, t, q, _ = start("caratheodory-sleigh")
    v = np.array([-1.0, 0.0, 0.6])
    run = integrate(field, t, q, v, 8.0, at=np.linspace(0, 8, 33), tolerance=1e-13)
    b2, a = 0.5 + 0.16, 0.4
    speed = np.sqrt(1 + b2 * 0.36)
    phase = np.arctanh(-1 / speed) + a * speed * run.times / b2
    along = run.v[:, 0] * np.cos(run.q[:, 2]) + run.v[:, 1] * np.sin(run.q[:, 2])
    np.testing.assert_allclose(along, speed * np.tanh(phase), atol=1e-11)
    np.testing.assert_allclose(run.v[:, 2], speed / np.sqrt(b2) / np.cosh(phase), atol=1e-11)
    heading = np.degrees(run.q[:, 2])
    assert heading[-1] > 90
    assert run.statistics.chart_changes >= 1


def test_prescribed_curvature_is_a_circle(start: Start) -> None:
    """An acceleration constraint: a heavy particle on a path of curvature 1, so on a circle about (0, 1)."""
    field, t, q, v = start("acceleration-constraint")
    run = integrate(field, t, q, v, 5.0, tolerance=1e-12)
    np.testing.assert_allclose(np.hypot(run.q[:, 0], run.q[:, 1] - 1), 1, atol=1e-9)
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=1e-10)  # the reaction is normal to the path
    np.testing.assert_allclose(run.power, 0, atol=1e-9)
    assert run.multipliers.shape == (len(run.times), 1)


# --- forms, directions, requested times --------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "name", ["rolling-disc", "relativistic-particle", "snakeboard", "acceleration-constraint"]
)
def test_all_eliminations_give_the_same_motion(start: Start, name: str) -> None:
    field, t, q, v = start(name)
    ends = [integrate(field, t, q, v, t + 1.0, tolerance=1e-12, form=f) for f in ("null", "pivoted")]
    assert [e.status for e in ends] == ["done"] * 2
    for other in ends[1:]:
        np.testing.assert_allclose(other.q[-1], ends[0].q[-1], atol=1e-9)
        np.testing.assert_allclose(other.v[-1], ends[0].v[-1], atol=1e-9)


@pytest.mark.parametrize("small", ["0", "1e-13"])
def test_indefinite_mass_takes_the_pivoted_form(make: Make, small: str) -> None:
    """Also where elimination without pivoting would go through with a few digits."""
    field = make("x y z", f"x'*y' + z'^2/2 - x*y - z^2/2 + {small}*(x'^2 - x^2)/2")
    run = integrate(field, 0.0, [1.0, 0.5, 0.2], [0.0, 0.3, 0.0], 2.0, tolerance=1e-12)
    assert run.statistics.form == "pivoted"
    np.testing.assert_allclose(
        run.q[-1], [np.cos(2), 0.5 * np.cos(2) + 0.3 * np.sin(2), 0.2 * np.cos(2)], atol=1e-10
    )


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_backwards_returns_to_the_start(start: Start, method: str) -> None:
    field, t, q, v = start("rolling-disc")
    tolerance = 1e-12 if method == "dop853" else 1e-8
    forth = integrate(field, t, q, v, 1.0, tolerance=tolerance, method=method)
    back = integrate(field, 1.0, *forth.state, t, at=[0.75, 0.5, 0.0], tolerance=tolerance, method=method)
    again = integrate(field, t, q, v, 1.0, at=[0.5, 0.75], tolerance=tolerance, method=method)
    bound = 3e4 * tolerance
    np.testing.assert_allclose(back.q[-1], q, atol=bound)
    np.testing.assert_allclose(back.v[-1], v, atol=bound)
    np.testing.assert_allclose(back.q[:2], again.q[::-1], atol=bound)
    assert back.times.tolist() == [0.75, 0.5, 0.0]


def test_requested_times_do_not_change_the_steps(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    plain = integrate(field, t, q, v, 3.0, tolerance=1e-10, dense=True)
    times = np.sort(np.concatenate([[0.0, 0.0, 3.0], np.random.default_rng(0).uniform(0, 3, 200)]))
    asked = integrate(field, t, q, v, 3.0, at=times, tolerance=1e-10)
    assert asked.times.tolist() == times.tolist()
    assert asked.statistics.steps == plain.statistics.steps
    assert asked.q[-1].tolist() == plain.q[-1].tolist()
    assert asked.q[0].tolist() == q.tolist()
    assert plain.dense is not None
    np.testing.assert_allclose(plain.dense(times)[0], asked.q, atol=1e-9)
    np.testing.assert_allclose(plain.dense(times)[1], asked.v, atol=1e-8)
    exact = integrate(field, t, q, v, 3.0, at=times, tolerance=1e-13)
    np.testing.assert_allclose(asked.q, exact.q, atol=1e-7)
    assert np.max(np.abs(asked.residuals)) < 1e-13
    with pytest.raises(ModelError, match="outside the run"):
        plain.dense(3.5)


def test_what_is_said_of_tolerances_is_what_is_allowed(start: Start) -> None:
    """The docstring, the page and the error name one range; its ends run, what lies outside is refused."""
    said = f"from {FINEST:g} to {COARSEST:g}"
    page = Path(__file__).parents[3] / "docs" / "simulate.md"
    assert said in str(integrate.__doc__)
    assert said in page.read_text("utf-8")
    field, t, q, v = start("rolling-disc")
    for tolerance in (FINEST, COARSEST):
        assert integrate(field, t, q, v, t + 0.1, tolerance=tolerance).status == "done"
    for tolerance in (FINEST / 2, 2 * COARSEST, 0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ModelError, match=re.escape(said)):
            integrate(field, t, q, v, t + 0.1, tolerance=tolerance)


def test_the_error_follows_the_tolerance(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    exact = integrate(field, t, q, v, 2.0, tolerance=1e-14).q[-1]
    errors, steps = [], []
    for tolerance in (1e-5, 1e-7, 1e-9, 1e-11, 1e-13):
        run = integrate(field, t, q, v, 2.0, tolerance=tolerance)
        errors.append(np.max(np.abs(run.q[-1] - exact)))
        steps.append(run.statistics.steps)
    assert errors[-1] < 1e-11
    assert all(e < 2e3 * tol for e, tol in zip(errors, (1e-5, 1e-7, 1e-9, 1e-11, 1e-13), strict=True))
    assert steps[-1] / steps[0] < 15  # order 8: 10^(8/8) would be 10


@pytest.mark.parametrize("name", ["rolling-disc", "ball-on-accelerated-table", "implicit-constraint"])
def test_against_another_integrator_and_another_elimination(start: Start, name: str) -> None:
    field, t, q, v = start(name)
    safe, n = CompiledField(field.programs, "safe"), len(q)
    other = solve_ivp(
        lambda s, y: np.concatenate([y[n:], safe(s, y[:n], y[n:])]), (t, t + 0.5), np.concatenate([q, v]),
        method="DOP853", rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    run = integrate(field, t, q, v, t + 0.5, tolerance=1e-12)
    np.testing.assert_allclose(np.concatenate(run.state), other.y[:, -1], atol=1e-9)


def test_parameters_and_data_change_without_compiling(start: Start) -> None:
    field, t, q, v = start("suslov")
    integrate(field, t, q, v, 1.0)
    before = dict(field.programs._libraries)
    first = integrate(field, t, q, v, 1.0).q[-1]
    other = integrate(field, t, q, 0.9 * v, 1.5, parameters={"I11": 3.0}, tolerance=1e-7).q[-1]
    assert field.programs._libraries == before
    assert not np.allclose(first, other)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timer here")
def test_a_long_run_can_be_interrupted(start: Start) -> None:
    field, t, q, v = start("rolling-disc")

    class StoppedError(Exception):
        pass

    def ring(*_: object) -> None:
        raise StoppedError

    def rung(action: Callable[[], object]) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        action()

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(StoppedError):
            rung(lambda: integrate(field, t, q, v, 1e9, at=[1e9]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert integrate(field, t, q, v, 1.0).status == "done"


def test_a_run_of_no_length(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    run = integrate(field, t, q, v, t)
    assert run.status == "done"
    assert run.times.tolist() == [t]


# --- projection --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rolling-disc", "pendulum-cartesian", "bead-on-rotating-hoop"])
def test_projection_keeps_the_constraints_and_the_accuracy(start: Start, name: str) -> None:
    field, t, q, v = start(name)
    exact = integrate(field, t, q, v, t + 5.0, tolerance=1e-14)
    free = integrate(field, t, q, v, t + 5.0, tolerance=1e-7, project=False)
    held = integrate(field, t, q, v, t + 5.0, tolerance=1e-7)
    assert np.max(np.abs(held.residuals)) < 1e-13
    assert np.max(np.abs(free.residuals)) > 1e-10
    error = lambda run: np.max(np.abs(np.concatenate(run.state) - np.concatenate(exact.state)))  # noqa: E731
    assert error(held) < 3 * error(free) + 1e-7
    assert held.statistics.largest_correction < 1e-4


def test_projection_does_not_fake_conservation(start: Start) -> None:
    """Energy is not a constraint: its error follows the tolerance with projection as without."""
    field, t, q, v = start("rolling-disc")
    drift = [np.ptp(integrate(field, t, q, v, 10.0, tolerance=tol).energy) for tol in (1e-5, 1e-8, 1e-11)]
    assert drift[0] > 1e-7
    assert drift[0] > 30 * drift[1] > 900 * drift[2]


# --- honest ends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["null", "pivoted"])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-6, 1e-12])
def test_appell_hamel_stops_at_the_apex(start: Start, form: str, tolerance: float) -> None:
    """Thrown upwards, the machine comes to rest where C vanishes; a single step would jump over that."""
    field, t, q, _ = start("appell-hamel")
    run = integrate(field, t, q, [3.0, 4.0, 5 * 0.2 / 0.3], 20.0, tolerance=tolerance, form=form)
    assert run.status == "constraint rank lost"
    assert np.max(np.abs(run.state[1])) < 1e-6
    assert run.time < 2.0


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-10])
def test_snakeboard_stops_at_ninety_degrees(flow_cache: str, side: float, tolerance: float) -> None:
    free = ch.load("snakeboard").with_parameters(kpsi=0, kphi=0, dpsi=0, dphi=0)
    q = np.array([0.0, 0.0, 0.0, 0.0, side * 0.3])
    v = np.array([0.0, 0.0, 0.0, 1.0, side * 40.0])
    run = integrate(compile_field(free), 0.0, q, v, 5.0, tolerance=tolerance)
    assert run.status == "constraint rank lost"
    assert run.state[0][4] == pytest.approx(side * np.pi / 2, abs=1e-5)
    assert run.smallest_singular_value == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("speed", [0.3, 1.0, 1.37, 2.9])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-5, 1e-9])
def test_a_double_zero_of_the_pivot_is_not_jumped_over(make: Make, speed: float, tolerance: float) -> None:
    """C = 3(x'², −y'²) keeps its sign where it vanishes, at x' = y' = 0; the step knows no other scale."""
    field = make("x y", "(x'^2 + y'^2)/2 - x - y", constraints=["x'^3 = y'^3"])
    run = integrate(field, 0.0, [0.0, 0.0], [speed, speed], 10.0, tolerance=tolerance)
    assert run.status == "constraint rank lost"
    assert run.time == pytest.approx(speed, abs=1e-4)


def test_starting_at_a_singular_place(start: Start) -> None:
    field, t, q, _ = start("appell-hamel")
    run = integrate(field, t, q, [0.0, 0.0, 0.0], 1.0)
    assert run.status == "constraint rank lost"
    assert run.time == t
    assert run.times.tolist() == [t]


def test_reduced_matrix_becomes_singular(make: Make) -> None:
    """The mass 1 − x² vanishes at x = 1, where the force does not."""
    field = make("x", "(1 - x^2)*x'^2/2 + x")
    for tolerance in (1e-3, 1e-10):
        run = integrate(field, 0.0, [0.0], [0.5], 10.0, tolerance=tolerance)
        assert run.status == "reduced matrix singular"
        assert run.smallest_singular_value == pytest.approx(0.0, abs=1e-4)
        assert run.time < 2.0
        assert run.q[-1, 0] == pytest.approx(1.0, abs=1e-3)
        assert not run.finished


def test_leaving_the_domain_of_a_function(make: Make) -> None:
    field = make("x", "x'^2/2 + sqrt(1 - x)")
    run = integrate(field, 0.0, [0.0], [2.0], 10.0)
    assert run.status in ("not finite", "collapsed")
    assert run.q[-1, 0] == pytest.approx(1.0, abs=1e-3)
    assert np.all(np.isfinite(run.q))


def test_running_away_in_finite_time(make: Make) -> None:
    field = make("x", "x'^2/2 + x^4/2")  # x'' = 2 x³, x = 1/(1 − t)
    run = integrate(field, 0.0, [1.0], [1.0], 2.0)
    assert run.status in ("not finite", "collapsed")
    assert run.time == pytest.approx(1.0, abs=1e-3)


def test_running_out_of_steps(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    run = integrate(field, t, q, v, 100.0, max_steps=50)
    assert run.status == "max steps"
    assert 0 < run.time < 100
    assert run.statistics.steps + run.statistics.rejected == 50
    assert len(run.times) == run.statistics.steps + 1


# --- stiff ---------------------------------------------------------------------------------------------


def test_radau_takes_few_steps_where_damping_is_strong(make: Make) -> None:
    field = make("x y", "x'^2/2 + y'^2/2 - x^2/2 - y^2/2", forces={"x": "-1e5*x'", "y": "-y'"},
                 constraints=["x' = 0.5*y*y'"])  # fmt: skip
    state = ([0.25, 1.0], [0.0, 0.0])
    stiff = integrate(field, 0.0, *state, 10.0, tolerance=1e-8, method="radau", at=[1.0, 5.0, 10.0])
    explicit = integrate(field, 0.0, *state, 10.0, tolerance=1e-8, at=[1.0, 5.0, 10.0])
    np.testing.assert_allclose(stiff.q, explicit.q, atol=1e-6)
    assert stiff.statistics.evaluations < explicit.statistics.evaluations / 100
    assert np.max(np.abs(stiff.residuals)) < 1e-14


def test_radau_follows_its_tolerance(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    exact = integrate(field, t, q, v, 1.0, tolerance=1e-13)
    for tolerance in (1e-4, 1e-6, 1e-8):
        run = integrate(field, t, q, v, 1.0, tolerance=tolerance, method="radau")
        assert np.max(np.abs(run.q[-1] - exact.q[-1])) < 50 * tolerance


# --- bad input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at": [1.0, 0.5]}, "out of order\\n  expected times that grow, from 0 on"),
        ({"at": [0.5, 3.0]}, "outside the run"),
        ({"at": [-0.5]}, "outside the run"),
        ({"at": [np.nan]}, "not a list of numbers"),
        ({"tolerance": -1e-9}, "tolerance"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"method": "euler"}, r"'dop853' or .*'radau'"),
        ({"form": "best"}, "unknown form"),
        ({"parameters": {"mass": 2}}, "no parameter 'mass'"),
        ({"events": ["k"]}, "unknown name 'k'"),
        ({"events": ["R - 0.4"]}, "does not change along a motion"),
        ({"q0": [0.0]}, "x, y, psi, phi, theta"),
        ({"v0": [np.inf] * 5}, "not finite"),
        ({"t1": np.nan}, "not finite"),
    ],
)
def test_bad_input_is_an_error_sentence(start: Start, change: dict[str, Any], message: str) -> None:
    field, t, q, v = start("rolling-disc")
    arguments = {"t0": t, "q0": q, "v0": v, "t1": 2.0} | change
    with pytest.raises(ModelError, match=message):
        integrate(field, **arguments)


def test_a_state_off_the_constraints_is_refused_not_moved(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    with pytest.raises(ModelError, match=r"x' - R\*cos\(phi\)\*psi' = 0 is missed by 0.1"):
        integrate(field, t, q, v + 0.1 * np.eye(5)[0], 1.0)
    assert integrate(field, t, q, v + 0.1 * np.eye(5)[0], 1.0, project=False).status == "done"
    assert integrate(field, t, q, v + 1e-10 * np.eye(5)[0], 1.0).status == "done"
    field, t, q, v = start("pendulum-cartesian")
    with pytest.raises(ModelError, match="positions on the constraints"):
        integrate(field, t, 1.2 * q, v, 1.0)


@pytest.mark.parametrize("name", some(DETERMINED, 60, slow=12))
def test_every_gallery_model_runs(start: Start, name: str) -> None:
    """To the end its author chose, on its constraints, and alike by two eliminations."""
    field, t, q, v = start(name)
    end = ch.load(name).until_value
    assert end is not None
    run = integrate(field, t, q, v, end, tolerance=1e-10)
    assert run.status == "done", run.reason
    assert np.max(np.abs(run.residuals), initial=0.0) < 1e-11 * (1 + np.max(np.abs(run.v)) ** 2)
    half = t + (end - t) / 10
    ends = [integrate(field, t, q, v, half, tolerance=1e-11, form=f).q[-1] for f in ("null", "pivoted")]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6 * (1 + np.max(np.abs(ends[0]))))


@pytest.mark.slow
def test_long_run_drift(start: Start) -> None:
    """10⁴ s of the disc at 1e-12: energy below 1e-9 relative, constraints below 1e-13."""
    field, t, q, v = start("rolling-disc")
    run = integrate(field, t, q, v, 1e4, at=np.linspace(0, 1e4, 2001), tolerance=1e-12)
    assert run.status == "done"
    assert np.max(np.abs(run.energy / run.energy[0] - 1)) < 1e-9
    assert np.max(np.abs(run.residuals)) < 1e-13
