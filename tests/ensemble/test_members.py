"""Members: grids, lists and draws, each member the same whatever is asked for beside it."""

from __future__ import annotations

import statistics

import numpy as np
import pandas
import pytest
import sympy

import chetaev as ch
from chetaev.ensemble.member_choices import members_of, normal, uniform
from chetaev.ensemble.member_starts import StartFinder

DISC = ch.load("rolling-disc")


def test_grids_are_all_combinations_each_value_rounded_once() -> None:
    found = members_of(DISC, {"theta": "0:1:11", "m": [1, 2]}, None, 0)
    rows = found.rows(0, found.count)
    assert found.shape == (11, 2)
    assert rows["theta"].tolist() == [k / 10 for k in range(11) for _ in range(2)]
    assert rows["m"].tolist() == [1.0, 2.0] * 11


def test_lists_and_grids_together_are_all_pairs() -> None:
    found = members_of(DISC, {"m": [1, 2]}, {"theta": [0.1, 0.2, 0.3], "psi'": [1, 2, 3]}, 0)
    rows = found.rows(1, 5)
    assert rows["m"].tolist() == [1, 1, 2, 2]
    assert rows["theta"].tolist() == [0.2, 0.3, 0.1, 0.2]
    assert rows["psi_dot"].tolist() == [2, 3, 1, 2]


def test_a_draw_belongs_to_its_member_and_its_name() -> None:
    whole = uniform(0, 1000, "theta", 7)
    pieces = np.concatenate([uniform(a, a + 100, "theta", 7) for a in range(0, 1000, 100)])
    assert np.array_equal(whole, pieces)
    assert not np.any(whole == uniform(0, 1000, "phi", 7))
    assert not np.any(whole == uniform(0, 1000, "theta", 8))
    assert abs(whole.mean() - 0.5) < 0.03
    assert 0 < whole.min() < whole.max() < 1


def test_normal_numbers_are_the_quantiles_of_the_normal_distribution() -> None:
    exact = [statistics.NormalDist().inv_cdf(float(x)) for x in uniform(3, 200, "p", 1, 2)]
    assert normal(3, 200, "p", 1, 2).tolist() == exact
    assert abs(np.var(normal(0, 10_000, "x", 3)) - 1) < 0.05


@pytest.mark.parametrize(
    ("over", "samples", "said"),
    [
        ({"theta": []}, None, "no values of 'theta'"),
        ({"theta": [1, float("nan")]}, None, "value 2 of 'theta' is nan"),
        ({"thet": [1]}, None, "does not have"),
        ({"theta": "0:1"}, None, "no grid"),
        ({"theta": "0:1:x"}, None, "no grid"),
        ({"theta": "uniform(0, 1)"}, None, "how many draws"),
        ({"theta": "uniform(0, y)"}, 3, "not a number"),
        ({"theta": "normal(0, -1)"}, 3, "negative deviation"),
        ({"theta": "uniform(2, 1)"}, 3, "larger end first"),
        ({"theta": [1], "theta ": [2]}, None, "twice"),
        ({"psi'": [1], "psi_dot": [2]}, None, "twice"),
        (None, {"x": [1, 2], "y": [1]}, "differ in length"),
        ({"theta": "0:1:50000", "phi": "0:1:50000", "psi": "0:1:50000"}, None, "125000000000000 members"),
        ({"theta": [1]}, 0, "number of samples"),
        (None, None, "nothing varies"),
        ({}, None, "nothing varies"),
        (None, {}, "nothing varies"),
        ({"theta": "0:1:1000000000000"}, None, "the number of values of 'theta' is 1000000000000"),
        ({"theta": [True]}, None, "the values of 'theta'"),
    ],
)
def test_what_is_wrong_is_said(over: object, samples: object, said: str) -> None:
    with pytest.raises(ch.ModelError, match=said):
        ch.ensemble(DISC, over, samples, until=1.0)  # type: ignore[arg-type]


def test_arrays_may_be_long_and_have_one_axis() -> None:
    found = members_of(DISC, None, {"theta": np.linspace(0, 1, 1_500_000)}, 0)
    assert found.count == 1_500_000
    table = pandas.DataFrame({"theta": [0.1, 0.2], "psi_dot": [1, 2]})
    assert members_of(DISC, None, table, 0).rows(0, 2)["psi_dot"].tolist() == [1, 2]
    assert members_of(DISC, {"theta": [sympy.Rational(1, 2)]}, None, 0).rows(0, 1)["theta"].tolist() == [0.5]
    with pytest.raises(ch.ModelError, match="the values of 'theta' are"):
        members_of(DISC, None, {"theta": np.zeros((2, 2))}, 0)


CASES = {
    "rolling-disc": ({"theta": "uniform(0, 1)", "psi_dot": "normal(3, 1)"}, {}),
    "disc-on-incline": ({"m": "uniform(1, 2)"}, {}),
    "snakeboard": ({"m": "uniform(1, 2)"}, {}),
    "knife-edge": ({"phi": "uniform(0, 6)"}, {}),
    "leibniz-particle": ({}, {}),
}


@pytest.mark.parametrize("name", CASES)
def test_initial_data_solved_together_have_the_bits_of_those_solved_alone(name: str) -> None:
    system = ch.load(name)
    over = CASES[name][0] or {f"{system.coordinates[-1]}": "uniform(0.1, 0.3)"}
    if system.parameters and not CASES[name][0]:
        over |= {next(iter(system.parameters)): "1,2"}
    found = members_of(system, over, 4, 1)
    rows = found.rows(0, found.count)
    together = StartFinder(system)
    alone = StartFinder(system)
    alone.affine = False
    one, other = together.find(rows, found.count), alone.find(rows, found.count)
    for part in "tqvp":
        assert np.array_equal(getattr(one, part), getattr(other, part), equal_nan=True), part
    assert one.failed == other.failed
