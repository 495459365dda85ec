r"""Directions carried along a motion and made orthonormal again and again (Benettin et al. 1980).

The state holds (q, v) and behind it k directions η, η' = (∂X/∂y) η. A stretch is a number of steps after
which Gram and Schmidt make the directions orthonormal, and orthogonal to the normals of Q, the rows of
G = ∂(φ, f)/∂(q, v); the logarithms of the lengths that they find are summed up. The next stretch is so long
that lengths do not grow apart by more than about `FAR_APART`: what is left of the shortest direction would
drown in the errors of the longest. Where a stretch ends does not depend on how many steps a call may make.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log, sqrt

from chetaev.flow.kernels.advance import advance
from chetaev.flow.kernels.arrays import Floats, Function, Ints, Whole, rare
from chetaev.flow.kernels.integration import Search
from chetaev.flow.kernels.statuses import DONE, LIBM, PAUSED, RUNNING

FAR_APART = 5.0
"""The logarithm of the ratio of lengths that directions may reach in a stretch."""
FIRST_STEPS = 6
"""Steps that the first stretches may have."""
PART_OF_STEPS = 32
"""Later stretches have at most this part of all steps so far, and a row is put down as often."""
DEPENDENT_ROW = 1e-10
"""What is left of a normal beside others, as a part of it, if it depends on them."""
AT_A_MARK = 2
"""What has ended is not only a stretch."""
HUGE_ANGLE = 1
"""Larger flags of a program say that an angle is too large for the fast sines."""


@dataclass
class Stretches:
    """What is carried along."""

    normals: Function  # the program of G
    ints: Ints
    marks: Floats  # times at which rows are put down; the last is the end
    rows: Floats  # time, (q, v) and sums of logarithms, for each row
    sums: Floats  # of logarithms since the last row, one for each direction; then what the last stretch added
    units: Floats  # the normals, made orthonormal, and behind them room for φ and f
    weights: Floats  # one for each component, then those by which lengths are measured

    count = Whole(0)  # directions
    size = Whole(1)  # of (q, v)
    normal_count = Whole(2)  # rows of G
    mark_count = Whole(3)
    mark_next = Whole(4)
    marked = Whole(5)  # 1: rows are put down at marks only
    capacity = Whole(6)  # of rows
    row_count = Whole(7)
    begun = Whole(8)  # steps and rejections when the stretch began
    wanted = Whole(9)  # steps of the stretch
    written = Whole(10)  # steps and rejections when the last row was put down
    over = Whole(11)  # 1: the stretch is over, directions are not orthonormal yet; 2: at a mark, too
    lost = Whole(12)  # 1: a direction has grown beyond all numbers, or vanished beside the others
    budget = Whole(13)  # steps and rejections that this call may still make


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

    Weights are d ones, for the first, and then those of the components, for the second. Behind the sums of
    logarithms stands what this adds to each. Returns 1 if a direction is lost.
    """
    for k in range(count):
        row = lines[k * d :]
        left_beside(d, row, units, beside, weights)
        length = left_beside(d, row, lines, k, weights[d:])
        if not (length > 0.0 and isfinite(length)):
            return 1
        for i in range(d):
            row[i] = row[i] / length
        sums[count + k] = log(length)
        sums[k] = sums[k] + sums[count + k]
    return 0


@rare
def end_stretch(run: Search, carried: Stretches) -> int:
    """Directions become orthonormal, a row is put down where it is time, and the next stretch is chosen."""
    d = carried.size
    count = carried.count
    beside = 0
    if carried.normal_count > 0:
        units = carried.units
        flags = carried.normals(run.t, run.y, run.p, units[carried.normal_count * d :], units)
        if flags > HUGE_ANGLE:
            return LIBM
        beside = orthonormal_normals(d, carried.normal_count, units, carried.weights)
    carried.lost = straighten(d, count, run.work[d:], carried.units, beside, carried.weights, carried.sums)
    if carried.lost:
        return PAUSED
    total = run.steps + run.rejected
    due = carried.over
    if carried.marked == 0 and total - carried.written >= max(FIRST_STEPS, total // PART_OF_STEPS):
        due = AT_A_MARK
    if due == AT_A_MARK:
        row = carried.rows[carried.row_count * (1 + d + count) :]
        row[0] = run.t
        for i in range(d):
            row[1 + i] = run.y[i]
        for k in range(count):
            row[1 + d + k] = carried.sums[k]
            carried.sums[k] = 0.0
        carried.row_count = carried.row_count + 1
        carried.written = total
    high = 0.0
    low = 0.0
    for k in range(count):
        high = max(high, carried.sums[count + k])
        low = min(low, carried.sums[count + k])
    done = total - carried.begun
    if done > 0:
        often = FAR_APART * float(done)
        if high - low > 0.0:
            often = min(often / (high - low), 1e9)
        else:
            often = 1e9
        longest = min(2 * carried.wanted, max(FIRST_STEPS, total // PART_OF_STEPS))
        carried.wanted = max(1, min(int(often), longest))
    carried.begun = total
    if carried.over == AT_A_MARK:
        carried.mark_next = carried.mark_next + 1
        if carried.mark_next < carried.mark_count:
            run.end = carried.marks[carried.mark_next]
    carried.over = 0
    run.fresh = 1
    return RUNNING


@rare
def carry(run: Search, at: Floats, out: Floats, kept: Floats, carried: Stretches) -> int:
    """Stretch after stretch, until the last mark, or until Python has something to do; returns a status."""
    status = RUNNING
    while status == RUNNING or status == PAUSED:
        if carried.over > 0:
            if carried.row_count >= carried.capacity:
                return PAUSED
            status = end_stretch(run, carried)
            if status != RUNNING:
                return status
        if carried.mark_next >= carried.mark_count:
            return DONE
        before = run.steps + run.rejected
        left = carried.begun + carried.wanted - before
        if left <= 0:
            carried.over = 1
            continue
        if carried.budget <= 0:
            return PAUSED
        run.slice = min(left, carried.budget)
        status = advance(run, at, out, kept)
        carried.budget = carried.budget - (run.steps + run.rejected - before)
        if status == DONE:
            carried.over = AT_A_MARK
            status = RUNNING
    return status
