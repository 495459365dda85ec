"""The elimination of a whole matrix and the one that grows row by row, which share no step, find the same."""

from __future__ import annotations

import random

import pytest

from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon
from chetaev.expr.exact.linear.matrix import cleared, echelon, nullspace
from chetaev.geometry import Chart
from chetaev.geometry.chart.zeros import Zeros
from formulas import formulas

chart = Chart(["x", "y", "z"])
x, y, z = chart.coordinates
ENTRIES = [x, y, z, x * y - 1, chart("sin(x)"), chart("cos(x)"), chart("sqrt(1 + y^2)"), x / (1 + z**2)]


def functions(rng: random.Random, rows: int, columns: int) -> list[list[Element]]:
    some = [*ENTRIES, chart.field.one, -2 * chart.field.one]
    return [
        [rng.choice(some) if rng.random() < 0.6 else chart.field.zero for _ in range(columns)]
        for _ in range(rows)
    ]


def grown(rows: list[list[Element]], width: int, on: list[Element] | None = None) -> GrowingEchelon:
    found = GrowingEchelon(width, Zeros(chart, on or []))
    for row in rows:
        found.add(row)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_rank_span_and_kernel_are_the_same(seed: int) -> None:
    rng = random.Random(seed)
    rows = functions(rng, 2, 4)
    rows.append([a * x - b for a, b in zip(*rows, strict=True)])
    one, other = grown(rows, 4), echelon(rows)
    assert one.rank == other.rank
    for i in range(other.rank):
        assert one.contains([other.entry(i, j) for j in range(4)])
    for vector in one.kernel():
        for row in rows:
            assert sum((a * b for a, b in zip(row, vector, strict=True)), chart.field.zero).is_zero
    assert len(one.kernel()) == len(nullspace(rows))


def test_only_the_growing_one_knows_a_submanifold() -> None:
    rows = [[x, y], [y, x]]
    assert echelon(rows).rank == grown(rows, 2).rank == 2
    assert grown(rows, 2, [x - y]).rank == 1


def test_a_cleared_row_has_no_denominator_and_no_common_divisor() -> None:
    row = cleared([x / (1 + z**2), chart.field.zero, x * y, x * chart("sin(y)")])
    assert list(row) == formulas(["1", "0", "y*(z^2 + 1)", "sin(y)*(z^2 + 1)"])
