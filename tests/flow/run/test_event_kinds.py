"""Kinds of events: touches, stretches of zero, ends; directions, terminal events; what is said of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.flow.run.events import Event
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.motion import Run

Make = Callable[..., CompiledField]
PI = np.pi


@pytest.fixture(scope="module")
def spring(make: Make) -> CompiledField:
    """x = cos t from (1, 0)."""
    return make("x", "x'^2/2 - x^2/2")


@pytest.fixture(scope="module")
def free(make: Make) -> CompiledField:
    """x = t from (0, 1)."""
    return make("x", "x'^2/2")


def watch(field: CompiledField, *events: Any, until: float = 20.0, **more: Any) -> Run:
    start = more.pop("start", (1.0, 0.0))
    return integrate(field, 0.0, [start[0]], [start[1]], until, events=events, **more)


@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-9, 1e-12])
def test_a_tangential_zero_is_one_touch_at_every_tolerance(
    spring: CompiledField, tolerance: float, method: str
) -> None:
    """Whether the computed amplitude is a little more or less than 1."""
    if method == "radau" and tolerance < 1e-9:
        tolerance = 1e-9
    run = watch(spring, "x - 1", tolerance=tolerance, method=method)
    assert [e.kind for e in run.events] == ["touch"] * 3
    allowed = 60 * tolerance ** (1 / 2 if method == "radau" else 3 / 4)
    assert [e.time for e in run.events] == pytest.approx([2 * PI, 4 * PI, 6 * PI], abs=allowed)
    for e in run.events:
        assert e.span[0] <= e.time <= e.span[1]
        assert abs(e.q[0] - 1) <= e.accuracy < 3000 * tolerance
        assert e.direction == 1  # zero was approached from below


def test_a_miss_by_more_than_the_accuracy_is_no_touch(spring: CompiledField) -> None:
    run = watch(spring, "x - 1.0001", tolerance=1e-9)
    assert run.events == ()
    assert run.watched[0].excluded
    assert run.watched[0].least == pytest.approx(1e-4, rel=0.01)
    assert "did not occur: it stays at least 0.0001 from zero" in run.watched[0].statement


def test_many_steps_leave_more_open(spring: CompiledField) -> None:
    """The amplitude is off by 1.5e-8 after 2000 steps with a tolerance of 1e-9; touches are still touches."""
    run = watch(spring, "x - 1", until=1000.0)
    assert len(run.events) == 159
    assert {e.kind for e in run.events} == {"touch"}
    assert run.events[-1].accuracy > 10 * run.events[0].accuracy


def test_what_did_not_occur_is_said_with_the_distance_of_samples(spring: CompiledField) -> None:
    """No more than a part in 8,000 of the run: samples are closest at the ends of parts of 1/1024."""
    run = watch(spring, "x - 2", Event("x - 0.5", 1), until=1.0)
    for known, zero in zip(
        run.watched, ("it stays at least 1 from zero", "no zero in that direction"), strict=True
    ):
        assert 0 < known.spacing <= 1 / 8192
        assert known.statement == f"did not occur: {zero}, at times no more than {known.spacing:.2g} apart"


@pytest.mark.parametrize("width", [0.1, 0.01, 0.003])
def test_a_short_peak_is_seen_where_steps_are_long(free: CompiledField, width: float) -> None:
    """One step covers the whole run, and the peak is far from its middle."""
    for top in (0.77, 4.3, 8.123):
        run = watch(free, f"exp(-((t - {top})/{width})^2) - 0.5", until=10.0, start=(0.0, 1.0))
        half = width * np.sqrt(np.log(2))
        assert [e.time for e in run.events] == pytest.approx([top - half, top + half], abs=1e-9)


def test_directions_and_touches(spring: CompiledField) -> None:
    up, down = Event("x - 1", 1, name="up"), Event("x - 1", -1, name="down")
    run = watch(spring, up, down, Event("x + 1", 1, name="far"), until=7.0)
    assert [e.name for e in run.events] == ["up"]
    assert run.watched[1].excluded
    assert run.watched[1].statement == "did not occur: zero is reached upwards only"
    assert run.watched[2].statement == "did not occur: zero is reached downwards only"


def test_a_direction_that_is_never_taken_is_said(free: CompiledField) -> None:
    run = watch(free, Event("x - 1", -1), until=3.0, start=(0.0, 1.0))
    assert run.events == ()
    assert run.watched[0].statement == "did not occur: zero is reached upwards only"


def test_a_terminal_event_ends_at_a_touch(spring: CompiledField) -> None:
    run = watch(spring, Event("x - 1", terminal=True), "x")
    assert run.status == "event"
    assert run.time == pytest.approx(2 * PI, abs=1e-6)
    assert [(e.name, e.kind) for e in run.events] == [("x", "crossing")] * 2 + [("x - 1", "touch")]
    again = integrate(spring, run.time, *run.state, 20.0, events=[Event("x - 1", terminal=True)])
    assert again.time == pytest.approx(4 * PI, abs=1e-6)


def test_a_terminal_event_ends_at_the_first_of_two_crossings(spring: CompiledField) -> None:
    run = watch(spring, Event("(x - 0.5)*(x - 0.50001)", 1, terminal=True), "t - 1")
    assert run.time == pytest.approx(np.arccos(0.5), abs=1e-8)
    run = watch(spring, Event("(x - 0.5)*(x - 0.50001)", terminal=True))
    assert run.time == pytest.approx(np.arccos(0.50001), abs=1e-8)


def test_events_at_the_same_time(spring: CompiledField) -> None:
    run = watch(spring, "x", "2*x", "x*(1 + x'^2)", Event("x^3 + x", terminal=True), until=4.0)
    assert [e.time for e in run.events] == pytest.approx([PI / 2] * 4, abs=1e-9)
    assert run.time == pytest.approx(PI / 2, abs=1e-9)


@pytest.mark.parametrize("more", [0.0, 1e-14, -1e-14])
def test_a_zero_at_the_very_end(spring: CompiledField, more: float) -> None:
    run = watch(spring, "x", until=PI / 2 + more)
    assert [e.time for e in run.events] == pytest.approx([PI / 2], abs=1e-8)
    assert run.events[0].kind in ("end", "crossing")
    assert not run.watched[0].excluded


def test_a_zero_at_the_start_is_not_counted(spring: CompiledField) -> None:
    run = watch(spring, "x - 1", until=3.0)
    assert run.events == ()
    assert run.watched[0].zero_at_start
    assert run.watched[0].statement == (
        "did not occur: it is zero at the start, which is not counted, and nowhere else"
    )


def test_an_expression_that_is_always_zero(spring: CompiledField) -> None:
    """The energy, as computed, wavers about its value within the tolerance; that is no event."""
    run = watch(spring, "x^2 + x'^2 - 1", "x - x", "x'*0", tolerance=1e-9)
    assert run.events == ()
    for known in run.watched:
        assert known.zero_throughout
        assert not known.excluded
        assert known.statement == "is zero at all times, as far as the accuracy of the run goes"


def test_zero_from_a_time_on(free: CompiledField) -> None:
    run = watch(free, "min(x - 1, 0)", "max(x - 1, 0)*max(2 - x, 0)", until=8.0, start=(0.0, 1.0))
    (first, second) = (e for e in run.events if e.name.startswith("min") or e.time > 1.5)
    assert (first.kind, second.kind) == ("zero", "zero")
    assert first.span == pytest.approx((1.0, 8.0), abs=1e-6)
    assert second.span == pytest.approx((2.0, 8.0), abs=1e-6)


def test_functions_that_are_undefined_in_parts(spring: CompiledField) -> None:
    run = watch(spring, "log(x) + 1", "sqrt(x) - 0.1", "sqrt(x - 2)", until=10.0)
    a, b = np.arccos(np.exp(-1.0)), np.arccos(0.01)
    for name, t in (("log(x) + 1", a), ("sqrt(x) - 0.1", b)):
        wanted = [t, 2 * PI - t, 2 * PI + t]
        assert [e.time for e in run.events if e.name == name] == pytest.approx(wanted, abs=1e-7)
    assert run.watched[0].undefined
    assert run.watched[2].statement == "did not occur: it is not defined on this run"


def test_poles_and_jumps_are_counted_apart(spring: CompiledField) -> None:
    run = watch(spring, "1/x", "tan(3*t)", "abs(x)/x", until=5.0)
    assert [w.poles for w in run.watched] == [2, 5, 0]
    assert [w.jumps for w in run.watched] == [0, 0, 2]
    assert [e.time for e in run.events] == pytest.approx([k * PI / 3 for k in range(1, 5)], abs=1e-9)
    assert run.watched[0].statement == "did not occur: no zero; 2 poles with a change of sign, not counted"
    ended = watch(spring, Event("1/x", terminal=True), until=5.0)
    assert ended.status == "done"


def test_what_is_too_fast_is_not_called_absent(free: CompiledField) -> None:
    run = watch(free, "sin(1e6*x)^2 + cos(1e6*x)^2 - 0.5", until=10.0, start=(0.0, 1.0))
    assert run.watched[0].excluded  # fast in its parts, and constant
    run = watch(free, "sin(1e9*x) + 2", until=10.0, start=(0.0, 1.0))
    assert run.events == ()
    assert run.watched[0].not_examined > 0
    assert not run.watched[0].excluded
    assert "was not found; further zeros are not excluded, on" in run.watched[0].statement


def test_more_zeros_in_a_step_than_there_is_room_for(free: CompiledField) -> None:
    """The list grows, and the step is repeated; nothing else changes."""
    run = watch(free, "sin(3000*t)", "x - 1", until=10.0, start=(0.0, 1.0))
    times = np.array([e.time for e in run.events if e.index == 0])
    np.testing.assert_allclose(times, np.arange(1, len(times) + 1) * PI / 3000, atol=1e-12)
    assert len(times) == 9549
    plain = watch(free, until=10.0, start=(0.0, 1.0))
    assert run.q[-1].tolist() == plain.q[-1].tolist()


def test_crossings_that_branch_changes_lie_between(make: Make) -> None:
    """A kink passed twice within a step is not passed over: the exact motion has a force there."""
    field = make("x", "x'^2/2 - x^2/2", forces={"x": "-50*max(x - 0.999, 0)"})
    fine = integrate(field, 0.0, [0.0], [1.0], 3.0, tolerance=1e-13)
    for tolerance in (1e-6, 1e-8, 1e-10):
        run = integrate(field, 0.0, [0.0], [1.0], 3.0, tolerance=tolerance, events=["x - 0.999"])
        assert run.statistics.branch_changes == 2
        assert len(run.events) == 2
        assert abs(run.q[-1, 0] - fine.q[-1, 0]) < 10 * tolerance


def test_what_the_data_set_says_of_events() -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x_dot": 0})
    motion = ch.simulate(system, until=7.0, events=["x", "x - 1", "x - 2", "1/x"])
    events = motion.attrs["events"]
    assert [(e["name"], e["kind"]) for e in events] == [("x", "crossing")] * 2 + [("x - 1", "touch")]
    assert [e["direction"] for e in events] == [-1, 1, 1]
    assert events[2]["from"] <= events[2]["time"] <= events[2]["to"]
    watched = {w["name"]: w for w in motion.attrs["watched"]}
    assert [watched[name]["found"] for name in ("x", "x - 1", "x - 2", "1/x")] == [2, 1, 0, 0]
    assert [watched[name]["excluded"] for name in ("x", "x - 1", "x - 2", "1/x")] == [
        False,
        False,
        True,
        True,
    ]
    assert 0.9 < watched["x - 2"]["at_least"] <= 1.0
    assert watched["1/x"]["poles"] == 2


HOSTILE: list[tuple[str, list[str], str]] = [
    ("exp(1000*x) - 1", ["crossing"] * 3, "occurred"),  # overflows at the start
    ("1e300*x*1e200", ["crossing"] * 3, "occurred"),  # overflows nearly everywhere
    ("log(-1 - x^2)*x", [], "it is not defined on this run"),
    ("x/(x - x)", [], "it is not defined on this run"),
    ("sign(x) - 1", ["zero"], "occurred"),
    ("sign(x) + 0.5", [], "3 jumps over zero"),
    ("atan(1e20*x)", ["crossing"] * 3, "occurred"),
    ("x^0", [], "it stays at least 1 from zero"),
    ("1/(x^2 - 0.25)", [], "6 poles with a change of sign"),
    ("x/(x^2 + 1e-12)", ["crossing"] * 3, "occurred"),
    ("sqrt(x)*sqrt(-x)", [], "it is not defined on this run"),
    ("t", [], "it is zero at the start"),
    ("*".join(f"(x - {k}/20)" for k in range(-9, 10)), ["crossing"] * 57, "occurred"),
]


@pytest.mark.parametrize(("text", "kinds", "said"), HOSTILE, ids=[x[0][:30] for x in HOSTILE])
def test_hostile_expressions(spring: CompiledField, text: str, kinds: list[str], said: str) -> None:
    run = watch(spring, text, until=9.0)
    assert [e.kind for e in run.events] == kinds
    assert said in run.watched[0].statement
    assert run.watched[0].not_examined == 0


@pytest.mark.slow
def test_an_essential_singularity_is_not_examined_to_the_end(free: CompiledField) -> None:
    """sin(1/(t − 1)) has infinitely many zeros; many are found, and it is said that there may be more."""
    run = watch(free, "sin(1/(t - 1))", until=2.0, start=(0.0, 1.0))
    assert len(run.events) > 1000
    first = [e.time for e in run.events][:5]
    assert first == pytest.approx([1 - 1 / (k * PI) for k in range(1, 6)], abs=1e-12)
    assert run.watched[0].not_examined > 0
    assert "not excluded" in run.watched[0].statement


@pytest.mark.slow
def test_the_loop_comes_up_for_air_in_a_laborious_run(spring: CompiledField) -> None:
    """So that an interrupt is heard: here after the first signs of life."""

    class EnoughError(Exception):
        pass

    told: list[float] = []

    def progress(t: float) -> None:
        told.append(t)
        if len(told) == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        watch(spring, "sin(1e8*t)", "sin(1e8*x)", until=1e6, progress=progress)
    assert told[-1] < 100


@pytest.mark.parametrize("wrong", [5, [5], [None], [("x", 1)], [["x"]]])
def test_what_is_no_event_is_refused(wrong: Any) -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2", initial={"x": 1, "x_dot": 0})
    with pytest.raises(ch.errors.ModelError, match="event"):
        ch.simulate(system, until=1.0, events=wrong)


@pytest.mark.parametrize("wrong", [{"direction": True}, {"terminal": "no"}, {"terminal": 1}, {"name": 5}])
def test_an_event_with_odd_options_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ch.errors.ModelError, match=r"an event (has|is)"):
        Event("x", **wrong)


def test_one_event_alone_is_one_event(spring: CompiledField) -> None:
    for alone in ("x - 0.5", Event("x - 0.5"), Event("x - 0.5").expression):
        run = integrate(spring, 0.0, [1.0], [0.0], 2.0, events=alone)
        assert [e.name for e in run.events] == ["x - 0.5"]
