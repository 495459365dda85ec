"""What is true of each row of a long narrow array: NumPy goes along rows of a few numbers five times slower
than down columns of thousands, so rows become columns first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chetaev.flow.run.array_calls import Array


def _columns(rows: Array) -> Array:
    """The same entries, those of one row below each other; shape (entries, N)."""
    return rows.reshape(len(rows), -1).T if rows.ndim != 2 else rows.T


def finite_rows(rows: Array) -> NDArray[np.bool_]:
    """Where all entries of a row (of a matrix) are finite; shape (N,).

    >>> finite_rows(np.array([[1.0, 2.0], [1.0, np.nan], [np.inf, 0.0]])).tolist()
    [True, False, False]
    """
    return np.asarray(np.isfinite(_columns(rows), order="C").all(axis=0))


def largest_in_rows(rows: Array) -> Array:
    """The largest |entry| of each row (of each matrix), nan where there is one; shape (N,).

    >>> largest_in_rows(np.array([[[1.0, -3.0]], [[0.0, np.nan]]])).tolist()
    [3.0, nan]
    """
    return np.asarray(np.abs(_columns(rows), order="C").max(axis=0, initial=0.0))
