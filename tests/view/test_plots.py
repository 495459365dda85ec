"""Plots: axes in, axes out, finite data; plotly figures of the same."""

import json

import matplotlib
import numpy as np
import pytest

import chetaev as ch
from chetaev.expr.print import name_latex
from chetaev.view import figures, plots
from portions import some
from view.motions import motion, system

matplotlib.use("agg")
MODELS = ["rolling-disc", "leibniz-particle", "pendulum-cartesian", "double-pendulum", "suslov",
          "relativistic-particle", "acceleration-constraint", "perpendicular-velocities"]  # fmt: skip
FUNCTIONS = [plots.coordinates, plots.velocities, plots.multipliers, plots.reactions, plots.energy,
             plots.energy_drift, plots.residuals, plots.laws, plots.phase_portrait]  # fmt: skip


@pytest.fixture(autouse=True)
def close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.few(1, 2)
@pytest.mark.parametrize("name", some(MODELS, 8))
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_axes_in_axes_out(name, function):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    assert function(motion(name), system(name), ax=ax) is ax
    assert function(motion(name)) is not ax, "without axes it makes its own"
    for line in ax.lines:
        assert np.isfinite(line.get_xydata()).all()
    figure.canvas.draw()


@pytest.mark.slow
def test_paths():
    assert len(plots.path(motion("perpendicular-velocities")).get_legend_handles_labels()[1]) == 2
    ax = plots.path_in_space(motion("leibniz-particle"))
    ax.figure.canvas.draw()
    with pytest.raises(ch.ModelError, match="draw 'phase'"):
        plots.path(motion("double-pendulum"))
    with pytest.raises(ch.ModelError, match="draw 'path'"):
        plots.path_in_space(motion("rolling-disc"))


def test_a_flat_box_has_one_number_on_its_short_side():
    run = motion("leibniz-particle")
    ax = plots.path_in_space(run.assign(z=1e-4 * run["z"]), system("leibniz-particle"))
    assert [len(axis.get_ticklabels()) > 1 for axis in (ax.xaxis, ax.zaxis)] == [True, False]


def test_phase_portrait_of_a_named_coordinate():
    ax = plots.phase_portrait(motion("rolling-disc"), coordinate="theta")
    assert ax.get_xlabel() == r"$\theta$"
    with pytest.raises(ch.ModelError, match="did you mean 'theta'"):
        plots.phase_portrait(motion("rolling-disc"), coordinate="teta")


def test_logarithmic_plots_have_a_floor():
    ax = plots.residuals(motion("rolling-disc"))
    assert ax.get_yscale() == "log"
    assert min(line.get_ydata().min() for line in ax.lines) >= 1e-17


@pytest.mark.slow
def test_laws_drift():
    model = system("knife-edge")
    run = ch.simulate(model, at=31, laws={"spin": "phi'", "nothing": "x"})
    ax = plots.laws(run, model)
    assert len(ax.lines) == 2
    assert ax.lines[0].get_ydata().max() < 1e-9 < ax.lines[1].get_ydata().max()
    assert "laws" in figures(run, model)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(MODELS, 3))
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures(name, theme):
    found = figures(motion(name), system(name), theme=theme)
    assert {"coordinates", "velocities", "energy", "energy_drift", "phase"} <= set(found)
    assert ("path" in found or "space" in found) == (name not in ("double-pendulum", "suslov"))
    for figure in found.values():
        assert figure.layout.title.text
        assert "NaN" not in figure.to_json()
        fragment = figure.to_html(full_html=False, include_plotlyjs=False, include_mathjax=False)
        assert "<script src" not in fragment


def test_an_unknown_theme():
    with pytest.raises(ch.ModelError, match="'light' or 'dark'"):
        figures(motion("suslov"), theme="sepia")


@pytest.mark.slow
def test_an_ensemble_has_a_panel_for_each_coordinate(tmp_path):
    disc = ch.load("rolling-disc")
    runs = ch.ensemble(disc, {"theta": [0.1, 0.3]}, until=1.0, keep=["final", "series"], at=5)
    figure = ch.plot(runs)
    labels = [f"${name_latex(c)}$" for c in disc.coordinates]
    assert [ax.get_ylabel() for ax in figure.axes][: len(labels)] == labels
    assert all(len(ax.get_lines()) == 2 for ax in figure.axes[: len(disc.coordinates)])
    figure = ch.plot(runs.drop_vars("series"))
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == (r"initial $\theta$", "final $x$")
    rows = ch.save(runs, tmp_path / "runs.csv").read_text().splitlines()
    assert rows[0].startswith("run,theta,final_x,final_y")
    assert len(rows) == 3
    data = json.loads(ch.save(runs, tmp_path / "runs.json").read_text())
    assert data["variables"]["final"]["dimensions"] == ["run", "state"]
    with pytest.raises(ch.ModelError, match="has no format in which a data set can be kept"):
        ch.save(runs, tmp_path / "runs.gif")
    with pytest.raises(ch.ModelError, match="no first dimension in common"):
        ch.save(ch.lyapunov(disc, until=1.0, exponents=1), tmp_path / "exponents.csv")


def test_figures_without_plotly_are_a_sentence(monkeypatch):
    monkeypatch.setattr("chetaev.view.interactive.find_spec", lambda name: None)
    with pytest.raises(ch.ModelError, match=r"chetaev\[plotly\]"):
        figures(motion("knife-edge"))
