"""`ch.plot`, `ch.animate`, `ch.save`: the obvious thing for every result, and nothing is overwritten."""

from __future__ import annotations

import json
import sys
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
import xarray

import chetaev as ch
from chetaev.view import export, figures, scene
from chetaev.view.heading import arrows, heading
from chetaev.view.overview import PANELS
from view.motions import motion, system

matplotlib.use("agg")
VEHICLE = {
    "name": "cart",
    "coordinates": ["x", "y", "psi", "a1", "a2"],
    "lagrangian": "(x'^2 + y'^2) + psi'^2/20 + (a1'^2 + a2'^2)/200",
    "forces": {"a1": "0.3 + 0.2*cos(t)", "a2": "0.3"},
    "parameters": {"R": 0.1, "b": 0.2},
}
ROLL = "{0}*cos({1}) + {2}*sin({1}) {3} b*psi' = R*{4}'"


@pytest.fixture(autouse=True)
def close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def vehicle(along: str, across: str) -> ch.System:
    """A cart on two wheels whose heading ψ is counted from one axis or the other."""
    constraints = [
        f"{along}'*sin(psi) = {across}'*cos(psi)",
        ROLL.format(f"{along}'", "psi", f"{across}'", "+", "a1"),
        ROLL.format(f"{along}'", "psi", f"{across}'", "-", "a2"),
    ]
    start = dict.fromkeys(VEHICLE["coordinates"], 0) | {"a1_dot": 5, "a2_dot": 4}
    return ch.System(**VEHICLE, constraints=constraints, initial=start, until=3)


# --- plots --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_motion_is_drawn_by_its_most_telling_panels():
    titles = [ax.get_title() for ax in ch.plot(motion("rolling-disc")).axes]
    assert titles == ["path in the plane", "coordinates", "velocities", "energy drift", "multipliers"]
    assert [ax.get_title() for ax in ch.plot(motion("steered-car")).axes][1:] == ["coordinates", "velocities"]
    assert ch.plot(motion("leibniz-particle")).axes[0].get_title() == "path in space"


@pytest.mark.slow
def test_a_single_time_is_a_point_and_a_long_legend_stands_beside_the_curves():
    names = [f"q{i}" for i in range(1, 11)]
    kinetic = " + ".join(f"{n}'^2/2" for n in names)
    many = ch.System(coordinates=names, lagrangian=kinetic, initial={f"{n}_dot": 1 for n in names})
    once = ch.simulate(many, until=1, at=[0])
    ax = ch.plot(once, "coordinates").axes[0]
    assert {line.get_marker() for line in ax.lines} == {"o"}
    assert {curve.mode for curve in figures(once, many)["coordinates"].data} == {"markers"}
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


