"""Steps until something happens: the end, a full buffer, an event, a chart to leave, a place to stop at.

A step is attempted, its error is judged, its end is moved back onto the constraints, the field there is
computed (it is the next step's first stage), and only then it is taken. A step is refused when its error is
too large, when a value is not finite, when a watched pivot changes its sign or collapses, or when the
projection does not converge; when refusals shrink the step to nothing, the last reason is the reason for
the end. What is kept of a step is the states at the times that are wanted, or at its end, and its dense
output.
"""

from chetaev.flow.kernels import statuses
from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.by_scheme import dense_output, misfit, step
from chetaev.flow.kernels.control import end_of_step, first_step, limited, next_step, refuse
from chetaev.flow.kernels.events import LABOUR, scan, undo
from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.integration import Integration, Search
from chetaev.flow.kernels.project import project
from chetaev.flow.kernels.samples import point
from chetaev.flow.kernels.walk import BRANCH_KIND

SAME = 1e-9
"""A last step that differs from the others by less than this part of them is taken as long as they are."""
PATIENCE = 15
CALM = 6


def pause_code(code: int) -> int:
    """The status for a field evaluation that cannot be used."""
    if code == statuses.STOP_CHART:
        return statuses.CHART
    if code == statuses.REJECT_FINITE:
        return statuses.NOT_FINITE
    if code == statuses.REJECT_PIVOT:
        return statuses.SINGULAR
    if code == statuses.REJECT_PROJECTION:
        return statuses.OFF_CONSTRAINT
    if code == statuses.REJECT_UNSOLVED:
        return statuses.NO_STEP
    return statuses.COLLAPSED


def begin(run: Integration) -> int:
    """The field at the start; after a change of chart or branch too."""
    code = evaluate(run, run.t, run.y, run.k, 1)
    if code != 0:
        for i in range(run.d):
            run.trial[i] = run.y[i]
        return pause_code(code)
    if run.h == 0.0:
        run.h = first_step(run)
        if run.span == 0.0:
            run.span = min(1e-3 * run.h_max, 1e3 * abs(run.h))
    run.fresh = 0
    return statuses.RUNNING


def attempt(run: Integration) -> int:
    """A step, its error, its end on the constraints and the field there; nothing is taken yet."""
    code = step(run)
    if code != 0:
        return code
    if not run.error <= 1.0:
        return statuses.REJECT_ERROR
    missed = 0
    if run.fixed == 0:
        missed = project(run, run.t + run.h, run.new)
    if missed != 0:
        return statuses.REJECT_PROJECTION
    code = evaluate(run, run.t + run.h, run.new, run.k_end, run.unwatched)
    if code != 0:
        for i in range(run.d):
            run.trial[i] = run.new[i]
    for i in range(run.watched):
        run.pivots_end[i] = run.aux[i]
    return code


def take(run: Integration, time: float) -> None:
    """The end of the step becomes the start of the next."""
    for i in range(run.d):
        run.y[i] = run.new[i]
        run.k[i] = run.k_end[i]
    for i in range(run.watched):
        run.pivots[i] = run.pivots_end[i]
    run.t = time
    run.gathered = run.gathered + run.error
    run.steps = run.steps + 1
    run.after_reject = 0
    run.first = 0
    run.current = 0
    run.unwatched = 0
    run.taken = run.taken + 1


def look(run: Integration) -> None:
    """Count the steps that look as if another scheme were better.

    As in DOP853 (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.2): after `PATIENCE` of
    them it is time to change; `CALM` steps in a row that do not look so, and the count begins anew.
    """
    if misfit(run) > 0.0:
        run.calm_steps = 0
        run.stiff_steps = run.stiff_steps + 1
    else:
        run.calm_steps = run.calm_steps + 1
        if run.calm_steps >= CALM:
            run.stiff_steps = 0


