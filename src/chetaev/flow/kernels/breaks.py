"""Where an event function may jump, have a pole or end: is it zero there?

No polynomial follows it there. So the part is made as short as doubles allow, or until the state hardly
changes on it, and the values there are held against those further away:

    x, √x, ∛x        fall towards the place: the function goes through zero, or ends there
    1/x, tan, log    grow: a pole
    x/|x|, atan2     do neither: a jump over zero, unless the function is zero in between, sign 0 = 0
"""

from math import isfinite

from chetaev.flow.kernels.arrays import rare
from chetaev.flow.kernels.integration import WATCH, Search
from chetaev.flow.kernels.locate import locate, point, too_short, value_at
from chetaev.flow.kernels.samples import finite
from chetaev.flow.kernels.walk import (
    BREAK,
    CROSSED,
    LAST,
    LAST_VALUE,
    NOTED,
    NOWHERE,
    OPEN,
    SIDE,
    SIGN,
    USUAL,
    append,
    count_break,
    known_sign,
    leave,
    visit,
)

STILL = 64.0 * 2.3e-16
"""A change of the state by that part of it is a few dozen roundings."""
PLACES = 64
HALVINGS = 1100
"""From any double to zero."""


@rare
def stands_still(run: Search, left: float, right: float) -> int:
    """Whether the state, computed with rounding, hardly changes on a part."""
    if too_short(run, left, right) == 1:
        return 1
    here = run.scratch
    there = run.sides
    point(run, left, here)
    point(run, right, there)
    for i in range(2 * run.n):
        if abs(there[i] - here[i]) > STILL * (abs(run.y[i]) + abs(run.new[i])):
            return 0
    span = abs(run.t) + abs(run.t + run.h)
    return 1 if (right - left) * abs(run.h) <= STILL * span else 0


@rare
def rough(run: Search, e: int, left: float, right: float) -> float:
    """A part that cannot be halved, where the function may jump, have a pole or end.

    It goes through zero if its values here are at most half of those 500 widths away, and those 20 widths
    away less than they; by a jump, if it is zero at a state in between.
    """
    known = run.watch[WATCH * e :]
    known[USUAL] = 0.0
    a = value_at(run, e, left)
    b = value_at(run, e, right)
    near = max(finite(a), finite(b))
    between = size_around(run, e, left, right, 20.0)
    far = size_around(run, e, left, right, 500.0)
    if near <= 0.5 * far and between <= 0.9 * far:
        ends = visit(run, e, left, a, 0)
        s = nearest(run, e, left, right)
        g = value_at(run, e, s)
        inside = visit(run, e, s, g, 0)
        after = visit(run, e, right, b, 0)
        return min(min(ends, inside), after)
    met = zero_between(run, e, left, right)
    if b == 0.0 or (met == 1 and known[SIGN] == known_sign(b)):  # a jump onto zero
        return visit(run, e, right, 0.0, 0)
    ends = NOWHERE
    kind = 1 if near > 2.0 * far else 2
    if known[OPEN] == 1.0:
        ends = leave(run, e, known_sign(a) if isfinite(a) else 0.0, left)
    if not isfinite(b):
        known[LAST] = -1.0
        known[SIDE] = 0.0
        known[BREAK] = float(kind)
        return ends
    if known[SIGN] == -known_sign(b):
        if met == 1:
            root = locate(run, e, left, right, known[SIGN], b)
            append(run, e, root, CROSSED, known_sign(b))
            direction = run.senses[e]
            if run.kinds[e] != NOTED and direction * b >= 0.0:
                ends = min(ends, root)
        else:
            count_break(known, kind)
    known[BREAK] = 0.0
    leave(run, e, known_sign(b), right)
    known[LAST] = right
    known[LAST_VALUE] = b
    known[SIDE] = known_sign(b)
    return ends


@rare
def zero_between(run: Search, e: int, left: float, right: float) -> int:
    """Whether the function is zero at a state between those of two fractions of the step.

    With the entries that change their sign at zero; else half-way again and again between two signs.
    """
    a = run.sides
    b = run.sides[run.d :]
    middle = run.scratch
    values = run.values
    point(run, left, a)
    point(run, right, b)
    before = run.t + left * run.h
    after = run.t + right * run.h
    time = before
    for i in range(run.d):
        middle[i] = 0.0 if a[i] * b[i] <= 0.0 else a[i]
    run.event(time, middle, run.p, values, values)
    if values[e] == 0.0:
        return 1
    run.event(before, a, run.p, values, values)
    sign = known_sign(values[e])
    for _turn in range(HALVINGS):
        moved = 0
        time = 0.5 * (before + after)
        if time != before and time != after:
            moved = 1
        for i in range(run.d):
            middle[i] = 0.5 * (a[i] + b[i])
            if middle[i] != a[i] and middle[i] != b[i]:
                moved = 1
        run.event(time, middle, run.p, values, values)
        if values[e] == 0.0:
            return 1
        if moved == 0:
            return 0
        if known_sign(values[e]) == sign:
            before = time
            for i in range(run.d):
                a[i] = middle[i]
        else:
            after = time
            for i in range(run.d):
                b[i] = middle[i]
    return 0


@rare
def nearest(run: Search, e: int, left: float, right: float) -> float:
    """Where on a part of some roundings the function is nearest to zero."""
    best = left
    size = finite_or_large(value_at(run, e, left))
    for k in range(1, PLACES):
        s = left + k * (right - left) / PLACES
        there = finite_or_large(value_at(run, e, s))
        if there < size:
            best = s
            size = there
    return best


def size_around(run: Search, e: int, left: float, right: float, widths: float) -> float:
    """The larger |g| so many widths to the left and to the right of a part."""
    reach = widths * (right - left)
    return max(
        finite(value_at(run, e, left - reach)),
        finite(value_at(run, e, right + reach)),
    )


def finite_or_large(x: float) -> float:
    """|x|, a large number for what is none."""
    return abs(x) if isfinite(x) else 1e308
