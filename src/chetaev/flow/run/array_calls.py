"""Calling compiled code on one state and on many."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chetaev.checked_arguments import array, leading_axes
from chetaev.errors import ModelError
from chetaev.flow.compile import loops
from chetaev.flow.compile.cache import Cache
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.modes import looked_up

Array = NDArray[np.float64]

ONE_STATE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, *[ctypes.c_void_p] * 4)
"""A program: time, and the addresses of state, parameters and results."""


def call(address: int, t: float, *arrays: Array) -> int:
    """Call a program for one state with its arrays; returns its flag."""
    return int(ONE_STATE(address)(t, *(x.ctypes.data for x in arrays)))


@dataclass(frozen=True)
class States:
    """States as flat row-major arrays."""

    shape: tuple[int, ...]  # the leading axes they came with
    # t, y, p: shapes (1,) or (N,), (N, 2n), (r,) or (N, r)
    t: Array
    y: Array
    p: Array

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.y)

    @property
    def v(self) -> Array:
        """Velocities (N, n)."""
        return self.y[:, self.y.shape[1] // 2 :]

    def part(self, which: NDArray[np.intp]) -> States:
        """Some of the states."""
        t = self.t if self.t.size == 1 else self.t[which]
        return States((len(which),), t, self.y[which], self.p[which] if self.p.ndim == 2 else self.p)

    def point(self, i: int) -> tuple[float, list[float], list[float], list[float]]:
        """t, q, v and p of one of them."""
        y, n = self.y[i].tolist(), self.y.shape[1] // 2
        p = self.p[i] if self.p.ndim == 2 else self.p
        return float(self.t[0 if self.t.size == 1 else i]), y[:n], y[n:], p.tolist()

    def each(
        self,
        address: int,
        out: int,
        aux: int = 0,
        parameters: Array | None = None,
        cache: Cache | None = None,
    ) -> tuple[Array, Array, NDArray[np.int64]]:
        """What a program writes for every state, in rows of so many numbers, and its flags. Other parameters
        than those of the states are given as `parameters`.
        """
        p = np.ascontiguousarray(self.p if parameters is None else parameters)
        found, beside = np.empty((self.count, max(out, 1))), np.empty((self.count, max(aux, 1)))
        flags = np.zeros(self.count, np.int64)
        t, y = np.ascontiguousarray(self.t), np.ascontiguousarray(self.y)
        loops.kernel("each_state", cache)(
            address, self.count, t.ctypes.data, int(t.size > 1), y.ctypes.data, y.shape[1],
            p.ctypes.data, p.shape[-1] if p.ndim == 2 else 0, found.ctypes.data, found.shape[1],
            beside.ctypes.data, beside.shape[1], flags.ctypes.data,
        )  # fmt: skip
        return found[:, :out], beside[:, :aux], flags


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
        return States(q.shape[:1], np.atleast_1d(t), np.concatenate([q, v], axis=1), model.default_values)
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
    return States(shape, flat_t, np.concatenate([q, v], axis=1), p)


def finite_rows(rows: Array) -> NDArray[np.bool_]:
    """Where all entries of a row (of a matrix) are finite; shape (N,).

    >>> finite_rows(np.array([[1.0, 2.0], [1.0, np.nan], [np.inf, 0.0]])).tolist()
    [True, False, False]
    """
    return np.asarray(np.isfinite(rows).all(axis=tuple(range(1, rows.ndim))))


def largest_in_rows(rows: Array) -> Array:
    """The largest |entry| of each row (of each matrix), nan where there is one; shape (N,).

    >>> largest_in_rows(np.array([[[1.0, -3.0]], [[0.0, np.nan]]])).tolist()
    [3.0, nan]
    """
    return np.asarray(np.abs(rows).max(axis=tuple(range(1, rows.ndim)), initial=0.0))
