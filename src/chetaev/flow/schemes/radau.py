"""Radau IIA of order 5 for stiff systems: three implicit stages, all solved at once.

    Z_i = h Σ_j a_ij f(t + c_j h, y + Z_j)      (I − h A⊗J) ΔZ = −Z + h (A⊗I) f(y + Z)      y₁ = y + Z₃

Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8; the same error estimate, (γ/h − J)⁻¹(f₀
+ e·Z/h). The Jacobian J of the field at the start of the step comes from the model's own program,
differentiated (`scalar_programs.tangent`), column by column; by differences where that is not the field that
is integrated: with variations, Python functions as forces, sliding modes, an indefinite reduced matrix. The
3d×3d matrix is factored with pivoting. The dense output is the collocation polynomial, of order 3.
"""

from __future__ import annotations

from math import isfinite, sqrt

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.linear import lu_factor, lu_solve
from chetaev.flow.kernels.statuses import REJECT_ERROR
from chetaev.flow.schemes.scheme import Scheme

SCHEME = Scheme(
    name="radau",
    module=__name__,
    summary="implicit Runge–Kutta, for stiff systems",
    order=5,
    dense_order=3,
    estimate=4,
    stages=5,
    end_stage=4,
    vectors=3,
    stiff=True,
    tangent=True,
    room=lambda d: 11 * d * d + 10 * d,
)

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
"""Iterations allowed in a step."""
EASY = 1.0
"""|h| ‖J‖ below which a system is not called stiff."""


def a(i: int, j: int) -> float:
    """a_ij, counted from 0."""
    if i == 0:
        return A11 if j == 0 else (A12 if j == 1 else A13)
    if i == 1:
        return A21 if j == 0 else (A22 if j == 1 else A23)
    return A31 if j == 0 else (A32 if j == 1 else A33)


# what stands in the scheme's room: J, the two matrices with their row exchanges, Z and a right-hand side


def jacobian(run: Integration) -> Floats:
    """J = ∂f/∂y at the start of the step, d×d."""
    return run.room


def stage_matrix(run: Integration) -> Floats:
    """I − h A⊗J, 3d×3d, factored."""
    return run.room[run.d * run.d :]


def error_matrix(run: Integration) -> Floats:
    """γ/h − J, d×d, factored."""
    return run.room[10 * run.d * run.d :]


def stage_exchanges(run: Integration) -> Floats:
    """Row exchanges of the stages' matrix, 3d."""
    return run.room[11 * run.d * run.d :]


def error_exchanges(run: Integration) -> Floats:
    """Row exchanges of the error's matrix, d."""
    return run.room[11 * run.d * run.d + 3 * run.d :]


def increments(run: Integration) -> Floats:
    """Z₁, Z₂, Z₃."""
    return run.room[11 * run.d * run.d + 4 * run.d :]


def right_side(run: Integration) -> Floats:
    """A right-hand side, 3d."""
    return run.room[11 * run.d * run.d + 7 * run.d :]


def differentiate_exactly(run: Integration) -> int:
    """J column by column from the differentiated field; returns 1 if an entry is not finite."""
    d = run.d
    jac = jacobian(run)
    direction = run.p[run.parameters :]
    column = run.k[d:]
    total = 0.0
    for i in range(d + run.parameters):
        direction[i] = 0.0
    for c in range(d):
        direction[c] = 1.0
        run.tangent(run.t, run.y, run.p, column, run.trial)
        direction[c] = 0.0
        for i in range(d):
            jac[i * d + c] = column[i]
            total = total + column[i]
    return 0 if isfinite(total) else 1


def differentiate(run: Integration) -> int:
    """J from the program, else by differences; returns 0 or why not."""
    unknown = 1
    if run.exact == 1:
        unknown = differentiate_exactly(run)
    if unknown == 0:
        return 0
    d = run.d
    jac = jacobian(run)
    trial = run.trial
    k = run.k
    other = k[d:]
    for c in range(d):
        for i in range(d):
            trial[i] = run.y[i]
        delta = 1.5e-8 * max(abs(run.y[c]), 1e-3)
        trial[c] = run.y[c] + delta
        delta = trial[c] - run.y[c]
        code = evaluate(run, run.t, trial, other, 0)
        if code != 0:
            return code
        for i in range(d):
            jac[i * d + c] = (other[i] - k[i]) / delta
    return 0


def fill_matrices(d: int, h: float, jac: Floats, big: Floats, small: Floats) -> None:
    """I − h A⊗J and γ/h − J."""
    for r in range(3):
        for c in range(3):
            ha = h * a(r, c)
            for i in range(d):
                row = big[(r * d + i) * 3 * d + c * d :]
                for e in range(d):
                    row[e] = -ha * jac[i * d + e]
                if r == c:
                    row[i] = row[i] + 1.0
    for i in range(d):
        for e in range(d):
            small[i * d + e] = -jac[i * d + e]
        small[i * d + i] = small[i * d + i] + GAMMA / h


