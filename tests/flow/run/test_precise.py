"""Motions beyond double precision, and the compiled integrators judged by them (K20, Sw1, Sw4)."""

from __future__ import annotations

import json

import mpmath
import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.flow.run.many_digit_motions import integrate_precise


@pytest.mark.slow
def test_Sw4_leibniz_to_thirty_digits() -> None:
    """z' = −v0 tanh(g t/v0 − artanh(z'(0)/v0)), past the top."""
    run = integrate_precise(ch.load("leibniz-particle"), 1, digits=40)
    with mpmath.workdps(45):
        exact = -3 * mpmath.tanh(mpmath.mpf("9.8") / 3 - mpmath.atanh(mpmath.mpf(2) / 3))
        assert abs(exact - run.states[-1][5]) < mpmath.mpf("1e-30")


@pytest.mark.slow
def test_Sw1_decelerated_particle_to_thirty_digits() -> None:
    """q = q(1) + 2 q'(1)(√t − 1)."""
    system = ch.load("decelerated-particle")
    run = integrate_precise(system, 2, digits=40)
    initial = system.initial
    assert initial is not None
    with mpmath.workdps(45):
        x, speed = (evaluate_mp([part["x"]], {"a": 1}, 45)[0] if "x" in part else 0
                    for part in (initial.position, initial.velocity))  # fmt: skip
        exact = x + 2 * speed * (mpmath.sqrt(2) - 1)
        assert abs(exact - run.states[-1][0]) < mpmath.mpf("1e-29")


@pytest.mark.slow
def test_more_digits_change_less() -> None:
    system = ch.load("pendulum-cartesian")
    low, high = (integrate_precise(system, 0.3, digits=d).states[-1] for d in (20, 35))
    assert max(abs(a - b) for a, b in zip(low, high, strict=True)) < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("name", ["knife-edge", "appell-hamel", "pendulum-moving-support"])
def test_the_compiled_integrator_is_right_to_its_tolerance(name: str) -> None:
    system = ch.load(name)
    end = system.state.t + 0.4
    precise = integrate_precise(system, end, digits=25).states[-1]
    run = ch.simulate(system, until=end, at=[end], tolerance=1e-12)
    names = [n for o in ("", "_dot") for n in (c + o for c in system.coordinates)]
    assert np.allclose([float(run[n][0]) for n in names], [float(x) for x in precise], rtol=1e-10, atol=1e-10)


def test_backwards_and_requested_times() -> None:
    system = ch.load("knife-edge").with_initial(t=1)
    run = integrate_precise(system, 0.5, at=[0.9, 0.5], digits=20)
    assert [float(t) for t in run.times] == [0.9, 0.5]


@pytest.mark.slow
def test_simulate_with_precision_keeps_all_digits_of_the_last_state() -> None:
    run = ch.simulate(ch.load("leibniz-particle"), until=0.5, at=[0.25, 0.5], precision=30)
    last = json.loads(run.attrs["final_state"])
    assert len(last["z_dot"]) > 28
    assert float(last["z_dot"]) == float(run.z_dot[-1])
    assert run.attrs["method"] == "extrapolation"
    assert float(abs(run.residual).max()) < 1e-14


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"precision": 5}, "digits"),
        ({"precision": 30, "events": ["z'"]}, "events"),
        ({"precision": 30, "method": "radau"}, "doubles"),
    ],
)
def test_what_precision_does_not_do_is_a_sentence(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ch.ModelError, match=message):
        ch.simulate(ch.load("leibniz-particle"), until=0.1, at=[0.1], **arguments)  # type: ignore[arg-type]


def test_a_motion_that_cannot_go_on_is_a_sentence() -> None:
    model = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["sqrt(1 - x)*y' = 0"],
        initial={"x": 0, "x_dot": 1}, until=3,
    )  # fmt: skip
    with pytest.raises(ch.ModelError, match="cannot be continued"):
        integrate_precise(model, 3, digits=16)
