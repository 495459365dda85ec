"""Members into lanes and out of them: a lane whose member is done takes the next one.

This is ordinary code for single numbers; entry e of lane l of an array stands at e·lanes + l. A member that a
lane cannot finish (a weak chart, a huge angle, a step that collapses, too many steps) keeps the status
0, and is left to the loops for single motions, from its start.
"""

from __future__ import annotations

from math import sqrt

from chetaev.flow.kernels.arrays import Floats, Ints, rare
from chetaev.flow.kernels.statuses import REJECT_ERROR, STOP_CHART
from chetaev.flow.lanes.lane_record import Lanes
from chetaev.flow.lanes.lane_steps import (
    lane_attempt,
    lane_begin,
    lane_dense,
    lane_point,
    lane_probe,
    lane_take,
)
from chetaev.flow.lanes.marks import Uniforms

# entries of ``reals``, as in `lane_record`
LANE_T = 0
LANE_END = 1
LANE_H = 2
LANE_TOLERANCE = 3
LANE_ERROR = 4
LANE_CODE = 5
LANE_WANTED = 6
LANE_CLIPPED = 7
LANE_SPAN = 8
LANE_UNTIL = 9
LANE_DUE = 10
LANE_TAKEN = 11
LANE_FRESH = 12
LANE_LAST = 13
LANE_MOST = 14
LANE_REFUSED = 15
# what is known of a lane in whole numbers
SLOT_MEMBER = 0
SLOT_NEXT = 1
SLOT_STEPS = 2
SLOT_REJECTED = 3
SLOTS = 4
FAR = 1e300


@rare
def lane_first_half(run: Lanes, lanes: int, lane: int) -> None:
    """The state a little ahead of a new member's start: see `flow.kernels.control.first_step`."""
    d = run.d
    tolerance = run.reals[LANE_TOLERANCE * lanes + lane]
    size = 0.0
    slope = 0.0
    for i in range(d):
        value = run.work[i * lanes + lane]
        rate = run.work[(3 * d + i) * lanes + lane]
        scale = tolerance + tolerance * abs(value)
        size = size + (value / scale) * (value / scale)
        slope = slope + (rate / scale) * (rate / scale)
    h = 1e-6
    if size > 1e-10 * d and slope > 1e-10 * d:
        h = 0.01 * sqrt(size / slope)
    h = min(h, run.reals[LANE_MOST * lanes + lane])
    t = run.reals[LANE_T * lanes + lane]
    signed = h if run.reals[LANE_END * lanes + lane] > t else -h
    for i in range(d):
        value = run.work[i * lanes + lane]
        rate = run.work[(3 * d + i) * lanes + lane]
        run.work[(2 * d + i) * lanes + lane] = value + signed * rate
    run.reals[LANE_H * lanes + lane] = signed
    run.reals[LANE_UNTIL * lanes + lane] = t + signed
    run.reals[LANE_WANTED * lanes + lane] = slope


@rare
def lane_second_half(run: Lanes, lanes: int, lane: int) -> None:
    """The first step, from the field a little ahead."""
    d = run.d
    tolerance = run.reals[LANE_TOLERANCE * lanes + lane]
    signed = run.reals[LANE_H * lanes + lane]
    slope = run.reals[LANE_WANTED * lanes + lane]
    most = run.reals[LANE_MOST * lanes + lane]
    h = abs(signed)
    first = 0.01 * signed
    if run.reals[LANE_ERROR * lanes + lane] == 0.0:
        change = 0.0
        for i in range(d):
            scale = tolerance + tolerance * abs(run.work[i * lanes + lane])
            rate = run.work[(3 * d + i) * lanes + lane]
            other = run.work[(15 * d + i) * lanes + lane]
            change = change + ((other - rate) / scale) * ((other - rate) / scale)
        steep = max(sqrt(change / d) / h, sqrt(slope / d))
        better = max(1e-6, h * 1e-3)
        if steep > 1e-15:
            better = (0.01 / steep) ** (1.0 / run.order)
        better = min(min(100.0 * h, better), most)
        first = better if signed > 0.0 else -better
    run.reals[LANE_H * lanes + lane] = first
    run.reals[LANE_SPAN * lanes + lane] = min(1e-3 * most, 1e3 * abs(first))


