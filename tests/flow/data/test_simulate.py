"""`ch.simulate` and what it gives back: data sets, files, honest ends (SCOPE K20 in numbers)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import chetaev as ch
from chetaev.flow.data.save import save
from chetaev.flow.run.events import Event
from formulas import formulas

DISC = ch.load("rolling-disc")


@pytest.fixture(scope="module")
def motion() -> xarray.Dataset:
    return ch.simulate(DISC, until=5.0, at=[0.0, 1.0, 2.5, 5.0], laws={"height": "R*cos(theta)"}, check=True)


def test_variables_dimensions_and_laws(motion: xarray.Dataset) -> None:
    assert list(motion.time.values) == [0.0, 1.0, 2.5, 5.0]
    for name in DISC.coordinates:
        assert {name, f"{name}_dot", f"{name}_ddot"} <= set(motion)
    assert motion.multiplier.dims == ("time", "constraint")
    assert list(motion.constraint.values) == formulas(["x' = R*cos(phi)*psi'", "y' = R*sin(phi)*psi'"])
    assert np.allclose(motion.height, 0.5 * np.cos(motion.theta), atol=1e-15)


def test_state_stays_on_the_constraint_and_keeps_energy(motion: xarray.Dataset) -> None:
    assert float(abs(motion.residual).max()) < 1e-14
    assert float(abs(motion.energy / motion.energy[0] - 1).max()) < 1e-8
    assert float(abs(motion.power).max()) < 1e-12
    assert motion.attrs["check_error"] < 1e-7


def test_multipliers_are_the_reaction_forces(motion: xarray.Dataset) -> None:
    """d/dt ∂L/∂v − ∂L/∂q = F + μ ∂f/∂v, from the exact path at a state of the number path."""
    law = ch.equations(DISC, "chetaev")
    for i in range(4):
        at = motion.isel(time=i)
        point = dict(DISC.parameter_values) | {"t": float(at.time)}
        for c in DISC.coordinates:
            point[(c, 0)], point[(c, 1)] = float(at[c]), float(at[f"{c}_dot"])
        a, mu = law.evaluate(point, 30)
        assert np.allclose([float(x) for x in mu], at.multiplier.values, rtol=1e-10, atol=1e-10)
        assert np.allclose(
            [float(x) for x in a], [float(at[f"{c}_ddot"]) for c in DISC.coordinates], atol=1e-10
        )


def test_provenance_runs_again(motion: xarray.Dataset) -> None:
    again = ch.loads(motion.attrs["model"])
    assert again == DISC
    assert json.loads(motion.attrs["parameters"])["R"] == 0.5
    assert {"chetaev", "numpy", "python"} <= set(json.loads(motion.attrs["versions"]))
    assert motion.attrs["tolerance"] == 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".nc", ".zarr", ".csv", ".json"])
def test_files_hold_the_motion(motion: xarray.Dataset, tmp_path: Path, suffix: str) -> None:
    path = save(motion, tmp_path / f"motion{suffix}")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    want = motion.theta.values
    if suffix == ".nc":
        with xarray.open_dataset(path, engine="h5netcdf") as read:
            assert np.array_equal(read.theta.values, want)
            assert read.attrs["model"] == motion.attrs["model"]
    elif suffix == ".zarr":
        with xarray.open_zarr(path) as read:
            assert np.array_equal(read.theta.values, want)
    elif suffix == ".csv":
        lines = path.read_text().splitlines()
        column = lines[0].split(",").index("theta")
        assert [float(line.split(",")[column]) for line in lines[1:]] == list(want)
    else:
        data = json.loads(path.read_text())
        assert data["variables"]["theta"] == list(want)
        assert data["attributes"]["parameters"]["m"] == 1.0


def test_nothing_is_left_behind_where_nothing_can_be_written(motion: xarray.Dataset, tmp_path: Path) -> None:
    with pytest.raises(ch.ModelError, match="cannot be written"):
        save(motion, tmp_path / "missing" / "motion.nc")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ch.ModelError, match="no known format"):
        save(motion, tmp_path / "motion.xls")


def test_full_disk_is_a_sentence_and_leaves_nothing(motion: xarray.Dataset, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    target = tmp_path / "motion.csv"
    original = Path.open

    def no_space(self: Path, *args: object, **kwargs: object) -> object:
        return original(full if self.suffix == ".csv" else self, *args, **kwargs)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", no_space)
        with pytest.raises(ch.ModelError, match="cannot be written"):
            save(motion, target)
    assert not list(tmp_path.iterdir())


def test_initial_data_are_laid_over_the_model() -> None:
    run = ch.simulate(DISC, until=0.1, initial={"theta": 0.1, "psi_dot": 6}, at=2)
    assert float(run.theta[0]) == 0.1
    assert float(run.x_dot[0]) == 3.0


def test_parameters_and_number_of_times() -> None:
    run = ch.simulate(DISC, until=1.0, parameters={"R": 2}, at=5)
    assert run.sizes["time"] == 5
    assert float(run.x_dot[0]) == 6.0


def test_backwards_returns_to_the_start() -> None:
    there = ch.simulate(DISC, until=3.0, at=[3.0], tolerance=1e-12).isel(time=0)
    values = {n: float(there[n]) for c in DISC.coordinates for n in (c, f"{c}_dot")}
    back = ch.simulate(DISC, until=0.0, at=[0.0], initial={**values, "t": 3.0}, tolerance=1e-12).isel(time=0)
    assert math.isclose(float(back.theta), 0.4, abs_tol=1e-9)


def test_Sw4_leibniz_passes_the_top_at_the_closed_form_time() -> None:
    leibniz = ch.load("leibniz-particle")
    run = ch.simulate(leibniz, events=[Event("z'", name="top")], tolerance=1e-12)
    (event,) = run.attrs["events"]
    speed, g = 3.0, leibniz.parameter_values["g"]
    assert math.isclose(event["time"], speed / g * math.atanh(2 / 3), rel_tol=1e-10)
    assert run.attrs["status"] == "done"


def test_terminal_event_ends_the_run_there() -> None:
    run = ch.simulate(ch.load("leibniz-particle"), events=[Event("z'", terminal=True)])
    assert run.attrs["status"] == "event"
    assert abs(float(run.z_dot[-1])) < 1e-8


def test_run_into_a_singularity_keeps_what_was_computed() -> None:
    """A particle on |v| = 1 with x' alone left at y' = 0 … the rank of ∂f/∂v drops where x = 0."""
    model = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["x*y' = 0"],
        initial={"x": 1, "x_dot": -1}, until=3,
    )  # fmt: skip
    run = ch.simulate(model)
    assert run.attrs["status"] not in ("done", "event")
    assert 0.9 < run.attrs["end_time"] <= 1.0 + 1e-6
    assert float(run.time[-1]) == run.attrs["end_time"]
    assert run.attrs["reason"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"until": math.nan}, "final time"),
        ({"until": "soon"}, "final time"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": "small"}, "tolerance"),
        ({"at": [1.0, 0.5]}, "out of order"),
        ({"at": [[1.0]]}, "times"),
        ({"at": 0}, "at least 1"),
        ({"method": "euler"}, "method"),
        ({"events": ["m - 1"]}, "cannot cross zero"),
        ({"events": ["x +"]}, "ends too early"),
        ({"laws": {"x": "y"}}, "is a variable already"),
        ({"initial": {"q": 1}}, "neither a coordinate nor a velocity"),
        ({"parameters": {"mass": 1}}, "no parameter"),
    ],
)
def test_bad_arguments_are_sentences(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ch.ModelError, match=message):
        ch.simulate(DISC, **arguments)  # type: ignore[arg-type]


def test_a_model_without_an_end_says_so() -> None:
    with pytest.raises(ch.ModelError, match="how long"):
        ch.simulate(ch.System(coordinates=["x"], lagrangian="x'^2/2", initial={"x_dot": 1}))


def test_coordinates_named_like_results_are_kept_apart() -> None:
    model = ch.System(
        coordinates=["energy", "x"], lagrangian="energy'^2/2 + x'^2/2", initial={"energy_dot": 1, "x_dot": 0}
    )
    run = ch.simulate(model, until=1.0, at=[1.0])
    assert math.isclose(float(run.energy[0]), 1.0, abs_tol=1e-12)
    assert math.isclose(float(run.energy_[0]), 0.5, abs_tol=1e-12)


def test_multipliers_and_residuals_bear_the_names_of_their_constraints() -> None:
    system = ch.System(
        coordinates=["x", "y", "z", "w"],
        lagrangian="(x'^2 + y'^2 + z'^2 + w'^2)/2 - 9.8*z - x*w",
        constraints={"velocity": ["y' = x*w'"], "position": ["z = x^2"]},
        initial={"x": 1, "x_dot": 1, "w_dot": 2},
    )
    run = ch.simulate(system, until=1.0, at=[0.0, 1.0])
    law = ch.equations(system, "chetaev")
    assert list(run.constraint.values) == formulas(["z = x^2", "y' = x*w'"])
    for i in range(2):
        at = run.isel(time=i)
        point: dict[object, float] = {"t": float(at.time)}
        for c in system.coordinates:
            point[(c, 0)], point[(c, 1)] = float(at[c]), float(at[f"{c}_dot"])
        _, mu = law.evaluate(point, 30)
        assert np.allclose([float(x) for x in mu], at.multiplier.values, atol=1e-9)


@pytest.mark.parametrize("start", [3.0, 3.3])
def test_dry_friction_that_holds_the_body_goes_on_at_rest(start: float) -> None:
    """x'' = −x − sign(x'): the body sticks where |x| ≤ 1; at start = 3 exactly on the border."""
    system = ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2 - x^2/2",
        forces={"x": "-sign(x')"},
        initial={"x": start, "x_dot": 0},
    )
    run = ch.simulate(system, until=20.0)
    assert run.attrs["status"] == "done"
    assert run.attrs["steps"] < 1000
    assert math.isclose(run["x"].values[-1], -1.0 if start == 3.0 else -0.7, abs_tol=1e-6)


