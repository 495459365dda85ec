"""What an event function does from point to point: crossings, touches, stretches of zero.

The points are such that the function is monotone between neighbours, or keeps away from zero, or stays within
its accuracy η (see `events`). A value with |g| > η has a sign that is known. Between two such values lies a
*component* of values that are not clear of zero, or a plain change of sign:

    signs differ     a crossing, at the change of sign on the dense output
    signs agree      a touch, at the smallest |g| among the points

The component of the run's start is not counted. A row of the list of events is the number of the event, the
kind, the time, the first and the last time known to be in the component, the direction, η, whether the
function stays there, and the state.

Where the function may jump, have a pole or end, no polynomial follows it. So the part is made as short as
doubles allow, or until the state hardly changes on it, and the values there are held against those further
away:

    x, √x, ∛x        fall towards the place: the function goes through zero, or ends there
    1/x, tan, log    grow: a pole
    x/|x|, atan2     do neither: a jump over zero, unless the function is zero in between, sign 0 = 0
"""

from math import isfinite

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.integration import WATCH, Search
from chetaev.flow.kernels.project import project
from chetaev.flow.kernels.samples import doubt, finite, locate, point, too_short, value_at

# kinds of events
NOTED = 0
TERMINAL = 1
BRANCH_KIND = 2
ASLEEP = 3

# rows of the list
HEAD = 8
EVENT_AT = 0
KIND_AT = 1
TIME_AT = 2
FIRST_AT = 3
LAST_AT = 4
DIRECTION_AT = 5
ACCURACY_AT = 6
STAYS_AT = 7

# kinds of rows
DROPPED = 0
CROSSED = 1
TOUCHED = 2
OPEN_END = 3  # the component is not left yet
STARTED = 4  # the run starts in it
ENTERED = 5  # the function becomes defined in it

# what is known of an event
SIGN = 0  # the last sign that is known, 0 none
OPEN = 1  # 1: in a component
ROW = 2  # of the component
ROOT_ROW = 3  # of its first change of sign, −1 none
BEST = 4  # smallest |g| in the component
TURNS = 5  # changes of sign in it
SIDE = 6  # the last sign that is not zero
LAST = 7  # the last point, −1 none
LAST_VALUE = 8
BEGUN = 9
POLES = 10
LEAPS = 11
UNDEFINED_PARTS = 12
NOT_EXAMINED = 13
LEAST = 14  # |g| is at least that on the parts without zeros, as sampled
USUAL = 15  # η where it was last computed, 0 at first
ETA = 16  # accuracy at the last point that was in doubt
FAR_AWAY = 17  # 1: some value was clear of zero
BREAK = 18  # 1 a pole, 2 a jump may have been passed at a point without a value
SPACING = 19  # the longest time between samples

BEYOND = 1e3
"""A value that is larger than the last η by this factor is clear of zero: η is not computed again."""

NOWHERE = 2.0


def known_sign(g: float) -> float:
    """The sign of a number."""
    if g > 0.0:
        return 1.0
    return -1.0 if g < 0.0 else 0.0


def clear_of_zero(run: Search, e: int, s: float, g: float) -> int:
    """Whether |g| > η at s."""
    known = run.watch[WATCH * e :]
    if known[USUAL] > 0.0 and abs(g) > BEYOND * known[USUAL]:
        return 1
    eta = doubt(run, e, s, g)
    known[USUAL] = eta
    if abs(g) > eta:
        return 1
    known[ETA] = eta
    return 0


def append(run: Search, e: int, s: float, kind: int, direction: float) -> int:
    """Write a new row; returns its number, −1 if there is no room."""
    if run.found_count >= run.found_capacity:
        run.lacking = 1
        return -1
    number = run.found_count
    run.found_count = number + 1
    row = run.found[number * (run.d + HEAD) :]
    row[EVENT_AT] = float(e)
    row[KIND_AT] = float(kind)
    row[DIRECTION_AT] = direction
    row[ACCURACY_AT] = run.watch[WATCH * e + ETA]
    row[STAYS_AT] = 0.0
    place(run, row, s)
    row[FIRST_AT] = row[TIME_AT]
    row[LAST_AT] = row[TIME_AT]
    return number


def place(run: Search, row: Floats, s: float) -> None:
    """Time and state of a row."""
    row[TIME_AT] = run.t + s * run.h
    point(run, s, row[HEAD:])
    project(run, row[TIME_AT], row[HEAD:])


def set_kind(run: Search, number: float, kind: int) -> None:
    """Change the kind of a row that exists."""
    if number >= 0.0:
        run.found[int(number) * (run.d + HEAD) + KIND_AT] = float(kind)


