"""The field at one state, by whichever elimination, with a watch on the pivots.

A pivot that changes its sign, or shrinks or grows tenfold within one step, says that the step may go over a
place where the rank of C drops or the reduced matrix is singular; such a step is not taken. The nodes of the
stages lie so close that a double zero of a pivot inside a step, which keeps its sign, shows at one of them.
"""

from math import isfinite

from chetaev.flow.kernels import statuses
from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.linear import lu

SHRINK = 0.1
"""Not where steps have a fixed length, which cannot be shortened: there only a change of sign counts, and
that of a pivot of C asks for another chart first."""


def evaluate(run: Integration, t: float, y: Floats, dy: Floats, fresh: int) -> int:
    """dy = (v, a) at (t, y); returns 0, a reason to reject the step, or a reason to stop.

    The pivots are compared with those at the start of the step; with `fresh` they become those.
    """
    n = run.n
    first = run.pivots
    aux = run.aux
    run.evaluations = run.evaluations + 1
    flags = run.rhs(t, y, run.p, dy, aux)
    m = run.rank
    if run.form == 1:
        k = run.free
        right = aux[m + 1 + k * k :]
        basis = right[k:]
        aux[m] = lu(k, aux[m + 1 :], basis[n * k + n :], right)
        for i in range(n):
            s = basis[n * k + i]
            for j in range(k):
                s = s + basis[i * k + j] * right[j]
            dy[n + i] = s
    total = 0.0
    for i in range(n):
        total = total + dy[n + i]
    if not isfinite(total):
        return statuses.REJECT_FINITE
    if flags != 0:
        return statuses.STOP_CHART
    shrink = 0.0 if run.fixed else SHRINK
    if fresh:
        for i in range(run.watched):
            first[i] = aux[i]
    else:
        lost = 0.0
        for i in range(run.watched):
            now = abs(aux[i])
            before = abs(first[i])
            turned = (aux[i] > 0.0) != (first[i] > 0.0)
            if turned and run.fixed == 1 and i < m:
                return statuses.STOP_CHART
            if turned or now < shrink * before or shrink * now > before:
                lost = 1.0
        if lost > 0.0:
            return statuses.REJECT_PIVOT
    if run.directions > 0:
        return variations(run, t, y, dy)
    return 0


def variations(run: Integration, t: float, y: Floats, dy: Floats) -> int:
    """The linearised field along each direction; the direction is passed behind the parameters."""
    d = 2 * run.n
    count = run.parameters
    for k in range(run.directions):
        direction = y[(k + 1) * d :]
        for i in range(d):
            run.p[count + i] = direction[i]
        for i in range(count):
            run.p[count + d + i] = 1.0 if k - d == i else 0.0
        run.tangent(t, y, run.p, dy[(k + 1) * d :], run.aux)
    return 0


def each_state(
    program: Function, count: int, t: Floats, t_step: int, states: Floats, width: int, p: Floats, p_step: int,
    out: Floats, out_width: int, aux: Floats, aux_width: int, flags: Ints,
) -> None:  # fmt: skip
    """Call it with one row of every array after the other; of t and p there may be one row for all."""
    for i in range(count):
        state = states[i * width :]
        flags[i] = program(t[i * t_step], state, p[i * p_step :], out[i * out_width :], aux[i * aux_width :])
