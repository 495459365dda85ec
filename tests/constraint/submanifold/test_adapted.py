"""Charts of Q and fields on it by their definitions, and names that a chart does not have (K16, K17)."""

from __future__ import annotations

import random

import pytest

from chetaev.constraint import Constraint, canonical_fields, canonical_forms, chetaev_field
from chetaev.constraint.submanifold.adapted_chart import AdaptedChart
from chetaev.constraint.submanifold.canonical_distribution import position_field
from chetaev.errors import ModelError

CONSTRAINTS = [
    ["z' = y*x'"],
    ["x'^2 + y'^2 + z'^2 = 1 + t^2"],
    ["exp(x)*z' + y*x' = sin(t)", "w' = x*y' + z'^2"],
    ["z' + z'^3 = x*y'*x'"],
]


def constraint(texts):
    return Constraint.of(texts, ["x", "y", "z", "w"])


@pytest.mark.parametrize("texts", CONSTRAINTS)
def test_dependent_names_are_refused_in_every_chart(texts):
    Q = constraint(texts)
    for chart in Q.charts():
        for q in chart.dependent:
            for ask in (
                lambda q=q, chart=chart: chetaev_field(Q, {f"{q}'": 1}, chart),
                lambda q=q, chart=chart: chetaev_field(Q, {q: 1}, chart),
                lambda q=q, chart=chart: chetaev_field(Q, {(q, 1): 1}, chart),
                lambda q=q, chart=chart: chart.partial(f"{q}'", f"{q}'"),
                lambda q=q, chart=chart: chart.slope((q, 1)),
                lambda q=q, chart=chart: chart.derivation((q, 1)),
                lambda q=q, chart=chart: position_field(Q, q, chart),
            ):
                with pytest.raises(ModelError, match=r"dependent|a function of the other"):
                    ask()


def test_unknown_names_are_refused():
    Q = constraint(CONSTRAINTS[0])
    for name in ("u", "u'", "x''", ""):
        with pytest.raises(ModelError):
            chetaev_field(Q, {name: 1})
    with pytest.raises(ModelError, match="'u' is not a coordinate"):
        position_field(Q, "u")


@pytest.mark.parametrize(
    ("dependent", "sentence"),
    [
        ((5,), "5 is no coordinate"),
        ((0, 1), "2 dependent velocities are chosen for 1"),
        ((), "0 dependent velocities are chosen for 1"),
        (("u",), "'u'"),
        ((3,), "cannot be solved for w'"),
    ],
)
def test_a_chart_of_Q_needs_velocities_that_the_constraint_gives(dependent, sentence):
    with pytest.raises(ModelError, match=sentence):
        print(AdaptedChart(constraint(CONSTRAINTS[0]), dependent).B)


def test_a_chart_of_Q_by_names():
    Q = constraint(CONSTRAINTS[0])
    assert AdaptedChart(Q, ("x",)).B == AdaptedChart(Q, (0,)).B


@pytest.mark.few(2)
@pytest.mark.parametrize("texts", CONSTRAINTS)
def test_fields_K17_are_tangent_to_Q_and_annihilated_by_the_forms(texts):
    """Every chart: Z(f) = 0 and φ^a(Z) = 0 on Q, for all spanning fields and a random combination."""
    Q = constraint(texts)
    rng = random.Random(0)
    for chart in Q.charts():
        names = ["t", *chart.free, *(f"{q}'" for q in chart.free)]
        mixed = chetaev_field(Q, {n: f"{rng.randint(1, 9)} + x*t*y" for n in names}, chart)
        for Z in [*canonical_fields(Q, chart), mixed]:
            for f in Q.functions:
                assert Q.zeros(Z(f))
            for phi in canonical_forms(Q, chart):
                assert Q.zeros(phi(Z))


@pytest.mark.parametrize("factor", ["1", "2"])
def test_a_chart_of_all_of_q_is_taken_in_a_large_system_too(factor):
    """Of 14 coordinates with 7 constraints: velocities whose coefficients are numbers, however small."""
    rng = random.Random(3)
    names = [f"x{i}" for i in range(14)]
    rows = [
        f"{factor}*x{i}' = " + " + ".join(f"9*sin(x{rng.randrange(14)})*x{j}'" for j in range(7, 14))
        for i in range(7)
    ]
    Q = Constraint.of(rows, names)
    assert Q.charts()[0].dependent == tuple(names[:7])
    mixed = Constraint.of([rows[0] + " + x7'", *rows[1:]], names)  # no column of numbers beside them
    assert mixed.charts()[0].dependent == tuple(names[:7])
