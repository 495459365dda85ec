"""Zero crossings within a step, on the dense output.

Event functions are looked at in five points of the step, so that a pair of crossings within one step is
rarely missed; each crossing is then closed in from both sides to roundoff in time. The point kept is the
far end of the last bracket: there the function has its new sign.
"""

from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.dop853 import dop853_point
from chetaev.flow.kernels.layout import (
    DIM,
    EVENT_INDEX,
    EVENT_KIND,
    EVENTS,
    FIRST,
    FOUND_COUNT,
    METHOD,
    H,
    T,
    at_dense,
    at_events,
    at_new,
    at_scratch,
)
from chetaev.flow.kernels.project import project
from chetaev.flow.kernels.radau import radau_point

PARTS = 4
NOTED = 0
BRANCH_KIND = 2


def point(ints: Ints, reals: Floats, work: Floats, x: float, out: Floats) -> None:
    """The dense output of the current step at the fraction x."""
    if ints[METHOD] == 0:
        dop853_point(ints[DIM], work, work[at_dense(ints) :], x, out)
    else:
        radau_point(ints[DIM], work, work[at_dense(ints) :], x, out)


def crosses(a: float, b: float, direction: int) -> int:
    """Whether going from a to b is a crossing in that direction."""
    if a < 0.0 and b >= 0.0 and direction >= 0:
        return 1
    if a > 0.0 and b <= 0.0 and direction <= 0:
        return 1
    return 0


def locate(
    event: Function,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
    e: int,
    left: float,
    right: float,
    at_left: float,
    at_right: float,
) -> float:
    """The fraction of the step just past the crossing of event e between two fractions."""
    state = work[at_scratch(ints) :]
    values = work[at_scratch(ints) + ints[DIM] :]
    a = at_left
    b = at_right
    for turn in range(100):
        if (right - left) * abs(reals[H]) <= 4e-16 * abs(reals[T] + reals[H]) or right - left < 4e-16:
            break
        middle = 0.5 * (left + right)
        if turn % 3 != 2 and b != a:
            middle = left - a * (right - left) / (b - a)
            gap = 1e-3 * (right - left)
            middle = min(max(middle, left + gap), right - gap)
        point(ints, reals, work, middle, state)
        event(reals[T] + middle * reals[H], state, p, values, values)
        c = values[e]
        if (c > 0.0 and at_left > 0.0) or (c < 0.0 and at_left < 0.0):
            left = middle
            a = c
            b = 0.5 * b
        else:
            right = middle
            b = c
            a = 0.5 * a
    return right


def scan(
    event: Function, con: Function, ints: Ints, reals: Floats, p: Floats, work: Floats, found: Floats
) -> float:
    """Find and note the crossings of a step; returns the fraction at which it must end, 1 if nowhere earlier.

    The dense output must be there. ``ints[EVENT_INDEX]`` tells which event ends it, −1 none.
    """
    d = ints[DIM]
    count = ints[EVENTS]
    g = work[at_events(ints) :]
    last = g[5 * count :]
    state = work[at_scratch(ints) :]
    values = work[at_scratch(ints) + d :]
    new = work[at_new(ints) :]
    for e in range(count):
        g[e] = last[e]
    for j in range(1, PARTS):
        point(ints, reals, work, j / PARTS, state)
        event(reals[T] + j * reals[H] / PARTS, state, p, g[j * count :], values)
    event(reals[T] + reals[H], new, p, g[PARTS * count :], values)
    ends = 1.0
    ints[EVENT_INDEX] = -1
    before = ints[FOUND_COUNT]
    for e in range(count):
        kind = ints[EVENT_KIND + e]
        direction = ints[EVENT_KIND + count + e]
        if ints[FIRST] == 1 and kind != BRANCH_KIND:
            size = 0.0
            for j in range(PARTS + 1):
                size = max(size, abs(g[j * count + e]))
            if abs(g[e]) <= 1e-10 * size:
                g[e] = 0.0
        for j in range(PARTS):
            a = g[j * count + e]
            b = g[(j + 1) * count + e]
            if crosses(a, b, direction):
                x = locate(event, ints, reals, p, work, e, j / PARTS, (j + 1) / PARTS, a, b)
                if (kind != NOTED and x < ends) or (kind != NOTED and ints[EVENT_INDEX] < 0):
                    ends = x
                    ints[EVENT_INDEX] = e
                if kind != BRANCH_KIND:
                    note(con, ints, reals, p, work, found, e, x)
    if ints[EVENT_INDEX] >= 0:
        drop_later(ints, reals, found, before, reals[T] + ends * reals[H])
    return ends


def note(
    con: Function, ints: Ints, reals: Floats, p: Floats, work: Floats, found: Floats, e: int, x: float
) -> None:
    """Write event number, time and state to the list."""
    row = found[ints[FOUND_COUNT] * (ints[DIM] + 2) :]
    row[0] = float(e)
    row[1] = reals[T] + x * reals[H]
    point(ints, reals, work, x, row[2:])
    project(con, ints, reals, row[1], row[2:], p, work)
    ints[FOUND_COUNT] = ints[FOUND_COUNT] + 1


def drop_later(ints: Ints, reals: Floats, found: Floats, before: int, time: float) -> None:
    """Forget what was noted in this step after a time."""
    width = ints[DIM] + 2
    kept = before
    for i in range(before, ints[FOUND_COUNT]):
        late = found[i * width + 1] - time
        if late * reals[H] <= 0.0:
            for j in range(width):
                found[kept * width + j] = found[i * width + j]
            kept = kept + 1
    ints[FOUND_COUNT] = kept
