"""Velocities on affine constraints A v + b = 0 for many members at once, with the bits of one at a time.

`chetaev.model.states.initial_data` solves one member's velocities by `chetaev.numeric.descended`. Members
that share A and b are solved here by the same operations in the same order, one column for each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chetaev.ensemble.counted_random import Array
from chetaev.model.states.initial_data import ROUNDOFF
from chetaev.numeric import pseudo_inverse, times


def on_affine_constraints(
    A: Array, b: Array, starts: Array, free: list[int]
) -> tuple[Array, NDArray[np.bool_]]:
    """Velocities (N, n) with A v + b = 0, the free entries solved, and which of them were found.

    Where no entry is free, given values that miss the constraints by rounding are set right.
    """
    moved = free or list(range(A.shape[1]))
    x, sizes = _descended(A, b, starts.T.copy(), moved)
    with np.errstate(all="ignore"):
        terms = (np.abs(A) @ np.abs(x if free else starts.T)).max(axis=0)
        allowed = ROUNDOFF * np.maximum(1.0, terms)
        first = sizes if free else np.abs(times(A, starts.T) + b[:, None]).max(axis=0)
        good = first <= (allowed * 1e-3 if free else allowed)
    return x.T, good & np.isfinite(x).all(axis=0)


@np.errstate(all="ignore")
def _descended(A: Array, b: Array, x: Array, free: list[int]) -> tuple[Array, Array]:
    """`numeric.descended` for each column; and the largest |f| of each."""
    inverse = pseudo_inverse(A[:, free])
    f = times(A, x) + b[:, None]
    going = np.flatnonzero(np.isfinite(f).all(axis=0))
    for _ in range(60):
        if not len(going):
            break
        step = -times(inverse, f[:, going])
        size = np.abs(f[:, going]).max(axis=0)
        taken = np.zeros(len(going), bool)
        open_ = np.arange(len(going))
        scale = 1.0
        while len(open_) and scale >= 1e-8:
            which = going[open_]
            trial = x[:, which].copy()
            trial[free] += scale * step[:, open_]
            moves = (trial != x[:, which]).any(axis=0)  # else the step is lost in rounding
            new = times(A, trial) + b[:, None]
            better = moves & np.isfinite(new).all(axis=0)
            better &= np.abs(new).max(axis=0) < size[open_] * (1 - 1e-4 * scale)
            x[:, which[better]], f[:, which[better]] = trial[:, better], new[:, better]
            taken[open_[better]] = True
            open_ = open_[moves & ~better]
            scale /= 2
        going = going[taken & (np.abs(f[:, going]).max(axis=0) != 0)]
    return x, np.abs(f).max(axis=0, initial=0.0)
