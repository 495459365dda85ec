"""Zeros of event functions within a step, none of which is missed on the dense output.

The step is halved until on each part one of these is shown by the bounds of `enclose`:

    0 ∉ g            no zero
    0 ∉ g′           monotone: at most one zero, which the signs at the ends decide
    0 ∉ g″           convex or concave: at most one extremum, which is computed; monotone on both sides of it
    |g| ≤ η          not told from zero on the whole part, by the accuracy of the motion or by rounding

A part too short to be halved is where the function jumps, has a pole or ends; whether it goes through zero
there is judged by its values near and far. The number of parts is limited; parts beyond the limit are
counted, and only the signs at their ends are used.
"""

from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.breaks import in_noise, rough
from chetaev.flow.kernels.enclose import BY_TIME, TAPES, WIDENED, enclose, narrowed, polynomials
from chetaev.flow.kernels.interval import distance_from_zero, size_of
from chetaev.flow.kernels.jets import MARK, UNDEFINED, UNSURE
from chetaev.flow.kernels.layout import (
    EVENT_INDEX,
    EVENT_KIND,
    EVENTS,
    FOUND_BEFORE,
    FOUND_COUNT,
    LABOURED,
    LACKING,
    WATCH,
    at_jets,
    at_room,
    at_saved,
)
from chetaev.flow.kernels.locate import extremum, locate, too_short, value_at
from chetaev.flow.kernels.walk import (
    BEGUN,
    BEST,
    BOXES,
    BRANCH_KIND,
    LAST,
    LEAPS,
    LEAST,
    NOT_EXAMINED,
    NOTED,
    NOWHERE,
    OPEN,
    POLES,
    SIDE,
    SIGN,
    UNDEFINED_PARTS,
    known_sign,
    leave,
    stays,
    undefined,
    visit,
)

# what is known of a part of a step
HALVE = 0
EMPTY = 1
MONOTONE = 2
CURVED = 3
FLAT = 4
ROUGH = 5
NOTHING = 6
LEFT_OPEN = 7

EFFORT = 4096
"""Parts of a step that are looked at for each event, and as many more for each zero or pole as `REWARD`."""
REWARD = 64
LABOUR = 8_000_000
"""Operations on jets for one event in one step: a second or so, and then an interrupt is heard."""
CROWD = 200_000
"""A list of events that is longer takes no more than `FEW` of one kind from a step."""
FEW = 16


def judge(
    ints: Ints,
    reals: Floats,
    p: Floats,
    tape: Ints,
    numbers: Floats,
    watch: Floats,
    e: int,
    left: float,
    right: float,
    allowed: int,
) -> int:
    """What the bounds say of event e between two fractions of the step."""
    jet = watch[at_jets(ints) :]
    centre = watch[at_jets(ints) + 8 :]
    middle = 0.5 * (left + right)
    radius = 0.5 * (right - left) * (1.0 + 1e-14) + 1e-16
    enclose(ints, reals, p, tape, numbers, watch, e, middle, radius, BY_TIME, 0, jet)
    mark = int(jet[MARK])
    if mark & UNDEFINED != 0:
        return NOTHING
    if mark == 0:
        if distance_from_zero(jet) > jet[UNSURE]:
            return EMPTY
        if distance_from_zero(jet[2:]) == 0.0:
            enclose(ints, reals, p, tape, numbers, watch, e, middle, 0.0, BY_TIME, 0, centre)
            if centre[MARK] == 0.0:
                narrowed(jet, centre, radius, watch[at_room(ints) :])
                if distance_from_zero(jet) > jet[UNSURE]:
                    return EMPTY
        if distance_from_zero(jet) > 0.0:
            wide = watch[at_jets(ints) + 16 :]
            enclose(ints, reals, p, tape, numbers, watch, e, middle, radius, WIDENED, 0, wide)
            if distance_from_zero(wide) > 0.0:
                return EMPTY
        if distance_from_zero(jet[2:]) > 0.0:
            return MONOTONE
        if distance_from_zero(jet[4:]) > 0.0:
            return CURVED
        if size_of(jet) <= max(centre[UNSURE], 16.0 * (centre[1] - centre[0])):
            return FLAT
    elif distance_from_zero(jet) > 0.0:
        return EMPTY
    if too_short(reals, left, right) == 1:
        return FLAT if mark == 0 else ROUGH
    if mark != 0 and in_noise(ints, reals, p, tape, numbers, watch, e, left, right) == 1:
        return ROUGH
    if allowed == 0:
        return LEFT_OPEN
    return HALVE


