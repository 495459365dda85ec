"""The family of closed motions that an orbit belongs to.

At a closed motion the kernel of Newton's matrix holds the motion's own direction, those of the symmetries,
and the tangents of the family, if there is one; its dimension is found from singular values with a clear
gap. A kernel does not make a family yet (two limit cycles that merge have one): so for each of its
directions Newton's method is started again at a small distance, and has to come to another closed motion
there, not back.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.orbits.shooting import Shooting, Shot
from chetaev.errors import ModelError
from chetaev.numeric import kernel, norm, singular_values

Array = NDArray[np.float64]
GAP = 30.0
"""A clear rank leaves a gap of this ratio in the singular values."""
ZERO, NONZERO = 3e-6, 1e-4
"""Singular values below and above, relative to the largest, that decide about the rank without doubt."""
ASIDE = 1e-3
"""How far the next member is looked for, in units of the orbit."""
BACK = 0.25
"""A member that lies farther from where it was looked for, in parts of that distance, is not a next one."""


def tangents(shooting: Shooting, shot: Shot, goal: float) -> Array | None:
    """Directions (columns) of the start along closed motions, the orbit itself among them; None if not
    clear.
    """
    free = Shooting(shooting.flow, shooting.closing, shooting.t0, shooting.fixed, ())
    free.scale, free.unit = shooting.scale, shooting.unit
    rows = len(shot.matrix) - len(shooting.conditions)
    shot = replace(shot, matrix=shot.matrix[:rows], residual=shot.residual[:rows])
    sizes = singular_values(shot.matrix)
    largest = float(sizes.max(initial=0.0))
    zero = sizes <= ZERO * largest
    if zero.any() and not zero.all():
        low, high = float(sizes[zero].max()), float(sizes[~zero].min())
        if high < NONZERO * largest or high < GAP * low:
            return None
    directions = kernel(shot.matrix, rank=int((~zero).sum()))
    for direction in directions.T:
        if not _is_next(free, shot, direction, goal):
            return None
    first = shot.bases[0].shape[1]
    return shooting.scale[:, None] * (shot.bases[0] @ directions[:first])


def _is_next(free: Shooting, shot: Shot, direction: Array, goal: float) -> bool:
    """Whether there is a closed motion a little way along a direction of the kernel."""
    moved = free.moved(shot, ASIDE * direction)
    if moved is None or not moved[1] > 0:
        return False
    try:
        found = free.solved(free.at(*moved), goal)
    except ModelError:
        return False
    if found.size > goal:
        return False
    apart = sum(norm((a - b) / free.scale) ** 2 for a, b in zip(found.states, moved[0], strict=True))
    apart += ((found.period - moved[1]) / free.unit) ** 2 + norm(found.group - moved[2]) ** 2
    return bool(apart**0.5 <= BACK * ASIDE)
