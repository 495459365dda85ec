"""What is done in every lane: a member's beginning, an attempt at a step, the motion inside it, its outcome.

The steps, their errors, the projection and the choice of the next step are the kernels of `flow.kernels` and
of the scheme, the same that single motions have: a lane has the bits that `ch.simulate` has. What a lane is
not able to go on with is left to them.

The lanes are an `Integration` of which every lane has its own numbers: ``reals``, ``p`` and ``work`` have the
parts that they have for a single motion, each entry a vector. Whole numbers are the same for all lanes; what
counts or decides in each lane by itself is a number here.
"""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.flow.kernels.advance import attempt, take
from chetaev.flow.kernels.arrays import Part, Real, Uniforms, per_lane
from chetaev.flow.kernels.by_scheme import dense_output, interpolate
from chetaev.flow.kernels.control import first_step, next_step, refuse
from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.project import project
from chetaev.flow.kernels.statuses import STOP_CHART


@per_lane
def lane_begin(run: Lanes) -> None:
    """The field at the start of new members and their first steps; see `flow.kernels.advance.begin`."""
    if run.entering > 0.0:
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

    steps = Real()
    rejected = Real()
    after_reject = Real()
    code = Real()  # why the step cannot be taken; 0 if it can
    wanted = Real()  # the step before it was cut at the end
    clipped = Real()  # 1: it was
    until = Real()  # the end of the step
    due = Real()  # the next time at which the state is wanted; infinite if at none
    outcome = Real()  # 1: the step is taken, 0: refused, −1: the lane cannot go on
    entering = Real()  # 1: a new member, whose field is to be computed

    form = Part[int](lambda self: 0)  # elimination without pivoting
    fixed = Part[int](lambda self: 0)  # steps have any length
    directions = Part[int](lambda self: 0)  # no variations