def test_what_came_before_a_singular_end_can_be_seen():
    falling = ch.System(coordinates=["x"], lagrangian="x'^2/2 + 1/x^2", initial={"x": 1, "x_dot": 0})
    motion = ch.simulate(falling, until=10)
    assert motion.attrs["status"] not in ("done", "event")
    ax = ch.plot(motion, "velocities").axes[0]
    before = motion["x_dot"].values[: -len(motion.time) // 50 or -1]
    assert ax.get_title().endswith("(the end is off the scale)")
    assert abs(ax.get_ylim()[0]) < 3 * abs(before).max() < 0.1 * abs(motion["x_dot"].values).max()
    assert "off the scale" in figures(motion, falling)["velocities"].layout.title.text
    assert "off the scale" not in ch.plot(motion, "coordinates").axes[0].get_title()


def test_units_and_names_say_what_is_an_angle():
    names = ["s", "position_across", "steering_angle"]
    kinetic = "s'^2 + position_across'^2 + steering_angle'^2"
    plain = ch.System(coordinates=names, lagrangian=kinetic, initial={f"{n}_dot": 1 for n in names})
    assert ch.plot(ch.simulate(plain, until=1), "path").axes[0].get_xlabel() == "$s$"
    turned = ch.System(
        coordinates=names, lagrangian=kinetic, initial={f"{n}_dot": 1 for n in names}, units={"s": "rad"}
    )
    with pytest.raises(ch.ModelError, match="draw 'phase'"):
        ch.plot(ch.simulate(turned, until=1), "path")


def test_a_motion_with_impacts_is_drawn_as_a_motion():
    titles = [ax.get_title() for ax in ch.plot(ch.load("bouncing-ball")).axes]
    assert titles[:3] == ["path in the plane", "coordinates", "velocities"]


def test_an_ensemble_says_that_its_colours_are_initial_values():
    spring = ch.System(coordinates=["theta"], lagrangian="theta'^2/2", initial={"theta": 0, "theta_dot": 1})
    found = ch.ensemble(spring, over={"theta": [0.0, 1.0]}, until=1, keep="series")
    assert [ax.get_ylabel() for ax in ch.plot(found).axes] == [r"$\theta$", r"initial $\theta$"]


@pytest.mark.slow
def test_numbers_of_sensitivities_do_not_overlap():
    figure = ch.plot(ch.sensitivities(vehicle("x", "y"), until=1))
    figure.canvas.draw()
    for ax in figure.axes:
        boxes = [text.get_window_extent() for text in ax.texts]
        assert not any(a.overlaps(b) for a, b in pairwise(boxes))


@pytest.mark.slow
def test_every_panel_can_be_asked_for():
    panels = [panel for panel in PANELS if panel != "space"]
    assert len(ch.plot(motion("rolling-disc"), *panels).axes) == len(panels)
    assert len(ch.plot(motion("leibniz-particle"), "space").axes) == 1


def test_variables_by_name_and_one_over_another():
    figure = ch.plot(motion("rolling-disc"), "theta_dot", ("x", "y"), "multiplier")
    over_time, plan, several = figure.axes
    assert over_time.get_ylabel() == r"$\dot{\theta}$"
    assert plan.get_aspect() == 1.0
    assert len(several.lines) == 2
    np.testing.assert_array_equal(plan.lines[0].get_ydata(), motion("rolling-disc").y)
    for wrong, said in (("tetha", "did you mean 'theta'"), (("x",), "two names"), (3, "two names")):
        with pytest.raises(ch.ModelError, match=said):
            ch.plot(motion("rolling-disc"), wrong)


@pytest.mark.slow
def test_systems_comparisons_sensitivities_and_other_data_sets_are_drawn(tmp_path):
    particle = ch.load("leibniz-particle")
    assert len(ch.plot(particle).axes) >= 4
    comparison = ch.compare(ch.load("nonholonomic-particle"), samples=4, prove=False)
    names = [label.get_text() for label in ch.plot(comparison).axes[0].get_yticklabels()]
    assert set(names) == {row.form for row in comparison.rows if row.difference is not None}
    assert len(ch.plot(ch.sensitivities(particle, until=0.1)).axes) == 2
    runs = xarray.Dataset(
        {"x": (("run", "time"), np.ones((3, 5))), "e": ("run", np.ones(3))}, {"time": np.arange(5.0)}
    )
    both = ch.plot(runs).axes
    assert [len(ax.lines) for ax in both] == [3, 1]
    for wrong in (3, "text", None, [1]):
        with pytest.raises(ch.ModelError, match=r"ch\.plot was given"):
            ch.plot(wrong)
    with pytest.raises(ch.ModelError, match="of a motion only"):
        ch.plot(comparison, "x")


# --- paths, headings, units ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("along", "across", "text"), [("x", "y", "psi"), ("y", "x", "pi/2 - psi")])
def test_the_heading_is_found_among_the_angles_whichever_axis_it_counts_from(along, across, text):
    cart = vehicle(along, across)
    run = ch.simulate(cart, at=61)
    found = heading(cart, run, ("x", "y"))
    assert found.text == text
    direction = np.column_stack([np.cos(found.values), np.sin(found.values)])
    velocity = np.column_stack([run.x_dot, run.y_dot])
    speed = np.linalg.norm(velocity, axis=1)
    np.testing.assert_allclose(np.abs(np.sum(direction * velocity, axis=1)), speed, atol=1e-8)
    figure = figures(run, cart)["path"]
    (drawn,) = [trace for trace in figure.data if trace.mode == "markers" and trace.marker.symbol == "arrow"]
    rows = arrows(np.column_stack([run.x, run.y]))
    angles = np.radians(90 - np.array(drawn.marker.angle))
    np.testing.assert_allclose(np.cos(angles), direction[rows, 0], atol=1e-4)
    assert any("quiver" in type(c).__name__.lower() for c in ch.plot(run, "path").axes[0].collections)
    bodies = ch.animate(run).bodies
    assert any(b.kind == "mesh" and "rotation" in b.tracks for b in bodies), (
        "a body that turns with its heading"
    )


def test_no_heading_where_no_angle_tells_and_none_for_a_ball():
    assert heading(system("rolling-ball"), motion("rolling-ball"), ("x", "y")) is None
    assert heading(system("leibniz-particle"), motion("leibniz-particle"), ("x", "y")) is None


@pytest.mark.slow
def test_a_planar_path_is_in_plan_and_wheels_are_no_third_dimension():
    found = figures(motion("differential-drive"))
    assert "space" not in found
    assert found["path"].layout.yaxis.scaleanchor == "x"
    flat = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints={"position": ["z = 2"]},
        initial={"x": 0, "y": 0, "z": 2, "x_dot": 1, "y_dot": 1, "z_dot": 0},
    )  # fmt: skip
    found = figures(ch.simulate(flat, until=1, at=11))
    assert "path" in found
    assert "space" not in found
    ax = ch.plot(motion("differential-drive"), "path").axes[0]
    ax.figure.canvas.draw()
    run = motion("differential-drive")
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert x0 < run.x.min()
    assert run.x.max() < x1
    assert y0 < run.y.min()
    assert run.y.max() < y1