def advance(run: Search, at: Floats, out: Floats, kept: Floats) -> int:
    """Integrate until something happens; returns a status of `statuses`."""
    reason = statuses.REJECT_ERROR
    run.laboured = 0
    if run.fresh:
        status = begin(run)
        if status != statuses.RUNNING:
            return status
    for _turn in range(run.slice):
        if run.at_count < 0 and run.out_count >= run.out_capacity:
            return statuses.PAUSED
        if run.laboured > LABOUR:
            return statuses.PAUSED
        if run.dense_capacity > 0 and run.dense_count >= run.dense_capacity:
            return statuses.PAUSED
        remaining = run.end - run.t
        if remaining == 0.0:
            return statuses.DONE
        if run.fixed:
            run.h = run.length
        run.h = limited(run, run.h)
        wanted = run.h
        clipped = 0
        if abs(wanted) * 1.000001 >= abs(remaining):
            if run.fixed == 0 or abs(remaining - wanted) > SAME * abs(wanted):
                run.h = remaining
            clipped = 1
        if clipped == 0 and abs(wanted) <= 4e-16 * max(abs(run.t), run.span):
            return pause_code(reason)
        code = attempt(run)
        needs = 0
        if code == 0:
            if run.looks:
                look(run)
            needs = wants_dense(run, at)
        if needs:
            code = dense_output(run)
        if code >= statuses.STOP_CHART:
            return pause_code(code)
        if code != 0:
            if run.fixed:
                return pause_code(code)
            reason = code
            refuse(run, code)
            continue
        end = run.end if clipped else end_of_step(run)
        status = statuses.RUNNING
        if run.events > 0:
            ends = scan(run)
            if run.lacking == 1:
                run.h = wanted
                return statuses.PAUSED
            if run.event_index >= 0:
                end = run.t + ends * run.h
                status = statuses.EVENT
                if run.kinds[run.event_index] == BRANCH_KIND:
                    status = statuses.BRANCH
                new = run.new
                point(run, ends, new)
                if project(run, end, new) != 0:
                    if run.fixed:
                        return statuses.OFF_CONSTRAINT
                    reason = statuses.REJECT_PROJECTION
                    undo(run)
                    refuse(run, statuses.REJECT_PROJECTION)
                    continue
                run.fresh = 1
        if end != run.t:
            put_out(run, at, out, end)
        if run.dense_capacity > 0:
            keep_dense(run, kept)
        factor = next_step(run)
        h = run.h
        take(run, end)
        run.h = h * factor
        if clipped and abs(wanted) > abs(run.h):
            run.h = wanted
        if status != statuses.RUNNING:
            run.anchor = end
            run.taken = 0
            return status
        if run.stiff_steps >= PATIENCE:
            return statuses.OTHER_SCHEME
    return statuses.PAUSED


def put_out(run: Integration, at: Floats, out: Floats, until: float) -> None:
    """Write the requested times of this step up to `until`, or the end of the step."""
    d = run.d
    new = run.new
    if run.at_count < 0:
        row = out[run.out_count * (d + 1) :]
        row[0] = until
        for i in range(d):
            row[1 + i] = new[i]
        run.out_count = run.out_count + 1
        return
    direction = 1.0 if run.h > 0.0 else -1.0
    while run.at_next < run.at_count:
        time = at[run.at_next]
        if direction * (time - until) > 0.0:
            break
        row = out[run.out_count * (d + 1) :]
        row[0] = time
        if time == until:
            for i in range(d):
                row[1 + i] = new[i]
        else:
            point(run, (time - run.t) / run.h, row[1:])
            project(run, time, row[1:])
        run.out_count = run.out_count + 1
        run.at_next = run.at_next + 1


def wants_dense(run: Integration, at: Floats) -> int:
    """Whether something in this step needs the dense output."""
    if run.events > 0 or run.dense_capacity > 0:
        return 1
    if run.at_count > 0 and run.at_next < run.at_count:
        late = at[run.at_next] - end_of_step(run)
        if late * run.h < 0.0:
            return 1
    return 0


def keep_dense(run: Integration, kept: Floats) -> None:
    """Store start, length, state and the vectors of the dense output."""
    d = run.d
    row = kept[run.dense_count * (2 + (1 + run.vector_count) * d) :]
    row[0] = run.t
    row[1] = run.h
    for i in range(d):
        row[2 + i] = run.y[i]
    for i in range(run.vector_count * d):
        row[2 + d + i] = run.dense[i]
    run.dense_count = run.dense_count + 1