def step(run: Integration) -> int:
    """The stages by simplified Newton iteration, y₁ = y + Z₃ and its error; returns 0 or why not."""
    d = run.d
    z = increments(run)
    if run.current == 0:
        code = differentiate(run)
        if code != 0:
            return code
        run.current = 1
    fill_matrices(d, run.h, jacobian(run), stage_matrix(run), error_matrix(run))
    if lu_factor(3 * d, stage_matrix(run), stage_exchanges(run)) != 0:
        return REJECT_ERROR
    if lu_factor(d, error_matrix(run), error_exchanges(run)) != 0:
        return REJECT_ERROR
    for i in range(3 * d):
        z[i] = 0.0
    code = iterate(run)
    if code != 0:
        run.error = 16.0
        return code
    for i in range(d):
        run.new[i] = run.y[i] + z[2 * d + i]
    estimate_error(run)
    return 0


def stages(run: Integration) -> int:
    """k_{s+1} = f(t + c_s h, y + Z_s); returns 0 or why not."""
    d = run.d
    y = run.y
    trial = run.trial
    z = increments(run)
    for s in range(3):
        for i in range(d):
            trial[i] = y[i] + z[s * d + i]
        c = C1 if s == 0 else (C2 if s == 1 else 1.0)
        run.t_stage = run.t + c * run.h
        code = evaluate(run, run.t_stage, trial, run.k[(s + 1) * d :], 0)
        if code != 0:
            return code
    return 0


def iterate(run: Integration) -> int:
    """Newton's iteration of the stages to a hundredth of the tolerance; returns 0 or why not."""
    d = run.d
    h = run.h
    k = run.k
    z = increments(run)
    r = right_side(run)
    before = 0.0
    for turn in range(NEWTON):
        code = stages(run)
        if code != 0:
            return code
        for s in range(3):
            for i in range(d):
                total = a(s, 0) * k[d + i] + a(s, 1) * k[2 * d + i] + a(s, 2) * k[3 * d + i]
                r[s * d + i] = h * total - z[s * d + i]
        lu_solve(3 * d, stage_matrix(run), stage_exchanges(run), r)
        size = 0.0
        for s in range(3):
            for i in range(d):
                z[s * d + i] = z[s * d + i] + r[s * d + i]
                part = r[s * d + i] / (run.atol + run.rtol * abs(run.y[i]))
                size = size + part * part
        size = sqrt(size / (3.0 * d))
        if not size < 1e300:
            return REJECT_ERROR
        rate = 1.0
        if turn > 0 and before > 0.0:
            rate = size / before
            if rate > 2.0:
                return REJECT_ERROR
        floor = max(1e-2, 1e-14 / run.rtol)
        if size <= floor or (turn > 0 and rate < 1.0 and rate / (1.0 - min(rate, 0.999)) * size <= floor):
            return 0
        before = size
    return REJECT_ERROR


def estimate_error(run: Integration) -> None:
    """|(γ/h − J)⁻¹(f₀ + e·Z/h)| in units of the tolerance, filtered twice if it looks too large."""
    d = run.d
    h = run.h
    k = run.k
    z = increments(run)
    r = right_side(run)
    extra = r[d:]
    for i in range(d):
        extra[i] = (E1 * z[i] + E2 * z[d + i] + E3 * z[2 * d + i]) / h
        r[i] = k[i] + extra[i]
    for turn in range(2):
        lu_solve(d, error_matrix(run), error_exchanges(run), r)
        size = 0.0
        for i in range(d):
            scale = run.atol + run.rtol * max(abs(run.y[i]), abs(run.y[i] + z[2 * d + i]))
            size = size + (r[i] / scale) * (r[i] / scale)
        run.error = sqrt(size / d)
        if run.error < 1.0 or turn == 1:
            return
        for i in range(d):
            run.trial[i] = run.y[i] + r[i]
        if evaluate(run, run.t, run.trial, k[d:], 0) != 0:
            return
        for i in range(d):
            r[i] = k[d + i] + extra[i]


def misfit(run: Integration) -> float:
    """Positive where |h| ‖J‖ is small: an explicit method is stable with this step, and cheaper."""
    d = run.d
    jac = jacobian(run)
    largest = 0.0
    for i in range(d):
        total = 0.0
        for j in range(d):
            total = total + abs(jac[i * d + j])
        largest = max(largest, total)
    return EASY - abs(run.h) * largest


def dense_output(run: Integration) -> int:
    """The collocation polynomial, led to the projected end of the step."""
    d = run.d
    z = increments(run)
    f = run.dense
    for i in range(d):
        f[i] = P11 * z[i] + P21 * z[d + i] + P31 * z[2 * d + i]
        f[d + i] = P12 * z[i] + P22 * z[d + i] + P32 * z[2 * d + i]
        moved = run.new[i] - run.y[i] - z[2 * d + i]
        f[2 * d + i] = P13 * z[i] + P23 * z[d + i] + P33 * z[2 * d + i] + moved
    return 0


def interpolate(d: int, i: int, y: Floats, f: Floats, x: float) -> float:
    """y + x f₀ + x² f₁ + x³ f₂."""
    return y[i] + x * (f[i] + x * (f[d + i] + x * f[2 * d + i]))


def powers(d: int, i: int, f: Floats, c: Floats) -> None:
    """The vectors are the coefficients."""
    for m in range(3):
        c[m + 1] = f[m * d + i]
