r"""Directions carried along a motion and made orthonormal again and again (Benettin et al. 1980).

The state holds (q, v) and behind it k directions η, η' = (∂X/∂y) η. After every step Gram and Schmidt make
the directions orthonormal, and orthogonal to the normals of Q, the rows of G = ∂(φ, f)/∂(q, v); the
logarithms of the lengths r_i that they find are summed up. So lengths never grow apart by more than in one
step, whose error is controlled for directions of length 1: contraction that comes in bursts is not lost in
the errors of what grows.

The volume that the directions span has the rate

    d/dt Σ log r_i = Σ ⟨η_i, η_i'⟩      at orthonormal η_i,

for all directions tangent to Q the divergence of the motion on Q. It is integrated beside the sums, as a
check that shares only the directions with them, by the trapezoidal rule with the slopes of Euler and
Maclaurin's first correction from neighbouring differences:

    ∫ f dt ≈ Σ h (f_a + f_b)/2 + h² (f'_a − f'_b)/12.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log, sqrt

from chetaev.flow.kernels import statuses
from chetaev.flow.kernels.advance import advance, begin
from chetaev.flow.kernels.arrays import Floats, Function, Ints, Whole
from chetaev.flow.kernels.integration import Search

FIRST_STEPS = 6
"""Steps between the first rows."""
PART_OF_STEPS = 32
"""Later rows are this part of all steps so far apart."""
DEPENDENT_ROW = 1e-10
"""What is left of a normal beside others, as a part of it, if it depends on them."""

# the integral of the rate of volume
INTEGRAL = 0
DOUBT = 1  # the size of what the correction adds up to
TIME = 2  # of the last value
RATE = 3
STEP = 4  # before the last value, 0 none
SLOPE = 5  # over that step


@dataclass
class Stretches:
    """What is carried along."""

    normals: Function  # the program of G
    ints: Ints
    marks: Floats  # times at which rows are put down; the last is the end
    rows: Floats  # time, (q, v) and sums of logarithms, for each row
    sums: Floats  # of logarithms since the last row, one for each direction
    volume: Floats  # the integral of the rate of volume, see above
    units: Floats  # the normals, made orthonormal, and behind them room for φ and f
    weights: Floats  # one for each component, then those by which lengths are measured

    count = Whole()  # directions
    size = Whole()  # of (q, v)
    normal_count = Whole()  # rows of G
    mark_count = Whole()
    mark_next = Whole()
    marked = Whole()  # 1: rows are put down at marks only
    capacity = Whole()  # of rows
    row_count = Whole()
    written = Whole()  # steps and rejections when the last row was put down
    over = Whole()  # 1: a step is over, directions are not orthonormal yet
    lost = Whole()  # 1: a direction has grown beyond all numbers, or vanished beside the others
    budget = Whole()  # steps and rejections that this call may still make


def left_beside(d: int, row: Floats, units: Floats, count: int, weights: Floats) -> float:
    """Take the components along orthonormal rows off a vector, twice, against rounding; its length.

    The product of two vectors is Σ weights_i x_i y_i.
    """
    for _again in range(2):
        for j in range(count):
            s = 0.0
            for i in range(d):
                s = s + weights[i] * row[i] * units[j * d + i]
            for i in range(d):
                row[i] = row[i] - s * units[j * d + i]
    s = 0.0
    for i in range(d):
        s = s + weights[i] * row[i] * row[i]
    return sqrt(s)


def orthonormal_normals(d: int, count: int, units: Floats, ones: Floats) -> int:
    """Make the rows of G orthonormal; rows that depend on others are left out. Returns how many are left."""
    kept = 0
    for r in range(count):
        s = 0.0
        for i in range(d):
            s = s + units[r * d + i] * units[r * d + i]
        s = sqrt(s)
        if s > 0.0:
            for i in range(d):
                units[kept * d + i] = units[r * d + i] / s
            s = left_beside(d, units[kept * d :], units, kept, ones)
            if s > DEPENDENT_ROW:
                for i in range(d):
                    units[kept * d + i] = units[kept * d + i] / s
                kept = kept + 1
    return kept


def straighten(
    d: int, count: int, lines: Floats, units: Floats, beside: int, weights: Floats, sums: Floats
) -> int:
    """Make directions tangent, orthogonal to the first `beside` of the units, and orthonormal by weights.

    Weights are d ones, for the first, and then those of the components, for the second. Returns 1 if a
    direction is lost.
    """
    for k in range(count):
        row = lines[k * d :]
        left_beside(d, row, units, beside, weights)
        length = left_beside(d, row, lines, k, weights[d:])
        if not (length > 0.0 and isfinite(length)):
            return 1
        for i in range(d):
            row[i] = row[i] / length
        sums[k] = sums[k] + log(length)
    return 0


def follow_volume(run: Search, carried: Stretches) -> None:
    """The integral of the rate of volume up to here, where directions are orthonormal."""
    d = carried.size
    rate = 0.0
    for k in range(carried.count):
        for i in range(d):
            place = (k + 1) * d + i
            rate = rate + carried.weights[d + i] * run.y[place] * run.k[place]
    volume = carried.volume
    h = run.t - volume[TIME]
    if h != 0.0:
        before = volume[STEP]
        slope = (rate - volume[RATE]) / h
        turn = slope
        middle = slope
        if before != 0.0:
            turn = slope - volume[SLOPE]
            middle = (slope * before + volume[SLOPE] * h) / (h + before)
        correction = middle * (h * h - before * before) / 12.0
        volume[INTEGRAL] = volume[INTEGRAL] + 0.5 * h * (rate + volume[RATE]) + correction
        volume[DOUBT] = volume[DOUBT] + abs(turn) * h * h / 12.0
        volume[STEP] = h
        volume[SLOPE] = slope
    volume[TIME] = run.t
    volume[RATE] = rate


def end_step(run: Search, carried: Stretches) -> int:
    """Directions become orthonormal, and a row is put down where it is time."""
    d = carried.size
    count = carried.count
    beside = 0
    if carried.normal_count > 0:
        units = carried.units
        carried.normals(run.t, run.y, run.p, units[carried.normal_count * d :], units)
        beside = orthonormal_normals(d, carried.normal_count, units, carried.weights)
    carried.lost = straighten(d, count, run.work[d:], carried.units, beside, carried.weights, carried.sums)
    if carried.lost:
        return statuses.PAUSED
    total = run.steps + run.rejected
    marked = 0
    if run.t == run.end:
        marked = 1
    thin = max(FIRST_STEPS, total // PART_OF_STEPS)
    if marked > 0 or (carried.marked == 0 and total - carried.written >= thin):
        row = carried.rows[carried.row_count * (1 + d + count) :]
        row[0] = run.t
        for i in range(d):
            row[1 + i] = run.y[i]
        for k in range(count):
            row[1 + d + k] = carried.sums[k]
            carried.sums[k] = 0.0
        carried.row_count = carried.row_count + 1
        carried.written = total
    if marked > 0:
        carried.mark_next = carried.mark_next + 1
        if carried.mark_next < carried.mark_count:
            run.end = carried.marks[carried.mark_next]
    carried.over = 0
    run.fresh = 1
    return statuses.RUNNING


def carry(run: Search, at: Floats, out: Floats, kept: Floats, carried: Stretches) -> int:
    """Step after step, until the last mark, or until Python has something to do; returns a status."""
    status = statuses.RUNNING
    while status == statuses.RUNNING or status == statuses.PAUSED:
        if carried.over > 0:
            if carried.row_count >= carried.capacity:
                return statuses.PAUSED
            status = end_step(run, carried)
            if status != statuses.RUNNING:
                return status
        if run.fresh:
            status = begin(run)
            if status != statuses.RUNNING:
                return status
            follow_volume(run, carried)
        if carried.mark_next >= carried.mark_count:
            return statuses.DONE
        if carried.budget <= 0:
            return statuses.PAUSED
        before = run.steps
        run.slice = 1
        status = advance(run, at, out, kept)
        carried.budget = carried.budget - 1
        if run.steps > before:
            carried.over = 1
    return status
