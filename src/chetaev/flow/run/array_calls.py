"""Calling compiled code on arrays: broadcasting, vectors of lanes, and the variants of a program.

Rows of long narrow arrays become columns first: NumPy goes along rows of a few numbers five times slower than
down columns of thousands.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chetaev.checked_arguments import array, leading_axes
from chetaev.errors import ModelError
from chetaev.flow.compile.elementary import HUGE_FLAG
from chetaev.flow.compile.long_programs import WEAK_FLAG
from chetaev.flow.compile.machine import Library, host
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.lookups import looked_up

Array = NDArray[np.float64]

SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64,
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
)  # fmt: skip


@dataclass(frozen=True)
class States:
    """States as flat row-major arrays, padded to at least one vector."""

    shape: tuple[int, ...]  # the leading axes they came with
    count: int  # how many there are
    # t, q, v, p: shapes (1,) or (N,), (N, n), (N, n), (r,) or (N, r)
    t: Array
    q: Array
    v: Array
    p: Array

    @property
    def varying(self) -> bool:
        """Whether parameters differ from state to state."""
        return self.p.ndim == 2

    def part(self, which: NDArray[np.intp]) -> States:
        """Some of the states."""
        t = self.t if self.t.size == 1 else self.t[which]
        p = self.p[which] if self.varying else self.p
        return _padded((len(which),), t, self.q[which], self.v[which], p)


def _padded(shape: tuple[int, ...], t: Array, q: Array, v: Array, p: Array) -> States:
    count, lanes = len(q), host().lanes
    if count < lanes:

        def fill(x: Array) -> Array:
            return np.concatenate([x, np.repeat(x[-1:], lanes - count, axis=0)])

        if count:
            q, v = fill(q), fill(v)
            t = fill(t) if t.size > 1 else t
            p = fill(p) if p.ndim == 2 else p
    c = np.ascontiguousarray
    return States(shape, count, c(t), c(q), c(v), c(p))


def gather(
    model: Ingredients,
    t: ArrayLike,
    q: ArrayLike,
    v: ArrayLike,
    parameters: Mapping[str, Any] | None,
    modes: Array | None = None,
) -> States:
    """Broadcast times, positions, velocities and parameters over their leading axes.

    A model with modes takes them as an array whose last axis they are.
    """
    n = model.size
    t, q, v = array(t, "t"), array(q, "q"), array(v, "v")
    for name, x in (("q", q), ("v", v)):
        if x.ndim == 0 or x.shape[-1] != n:
            raise ModelError(
                f"{name} has the shape {x.shape}",
                expected=f"a last axis of {n}: {', '.join(model.coordinates)}",
            )
    plain = not parameters and not model.modes and q.ndim == 2 and q.shape == v.shape
    if plain and t.shape in ((), q.shape[:1]):
        return _padded(q.shape[:1], np.atleast_1d(t), q, v, model.default_values)
    values = [np.asarray(x, float) for x in model.values(parameters)]
    if model.lookups:
        state = dict(zip(((name, 0) for name in model.parameters), values, strict=True))
        state |= {(c, 0): q[..., i] for i, c in enumerate(model.coordinates)}
        state |= {(c, 1): v[..., i] for i, c in enumerate(model.coordinates)}
        values += looked_up(model.lookups, {**state, (model.time, 0): t})[0]
    if modes is not None:
        values += [modes[..., i] for i in range(modes.shape[-1])]
    shape = leading_axes(t, q, v, values)
    q = np.broadcast_to(q, (*shape, n)).reshape(-1, n)
    v = np.broadcast_to(v, (*shape, n)).reshape(-1, n)
    flat_t = t.reshape(1) if t.ndim == 0 or t.size == 1 else np.broadcast_to(t, shape).reshape(-1)
    if any(x.ndim for x in values):
        p = np.stack([np.broadcast_to(x, shape).reshape(-1) for x in values], axis=-1)
    else:
        p = np.array([float(x) for x in values])
    return _padded(shape, flat_t, q, v, p)


def run(states: States, width: int, library: Callable[[bool], Library]) -> tuple[Array, Array | None]:
    """Evaluate a batch program; `library(libm)` gives its code.

    Returns the results, shape (N, width), and None, or the margins (N,) if one of them is not ≥ 0.
    """
    rows = len(states.q)
    out, aux = np.empty((rows, width)), np.empty(rows)
    if states.count == 0 or width == 0:
        return out[: states.count], None
    step = 0 if states.t.size == 1 else 1
    flags = 0
    for libm in (False, True):
        code = library(libm)
        function = SIGNATURE(code.address("f"))
        pointers = [x.ctypes.data for x in (states.q, states.v, states.p, out, aux)]
        flags = function(rows, states.t.ctypes.data, step, *pointers)
        if not flags & HUGE_FLAG:
            break
    return out[: states.count], aux[: states.count] if flags & WEAK_FLAG else None


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