@pytest.mark.slow
def test_curves_are_not_made_polygons():
    for name, figure in figures(motion("rolling-disc")).items():
        lines = [t for t in figure.data if t.type == "scatter" and "lines" in t.mode]
        assert all(t.line.simplify is False for t in lines), name


@pytest.mark.slow
def test_axes_carry_units_where_they_are_given():
    run = motion("rolling-disc").copy()
    for name, unit in (("x", "m"), ("y", "m"), ("theta", "rad"), ("time", "s")):
        run[name].attrs["units"] = unit
    ax = ch.plot(run, "path").axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$x$ [m]", "$y$ [m]")
    labels = ch.plot(run, "coordinates").axes[0].get_legend_handles_labels()[1]
    assert labels == ["$x$ [m]", "$y$ [m]", r"$\psi$", r"$\phi$", r"$\theta$ [rad]"]
    made = figures(run)
    assert made["path"].layout.xaxis.title.text == "x [m]"
    assert "θ [rad]" in {trace.name for trace in made["coordinates"].data}


def test_velocities_have_the_unit_over_that_of_time():
    free = ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2",
        units={"x": "m", "t": "s"},
        initial={"x": 0, "x_dot": 1},
    )
    run = ch.simulate(free, until=1.0)
    assert ch.plot(run, "x_dot").axes[0].get_ylabel() == r"$\dot{x}$ [m/s]"
    assert ch.plot(run, "coordinates").axes[0].get_xlabel() == "$t$ [s]"


# --- files --------------------------------------------------------------------------------------------

SIGNS = {
    ".png": b"\x89PNG", ".svg": b"<?xml", ".gif": b"GIF89a", ".html": b"<!DOCTYPE html>",
    ".nc": b"\x89HDF", ".csv": b"time,", ".json": b'{"time"',
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SIGNS)
def test_a_motion_is_saved_in_the_format_its_name_says(suffix, tmp_path):
    run = motion("nonholonomic-particle", at=5, until=0.2)
    assert ch.save(run, tmp_path / f"a{suffix}").read_bytes().startswith(SIGNS[suffix])


@pytest.mark.parametrize("suffix", [".csv", ".html"])
def test_what_chetaev_did_not_write_is_kept(suffix, tmp_path):
    run = motion("nonholonomic-particle", at=5, until=0.2)
    path = ch.save(run, tmp_path / f"a{suffix}")
    ch.save(run, path)  # it is our own
    path.write_text("mine")
    with pytest.raises(ch.ModelError, match="not as chetaev wrote it"):
        ch.save(run, path)
    assert path.read_text() == "mine"
    assert ch.save(run, path, force=True).read_bytes().startswith(SIGNS[suffix])


def test_a_film_is_made_by_the_program_of_the_extra_and_missed_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ch.ModelError, match=r"pip install 'chetaev\[video\]'"):
        ch.save(motion("leibniz-particle"), tmp_path / "a.mp4")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.setattr(export.shutil, "which", lambda name: None)
    show = ch.animate(
        motion("leibniz-particle").isel(time=slice(0, None, 100)), tmp_path / "a.mp4", size=(64, 64), fps=2
    )
    assert (tmp_path / "a.mp4").read_bytes()[4:8] == b"ftyp"
    assert show.title == "Leibniz particle"


@pytest.mark.slow
def test_other_results_are_saved_too(tmp_path):
    knife = ch.load("knife-edge")
    assert ch.loads(ch.save(knife, tmp_path / "k.toml").read_text()) == knife
    assert "aligned" in ch.save(ch.equations(knife), tmp_path / "k.tex").read_text()
    laws = ch.integrals(knife)
    assert len(json.loads(ch.save(laws, tmp_path / "laws.json").read_text())["laws"]) == len(laws) >= 2
    assert ch.save(laws, tmp_path / "laws.csv").read_text().startswith("quantity,expression,verdict")
    assert "<table>" in ch.save(ch.forms(knife), tmp_path / "forms.html").read_text()
    assert ch.save(ch.plot(motion("knife-edge"), "path"), tmp_path / "p.svg").exists()
    assert ch.save(ch.plot(motion("knife-edge"), "path").axes[0], tmp_path / "q.png").exists()
    assert ch.save(figures(motion("knife-edge"))["path"], tmp_path / "p.html").exists()
    assert ch.save(ch.animate(motion("knife-edge")), tmp_path / "s.html").exists()
    assert ch.save(ch.classify(knife), tmp_path / "c.json").exists()
    for result, name, said in (
        (laws, "a.png", r"expected a name that ends in \.csv, \.html, \.json"),
        (motion("knife-edge"), "a.txt", "no format in which a data set can be kept"),
        (3, "a.json", r"ch\.save was given 3"),
        (laws, 3, "the file is 3"),
    ):
        with pytest.raises(ch.ModelError, match=said):
            ch.save(result, name if name == 3 else tmp_path / name)