def test_a_kink_that_is_crossed_does_not_end_the_run() -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - abs(x)", initial={"x": 1, "x_dot": 0})
    run = ch.simulate(system, until=20.0, tolerance=1e-12)
    assert run.attrs["status"] == "done"
    assert float(abs(run.energy - 1).max()) < 1e-10


def test_a_massless_direction_is_not_run_as_if_it_were_determined() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="m*(x'^2 + y'^2)/2 + z'^2/2",
        constraints=["x' = y'"],
        parameters={"m": 0},
        initial={"x_dot": 1, "z_dot": 1},
    )
    run = ch.simulate(system, until=2.0)
    assert run.attrs["status"] == "reduced matrix singular"
    assert run.attrs["end_time"] == 0.0


@pytest.mark.few(2)
@pytest.mark.parametrize("more", [{}, {"check": True}, {"precision": 20, "at": 2}])
def test_progress_goes_from_little_to_all(more: dict[str, Any]) -> None:
    told: list[float] = []
    ch.simulate(ch.load("knife-edge"), until=2.0, progress=told.append, **more)
    assert told
    assert told == sorted(told)
    assert told[0] >= 0
    assert told[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("wrong", ["rolling-disc", None, 3])
def test_what_is_no_system_is_refused(wrong: Any) -> None:
    for run in (ch.simulate, ch.sensitivities):
        with pytest.raises(ch.ModelError, match=f"{run.__name__} was given") as error:
            run(wrong, until=1.0)
        assert "ch.load" in str(error.value)


@pytest.mark.parametrize("wrong", ["a", ["a", "b"], [[0.0, 1.0], [2.0]], {"x": 1}])
def test_what_are_no_times_is_refused(wrong: Any) -> None:
    with pytest.raises(ch.ModelError, match="times"):
        ch.simulate(ch.load("knife-edge"), until=1.0, at=wrong)


@pytest.mark.slow
def test_coordinates_may_be_called_like_dimensions_and_results(tmp_path: Path) -> None:
    system = ch.System(
        coordinates=["time", "constraint", "energy_"],
        time="s",
        lagrangian="(time'^2 + constraint'^2 + energy_'^2)/2",
        constraints=["time' = energy_*constraint'"],
        initial={"energy_": 1, "constraint'": 1, "energy_'": 0},
        until=1,
    )
    motion = ch.simulate(system)
    assert motion["time"].dims == ("time_",)
    assert motion["multiplier"].dims == ("time_", "constraint_")
    assert motion["energy"].shape == motion["energy_"].shape
    for suffix in (".nc", ".csv", ".json"):
        save(motion, tmp_path / f"motion{suffix}")
    assert json.loads((tmp_path / "motion.json").read_text())["time"][-1] == 1.0
    from chetaev.commands.printed_motion import print_motion
    from chetaev.view import figures, scene

    print_motion(motion, system, every=False, laws=(), output=None)
    assert figures(motion, system)
    assert scene(system, motion)
