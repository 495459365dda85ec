"""Radau IIA of order 5 for stiff systems: three implicit stages, all solved at once.

    Z_i = h Σ_j a_ij f(t + c_j h, y + Z_j)      (I − h A⊗J) ΔZ = −Z + h (A⊗I) f(y + Z)      y₁ = y + Z₃

Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8; the same error estimate, (γ/h − J)⁻¹(f₀
+ e·Z/h). The Jacobian J of the field is taken by differences at the start of the step; the 3d×3d matrix is
factored with pivoting. The dense output is the collocation polynomial, of order 3.
"""

from math import sqrt

from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.layout import (
    ATOL,
    DIM,
    ERROR,
    FACTORED,
    REJECT_ERROR,
    RTOL,
    T_STAGE,
    H,
    T,
    at_aux,
    at_dense,
    at_new,
    at_pivots,
    at_stages,
    at_stiff,
    at_trial,
)
from chetaev.flow.kernels.linear import lu_factor, lu_solve

S6 = 2.449489742783178
C1 = (4.0 - S6) / 10.0
C2 = (4.0 + S6) / 10.0
A11 = (88.0 - 7.0 * S6) / 360.0
A12 = (296.0 - 169.0 * S6) / 1800.0
A13 = (-2.0 + 3.0 * S6) / 225.0
A21 = (296.0 + 169.0 * S6) / 1800.0
A22 = (88.0 + 7.0 * S6) / 360.0
A23 = (-2.0 - 3.0 * S6) / 225.0
A31 = (16.0 - S6) / 36.0
A32 = (16.0 + S6) / 36.0
A33 = 1.0 / 9.0
E1 = -(13.0 + 7.0 * S6) / 3.0
E2 = (-13.0 + 7.0 * S6) / 3.0
E3 = -1.0 / 3.0
GAMMA = 3.6378342527444957
P11 = (13.0 + 7.0 * S6) / 3.0
P12 = -(23.0 + 22.0 * S6) / 3.0
P13 = (10.0 + 15.0 * S6) / 3.0
P21 = (13.0 - 7.0 * S6) / 3.0
P22 = (-23.0 + 22.0 * S6) / 3.0
P23 = (10.0 - 15.0 * S6) / 3.0
P31 = 1.0 / 3.0
P32 = -8.0 / 3.0
P33 = 10.0 / 3.0
NEWTON = 10


def radau_a(i: int, j: int) -> float:
    """a_ij, counted from 0."""
    if i == 0:
        return A11 if j == 0 else (A12 if j == 1 else A13)
    if i == 1:
        return A21 if j == 0 else (A22 if j == 1 else A23)
    return A31 if j == 0 else (A32 if j == 1 else A33)


def jacobian(
    rhs: Function, tangent: Function, ints: Ints, reals: Floats, p: Floats, work: Floats, j: Floats
) -> int:
    """∂f/∂y by differences at the start of the step, row by row."""
    d = ints[DIM]
    trial = work[at_trial(ints) :]
    k = work[at_stages(ints) :]
    other = k[d:]
    for c in range(d):
        for i in range(d):
            trial[i] = work[i]
        delta = 1.5e-8 * max(abs(work[c]), 1e-3)
        trial[c] = work[c] + delta
        delta = trial[c] - work[c]
        code = evaluate(
            rhs, tangent, ints, reals[T], trial, p, other, work[at_pivots(ints) :], work[at_aux(ints) :], 0
        )
        if code != 0:
            return code
        for i in range(d):
            j[i * d + c] = (other[i] - k[i]) / delta
    return 0


def radau_matrices(d: int, h: float, j: Floats, big: Floats, small: Floats) -> None:
    """I − h A⊗J and γ/h − J."""
    for r in range(3):
        for c in range(3):
            a = h * radau_a(r, c)
            for i in range(d):
                row = big[(r * d + i) * 3 * d + c * d :]
                for e in range(d):
                    row[e] = -a * j[i * d + e]
                if r == c:
                    row[i] = row[i] + 1.0
    for i in range(d):
        for e in range(d):
            small[i * d + e] = -j[i * d + e]
        small[i * d + i] = small[i * d + i] + GAMMA / h


def radau_step(rhs: Function, tangent: Function, ints: Ints, reals: Floats, p: Floats, work: Floats) -> int:
    """The stages by simplified Newton iteration, the new state and its error; returns 0 or why not."""
    d = ints[DIM]
    h = reals[H]
    trial = work[at_trial(ints) :]
    new = work[at_new(ints) :]
    k = work[at_stages(ints) :]
    j = work[at_stiff(ints) :]
    big = j[d * d :]
    small = big[9 * d * d :]
    exchange = small[d * d :]
    z = exchange[4 * d :]
    r = z[3 * d :]
    if ints[FACTORED] == 0:
        code = jacobian(rhs, tangent, ints, reals, p, work, j)
        if code != 0:
            return code
        ints[FACTORED] = 1
    radau_matrices(d, h, j, big, small)
    if lu_factor(3 * d, big, exchange) != 0 or lu_factor(d, small, exchange[3 * d :]) != 0:
        return REJECT_ERROR
    for i in range(3 * d):
        z[i] = 0.0
    code = radau_newton(rhs, tangent, ints, reals, p, work, big, exchange, z, r)
    if code != 0:
        reals[ERROR] = 16.0
        return code
    for i in range(d):
        new[i] = work[i] + z[2 * d + i]
    code = radau_error(rhs, tangent, ints, reals, p, work, small, exchange[3 * d :], z, r, trial, k)
    return code


