"""Steps until something happens: the end, a full buffer, an event, a chart to leave, a place to stop at.

A step is attempted, its error is judged, its end is moved back onto the constraints, the field there is
computed (it is the next step's first stage), and only then it is taken. A step is refused when its error is
too large, when a value is not finite, when a watched pivot changes its sign or collapses, or when the
projection does not converge; when refusals shrink the step to nothing, the last reason is the reason for
the end.
"""

from math import sqrt

from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.dop853 import dop853_dense, dop853_step
from chetaev.flow.kernels.events import LABOUR, scan, undo
from chetaev.flow.kernels.field import STOP_CHART, STOP_LIBM, evaluate
from chetaev.flow.kernels.layout import (
    AFTER_REJECT,
    AT_COUNT,
    AT_NEXT,
    ATOL,
    BRANCH,
    CHART,
    COLLAPSED,
    DENSE_CAPACITY,
    DENSE_COUNT,
    DIM,
    DONE,
    END,
    ERROR,
    EVENT,
    EVENT_INDEX,
    EVENT_KIND,
    EVENTS,
    FACTORED,
    FIRST,
    FRESH,
    GATHERED,
    H_MAX,
    LABOURED,
    LACKING,
    LAST_ERROR,
    LIBM,
    METHOD,
    NOT_FINITE,
    OFF_CONSTRAINT,
    OUT_CAPACITY,
    OUT_COUNT,
    PAUSED,
    REJECT_ERROR,
    REJECT_FINITE,
    REJECT_PIVOT,
    REJECT_PROJECTION,
    REJECTED,
    RTOL,
    RUNNING,
    SINGULAR,
    SLICE,
    SPAN,
    STEPS,
    WATCHED,
    H,
    T,
    at_aux,
    at_dense,
    at_new,
    at_pivots,
    at_stages,
    at_trial,
)
from chetaev.flow.kernels.locate import point
from chetaev.flow.kernels.project import project
from chetaev.flow.kernels.radau import radau_dense, radau_step
from chetaev.flow.kernels.walk import BRANCH_KIND


def pause_code(code: int) -> int:
    """The status for a field evaluation that cannot be used."""
    if code == STOP_CHART:
        return CHART
    if code == STOP_LIBM:
        return LIBM
    if code == REJECT_FINITE:
        return NOT_FINITE
    if code == REJECT_PIVOT:
        return SINGULAR
    if code == REJECT_PROJECTION:
        return OFF_CONSTRAINT
    return COLLAPSED


def first_step(
    rhs: Function, tangent: Function, ints: Ints, reals: Floats, p: Floats, work: Floats, order: int
) -> float:
    """A first guess of the step (Hairer, Nørsett and Wanner I, II.4)."""
    d = ints[DIM]
    trial = work[at_trial(ints) :]
    k = work[at_stages(ints) :]
    other = k[d:]
    size = 0.0
    slope = 0.0
    for i in range(d):
        scale = reals[ATOL] + reals[RTOL] * abs(work[i])
        size = size + (work[i] / scale) * (work[i] / scale)
        slope = slope + (k[i] / scale) * (k[i] / scale)
    h = 1e-6
    if size > 1e-10 * d and slope > 1e-10 * d:
        h = 0.01 * sqrt(size / slope)
    h = min(h, reals[H_MAX])
    signed = h if reals[END] > reals[T] else -h
    for i in range(d):
        trial[i] = work[i] + signed * k[i]
    code = evaluate(
        rhs,
        tangent,
        ints,
        reals[T] + signed,
        trial,
        p,
        other,
        work[at_pivots(ints) :],
        work[at_aux(ints) :],
        0,
    )
    if code != 0:
        return 0.01 * signed
    change = 0.0
    for i in range(d):
        scale = reals[ATOL] + reals[RTOL] * abs(work[i])
        change = change + ((other[i] - k[i]) / scale) * ((other[i] - k[i]) / scale)
    steep = max(sqrt(change / d) / h, sqrt(slope / d))
    better = max(1e-6, h * 1e-3)
    if steep > 1e-15:
        better = (0.01 / steep) ** (1.0 / order)
    better = min(min(100.0 * h, better), reals[H_MAX])
    return better if signed > 0.0 else -better


