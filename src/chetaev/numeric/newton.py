"""Newton's method with least-norm steps: onto {f = 0} from a start nearby.

    x ← x − J⁺f,      J = ∂f/∂x,      f and J by one function of x.

Dependent rows are no obstacle: directions in which J is below rounding error (`rcond`) are left alone. Where
a whole step does not bring |f| = max |fᵢ| down, there are three policies: :func:`newton` goes on, its steps
never long; :func:`descended` looks for the last digit, by steps as short as there are; :func:`aimed`, for
functions that are dear, such as where a motion ends, stops where it is good enough or nothing more is to be
hoped for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from chetaev.numeric.linear import Array, least_squares, norm
from chetaev.numeric.thresholds import ROUNDING, SOLVED

LONGEST = 3.0
"""No step is longer than this."""
NEAR = 1e-9
"""A next step below this, relative to 1 + |x|, means that {f = 0} is reached."""
SMALL = 1e-7
"""And f has to be below this."""

HALVINGS = 10
"""So often :func:`aimed` halves a step before it gives up."""
SLOW = 8
"""And so many steps in a row may leave more than TOO_MUCH of |f|."""
TOO_MUCH = 0.8

Function = Callable[[Array], tuple[Array, Array]]


class Reached(NamedTuple):
    """Where the steps ended: the point, f and J there, and the length of the next step against 1 + |x|."""

    x: Array
    f: Array
    jacobian: Array
    step: float


def newton(
    function: Function, start: Array, goal: float = NEAR, steps: int = 50, rcond: float = SOLVED
) -> Reached | None:
    """So many steps, or until the next one is below the goal; None where something is not finite.

    Where nothing is to be reached, steps soon go round in rounding errors; whole rounds are left out.
    """
    x, left = np.array(start, dtype=float), steps
    seen: dict[bytes, int] = {}
    with np.errstate(all="ignore"):
        while True:
            f, jacobian = function(x)
            if not (np.isfinite(f).all() and np.isfinite(jacobian).all()):
                return None
            step = least_squares(jacobian, f, rcond)
            size = norm(step)
            relative = size / (1 + np.abs(x).max(initial=0.0))
            if (relative < goal and np.abs(f).max(initial=0.0) < SMALL) or not left:
                return Reached(x, f, jacobian, float(relative))
            x = x - (min(1.0, LONGEST / size) if size else 1.0) * step
            left, place = left - 1, x.tobytes()
            if place in seen:
                left %= seen[place] - left
            seen[place] = left


def onto(function: Function, start: Array) -> Array | None:
    """A point of {f = 0} near a start, to about nine digits; None if it is not reached.

    >>> onto(lambda x: (x * x - 2, np.diag(2 * x)), np.array([1.0]))
    array([1.41421356])
    """
    end = newton(function, start)
    return end.x if end is not None and end.step < NEAR and np.abs(end.f).max(initial=0.0) < SMALL else None


def descended(function: Function, start: Array, free: Sequence[int]) -> tuple[Array, float]:
    """The free entries moved until |f| falls no more, by shorter steps where need be; and the largest |f|."""
    x, free = start.copy(), list(free)
    with np.errstate(all="ignore"):
        f, jacobian = function(x)
        for _ in range(60):
            if not np.all(np.isfinite(f)) or not np.all(np.isfinite(jacobian)) or not len(f):
                break
            step = -least_squares(jacobian[:, free], f)
            size, scale = np.abs(f).max(), 1.0
            while True:
                trial = x.copy()
                trial[free] += scale * step
                if np.array_equal(trial, x):  # the step is lost in roundoff, and shorter ones would be
                    return x, float(size)
                new_f, new_jacobian = function(trial)
                if np.all(np.isfinite(new_f)) and np.abs(new_f).max() < size * (1 - 1e-4 * scale):
                    break
                scale /= 2
                if scale < 1e-8:
                    return x, float(size)
            x, f, jacobian = trial, new_f, new_jacobian
            if np.abs(f).max() == 0:
                break
    return x, float(np.abs(f).max()) if len(f) and np.all(np.isfinite(f)) else (0.0 if not len(f) else np.inf)


class Aimed(NamedTuple):
    """Where the steps ended: the point, the largest |fᵢ| there, and how many steps were taken."""

    x: Array
    miss: float
    steps: int


def aimed(
    function: Callable[[Array], tuple[Array, Array] | None],
    start: Array,
    goal: float,
    steps: int = 40,
) -> Aimed | None:
    """Steps until |f| is at most the goal, each halved while |f| does not fall; None where f has no value at
    the start, for which the function may also say None.

    >>> aimed(lambda x: (x * x - 2, np.diag(2 * x)), np.array([1.0]), 1e-3).steps
    3
    """
    x, slow = np.array(start, dtype=float), 0
    now = _finite(function(x))
    if now is None:
        return None
    for count in range(steps + 1):
        miss = float(np.abs(now[0]).max(initial=0.0))
        if miss <= goal or count == steps or slow == SLOW:
            break
        change = least_squares(now[1], now[0], ROUNDING)
        for halvings in range(HALVINGS):
            trial = x - change / 2**halvings
            found = _finite(function(trial))
            left = np.inf if found is None else float(np.abs(found[0]).max(initial=0.0))
            if found is not None and left < miss:
                break
        else:
            break
        x, now, slow = trial, found, slow + 1 if left > TOO_MUCH * miss else 0
    return Aimed(x, miss, count)


def _finite(found: tuple[Array, Array] | None) -> tuple[Array, Array] | None:
    return found if found is not None and all(np.isfinite(part).all() for part in found) else None
