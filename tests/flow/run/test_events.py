"""Events, kinks, and what lies between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chetaev.errors import ModelError
from chetaev.flow.derive.modes import unfold
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.flow.run.events import Event
from chetaev.flow.run.integrate import integrate

Start = Callable[[str], Any]
Make = Callable[..., CompiledField]


@pytest.fixture(scope="module")
def oscillator(make: Make) -> CompiledField:
    return make("x", "x'^2/2 - x^2/2", define={"energy2": "x'^2 + x^2"})


def test_crossings_in_both_directions_to_roundoff(oscillator: CompiledField) -> None:
    events = [Event("x"), Event("x", 1, name="up"), Event("x", -1, name="down"), Event("x' - 0.5*x")]
    run = integrate(oscillator, 0.0, [1.0], [0.0], 20.0, tolerance=1e-12, events=events)
    times = {name: [e.time for e in run.events if e.name == name] for name in ("x", "up", "down")}
    np.testing.assert_allclose(times["x"], np.pi / 2 + np.pi * np.arange(6), atol=1e-10)
    np.testing.assert_allclose(times["down"], np.pi / 2 + 2 * np.pi * np.arange(3), atol=1e-10)
    np.testing.assert_allclose(times["up"], 3 * np.pi / 2 + 2 * np.pi * np.arange(3), atol=1e-10)
    other = [e.time for e in run.events if e.index == 3]
    np.testing.assert_allclose(other, np.pi - np.arctan(0.5) + np.pi * np.arange(len(other)), atol=1e-10)
    assert [e.time for e in run.events] == sorted(e.time for e in run.events)
    assert all(abs(e.q[0]) < 1e-14 for e in run.events if e.name == "up")


def test_events_do_not_change_the_motion(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    plain = integrate(field, t, q, v, 5.0)
    watched = integrate(field, t, q, v, 5.0, events=["theta'", "x - 0.5"])
    assert watched.q[-1].tolist() == plain.q[-1].tolist()
    assert len(watched.events) > 3
    residuals = [field.residuals(e.time, e.q, e.v) for e in watched.events]
    assert np.max(np.abs(residuals)) < 1e-13


def test_a_terminal_event_ends_the_run_there(oscillator: CompiledField) -> None:
    events = [Event("x'", 1), Event("x + 0.5", -1, terminal=True, name="left"), Event("t - 2.5")]
    run = integrate(
        oscillator, 0.0, [1.0], [0.0], 20.0, at=np.linspace(0, 20, 41), tolerance=1e-12, events=events
    )
    assert run.status == "event"
    assert run.finished
    assert "'left'" in run.reason
    assert run.time == pytest.approx(2 * np.pi / 3, abs=1e-11)
    assert run.state[0][0] == pytest.approx(-0.5, abs=1e-11)
    assert run.times.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]  # nothing after the event
    assert [e.name for e in run.events] == ["left"]


def test_steps_end_with_the_terminal_event(oscillator: CompiledField) -> None:
    run = integrate(oscillator, 0.0, [1.0], [0.0], 20.0, events=[Event("x", terminal=True)], dense=True)
    assert run.times[-1] == run.time == pytest.approx(np.pi / 2, abs=1e-8)
    assert run.dense is not None
    assert run.dense(run.time)[0][0] == pytest.approx(0.0, abs=1e-12)


def test_continuing_from_an_event_does_not_find_it_again(oscillator: CompiledField) -> None:
    end = [Event("x", terminal=True)]
    t, q, v = 0.0, [1.0], [0.0]
    times = []
    for _ in range(5):
        run = integrate(oscillator, t, q, v, 20.0, tolerance=1e-12, events=end)
        t, (q, v) = run.time, run.state
        times.append(t)
    np.testing.assert_allclose(times, np.pi / 2 + np.pi * np.arange(5), atol=1e-9)


def test_a_start_on_the_zero_is_no_crossing(oscillator: CompiledField) -> None:
    """Given to roundoff only, on the near side: the first crossing is half a turn later."""
    for x in (0.0, -1e-16, 1e-16):
        run = integrate(oscillator, 0.0, [x], [1.0], 4.0, tolerance=1e-12, events=["x"])
        assert [e.time for e in run.events] == pytest.approx([np.pi], abs=1e-10)


def test_events_backwards(oscillator: CompiledField) -> None:
    run = integrate(oscillator, 0.0, [1.0], [0.0], -10.0, tolerance=1e-12, events=["x"])
    np.testing.assert_allclose([e.time for e in run.events], -np.pi / 2 - np.pi * np.arange(3), atol=1e-10)


def test_two_crossings_within_one_step(make: Make) -> None:
    field = make("x", "x'^2/2 - x")  # one step covers the whole parabola
    run = integrate(field, 0.0, [0.0], [1.0], 3.0, tolerance=1e-3, events=["x - 0.4"])
    wanted = [1 - np.sqrt(0.2), 1 + np.sqrt(0.2)]
    np.testing.assert_allclose([e.time for e in run.events], wanted, atol=1e-8)


def test_events_may_use_parameters_definitions_and_time(oscillator: CompiledField, make: Make) -> None:
    run = integrate(oscillator, 0.0, [1.0], [0.0], 2.0, events=["energy2*t - 1.25"])
    assert [e.time for e in run.events] == pytest.approx([1.25], abs=1e-8)
    field = make("x", "k*x'^2/2", parameters={"k": 2.0})
    run = integrate(field, 0.0, [0.0], [1.0], 2.0, events=["x - k/4"], parameters={"k": 3.0})
    assert [e.time for e in run.events] == pytest.approx([0.75])


def test_bad_events(oscillator: CompiledField) -> None:
    with pytest.raises(ModelError, match="direction"):
        Event("x", 2)
    with pytest.raises(ModelError, match="acceleration"):
        integrate(oscillator, 0.0, [1.0], [0.0], 1.0, events=["x''"])


# --- kinks -----------------------------------------------------------------------------------------------


def test_quadratic_drag_is_smooth_on_each_branch(make: Make) -> None:
    """x'' = −x − 0.1|x'|x': a method that steps over the kinks is off in the third digit."""
    rough = make("x", "x'^2/2 - x^2/2", forces={"x": "-0.1*abs(x')*x'"})
    run = integrate(rough, 0.0, [1.0], [0.0], 50.0, tolerance=1e-12)
    x, v, t = 1.0, 0.0, 0.0
    down = make("x", "x'^2/2 - x^2/2", forces={"x": "0.1*x'^2"})
    up = make("x", "x'^2/2 - x^2/2", forces={"x": "-0.1*x'^2"})
    turns = 0
    while t < 50.0:  # the same by hand, branch by branch
        field = down if turns % 2 == 0 else up
        part = integrate(field, t, [x], [v], 50.0, tolerance=1e-13, events=[Event("x'", terminal=True)])
        t, x, v = part.time, part.state[0][0], part.state[1][0]
        turns += 1
    assert run.state[0][0] == pytest.approx(x, abs=1e-9)
    assert run.state[1][0] == pytest.approx(v, abs=1e-9)
    assert run.statistics.branch_changes == turns - 1
    assert run.statistics.rejected < run.statistics.steps / 10  # no step runs into a kink


def test_a_spring_of_two_stiffnesses(make: Make) -> None:
    field = make("x", "x'^2/2 - 4*max(x, 0)^2 - min(0, x)^2/2")
    period = np.pi / np.sqrt(8) + np.pi
    run = integrate(field, 0.0, [0.0], [1.0], 3 * period, tolerance=1e-12)
    assert run.state[0][0] == pytest.approx(0.0, abs=1e-10)
    assert run.state[1][0] == pytest.approx(1.0, abs=1e-10)
    assert run.statistics.branch_changes in (10, 11, 12)  # max and min, five or six times
    np.testing.assert_allclose(run.energy, 0.5, atol=1e-10)


def test_dry_friction_in_motion(make: Make) -> None:
    field = make("x", "x'^2/2 - x^2/2", forces={"x": "-0.1*sign(x')"})
    run = integrate(field, 0.0, [1.05], [0.0], 15.0, tolerance=1e-11)
    assert run.status == "done"
    inside = np.abs(run.v[:, 0]) > 1e-6
    np.testing.assert_allclose(
        run.accelerations[inside], -run.q[inside] - 0.1 * np.sign(run.v[inside]), atol=1e-12
    )


def test_kinks_in_a_constrained_system_and_user_events(make: Make) -> None:
    field = make("x y", "(x'^2 + y'^2)/2 - abs(x)", constraints=["y' = x*x'"])
    run = integrate(field, 0.0, [1.0, 0.5], [0.0, 0.0], 4.0, tolerance=1e-11, events=["x", "y - 0.2"])
    assert run.statistics.branch_changes >= 1
    np.testing.assert_allclose(run.energy, run.energy[0], atol=1e-9)
    np.testing.assert_allclose(run.q[:, 1], run.q[:, 0] ** 2 / 2, atol=1e-9)
    assert sum(e.name == "x" for e in run.events) == run.statistics.branch_changes
    assert sum(e.name == "y - 0.2" for e in run.events) >= 2


def test_unfolding_keeps_values(make: Make) -> None:
    field = make("x y", "x'^2 + y'^2 - min(x, y, x*y)*abs(max(x', 1)) - sign(x)*y*max(2, 3)")
    model, switches = unfold(field.model)
    assert len(model.modes) == len(switches) == 5  # two of min, max, abs of it, sign; max(2, 3) does not move
    from chetaev.expr.graph.evaluate import evaluate

    for q in ((0.5, -0.3), (-1.2, 0.4), (2.0, 3.0)):
        values: dict[Any, float] = {"x": q[0], "y": q[1], "x_dot": 1.7 * q[0], "y_dot": 0.0, "t": 0.0}
        for name, switch in zip(model.modes, switches, strict=True):
            values[name] = float(np.sign(evaluate([switch], values)[0]))
        assert evaluate([model.dynamics.lagrangian], values) == pytest.approx(
            evaluate([field.model.dynamics.lagrangian], values)
        )


def test_a_smooth_model_is_left_alone(oscillator: CompiledField) -> None:
    model, switches = unfold(oscillator.model)
    assert model is oscillator.model
    assert switches == ()
