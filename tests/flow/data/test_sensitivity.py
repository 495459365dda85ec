"""Variational equations against differences of runs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.flow.data.sensitivity import integrate_sensitivities
from chetaev.flow.run.compiled_field import CompiledField
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.many_digit_motions import integrate_precise

Start = Callable[[str], Any]


def on_constraint(field: CompiledField, t: float, y: np.ndarray, parameters: dict[str, float]) -> np.ndarray:
    """The nearest state on the constraints, by Newton."""
    n, y = y.size // 2, y.copy()
    held = len(field.model.position)
    for _ in range(6):
        matrix = field.matrices(t, y[:n], y[n:], parameters)[2]
        if held:
            y[:n] -= np.linalg.pinv(matrix[:held]) @ field.residuals(t, y[:n], y[n:], parameters)[-held:]
        matrix = field.matrices(t, y[:n], y[n:], parameters)[2]
        if len(matrix):
            y[n:] -= np.linalg.pinv(matrix) @ field.residuals(t, y[:n], y[n:], parameters)[: len(matrix)]
    return y


def difference(end: Callable[[float], np.ndarray], e: float = 2e-4) -> np.ndarray:
    """A central difference of fourth order."""
    return (8 * (end(e) - end(-e)) - (end(2 * e) - end(-2 * e))) / (12 * e)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "until"),
    [("rolling-disc", 1.0), ("leibniz-particle", 0.5), ("pendulum-cartesian", 1.5), ("double-pendulum", 1.0)],
)  # fmt: skip
def test_against_differences_of_runs(start: Start, name: str, until: float) -> None:
    field, t, q, v = start(name)
    n, y = q.size, np.concatenate([q, v])
    found = integrate_sensitivities(field, t, q, v, t + until, tolerance=1e-12)
    run = integrate(field, t, q, v, t + until, tolerance=1e-12)
    np.testing.assert_allclose(found.state[0], run.state[0], atol=1e-9)

    def end(state: np.ndarray, parameters: dict[str, float]) -> np.ndarray:
        state = on_constraint(field, t, state, parameters)
        return np.concatenate(
            integrate(field, t, state[:n], state[n:], t + until, tolerance=1e-13, parameters=parameters).state
        )

    generator = np.random.default_rng(1)
    for _ in range(2):
        direction = generator.normal(size=2 * n)
        tangent = difference(lambda e: on_constraint(field, t, y + e * direction, {}))  # noqa: B023
        wanted = difference(lambda e: end(y + e * tangent, {}))  # noqa: B023
        np.testing.assert_allclose(found.initial @ tangent, wanted, atol=1e-6 * (1 + np.max(np.abs(wanted))))
    for name_, value in zip(field.model.parameters, field.model.values(), strict=True):
        wanted = difference(lambda e: end(y, {name_: value + e}))  # noqa: B023
        np.testing.assert_allclose(found.parameters[name_], wanted, atol=1e-6 * (1 + np.max(np.abs(wanted))))


def test_variations_stay_tangent_to_the_constraint(start: Start) -> None:
    field, t, q, v = start("rolling-disc")
    found = integrate_sensitivities(field, t, q, v, 2.0, tolerance=1e-11)
    end_q, end_v = found.state
    by_q = np.zeros((2, 5))
    by_q[:, 3] = [0.5 * np.sin(end_q[3]) * end_v[2], -0.5 * np.cos(end_q[3]) * end_v[2]]
    by_v = field.matrices(2.0, end_q, end_v)[2]
    np.testing.assert_allclose(np.hstack([by_q, by_v]) @ found.initial, 0, atol=1e-7)


def test_what_cannot_be_done_is_said(start: Start, make: Callable[..., CompiledField]) -> None:
    field, t, q, _ = start("appell-hamel")
    with pytest.raises(ModelError, match="does not reach t = 20"):
        integrate_sensitivities(field, t, q, [3.0, 4.0, 5 * 0.2 / 0.3], 20.0)
    with pytest.raises(ModelError, match="smooth"):
        integrate_sensitivities(make("x", "x'^2/2 - abs(x)"), 0.0, [1.0], [0.0], 1.0)


def test_the_public_function_labels_what_it_finds() -> None:
    system = ch.load("rolling-disc")
    found = ch.sensitivities(system, until=1.0, initial={"theta": 0.5}, parameters={"m": 2}, tolerance=1e-11)
    assert found.by_initial.dims == ("final", "initial")
    assert list(found.parameter.values) == list(system.parameters)
    step = 1e-5
    ends = []
    for sign in (1, -1):
        moved = ch.simulate(
            system,
            until=1.0,
            at=[1.0],
            initial={"theta": 0.5 + sign * step},
            parameters={"m": 2},
            tolerance=1e-12,
        )
        ends.append([float(moved[str(name)][-1]) for name in found.final.values])
    difference = (np.array(ends[0]) - np.array(ends[1])) / (2 * step)
    assert found.by_initial.sel(initial="theta").values == pytest.approx(difference, rel=1e-6, abs=1e-6)


def test_a_system_without_parameters_and_wrong_arguments() -> None:
    free = ch.System(coordinates=["x"], lagrangian="x'^2/2")
    found = ch.sensitivities(free, until=2.0, initial={"x": 0, "x'": 1})
    assert found.by_parameter.shape == (2, 0)
    assert found.by_initial.values == pytest.approx(np.array([[1.0, 2.0], [0.0, 1.0]]))
    with pytest.raises(ch.ModelError, match="does not say how long"):
        ch.sensitivities(free, initial={"x": 0, "x'": 1})
    with pytest.raises(ch.ModelError, match="tolerance"):
        ch.sensitivities(free, until=1.0, initial={"x": 0, "x'": 1}, tolerance=-1)


PRECISE = [
    ("knife-edge", "phi'", 1.0),
    ("leibniz-particle", "y", 0.2),
    pytest.param("rolling-disc", "theta", 0.3, marks=pytest.mark.soak),
    pytest.param("rolling-disc", "psi'", 0.3, marks=pytest.mark.soak),
]


@pytest.mark.parametrize(("name", "key", "until"), PRECISE)
@pytest.mark.slow
def test_against_differences_of_runs_with_forty_digits(name: str, key: str, until: float) -> None:
    """The difference quotient of two mpmath runs is right to 20 digits; nothing but the model is shared."""
    system, digits, step = ch.load(name), 40, Fraction(1, 10**12)
    part = system.state.velocity if key.endswith("'") else system.state.position
    value = Fraction(part[key.rstrip("'")]).limit_denominator(1000)
    until += system.state.t
    first, last = [], []
    for moved in (value + step, value - step):
        one = system.with_initial({key: moved})
        run = integrate_precise(one, until, [one.state.t, until], digits)
        first.append(run.states[0])
        last.append(run.states[1])
    with mpmath.workdps(digits):
        change, expected = (
            np.array([float((a - b) / (2 * mpmath.mpf(1) / 10**12)) for a, b in zip(*pair, strict=True)])
            for pair in (first, last)
        )
    found = ch.sensitivities(system, until=until, initial={key: value}, tolerance=1e-12)
    moved_by = found.by_initial.values @ change
    assert np.max(np.abs(moved_by - expected)) < 1e-9 * (1 + np.max(np.abs(expected)))


@pytest.mark.parametrize("method", ["dop853", "radau", "auto"])
def test_a_stiff_spring_by_every_method_that_chooses_its_steps(method: str) -> None:
    """x'' = -k x - c x' with rates -1 and -1000, by matrix exponentials; ∂/∂k by their difference."""
    system = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", forces={"x": "-c*x'"},
        parameters={"k": 1000, "c": 1001}, initial={"x": 1, "x'": 0},
    )  # fmt: skip
    flow = [expm(np.array([[0.0, 1.0], [-k, -1001.0]])) for k in (1000, 1000.01, 999.99)]
    found = ch.sensitivities(system, until=1.0, method=method)
    assert found.attrs["method"] == method
    assert np.allclose(found.by_initial, flow[0], atol=1e-9)
    assert np.allclose(found.by_parameter.sel(parameter="k"), (flow[1] - flow[2])[:, 0] / 0.02, atol=1e-8)


def test_fixed_steps_have_no_sensitivities() -> None:
    spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x'": 0})
    with pytest.raises(ModelError, match="steps of one length"):
        ch.sensitivities(spring, until=1.0, method="gauss4")
    with pytest.raises(ModelError, match="unknown method 'foo'"):
        ch.sensitivities(spring, until=1.0, method="foo")


def test_degenerate_lagrangians_are_named_as_the_reason() -> None:
    with pytest.raises(ModelError, match="the Lagrangian is degenerate"):
        ch.sensitivities(ch.load("christ-lee"), until=1.0)
