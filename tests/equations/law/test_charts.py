"""Comparison over all branches of a constraint: where one chart ends, another begins."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms.reduced import derive
from chetaev.equations.law.setup import Setup
from chetaev.model.states.points import random_points


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constraint", "charts"),
    [
        ("x'*y' = 0", 2),
        ("max(x', y') = z'", 1),  # z' is given on both branches
        ("max(x', y') = z*z'", 2),
        ("(x' - y*z')*(y' - z*z' - 1) = 0", 2),
    ],
)
def test_K20_every_formulation_is_compared_on_every_branch(constraint: str, charts: int) -> None:
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2 - x*z", constraints=[constraint]
    )
    table = ch.compare(system, samples=12)
    assert table.agree
    assert {(r.form, r.points) for r in table.rows} == {(r.form, 12) for r in table.rows}
    rows = {r.form: r for r in table.rows}
    assert (rows["chetaev"].charts, rows["reduced"].charts) == (1, charts)
    assert table.to_json()["forms"]["reduced"]["charts"] == charts


def test_a_chart_is_chosen_around_a_point() -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["x'^2 + y'^2 = 1"])
    point = next(iter(random_points(system, 1)))
    for x, y, dependent in ((0, 1, 1), (1, 0, 0)):
        here = {**point, ("x", 1): type(point["t"])(x), ("y", 1): type(point["t"])(y)}
        assert Setup(system, chart=here).dependent == [dependent]
        assert derive(system, chart=here).unknowns == (f"{'xy'[1 - dependent]}''",)


HEISENBERG = {
    "coordinates": ["x", "y", "z"],
    "lagrangian": "m*(x'^2 + y'^2 + z'^2)/2",
    "constraints": ["z' = y*x'"],
    "parameters": {"m": 2},
}


def test_K13_a_chart_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(ch.ModelError, match="cannot be solved for y'"):
        ch.equations(ch.System(**HEISENBERG), "reduced", dependent=["y"])


def test_a_point_needs_no_parameters_and_misses_nothing_silently() -> None:
    system = ch.System(**HEISENBERG)
    law = ch.equations(system, "chetaev")
    point = {"t": 0, "x": 0, "y": 2, "z": 0, "x_dot": 1, "y_dot": 3, "z_dot": 2}
    a, mu = law.evaluate(point)
    assert [float(x) for x in (*a, *mu)] == pytest.approx([-1.2, 0, 0.6, 1.2])
    assert float(law.evaluate({**point, "m": 4})[1][0]) == pytest.approx(2.4)
    assert ch.singular(system, point).regular
    for ask in (law.evaluate, lambda p: ch.singular(system, p)):
        with pytest.raises(ch.ModelError, match=r"no value for .*y'"):
            ask({"t": 0, "x": 1})


def test_K13_a_power_of_a_constraint_is_named_where_nothing_can_be_compared() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["(x' - y*z')^2 = 0"],
    )
    with pytest.raises(ch.ModelError, match=r"∂f/∂v = 0 wherever it holds.*\n.*write the constraint as"):
        ch.compare(system, samples=2)