def test_animate_refuses_what_it_cannot_show(tmp_path):
    with pytest.raises(ch.ModelError, match="can hold no animation"):
        ch.animate(motion("knife-edge"), tmp_path / "a.csv")
    with pytest.raises(ch.ModelError, match="takes no 'fps'"):
        ch.animate(motion("knife-edge"), tmp_path / "a.png", fps=3)
    with pytest.raises(ch.ModelError, match="is said of a file"):
        ch.animate(motion("knife-edge"), fps=3)
    with pytest.raises(ch.ModelError, match="leave out until"):
        ch.animate(motion("knife-edge"), until=3)
    with pytest.raises(ch.ModelError, match=r"ch\.animate was given"):
        ch.animate("knife-edge")


def test_what_has_no_name_has_no_title():
    spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x_dot": 0})
    run = ch.simulate(spring, until=1, at=9)
    assert ch.plot(run).get_suptitle() == ""
    assert ch.plot(run.assign_attrs(title="Spring")).get_suptitle() == "Spring"
    assert ch.animate(run).title == "Motion"


def test_events_are_data_in_memory_and_after_reading(tmp_path):
    spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x_dot": 0})
    run = ch.simulate(spring, until=5, at=3, events=["x", "x - 9"])
    assert [round(e["time"], 6) for e in run.attrs["events"]] == [1.570796, 4.712389]
    assert [w["found"] for w in run.attrs["watched"]] == [2, 0]
    for suffix in (".nc", ".zarr"):
        again = ch.read(ch.save(run, tmp_path / f"a{suffix}"))
        assert again.identical(run)
        assert again.attrs["events"] == run.attrs["events"]
    run.to_netcdf(tmp_path / "own.nc", engine="h5netcdf")  # as people write it who know xarray
    assert ch.read(tmp_path / "own.nc").attrs["events"][1]["name"] == "x"
    plain = xarray.open_dataset(tmp_path / "own.nc", engine="h5netcdf")
    assert json.loads(plain.attrs["events"]) == run.attrs["events"]
    plain.close()
    for name, said in (("none.nc", "cannot be read"), ("a.csv", "no saved motion")):
        with pytest.raises(ch.ModelError, match=said):
            ch.read(tmp_path / name)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m, s: ch.plot("knife-edge"), r"write ch.load\('knife-edge'\)"),
        (lambda m, s: ch.animate(m.isel(time=0)), "a picture of a motion was asked of a data set over"),
        (lambda m, s: figures(None), "what ch.simulate gives"),
        (lambda m, s: PANELS["path"](3), "a picture of a motion was asked of 3"),
        (lambda m, s: scene(None, m), "the scene was given None"),
        (lambda m, s: scene(s, 3), "a picture of a motion was asked of 3"),
        (lambda m, s: scene(s, m, frames=1), "the number of frames is 1"),
        (lambda m, s: export.save_html(m, "a.html"), "a scene is <xarray"),
        (lambda m, s: export.save_png(scene(s, m), "a.png", time="x"), "the time is 'x'"),
        (lambda m, s: ch.animate(m, "a.png", time=99), "there is no frame at 99"),
        (lambda m, s: ch.animate(m, "a.png", time=-1), "there is no frame at -1"),
        (lambda m, s: export.save_gif(scene(s, m), "a.gif", most=0), "the most frames is 0"),
        (lambda m, s: export.save_gif(scene(s, m), "a.gif", fps=0), "fps is 0"),
        (lambda m, s: export.save_frames(scene(s, m), "a", count=0), "the number of frames is 0"),
        (lambda m, s: ch.follow(s, {"x": 0}, "g", {"g": (0, 1)}), "two numbers, such as over="),
        (lambda m, s: ch.save(ch.equations(s), "a.csv"), "the result Equations can be kept"),
    ],
)
def test_what_cannot_be_shown_is_told_in_a_sentence(call, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ch.ModelError, match=said):
        call(motion("knife-edge"), system("knife-edge"))
    assert not list(tmp_path.iterdir())
