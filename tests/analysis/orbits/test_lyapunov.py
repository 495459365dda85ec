"""Lyapunov spectra: the tangent flow in one program, sums, zeros where laws demand them, convergence (M6)."""

from __future__ import annotations

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.compile import loops
from chetaev.flow.run import tangent_flow
from chetaev.flow.run.tangent_flow import TangentFlow, orthonormal

LORENZ = ch.loads("""
name = "Lorenz"
coordinates = ["x", "y", "z"]
[dynamics.velocities]
x = "10*(y - x)"
y = "x*(28 - z) - y"
z = "x*y - 8/3*z"
[initial.position]
x = 1
y = 1
z = 20
""")


def state(system: ch.System) -> np.ndarray:
    at = system.state
    return np.array([x[c] for x in (at.position, at.velocity) for c in system.coordinates])


@pytest.mark.parametrize("name", ["rolling-disc", "central-force-constant-speed", "pendulum-cartesian"])
def test_one_program_for_all_directions_is_one_for_each_M6(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Directions together, one by one, and the sensitivities of a run, which are derived by other code."""
    system = ch.load(name)
    flow, y = TangentFlow(system, 1e-11, "a test"), state(ch.load(name))
    normals = flow.normals.at(0.0, y)
    rows, _ = orthonormal(np.random.default_rng(1).normal(size=(len(y) - len(normals), len(y))), normals)
    together = flow.moved(0.0, y, 0.7, rows)[1]
    monkeypatch.setattr(tangent_flow, "TOGETHER", 0)
    one_by_one = flow.moved(0.0, y, 0.7, rows)[1]
    np.testing.assert_allclose(together, one_by_one, atol=1e-9)
    by_initial = ch.sensitivities(system, until=0.7, tolerance=1e-11).by_initial.values
    np.testing.assert_allclose(together, rows @ by_initial.T, atol=1e-7)


def test_all_directions_cost_a_session_and_few_evaluations_M6(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: one session for the whole run, and little more steps than the run alone."""
    sessions = []
    make = TangentFlow.session

    def counted(self, *arguments):
        sessions.append(make(self, *arguments))
        return sessions[-1]

    monkeypatch.setattr(TangentFlow, "session", counted)
    disc = ch.load("rolling-disc")
    plain = ch.simulate(disc, until=50)
    ch.lyapunov(disc, until=50, exponents=4)
    (session,) = sessions
    assert session.together
    assert session.loop.directions == 0  # none is left to be computed by itself
    assert session.loop.evaluations < 2.5 * plain.attrs["evaluations"]


def test_strong_contraction_is_not_lost_beside_growth_M6() -> None:
    """Lorenz: the sum is the divergence −(10 + 1 + 8/3), at every time."""
    for asked in ({}, {"intervals": 10}):
        found = ch.lyapunov(LORENZ, until=60, **asked)
        np.testing.assert_allclose(found.running.values.sum(axis=1), -(10 + 1 + 8 / 3), atol=1e-6)
        assert abs(float(found.exponent[0]) - 0.9) < 0.15
        assert float(found.exponent[2]) < -14


def test_first_and_second_order_together_M6() -> None:
    """A spring with friction that drives x' = −2x + y: eigenvalues −1/4 ± i…, −2, and their sum −5/2."""
    system = ch.loads("""
coordinates = ["x", "y"]
[dynamics]
velocities.x = "y - 2*x"
accelerations.y = "-y - y'/2"
[initial.position]
x = 1
y = 1
[initial.velocity]
y = 0
""")
    found = ch.lyapunov(system, until=80)
    np.testing.assert_allclose(found.running.values.sum(axis=1), -2.5, atol=1e-7)
    np.testing.assert_allclose(found.exponent.values, [-0.25, -0.25, -2], atol=0.03)


def test_orthonormal_directions_are_made_in_machine_code_M6(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lorenz: directions grow apart within some steps, thousands of times; Python sees a few calls."""
    calls = []
    carry = TangentFlow._carry

    def counted(self, session, carried):
        calls.append(session)
        return carry(self, session, carried)

    monkeypatch.setattr(TangentFlow, "_carry", counted)
    found = ch.lyapunov(LORENZ, until=300)
    steps = int(calls[0].loop.steps)
    assert steps > 5000
    assert len(calls) < 60
    assert len(found.time) < 400  # rows are thinned out as the run goes on
    assert abs(float(found.exponent[1])) < 0.02


def test_the_loop_of_stretches_as_python_M6() -> None:
    """Gram and Schmidt's lengths are those of LAPACK's Q R, beside normals of which one depends on others."""
    plain = loops.plain()
    rng = np.random.default_rng(3)
    normals = rng.normal(size=(3, 7))
    normals[1] = 2 * normals[0]
    units = normals.ravel().copy()
    assert plain["orthonormal_normals"](7, 3, units, np.ones(7)) == 2
    rows = rng.normal(size=(4, 7))
    lines, sums = rows.ravel().copy(), np.ones(4)
    assert plain["straighten"](7, 4, lines, units, 2, np.ones(14), sums) == 0
    lengths = abs(np.diag(np.linalg.qr(np.vstack([normals[[0, 2]], rows]).T)[1]))[2:]
    np.testing.assert_allclose(sums, 1 + np.log(lengths), atol=1e-12)
    lines = lines.reshape(4, 7)
    np.testing.assert_allclose(lines @ lines.T, np.eye(4), atol=1e-14)
    np.testing.assert_allclose(lines @ normals.T, 0, atol=1e-13)
    assert (
        plain["straighten"](7, 2, np.zeros(14), units, 2, np.ones(14), np.zeros(2)) == 1
    )  # a direction is lost


def test_zeros_where_laws_demand_them_M6() -> None:
    """The disc is integrable up to cyclic coordinates: no direction grows exponentially."""
    found = ch.lyapunov(ch.load("rolling-disc"), until=400)
    assert found.sizes["index"] == 8
    assert float(abs(found.exponent).max()) < 0.06  # all tend to 0 as log(t)/t
    early = float(abs(found.running.sel(time=100, method="nearest")).max())
    assert early > float(abs(found.exponent).max())


def test_forced_friction_is_the_sum_M6() -> None:
    system = ch.System(
        coordinates=["x"], lagrangian="x'^2/2 + x^2/2 - x^4/4 + 3*x*cos(t)/10", forces={"x": "-x'/4"},
        initial={"x": 1, "x'": 0},
    )  # fmt: skip
    found = ch.lyapunov(system, until=200, intervals=20)
    np.testing.assert_allclose(found.running.values.sum(axis=1), -0.25, atol=1e-8)
    assert len(found.time) == 20
    np.testing.assert_allclose(found.time, np.linspace(10, 200, 20))