@rare
def lane_load(
    run: Lanes, lanes: int, lane: int, member: int, t0: Floats, y0: Floats, p0: Floats, end: float,
    tolerance: float, at: Uniforms, at_count: int, first_at: Ints, slots: Ints,
) -> None:  # fmt: skip
    """Put a member into a lane."""
    reals = run.reals
    d = run.d
    for i in range(d):
        run.work[i * lanes + lane] = y0[member * d + i]
    for i in range(run.parameters):
        run.p[i * lanes + lane] = p0[member * run.parameters + i]
    reals[LANE_T * lanes + lane] = t0[member]
    reals[LANE_END * lanes + lane] = end
    reals[LANE_H * lanes + lane] = 0.0
    reals[LANE_TOLERANCE * lanes + lane] = tolerance
    reals[LANE_CODE * lanes + lane] = 0.0
    reals[LANE_FRESH * lanes + lane] = 1.0
    reals[LANE_LAST * lanes + lane] = 1e-4
    reals[LANE_MOST * lanes + lane] = abs(end - t0[member])
    reals[LANE_REFUSED * lanes + lane] = 0.0
    slots[lane * SLOTS + SLOT_MEMBER] = member
    slots[lane * SLOTS + SLOT_NEXT] = first_at[member]
    slots[lane * SLOTS + SLOT_STEPS] = 0
    slots[lane * SLOTS + SLOT_REJECTED] = 0
    lane_next_due(run, lanes, lane, at, at_count, slots)


@rare
def lane_next_due(run: Lanes, lanes: int, lane: int, at: Uniforms, at_count: int, slots: Ints) -> None:
    """When the state of a lane is wanted next."""
    place = slots[lane * SLOTS + SLOT_NEXT]
    forwards = run.reals[LANE_END * lanes + lane] > run.reals[LANE_T * lanes + lane]
    due = FAR if forwards else -FAR
    if place < at_count:
        due = at[place]
    run.reals[LANE_DUE * lanes + lane] = due


def lane_is_due(run: Lanes, lanes: int, lane: int, slots: Ints) -> int:
    """Whether the state of a lane is wanted in this step, which is going to be taken."""
    reals = run.reals
    if slots[lane * SLOTS + SLOT_MEMBER] < 0 or reals[LANE_CODE * lanes + lane] != 0.0:
        return 0
    until = reals[LANE_UNTIL * lanes + lane]
    if until == reals[LANE_T * lanes + lane]:
        return 0
    direction = 1.0 if reals[LANE_H * lanes + lane] > 0.0 else -1.0
    if direction * (reals[LANE_DUE * lanes + lane] - until) > 0.0:
        return 0
    return 1


@rare
def lane_put_out(run: Lanes, lanes: int, at: Uniforms, at_count: int, slots: Ints, series: Floats) -> None:
    """Write the states of this step at the times asked for."""
    d = run.d
    some = 0
    for lane in range(lanes):
        some = some | lane_is_due(run, lanes, lane, slots)
    while some != 0:
        lane_point(run)
        some = 0
        for lane in range(lanes):
            if lane_is_due(run, lanes, lane, slots):
                place = slots[lane * SLOTS + SLOT_NEXT]
                row = series[(slots[lane * SLOTS + SLOT_MEMBER] * at_count + place) * d :]
                for i in range(d):
                    row[i] = run.work[(2 * d + i) * lanes + lane]
                slots[lane * SLOTS + SLOT_NEXT] = place + 1
                lane_next_due(run, lanes, lane, at, at_count, slots)
                some = some | lane_is_due(run, lanes, lane, slots)


def lane_settle(run: Lanes, lanes: int, lane: int, max_steps: int, slots: Ints) -> int:
    """Whether the step of a lane is taken, and the next one's length; 1 if the lane cannot go on."""
    reals = run.reals
    wanted = reals[LANE_WANTED * lanes + lane]
    clipped = reals[LANE_CLIPPED * lanes + lane]
    code = reals[LANE_CODE * lanes + lane]
    error = reals[LANE_ERROR * lanes + lane]
    h = reals[LANE_H * lanes + lane]
    reals[LANE_TAKEN * lanes + lane] = 0.0
    smallest = 4e-16 * max(abs(reals[LANE_T * lanes + lane]), reals[LANE_SPAN * lanes + lane])
    if clipped == 0.0 and abs(wanted) <= smallest:
        return 1
    if code >= STOP_CHART:
        return 1
    if slots[lane * SLOTS + SLOT_STEPS] + slots[lane * SLOTS + SLOT_REJECTED] + 1 >= max_steps:
        return 1
    if code != 0.0:
        slots[lane * SLOTS + SLOT_REJECTED] = slots[lane * SLOTS + SLOT_REJECTED] + 1
        reals[LANE_REFUSED * lanes + lane] = 1.0
        factor = 0.25
        if code == REJECT_ERROR and error < 1e300:
            factor = min(0.9, max(0.1, 0.9 * error ** (-1.0 / run.estimate)))
        reals[LANE_H * lanes + lane] = h * factor
        return 0
    known = max(error, 1e-10)
    last = reals[LANE_LAST * lanes + lane]
    factor = 0.9 * known ** (-1.0 / run.estimate + 0.02) * last**0.03
    if reals[LANE_REFUSED * lanes + lane] > 0.0:
        factor = min(factor, 1.0)
    reals[LANE_LAST * lanes + lane] = max(error, 1e-4)
    following = h * min(6.0, max(0.2, factor))
    if clipped > 0.0 and abs(wanted) > abs(following):
        following = wanted
    reals[LANE_H * lanes + lane] = following
    reals[LANE_REFUSED * lanes + lane] = 0.0
    reals[LANE_TAKEN * lanes + lane] = 1.0
    slots[lane * SLOTS + SLOT_STEPS] = slots[lane * SLOTS + SLOT_STEPS] + 1
    return 0


