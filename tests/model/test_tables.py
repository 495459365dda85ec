"""Tables of data: as functions of the model language, in every room, against closed forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.evaluate import evaluate, evaluate_mp
from chetaev.expr.graph.table import DataTable
from chetaev.expr.language.parser import parse
from exact_values import evaluate_exact
from portions import examples

NUMBERS = st.fractions(-5, 5, max_denominator=50)


@st.composite
def tables(draw: st.DrawFn) -> DataTable:
    knots = sorted(draw(st.sets(NUMBERS, min_size=2, max_size=9)))
    values = draw(st.lists(NUMBERS, min_size=len(knots), max_size=len(knots)))
    return DataTable("wind", tuple(knots), tuple(values), draw(st.sampled_from(("linear", "cubic"))))


@settings(max_examples=examples(15), deadline=None)
@given(tables(), st.fractions(-7, 7, max_denominator=997))
def test_all_ways_to_a_value_and_a_derivative_agree(table: DataTable, u: Fraction) -> None:
    x = graph.symbol("x")
    call = graph.table(table, x * x - graph.number(3))
    calculus, engine = Calculus(), Engine()
    slope = calculus.graphs(calculus.gradient(call, [x]))[0]
    (value,), (by_hand,) = evaluate_exact([call], {"x": u}), evaluate_exact([slope], {"x": u})
    assert value == table.exact(u * u - 3)
    assert by_hand == 2 * u * table.derivative().exact(u * u - 3)
    size = 1 + abs(float(value)) + abs(float(by_hand))
    assert abs(float(evaluate_mp([call], {"x": u}, 30)[0]) - float(value)) < 1e-12 * size
    if all(abs(float(u * u - 3 - k)) > 1e-9 for k in table.knots):
        assert abs(evaluate([call], {"x": np.array([float(u)])})[0][0] - float(value)) < 1e-9 * size
        found = engine.function([x], [engine(call), engine.gradient(call, [x])])(float(u))
        assert np.allclose(
            [float(f) for f in found], [float(value), float(by_hand)], atol=1e-8 * size, rtol=1e-7
        )


@settings(max_examples=examples(8), deadline=None)
@given(tables())
def test_a_table_goes_through_its_values_is_held_and_cubic_ones_are_smooth(table: DataTable) -> None:
    for knot, value in zip(table.knots, table.values, strict=True):
        assert table.exact(knot) == value
    assert table.exact(table.knots[0] - 1) == table.values[0]
    assert table.exact(table.knots[-1] + 9) == table.values[-1]
    tiny = Fraction(1, 10**9)
    for knot in table.knots[1:-1]:
        assert abs(table.exact(knot - tiny) - table.exact(knot)) < 1e-3
        if table.interpolation == "cubic":
            slope = table.derivative()
            assert abs(slope.exact(knot - tiny) - slope.exact(knot)) < 1  # bounded bends: no jump


def test_cubic_tables_are_exact_for_parabolas() -> None:
    knots = tuple(map(Fraction, (0, 1, 3, 4, 7)))
    table = DataTable("p", knots, tuple(k * k - 2 * k for k in knots), "cubic")
    for u in (Fraction(1, 3), Fraction(5, 2), Fraction(13, 2)):
        assert table.exact(u) == u * u - 2 * u


def pushed(kind: str, force: str = "wind(t)", **more) -> ch.System:
    return ch.System(
        coordinates=["x"],
        lagrangian="x'^2/2",
        forces={"x": force},
        data={"wind": ([0, 1, 3, 4], [0, 2, 18, 32], kind)},  # 2 t²
        initial={"x": 0, "x_dot": 0},
        **more,
    )


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_force_from_a_table_is_integrated_like_its_polynomial(method: str) -> None:
    run = ch.simulate(pushed("cubic"), at="0:4:0.25", method=method)
    t = run["time"].values
    assert np.allclose(run["x_dot"], 2 * t**3 / 3, atol=1e-8)
    assert np.allclose(run["x"], t**4 / 6, atol=1e-8)
    assert np.allclose(run["x_ddot"], 2 * t**2, atol=1e-12)


def test_a_linear_table_ends_steps_at_its_knots_and_is_held_behind_them() -> None:
    system = pushed("linear")
    run = ch.simulate(system, at="0:6:0.5", events=["wind(t) - 10"], laws={"w": "wind(t)"})
    t = run["time"].values
    assert np.allclose(run["w"], np.interp(t, [0, 1, 3, 4], [0, 2, 18, 32]))
    area = [0.0]
    for a, b in pairwise(t):  # trapezia
        area.append(area[-1] + (b - a) * np.mean(np.interp([a, b], [0, 1, 3, 4], [0, 2, 18, 32])))
    assert np.allclose(run["x_dot"], area, atol=1e-11)
    assert run.attrs["steps"] < 20
    assert [round(e["time"], 9) for e in run.attrs["events"]] == [2.0]


@pytest.mark.slow
def test_a_bead_on_a_road_of_data_keeps_its_energy_and_all_formulations_agree() -> None:
    bead = ch.System(
        coordinates=["x", "y"],
        lagrangian="m*(x'^2 + y'^2)/2 - m*g*y",
        constraints={"position": ["y = road(x)"]},
        parameters={"m": 2, "g": 9.8},
        data={"road": ([0, 1, 2, 3, 4], [0, 0.5, 0.2, 0.3, 0], "cubic")},
        initial={"x": 0.3, "x_dot": 3.8},
    )
    run = ch.simulate(bead, at="0:0.8:0.05", tolerance=1e-11)
    assert run.attrs["status"] == "done"
    assert run["x"].values[-1] > 3  # over three knots
    assert np.allclose(run["energy"], run["energy"][0], atol=1e-8)
    assert abs(run["residual"]).max() < 1e-12
    assert ch.compare(bead, samples=6).agree
    further = ch.simulate(bead, until=2)  # behind the last knot the road is level: a corner
    assert further.attrs["status"] == "kink in a constraint"
    assert abs(further["x"].values[-1] - 4) < 1e-6
    assert "road(x)" in further.attrs["reason"]
    # two tables of which one is the argument of the other, both in a velocity constraint
    steered = ch.System(
        coordinates=["x", "y", "th"],
        lagrangian="(x'^2 + y'^2 + th'^2)/2",
        constraints=["x'*sin(th) = y'*cos(th)", "th' = rate(gear(t) + x/9)"],
        data={"rate": ([0, 1, 2, 5], [1, -1, 0.5, 1], "cubic"), "gear": ([0, 2, 4], [0, 3, 1])},
        initial={"x_dot": 1},
    )
    assert ch.compare(steered, samples=6).agree
    run = ch.simulate(steered, at="0:5:0.5")
    assert run.attrs["status"] == "done"
    assert abs(run["residual"]).max() < 1e-12


def test_models_with_tables_are_written_and_read_back(tmp_path: Path) -> None:
    system = pushed("cubic", "wind(t) + wind_1(2*t)")
    assert ch.loads(system.to_toml()) == system
    assert parse(str(system.forces["x"]), system.scope) is system.forces["x"]
    (tmp_path / "wind.csv").write_text("# measured\nspeed; t\n0;0\n2;1\n18;3\n32;4\n", encoding="utf-8")
    model = tmp_path / "model.toml"
    model.write_text(
        'coordinates = ["x"]\n[data.wind]\nfile = "wind.csv"\ncolumns = ["t", "speed"]\n'
        'interpolation = "cubic"\n'
        '[dynamics]\nlagrangian = "x\'^2/2"\n[dynamics.forces]\nx = "wind(t) + wind_1(2*t)"\n'
        "[initial.position]\nx = 0\n[initial.velocity]\nx = 0\n",
        encoding="utf-8",
    )
    read = ch.load(model)
    assert read.tables == system.tables
    run = ch.simulate(read, at=[0, 1])
    (tmp_path / "wind.csv").unlink()
    assert ch.loads(run.attrs["model"]) == read  # the data set holds the data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (([0, 1], [1]), "2 knots and 1 value"),
        (([0], [1]), "1 row"),
        (([0, 2, 1], [1, 2, 3]), "do not ascend: in row 3 1 follows 2"),
        (([0, "a"], [1, 2]), "row 2 of 't' is 'a'"),
        (([0, 1], [1, float("nan")]), "nan is not a finite number"),
        (([0, 1], [1, 2], "quintic"), "interpolation of 'wind' is 'quintic'"),
        ({"t": [0, 1]}, "no 'values'"),
        ({"t": [0, 1], "value": [0, 1]}, "unknown key 'value'"),
        ({"file": "no.csv"}, "there is no file 'no.csv'"),
        ({"file": "no.csv", "t": [0]}, "a file and values of their own"),
        (3, "the data 'wind' are 3"),
        (lambda t: t, "a Python function"),
    ],
)
def test_bad_tables_are_told(data, said: str) -> None:
    with pytest.raises(ch.ModelError, match=said):
        ch.System(coordinates=["x"], lagrangian="x'^2/2", data={"wind": data})


@pytest.mark.parametrize(
    ("force", "said"),
    [
        ("wind", "without its argument"),
        ("wind(t, x)", "given 2 arguments"),
        ("wint(t)", "did you mean 'wind'"),
    ],
)
def test_bad_calls_are_told(force: str, said: str) -> None:
    with pytest.raises(ch.ModelError, match=said):
        pushed("linear", force)
