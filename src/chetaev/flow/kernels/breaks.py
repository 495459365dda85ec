"""Where an event function may jump, have a pole or end: is it zero there?

Bounds cannot tell, since they are infinite on every part that holds the place. So the part is made as short
as doubles allow, or until rounding alone hides the place, and the values there are held against those
further away:

    x, √x, ∛x        fall towards the place: the function goes through zero, or ends there
    1/x, tan, log    grow: a pole
    x/|x|, atan2     do neither: a jump, over zero unless a sign function is zero there, sign 0 = 0
"""

from math import isfinite

from chetaev.flow.kernels.arrays import rare
from chetaev.flow.kernels.enclose import BY_TIME, enclose
from chetaev.flow.kernels.integration import WATCH, Search
from chetaev.flow.kernels.interval import INF, distance_from_zero, size_of
from chetaev.flow.kernels.jets import JUMPS, MARK, UNDEFINED
from chetaev.flow.kernels.locate import locate, value_at
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
    append,
    count_break,
    known_sign,
    leave,
    visit,
)


def in_noise(run: Search, e: int, left: float, right: float) -> int:
    """Whether rounding alone leaves open at both ends and in the middle what is left open on the part."""
    jet = run.centre
    for turn in range(3):
        s = left + 0.5 * turn * (right - left)
        enclose(run, e, s, 0.0, BY_TIME, 0, jet)
        if jet[MARK] == 0.0 or int(jet[MARK]) & UNDEFINED != 0:
            return 0
    return 1


@rare
def rough(run: Search, e: int, left: float, right: float) -> float:
    """A part that cannot be halved, where the function may jump, have a pole or end.

    It goes through zero if its values here are at most half of those 500 widths away, and those 20 widths
    away less than they; by a jump, if a sign function of zero makes it zero.
    """
    known = run.watch[WATCH * e :]
    a = value_at(run, e, left)
    b = value_at(run, e, right)
    near = max(finite_size(a), finite_size(b))
    between = size_around(run, e, left, right, 20.0)
    far = size_around(run, e, left, right, 500.0)
    if near <= 0.5 * far and between <= 0.9 * far:
        ends = visit(run, e, left, a, INF, 0)
        after = visit(run, e, right, b, INF, 0)
        return min(ends, after)
    if b == 0.0:  # a jump onto zero
        return visit(run, e, right, b, INF, 0)
    ends = NOWHERE
    kind = 1 if near > 2.0 * far else 2
    if known[OPEN] == 1.0:
        ends = leave(run, e, known_sign(a) if isfinite(a) else 0.0, left)
    if not isfinite(b):
        known[LAST] = -1.0
        known[SIDE] = 0.0
        known[BREAK] = float(kind)
        return ends
    jet = run.jet
    jumps = int(jet[MARK]) & JUMPS != 0
    if known[SIGN] == -known_sign(b):
        if jumps:
            enclose(
                run,
                e,
                0.5 * (left + right),
                0.5 * (right - left),
                -1,
                1,
                jet,
            )
        if jumps and distance_from_zero(jet) == 0.0 and size_of(jet) <= 0.01 * near:
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


def size_around(run: Search, e: int, left: float, right: float, widths: float) -> float:
    """The larger |g| so many widths to the left and to the right of a part."""
    reach = widths * (right - left)
    return max(
        finite_size(value_at(run, e, left - reach)),
        finite_size(value_at(run, e, right + reach)),
    )


def finite_size(x: float) -> float:
    """|x|, 0 for what is no number."""
    return abs(x) if isfinite(x) else 0.0
