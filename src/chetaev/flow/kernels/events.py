"""Zeros of event functions within a step, by samples of the dense output and polynomials through them.

The step is halved until on each part one of these is seen in the bounds of `samples`:

    0 ∉ g            no zero
    0 ∉ g′           monotone: at most one zero, which the signs at the ends decide
    0 ∉ g″           convex or concave: at most one extremum, which is computed; monotone on both sides of it
    |g| ≤ η          not clear of zero on the whole part, by the accuracy of the motion or by rounding

A part is at most `LONGEST_PART` of the run, so that functions of time are looked at where steps are long.
A part too short to be halved is where the function jumps, has a pole or ends; whether it goes through zero
there is judged by its values near and far. The number of parts is limited; parts beyond the limit are
counted, and only the signs at their ends are used.
"""

from chetaev.flow.kernels import samples, walk
from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.integration import DEGREE, SAMPLES, WATCH, Search
from chetaev.flow.kernels.samples import doubt, extremum, fit, least_size, locate, sample, value_at
from chetaev.flow.kernels.walk import known_sign, leave, rough, stands_still, stays, undefined, visit

# what is known of a part of a step
HALVE = 0
EMPTY = 1
MONOTONE = 2
CURVED = 3
FLAT = 4
ROUGH = 5
NOTHING = 6
LEFT_OPEN = 7

LONGEST_PART = 1.0 / 2048
"""The longest part that is judged by one set of samples, as a part of the run."""
CAUTION = 16.0
"""A polynomial without zeros counts for the function if it keeps so many times its error from zero."""
STEADY = 1e-4
"""Where a polynomial misses more than this part of the values, η may be another beside it."""
EFFORT = 8192
"""Parts of a step that are looked at for each event, and as many more for each zero or pole as `REWARD`."""
REWARD = 64
LABOUR = 2_000_000
"""Samples for one event in one step: a second or so, and then an interrupt is heard."""
CROWD = 200_000
"""A list of events that is longer takes no more than `FEW` of one kind from a step."""
FEW = 16


def smallest(run: Search, e: int, table: Floats) -> int:
    """The number of the sample of event e that is nearest to zero."""
    best = 0
    for j in range(1, SAMPLES):
        if abs(table[j * run.events + e]) < abs(table[best * run.events + e]):
            best = j
    return best


def lowest(run: Search, e: int, left: float, right: float, table: Floats) -> float:
    """The least |g| on a part without zero: that of the samples and of the extremum among them."""
    least = abs(table[smallest(run, e, table) * run.events + e])
    x = extremum(run, e, left, right, table, known_sign(table[e]))
    return least if x < 0.0 else min(least, abs(value_at(run, e, x)))


def clear_of_doubt(run: Search, e: int, left: float, right: float, table: Floats) -> int:
    """Whether the bounds of g, which exclude zero, hold, and do so by more than what is open of it."""
    known = run.watch[WATCH * e :]
    least = least_size(run.bounds)
    if run.bounds[samples.MISSED] > STEADY * run.bounds[samples.SIZE]:
        if lowest(run, e, left, right, table) < least:
            return 0
        known[walk.USUAL] = 0.0
    if known[walk.USUAL] > 0.0 and least > walk.BEYOND * known[walk.USUAL]:
        return 1
    j = smallest(run, e, table)
    s = 0.5 * (left + right) + 0.5 * (right - left) * run.nodes[j]
    known[walk.USUAL] = doubt(run, e, s, table[j * run.events + e])
    return 1 if least > known[walk.USUAL] else 0


