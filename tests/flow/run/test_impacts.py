"""Stops and impacts, against closed solutions: a bouncing ball, a vibrating table, a pendulum at a wall."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch

G = 9.8


def attribute(run, name: str):
    return run.attrs[name]


def ball(e: float, **more) -> ch.System:
    return ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - g*y",
        parameters={"g": G},
        stops=[{"position": "y", "restitution": e}],
        **{"initial": {"x": 0, "y": 1, "x_dot": 0.5, "y_dot": 0}, **more},
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("e", [0.0, 0.5, 0.8])
def test_a_ball_bounces_comes_to_rest_at_its_zeno_time_and_stays(e: float) -> None:
    run = ch.simulate(ball(e), at="0:6:0.125")
    first = np.sqrt(2 / G)
    impacts = attribute(run, "impacts")
    hops = 2 * first * e ** np.arange(1, len(impacts))
    assert np.allclose(
        [x["time"] for x in impacts], first + np.concatenate([[0], np.cumsum(hops)]), atol=1e-7
    )
    (contact,) = attribute(run, "contacts")
    assert contact["from"] == pytest.approx(first * (1 + e) / (1 - e), abs=2e-6)
    assert contact["to"] == 6
    t = run["time"].values
    rest = t > contact["from"]
    assert np.all(run["y"].values > -1e-9)
    assert np.allclose(run["y"].values[rest], 0, atol=1e-10)
    assert np.allclose(run["contact"].values[rest, 0], G)  # the floor carries the weight
    assert np.allclose(run["contact"].values[~rest, 0], 0)
    assert np.allclose(run["x"], 0.5 * t, atol=1e-9)  # no friction


def test_an_elastic_ball_keeps_its_energy() -> None:
    run = ch.simulate(ball(1.0), at="0:20:0.5", tolerance=1e-11)
    assert np.allclose(run["energy"], run["energy"][0], atol=1e-7)
    assert len(attribute(run, "impacts")) == int((20 / np.sqrt(2 / G) + 1) // 2)
    assert attribute(run, "contacts") == []


def test_a_block_on_a_vibrating_table_lifts_where_the_table_falls_away_faster() -> None:
    """φ = y − a sin ωt: contact while a ω² sin ωt ≤ g; then it flies from there."""
    s = ch.System(
        coordinates=["y"],
        lagrangian="m*y'^2/2 - m*g*y",
        parameters={"m": 3, "g": G, "a": 0.2, "w": 10},
        stops=[{"position": "y - a*sin(w*t)", "restitution": 0.3}],
        initial={"y": 0, "y_dot": 2},
    )
    run = ch.simulate(s, at="0:0.6:0.005")
    lift = np.arcsin(G / (0.2 * 100)) / 10
    first = attribute(run, "contacts")[0]
    assert (first["from"], first["to"]) == pytest.approx((0, lift), abs=1e-7)
    t = run["time"].values
    on = t < lift
    assert np.allclose(run["y"].values[on], 0.2 * np.sin(10 * t[on]), atol=1e-9)
    assert np.allclose(run["contact"].values[on, 0], 3 * (G - 20 * np.sin(10 * t[on])), atol=1e-6)
    hit = attribute(run, "impacts")[0]["time"]
    off = (t > lift) & (t < hit)
    s = t[off] - lift
    flight = 0.2 * np.sin(10 * lift) + 2 * np.cos(10 * lift) * s - G * s * s / 2
    assert np.allclose(run["y"].values[off], flight, atol=1e-7)
    assert np.all(run["y"].values - 0.2 * np.sin(10 * t) > -1e-8)


def test_impulses_respect_the_constraints() -> None:
    """A pendulum hits a wall, a sleigh too, along its blade: φ̇ turns round, C v = 0 stays."""
    pendulum = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - g*y",
        parameters={"g": G},
        constraints={"position": ["x^2 + y^2 = 1"]},
        stops=[{"position": "x", "restitution": 0.5}],
        initial={"x": 0.6, "y": -0.8, "x_dot": 0},
    )
    run = ch.simulate(pendulum, at="0:1:0.02", tolerance=1e-11)
    hit = attribute(run, "impacts")[0]
    speed = np.sqrt(2 * G * 0.2)
    assert (hit["before"], hit["after"]) == pytest.approx((-speed, 0.5 * speed), abs=1e-7)
    assert abs(run["residual"]).max() < 1e-10
    after = run["time"].values > hit["time"]
    energy = run["energy"].values
    assert energy[after][0] + G == pytest.approx(0.25 * (energy[0] + G), abs=1e-7)

    sleigh = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
        parameters={"m": 1, "J": 0.2},
        constraints=["x'*sin(phi) = y'*cos(phi)"],
        stops=[{"position": "2 - x", "restitution": 1}],
        initial={"phi": 0.4, "phi_dot": 0.1, "x_dot": 1},
    )
    run = ch.simulate(sleigh, at="0:4:0.1", tolerance=1e-11)
    (hit,) = attribute(run, "impacts")
    assert hit["after"] == pytest.approx(-hit["before"])
    assert abs(run["residual"]).max() < 1e-10
    assert np.allclose(run["energy"], run["energy"][0], atol=1e-8)  # e = 1, and the blade does no work
    assert np.allclose(run["phi"], 0.4 + 0.1 * run["time"], atol=1e-9)  # the wall has no arm


def test_laws_are_said_to_hold_between_impacts() -> None:
    assert all("between impacts" in law.origin for law in ch.integrals(ball(0.5)))


def test_two_stops_hold_a_ball_in_a_corner() -> None:
    s = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - 5*y + 3*x",
        stops=[{"position": "y"}, {"position": "2 - x", "restitution": 0.4}],
        initial={"x": 0, "y": 0.5, "x_dot": 0, "y_dot": 0},
    )
    run = ch.simulate(s, at="0:6:0.25")
    assert run.attrs["status"] == "done"
    assert np.allclose([run["x"][-1], run["y"][-1]], [2, 0], atol=1e-8)
    assert np.allclose(run["contact"].values[-1], [5, 3], atol=1e-8)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"initial": {"x": 0, "y": -1, "x_dot": 0, "y_dot": 0}}, "beyond the stop y >= 0"),
        ({"stops": [{"position": "y'"}]}, "velocity"),
        ({"stops": [{"position": "g"}]}, "contains no coordinate"),
        ({"stops": [{"place": "y"}]}, "no 'position'"),
        ({"stops": [{"position": "y", "bounce": 1}]}, "unknown key 'bounce'"),
        ({"stops": [{"position": "y", "restitution": 2}]}, "restitution of the stop y is 2"),
        ({"stops": ["y"]}, "a stop is"),
        ({"lagrangian": "y'^4 + x'^2 + y'^2 - g*y"}, "law of impact is not defined"),
        ({"lagrangian": "1e-15*(y'^4 + x'^2 + y'^2 - g*y)"}, "law of impact is not defined"),
    ],
)
def test_bad_stops_are_told(more, said: str) -> None:
    given = {
        "coordinates": ["x", "y"],
        "lagrangian": "(x'^2 + y'^2)/2 - g*y",
        "parameters": {"g": G},
        "stops": [{"position": "y"}],
        "initial": {"x": 0, "y": 1, "x_dot": 0, "y_dot": 0},
    }
    with pytest.raises(ch.ModelError, match=said):
        ch.simulate(ch.System(**{**given, **more}), until=5)


@pytest.mark.few(1)
@pytest.mark.parametrize("velocity", [[], ["z' = 2*x'"], ["z' = 2*x'", "u' = z'*cos(x)"]])
@pytest.mark.parametrize("position", [[], ["w = x^2"]])
def test_the_force_of_a_contact_is_not_mistaken_for_that_of_another_constraint(
    velocity: list[str], position: list[str]
) -> None:
    """A ball comes to rest on a table that then falls away: it presses with 1 − 6 (t − 2)/g of its weight."""
    held = {*"zu"[: len(velocity)], *("w" if position else "")}
    system = ch.System(
        coordinates=["x", "y", "z", "u", "w"],
        lagrangian="(x'^2 + y'^2 + z'^2 + u'^2 + w'^2)/2 - g*y",
        parameters={"g": G},
        constraints={"velocity": velocity, "position": position},
        stops=[{"position": "y + (t - 2)^3", "restitution": 0}],
        initial={"t": 2, "x": 0.3, "y": 0, "x_dot": 0.5, "y_dot": 0, **({} if position else {"w": 0.09})}
        | {f"{c}_dot": 0 for c in "zuw" if c not in held},
    )
    run = ch.simulate(system, until=4.5, at="2:4.5:0.125")
    t = run["time"].values
    (contact,) = attribute(run, "contacts")
    assert contact["to"] == pytest.approx(2 + G / 6, abs=1e-6)  # there it would have to pull
    assert np.allclose(run["contact"].values[:, 0], np.maximum(G - 6 * (t - 2), 0), atol=1e-6)
    without = ch.System.from_data({**system.given, "stops": []}, system._source)
    free = ch.simulate(without, until=4.5, at="2:4.5:0.125")
    for name in ("multiplier", "residual", "position_residual"):
        assert (name in run) == (name in free)
        assert name not in run or np.allclose(run[name], free[name], atol=1e-7)


def wedge(unit: str, light: str) -> ch.System:
    """A point on a curve that carries a rotor, whose tip of length √light meets the floor."""
    return ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian=f"{unit}*((x'^2 + y'^2)/2 + {light}*phi'^2/2 - {G}*y)",
        constraints=[f"{unit}*x' = {unit}*y'*x"],
        stops=[{"position": f"y + sqrt({light})*sin(phi)/2", "restitution": 0.5}],
        initial={"x": 0.1, "y": 1, "phi": 0.2, "y_dot": 0, "phi_dot": 0},
    )


@pytest.mark.parametrize("light", [1.0, 1e-16])
@pytest.mark.parametrize("unit", ["1", "1e-20", "1e18"])
def test_units_of_mass_and_factors_of_constraints_do_not_matter_at_an_impact(unit: str, light: float) -> None:
    """On Q, x = x(0) exp(y − 1), φ̇ jumps by λ (1/(1 + x²) + cos²φ/4), the rotor by λ cos φ/(2 √light)."""
    run = ch.simulate(wedge(unit, f"{light:g}"), at=[0.6], tolerance=1e-10)
    (hit,) = attribute(run, "impacts")
    x, cosine = 0.1 * np.exp(-np.sqrt(light) * np.sin(0.2) / 2 - 1), np.cos(0.2)
    impulse = (hit["after"] - hit["before"]) / (1 / (1 + x**2) + cosine**2 / 4)
    assert hit["after"] == pytest.approx(-hit["before"] / 2, rel=1e-9)
    assert run["phi_dot"].values[-1] == pytest.approx(impulse * cosine / 2 / np.sqrt(light), rel=1e-8)
