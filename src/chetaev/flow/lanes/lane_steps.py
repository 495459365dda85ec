"""A step of DOP853 in every lane: `flow.kernels` and `flow.schemes.dop853` once more, for lanes.

The operations are those of the loops for a single motion, in the same order, so that a lane has the bits
that `ch.simulate` has; see there for what they mean. What a lane is not able to go on with is left to them.
"""

from __future__ import annotations

from math import isfinite, sqrt

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.statuses import (
    REJECT_ERROR,
    REJECT_FINITE,
    REJECT_PIVOT,
    REJECT_PROJECTION,
    STOP_CHART,
    STOP_LIBM,
)
from chetaev.flow.lanes.lane_record import Lanes
from chetaev.flow.lanes.marks import Uniforms, per_lane

LANE_SHRINK = 0.1
LANE_ITERATIONS = 8
LANE_QUADRATIC = 3e-8
LANE_C = 16
LANE_ERROR3 = 17
LANE_ERROR5 = 18
LANE_DENSE = 19


@per_lane
def lane_combine(d: int, count: int, weights: Uniforms, k: Floats, y: Floats, h: float, out: Floats) -> None:
    """out = y + h Σ_j weights_j k_j; in machine code as in `lane_compiler`."""
    for i in range(d):
        s = 0.0
        for j in range(count):
            s = s + weights[j] * k[j * d + i]
        out[i] = y[i] + h * s


@per_lane
def lane_field(run: Lanes, t: float, y: Floats, dy: Floats) -> float:
    """dy = (v, a) at (t, y); 0, or why the step cannot be taken or gone on with."""
    n = run.n
    aux = run.aux
    first = run.pivots
    run.rhs(t, y, run.p, dy, aux)
    total = 0.0
    for i in range(n):
        total = total + dy[n + i]
    code = 0.0
    for i in range(run.watched):
        now = abs(aux[i])
        before = abs(first[i])
        turned = (aux[i] > 0.0) != (first[i] > 0.0)
        bad = turned or now < LANE_SHRINK * before or LANE_SHRINK * now > before
        code = REJECT_PIVOT if bad else code
    flag = aux[run.watched]
    code = STOP_CHART if flag == 1.0 else code
    code = STOP_LIBM if flag > 1.0 else code
    return code if isfinite(total) else REJECT_FINITE


@per_lane
def lane_begin(run: Lanes) -> None:
    """The field at the start of new members."""
    d = run.d
    dy = run.k[13 * d :]
    code = lane_field(run, run.t, run.y, dy)
    stopped = code > REJECT_PIVOT or code == REJECT_FINITE
    if run.fresh > 0.0:
        run.code = code if stopped else 0.0
        for i in range(d):
            run.k[i] = dy[i]
        for i in range(run.watched):
            run.pivots[i] = run.aux[i]


@per_lane
def lane_probe(run: Lanes) -> None:
    """The field a little ahead, for the guess of the first step; the state is in ``trial``."""
    run.error = lane_field(run, run.until, run.trial, run.k_end)


@per_lane
def lane_stage(run: Lanes, s: int) -> float:
    """k_s = f(t + c_s h, y + h Σ_{j<s} a_sj k_j); 0 or why not."""
    lane_combine(run.d, s, run.table[16 * s :], run.k, run.y, run.h, run.trial)
    t_stage = run.t + run.table[16 * LANE_C + s] * run.h
    return lane_field(run, t_stage, run.trial, run.k[s * run.d :])


@per_lane
def lane_error(run: Lanes) -> float:
    """The error of the step in units of the tolerance."""
    d = run.d
    e5 = run.k[13 * d :]
    e3 = run.k[14 * d :]
    lane_combine(d, 12, run.table[16 * LANE_ERROR5 :], run.k, run.zero, 1.0, e5)
    lane_combine(d, 12, run.table[16 * LANE_ERROR3 :], run.k, run.zero, 1.0, e3)
    fifth = 0.0
    third = 0.0
    for i in range(d):
        inverse = 1.0 / (run.tolerance + run.tolerance * max(abs(run.y[i]), abs(run.new[i])))
        fifth = fifth + e5[i] * inverse * e5[i] * inverse
        third = third + e3[i] * inverse * e3[i] * inverse
    bottom = fifth + 0.01 * third
    error = abs(run.h) * fifth / sqrt(bottom * d)
    return error if bottom > 0.0 else 0.0


@per_lane
def lane_attempt(run: Lanes) -> None:
    """A step, its error, its end on the constraints and the field there; nothing is taken yet."""
    remaining = run.end - run.t
    run.wanted = run.h
    run.clipped = 1.0 if abs(run.h) * 1.000001 >= abs(remaining) else 0.0
    if run.clipped > 0.0:
        run.h = remaining
    code = 0.0
    for s in range(1, 12):
        found = lane_stage(run, s)
        code = found if code == 0.0 else code
    lane_combine(run.d, 12, run.table[16 * 12 :], run.k, run.y, run.h, run.new)
    run.error = lane_error(run)
    refused = not run.error <= 1.0
    if code == 0.0:
        code = REJECT_ERROR if refused else 0.0
    ahead = run.t + run.h
    missed = lane_project(run, ahead, run.new)
    if code == 0.0:
        code = REJECT_PROJECTION if missed > 0.0 else 0.0
    found = lane_field(run, ahead, run.new, run.k_end)
    code = found if code == 0.0 else code
    for i in range(run.watched):
        run.pivots_end[i] = run.aux[i]
    run.code = code
    run.until = run.end if run.clipped > 0.0 else ahead


