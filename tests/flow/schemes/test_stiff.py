"""Stiff systems: Jacobians from the program, and the choice between an explicit and an implicit scheme."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.flow import schemes
from chetaev.flow.compile import loops
from chetaev.flow.schemes import radau

DAMPED = ch.System(
    coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": "-1000*x'"}, initial={"x": 1, "x_dot": 0}
)
RELAXING = ch.System(
    coordinates=["x"],
    lagrangian="x'^2/2 - x^2/2",
    forces={"x": "mu*(1 - x^2)*x'"},
    parameters={"mu": 300},
    initial={"x": 2, "x_dot": 0},
)
"""Van der Pol's oscillator: slow, then sudden."""
TRAILER = ch.System(
    coordinates=["x", "y", "phi", "psi"],
    parameters={"c": 5000, "k": 1},
    lagrangian="(x'^2 + y'^2)/2 + phi'^2/8 + psi'^2/20 - k*(1 - cos(phi - psi))/2",
    constraints=["x'*sin(phi) = y'*cos(phi)"],
    forces={"phi": "-c*(phi' - psi')", "psi": "c*(phi' - psi')", "x": "1/5 - x'/2", "y": "-y'/2"},
    initial={"x": 0, "y": 0, "phi": 0.2, "psi": 0.9, "x'": 1, "phi'": 0.1, "psi'": 0},
)
"""A skate that draws another body behind it through a stiff damper."""


def end_of(system: ch.System, until: float, **how: object) -> tuple[np.ndarray, dict[str, object]]:
    run = ch.simulate(system, until=until, at=[until], **how)  # type: ignore[arg-type]
    assert run.attrs["status"] == "done", run.attrs["reason"]
    return np.array([run[c].item() for c in system.coordinates]), dict(run.attrs)


def test_the_jacobian_is_that_of_the_field() -> None:
    """∂(v, a)/∂(q, v) of x'' = −sin x − x' |x|²: by hand, and from a tangent program."""

    def field(t: float, y: object, p: object, dy: object, aux: object) -> int:
        dy[0], dy[1] = y[1], -np.sin(y[0]) - y[1] * y[0] ** 2  # type: ignore[index]
        aux[0] = 1.0  # type: ignore[index]
        return 0

    def tangent(t: float, y: object, p: object, dy: object, aux: object) -> int:
        dq, dv = p[1], p[2]  # type: ignore[index]
        dy[0] = dv  # type: ignore[index]
        dy[1] = -np.cos(y[0]) * dq - 2 * y[0] * y[1] * dq - y[0] ** 2 * dv  # type: ignore[index]
        return 0

    kernels = loops.plain("radau")
    run = loops.blank(schemes.find("radau"), 2)
    run.rhs, run.tangent, run.p = field, tangent, np.zeros(4)  # type: ignore[assignment]
    run.n = run.free = run.watched = run.parameters = 1
    run.work = np.zeros(run.work_size)
    run.y[0], run.y[1], run.pivots[0] = 0.7, -0.4, 1.0
    field(0.0, run.y, run.p, run.k, run.aux)
    by_hand = [0.0, 1.0, -np.cos(0.7) + 2 * 0.7 * 0.4, -(0.7**2)]
    for exact, allowed in ((0, 1e-6), (1, 1e-16)):
        run.exact = exact
        assert kernels["differentiate"](run) == 0
        jacobian = [run.jacobian[i] for i in range(4)]
        np.testing.assert_allclose(jacobian, by_hand, rtol=allowed, atol=allowed)


def test_a_derivative_without_a_value_is_taken_by_differences() -> None:
    kernels = loops.plain("radau")
    run = loops.blank(schemes.find("radau"), 2)

    def field(t: float, y: object, p: object, dy: object, aux: object) -> int:
        dy[0], dy[1], aux[0] = y[1], -2 * y[0], 1.0  # type: ignore[index]
        return 0

    def broken(t: float, y: object, p: object, dy: object, aux: object) -> int:
        dy[0], dy[1] = float("nan"), 0.0  # type: ignore[index]
        return 0

    run.rhs, run.tangent, run.p = field, broken, np.zeros(3)  # type: ignore[assignment]
    run.n = run.free = run.watched = 1
    run.exact = 1
    run.work = np.zeros(run.work_size)
    run.y[0], run.pivots[0] = 1.0, 1.0
    field(0.0, run.y, run.p, run.k, run.aux)
    assert kernels["differentiate"](run) == 0
    assert [round(run.jacobian[i], 6) for i in range(4)] == [0.0, 1.0, -2.0, 0.0]