def radau_newton(
    rhs: Function,
    tangent: Function,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
    big: Floats,
    exchange: Floats,
    z: Floats,
    r: Floats,
) -> int:
    """Iterate the stages to a hundredth of the tolerance."""
    d = ints[DIM]
    h = reals[H]
    trial = work[at_trial(ints) :]
    k = work[at_stages(ints) :]
    before = 0.0
    for turn in range(NEWTON):
        for s in range(3):
            for i in range(d):
                trial[i] = work[i] + z[s * d + i]
            c = C1 if s == 0 else (C2 if s == 1 else 1.0)
            reals[T_STAGE] = reals[T] + c * h
            code = evaluate(
                rhs,
                tangent,
                ints,
                reals[T_STAGE],
                trial,
                p,
                k[(s + 1) * d :],
                work[at_pivots(ints) :],
                work[at_aux(ints) :],
                0,
            )
            if code != 0:
                return code
        for s in range(3):
            for i in range(d):
                total = radau_a(s, 0) * k[d + i] + radau_a(s, 1) * k[2 * d + i] + radau_a(s, 2) * k[3 * d + i]
                r[s * d + i] = h * total - z[s * d + i]
        lu_solve(3 * d, big, exchange, r)
        size = 0.0
        for s in range(3):
            for i in range(d):
                z[s * d + i] = z[s * d + i] + r[s * d + i]
                part = r[s * d + i] / (reals[ATOL] + reals[RTOL] * abs(work[i]))
                size = size + part * part
        size = sqrt(size / (3.0 * d))
        if not size < 1e300:
            return REJECT_ERROR
        rate = 1.0
        if turn > 0 and before > 0.0:
            rate = size / before
            if rate > 2.0:
                return REJECT_ERROR
        floor = max(1e-2, 1e-14 / reals[RTOL])
        if size <= floor or (turn > 0 and rate < 1.0 and rate / (1.0 - min(rate, 0.999)) * size <= floor):
            return 0
        before = size
    return REJECT_ERROR


def radau_error(
    rhs: Function,
    tangent: Function,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
    small: Floats,
    exchange: Floats,
    z: Floats,
    r: Floats,
    trial: Floats,
    k: Floats,
) -> int:
    """The local error in units of the tolerance, filtered by (γ/h − J)⁻¹, twice if it looks too large."""
    d = ints[DIM]
    h = reals[H]
    extra = r[d:]
    for i in range(d):
        extra[i] = (E1 * z[i] + E2 * z[d + i] + E3 * z[2 * d + i]) / h
        r[i] = k[i] + extra[i]
    for turn in range(2):
        lu_solve(d, small, exchange, r)
        size = 0.0
        for i in range(d):
            scale = reals[ATOL] + reals[RTOL] * max(abs(work[i]), abs(work[i] + z[2 * d + i]))
            size = size + (r[i] / scale) * (r[i] / scale)
        reals[ERROR] = sqrt(size / d)
        if reals[ERROR] < 1.0 or turn == 1:
            return 0
        for i in range(d):
            trial[i] = work[i] + r[i]
        code = evaluate(
            rhs,
            tangent,
            ints,
            reals[T],
            trial,
            p,
            k[d:],
            work[at_pivots(ints) :],
            work[at_aux(ints) :],
            0,
        )
        if code != 0:
            return 0
        for i in range(d):
            r[i] = k[d + i] + extra[i]
    return 0


def radau_dense(ints: Ints, work: Floats) -> None:
    """The collocation polynomial, led to the projected end of the step."""
    d = ints[DIM]
    z = work[at_stiff(ints) + 11 * d * d + 4 * d :]
    f = work[at_dense(ints) :]
    new = work[at_new(ints) :]
    for i in range(d):
        f[i] = P11 * z[i] + P21 * z[d + i] + P31 * z[2 * d + i]
        f[d + i] = P12 * z[i] + P22 * z[d + i] + P32 * z[2 * d + i]
        moved = new[i] - work[i] - z[2 * d + i]
        f[2 * d + i] = P13 * z[i] + P23 * z[d + i] + P33 * z[2 * d + i] + moved


def radau_point(d: int, y: Floats, f: Floats, x: float, out: Floats) -> None:
    """The collocation polynomial at the fraction x of the step."""
    for i in range(d):
        out[i] = y[i] + x * (f[i] + x * (f[d + i] + x * f[2 * d + i]))
