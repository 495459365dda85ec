"""Return maps: their derivative by the tangent flow against differences, fixed points, bad input (M6)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import chetaev as ch

HENON = ch.System(
    coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3",
    initial={"x": 0, "y": -0.15, "x'": 0.48, "y'": 0.1},
)  # fmt: skip
FORCED = ch.System(
    coordinates=["x", "z"], lagrangian="(x'^2 + z'^2)/2 - x^2/2 - x^4/4 - z^2 + x*cos(2*t)",
    forces={"x": "-x'/5"}, constraints=["z' = x*x'"], initial={"x": 0.3, "z": 0.1, "x'": 0.2},
)  # fmt: skip


NUTATING = {"theta": 0.15, "theta'": 0.1, "psi'": 3, "phi'": 0.2}
ROLLING = ["x", "y", "psi", "phi"]
MAPS = {
    "free": lambda: ch.return_map(HENON, "x"),
    "curved surface": lambda: ch.return_map(HENON, ch.Event("x*y' - y*x' - x^2", direction=0)),
    "position constraint": lambda: ch.return_map(ch.load("pendulum-cartesian"), "x"),
    "relative": lambda: ch.return_map(ch.load("rolling-disc"), "theta'", NUTATING, relative_to=ROLLING),
    "nonlinear constraint": lambda: ch.return_map(ch.load("central-force-constant-speed"), period=1.5),
    "forced, constrained": lambda: ch.return_map(FORCED, period=math.pi),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", list(MAPS))
def test_derivative_is_that_of_differences_M6(name: str) -> None:
    P = MAPS[name]()
    w, h = P.start, 1e-5
    exact = P.derivative(w)
    for i in range(len(w)):
        step = h * np.eye(len(w))[i]
        near = (P(w + step) - P(w - step)) / (2 * h)
        np.testing.assert_allclose(exact[:, i], near, atol=2e-6 * (1 + abs(exact).max()))


def test_points_are_those_of_the_section_M6() -> None:
    P = ch.return_map(HENON, "x")
    points = P.points(8)
    section = ch.section(HENON, "x", crossings=7)
    for name in P.coordinates:
        np.testing.assert_allclose(points[name].values[1:], section[name].values, atol=1e-6)
    np.testing.assert_allclose(points.time.values[1:], section.time.values, atol=1e-6)
    assert P.coordinates == ("y", "x_dot", "y_dot")


def test_fixed_point_has_the_multipliers_of_its_orbit_M6() -> None:
    orbit = ch.periodic(HENON, {"x": 0, "y": 0.3, "x'": 0.4, "y'": 0}, event="x")
    P = ch.return_map(HENON, "x", orbit.state)
    np.testing.assert_allclose(P(P.start), P.start, atol=1e-9)
    assert abs(P.time(P.start) - orbit.period) < 1e-8
    a, b, c = sorted(np.linalg.eigvals(P.derivative(P.start)), key=lambda z: abs(z - 1))
    assert abs(a - 1) < 1e-5  # the energy
    assert abs(b + c - sum(orbit.multipliers[2:])) < 1e-6


def test_volume_shrinks_by_the_divergence_M6() -> None:
    """The stroboscopic map of x'' + x'/5 + … = cos 2t contracts areas by exp(−T/5), whatever the state."""
    system = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - x^2/2 - x^4/4 + x*cos(2*t)", forces={"x": "-x'/5"},
        initial={"x": 1, "x'": 0.5},
    )  # fmt: skip
    P = ch.return_map(system, period=math.pi, returns=2)
    for point in ([1.0, 0.5], {"x": -0.3, "x_dot": 2.0}):
        assert abs(np.linalg.det(P.derivative(point)) - math.exp(-2 * math.pi / 5)) < 1e-9


@pytest.mark.slow
def test_maps_are_told_and_drawn_M6() -> None:
    import matplotlib as mpl

    mpl.use("agg")
    P = ch.return_map(HENON, "x")
    assert "return map of x = 0" in repr(P)
    assert P.to_json()["coordinates"] == ["y", "x_dot", "y_dot"]
    for result in (P, ch.section(HENON, "x", crossings=10), ch.lyapunov(HENON, until=20)):
        assert len(ch.plot(result).axes) == 1
    mpl.pyplot.close("all")


BAD = [
    (lambda: ch.return_map(HENON), "an event or a period"),
    (lambda: ch.return_map(HENON, "x", period=3), "not both"),
    (lambda: ch.return_map(HENON, "x - 7"), "0 times"),
    (lambda: ch.return_map(HENON, "x")([1.0]), "3 numbers"),
    (lambda: ch.return_map(HENON, "x")([1.0, math.nan, 0.0]), "3 numbers"),
    (lambda: ch.return_map(HENON, "x")({"y": 1.0}), "values of y"),
    (lambda: ch.return_map(FORCED, "x"), "stroboscopic"),
    (lambda: ch.return_map(FORCED, period=1), "do not repeat"),
    (lambda: ch.return_map(HENON, period=0), "positive"),
    (lambda: ch.return_map(ch.load("bouncing-ball"), "x'"), "stops"),
    (lambda: ch.return_map(HENON, "x", relative_to=["x"]), "not cyclic"),
]


@pytest.mark.parametrize(("ask", "words"), BAD)
def test_mistakes_are_answered_by_a_sentence(ask: object, words: str) -> None:
    with pytest.raises(ch.ModelError, match=words):
        ask()
