"""Accelerations where elimination in a chart is in doubt: pivoting first, then digits.

Laws are solved by `kernels.law` in machine code, which asks for no chart and allows M singular or indefinite.
Where its smallest pivot leaves less than half of the digits, `many_digits` decides with 50 of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chetaev.flow.compile import loops
from chetaev.flow.derive.chart import CERTAIN, OFF
from chetaev.flow.run.array_calls import Array, States

if TYPE_CHECKING:
    from chetaev.flow.compile.programs import Programs

EFFORT = 20_000_000
"""Operations with many digits, in all; beyond, doubles decide."""
HARDLY = 1e-11
"""Then, pivots below this count as lost."""


def settle(programs: Programs, states: States, laws: Array) -> Array:
    """Accelerations (N, n), nan where they are not determined; `laws` holds M, h, C row by row, c in rows."""
    model, count = programs.model, states.count
    n, m = model.size, model.rows
    found, smallest = np.full((count, n + 1), np.nan), np.zeros(count)
    finite: NDArray[np.bool_] = np.asarray(np.isfinite(laws).all(axis=1))
    work = np.empty(m + 5 * n + 5 * n * n)
    data = np.ascontiguousarray(np.where(finite[:, None], laws, 0.0))
    arrays = (data, work, found, smallest)
    loops.kernel("settle_many", programs.cache)(
        count, n, m, model.independent, *(x.ctypes.data for x in arrays)
    )  # fmt: skip
    a = found[:, :n]
    lost = ~finite | (smallest == 0.0)
    with np.errstate(invalid="ignore"):
        a[lost | ~(found[:, n] <= OFF)] = np.nan
    doubtful = np.flatnonzero(finite & (smallest < CERTAIN))
    if len(doubtful):
        _decide(programs, states, doubtful, a, smallest)
    return a


def _decide(programs: Programs, states: States, which: NDArray[np.intp], a: Array, smallest: Array) -> None:
    law = programs.exact
    able = max(1, EFFORT // max(1, law.effort))
    for i in which[:able]:
        t = states.t[0] if states.t.size == 1 else states.t[i]
        p = states.p[i] if states.varying else states.p
        row = law.accelerations(law.point(float(t), *(x.tolist() for x in (states.q[i], states.v[i], p))))
        a[i] = np.nan if row is None else [float(x) for x in row]
    rest = which[able:]
    a[rest[smallest[rest] < HARDLY]] = np.nan
