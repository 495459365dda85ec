"""What is kept of a step: the states at the times asked for, or at its end, and its dense output."""

from chetaev.flow.kernels.arrays import Floats, rare
from chetaev.flow.kernels.control import end_of_step
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.locate import point
from chetaev.flow.kernels.project import project


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


@rare
def wants_dense(run: Integration, at: Floats) -> int:
    """Whether something in this step needs the dense output."""
    if run.events > 0 or run.dense_capacity > 0:
        return 1
    if run.at_count > 0 and run.at_next < run.at_count:
        late = at[run.at_next] - end_of_step(run)
        if late * run.h < 0.0:
            return 1
    return 0


@rare
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