def test_exact_jacobians_save_evaluations_and_keep_the_result() -> None:
    """With a force that does nothing, but is a Python function, radau takes differences."""
    exact, figures = end_of(TRAILER, 5.0, method="radau", tolerance=1e-8)
    rough, others = end_of(TRAILER, 5.0, method="radau", tolerance=1e-8, forces={"x": lambda t, q, v: 0.0})
    np.testing.assert_allclose(exact, rough, atol=1e-6)
    assert figures["evaluations"] < 0.8 * others["evaluations"]  # type: ignore[operator]


def test_a_stiff_trailer_stays_on_its_constraint_between_the_steps() -> None:
    run = ch.simulate(TRAILER, until=5.0, at=97, method="radau", tolerance=1e-8)
    assert run.attrs["steps"] < 2000
    assert float(abs(run.residual).max()) < 1e-14
    fine, _ = end_of(TRAILER, 5.0, method="radau", tolerance=1e-11)
    np.testing.assert_allclose([run[c][-1].item() for c in TRAILER.coordinates], fine, atol=1e-6)


def test_friction_that_sticks_goes_on_with_radau() -> None:
    """Sliding modes are computed before each evaluation; the Jacobian is then by differences."""
    model = ch.load("stick-slip")
    exact, _ = end_of(model, 3.0, tolerance=1e-10)
    ours, _ = end_of(model, 3.0, method="radau", tolerance=1e-10)
    np.testing.assert_allclose(ours, exact, atol=1e-5)


SPRINGS = ch.System(
    coordinates=["x", "y", "phi", "psi", "chi"],
    parameters={"k": 1e6, "c": 2e3},
    lagrangian="(x'^2 + y'^2)/2 + phi'^2/8 + (psi'^2 + chi'^2)/20 - k*((phi - psi)^2 + (psi - chi)^2)/2",
    constraints=["x'*sin(phi) = y'*cos(phi)"],
    forces={
        "phi": "-c*(phi' - psi')", "psi": "c*(phi' - psi') - c*(psi' - chi')", "chi": "c*(psi' - chi')",
        "x": "1/5 - x'/2", "y": "-y'/2",
    },
    initial={"phi": 0.2, "psi": 0.201, "chi": 0.2, "x'": 1, "phi'": 0.3, "psi'": 0.3, "chi'": 0.3},
)  # fmt: skip
"""Two trailers behind a skate, on stiff springs with dampers."""
GRIPPING = ch.System(
    coordinates=["x", "y", "phi"],
    lagrangian="(x'^2 + y'^2)/2 + phi'^2/10 - x^2",
    constraints=["x'*sin(phi) = y'*cos(phi)"],
    forces={"x": "-tanh(10000*x')/2", "phi": "-tanh(10000*phi')/10"},
    initial={"x": 1, "phi": 0.3, "x'": 0.4, "phi'": 0.5},
)
"""Friction with a steep slope, that brings the skate to rest."""
ROBERTSON = ch.System(
    coordinates=["a", "b", "c"],
    dynamics={
        "velocities": {
            "a": "-0.04*a + 1e4*b*c", "b": "0.04*a - 1e4*b*c - 3e7*b^2", "c": "3e7*b^2",
        }
    },
    initial={"a": 1, "b": 0, "c": 0},
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "until"),
    [
        pytest.param(RELAXING, 500.0, marks=pytest.mark.slow, id="relaxing"),
        pytest.param(SPRINGS, 10.0, id="springs"),
        pytest.param(GRIPPING, 3.0, marks=pytest.mark.slow, id="gripping"),
        pytest.param(ROBERTSON, 1e4, marks=pytest.mark.slow, id="robertson"),
    ],
)
def test_radau_is_as_accurate_as_that_of_scipy_between_the_steps_too(system: ch.System, until: float) -> None:
    """The same tolerance: errors at 41 times and evaluations are at most some times those of SciPy's."""
    times = np.linspace(0.0, until, 41)
    f = ch.rhs(system)
    names = [name for name in f.names if system is not ROBERTSON or not name.endswith("_dot")]

    def field(t: float, y: np.ndarray) -> np.ndarray:
        if system is not ROBERTSON:
            return f(t, y)
        a, b, c = y
        return np.array([-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b * b, 3e7 * b * b])

    start = f.initial[: len(names)]
    exact, theirs = (
        solve_ivp(field, (0.0, until), start, "Radau", times, rtol=tolerance, atol=tolerance)
        for tolerance in (1e-12, 1e-8)
    )
    for method in ("radau", "auto"):
        run = ch.simulate(system, until=until, at=times.tolist(), method=method, tolerance=1e-8)
        ours = np.stack([run[name].values for name in names])
        assert run.attrs["evaluations"] < 1.5 * theirs.nfev
        assert np.max(np.abs(ours - exact.y)) < 5 * max(1e-8, np.max(np.abs(theirs.y - exact.y)))
        if system.velocity_constraints and system is not ROBERTSON:
            assert float(abs(run.residual).max()) < 1e-14


