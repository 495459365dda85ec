"""The gallery's degenerate models run by Dirac's algorithm and move as is known by other means (SCOPE B7)."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from galleries import MODELS

AT = np.linspace(0.0, 4.0, 9)
DEGENERATE = sorted(name for name, model in MODELS.items() if model.degenerate)


def test_B7_the_degenerate_models_are_those_that_leave_accelerations_open() -> None:
    assert DEGENERATE == ["christ-lee", "pendulum-multiplier"]
    for name in DEGENERATE:
        assert ch.singular(MODELS[name]).left_open


@pytest.mark.slow
def test_B7_the_pendulum_with_a_multiplier_is_of_the_second_class_and_swings_as_the_constrained_one() -> None:
    model = MODELS["pendulum-multiplier"]
    found = ch.dirac(model)
    assert (found.outcome, found.degrees_of_freedom) == ("second class", 1)
    run = ch.simulate(model, until=4, at=AT, tolerance=1e-11)
    angle = ch.System(
        coordinates=["a"],
        lagrangian="m*l^2*a'^2/2 + m*g*l*cos(a)",
        parameters={"m": 1, "g": 9.81, "l": 1},
        initial={"a": float(np.pi / 3), "a_dot": 0},
    )
    swing = ch.simulate(angle, until=4, at=AT, tolerance=1e-11)
    np.testing.assert_allclose(run["x"], np.sin(swing["a"]), atol=1e-7)
    np.testing.assert_allclose(run["y"], -np.cos(swing["a"]), atol=1e-7)
    tension = 9.81 * np.cos(swing["a"]) + swing["a_dot"] ** 2
    np.testing.assert_allclose(run["s"], tension, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("gauge", [None, ["z = 0"], {"u_1": "cos(t)"}])
def test_B7_christ_and_lee_the_distance_does_not_depend_on_the_gauge(gauge: object) -> None:
    model = MODELS["christ-lee"]
    found = ch.dirac(model)
    assert (found.outcome, found.free, found.degrees_of_freedom) == ("gauge", ("u_1",), 1)
    start = {"z": 0, "y_dot": 0, "z_dot": int(isinstance(gauge, dict))} if gauge else None
    run = ch.simulate(model, until=4, at=AT, gauge=gauge, initial=start, tolerance=1e-11)
    rate = {type(None): 0.3 * AT, list: 0 * AT, dict: 1 - np.cos(AT)}[type(gauge)]
    np.testing.assert_allclose(run["x"], np.cos(2 * AT) * np.cos(rate), atol=1e-7)
    np.testing.assert_allclose(run["y"], np.cos(2 * AT) * np.sin(rate), atol=1e-7)


def test_B7_the_gauge_of_a_model_is_written_and_read_again() -> None:
    model = MODELS["christ-lee"]
    assert model.gauge == ("z = omega",)
    again = ch.loads(model.to_toml())
    assert again == model
    assert again.with_parameters(omega=1).gauge == model.gauge
    made = ch.System(coordinates=["x", "y"], lagrangian="x'^2/2", degenerate=True, gauge=["y = t"])
    assert made != ch.System(coordinates=["x", "y"], lagrangian="x'^2/2", degenerate=True)


@pytest.mark.parametrize(
    ("gauge", "words"),
    [
        ("y = 0", "a list of conditions"),
        ([1], "entry 1 of run.gauge"),
        (["w = 0"], "'w'"),
        (["y = "], "ends too early"),
    ],
)
def test_bad_gauges_of_a_model_are_told(gauge: object, words: str) -> None:
    def run() -> None:
        system = ch.System(coordinates=["x", "y"], lagrangian="x'^2/2", degenerate=True, gauge=gauge)
        ch.simulate(system, until=1, initial={"x": 0, "y": 0, "p_x": 1})

    with pytest.raises(ch.ModelError, match=words):
        run()
