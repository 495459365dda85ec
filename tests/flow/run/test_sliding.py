"""Dry friction sticks: Filippov's sliding modes against closed solutions and against smoothed friction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch


def held(run) -> list[tuple[str, float, float]]:
    return [(x["zero"], x["from"], x["to"]) for x in run.attrs["held"]]


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_spring_with_dry_friction_comes_to_rest_where_it_must(method: str) -> None:
    """Amplitudes about ±μ fall by 2μ a half-turn: 1.05, −0.85, …, −0.05 at 5π; there it stays."""
    s = ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2 - x^2/2",
        forces={"x": "-0.1*sign(x')"},
        initial={"x": 1.05, "x_dot": 0},
    )
    run = ch.simulate(s, at="0:50:0.5", method=method, tolerance=1e-10)
    assert run.attrs["status"] == "done"
    ((zero, begin, end),) = held(run)
    assert (zero, end) == ("x'", 50.0)
    assert begin == pytest.approx(5 * np.pi, abs=1e-6)
    still = run["time"].values > begin
    assert np.allclose(run["x"].values[still], -0.05, atol=1e-7)
    assert np.all(abs(run["x_dot"].values[still]) < 1e-13)
    assert np.allclose(run["x_ddot"].values[still], 0, atol=1e-12)  # held, though sign(0) is no force


@settings(max_examples=4, deadline=None)
@given(st.floats(1.3, 4.0), st.floats(0.3, 2.0))
def test_a_block_that_is_shaken_sticks_and_slips_by_the_closed_solution(push: float, mass: float) -> None:
    """m x'' = A sin t − sign x': leaves at asin(1/A); then m x' = A (cos t₀ − cos t) − (t − t₀)."""
    s = ch.System(
        coordinates=["x"],
        lagrangian="m*x'^2/2",
        forces={"x": "A*sin(t) - sign(x')"},
        parameters={"A": push, "m": mass},
        initial={"x": 0, "x_dot": 0},
    )
    run = ch.simulate(s, at="0:6:0.02", tolerance=1e-11)
    first = held(run)[0]
    start = np.arcsin(1 / push)
    assert first[1] == 0.0
    assert first[2] == pytest.approx(start, abs=1e-7)
    t = run["time"].values
    speed = (push * (np.cos(start) - np.cos(t)) - (t - start)) / mass
    free = t > start
    stop = t[free][np.argmax(speed[free][5:] < 0) + 5]
    inside = free & (t < stop - 0.04)
    assert np.allclose(run["x_dot"].values[inside], speed[inside], atol=1e-7)
    assert np.all(abs(run["x_dot"].values[t < start - 0.01]) < 1e-13)


@settings(max_examples=3, deadline=None)
@given(st.floats(1.3, 2.5), st.floats(0.3, 2.0), st.sampled_from([1e-6, 1e-9]))
def test_every_scheme_that_chooses_its_steps_sticks_and_slips_alike(
    push: float, mass: float, tolerance: float
) -> None:
    """Friction is overcome little by little: the error of an implicit step must not make it stick again."""
    s = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="m*(x'^2 + y'^2)/2 + phi'^2/2",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
        define={"u": "x'*cos(phi) + y'*sin(phi)"},
        forces={"x": "A*sin(t) - cos(phi)*sign(u)", "y": "-sin(phi)*sign(u)"},
        parameters={"A": push, "m": mass},
        initial={"x_dot": 0, "phi_dot": 0.1},
    )
    runs = [ch.simulate(s, at=[0, 5, 9], method=m, tolerance=tolerance) for m in ("dop853", "radau", "auto")]
    assert [run.attrs["status"] for run in runs] == ["done"] * 3
    modes = [run.attrs["modes"] for run in runs]
    assert len({tuple(x["mode"] for x in found) for found in modes}) == 1
    for run, found in zip(runs, modes, strict=True):
        assert np.allclose(run["x"], runs[0]["x"], atol=1e4 * tolerance)
        assert np.allclose([x["time"] for x in found], [x["time"] for x in modes[0]], atol=1e4 * tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize("push", [1.001, 1.02, 1.2])
def test_no_slip_is_passed_over_while_a_block_sticks(method: str, push: float) -> None:
    """A sin t − sign x' slips briefly at asin(1/A) + kπ, and steps at rest are long."""
    s = ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2",
        forces={"x": "A*sin(t) - sign(x')"},
        parameters={"A": push},
        initial={"x": 0, "x_dot": 0},
    )
    run = ch.simulate(s, at=[0, 40], method=method)
    leaves = [end for _, _, end in held(run) if end < 40]
    assert np.allclose(leaves, np.arcsin(1 / push) + np.arange(len(leaves)) * np.pi, atol=1e-6)
    assert len(leaves) == 13


