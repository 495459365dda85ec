"""Points of a step: the state there, event functions there, the root between two signs, the extremum."""

from math import isfinite

from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.dop853 import dop853_point
from chetaev.flow.kernels.enclose import BY_TIME, enclose
from chetaev.flow.kernels.layout import DIM, METHOD, H, T, at_dense, at_jets, at_scratch
from chetaev.flow.kernels.radau import radau_point


def point(ints: Ints, reals: Floats, work: Floats, x: float, out: Floats) -> None:
    """The dense output of the current step at the fraction x."""
    if ints[METHOD] == 0:
        dop853_point(ints[DIM], work, work[at_dense(ints) :], x, out)
    else:
        radau_point(ints[DIM], work, work[at_dense(ints) :], x, out)


def value_at(event: Function, ints: Ints, reals: Floats, p: Floats, work: Floats, e: int, x: float) -> float:
    """Event function e at the fraction x of the step."""
    state = work[at_scratch(ints) :]
    values = work[at_scratch(ints) + ints[DIM] :]
    point(ints, reals, work, x, state)
    event(reals[T] + x * reals[H], state, p, values, values)
    return values[e]


def too_short(reals: Floats, left: float, right: float) -> int:
    """Whether nothing in double precision lies between two fractions of the step."""
    if (right - left) * abs(reals[H]) <= 4e-16 * max(abs(reals[T]), abs(reals[T] + reals[H])):
        return 1
    return 1 if right - left < 4e-16 else 0


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
    """The fraction of the step just past the change of sign of event e between two fractions."""
    a = at_left
    b = at_right
    for turn in range(100):
        if too_short(reals, left, right) == 1:
            break
        middle = 0.5 * (left + right)
        if turn % 3 != 2 and b != a and isfinite(b - a):
            middle = left - a * (right - left) / (b - a)
            gap = 1e-3 * (right - left)
            middle = min(max(middle, left + gap), right - gap)
        c = value_at(event, ints, reals, p, work, e, middle)
        if (c > 0.0 and at_left > 0.0) or (c < 0.0 and at_left < 0.0):
            left = middle
            a = c
            b = 0.5 * b
        else:
            right = middle
            b = c
            a = 0.5 * a
    return right


def extremum(
    ints: Ints,
    reals: Floats,
    p: Floats,
    tape: Ints,
    numbers: Floats,
    watch: Floats,
    e: int,
    left: float,
    right: float,
) -> float:
    """Where g′ = 0 between two fractions of the step, if g′ is monotone there; −1 if it keeps its sign."""
    jet = watch[at_jets(ints) + 16 :]
    enclose(ints, reals, p, tape, numbers, watch, e, left, 0.0, BY_TIME, 0, jet)
    first = 0.5 * (jet[2] + jet[3])
    enclose(ints, reals, p, tape, numbers, watch, e, right, 0.0, BY_TIME, 0, jet)
    last = 0.5 * (jet[2] + jet[3])
    if not ((first < 0.0 and last > 0.0) or (first > 0.0 and last < 0.0)):
        return -1.0
    a = first
    b = last
    for turn in range(60):
        if too_short(reals, left, right) == 1:
            break
        middle = 0.5 * (left + right)
        if turn % 3 != 2 and b != a and isfinite(b - a):
            middle = left - a * (right - left) / (b - a)
            gap = 1e-3 * (right - left)
            middle = min(max(middle, left + gap), right - gap)
        enclose(ints, reals, p, tape, numbers, watch, e, middle, 0.0, BY_TIME, 0, jet)
        if jet[2] <= 0.0 and jet[3] >= 0.0:
            return middle
        c = 0.5 * (jet[2] + jet[3])
        if c * first > 0.0:
            left = middle
            a = c
            b = 0.5 * b
        else:
            right = middle
            b = c
            a = 0.5 * a
    return 0.5 * (left + right)
