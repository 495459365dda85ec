"""Newton's method on the true flow: the least change of the inputs that brings the end where it is wanted.

The end (q, v) and its derivatives by the coefficients of the inputs come from the compiled integrator with
error control; the shortest change of the coefficients is made, halved while it does not bring the end nearer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.control.driven_system import Driven
from chetaev.errors import ModelError
from chetaev.numeric import aimed

Array = NDArray[np.float64]
ROUGHLY = (1e-9, 1e-6)
"""Tolerance of the integrator, and how near the end has to come with it."""
FINELY = (1e-12, 1e-10)
STEPS = 40


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
    basis = np.eye(c.shape[1]) if within is None else within

    def inputs(x: Array) -> Array:
        return c + x.reshape(len(c), -1) @ basis

    def missed(x: Array, tolerance: float) -> tuple[Array, Array] | None:
        try:
            end, slopes = driven.end_and_slopes(inputs(x), tolerance)
        except ModelError:
            return None
        inner = slopes[places].reshape(-1, basis.shape[1]) @ basis.T
        return end[places] - target, inner.reshape(len(places), -1)

    found, steps = None, 0
    for tolerance, goal in (ROUGHLY, FINELY):
        start = np.zeros(len(c) * len(basis)) if found is None else found.x
        better = aimed(partial(missed, tolerance=tolerance), start, goal, STEPS - steps)
        if better is None:
            break
        found, steps = better, steps + better.steps
        if found.miss > goal:
            break
    return None if found is None else Polished(inputs(found.x), found.miss, steps)
