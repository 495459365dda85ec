"""One step of DOP853, its error estimate and its dense output of order 7.

Hairer, Nørsett and Wanner I, II.10. `table` is `flow.dop853_table.table()`.
"""

from math import sqrt

from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.layout import (
    ATOL,
    DIM,
    ERROR,
    RTOL,
    T_STAGE,
    H,
    T,
    at_aux,
    at_dense,
    at_new,
    at_pivots,
    at_stages,
    at_trial,
)

NODES = 256
THIRD = 272
FIFTH = 284
DENSE = 296


def combine(d: int, stages: int, weights: Floats, k: Floats, y: Floats, h: float, out: Floats) -> None:
    """out = y + h Σ_j weights_j k_j."""
    for i in range(d):
        s = 0.0
        for j in range(stages):
            s = s + weights[j] * k[j * d + i]
        out[i] = y[i] + h * s


def dop853_step(
    rhs: Function, tangent: Function, table: Floats, ints: Ints, reals: Floats, p: Floats, work: Floats
) -> int:
    """Twelve stages, the new state and its error; returns 0 or why not."""
    d = ints[DIM]
    h = reals[H]
    new = work[at_new(ints) :]
    trial = work[at_trial(ints) :]
    k = work[at_stages(ints) :]
    first = work[at_pivots(ints) :]
    aux = work[at_aux(ints) :]
    for s in range(1, 12):
        combine(d, s, table[s * 16 :], k, work, h, trial)
        reals[T_STAGE] = reals[T] + table[NODES + s] * h
        code = evaluate(rhs, tangent, ints, reals[T_STAGE], trial, p, k[s * d :], first, aux, 0)
        if code != 0:
            return code
    combine(d, 12, table[12 * 16 :], k, work, h, new)
    reals[ERROR] = dop853_error(d, table, k, work, new, h, reals[RTOL], reals[ATOL])
    return 0


def dop853_error(
    d: int, table: Floats, k: Floats, y: Floats, new: Floats, h: float, rtol: float, atol: float
) -> float:
    """The estimated local error in units of the tolerance."""
    fifth = 0.0
    third = 0.0
    by_fifth = k[13 * d :]  # not needed yet: stages of the dense output
    by_third = k[14 * d :]
    zero = k[23 * d :]  # the eighth vector of the dense output, which has seven
    combine(d, 12, table[FIFTH:], k, zero, 1.0, by_fifth)
    combine(d, 12, table[THIRD:], k, zero, 1.0, by_third)
    for i in range(d):
        inverse = 1.0 / (atol + rtol * max(abs(y[i]), abs(new[i])))
        fifth = fifth + by_fifth[i] * inverse * by_fifth[i] * inverse
        third = third + by_third[i] * inverse * by_third[i] * inverse
    bottom = fifth + 0.01 * third
    if not bottom > 0.0:
        return 0.0
    return abs(h) * fifth / sqrt(bottom * d)


def dop853_dense(
    rhs: Function, tangent: Function, table: Floats, ints: Ints, reals: Floats, p: Floats, work: Floats
) -> int:
    """Three more stages and the seven vectors of the dense output; the step's end is in `new`, stage 12."""
    d = ints[DIM]
    h = reals[H]
    new = work[at_new(ints) :]
    trial = work[at_trial(ints) :]
    k = work[at_stages(ints) :]
    f = work[at_dense(ints) :]
    zero = f[7 * d :]
    first = work[at_pivots(ints) :]
    aux = work[at_aux(ints) :]
    for s in range(13, 16):
        combine(d, s, table[s * 16 :], k, work, h, trial)
        reals[T_STAGE] = reals[T] + table[NODES + s] * h
        code = evaluate(rhs, tangent, ints, reals[T_STAGE], trial, p, k[s * d :], first, aux, 0)
        if code != 0:
            return code
    for i in range(d):
        delta = new[i] - work[i]
        f[i] = delta
        f[d + i] = h * k[i] - delta
        f[2 * d + i] = 2.0 * delta - h * (k[12 * d + i] + k[i])
    for r in range(4):
        combine(d, 16, table[DENSE + 16 * r :], k, zero, h, f[(3 + r) * d :])
    return 0


def dop853_point(d: int, y: Floats, f: Floats, x: float, out: Floats) -> None:
    """The dense output at the fraction x of the step that starts at y."""
    for i in range(d):
        s = f[6 * d + i] * x
        s = (s + f[5 * d + i]) * (1.0 - x)
        s = (s + f[4 * d + i]) * x
        s = (s + f[3 * d + i]) * (1.0 - x)
        s = (s + f[2 * d + i]) * x
        s = (s + f[d + i]) * (1.0 - x)
        s = (s + f[i]) * x
        out[i] = y[i] + s