def judge(run: Search, e: int, left: float, right: float, table: Floats, allowed: int) -> int:
    """What the samples say of event e between two fractions of the step."""
    bounds = run.bounds
    branch = run.kinds[e] == walk.BRANCH_KIND
    fit(run, e, table, bounds)
    if bounds[samples.KNOWN_BY] == samples.UNDEFINED:
        return NOTHING
    if bounds[samples.KNOWN_BY] != samples.BROKEN:
        if least_size(bounds) > CAUTION * bounds[samples.MISSED]:
            if branch:
                return EMPTY
            if clear_of_doubt(run, e, left, right, table) == 1:
                return EMPTY
        ends = table[e] * table[DEGREE * run.events + e]
        apart = min(abs(table[e]), abs(table[DEGREE * run.events + e])) > CAUTION * bounds[samples.MISSED]
        if least_size(bounds[samples.SLOPES :]) > 0.0 and (ends < 0.0 or apart):
            return MONOTONE
        if least_size(bounds[samples.BENDS :]) > 0.0:
            return CURVED
        middle = table[DEGREE // 2 * run.events + e]
        usual = run.watch[WATCH * e + walk.USUAL]
        eta = 0.0
        if usual == 0.0 or bounds[samples.SIZE] <= walk.BEYOND * usual:
            eta = doubt(run, e, 0.5 * (left + right), middle)
            run.watch[WATCH * e + walk.USUAL] = eta
        if bounds[samples.SIZE] <= eta:
            return FLAT
    if stands_still(run, left, right) == 1:
        return ROUGH
    if allowed == 0:
        return LEFT_OPEN
    return HALVE


def leaf(run: Search, e: int, left: float, right: float, table: Floats, kind: int) -> float:
    """Walk over a part of which something is known; returns where the step must end."""
    known = run.watch[WATCH * e :]
    bounds = run.bounds
    if kind == NOTHING:
        known[walk.UNDEFINED_PARTS] = known[walk.UNDEFINED_PARTS] + 1.0
        return undefined(run, e, left)
    if kind == ROUGH:
        return rough(run, e, left, right)
    if kind == EMPTY:
        if least_size(bounds) < known[walk.LEAST]:
            known[walk.LEAST] = min(known[walk.LEAST], lowest(run, e, left, right, table))
        sign = known_sign(bounds[samples.LOW] + bounds[samples.HIGH])
        ends = leave(run, e, sign, left)
        known[walk.LAST] = -1.0
        known[walk.SIDE] = sign
        known[walk.BEGUN] = max(known[walk.BEGUN], 1.0)
        return ends
    ends = walk.NOWHERE
    if known[walk.LAST] < 0.0:
        ends = visit(run, e, left, table[DEGREE * run.events + e], 0)
    b = table[e]
    middle = -1.0
    if kind == FLAT:
        middle = 0.5 * (left + right)
    elif kind == CURVED:
        sense = 1.0 if bounds[samples.BENDS] > 0.0 else -1.0
        if sense * known[walk.SIDE] >= 0.0 or known[walk.OPEN] == 1.0:
            middle = extremum(run, e, left, right, table, sense)
    elif kind == LEFT_OPEN:
        known[walk.NOT_EXAMINED] = known[walk.NOT_EXAMINED] + 1.0
    if middle >= 0.0:
        c = value_at(run, e, middle)
        after = visit(run, e, middle, c, 1 if kind == CURVED else 0)
        ends = min(ends, after)
        known[walk.LEAST] = min(known[walk.LEAST], abs(c))
    after = visit(run, e, right, b, 0)
    known[walk.LEAST] = min(known[walk.LEAST], abs(b))
    if kind == FLAT:
        stays(run, e)
    return min(ends, after)


def switched(run: Search, e: int, left: float, right: float, table: Floats, kind: int) -> float:
    """Where on a part the argument of a non-smooth function leaves the sign of its branch."""
    known = run.watch[WATCH * e :]
    bounds = run.bounds
    mode = known[walk.SIGN]
    if kind == NOTHING:
        return walk.NOWHERE
    if kind == EMPTY:
        if known_sign(bounds[samples.LOW] + bounds[samples.HIGH]) == mode:
            return walk.NOWHERE
        return left
    middle = right
    if kind == CURVED:
        middle = extremum(run, e, left, right, table, 1.0 if bounds[samples.BENDS] > 0.0 else -1.0)
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
    return walk.NOWHERE


def search(run: Search, e: int, limit: float) -> float:
    """Look for event e from the start of the step to a fraction of it; returns where the step must end."""
    known = run.watch[WATCH * e :]
    branch = run.kinds[e] == walk.BRANCH_KIND
    before = run.found_count
    breaks = known[walk.POLES] + known[walk.LEAPS]
    widest = LONGEST_PART * run.h_max / abs(run.h)
    ends = walk.NOWHERE
    looked = 0
    level = 0
    index = 0
    width = limit
    known[walk.SPACING] = max(
        known[walk.SPACING], min(width, widest) * abs(run.h) * 0.5 * run.nodes[DEGREE // 2 - 1]
    )
    if known[walk.LAST] >= 0.0:
        known[walk.LAST] = 0.0
    while True:
        while width > widest:
            level = level + 1
            index = 2 * index
            width = 0.5 * width
        left = index * width
        right = limit if (index + 1) * width >= limit else (index + 1) * width
        gained = run.found_count - before
        reward = EFFORT + REWARD * (gained + known[walk.POLES] + known[walk.LEAPS] - breaks)
        allowed = 1 if looked < reward and looked * SAMPLES < LABOUR else 0
        if run.found_count > CROWD and gained > FEW:
            allowed = 0
        table = run.part
        if level == 0 and limit == 1.0:
            table = run.whole_step
        else:
            sample(run, left, right, table)
        kind = judge(run, e, left, right, table, allowed)
        looked = looked + 1
        if kind == HALVE:
            level = level + 1
            index = 2 * index
            width = 0.5 * width
            continue
        if branch:
            ends = switched(run, e, left, right, table, kind)
        else:
            ends = leaf(run, e, left, right, table, kind)
        if ends <= 1.0 or run.lacking == 1:
            break
        index = index + 1
        while level > 0 and index % 2 == 0:
            index = index // 2
            level = level - 1
            width = 2.0 * width
        if level == 0:
            break
    run.laboured = run.laboured + looked * SAMPLES
    return ends


def keep(run: Search) -> None:
    """Remember what was known before the step."""
    run.found_before = run.found_count
    saved = run.saved
    for i in range(WATCH * run.events):
        saved[i] = run.watch[i]


def undo(run: Search) -> None:
    """Forget what was seen in this step."""
    run.found_count = run.found_before
    saved = run.saved
    for i in range(WATCH * run.events):
        run.watch[i] = saved[i]
    for e in range(run.events):
        run.watch[WATCH * e + walk.BEST] = 1e300  # the row of an open component was written to


def scan(run: Search) -> float:
    """Find the events of a step; returns the fraction at which it must end, 1 if nowhere earlier.

    The dense output must be there. ``run.event_index`` is the event that ends it, −1 none; after
    ``run.lacking`` the step must be repeated with more room.
    """
    sample(run, 0.0, 1.0, run.whole_step)
    keep(run)
    run.event_index = -1
    run.lacking = 0
    ends = 1.0
    for e in range(run.events):
        if run.kinds[e] != walk.NOTED and run.kinds[e] != walk.ASLEEP:
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
        if run.kinds[e] == walk.NOTED and ends > 0.0:
            search(run, e, ends)
    if run.lacking == 1:
        undo(run)
    return ends