def leaf(
    event: Function,
    con: Function,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
    found: Floats,
    tape: Ints,
    numbers: Floats,
    watch: Floats,
    e: int,
    left: float,
    right: float,
    kind: int,
) -> float:
    """Walk over a part of which something is known; returns where the step must end."""
    known = watch[WATCH * e :]
    jet = watch[at_jets(ints) :]
    if kind == NOTHING:
        known[UNDEFINED_PARTS] = known[UNDEFINED_PARTS] + 1.0
        return undefined(ints, reals, found, watch, e, left)
    if kind == ROUGH:
        return rough(event, con, ints, reals, p, work, found, tape, numbers, watch, e, left, right)
    if kind == EMPTY:
        known[LEAST] = min(known[LEAST], distance_from_zero(jet))
        sign = known_sign(jet[0] + jet[1])
        ends = leave(ints, reals, found, watch, e, sign, left)
        known[LAST] = -1.0
        known[SIDE] = sign
        known[BEGUN] = max(known[BEGUN], 1.0)
        return ends
    bound = jet[UNSURE]
    ends = NOWHERE
    if known[LAST] < 0.0:
        a = value_at(event, ints, reals, p, work, e, left)
        ends = visit(event, con, ints, reals, p, work, found, tape, numbers, watch, e, left, a, bound, 0)
    b = value_at(event, ints, reals, p, work, e, right)
    middle = -1.0
    if kind == FLAT:
        middle = 0.5 * (left + right)
    elif kind == CURVED and (b * known[SIDE] >= 0.0 or abs(b) <= bound or known[OPEN] == 1.0):
        if jet[4] * known[SIDE] > 0.0 or jet[5] * known[SIDE] > 0.0 or known[OPEN] == 1.0 or abs(b) <= bound:
            middle = extremum(ints, reals, p, tape, numbers, watch, e, left, right)
    elif kind == LEFT_OPEN:
        known[NOT_EXAMINED] = known[NOT_EXAMINED] + 1.0
    if middle >= 0.0:
        c = value_at(event, ints, reals, p, work, e, middle)
        turning = 1 if kind == CURVED else 0
        after = visit(
            event, con, ints, reals, p, work, found, tape, numbers, watch, e, middle, c, bound, turning
        )
        ends = min(ends, after)
        known[LEAST] = min(known[LEAST], abs(c))
    after = visit(event, con, ints, reals, p, work, found, tape, numbers, watch, e, right, b, bound, 0)
    known[LEAST] = min(known[LEAST], abs(b))
    if kind == FLAT:
        stays(ints, found, watch, e)
    return min(ends, after)


def switched(
    event: Function,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
    watch: Floats,
    e: int,
    tape: Ints,
    numbers: Floats,
    left: float,
    right: float,
    kind: int,
) -> float:
    """Where on a part the argument of a non-smooth function leaves the sign of its branch."""
    known = watch[WATCH * e :]
    jet = watch[at_jets(ints) :]
    mode = known[SIGN]
    if kind == NOTHING:
        return NOWHERE
    if kind == EMPTY:
        if known_sign(jet[0] + jet[1]) == mode:
            return NOWHERE
        return left
    middle = right
    if kind == CURVED:
        middle = extremum(ints, reals, p, tape, numbers, watch, e, left, right)
        if middle < 0.0:
            middle = right
    for turn in range(2):
        s = middle if turn == 0 else right
        g = value_at(event, ints, reals, p, work, e, s)
        if g * mode < 0.0:
            a = value_at(event, ints, reals, p, work, e, left)
            if not a * mode > 0.0:
                a = mode * 1e-300
            return locate(event, ints, reals, p, work, e, left, s, a, g)
        left = s
    return NOWHERE


