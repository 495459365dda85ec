"""Newton's method on the true flow: the least change of the inputs that brings the end where it is wanted.

The end (q, v) and its derivatives by the coefficients of the inputs come from the compiled integrator with
error control; the shortest change of the coefficients is made, halved while it does not bring the end nearer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.control.driven import Driven
from chetaev.errors import ModelError
from chetaev.numeric import least_squares, product

Array = NDArray[np.float64]
FINE = 1e-12
COARSE = 1e-9
GOAL = 1e-10
STEPS = 40
HALVINGS = 8
SLOW = 8
"""After so many steps in a row that bring the end little nearer nothing more is to be hoped for."""


@dataclass(frozen=True)
class Polished:
    """Coefficients (inputs, degree + 1), by how much the end is missed, and the number of steps."""

    coefficients: Array
    miss: float
    steps: int


def polished(
    driven: Driven, c: Array, places: list[int], target: Array, within: Array | None = None
) -> Polished | None:
    """Bring components `places` of (q, v) at the end to `target`; None where the motion does not reach the
    end. Inputs are changed by combinations of the rows `within`, if there are such.
    """
    tolerance = COARSE
    now = _at(driven, c, places, target, tolerance)
    if now is None:
        return None
    steps, slow = 0, 0
    while steps < STEPS and slow < SLOW:
        rest, slopes = now
        miss = float(np.abs(rest).max(initial=0.0))
        if miss <= GOAL and tolerance == FINE:
            break
        if miss <= 1e-6 and tolerance == COARSE:
            tolerance = FINE
            following = _at(driven, c, places, target, tolerance)
            if following is None:
                break
            now = following
            continue
        change = _change(slopes, rest, c, within)
        taken = _shorter(driven, c, change, miss, places, target, tolerance)
        steps += 1
        if taken is None:
            break
        slow = slow + 1 if float(np.abs(taken[1][0]).max(initial=0.0)) > 0.8 * miss else 0
        c, now = taken
    return Polished(c, float(np.abs(now[0]).max(initial=0.0)), steps)


def _change(slopes: Array, rest: Array, c: Array, within: Array | None) -> Array:
    """The shortest change of the coefficients by which, to first order, nothing is left."""
    if within is None:
        return least_squares(slopes, rest, 1e-9).reshape(c.shape)
    inner = product(slopes.reshape(-1, within.shape[1]), within.T).reshape(len(rest), -1)
    return np.asarray(product(least_squares(inner, rest, 1e-9).reshape(len(c), -1), within))


def _shorter(
    driven: Driven, c: Array, change: Array, miss: float, places: list[int], target: Array, tolerance: float
) -> tuple[Array, tuple[Array, Array]] | None:
    """The change, halved until the end comes nearer."""
    part = 1.0
    for _ in range(HALVINGS):
        trial = c + part * change
        found = _at(driven, trial, places, target, tolerance)
        if found is not None and float(np.abs(found[0]).max(initial=0.0)) < miss:
            return trial, found
        part /= 2
    return None


def _at(
    driven: Driven, c: Array, places: list[int], target: Array, tolerance: float
) -> tuple[Array, Array] | None:
    try:
        end, slopes = driven.end_and_slopes(c, tolerance)
    except ModelError:
        return None
    if not (np.isfinite(end).all() and np.isfinite(slopes).all()):
        return None
    return target - end[places], slopes[places]
