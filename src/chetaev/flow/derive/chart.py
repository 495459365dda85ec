"""A chart is a choice of pivots of the constraint matrix C.

Every independent row gets a velocity that it determines; the other velocities are free. The choice keeps
the elimination sparse (Markowitz: few entries in the pivot's row and column) among pivots that are not small
against their row (threshold pivoting), columns scaled so that units do not matter. Which velocities are
dependent is no property of the system: where a pivot becomes weak along a motion, another chart takes over.
Of redundant rows a chart keeps as many as the rank of C on Q; which ones is no property of the system either,
and a pivot is also weak that is small against its column in the rows left out. Charts on disk are plain JSON,
read as what anybody could have written.

>>> import numpy as np
>>> choose(np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.2]])).dependent
(0, 1)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WEAK = 0.1
"""A pivot smaller than this against the largest entry of its row is weak: the chart should be left."""
STRONG = 0.4
"""A new chart takes pivots at least this large against their row."""
CERTAIN = 1e-7
"""A pivot below this part of the terms that cancel in it is looked at again, with more digits if need be."""
OFF = 1e-6
"""How far a state may be off Q, relative to its size, and redundant rows contradict each other for it."""
LOST = 1e-13
"""A row of which elimination leaves less depends on the others here."""
NOISE = 1e-8
"""What elimination leaves of a row below this part of its entries is taken for rounding error."""


@dataclass(frozen=True)
class PivotChart:
    """Pivots in the order of elimination."""

    # rows, dependent: row and column of each pivot
    rows: tuple[int, ...]
    dependent: tuple[int, ...]
    scale: tuple[float, ...]  # the factor of each column in comparisons of size

    @cached_property
    def name(self) -> str:
        """The same for equal charts."""
        return repr(self)

    @property
    def free(self) -> tuple[int, ...]:
        """The columns that are no pivots."""
        taken = set(self.dependent)
        return tuple(j for j in range(len(self.scale)) if j not in taken)

    def left_out(self, rows: int) -> tuple[int, ...]:
        """Of so many rows those that have no pivot."""
        taken = set(self.rows)
        return tuple(i for i in range(rows) if i not in taken)


HALF_ROOT = 0.7071067811865476
"""√2/2: between the mantissas of a power of two that is nearest below and nearest above."""


def column_scale(samples: Array) -> tuple[float, ...]:
    """A factor for each column that brings its largest entry over all samples (·, m, n) to about 1."""
    largest = np.max(np.abs(samples), axis=(0, 1), initial=0.0)
    largest = np.where(np.isfinite(largest) & (largest > 0), largest, 1.0)
    mantissas, exponents = np.frexp(largest)
    return tuple(np.ldexp(1.0, np.where(mantissas < HALF_ROOT, 1, 0) - exponents).tolist())


def choose(
    matrix: Array,
    pattern: NDArray[np.bool_] | None = None,
    scale: tuple[float, ...] | None = None,
    strong: float = STRONG,
    rank: int | None = None,
) -> PivotChart:
    """The chart for the constraint matrix C, shape (m, n), at one state: `rank` pivots, or one a row.

    `pattern` says which entries may be nonzero at other states, `scale` has the column factors; those of
    this matrix if left out. No pivot is smaller than `strong` against its row.
    """
    rows, columns = matrix.shape
    factors = scale if scale is not None else column_scale(matrix[None])
    values = matrix * np.array(factors)
    filled = (values != 0) if pattern is None else np.array(pattern)
    open_rows, open_columns = list(range(rows)), list(range(columns))
    sizes = np.max(np.abs(np.where(np.isfinite(values), values, 0.0)), axis=1, initial=0.0)
    redundant = rank is not None and rank < rows
    order: list[int] = []
    dependent: list[int] = []
    for _ in range(min(columns, rows if rank is None else rank)):
        row, column = _pivot(values, filled, open_rows, open_columns, strong, sizes, redundant)
        order.append(row)
        dependent.append(column)
        open_rows.remove(row)
        open_columns.remove(column)
        for other in open_rows:
            if filled[other, column]:
                if values[row, column] != 0:
                    values[other] -= values[row] * (values[other, column] / values[row, column])
                values[other, column] = 0.0
                filled[other] |= filled[row]
    return PivotChart(tuple(order), tuple(dependent), factors)


def _pivot(
    values: Array,
    filled: NDArray[np.bool_],
    rows: list[int],
    columns: list[int],
    strong: float,
    sizes: Array,
    redundant: bool,
) -> tuple[int, int]:
    part = np.abs(values[np.ix_(rows, columns)])
    part = np.where(np.isfinite(part), part, 0.0)
    mask = filled[np.ix_(rows, columns)]
    largest = part.max(axis=1, keepdims=True)
    allowed = mask & (part >= strong * largest) & (part > 0)
    if redundant:  # rows left out may not be the better ones, and those kept not rounding error
        part = np.where(largest > NOISE * sizes[rows][:, None], part, 0.0)
        allowed &= (part > 0) & (part >= strong * part.max(axis=0, keepdims=True))
    if not allowed.any():  # a row without entries: any free place; the monitors will report the lost rank
        i, j = np.unravel_index(int(np.argmax(part)), part.shape)
        return rows[int(i)], columns[int(j)]
    in_row = mask.sum(axis=1, keepdims=True) - 1
    in_column = mask.sum(axis=0, keepdims=True) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        weakness = np.where(largest > 0, 1 - part / largest, 1.0)
    cost = in_row * in_column + 0.01 * in_column + 0.001 * weakness
    i, j = np.unravel_index(int(np.argmin(np.where(allowed, cost, np.inf))), cost.shape)
    return rows[int(i)], columns[int(j)]


def strength(matrix: Array, chart: PivotChart) -> float:
    """`strengths` at one state."""
    return float(strengths(matrix[None], chart)[0])


def strengths(matrices: Array, chart: PivotChart) -> Array:
    """The weakest pivot of a chart against its row, at many states (N, m, n): 1 is best, 0 is lost.

    Against its column in the rows left out, too; and what elimination left of a row may not be noise.
    """
    values = matrices * np.array(chart.scale)
    left_out, columns = chart.left_out(values.shape[1]), list(range(values.shape[2]))
    sizes = _largest(values)
    weakest = np.ones(len(values))
    with np.errstate(all="ignore"):
        for k, (row, column) in enumerate(zip(chart.rows, chart.dependent, strict=True)):
            pivot, largest = np.abs(values[:, row, column]), _largest(values[:, row, columns])
            weakest = np.minimum(weakest, np.where(largest > LOST * sizes[:, row], pivot / largest, 0.0))
            others = _largest(values[:, left_out, column])
            weakest = np.minimum(weakest, np.where(others > 0, pivot / others, 1.0))
            columns.remove(column)
            for other in (*chart.rows[k + 1 :], *left_out):
                factor = values[:, other, column] / values[:, row, column]
                values[:, other] -= values[:, row] * np.where(factor == 0, 0.0, factor)[:, None]
    return np.where(weakest > 0, weakest, 0.0)


def _largest(rows: Array) -> Array:
    """The largest size along the last axis."""
    return np.asarray(np.abs(rows).max(axis=-1, initial=0.0))


LARGEST = 1e200
"""Factors of columns lie between its inverse and this."""


def write_chart(chart: PivotChart, pattern: Any) -> bytes:
    """The chart and the pattern of C, shape (m, n)."""
    parts = [chart.rows, chart.dependent, chart.scale, pattern.astype(int).ravel().tolist()]
    return json.dumps(parts).encode()


def read_chart(data: bytes, m: int, n: int, rank: int | None = None) -> tuple[PivotChart, Any] | None:
    """The chart and the pattern of C, or None if the data are not those of an m × n matrix of this rank."""
    pivots = m if rank is None else rank
    try:
        rows, dependent, scale, places = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        return None
    whole = all(_are(int, part) for part in (rows, dependent, places)) and _are(float, scale)
    if not whole or len(scale) != n or len(places) != m * n:
        return None
    for chosen, size in ((rows, m), (dependent, n)):
        if len(chosen) != pivots or len(set(chosen)) != pivots or not set(chosen) <= set(range(size)):
            return None
    if not set(places) <= {0, 1} or not all(1 / LARGEST < factor < LARGEST for factor in scale):
        return None
    return PivotChart(tuple(rows), tuple(dependent), tuple(scale)), np.array(places, bool).reshape(m, n)


def _are(kind: type, values: Any) -> bool:
    """Whether it is a list of integers, or of floating-point numbers."""
    return isinstance(values, list) and all(type(value) is kind for value in values)
