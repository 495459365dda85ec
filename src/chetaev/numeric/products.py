"""Sums of products in the order in which they are written.

A product of matrices is the sum of the outer products of the columns of one with the rows of the other, added
one after the other; numpy multiplies and adds them element by element, where nothing is left to choose.

>>> product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0], [0.5]]))
array([[2.],
       [5.]])
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SMALL = 4096
"""Products with fewer terms than this are made at once and then added."""
LARGE = 8192
"""Larger products are added up only where they are not 0, if that is at few places."""


def product(a: Array, b: Array) -> Array:
    """The matrix product a·b, as ``@`` makes it: vectors and stacks of matrices are allowed."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if b.ndim == 1:
        return np.asarray(product(a, b[:, None])[..., 0])
    if a.ndim == 1:
        return np.asarray(product(a[None], b)[..., 0, :])
    if a.ndim == b.ndim == 2:
        return _product(a, b)
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    left, right = np.broadcast_to(a, stack + a.shape[-2:]), np.broadcast_to(b, stack + b.shape[-2:])
    result = np.zeros((*stack, a.shape[-2], b.shape[-1]))
    for place in np.ndindex(*stack):
        result[place] = _product(left[place], right[place])
    return result


def _product(a: Array, b: Array) -> Array:
    if a.shape[0] * b.size < SMALL or a.shape[0] == 1:
        terms = a.T[:, :, None] * b[:, None, :]
        if terms.shape[1:] == (1, 1) and len(terms):  # along one line NumPy adds in pairs, from eight on
            return np.asarray(np.add.accumulate(terms, axis=0)[-1])
        return np.asarray(np.add.reduce(terms, axis=0))
    result = np.zeros((a.shape[0], b.shape[1]))
    left, right = a != 0, b != 0
    sparse = result.size > LARGE and bool(np.isfinite(a).all() and np.isfinite(b).all())
    for j in np.flatnonzero(left.any(axis=0) & right.any(axis=1)):
        if sparse:  # to add 0 changes nothing
            rows, columns = np.flatnonzero(left[:, j]), np.flatnonzero(right[j])
            if LARGE + 8 * len(rows) * len(columns) < result.size:
                result[rows[:, None], columns] += a[rows, j, None] * b[j, columns]
                continue
        result += a[:, j, None] * b[j]
    return result


def contract(subscripts: str, *operands: Array) -> Array:
    """The sum over repeated indices that ``np.einsum`` makes of explicit subscripts.

    >>> contract("ij,j->i", np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    given, wanted = subscripts.split("->")
    letters = given.split(",")
    summed = sorted(set("".join(letters)) - set(wanted))
    order = [*summed, *wanted]
    factors = []
    for names, operand in zip(letters, operands, strict=True):
        present = [name for name in order if name in names]
        turned = np.transpose(operand, [names.index(name) for name in present])
        factors.append(turned.reshape([turned.shape[present.index(n)] if n in present else 1 for n in order]))
    sizes = np.broadcast_shapes(*(f.shape for f in factors))
    result = np.zeros(sizes[len(summed) :])
    for place in np.ndindex(*sizes[: len(summed)]):
        terms = [f[tuple(i if n > 1 else 0 for i, n in zip(place, f.shape, strict=False))] for f in factors]
        term = terms[0]
        for other in terms[1:]:
            term = term * other
        result += term
    return result


def column_sums(a: Array) -> Array:
    """The sum of each column, from top to bottom."""
    return np.asarray(np.add.reduce(a, axis=0))


def dyadic(x: Any, bits: int = 30) -> Any:
    """Numbers rounded to multiples of 2^−bits: what random numbers owe to the C library's log and exp goes.

    >>> float(dyadic(0.1 + 0.2)) == float(dyadic(0.3))
    True
    """
    return np.rint(np.asarray(x, dtype=float) * 2.0**bits) / 2.0**bits


def unit_for(largest: float) -> float:
    """A power of two that brings a number near 1, or as near as doubles can; 1 for 0, infinity and nan.

    >>> unit_for(12.0), unit_for(5e-324) > 1e300, unit_for(0.0)
    (0.0625, True, 1.0)
    """
    if not 0 < largest < math.inf:
        return 1.0
    return math.ldexp(1.0, max(-1000, min(1000, -math.frexp(largest)[1])))


def norm(x: Any) -> float:
    """The Euclidean length of a vector, without overflow."""
    values = np.asarray(x, dtype=float).ravel()
    largest = float(np.maximum.reduce(np.abs(values), initial=0.0))
    if not largest > 0 or not math.isfinite(largest):
        return largest
    unit = unit_for(largest)
    return math.sqrt(math.fsum(((values * unit) ** 2).tolist())) / unit


def norms(a: Array, axis: int) -> Array:
    """The lengths of all columns (axis 0) or rows (axis 1) of a matrix."""
    columns = a if axis == 0 else a.T
    return np.array([norm(columns[:, j]) for j in range(columns.shape[1])])
