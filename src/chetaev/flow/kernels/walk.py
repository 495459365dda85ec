"""What an event function does from point to point: crossings, touches, stretches of zero.

The points are such that the function is monotone between neighbours, or keeps away from zero, or stays within
its accuracy η (see `events`). A value with |g| > η has a sign that is known. Between two such values lies a
*component* of values that are not clear of zero, or a plain change of sign:

    signs differ     a crossing, at the change of sign on the dense output
    signs agree      a touch, at the smallest |g| among the points

The component of the run's start is not counted. A row of the list of events is the number of the event, the
kind, the time, the first and the last time known to be in the component, the direction, η, whether the
function stays there, and the state.
"""

from chetaev.flow.kernels.arrays import Floats, rare
from chetaev.flow.kernels.integration import WATCH, Search
from chetaev.flow.kernels.locate import locate, point
from chetaev.flow.kernels.project import project
from chetaev.flow.kernels.samples import doubt

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


@rare
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


@rare
def place(run: Search, row: Floats, s: float) -> None:
    """Time and state of a row."""
    row[TIME_AT] = run.t + s * run.h
    point(run, s, row[HEAD:])
    project(run, row[TIME_AT], row[HEAD:])


@rare
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