def test_iterations_begin_where_the_last_step_leads() -> None:
    """The polynomial of the last step, beyond its end; nothing is remembered over a restart."""
    kernels = loops.plain("radau")
    run = loops.blank(schemes.find("radau"), 2)
    run.work = np.zeros(run.work_size)
    run.h, run.first, last = 0.3, 1, 0.1
    z, kept = run.increments, run.last_increments
    nodes = (radau.C1, radau.C2, 1.0)

    def moved(s: float) -> float:
        return 2 * s - 3 * s**2 + 0.5 * s**3

    for s, c in enumerate(nodes):
        z[2 * s], kept[7] = moved(c * last), last
    kernels["remember"](run)
    kernels["guess_increments"](run)
    assert [z[i] for i in range(6)] == [0.0] * 6
    for s, c in enumerate(nodes):
        z[2 * s] = moved(c * last)
    run.first, kept[7] = 0, last
    kernels["remember"](run)
    kernels["guess_increments"](run)
    for s, c in enumerate(nodes):
        assert z[2 * s] == pytest.approx(moved(last + c * run.h) - moved(last), abs=1e-13)
        assert z[2 * s + 1] == 0.0


# --- the choice -------------------------------------------------------------------------------------------


def test_a_system_that_is_not_stiff_runs_as_by_default_bit_for_bit() -> None:
    disc = ch.load("rolling-disc")
    ours, default = (ch.simulate(disc, until=5.0, at=11, method=m) for m in ("auto", "dop853"))
    assert "schemes" not in ours.attrs
    for name in disc.coordinates:
        assert ours[name].values.tobytes() == default[name].values.tobytes()


def test_a_stiff_system_is_given_to_the_implicit_scheme() -> None:
    exact, _ = end_of(DAMPED, 100.0, method="radau", tolerance=1e-11)
    ours, figures = end_of(DAMPED, 100.0, method="auto")
    assert [change["method"] for change in figures["schemes"]] == ["radau"]  # type: ignore[attr-defined]
    assert figures["steps"] < 1000  # type: ignore[operator]
    np.testing.assert_allclose(ours, exact, atol=1e-8)


def test_where_stiffness_comes_and_goes_the_scheme_changes_with_it() -> None:
    exact, _ = end_of(RELAXING, 700.0, method="radau", tolerance=1e-11)
    first, figures = end_of(RELAXING, 700.0, method="auto", tolerance=1e-8)
    changes = [change["method"] for change in figures["schemes"]]  # type: ignore[attr-defined]
    assert changes[:3] == ["radau", "dop853", "radau"]
    np.testing.assert_allclose(first, exact, rtol=1e-4)
    again, same = end_of(RELAXING, 700.0, method="auto", tolerance=1e-8)
    assert again.tobytes() == first.tobytes()
    assert same["schemes"] == figures["schemes"]


def test_steep_friction_is_seen_at_coarse_tolerances_and_oscillations_are_not_taken_for_it() -> None:
    _, figures = end_of(GRIPPING, 3.0, method="auto", tolerance=1e-5)
    assert figures["steps"] < 200  # type: ignore[operator]
    swinging = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x'": 0})
    for tolerance in (1e-2, 1e-4, 1e-8):
        assert "schemes" not in end_of(swinging, 300.0, method="auto", tolerance=tolerance)[1]


def test_events_are_found_across_changes_of_the_scheme() -> None:
    run = ch.simulate(RELAXING, until=700.0, at=5, method="auto", tolerance=1e-9, events=["x"])
    sure = ch.simulate(RELAXING, until=700.0, at=5, method="radau", tolerance=1e-10, events=["x"])
    ours, theirs = ([e["time"] for e in made.attrs["events"]] for made in (run, sure))
    assert len(ours) == len(theirs) > 1
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_a_contact_needs_one_scheme() -> None:
    resting = ch.load("bouncing-ball")
    with pytest.raises(ModelError, match="a run with stops"):
        ch.simulate(resting, until=1.0, method="auto")