def begin(rhs: Function, tangent: Function, ints: Ints, reals: Floats, p: Floats, work: Floats) -> int:
    """The field at the start; after a change of chart or branch too."""
    k = work[at_stages(ints) :]
    code = evaluate(
        rhs, tangent, ints, reals[T], work, p, k, work[at_pivots(ints) :], work[at_aux(ints) :], 1
    )
    if code != 0:
        for i in range(ints[DIM]):
            work[at_trial(ints) + i] = work[i]
        return pause_code(code)
    if reals[H] == 0.0:
        order = 8 if ints[METHOD] == 0 else 5
        reals[H] = first_step(rhs, tangent, ints, reals, p, work, order)
        if reals[SPAN] == 0.0:
            reals[SPAN] = min(1e-3 * reals[H_MAX], 1e3 * abs(reals[H]))
    ints[FRESH] = 0
    return RUNNING


def attempt(
    rhs: Function,
    tangent: Function,
    con: Function,
    table: Floats,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
) -> int:
    """A step, its error, its end on the constraints and the field there; nothing is taken yet."""
    d = ints[DIM]
    if ints[METHOD] == 0:
        code = dop853_step(rhs, tangent, table, ints, reals, p, work)
    else:
        code = radau_step(rhs, tangent, ints, reals, p, work)
    if code != 0:
        return code
    if not reals[ERROR] <= 1.0:
        return REJECT_ERROR
    new = work[at_new(ints) :]
    if project(con, ints, reals, reals[T] + reals[H], new, p, work) != 0:
        return REJECT_PROJECTION
    k = work[at_stages(ints) :]
    code = evaluate(
        rhs,
        tangent,
        ints,
        reals[T] + reals[H],
        new,
        p,
        k[12 * d :],
        work[at_pivots(ints) :],
        work[at_aux(ints) :],
        0,
    )
    if code != 0:
        trial = work[at_trial(ints) :]
        for i in range(d):
            trial[i] = new[i]
    for i in range(ints[WATCHED]):
        work[at_pivots(ints) + ints[WATCHED] + i] = work[at_aux(ints) + i]
    return code


def put_out(
    con: Function, ints: Ints, reals: Floats, p: Floats, work: Floats, at: Floats, out: Floats, until: float
) -> None:
    """Write the requested times of this step up to `until`, or the end of the step."""
    d = ints[DIM]
    if ints[AT_COUNT] < 0:
        row = out[ints[OUT_COUNT] * (d + 1) :]
        row[0] = until
        for i in range(d):
            row[1 + i] = work[at_new(ints) + i]
        ints[OUT_COUNT] = ints[OUT_COUNT] + 1
        return
    direction = 1.0 if reals[H] > 0.0 else -1.0
    while ints[AT_NEXT] < ints[AT_COUNT]:
        time = at[ints[AT_NEXT]]
        if direction * (time - until) > 0.0:
            break
        row = out[ints[OUT_COUNT] * (d + 1) :]
        row[0] = time
        if time == until:
            for i in range(d):
                row[1 + i] = work[at_new(ints) + i]
        else:
            point(ints, reals, work, (time - reals[T]) / reals[H], row[1:])
            project(con, ints, reals, time, row[1:], p, work)
        ints[OUT_COUNT] = ints[OUT_COUNT] + 1
        ints[AT_NEXT] = ints[AT_NEXT] + 1


def wants_dense(ints: Ints, reals: Floats, at: Floats) -> int:
    """Whether something in this step needs the dense output."""
    if ints[EVENTS] > 0 or ints[DENSE_CAPACITY] > 0:
        return 1
    if ints[AT_COUNT] > 0 and ints[AT_NEXT] < ints[AT_COUNT]:
        late = at[ints[AT_NEXT]] - (reals[T] + reals[H])
        if late * reals[H] < 0.0:
            return 1
    return 0


def keep_dense(ints: Ints, reals: Floats, work: Floats, dense: Floats) -> None:
    """Store start, length, state and the vectors of the dense output."""
    d = ints[DIM]
    row = dense[ints[DENSE_COUNT] * (2 + 8 * d) :]
    row[0] = reals[T]
    row[1] = reals[H]
    for i in range(d):
        row[2 + i] = work[i]
    for i in range(7 * d):
        row[2 + d + i] = work[at_dense(ints) + i]
    ints[DENSE_COUNT] = ints[DENSE_COUNT] + 1


def refuse(ints: Ints, reals: Floats, code: int) -> None:
    """Shorten the step after a refusal."""
    ints[REJECTED] = ints[REJECTED] + 1
    ints[AFTER_REJECT] = 1
    order = 8.0 if ints[METHOD] == 0 else 4.0
    factor = 0.25
    if code == REJECT_ERROR and reals[ERROR] < 1e300:
        factor = min(0.9, max(0.1, 0.9 * reals[ERROR] ** (-1.0 / order)))
    reals[H] = reals[H] * factor


