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

from chetaev.flow.kernels.arrays import rare
from chetaev.flow.kernels.breaks import in_noise, rough
from chetaev.flow.kernels.enclose import BY_TIME, TAPES, WIDENED, enclose, narrowed, polynomials
from chetaev.flow.kernels.integration import WATCH, Search
from chetaev.flow.kernels.interval import distance_from_zero, size_of
from chetaev.flow.kernels.jets import MARK, UNDEFINED, UNSURE
from chetaev.flow.kernels.locate import extremum, locate, too_short, value_at
from chetaev.flow.kernels.walk import (
    ASLEEP,
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


def judge(run: Search, e: int, left: float, right: float, allowed: int) -> int:
    """What the bounds say of event e between two fractions of the step."""
    jet = run.jet
    centre = run.centre
    middle = 0.5 * (left + right)
    radius = 0.5 * (right - left) * (1.0 + 1e-14) + 1e-16
    enclose(run, e, middle, radius, BY_TIME, 0, jet)
    mark = int(jet[MARK])
    if mark & UNDEFINED != 0:
        return NOTHING
    if mark == 0:
        if distance_from_zero(jet) > jet[UNSURE]:
            return EMPTY
        if distance_from_zero(jet[2:]) == 0.0:
            enclose(run, e, middle, 0.0, BY_TIME, 0, centre)
            if centre[MARK] == 0.0:
                narrowed(jet, centre, radius, run.operation)
                if distance_from_zero(jet) > jet[UNSURE]:
                    return EMPTY
        if distance_from_zero(jet) > 0.0:
            wide = run.other
            enclose(run, e, middle, radius, WIDENED, 0, wide)
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
    if too_short(run, left, right) == 1:
        return FLAT if mark == 0 else ROUGH
    if mark != 0 and in_noise(run, e, left, right) == 1:
        return ROUGH
    if allowed == 0:
        return LEFT_OPEN
    return HALVE


def leaf(run: Search, e: int, left: float, right: float, kind: int) -> float:
    """Walk over a part of which something is known; returns where the step must end."""
    known = run.watch[WATCH * e :]
    jet = run.jet
    if kind == NOTHING:
        known[UNDEFINED_PARTS] = known[UNDEFINED_PARTS] + 1.0
        return undefined(run, e, left)
    if kind == ROUGH:
        return rough(run, e, left, right)
    if kind == EMPTY:
        known[LEAST] = min(known[LEAST], distance_from_zero(jet))
        sign = known_sign(jet[0] + jet[1])
        ends = leave(run, e, sign, left)
        known[LAST] = -1.0
        known[SIDE] = sign
        known[BEGUN] = max(known[BEGUN], 1.0)
        return ends
    bound = jet[UNSURE]
    ends = NOWHERE
    if known[LAST] < 0.0:
        a = value_at(run, e, left)
        ends = visit(run, e, left, a, bound, 0)
    b = value_at(run, e, right)
    middle = -1.0
    if kind == FLAT:
        middle = 0.5 * (left + right)
    elif kind == CURVED and (b * known[SIDE] >= 0.0 or abs(b) <= bound or known[OPEN] == 1.0):
        if jet[4] * known[SIDE] > 0.0 or jet[5] * known[SIDE] > 0.0 or known[OPEN] == 1.0 or abs(b) <= bound:
            middle = extremum(run, e, left, right)
    elif kind == LEFT_OPEN:
        known[NOT_EXAMINED] = known[NOT_EXAMINED] + 1.0
    if middle >= 0.0:
        c = value_at(run, e, middle)
        turning = 1 if kind == CURVED else 0
        after = visit(run, e, middle, c, bound, turning)
        ends = min(ends, after)
        known[LEAST] = min(known[LEAST], abs(c))
    after = visit(run, e, right, b, bound, 0)
    known[LEAST] = min(known[LEAST], abs(b))
    if kind == FLAT:
        stays(run, e)
    return min(ends, after)


def switched(run: Search, e: int, left: float, right: float, kind: int) -> float:
    """Where on a part the argument of a non-smooth function leaves the sign of its branch."""
    known = run.watch[WATCH * e :]
    jet = run.jet
    mode = known[SIGN]
    if kind == NOTHING:
        return NOWHERE
    if kind == EMPTY:
        if known_sign(jet[0] + jet[1]) == mode:
            return NOWHERE
        return left
    middle = right
    if kind == CURVED:
        middle = extremum(run, e, left, right)
        if middle < 0.0:
            middle = right
    for turn in range(2):
        s = middle if turn == 0 else right
        g = value_at(run, e, s)
        if g * mode < 0.0:
            a = value_at(run, e, left)
            if not a * mode > 0.0:
                a = mode * 1e-300
            return locate(run, e, left, s, a, g)
        left = s
    return NOWHERE


def search(run: Search, e: int, limit: float) -> float:
    """Look for event e from the start of the step to a fraction of it; returns where the step must end."""
    known = run.watch[WATCH * e :]
    branch = run.kinds[e] == BRANCH_KIND
    before = run.found_count
    breaks = known[POLES] + known[LEAPS]
    length = run.tape[TAPES + 2 * e + 1]
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
        gained = run.found_count - before
        reward = EFFORT + REWARD * (gained + known[POLES] + known[LEAPS] - breaks)
        allowed = 1 if looked < reward and looked * length < LABOUR else 0
        if run.found_count > CROWD and gained > FEW:
            allowed = 0
        kind = judge(run, e, left, right, allowed)
        looked = looked + 1
        if kind == HALVE:
            level = level + 1
            index = 2 * index
            width = 0.5 * width
            continue
        if branch:
            ends = switched(run, e, left, right, kind)
        else:
            ends = leaf(run, e, left, right, kind)
        if ends <= 1.0 or run.lacking == 1:
            break
        index = index + 1
        while level > 0 and index % 2 == 0:
            index = index // 2
            level = level - 1
            width = 2.0 * width
        if level == 0:
            break
    known[BOXES] = known[BOXES] + looked
    run.laboured = run.laboured + looked * length
    return ends


@rare
def keep(run: Search) -> None:
    """Remember what was known before the step."""
    run.found_before = run.found_count
    saved = run.saved
    for i in range(WATCH * run.events):
        saved[i] = run.watch[i]


@rare
def undo(run: Search) -> None:
    """Forget what was seen in this step."""
    run.found_count = run.found_before
    saved = run.saved
    for i in range(WATCH * run.events):
        run.watch[i] = saved[i]
    for e in range(run.events):
        run.watch[WATCH * e + BEST] = 1e300  # the row of an open component was written to


@rare
def scan(run: Search) -> float:
    """Find the events of a step; returns the fraction at which it must end, 1 if nowhere earlier.

    The dense output must be there. ``run.event_index`` tells which event ends it, −1 none; after
    ``run.lacking`` the step must be repeated with more room.
    """
    polynomials(run)
    keep(run)
    run.event_index = -1
    run.lacking = 0
    ends = 1.0
    for e in range(run.events):
        if run.kinds[e] != NOTED and run.kinds[e] != ASLEEP:
            x = search(run, e, ends)
            if x <= ends:
                ends = x
                run.event_index = e
    if run.event_index >= 0:  # the others only saw to where they looked
        undo(run)
        for e in range(run.events):
            if run.kinds[e] == 1 and ends > 0.0:
                search(run, e, ends)
    for e in range(run.events):
        if run.kinds[e] == NOTED and ends > 0.0:
            search(run, e, ends)
    if run.lacking == 1:
        undo(run)
    return ends
