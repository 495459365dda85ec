"""Motions of degenerate systems against solutions by another route (SCOPE B7, B8)."""

from __future__ import annotations

from math import cos, cosh, sin, sinh, sqrt

import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from formulas import formula, formulas


def degenerate(lagrangian: str, coordinates: str, *constraints: str, **more: object) -> ch.System:
    return ch.System(
        coordinates=coordinates.split(),
        dynamics={"lagrangian": lagrangian, "degenerate": True},
        constraints=list(constraints),
        **more,
    )


def last(motion, *names: str) -> list[float]:
    return [float(motion[name][-1]) for name in names]


@pytest.mark.slow
def test_B7_pendulum_with_its_multiplier_is_the_pendulum_with_its_constraint() -> None:
    """L = T − V + l φ against the same pendulum with φ = 0 as a position constraint: positions, and l = μ."""
    lagrangian = "m*(x'^2 + y'^2)/2 - m*g*y"
    values = {"m": 2, "g": 9.81}
    start = {"x": 0.6, "y": -0.8, "x_dot": 0.8, "y_dot": 0.6}
    other = ch.System(
        coordinates=["x", "y"], lagrangian=lagrangian, constraints={"position": ["x^2 + y^2 = 1"]},
        parameters=values, initial=start,
    )  # fmt: skip
    reference = ch.simulate(other, until=3.0, at=[1.0, 3.0], tolerance=1e-11)
    free = degenerate(f"{lagrangian} + l*(x^2 + y^2 - 1)", "x y l", parameters=values)
    momenta = {"x": 0.6, "y": -0.8, "p_x": 1.6, "p_y": 1.2}
    motion = ch.simulate(free, until=3.0, at=[1.0, 3.0], initial=momenta, tolerance=1e-11)
    assert last(motion, "x", "y", "x_dot") == pytest.approx(last(reference, "x", "y", "x_dot"), abs=1e-8)
    assert last(motion, "l")[0] == pytest.approx(float(reference.multiplier[-1, 0]), abs=1e-6)
    assert float(np.abs(motion.position_residual).max()) < 1e-9


def test_B7_first_order_lagrangian_turns() -> None:
    """L = x*y' − (x² + y²)/2: x' = −y, y' = x."""
    system = degenerate("x*y' - (x^2 + y^2)/2", "x y", initial={"x": 1, "x_dot": 0, "y_dot": 1})
    motion = ch.simulate(system, until=2.0, at=[2.0])
    assert last(motion, "x", "y", "p_y") == pytest.approx([cos(2), sin(2), cos(2)], abs=1e-8)


def test_B7_a_strong_magnetic_field_as_a_limit_of_small_mass() -> None:
    """L = B(x y' − y x')/2 − V drifts along V = const: B x' = −V_y, B y' = V_x; so does a small mass."""
    field, V = "3*(x*y' - y*x')/2", "(x^2 + 2*y^2)/2"
    drift = ch.simulate(degenerate(f"{field} - {V}", "x y"), until=2.0, at=[2.0], initial={"x": 1, "y": 0.5})
    w = sqrt(2) / 3
    x, y = last(drift, "x", "y")
    exact = [cos(2 * w) - 0.5 * sqrt(2) * sin(2 * w), 0.5 * cos(2 * w) + sin(2 * w) / sqrt(2)]
    assert [x, y] == pytest.approx(exact, abs=1e-8)
    heavy = ch.System(
        coordinates=["x", "y"], lagrangian=f"m*(x'^2 + y'^2)/2 + {field} - {V}", parameters={"m": 1e-4},
        initial={"x": 1, "y": 0.5, "x_dot": -1 / 3, "y_dot": 1 / 3},
    )  # fmt: skip
    assert last(ch.simulate(heavy, until=2.0, at=[2.0]), "x", "y") == pytest.approx([x, y], abs=2e-3)


@pytest.mark.slow
def test_B8_relativistic_particle_in_two_gauges_has_one_world_line() -> None:
    """L = −m √(s'² − x'²) + E s'x: hyperbolic motion; the lapse u is the gauge, or s = τ is."""
    system = degenerate("-m*sqrt(s'^2 - x'^2) + E*x*s'", "s x", parameters={"m": 1, "E": 1}, time="tau")
    start = {"s": 0, "x": 0, "p_s": -1, "p_x": 0}
    proper = ch.simulate(system, until=1.5, at=[1.5], initial=start, gauge={"u_1": "1/2"})
    assert last(proper, "s", "x") == pytest.approx([sinh(1.5), cosh(1.5) - 1], abs=1e-8)
    clock = ch.simulate(system, until=sinh(1.5), at=[sinh(1.5)], initial=start, gauge=["s = tau"])
    assert last(clock, "s", "x") == pytest.approx([sinh(1.5), cosh(1.5) - 1], abs=1e-8)