def lane_finish(run: Lanes, lanes: int, lane: int, slots: Ints, final: Floats, counts: Ints) -> int:
    """1 if the member of a lane is done; its final state and its steps are written."""
    if run.reals[LANE_T * lanes + lane] != run.reals[LANE_END * lanes + lane]:
        return 0
    d = run.d
    member = slots[lane * SLOTS + SLOT_MEMBER]
    for i in range(d):
        final[member * d + i] = run.work[i * lanes + lane]
    counts[3 * member] = 1
    counts[3 * member + 1] = slots[lane * SLOTS + SLOT_STEPS]
    counts[3 * member + 2] = slots[lane * SLOTS + SLOT_REJECTED]
    return 1


def lane_needs_dense(run: Lanes, lanes: int, slots: Ints) -> int:
    """Whether a time is due inside the step of some lane."""
    needs = 0
    for lane in range(lanes):
        h = run.reals[LANE_H * lanes + lane]
        late = run.reals[LANE_DUE * lanes + lane] - (run.reals[LANE_T * lanes + lane] + h)
        good = run.reals[LANE_CODE * lanes + lane] == 0.0
        if slots[lane * SLOTS + SLOT_MEMBER] >= 0 and good and late * h < 0.0:
            needs = 1
    return needs


def drive(
    run: Lanes, lanes: int, count: int, t0: Floats, y0: Floats, p0: Floats, end: float, tolerance: float,
    at: Uniforms, at_count: int, first_at: Ints, max_steps: int, slots: Ints, final: Floats, series: Floats,
    counts: Ints, stop: Ints,
) -> int:  # fmt: skip
    """Run all members; 1 if it was stopped before. ``counts``: 1 if done, steps, refusals of each."""
    following = 0
    busy = 0
    while busy > 0 or following < count:
        if stop[0] != 0:
            return 1
        fresh = 0
        for lane in range(lanes):
            run.reals[LANE_FRESH * lanes + lane] = 0.0
            if slots[lane * SLOTS + SLOT_MEMBER] < 0 and following < count:
                lane_load(
                    run, lanes, lane, following, t0, y0, p0, end, tolerance, at, at_count, first_at, slots
                )
                following = following + 1
                busy = busy + 1
                fresh = 1
        if fresh:
            lane_begin(run)
            for lane in range(lanes):
                if run.reals[LANE_FRESH * lanes + lane] > 0.0:
                    lane_first_half(run, lanes, lane)
            lane_probe(run)
            for lane in range(lanes):
                if run.reals[LANE_FRESH * lanes + lane] > 0.0:
                    lane_second_half(run, lanes, lane)
                    if run.reals[LANE_CODE * lanes + lane] != 0.0:
                        slots[lane * SLOTS + SLOT_MEMBER] = -1
                        busy = busy - 1
        lane_attempt(run)
        if at_count > 0:
            if lane_needs_dense(run, lanes, slots):
                lane_dense(run)
            lane_put_out(run, lanes, at, at_count, slots, series)
        for lane in range(lanes):
            run.reals[LANE_TAKEN * lanes + lane] = 0.0
            if slots[lane * SLOTS + SLOT_MEMBER] >= 0:
                if lane_settle(run, lanes, lane, max_steps, slots):
                    slots[lane * SLOTS + SLOT_MEMBER] = -1
                    busy = busy - 1
        lane_take(run)
        for lane in range(lanes):
            if run.reals[LANE_TAKEN * lanes + lane] > 0.0:
                if lane_finish(run, lanes, lane, slots, final, counts):
                    slots[lane * SLOTS + SLOT_MEMBER] = -1
                    busy = busy - 1
    return 0


def constraints_many(
    run: Lanes, count: int, t0: Floats, y0: Floats, p0: Floats, residuals: Floats, matrices: Floats
) -> None:
    """Residuals and C at the starts of members, by the program for one state."""
    n = run.n
    for member in range(count):
        run.con(
            t0[member], y0[2 * n * member :], p0[run.parameters * member :],
            residuals[(run.rows + run.position) * member :], matrices[run.all_rows * n * member :],
        )  # fmt: skip
