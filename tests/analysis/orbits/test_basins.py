"""Basins of attraction (SCOPE M3, M6): labels against motions of another integrator, and mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import chetaev as ch

WELL = ch.System(
    name="Two wells", coordinates=["x"], lagrangian="x'^2/2 - (x^2 - 1)^2/4", forces={"x": "-x'/4"}
)
GRID = {"x": "-2:2:7", "x'": "-1.5:1.5:5"}


@pytest.mark.slow
def test_labels_M6_are_those_of_motions_that_are_integrated_otherwise():
    found = ch.basins(WELL, GRID, until=80)
    assert [a["x"] for a in found.attractors] == [-1, 1]
    assert found.names == ("x", "x_dot")
    assert found.labels.shape == (7, 5)

    def rate(_, y):
        return [y[1], -y[0] * (y[0] ** 2 - 1) - y[1] / 4]

    for i, x in enumerate(found.x):
        for j, v in enumerate(found.y):
            end = solve_ivp(rate, (0, 80), [x, v], rtol=1e-9, atol=1e-9).y[0, -1]
            rests = abs(abs(end) - 1) < 0.02  # the middle of the grid stays on the hill
            assert found.labels[i, j] == ((end > 0) if rests else -1), (x, v)
    assert set(found.shares) == {-1, 0, 1}
    assert sum(found.shares.values()) == pytest.approx(1)


def test_angles_M6_are_compared_up_to_whole_turns_and_what_runs_on_is_near_none():
    """A pendulum with a constant torque: it rests, or goes round and round."""
    pendulum = ch.System(
        coordinates=["a"], lagrangian="a'^2/2 + cos(a)", forces={"a": "1/2 - a'/5"}, name="Pendulum"
    )
    found = ch.basins(pendulum, {"a": [0, 2 * np.pi, -12 * np.pi], "a_dot": [0, 9]}, until=300)
    assert found.labels.tolist() == [[0, -1]] * 3
    assert found.attractors[0]["a"] == pytest.approx(np.pi / 6)


def test_a_sleigh_M1_ends_with_its_mass_ahead_whatever_its_heading():
    """Attractors may name some values only: the heading at the end is another for every motion."""
    sleigh = ch.load("caratheodory-sleigh").with_initial({"phi": 0, "phi'": 0.1, "x'": 1})
    found = ch.basins(
        sleigh, {"x'": [-1, 1], "phi'": [0.2, -0.4]}, until=200, attractors=[{"phi'": 0}], within=1e-6
    )
    assert (found.labels == 0).all()


def test_motions_that_fail_have_a_label_of_their_own():
    falls = ch.System(coordinates=["x"], lagrangian="x'^2/2 + 1/x - x^3", forces={"x": "-x'"})
    found = ch.basins(falls, {"x": [1], "x'": [-8, 0]}, until=5, attractors=[{"x": 99}])
    assert -2 in found.labels


def test_what_is_said_M6_is_said_in_every_way():
    found = ch.basins(WELL, {"x": [-1.5, 1.5], "x'": [0]}, until=60)
    assert "x = 1" in str(found)
    assert "tested: 2 motions" in found.evidence
    assert found.to_json()["labels"] == [[0], [1]]
    assert found.to_xarray().basin.dims == ("x", "x_dot")
    assert "of the grid" in found._repr_html_()
    axes = ch.plot(found).axes[0]
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["x = -1", "x = 1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"over": {"x": [0, 1]}}, "two values that vary"),
        ({"attractors": [{"z": 1}]}, "neither a coordinate nor a velocity"),
        ({"attractors": [{"x": "x"}]}, "an attractor"),
        ({"attractors": []}, "no attractors"),
        ({"attractors": [{}]}, "empty"),
        ({"attractors": [{"x": 1}, {"x": 1}]}, "the same"),
        ({"within": -1}, "near"),
    ],
)
def test_mistakes_are_sentences(arguments, said):
    with pytest.raises(ch.ModelError, match=said):
        ch.basins(**({"system": WELL, "over": GRID, "until": 1} | arguments))


def test_a_system_that_keeps_its_energy_has_no_equilibrium_that_attracts():
    free = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2")
    with pytest.raises(ch.ModelError, match="attracts"):
        ch.basins(free, GRID, until=1)
