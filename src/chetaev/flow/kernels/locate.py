"""Points of a step: the state there, event functions there, the root between two signs, the extremum."""

from math import isfinite

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.by_scheme import interpolate
from chetaev.flow.kernels.enclose import BY_TIME, enclose
from chetaev.flow.kernels.integration import Integration, Search


def point(run: Integration, x: float, out: Floats) -> None:
    """The dense output of the current step at the fraction x."""
    for i in range(run.d):
        out[i] = interpolate(run.d, i, run.y, run.dense, x)


def value_at(run: Integration, e: int, x: float) -> float:
    """Event function e at the fraction x of the step."""
    state = run.scratch
    values = run.values
    point(run, x, state)
    run.event(run.t + x * run.h, state, run.p, values, values)
    return values[e]


def too_short(run: Integration, left: float, right: float) -> int:
    """Whether nothing in double precision lies between two fractions of the step."""
    if (right - left) * abs(run.h) <= 4e-16 * max(abs(run.t), abs(run.t + run.h)):
        return 1
    return 1 if right - left < 4e-16 else 0


def locate(run: Integration, e: int, left: float, right: float, at_left: float, at_right: float) -> float:
    """The fraction of the step just past the change of sign of event e between two fractions."""
    a = at_left
    b = at_right
    for turn in range(100):
        if too_short(run, left, right) == 1:
            break
        middle = 0.5 * (left + right)
        if turn % 3 != 2 and b != a and isfinite(b - a):
            middle = left - a * (right - left) / (b - a)
            gap = 1e-3 * (right - left)
            middle = min(max(middle, left + gap), right - gap)
        c = value_at(run, e, middle)
        if (c > 0.0 and at_left > 0.0) or (c < 0.0 and at_left < 0.0):
            left = middle
            a = c
            b = 0.5 * b
        else:
            right = middle
            b = c
            a = 0.5 * a
    return right


def extremum(run: Search, e: int, left: float, right: float) -> float:
    """Where g′ = 0 between two fractions of the step, if g′ is monotone there; −1 if it keeps its sign."""
    jet = run.other
    enclose(run, e, left, 0.0, BY_TIME, 0, jet)
    first = 0.5 * (jet[2] + jet[3])
    enclose(run, e, right, 0.0, BY_TIME, 0, jet)
    last = 0.5 * (jet[2] + jet[3])
    if not ((first < 0.0 and last > 0.0) or (first > 0.0 and last < 0.0)):
        return -1.0
    a = first
    b = last
    for turn in range(60):
        if too_short(run, left, right) == 1:
            break
        middle = 0.5 * (left + right)
        if turn % 3 != 2 and b != a and isfinite(b - a):
            middle = left - a * (right - left) / (b - a)
            gap = 1e-3 * (right - left)
            middle = min(max(middle, left + gap), right - gap)
        enclose(run, e, middle, 0.0, BY_TIME, 0, jet)
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
