"""Radau IIA of order 5 for stiff systems: three implicit stages, all solved at once.

    Z_i = h Σ_j a_ij f(t + c_j h, y + Z_j)      (I − h A⊗J) ΔZ = −Z + h (A⊗I) f(y + Z)      y₁ = y + Z₃

Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8; the same error estimate, (γ/h − J)⁻¹(f₀
+ e·Z/h). The Jacobian J of the field at the start of the step comes from the model's own program,
differentiated (the kind `tangent` of `compile.programs`), column by column; by differences where that is not
the field that is integrated: with variations, Python functions as forces, sliding modes, an indefinite
reduced matrix. With A⁻¹ = T Λ T⁻¹, Λ = diag(γ, [[α, −β], [β, α]]), the equations fall apart into a real
system with γ/h − J, which the error estimate needs anyway, and a complex one with (α + iβ)/h − J (loc. cit.,
IV.8), both factored with pivoting: a fifth of the work. The dense output is the collocation polynomial, of
order 3.
"""

from __future__ import annotations

from math import isfinite, sqrt

from chetaev.flow.kernels.arrays import Alias, Floats
from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.linear import complex_factor, complex_solve, lu_factor, lu_solve
from chetaev.flow.kernels.statuses import REJECT_ERROR
from chetaev.flow.schemes.scheme import Scheme

RADAU = Scheme(
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
    record="RadauStep",
    room=lambda d: 4 * d * d + 11 * d + 2,
)

AUTO = Scheme(
    name="auto",
    module=__name__,
    summary="dop853, and radau where the system is stiff",
    order=5,
    dense_order=3,
    estimate=4,
    stages=5,
    end_stage=4,
    chooses=("dop853", "radau"),
)
SCHEMES = (RADAU, AUTO)

S6 = 2.449489742783178
C1 = (4.0 - S6) / 10.0
C2 = (4.0 + S6) / 10.0
E1 = -(13.0 + 7.0 * S6) / 3.0
E2 = (-13.0 + 7.0 * S6) / 3.0
E3 = -1.0 / 3.0
GAMMA = 3.637834252744496
ALPHA = 2.6810828736277523
BETA = 3.0504301992474105
T11 = 0.09123239487089295
T12 = -0.1412552950209542
T13 = -0.030029194105147424
T21 = 0.241717932707107
T22 = 0.20412935229379994
T23 = 0.3829421127572619
T31 = 0.966048182615093
R11 = 4.325579890063155
R12 = 0.33919925181580984
R13 = 0.5417705399358749
R21 = -4.178718591551905
R22 = -0.32768282076106237
R23 = 0.47662355450055044
R31 = -0.5028726349457868
R32 = 2.571926949855605
R33 = -0.5960392048282249
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


class RadauStep(Integration):
    """What stands in the scheme's room."""

    jacobian = Alias[Floats](lambda self: self.room)  # J = ∂f/∂y at the start of the step, d×d
    real_matrix = Alias[Floats](lambda self: self.room[self.d * self.d :])  # γ/h − J, d×d, factored
    # (α + iβ)/h − J, d×d, factored: real parts, then imaginary ones
    complex_matrix = Alias[Floats](lambda self: self.room[2 * self.d * self.d :])
    real_exchanges = Alias[Floats](lambda self: self.room[4 * self.d * self.d :])  # row exchanges, d
    complex_exchanges = Alias[Floats](lambda self: self.room[4 * self.d * self.d + self.d :])  # the same, d
    increments = Alias[Floats](lambda self: self.room[4 * self.d * self.d + 2 * self.d :])  # Z₁, Z₂, Z₃
    right_side = Alias[Floats](lambda self: self.room[4 * self.d * self.d + 5 * self.d :])  # 3d
    # Z₁, Z₂, Z₃ of the last step that was taken, its length, 0 if there is none, and that of this one
    last_increments = Alias[Floats](lambda self: self.room[4 * self.d * self.d + 8 * self.d :])


def differentiate_exactly(run: RadauStep) -> int:
    """J column by column from the differentiated field; returns 1 if an entry is not finite."""
    d = run.d
    jac = run.jacobian
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


def differentiate(run: RadauStep) -> int:
    """J from the program, else by differences; returns 0 or why not."""
    unknown = 1
    if run.exact == 1:
        unknown = differentiate_exactly(run)
    if unknown == 0:
        return 0
    d = run.d
    jac = run.jacobian
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


def fill_matrices(d: int, h: float, jac: Floats, real: Floats, turned: Floats) -> None:
    """γ/h − J and (α + iβ)/h − J."""
    for i in range(d):
        for e in range(d):
            real[i * d + e] = -jac[i * d + e]
            turned[i * d + e] = -jac[i * d + e]
            turned[d * d + i * d + e] = 0.0
        real[i * d + i] = real[i * d + i] + GAMMA / h
        turned[i * d + i] = turned[i * d + i] + ALPHA / h
        turned[d * d + i * d + i] = BETA / h


def step(run: RadauStep) -> int:
    """The stages by simplified Newton iteration, y₁ = y + Z₃ and its error; returns 0 or why not."""
    d = run.d
    z = run.increments
    if run.current == 0:
        remember(run)
        code = differentiate(run)
        if code != 0:
            return code
        run.current = 1
    fill_matrices(d, run.h, run.jacobian, run.real_matrix, run.complex_matrix)
    if complex_factor(d, run.complex_matrix, run.complex_matrix[d * d :], run.complex_exchanges) != 0:
        return REJECT_ERROR
    if lu_factor(d, run.real_matrix, run.real_exchanges) != 0:
        return REJECT_ERROR
    guess_increments(run)
    code = iterate(run)
    if code != 0:
        run.error = 16.0
        return code
    for i in range(d):
        run.new[i] = run.y[i] + z[2 * d + i]
    estimate_error(run)
    return 0