def search(
    event: Function,
    con: Function,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
    found: Floats,
    tape: Ints,
    numbers: Floats,
    watch: Floats,
    e: int,
    limit: float,
) -> float:
    """Look for event e from the start of the step to a fraction of it; returns where the step must end."""
    known = watch[WATCH * e :]
    branch = ints[EVENT_KIND + e] == BRANCH_KIND
    before = ints[FOUND_COUNT]
    breaks = known[POLES] + known[LEAPS]
    length = tape[TAPES + 2 * e + 1]
    ends = NOWHERE
    looked = 0
    level = 0
    index = 0
    width = limit
    if known[LAST] >= 0.0:
        known[LAST] = 0.0
    while True:
        left = index * width
        right = limit if (index + 1) * width >= limit else (index + 1) * width
        gained = ints[FOUND_COUNT] - before
        reward = EFFORT + REWARD * (gained + known[POLES] + known[LEAPS] - breaks)
        allowed = 1 if looked < reward and looked * length < LABOUR else 0
        if ints[FOUND_COUNT] > CROWD and gained > FEW:
            allowed = 0
        kind = judge(ints, reals, p, tape, numbers, watch, e, left, right, allowed)
        looked = looked + 1
        if kind == HALVE:
            level = level + 1
            index = 2 * index
            width = 0.5 * width
            continue
        if branch:
            ends = switched(event, ints, reals, p, work, watch, e, tape, numbers, left, right, kind)
        else:
            ends = leaf(event, con, ints, reals, p, work, found, tape, numbers, watch, e, left, right, kind)
        if ends <= 1.0 or ints[LACKING] == 1:
            break
        index = index + 1
        while level > 0 and index % 2 == 0:
            index = index // 2
            level = level - 1
            width = 2.0 * width
        if level == 0:
            break
    known[BOXES] = known[BOXES] + looked
    ints[LABOURED] = ints[LABOURED] + looked * length
    return ends


def keep(ints: Ints, watch: Floats) -> None:
    """Remember what was known before the step."""
    ints[FOUND_BEFORE] = ints[FOUND_COUNT]
    saved = watch[at_saved(ints) :]
    for i in range(WATCH * ints[EVENTS]):
        saved[i] = watch[i]


def undo(ints: Ints, watch: Floats) -> None:
    """Forget what was seen in this step."""
    ints[FOUND_COUNT] = ints[FOUND_BEFORE]
    saved = watch[at_saved(ints) :]
    for i in range(WATCH * ints[EVENTS]):
        watch[i] = saved[i]
    for e in range(ints[EVENTS]):
        watch[WATCH * e + BEST] = 1e300  # the row of an open component was written to


def scan(
    event: Function,
    con: Function,
    ints: Ints,
    reals: Floats,
    p: Floats,
    work: Floats,
    found: Floats,
    tape: Ints,
    numbers: Floats,
    watch: Floats,
) -> float:
    """Find the events of a step; returns the fraction at which it must end, 1 if nowhere earlier.

    The dense output must be there. ``ints[EVENT_INDEX]`` tells which event ends it, −1 none; after
    ``ints[LACKING]`` the step must be repeated with more room.
    """
    polynomials(ints, work, tape, watch)
    keep(ints, watch)
    ints[EVENT_INDEX] = -1
    ints[LACKING] = 0
    ends = 1.0
    for e in range(ints[EVENTS]):
        if ints[EVENT_KIND + e] != NOTED:
            x = search(event, con, ints, reals, p, work, found, tape, numbers, watch, e, ends)
            if x <= ends:
                ends = x
                ints[EVENT_INDEX] = e
    if ints[EVENT_INDEX] >= 0:  # the others only saw to where they looked
        undo(ints, watch)
        for e in range(ints[EVENTS]):
            if ints[EVENT_KIND + e] == 1 and ends > 0.0:
                search(event, con, ints, reals, p, work, found, tape, numbers, watch, e, ends)
    for e in range(ints[EVENTS]):
        if ints[EVENT_KIND + e] == NOTED and ends > 0.0:
            search(event, con, ints, reals, p, work, found, tape, numbers, watch, e, ends)
    if ints[LACKING] == 1:
        undo(ints, watch)
    return ends
