"""Members into lanes and out of them: a lane whose member is done takes the next one.

This is ordinary code for single numbers; entry e of lane l of an array stands at e·lanes + l. A member that a
lane cannot finish (a weak chart, a huge angle, a step that collapses, too many steps) keeps the status
0, and is left to the loops for single motions, from its start.
"""

from __future__ import annotations

from chetaev.flow.kernels.arrays import Floats, Ints, Uniforms, place_of, rare
from chetaev.flow.kernels.integration import LEAST_LOG
from chetaev.flow.lanes.lane_steps import (
    Lanes,
    lane_attempt,
    lane_begin,
    lane_dense,
    lane_point,
    lane_settle,
)

# entries of ``reals``
LANE_T = place_of(Lanes, "t")
LANE_END = place_of(Lanes, "end")
LANE_H = place_of(Lanes, "h")
LANE_RTOL = place_of(Lanes, "rtol")
LANE_ATOL = place_of(Lanes, "atol")
LANE_LAST = place_of(Lanes, "last_log")
LANE_MOST = place_of(Lanes, "h_max")
LANE_STEPS = place_of(Lanes, "steps")
LANE_REJECTED = place_of(Lanes, "rejected")
LANE_REFUSED = place_of(Lanes, "after_reject")
LANE_CODE = place_of(Lanes, "code")
LANE_UNTIL = place_of(Lanes, "until")
LANE_DUE = place_of(Lanes, "due")
LANE_OUTCOME = place_of(Lanes, "outcome")
LANE_ENTERING = place_of(Lanes, "entering")
# what is known of a lane in whole numbers
SLOT_MEMBER = 0
SLOT_NEXT = 1
SLOTS = 2
FAR = 1e300


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
    reals[LANE_RTOL * lanes + lane] = tolerance
    reals[LANE_ATOL * lanes + lane] = tolerance
    reals[LANE_CODE * lanes + lane] = 0.0
    reals[LANE_ENTERING * lanes + lane] = 1.0
    reals[LANE_STEPS * lanes + lane] = 0.0
    reals[LANE_REJECTED * lanes + lane] = 0.0
    reals[LANE_LAST * lanes + lane] = LEAST_LOG
    reals[LANE_MOST * lanes + lane] = abs(end - t0[member])
    reals[LANE_REFUSED * lanes + lane] = 0.0
    slots[lane * SLOTS + SLOT_MEMBER] = member
    slots[lane * SLOTS + SLOT_NEXT] = first_at[member]
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


def lane_finish(run: Lanes, lanes: int, lane: int, slots: Ints, final: Floats, counts: Ints) -> int:
    """1 if the member of a lane is done; its final state and its steps are written."""
    if run.reals[LANE_T * lanes + lane] != run.reals[LANE_END * lanes + lane]:
        return 0
    d = run.d
    member = slots[lane * SLOTS + SLOT_MEMBER]
    for i in range(d):
        final[member * d + i] = run.work[i * lanes + lane]
    counts[3 * member] = 1
    counts[3 * member + 1] = int(run.reals[LANE_STEPS * lanes + lane])
    counts[3 * member + 2] = int(run.reals[LANE_REJECTED * lanes + lane])
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


@rare
def lane_fill(
    run: Lanes, lanes: int, first: int, count: int, t0: Floats, y0: Floats, p0: Floats, end: float,
    tolerance: float, at: Uniforms, at_count: int, first_at: Ints, slots: Ints,
) -> int:  # fmt: skip
    """The next members go into lanes that are free, and begin; returns the number of the next one then."""
    following = first
    for lane in range(lanes):
        run.reals[LANE_ENTERING * lanes + lane] = 0.0
        if slots[lane * SLOTS + SLOT_MEMBER] < 0 and following < count:
            lane_load(run, lanes, lane, following, t0, y0, p0, end, tolerance, at, at_count, first_at, slots)
            following = following + 1
    lane_begin(run)
    for lane in range(lanes):
        if run.reals[LANE_ENTERING * lanes + lane] > 0.0 and run.reals[LANE_CODE * lanes + lane] != 0.0:
            slots[lane * SLOTS + SLOT_MEMBER] = -1
    return following


def drive(
    run: Lanes, lanes: int, count: int, t0: Floats, y0: Floats, p0: Floats, end: float,
    tolerance: float, at: Uniforms, at_count: int, first_at: Ints, slots: Ints,
    final: Floats, series: Floats, counts: Ints, stop: Ints,
) -> int:  # fmt: skip
    """Run all members; 1 if it was stopped before. ``counts``: 1 if done, steps, refusals of each."""
    following = 0
    busy = 0
    while busy > 0 or following < count:
        if stop[0] != 0:
            return 1
        if busy < lanes and following < count:
            following = lane_fill(
                run, lanes, following, count, t0, y0, p0, end, tolerance, at, at_count, first_at, slots
            )
        lane_attempt(run)
        if at_count > 0:
            if lane_needs_dense(run, lanes, slots):
                lane_dense(run)
            lane_put_out(run, lanes, at, at_count, slots, series)
        lane_settle(run)
        busy = 0
        for lane in range(lanes):
            if slots[lane * SLOTS + SLOT_MEMBER] >= 0:
                outcome = run.reals[LANE_OUTCOME * lanes + lane]
                if outcome < 0.0 or lane_finish(run, lanes, lane, slots, final, counts):
                    slots[lane * SLOTS + SLOT_MEMBER] = -1
                else:
                    busy = busy + 1
    return 0
