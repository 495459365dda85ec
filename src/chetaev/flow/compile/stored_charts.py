"""Charts on disk: plain JSON, read as what anybody could have written.

>>> import numpy as np
>>> chart, pattern = PivotChart((0,), (1,), (1.0, 0.5)), np.array([[False, True]])
>>> read(write(chart, pattern), 1, 2)[0] == chart
True
>>> read(write(chart, pattern), 1, 1) is None  # there is no column 1
True
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from chetaev.flow.derive.chart import PivotChart

LARGEST = 1e200
"""Factors of columns lie between its inverse and this."""


def write(chart: PivotChart, pattern: Any) -> bytes:
    """The chart and the pattern of C, shape (m, n)."""
    parts = [chart.rows, chart.dependent, chart.scale, pattern.astype(int).ravel().tolist()]
    return json.dumps(parts).encode()


def read(data: bytes, m: int, n: int, rank: int | None = None) -> tuple[PivotChart, Any] | None:
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
