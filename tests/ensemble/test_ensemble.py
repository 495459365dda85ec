"""Ensembles: every member is the motion of `ch.simulate`, bit for bit, and failures stay alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray

import chetaev as ch
from chetaev.ensemble.one_member import shortened
from portions import some

DISC = ch.load("rolling-disc")
OVER = {"theta": "0.1:0.9:3", "psi_dot": [2, 8]}


def expect_member(found: xarray.Dataset, i: int, motion: xarray.Dataset, system: ch.System) -> None:
    for name in system.coordinates:
        for own in (name, f"{name}_dot"):
            assert np.array_equal(motion[own].values, found.series.sel(state=own)[i].values), own
            assert float(found.final.sel(state=own)[i]) == float(motion[own][-1])
    assert int(found.steps[i]) == motion.attrs["steps"]
    assert str(found.status[i].item()) == motion.attrs["status"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "over", "until"),
    [
        ("rolling-disc", OVER, 2.0),
        ("rolling-disc", {"phi": [0.3], "R": [0.5, 0.7], "m": [2]}, 1.0),
        ("pendulum-cartesian", {"g": [9, 10]}, 1.0),
        ("leibniz-particle", {}, 1.0),
    ],
)
def test_a_member_is_the_motion_of_simulate_bit_for_bit(
    name: str, over: dict[str, object], until: float
) -> None:
    system = ch.load(name)
    over = over or {f"{system.coordinates[0]}": "0.1:0.2:2"}
    found = ch.ensemble(system, over, until=until, keep=["final", "series"], at=5, lanes=8)
    for i in range(found.sizes["run"]):
        row = {key: float(found[key][i]) for key in over}
        parameters = {key: x for key, x in row.items() if key in system.parameters}
        initial = {key: x for key, x in row.items() if key not in parameters}
        motion = ch.simulate(system, until, 5, initial, parameters=parameters)
        expect_member(found, i, motion, system)


@pytest.mark.slow
def test_members_of_a_degenerate_system_are_motions_on_phase_space() -> None:
    pendulum = ch.System(
        coordinates=["x", "y", "l"],
        dynamics={"lagrangian": "(x'^2 + y'^2)/2 - k*y + l*(x^2 + y^2 - 1)", "degenerate": True},
        parameters={"k": 1},
    )
    start = {"x": 0.6, "y": -0.8, "p_y": 0}
    found = ch.ensemble(
        pendulum, {"k": [1, 2], "p_x": [0]}, until=1.0, initial=start, keep=["final", "series"], at=3
    )
    for i in range(2):
        motion = ch.simulate(pendulum, 1.0, 3, {**start, "p_x": 0}, parameters={"k": float(found.k[i])})
        for name in found.state.values.tolist():
            assert np.array_equal(motion[name].values, found.series.sel(state=name)[i].values), name
    free = ch.System(
        coordinates=["x", "y"],
        dynamics={"lagrangian": "(x' - y)^2/2 - k*x^2", "degenerate": True},
        parameters={"k": 0},
    )
    with pytest.raises(ch.ModelError, match="special ones, and 'k' varies"):
        ch.ensemble(free, {"k": [0, 1]}, until=1.0, initial={"x": 0, "y": 0}, gauge=["y = 0"])


def test_a_member_that_sticks_has_the_bits_of_simulate() -> None:
    """Dry friction holds the body; its velocity is 0, and not what a step has left of it."""
    block = ch.System(
        coordinates=["x"],
        lagrangian="(x'^2 - x^2)/2",
        forces={"x": "-mu*sign(x')"},
        parameters={"mu": 0.1},
        initial={"x": 1, "x'": 0},
    )
    found = ch.ensemble(block, {"mu": [0.34, 0.4, 0.45]}, until=5.0)
    for i in range(3):
        motion = ch.simulate(block, 5.0, parameters={"mu": float(found.mu[i])})
        ends = [float(motion[name][-1]) for name in ("x", "x_dot")]
        assert found.final[i].values.tolist() == ends
        assert ends[1] == 0


@pytest.mark.slow
def test_results_do_not_depend_on_threads_or_chunks(tmp_path: Path) -> None:
    keep = ["final", "initial", "laws", "events"]
    options = {"until": 1.0, "keep": keep, "events": ["theta - 0.5"]}
    one = ch.ensemble(DISC, OVER, threads=1, **options)
    three = ch.ensemble(DISC, OVER, threads=3, **options)
    stored = ch.ensemble(DISC, OVER, store=tmp_path / "a.zarr", chunk=4, **options)
    assert one.identical(three)
    assert one.identical(stored.load())
    assert one.identical(ch.read(tmp_path / "a.zarr"))
    assert one.identical(xarray.open_zarr(tmp_path / "a.zarr").load())


def test_what_is_kept_is_what_single_runs_say() -> None:
    found = ch.ensemble(
        DISC, OVER, until=2.0, keep=["extrema", "events", "sensitivities"], events=["theta - 0.5"]
    )
    assert set(found.data_vars) >= {"lowest", "highest", "event_time", "event_count", "by_initial"}
    i = 2
    initial = {"theta": float(found.theta[i]), "psi_dot": float(found.psi_dot[i])}
    motion = ch.simulate(DISC, 2.0, 20_001, initial, events=["theta - 0.5"])
    assert motion.attrs["events"][0]["time"] == float(found.event_time[i, 0])
    assert len(motion.attrs["events"]) == int(found.event_count[i, 0])
    for name in ("theta", "theta_dot", "x"):
        assert float(found.highest.sel(state=name)[i]) == pytest.approx(float(motion[name].max()), abs=1e-5)
        assert float(found.lowest.sel(state=name)[i]) == pytest.approx(float(motion[name].min()), abs=1e-5)
    single = ch.sensitivities(DISC, 2.0, initial)
    assert np.array_equal(found.by_initial[i].values, single.by_initial.values)
    assert np.array_equal(found.by_parameter[i].values, single.by_parameter.values)


FALLING = ch.System(
    coordinates=["x", "y"],
    lagrangian="(x'^2 + y'^2)/2 + k/x",
    constraints=["y' = x*x'"],
    parameters={"k": 1},
    initial={"x": 1, "y": 0, "x'": 0},
)
"""Falls into the singular point x = 0 unless it is pushed away fast enough."""


def test_members_that_hit_a_singular_point_leave_the_others_alone() -> None:
    found = ch.ensemble(FALLING, {"x_dot": [0, 2], "k": [1, 0]}, until=3.0, keep=["final", "series"], at=4)
    assert found.status.values.tolist() == ["collapsed", "done", "done", "done"]
    assert "x" in str(found.reason[0].item()) or found.reason[0].item()
    assert 0 < float(found.end_time[0]) < 3.0
    assert 0 < float(found.final.sel(state="x")[0]) < 0.01  # the last good state
    assert np.isfinite(found.series[0, 0]).all()
    assert np.isnan(found.series[0, 3]).all()
    assert np.isfinite(found.final[1:]).all()


def test_members_without_initial_state_say_why() -> None:
    pendulum = ch.load("pendulum-cartesian")
    name = pendulum.coordinates[0]
    good = float(pendulum.state.position[name])
    found = ch.ensemble(pendulum, {name: [good, 50.0]}, until=0.5)
    assert found.status.values.tolist() == ["done", "no initial state"]
    assert "misses the constraint" in str(found.reason[1].item()) or "constraint" in str(
        found.reason[1].item()
    )


def test_what_all_members_share_need_not_be_a_state() -> None:
    system = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - x", constraints=["y' = x*x'"], until=0.5
    )
    found = ch.ensemble(system, {"x_dot": [1, 2], "y": [0]}, initial={"x": 0.5}, keep=["initial", "final"])
    assert found.initial.sel(state="y_dot").values.tolist() == [0.5, 1.0]
    motion = ch.simulate(system, at=2, initial={"x": 0.5, "y": 0, "x_dot": 2})
    assert float(motion.y[-1]) == float(found.final.sel(state="y")[1])


def test_schemes_with_fixed_steps_run_and_say_what_they_lack() -> None:
    found = ch.ensemble(DISC, {"theta": [0.1, 0.2]}, until=0.5, method="gauss4", step=0.01)
    motion = ch.simulate(DISC, 0.5, 2, {"theta": 0.2}, method="gauss4", step=0.01)
    assert float(found.final.sel(state="theta")[1]) == float(motion.theta[-1])
    assert found.steps.values.tolist() == [50, 50]
    with pytest.raises(ch.ModelError, match="none is given"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.5, method="gauss4")
    with pytest.raises(ch.ModelError, match="chooses its steps itself"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.5, step=0.1)
    with pytest.raises(ch.ModelError, match="the step is"):
        ch.ensemble(DISC, {"theta": [0.1]}, until=0.5, method="gauss4", step=-1)


def test_velocities_at_an_energy_are_on_the_constraints() -> None:
    found = ch.ensemble(DISC, {"theta": "uniform(0, 1)"}, 4, until=0.5, energy=10.0, keep=["initial", "laws"])
    assert np.allclose(found.law_start.values, 10.0, rtol=1e-13)
    assert set(found.status.values.tolist()) == {"done"}
    assert len({float(x) for x in found.initial.sel(state="phi_dot")}) == 4
    again = ch.ensemble(DISC, {"theta": "uniform(0, 1)"}, 2, until=0.5, energy=10.0, keep=["initial"])
    assert np.array_equal(found.initial[:2].values, again.initial.values)
    low = ch.ensemble(DISC, {"theta": [0]}, until=0.5, energy=-5.0)
    assert "energy -5" in str(low.reason[0].item())


@pytest.mark.slow
def test_velocities_at_an_energy_are_uniform_in_the_metric_of_the_kinetic_energy() -> None:
    edge = ch.System(
        coordinates=["x", "y", "p"],
        lagrangian="(m*(x'^2 + y'^2) + I*p'^2)/2",
        constraints=["x'*sin(p) = y'*cos(p)"],
        parameters={"m": 3, "I": 0.05},
    )
    found = ch.ensemble(
        edge, {"x": [0], "y": [0], "p": "uniform(0, 6)"}, 240, until=0, energy=2.0, keep="initial"
    ).initial
    p, x, y, turn = (found.sel(state=name).values for name in ("p", "x_dot", "y_dot", "p_dot"))
    assert np.abs(x * np.sin(p) - y * np.cos(p)).max() < 1e-14
    place = np.arctan2(np.sqrt(0.05) * turn, np.sqrt(3) * (x * np.cos(p) + y * np.sin(p)))
    often, _ = np.histogram(place, 8, (-np.pi, np.pi))
    assert ((often - 30) ** 2 / 30).sum() < 24.3  # χ² with seven degrees of freedom, one in a thousand


def test_velocities_at_an_energy_come_near_to_where_it_ends() -> None:
    fast = ch.System(coordinates=["x", "y"], lagrangian="-sqrt(1 - x'^2 - y'^2)")
    found = ch.ensemble(fast, {"x": [0], "y": [0]}, 5, until=0.1, energy=30.0, keep=["initial", "laws"])
    assert np.allclose(found.law_start.values, 30.0, rtol=1e-10)


def test_names_of_results_and_of_time_are_kept_apart(tmp_path: Path) -> None:
    system = ch.System(
        coordinates=["final", "t"],
        time="tau",
        lagrangian="final'^2/2 + t'^2/2 - run*final^2 - tau*t",
        parameters={"run": 1},
        initial={"final": 1, "t": 0, "final'": 0, "t'": 1},
    )
    over = {"final": [1, 2], "run": [1, 2], "t": [3], "tau": [0, 0.5]}
    found = ch.ensemble(system, over, until=1.0, keep=["initial", "final"])
    assert found.initial.sel(state="final").values.tolist() == [1] * 4 + [2] * 4
    assert found.final_.values.tolist() == [1] * 4 + [2] * 4
    assert found.tau.values.tolist() == [0, 0.5] * 4
    motion = ch.simulate(system, 1.0, 2, {"final": 2, "t": 3, "tau": 0.5}, parameters={"run": 2})
    assert float(motion.t[-1]) == float(found.final.sel(state="t")[-1])
    stored = ch.ensemble(system, over, until=1.0, keep=["initial", "final"], store=tmp_path / "out.zarr")
    assert stored.load().identical(found)


WAVE = ch.System(
    coordinates=["x"],
    lagrangian="x'^2/2 - w^2*x^2/2",
    parameters={"w": 1, "T": "2/w"},
    initial={"x": 1, "x'": 0},
    until="T",
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"over": {"w": [1, 2]}}, "the final time depends on w"),
        ({"over": {"w": [1, 2]}, "until": 1, "parameters": {"w": 3}}, "'w' varies, and all members"),
        ({"over": {"x'": [1, 2]}, "until": 1, "initial": {"x_dot": 3}}, "'x_dot' varies, and all members"),
        (
            {"over": {"x": [1]}, "until": 1, "initial": {"velocity": {"x": 3}}, "energy": 2},
            "and x_dot is given too",
        ),
        ({"over": {"x": [1]}, "until": 1, "method": "lie-midpoint", "step": 0.1}, "needs a rotation"),
    ],
)
def test_what_contradicts_itself_is_said_before_a_store_is_begun(
    tmp_path: Path, asked: dict[str, object], said: str
) -> None:
    with pytest.raises(ch.ModelError, match=said):
        ch.ensemble(WAVE, store=tmp_path / "out.zarr", **asked)  # type: ignore[arg-type]
    assert not (tmp_path / "out.zarr").exists()


def test_one_member_with_a_state_is_enough() -> None:
    ring = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - y",
        constraints={"position": ["x^2 + y^2 = 1"]},
    )
    rows = {"x": [50, 0.6], "y": [0, 0.8]}
    found = ch.ensemble(ring, samples=rows, until=0.5, initial={"velocity": {"x": 0, "y": 0}})
    assert found.status.values.tolist() == ["no initial state", "done"]


def test_a_motion_whose_derivatives_overflow_keeps_its_end() -> None:
    steep = ch.System(coordinates=["x"], lagrangian="x'^2/2 + k*x^2/2", parameters={"k": 1})
    found = ch.ensemble(
        steep, {"k": [1, 1e5]}, until=2.5, initial={"x": 0, "x'": 0}, keep=["final", "sensitivities"]
    )
    assert found.status.values.tolist() == ["done", "no sensitivities"]
    assert found.final.values.tolist() == [[0, 0], [0, 0]]
    assert np.isfinite(found.by_initial[0]).all()
    assert np.isnan(found.by_initial[1]).all()


def test_too_much_for_memory_is_refused() -> None:
    with pytest.raises(ch.ModelError, match="gigabytes"):
        ch.ensemble(DISC, {"theta": "uniform(0, 1)"}, 10**9, until=1.0)


@pytest.mark.parametrize("name", some(ch.gallery(), 40, slow=8))
def test_members_of_every_gallery_model_are_motions_of_simulate(name: str) -> None:
    system = ch.load(name)
    if system.degenerate or system.gauge:  # on phase space, by Dirac's algorithm
        found, motion = ch.ensemble(system, samples=2), ch.simulate(system)
        for c in system.coordinates:
            assert found.final.sel(state=c).values.tolist() == [float(motion[c][-1])] * 2
        return
    over = dict.fromkeys(list(system.parameters)[:1], None)
    values = {key: [system.parameter_values[key], 1.01 * system.parameter_values[key]] for key in over}
    found = ch.ensemble(system, values, None if values else 2, keep=["final", "series"], at=3, lanes=4)
    for i in range(found.sizes["run"]):
        try:
            motion = ch.simulate(system, at=3, parameters={key: values[key][i] for key in values})
        except ch.ModelError as error:
            wrong = shortened(error.message)
        else:
            wrong = ""
        if wrong:
            assert str(found.reason[i].item()) == wrong
            continue
        assert str(found.status[i].item()) == motion.attrs["status"]
        for c in system.coordinates:
            assert float(found.final.sel(state=c)[i]) == float(motion[c][-1])
        assert int(found.steps[i]) == motion.attrs["steps"]


def test_a_member_that_ends_says_why_in_a_whole_sentence() -> None:
    """A cone of velocities at its apex: the reason is long, and that of the single motion."""
    cone = ch.System(
        coordinates=["x", "z"],
        lagrangian="(x'^2 + z'^2)/2 - k*z^2/2",
        constraints=["z'^2 = x'^2"],
        parameters={"k": 3},
        initial={"x'": 1, "z'": 1, "z": 0.2},
    )
    found = ch.ensemble(cone, {"k": [0, 3]}, until=2.0)
    assert found.status.values.tolist() == ["done", "constraint rank lost"]
    assert found.reason[1].item() == ch.simulate(cone, until=2.0).attrs["reason"]
    assert shortened("word " * 100).endswith("word …")


def test_accelerations_that_are_not_determined_at_the_start_do_not_fall() -> None:
    still = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + J*y'^2)/2",
        parameters={"J": 1},
        initial={"x'": 1, "y'": 0},
    )
    found = ch.ensemble(still, {"J": [0, 1]}, until=1.0)
    assert "where the run begins" in found.reason[0].item()
    assert "falls" not in found.reason[0].item()


def test_sensitivities_of_members_are_taken_by_the_scheme_that_is_asked_for() -> None:
    stiff = ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2 - k*x^2/2",
        forces={"x": "-1e5*x'"},
        parameters={"k": 1},
        initial={"x": 1, "x'": 0},
    )
    found = ch.ensemble(stiff, {"k": [1, 2]}, until=50, method="radau", keep=["final", "sensitivities"])
    single = ch.sensitivities(stiff, until=50, parameters={"k": 2}, method="radau")
    assert found.status.values.tolist() == ["done", "done"]
    np.testing.assert_array_equal(found.by_initial.values[1], single.by_initial.values)
    np.testing.assert_array_equal(found.by_parameter.values[1], single.by_parameter.values)
    with pytest.raises(ch.ModelError, match="has steps of one length"):
        ch.ensemble(stiff, {"k": [1, 2]}, until=1, method="gauss4", step=0.1, keep="sensitivities")