def leave(run: Search, e: int, sign: float, s: float) -> float:
    """The function leaves its component, if it is in one, with a sign or (0) without a value.

    Returns the fraction of the step at which a terminal event ends it, `NOWHERE` if it does not.
    """
    known = run.watch[WATCH * e :]
    ends = NOWHERE
    if known[OPEN] == 1.0:
        known[OPEN] = 0.0
        before = known[SIGN]
        if known[ROW] >= 0.0 and known[ROOT_ROW] >= 0.0:
            row = run.found[int(known[ROW]) * (run.d + HEAD) :]
            root = run.found[int(known[ROOT_ROW]) * (run.d + HEAD) :]
            root[FIRST_AT] = row[FIRST_AT]
            root[LAST_AT] = row[LAST_AT]
        odd = known[SIDE] == -before
        if before != 0.0 and (sign == before or (sign == 0.0 and not odd)) and known[ROW] >= 0.0:
            set_kind(run, known[ROW], TOUCHED)
            set_kind(run, known[ROOT_ROW], DROPPED)
            direction = run.senses[e]
            if run.kinds[e] == TERMINAL and (direction == 0 or direction * before < 0.0):
                time = run.found[int(known[ROW]) * (run.d + HEAD) + TIME_AT]
                ends = min(max((time - run.t) / run.h, 0.0), s)
    elif known[BREAK] > 0.0 and sign == -known[SIGN] and sign != 0.0:
        count_break(known, int(known[BREAK]))
    known[BREAK] = 0.0
    known[SIGN] = sign
    if sign != 0.0:
        known[FAR_AWAY] = 1.0
    return ends


def count_break(known: Floats, kind: int) -> None:
    """A change of sign without a zero: by a pole (1), or a jump (2)."""
    if kind == 1:
        known[POLES] = known[POLES] + 1.0
    else:
        known[LEAPS] = known[LEAPS] + 1.0


def undefined(run: Search, e: int, s: float) -> float:
    """The function has no value from here on."""
    known = run.watch[WATCH * e :]
    ends = leave(run, e, 0.0, s)
    known[LAST] = -1.0
    known[SIDE] = 0.0
    known[BEGUN] = 2.0
    return ends


def in_component(run: Search, e: int, s: float, g: float) -> None:
    """A value that is not clear of zero: a component is entered, or goes on."""
    known = run.watch[WATCH * e :]
    if known[OPEN] == 0.0:
        known[OPEN] = 1.0
        known[TURNS] = 0.0
        known[ROOT_ROW] = -1.0
        known[BEST] = abs(g)
        kind = OPEN_END
        if known[SIGN] == 0.0:
            kind = ENTERED if known[BEGUN] == 2.0 else STARTED
        known[ROW] = float(append(run, e, s, kind, -known[SIGN]))
        return
    if known[ROW] < 0.0:
        return
    row = run.found[int(known[ROW]) * (run.d + HEAD) :]
    if abs(g) < known[BEST]:
        known[BEST] = abs(g)
        row[ACCURACY_AT] = known[ETA]
        place(run, row, s)
    row[LAST_AT] = run.t + s * run.h


def stays(run: Search, e: int) -> None:
    """The component holds a whole part of a step."""
    known = run.watch[WATCH * e :]
    if known[OPEN] == 1.0 and known[ROW] >= 0.0:
        run.found[int(known[ROW]) * (run.d + HEAD) + STAYS_AT] = 1.0


def turned(run: Search, e: int, root: float, sign: float) -> None:
    """A change of sign to `sign` within a component."""
    known = run.watch[WATCH * e :]
    if known[SIGN] == 0.0:
        return
    known[TURNS] = known[TURNS] + 1.0
    if known[ROOT_ROW] < 0.0:
        known[ROOT_ROW] = float(append(run, e, root, CROSSED, sign))
    odd = known[TURNS] - 2.0 * float(int(0.5 * known[TURNS])) == 1.0
    set_kind(run, known[ROOT_ROW], CROSSED if odd else DROPPED)
    set_kind(run, known[ROW], DROPPED if odd else OPEN_END)


def visit(run: Search, e: int, s: float, g: float, turning: int) -> float:
    """Go on to the next point; returns where a terminal event ends the step, `NOWHERE` if it does not.

    `turning`: the point is an extremum, so a value that is not clear of zero is a touch.
    """
    if g != g:  # infinite values have a sign, and that is enough
        return undefined(run, e, s)
    known = run.watch[WATCH * e :]
    known_before = known[SIGN]
    sign = known_sign(g)
    ends = NOWHERE
    far = clear_of_zero(run, e, s, g)
    last = known[LAST]
    direction = run.senses[e]
    terminal = run.kinds[e] == TERMINAL
    if sign != 0.0 and known[SIDE] == -sign and known_before != 0.0:
        root = s
        if last >= 0.0:
            before = known[LAST_VALUE]
            if before == 0.0:
                before = known[SIDE] * 1e-300
            root = locate(run, e, last, s, before, g)
        if known[OPEN] == 0.0 and far == 0:
            in_component(run, e, s, g)
        if known[OPEN] == 1.0:
            turned(run, e, root, sign)
        else:
            append(run, e, root, CROSSED, sign)
            known[SIGN] = sign
        if terminal and direction * sign >= 0.0 and sign == -known_before:
            ends = root
    known[LAST] = s
    known[LAST_VALUE] = g
    if sign != 0.0:
        known[SIDE] = sign
    if far == 1:
        left = leave(run, e, sign, s)
        ends = min(ends, left)
    else:
        in_component(run, e, s, g)
        if turning == 1 and terminal and known[SIGN] != 0.0 and direction * known[SIGN] <= 0.0:
            ends = min(ends, s)
    if known[BEGUN] == 0.0:
        known[BEGUN] = 1.0
    return ends


STILL = 64.0 * 2.3e-16
"""A change of the state by that part of it is a few dozen roundings."""
PLACES = 64
HALVINGS = 1100
"""From any double to zero."""


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
