"""What is seen at many states, against the safe form, which shares the derivatives only."""

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.run.compiled_field import compile_field


def both(system, t, q, v, parameters=None):
    """Everything by elimination in a chart, and by the bordered system."""
    return [compile_field(system, form).observe(t, q, v, parameters) for form in ("null", "safe")]


@pytest.mark.parametrize(
    "name", ["rolling-disc", "leibniz-particle", "caratheodory-sleigh", "relativistic-particle", "snakeboard"]
)
def test_all_quantities_agree_with_the_safe_form_weak_charts_included(name):
    system = ch.load(name)
    state = system.state
    rng = np.random.default_rng(5)
    q = np.array(list(state.position.values())) + 0.3 * rng.normal(size=(200, len(system.coordinates)))
    v = np.array(list(state.velocity.values())) + 0.3 * rng.normal(size=q.shape)
    with np.errstate(all="ignore"):
        seen, safe = both(system, state.t + np.linspace(0, 1, 200), q, v)
    fine = np.all(np.isfinite(safe["accelerations"]), axis=1)
    assert fine.sum() > 100
    for key, expected in safe.items():
        size = 1 + np.max(np.abs(expected[fine]), initial=0.0)
        assert np.max(np.abs(seen[key][fine] - expected[fine]), initial=0.0) < 1e-8 * size, key


def test_parameters_may_differ_from_state_to_state():
    system = ch.load("rolling-disc")
    rng = np.random.default_rng(6)
    q, v = rng.normal(size=(20, 5)), rng.normal(size=(20, 5))
    masses = np.linspace(1.0, 3.0, 20)
    field = compile_field(system)
    together = field.observe(0.0, q, v, {"m": masses})
    for i in range(20):
        alone = field.observe(0.0, q[i], v[i], {"m": masses[i]})
        for key, value in together.items():
            assert value[i] == pytest.approx(alone[key], rel=1e-12, abs=1e-12), key


def test_angles_beyond_the_reach_of_the_fast_sines():
    system = ch.load("rolling-disc")
    turns = 2 * np.pi * np.array([0.0, 1e9])  # the second angle is beyond 1e9
    q = np.array([[0.1, 0.2, 0.3, 0.7, 0.4]] * 2)
    q[:, 3] += turns
    seen = compile_field(system).observe(0.0, q, np.ones((2, 5)))
    for value in seen.values():
        assert value[1] == pytest.approx(value[0], rel=1e-4)


def test_no_states_and_no_constraints():
    field = compile_field(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2"))
    nothing = field.observe(0.0, np.zeros((0, 1)), np.zeros((0, 1)))
    assert nothing["energy"].shape == (0,)
    one = field.observe(0.0, [2.0], [1.0])
    assert one["energy"] == pytest.approx(2.5)
    assert one["accelerations"] == pytest.approx([-2.0])
    assert one["power"] == 0.0