@pytest.mark.slow
def test_B7_christ_and_lee_in_two_gauges_have_one_radius() -> None:
    """The radius is an observable: r' ' = −r with zero angular momentum, whatever z does."""
    system = degenerate("(r'^2 + r^2*(th' - z)^2)/2 - r^2/2", "r th z")
    start = {"r": 2, "th": 0, "z": 0, "p_r": 0.5, "p_th": 0, "p_z": 0}
    still = ch.simulate(system, until=0.7, at=[0.7], initial=start, gauge=["z = 0"])
    turning = ch.simulate(system, until=0.7, at=[0.7], initial=start, gauge={"u_1": "1 + t"})
    exact = 2 * cos(0.7) + 0.5 * sin(0.7)
    assert last(still, "r", "th", "z") == pytest.approx([exact, 0, 0], abs=1e-8)
    assert last(turning, "r")[0] == pytest.approx(exact, abs=1e-8)
    z = 0.7 + 0.7**2 / 2
    assert last(turning, "z", "th") == pytest.approx([z, 0.7**2 / 2 + 0.7**3 / 6], abs=1e-8)


@pytest.mark.slow
def test_B7_both_sheets_of_the_mass_shell_are_run() -> None:
    """What is solved by a root has two signs, and the motion is right on both."""
    system = degenerate("-sqrt(s'^2 - x'^2)", "s x")
    for sign in (1, -1):
        start = {"s": 0, "x": 0, "p_s": -1.25 * sign, "p_x": 0.75}
        motion = ch.simulate(system, until=1.0, at=[1.0], initial=start, gauge=["s = t"])
        assert last(motion, "s", "x") == pytest.approx([1, 0.6 * sign], abs=1e-9)


@pytest.mark.slow
def test_B7_branches_are_chosen_by_the_initial_data() -> None:
    """x'²/2 + x*y²: y = 0 with x free to move, or x = p_x = 0 and y = 0."""
    system = degenerate("x'^2/2 + x*y^2", "x y")
    motion = ch.simulate(system, until=2.0, at=[2.0], initial={"x": 1, "y": 0, "p_x": 3})
    assert last(motion, "x", "y") == pytest.approx([7, 0])


START = {"r": 1, "p_r": 0}


@pytest.mark.parametrize(
    ("initial", "gauge", "words"),
    [
        (START, None, "nothing determines u_1"),
        (START, {}, "nothing determines u_1"),
        (START, {"u_2": "1"}, "no free multiplier"),
        (START, "u_1", "the choice of gauge is"),
        (START, ["r = 1"], "contains no free multiplier"),
        (START, ["z = 0", "z = t"], "2 gauge conditions for 1"),
        (START, ["w = 0"], "w"),
        (None, ["z = 0"], "no initial state"),
        ({"r": 1, "th": 0, "z": 0, "p_r": 0, "p_z": 0, "p_th": 1}, ["z = 0"], "p_th"),
        ({"r": 1, "p_r": 0, "r_dot": 1}, ["z = 0"], "momenta and velocities"),
    ],
)
def test_B7_what_a_run_lacks_is_a_sentence(initial, gauge, words: str) -> None:
    system = degenerate("(r'^2 + r^2*(th' - z)^2)/2 - r^2/2", "r th z")
    with pytest.raises(ch.ModelError) as error:
        ch.simulate(system, until=1.0, initial=initial, gauge=gauge)
    assert words in str(error.value)


def test_B7_velocities_that_the_motion_does_not_have_are_refused() -> None:
    system = degenerate("x*y' - (x^2 + y^2)/2", "x y", initial={"x": 1, "x_dot": 0, "y_dot": 0})
    with pytest.raises(ch.ModelError, match="the initial velocity misses the constraint y' = x"):
        ch.simulate(system, until=1.0)


def test_B7_no_motion_is_said() -> None:
    system = degenerate("x'^2/2 + y", "x y", initial={"x": 1, "x_dot": 0, "y_dot": 0})
    with pytest.raises(ch.ModelError, match="there is no motion"):
        ch.simulate(system, until=1.0)


def test_B7_brackets_and_equations_hold_on_every_sheet() -> None:
    """On x² + y² = 1 Dirac's {x, p_y} is −xy, for x < 0 too: no root of one sheet is shown."""
    text = {"lagrangian": "(x'^2 + y'^2)/2 - y + l*(x^2 + y^2 - 1)", "degenerate": True}
    found = ch.dirac(ch.System(coordinates=["x", "y", "l"], dynamics=text))
    assert found.bracket("x", "p_y") == formula("-x*y")
    at = {"x": -0.6, "y": 0.8, "p_x": -0.8, "p_y": -0.6, "p_l": 0.0}
    values = evaluate([found.bracket("p_x", "p_y"), found.equations["x"]], at)
    assert [float(e) for e in values] == pytest.approx([at["y"] * at["p_x"] - at["x"] * at["p_y"], at["p_x"]])
    particle = {"lagrangian": "-m*sqrt(s'^2 - x'^2)", "degenerate": True}
    shell = ch.dirac(ch.System(coordinates=["s", "x"], dynamics=particle, parameters={"m": 1}))
    assert dict(shell.gauge[0].moves) == formulas({"s": "-2*p_s", "x": "2*p_x"})
