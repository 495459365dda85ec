"""The field at one state, by whichever elimination, with a watch on the pivots.

A pivot that changes its sign, or shrinks or grows tenfold within one step, says that the step may go over a
place where the rank of C drops or the reduced matrix is singular; such a step is not taken. The nodes of the
stages lie so close that a double zero of a pivot inside a step, which keeps its sign, shows at one of them.
"""

from math import isfinite

from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.layout import (
    DIRECTIONS,
    EVALUATIONS,
    FORM,
    FREE,
    PARAMETERS,
    RANK,
    REJECT_FINITE,
    REJECT_PIVOT,
    WATCHED,
    N,
)
from chetaev.flow.kernels.linear import lu

FLAG_WEAK = 1
STOP_CHART = 12
STOP_LIBM = 13
SHRINK = 0.1


def evaluate(
    rhs: Function,
    tangent: Function,
    ints: Ints,
    t: float,
    y: Floats,
    p: Floats,
    dy: Floats,
    first: Floats,
    aux: Floats,
    fresh: int,
) -> int:
    """dy = (v, a) at (t, y); returns 0, a reason to reject the step, or a reason to stop.

    `first` holds the pivots at the start of the step; with `fresh` it is set instead of compared.
    """
    n = ints[N]
    ints[EVALUATIONS] = ints[EVALUATIONS] + 1
    flags = rhs(t, y, p, dy, aux)
    m = ints[RANK]
    if ints[FORM] == 1:
        k = ints[FREE]
        right = aux[m + 1 + k * k :]
        basis = right[k:]
        aux[m] = lu(k, aux[m + 1 :], right)
        for i in range(n):
            s = basis[n * k + i]
            for j in range(k):
                s = s + basis[i * k + j] * right[j]
            dy[n + i] = s
    if ints[FORM] == 2:
        full = n + m
        right = aux[m + 1 + full * full :]
        aux[m] = lu(full, aux[m + 1 :], right)
        for i in range(n):
            dy[n + i] = right[i]
    total = 0.0
    for i in range(n):
        total = total + dy[n + i]
    if not isfinite(total):
        return REJECT_FINITE
    if flags > FLAG_WEAK:
        return STOP_LIBM
    if flags == FLAG_WEAK:
        return STOP_CHART
    for i in range(ints[WATCHED]):
        if fresh:
            first[i] = aux[i]
        else:
            now = abs(aux[i])
            before = abs(first[i])
            turned = (aux[i] > 0.0) != (first[i] > 0.0)
            if turned or now < SHRINK * before or SHRINK * now > before:
                return REJECT_PIVOT
    if ints[DIRECTIONS] > 0:
        return variations(tangent, ints, t, y, p, dy, aux)
    return 0


def variations(tangent: Function, ints: Ints, t: float, y: Floats, p: Floats, dy: Floats, aux: Floats) -> int:
    """The linearised field along each direction; the direction is handed over behind the parameters."""
    d = 2 * ints[N]
    count = ints[PARAMETERS]
    for k in range(ints[DIRECTIONS]):
        direction = y[(k + 1) * d :]
        for i in range(d):
            p[count + i] = direction[i]
        for i in range(count):
            p[count + d + i] = 1.0 if k - d == i else 0.0
        tangent(t, y, p, dy[(k + 1) * d :], aux)
    return 0