@per_lane
def lane_dense(run: Lanes) -> None:
    """Three more stages and the vectors of the dense output, where a time is due in the step."""
    d = run.d
    h = run.h
    f = run.dense
    code = run.code
    late = run.due - (run.t + h)
    inside = late * h < 0.0
    for s in range(13, 16):
        found = lane_stage(run, s)
        if inside:
            code = found if code == 0.0 else code
    for i in range(d):
        delta = run.new[i] - run.y[i]
        f[i] = delta
        f[d + i] = h * run.k[i] - delta
        f[2 * d + i] = 2.0 * delta - h * (run.k_end[i] + run.k[i])
    for r in range(4):
        lane_combine(d, 16, run.table[16 * (LANE_DENSE + r) :], run.k, run.zero, h, f[(3 + r) * d :])
    run.code = code


@per_lane
def lane_point(run: Lanes) -> None:
    """The state at the time that is due, into ``trial``."""
    d = run.d
    f = run.dense
    x = (run.due - run.t) / run.h
    for i in range(d):
        s = f[6 * d + i] * x
        s = (s + f[5 * d + i]) * (1.0 - x)
        s = (s + f[4 * d + i]) * x
        s = (s + f[3 * d + i]) * (1.0 - x)
        s = (s + f[2 * d + i]) * x
        s = (s + f[d + i]) * (1.0 - x)
        s = (s + f[i]) * x
        run.trial[i] = run.y[i] + s
    lane_project(run, run.due, run.trial)
    for i in range(d):
        run.trial[i] = run.new[i] if run.due == run.until else run.trial[i]


@per_lane
def lane_take(run: Lanes) -> None:
    """The end of the step becomes the start of the next, where it is taken."""
    if run.taken > 0.0:
        for i in range(run.d):
            run.y[i] = run.new[i]
            run.k[i] = run.k_end[i]
        for i in range(run.watched):
            run.pivots[i] = run.pivots_end[i]
        run.t = run.until


@per_lane
def lane_move(rows: int, n: int, c: Floats, r: Floats, g: Floats, move: Floats) -> float:
    """move = Cᵀ(C Cᵀ)⁻¹ r; returns its largest entry. See `flow.kernels.linear.least_change`."""
    z = g[rows * rows :]
    for i in range(rows):
        for j in range(i + 1):
            s = 0.0
            for e in range(n):
                s = s + c[i * n + e] * c[j * n + e]
            g[i * rows + j] = s
    for j in range(rows):
        d = g[j * rows + j]
        original = d
        for e in range(j):
            d = d - g[j * rows + e] * g[j * rows + e]
        kept = d > 1e-13 * original
        root = sqrt(d)
        g[j * rows + j] = root if kept else 0.0
        inverse = 1.0 / root if kept else 0.0
        for i in range(j + 1, rows):
            s = g[i * rows + j]
            for e in range(j):
                s = s - g[i * rows + e] * g[j * rows + e]
            g[i * rows + j] = s * inverse
    for i in range(rows):
        s = r[i]
        for e in range(i):
            s = s - g[i * rows + e] * z[e]
        d = g[i * rows + i]
        z[i] = s / d if d > 0.0 else 0.0
    for i in range(rows - 1, -1, -1):
        s = z[i]
        for e in range(i + 1, rows):
            s = s - g[e * rows + i] * z[e]
        d = g[i * rows + i]
        z[i] = s / d if d > 0.0 else 0.0
    largest = 0.0
    for j in range(n):
        s = 0.0
        for i in range(rows):
            s = s + c[i * n + j] * z[i]
        move[j] = s
        largest = max(largest, abs(s))
    return largest


@per_lane
def lane_project(run: Lanes, t: float, y: Floats) -> float:
    """Move the state y onto the constraints; 1 where that does not converge."""
    n = run.n
    rows = run.rows
    held = run.position
    missed = 0.0
    if rows > 0:
        residuals = run.residuals
        matrix = run.matrix
        normal = run.normal
        move = run.move
        if held > 0:
            change = 1.0
            size = 0.0
            passes = 0.0
            while change > LANE_QUADRATIC * (1.0 + size):
                run.con(t, y, run.p, residuals, matrix)
                most = lane_move(held, n, matrix, residuals[rows:], normal, move)
                enough = passes >= LANE_ITERATIONS
                missed = 1.0 if enough or not most < 1e300 else missed
                size = 0.0
                for i in range(n):
                    y[i] = y[i] if enough else y[i] - move[i]
                    size = max(size, abs(y[i]))
                change = 0.0 if missed > 0.0 else most
                passes = passes + 1.0
        change = 1.0
        size = 0.0
        passes = 0.0
        while change > LANE_QUADRATIC * (1.0 + size):
            run.con(t, y, run.p, residuals, matrix)
            most = lane_move(rows, n, matrix, residuals, normal, move)
            enough = passes >= LANE_ITERATIONS
            missed = 1.0 if enough or not most < 1e300 else missed
            size = 0.0
            for i in range(n):
                y[n + i] = y[n + i] if enough else y[n + i] - move[i]
                size = max(size, abs(y[n + i]))
            change = 0.0 if missed > 0.0 else most
            passes = passes + 1.0
    return missed
