"""Motions in lanes: what is done in every lane, and how members come into lanes and out of them.

The steps, their errors, the projection and the choice of the next step are the kernels of single motions and
of the scheme: a lane has the bits that `ch.simulate` has. The lanes are an `Integration` of which every lane
has its own numbers: ``reals``, ``p`` and ``work`` have the parts that they have for a single motion, each
entry a vector; entry e of lane l stands at e·lanes + l. Whole numbers are the same for all lanes; what counts
or decides in each lane by itself is a number here.

A lane whose member is done takes the next one. A member that a lane cannot finish (a weak chart, a huge
angle, a step that collapses, too many steps) keeps the status 0, and is left to the loops for single motions,
from its start.
"""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.flow.kernels.advance import attempt, take
from chetaev.flow.kernels.arrays import Alias, Floats, Ints, Real, Uniforms, per_lane, place_of
from chetaev.flow.kernels.by_scheme import dense_output, interpolate
from chetaev.flow.kernels.control import first_step, next_step, refuse
from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.integration import LEAST_LOG, Integration
from chetaev.flow.kernels.project import project
from chetaev.flow.kernels.statuses import STOP_CHART


@per_lane
def lane_begin(run: Lanes) -> None:
    """The field at the start of new members and their first steps; see `flow.kernels.advance.begin`."""
    if run.entering > 0.0:
        run.steps = 0.0
        run.rejected = 0.0
        run.after_reject = 0.0
        run.last_log = LEAST_LOG
        run.h_max = abs(run.end - run.t)
        code = evaluate(run, run.t, run.y, run.k_end, 1)
        run.code = code
        if code == 0:
            for i in range(run.d):
                run.k[i] = run.k_end[i]
            run.h = first_step(run)
            run.span = min(1e-3 * run.h_max, 1e3 * abs(run.h))


@per_lane
def lane_attempt(run: Lanes) -> None:
    """A step up to the end; nothing is taken yet."""
    remaining = run.end - run.t
    run.wanted = run.h
    run.clipped = 0.0
    if abs(run.h) * 1.000001 >= abs(remaining):
        run.h = remaining
        run.clipped = 1.0
    run.code = attempt(run)
    run.until = run.end if run.clipped > 0.0 else run.t + run.h


@per_lane
def lane_dense(run: Lanes) -> None:
    """The vectors of the dense output, where a time is due in the step."""
    late = run.due - (run.t + run.h)
    if run.code == 0.0 and late * run.h < 0.0:
        run.code = dense_output(run)


@per_lane
def lane_point(run: Lanes) -> None:
    """The state at the time that is due, into ``trial``."""
    x = (run.due - run.t) / run.h
    for i in range(run.d):
        run.trial[i] = interpolate(run.d, i, run.y, run.dense, x)
    project(run, run.due, run.trial)
    if run.due == run.until:
        for i in range(run.d):
            run.trial[i] = run.new[i]


@per_lane
def lane_settle(run: Lanes) -> None:
    """Whether the step is taken, and the next one's length; see `flow.kernels.advance.advance`."""
    smallest = 4e-16 * max(abs(run.t), run.span)
    vanished = run.clipped == 0.0 and abs(run.wanted) <= smallest
    if vanished or run.code >= STOP_CHART or run.steps + run.rejected + 1.0 >= run.slice:
        run.outcome = -1.0
    elif run.code != 0.0:
        refuse(run, int(run.code))
        run.outcome = 0.0
    else:
        factor = next_step(run)
        h = run.h
        take(run, run.until)
        run.h = h * factor
        if run.clipped > 0.0 and abs(run.wanted) > abs(run.h):
            run.h = run.wanted
        run.outcome = 1.0


LANE_REALS = 32


@dataclass
class Lanes(Integration):
    """What a step in lanes needs: elimination without pivoting, steps of any length, no variations."""

    table: Uniforms

    steps = Real()  # type: ignore[assignment]
    rejected = Real()  # type: ignore[assignment]
    after_reject = Real()  # type: ignore[assignment]
    code = Real()  # why the step cannot be taken; 0 if it can
    wanted = Real()  # the step before it was cut at the end
    clipped = Real()  # 1: it was
    until = Real()  # the end of the step
    due = Real()  # the next time at which the state is wanted; infinite if at none
    outcome = Real()  # 1: the step is taken, 0: refused, −1: the lane cannot go on
    entering = Real()  # 1: a new member, whose field is to be computed

    form = Alias[int](lambda self: 0)  # elimination without pivoting
    fixed = Alias[int](lambda self: 0)  # steps have any length
    directions = Alias[int](lambda self: 0)  # no variations


# entries of ``reals``
LANE_T = place_of(Lanes, "t")
LANE_END = place_of(Lanes, "end")
LANE_H = place_of(Lanes, "h")
LANE_STEPS = place_of(Lanes, "steps")
LANE_REJECTED = place_of(Lanes, "rejected")
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


def lane_load(
    run: Lanes, lanes: int, lane: int, member: int, t0: Floats, y0: Floats, p0: Floats,
    at: Uniforms, at_count: int, first_at: Ints, slots: Ints,
) -> None:  # fmt: skip
    """Put a member into a lane."""
    d = run.d
    for i in range(d):
        run.work[i * lanes + lane] = y0[member * d + i]
    for i in range(run.parameters):
        run.p[i * lanes + lane] = p0[member * run.parameters + i]
    run.reals[LANE_T * lanes + lane] = t0[member]
    run.reals[LANE_ENTERING * lanes + lane] = 1.0
    slots[lane * SLOTS + SLOT_MEMBER] = member
    slots[lane * SLOTS + SLOT_NEXT] = first_at[member]
    lane_next_due(run, lanes, lane, at, at_count, slots)


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


def lane_fill(
    run: Lanes, lanes: int, first: int, count: int, t0: Floats, y0: Floats, p0: Floats,
    at: Uniforms, at_count: int, first_at: Ints, slots: Ints,
) -> int:  # fmt: skip
    """The next members go into lanes that are free, and begin; returns the number of the next one then."""
    following = first
    for lane in range(lanes):
        run.reals[LANE_ENTERING * lanes + lane] = 0.0
        if slots[lane * SLOTS + SLOT_MEMBER] < 0 and following < count:
            lane_load(run, lanes, lane, following, t0, y0, p0, at, at_count, first_at, slots)
            following = following + 1
    lane_begin(run)
    for lane in range(lanes):
        if run.reals[LANE_ENTERING * lanes + lane] > 0.0 and run.reals[LANE_CODE * lanes + lane] != 0.0:
            slots[lane * SLOTS + SLOT_MEMBER] = -1
    return following


def drive(
    run: Lanes, lanes: int, count: int, t0: Floats, y0: Floats, p0: Floats,
    at: Uniforms, at_count: int, first_at: Ints, slots: Ints,
    final: Floats, series: Floats, counts: Ints, stop: Ints,
) -> int:  # fmt: skip
    """Run all members; 1 if it was stopped before. ``counts``: 1 if done, steps, refusals of each."""
    following = 0
    busy = 0
    while busy > 0 or following < count:
        if stop[0] != 0:
            return 1
        if busy < lanes and following < count:
            following = lane_fill(run, lanes, following, count, t0, y0, p0, at, at_count, first_at, slots)
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