def remember(run: RadauStep) -> None:
    """Keep the increments of the step that was taken last."""
    d = run.d
    z = run.increments
    last = run.last_increments
    for i in range(3 * d):
        last[i] = z[i]
    last[3 * d] = last[3 * d + 1] if run.first == 0 else 0.0


def guess_increments(run: RadauStep) -> None:
    """Z where the collocation polynomial of the last step, led beyond its end, has it; 0 in a first step."""
    d = run.d
    z = run.increments
    last = run.last_increments
    before = last[3 * d]
    last[3 * d + 1] = run.h
    ratio = run.h / before if before != 0.0 else 0.0
    for s in range(3):
        c = C1 if s == 0 else (C2 if s == 1 else 1.0)
        x = 1.0 + c * ratio
        for i in range(d):
            z1 = last[i]
            z2 = last[d + i]
            z3 = last[2 * d + i]
            first = P11 * z1 + P21 * z2 + P31 * z3
            second = P12 * z1 + P22 * z2 + P32 * z3
            third = P13 * z1 + P23 * z2 + P33 * z3
            z[s * d + i] = x * (first + x * (second + x * third)) - z3 if before != 0.0 else 0.0


def stages(run: RadauStep) -> int:
    """k_{s+1} = f(t + c_s h, y + Z_s); returns 0 or why not."""
    d = run.d
    y = run.y
    trial = run.trial
    z = run.increments
    for s in range(3):
        for i in range(d):
            trial[i] = y[i] + z[s * d + i]
        c = C1 if s == 0 else (C2 if s == 1 else 1.0)
        run.t_stage = run.t + c * run.h
        code = evaluate(run, run.t_stage, trial, run.k[(s + 1) * d :], 0)
        if code != 0:
            return code
    return 0


def correct(run: RadauStep) -> None:
    """ΔZ = T ΔW, (Λ/h − J) ΔW = T⁻¹ f − Λ/h T⁻¹ Z, in the place of the right-hand side."""
    d = run.d
    f1 = run.k[d:]
    f2 = run.k[2 * d :]
    f3 = run.k[3 * d :]
    z = run.increments
    r = run.right_side
    g = GAMMA / run.h
    a = ALPHA / run.h
    b = BETA / run.h
    for i in range(d):
        z1 = z[i]
        z2 = z[d + i]
        z3 = z[2 * d + i]
        w2 = R21 * z1 + R22 * z2 + R23 * z3
        w3 = R31 * z1 + R32 * z2 + R33 * z3
        r[i] = R11 * f1[i] + R12 * f2[i] + R13 * f3[i] - g * (R11 * z1 + R12 * z2 + R13 * z3)
        r[d + i] = R21 * f1[i] + R22 * f2[i] + R23 * f3[i] - (a * w2 - b * w3)
        r[2 * d + i] = R31 * f1[i] + R32 * f2[i] + R33 * f3[i] - (b * w2 + a * w3)
    lu_solve(d, run.real_matrix, run.real_exchanges, r)
    turned = run.complex_matrix
    complex_solve(d, turned, turned[d * d :], run.complex_exchanges, r[d:], r[2 * d :])
    for i in range(d):
        w1 = r[i]
        w2 = r[d + i]
        w3 = r[2 * d + i]
        r[i] = T11 * w1 + T12 * w2 + T13 * w3
        r[d + i] = T21 * w1 + T22 * w2 + T23 * w3
        r[2 * d + i] = T31 * w1 + w2


def iterate(run: RadauStep) -> int:
    """Newton's iteration of the stages to a hundredth of the tolerance; returns 0 or why not."""
    d = run.d
    z = run.increments
    r = run.right_side
    before = 0.0
    for turn in range(NEWTON):
        code = stages(run)
        if code != 0:
            return code
        correct(run)
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
        floor = max(min(0.03, sqrt(run.rtol)), 1e-14 / run.rtol)
        if size <= floor or (turn > 0 and rate < 1.0 and rate / (1.0 - min(rate, 0.999)) * size <= floor):
            return 0
        before = size
    return REJECT_ERROR


def estimate_error(run: RadauStep) -> None:
    """|(γ/h − J)⁻¹(f₀ + e·Z/h)| in units of the tolerance, filtered twice if it looks too large."""
    d = run.d
    h = run.h
    k = run.k
    z = run.increments
    r = run.right_side
    extra = r[d:]
    for i in range(d):
        extra[i] = (E1 * z[i] + E2 * z[d + i] + E3 * z[2 * d + i]) / h
        r[i] = k[i] + extra[i]
    for turn in range(2):
        lu_solve(d, run.real_matrix, run.real_exchanges, r)
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


def misfit(run: RadauStep) -> float:
    """Positive where |h| ‖J‖ is small: an explicit method is stable with this step, and cheaper."""
    d = run.d
    jac = run.jacobian
    largest = 0.0
    for i in range(d):
        total = 0.0
        for j in range(d):
            total = total + abs(jac[i * d + j])
        largest = max(largest, total)
    return EASY - abs(run.h) * largest


def dense_output(run: RadauStep) -> int:
    """The collocation polynomial, led to the projected end of the step."""
    d = run.d
    z = run.increments
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