def next_step(ints: Ints, reals: Floats) -> float:
    """The factor for the next step: proportional-integral control."""
    order = 8.0 if ints[METHOD] == 0 else 4.0
    error = max(reals[ERROR], 1e-10)
    factor: float = 0.9 * error ** (-1.0 / order + 0.02) * reals[LAST_ERROR] ** 0.03
    if ints[AFTER_REJECT]:
        factor = min(factor, 1.0)
    reals[LAST_ERROR] = max(reals[ERROR], 1e-4)
    return min(6.0, max(0.2, factor))


def take(ints: Ints, reals: Floats, work: Floats, time: float) -> None:
    """The end of the step becomes the start of the next."""
    d = ints[DIM]
    new = work[at_new(ints) :]
    k = work[at_stages(ints) :]
    for i in range(d):
        work[i] = new[i]
        k[i] = k[12 * d + i]
    for i in range(ints[WATCHED]):
        work[at_pivots(ints) + i] = work[at_pivots(ints) + ints[WATCHED] + i]
    reals[T] = time
    reals[GATHERED] = reals[GATHERED] + reals[ERROR]
    ints[STEPS] = ints[STEPS] + 1
    ints[AFTER_REJECT] = 0
    ints[FIRST] = 0
    ints[FACTORED] = 0


def advance(
    rhs: Function,
    tangent: Function,
    con: Function,
    event: Function,
    table: Floats,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
    at: Floats,
    out: Floats,
    found: Floats,
    dense: Floats,
    tape: Ints,
    numbers: Floats,
    watch: Floats,
) -> int:
    """Integrate until something happens; returns a status of `layout`."""
    reason = REJECT_ERROR
    ints[LABOURED] = 0
    if ints[FRESH]:
        status = begin(rhs, tangent, ints, reals, p, work)
        if status != RUNNING:
            return status
    for _turn in range(ints[SLICE]):
        if ints[AT_COUNT] < 0 and ints[OUT_COUNT] >= ints[OUT_CAPACITY]:
            return PAUSED
        if ints[LABOURED] > LABOUR:
            return PAUSED
        if ints[DENSE_CAPACITY] > 0 and ints[DENSE_COUNT] >= ints[DENSE_CAPACITY]:
            return PAUSED
        remaining = reals[END] - reals[T]
        if remaining == 0.0:
            return DONE
        wanted = reals[H]
        clipped = 0
        if abs(wanted) * 1.000001 >= abs(remaining):
            reals[H] = remaining
            clipped = 1
        if clipped == 0 and abs(wanted) <= 4e-16 * max(abs(reals[T]), reals[SPAN]):
            return pause_code(reason)
        code = attempt(rhs, tangent, con, table, ints, reals, p, work)
        needs = 0
        if code == 0:
            needs = wants_dense(ints, reals, at)
        if needs:
            if ints[METHOD] == 0:
                code = dop853_dense(rhs, tangent, table, ints, reals, p, work)
            else:
                radau_dense(ints, work)
        if code >= STOP_CHART:
            return pause_code(code)
        if code != 0:
            reason = code
            refuse(ints, reals, code)
            continue
        end = reals[END] if clipped else reals[T] + reals[H]
        status = RUNNING
        if ints[EVENTS] > 0:
            ends = scan(event, con, ints, reals, p, work, found, tape, numbers, watch)
            if ints[LACKING] == 1:
                reals[H] = wanted
                return PAUSED
            if ints[EVENT_INDEX] >= 0:
                end = reals[T] + ends * reals[H]
                status = EVENT
                if ints[EVENT_KIND + ints[EVENT_INDEX]] == BRANCH_KIND:
                    status = BRANCH
                new = work[at_new(ints) :]
                point(ints, reals, work, ends, new)
                if project(con, ints, reals, end, new, p, work) != 0:
                    reason = REJECT_PROJECTION
                    undo(ints, watch)
                    refuse(ints, reals, REJECT_PROJECTION)
                    continue
                ints[FRESH] = 1
        if end != reals[T]:
            put_out(con, ints, reals, p, work, at, out, end)
        if ints[DENSE_CAPACITY] > 0:
            keep_dense(ints, reals, work, dense)
        factor = next_step(ints, reals)
        h = reals[H]
        take(ints, reals, work, end)
        reals[H] = h * factor
        if clipped and abs(wanted) > abs(reals[H]):
            reals[H] = wanted
        if status != RUNNING:
            return status
    return PAUSED
