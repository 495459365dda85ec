"""`ch.rhs`: the field as f(t, y) at one state, over many and with inputs, as the compiled field has it."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.run.compiled_field import compile_field
from random_systems import random_system


def states(system: ch.System, count: int, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.normal(size=(2 * len(system.coordinates), count))


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(4))
def test_one_state_and_many_give_the_compiled_field_on_random_systems(seed: int) -> None:
    system = random_system(seed)
    f, field, n = ch.rhs(system), compile_field(system), len(system.coordinates)
    y = states(system, 6, seed)
    expected = np.concatenate([y[n:], field(0.4, y[:n].T, y[n:].T).T])
    np.testing.assert_array_equal(f(0.4, y), expected)
    for column, known in zip(y.T, expected.T, strict=True):
        np.testing.assert_allclose(f(0.4, column), known, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(f(0.4, list(column)), f(0.4, column))
    assert f.names == tuple(system.coordinates) + tuple(f"{c}_dot" for c in system.coordinates)


@pytest.mark.parametrize(
    "name", ["rolling-disc", "relativistic-particle-homogeneous", "steered-car", "pendulum-cartesian"]
)
def test_solve_ivp_gives_the_motion_of_simulate(name: str) -> None:
    from scipy.integrate import solve_ivp

    system = ch.load(name)
    f = ch.rhs(system)
    end = f.initial_time + 0.5
    found = solve_ivp(f, (f.initial_time, end), f.initial, rtol=1e-10, atol=1e-10)
    motion = ch.simulate(system, until=end, at=[end])
    known = [motion[name].values[-1] for name in f.names]
    np.testing.assert_allclose(found.y[:, -1], known, rtol=1e-6, atol=1e-7)


def test_a_chart_that_is_weak_and_an_angle_that_is_huge_are_no_exception() -> None:
    """At φ = 0 and at φ = π/2 one of two charts is singular; beyond 1e9 the own sine gives up."""
    f = ch.rhs(ch.load("knife-edge"))
    for phi in (0.0, np.pi / 2, 1e-9, 1e12):
        u, w = 0.7, 1.3
        y = [0.0, 0.0, phi, u * np.cos(phi), u * np.sin(phi), w]
        a = f(0.0, y)[3:]
        slope = 9.8 * 0.5
        forward = slope * np.cos(phi)
        expected = [
            forward * np.cos(phi) - u * w * np.sin(phi),
            forward * np.sin(phi) + u * w * np.cos(phi),
            0.0,
        ]
        np.testing.assert_allclose(a, expected, rtol=1e-9, atol=1e-9)


def test_what_was_asked_before_does_not_matter() -> None:
    system = ch.load("rolling-disc")
    f, g = ch.rhs(system), ch.rhs(system)
    y = f.initial + 0.01
    first = f(0.0, y)
    huge = y.copy()
    huge[2] = 1e12
    f(0.0, huge)
    f(0.0, states(system, 3))
    np.testing.assert_array_equal(f(0.0, y), first)
    np.testing.assert_array_equal(g(0.0, y), first)


def test_where_nothing_is_determined_the_answer_is_nan() -> None:
    f = ch.rhs(ch.load("particle-on-cone"))
    found = f(0.0, np.zeros(6))
    assert np.isnan(found[3:]).all()


SPRING = {"coordinates": ["x"], "lagrangian": "m*x'^2/2 - k*x^2/2", "forces": {"x": "u"}}


def test_inputs_are_arguments_and_leave_no_trace() -> None:
    system = ch.System(**SPRING, parameters={"m": 2, "k": 3, "u": 0}, initial={"x": 1, "x_dot": 0})
    f = ch.rhs(system, inputs=["u"])
    assert f(0.0, [1.0, 0.0], [5.0])[1] == 1.0
    assert f(0.0, [1.0, 0.0])[1] == -1.5
    np.testing.assert_array_equal(f(0.0, [[1.0, 1.0], [0.0, 0.0]], [[5.0, 7.0]])[1], [1.0, 2.0])
    with pytest.raises(ch.ModelError, match="the inputs have the shape"):
        f(0.0, [1.0, 0.0], [1.0, 2.0])
    followed = ch.System(**SPRING, parameters={"m": 2, "k": "3*m", "u": 0}, initial={"x": 1, "x_dot": 0})
    assert ch.rhs(followed, inputs=["m"])(0.0, [1.0, 0.0], [4.0])[1] == -3.0
    assert ch.rhs(followed, parameters={"m": 4})(0.0, [1.0, 0.0])[1] == -3.0


def test_threads_do_not_disturb_each_other() -> None:
    system = ch.load("snakeboard")
    f = ch.rhs(system)
    columns = list((0.3 * states(system, 64)).T)
    alone = [f(0.0, y) for y in columns]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            together = list(pool.map(lambda y: f(0.0, y), columns))
            np.testing.assert_array_equal(together, alone)


def test_it_survives_pickling_and_says_what_is_wrong() -> None:
    f = ch.rhs(ch.load("knife-edge"))
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(0.0, f.initial), f(0.0, f.initial))
    with pytest.raises(ch.ModelError, match=r"the state has the shape \(3,\)"):
        f(0.0, [1, 2, 3])
    with pytest.raises(ch.ModelError, match="an array of numbers"):
        f(0.0, ["a"] * 6)
    with pytest.raises(ch.ModelError, match="did you mean 'alpha'"):
        ch.rhs(ch.load("knife-edge"), inputs=["alpa"])
    with pytest.raises(ch.ModelError, match=r"ch\.load"):
        ch.rhs("knife-edge")  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError, match="the time is 'now'"):
        f("now", f.initial)
    with pytest.raises(ch.ModelError, match="none are named"):
        f(0.0, f.initial, [1.0])
    np.testing.assert_array_equal(f(0.0, f.initial, []), f(0.0, f.initial))
    with pytest.raises(ch.ModelError, match="q is"):
        ch.field(ch.load("knife-edge"))(0.0, ["a", "b", "c"], [0, 0, 0])
    with pytest.raises(ch.ModelError, match="do not fit together"):
        ch.field(ch.load("knife-edge"))(np.zeros(2), np.zeros((3, 3)), np.zeros(3))
