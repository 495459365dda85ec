"""The natural logarithm of many doubles, with the same bits on every processor.

>>> logarithm(np.array([1.0, 4.0])).tolist() == [0.0, 2 * 0.6931471805599453]
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def logarithm(x: Array) -> Array:
    """log x, by 2 artanh((m − 1)/(m + 1)) and the exponent; −∞ at 0, nan where x is no positive number.

    >>> float(abs(logarithm(np.array([2.0, 1e-300])) - np.log([2.0, 1e-300])).max()) < 3e-13
    True
    """
    mantissa, exponent = np.frexp(np.where((x > 0) & (x < np.inf), x, 1.0))
    small = mantissa < 0.7071067811865476
    m = np.where(small, 2.0 * mantissa, mantissa)
    whole = exponent - small
    s = (m - 1.0) / (m + 1.0)
    z, total = s * s, np.zeros_like(s)
    for k in range(23, 0, -2):
        total = total * z + 1.0 / k
    found = whole * 0.6931471805599453 + 2.0 * s * total
    return np.asarray(np.where((x > 0) & (x < np.inf), found, np.where(x == 0, -np.inf, np.nan)))
