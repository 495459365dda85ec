"""Points of a step: the state there, event functions there, the root between two signs."""

from math import isfinite

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.by_scheme import interpolate
from chetaev.flow.kernels.integration import Integration


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