def test_a_skate_on_a_slope_sticks_below_the_angle_of_friction() -> None:
    """Along a fixed blade the weight is m g sin α; μ m g cos α holds it, or it slides with the rest."""
    for mu, acceleration in ((0.7, 0.0), (0.5, 9.8 * (0.5 - 0.5 * np.cos(np.pi / 6)))):
        s = ch.System(
            coordinates=["x", "y"],
            lagrangian="m*(x'^2 + y'^2)/2 - m*g*y",
            constraints=["y'*cos(a) = -x'*sin(a)"],
            define={"u": "x'*cos(a) - y'*sin(a)", "f": "-mu*m*g*cos(a)*sign(u)"},
            forces={"x": "f*cos(a)", "y": "-f*sin(a)"},
            parameters={"m": 2, "g": 9.8, "a": "pi/6", "mu": mu},
            initial={"x": 0, "y": 0, "x_dot": 0},
        )
        run = ch.simulate(s, at=[0, 0.5, 1])
        along = run["x"].values / np.cos(np.pi / 6)
        assert np.allclose(along, acceleration * np.array([0, 0.125, 0.5]), atol=1e-8)
        assert len(held(run)) == (1 if mu == 0.7 else 0)
        # the blade carries what the weight has across it, sticking or not
        across = np.hypot(run["reaction_x"], run["reaction_y"])
        assert np.allclose(across, 2 * 9.8 * np.cos(np.pi / 6), atol=1e-9)


def test_thrown_uphill_a_block_stops_and_turns_back_or_stays() -> None:
    """Up with −g (sin α + μ cos α); then it stays if μ ≥ tan α, and slides back with less if not."""
    for mu in (0.3, 0.9):
        s = ch.System(
            coordinates=["x"],
            lagrangian="x'^2/2 - g*x*sin(a)",
            forces={"x": "-mu*g*cos(a)*sign(x')"},
            parameters={"g": 10, "a": "pi/6", "mu": mu},
            initial={"x": 0, "x_dot": 3},
        )
        run = ch.simulate(s, at="0:2:0.1")
        up, down = 10 * (0.5 + mu * np.sqrt(0.75)), 10 * max(0.5 - mu * np.sqrt(0.75), 0.0)
        t = run["time"].values
        top = 3 / up
        wanted = np.where(t < top, 3 * t - up * t * t / 2, 4.5 / up - down * (t - top) ** 2 / 2)
        assert np.allclose(run["x"], wanted, atol=1e-8)


@pytest.mark.slow
def test_two_switches_held_at_once_agree_with_smoothed_friction() -> None:
    def system(sign: str) -> ch.System:
        return ch.System(
            coordinates=["x", "y"],
            lagrangian="(x'^2 + y'^2)/2 - (x - y)^2",
            forces={
                "x": f"1.5*sin(t) - {sign.format('x_dot')} + 0.3*{sign.format('y_dot - x_dot')}",
                "y": f"-0.3*{sign.format('y_dot - x_dot')}",
            },
            initial={"x": 0, "y": 0, "x_dot": 0, "y_dot": 0},
        )

    sharp = ch.simulate(system("sign({})"), at="0:8:0.25", tolerance=1e-10)
    smooth = ch.simulate(system("tanh(({})/1e-5)"), at="0:8:0.25", method="radau", tolerance=1e-8)
    assert sharp.attrs["status"] == smooth.attrs["status"] == "done"
    both = [(a, b) for zero, a, b in held(sharp) if zero == "x'"]
    assert any(a <= c < b for a, b in both for zero, c, _ in held(sharp) if zero != "x'")  # held together
    for name in ("x", "y", "x_dot", "y_dot"):
        assert np.allclose(sharp[name], smooth[name], atol=3e-4)


def test_the_belt_of_the_gallery_carries_the_block_to_where_the_spring_wins() -> None:
    s = ch.load("stick-slip")
    run = ch.simulate(s)
    p = s.parameter_values
    (_, begin, end), *more = held(run)
    assert begin == 0
    assert end == pytest.approx(p["mu_s"] * p["m"] * p["g"] / p["k"] / p["v"], abs=1e-8)  # k v t = μ m g
    assert len(more) == 2
    (_, a, b), (_, c, d) = more
    assert (d - b, c - a) == pytest.approx((c - a, d - b), abs=1e-6)  # a limit cycle from the first turn on
    changes = run.attrs["modes"]
    assert [x["mode"] for x in changes] == [0, -1, 0, -1, 0, -1]


def test_where_the_rule_says_nothing_the_run_ends_with_a_sentence() -> None:
    s = ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2",
        forces={"x": "-2*sign(x') + sign(x')^2*cos(t)"},
        initial={"x": 0, "x_dot": 1},
    )
    run = ch.simulate(s, until=3)
    assert run.attrs["status"] == "sliding"
    assert "not linear in the sign" in run.attrs["reason"]
    relay = ch.System(
        coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-sign(x)"}, initial={"x": 1, "x_dot": 0}
    )
    assert ch.simulate(relay, until=20).attrs["status"] == "done"  # crossed, never held
