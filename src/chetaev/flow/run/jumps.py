"""Whether the field jumps at a point near which steps go to and fro, as −v/|v| does at rest.

So steps also go where the system is stiff; but a jump is as high between nearer states, and a slope is not.
Two kinds are looked for: a component that has two values along a line, and a field that near a point c
depends on the direction from c alone. There ∂k/∂y (y − c) = 0 at every state y: linear equations for c.

>>> states = np.array([[0.5, 1.0], [0.5, -1.0], [1.0, 2.0]]) * 1e-9
>>> jumps_near(lambda v: -v / np.linalg.norm(v), states, 1e-9, 1e-9)
True
>>> jumps_near(lambda v: -1e9 * v, states, 1e-9, 1e-9)
False
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Field = Callable[[Array], Array]

HALVINGS = 8
"""Of the way between two states, or quarterings of that to a point: a jump does not become less."""
PART = 0.1
"""Of a rate, by which it jumps."""
STAYS = 100
"""Tolerances, within which a component goes nowhere."""


def jumps_near(field: Field, y: Array, h: float, tolerance: float) -> bool:
    """Whether the field jumps near the states `y`, ends of steps of the length `h`, and steps stay there."""
    k = np.array([field(state) for state in y])
    led = np.unique(np.concatenate([y, y + h * k]), axis=0)  # a scheme may have a fixed point near a jump
    return _has_two_values(field, y, k, tolerance) or _turns_about_a_point(field, led, tolerance)


def _stays(y: Array, k: Array, tolerance: float) -> NDArray[np.bool_]:
    """Which components go nowhere while their rates differ."""
    within: NDArray[np.bool_] = np.ptp(y, axis=0) <= STAYS * tolerance * (1 + abs(y[0]))
    within &= np.ptp(k, axis=0) > PART * abs(k).max(axis=0)
    return within


def _has_two_values(field: Field, y: Array, k: Array, tolerance: float) -> bool:
    """Whether a rate changes again and again between two values of different signs, and jumps on the way."""
    low, high = k.min(axis=0), k.max(axis=0)
    upper = k > 0.5 * (low + high)
    between = np.minimum(k - low, high - k) > 0.01 * (high - low)
    turns = np.sum(upper[1:] != upper[:-1], axis=0) > 3
    found = _stays(y, k, tolerance) & turns & ~np.any(between, axis=0) & (low < 0) & (high > 0)
    for j in np.flatnonzero(found):
        i = int(np.flatnonzero(upper[1:, j] != upper[:-1, j])[-1])
        ends = [(y[i], k[i, j]), (y[i + 1], k[i + 1, j])]
        for _ in range(HALVINGS):
            middle = 0.5 * (ends[0][0] + ends[1][0])
            value = field(middle)[j]
            side = 0 if (value > 0) == (ends[0][1] > 0) else 1
            ends[side] = (middle, value)
        if abs(ends[0][1] - ends[1][1]) > 0.5 * (high[j] - low[j]):
            return True
    return False


def _turns_about_a_point(field: Field, y: Array, tolerance: float) -> bool:
    """Whether the rates differ as much between states that are drawn towards the point c."""
    k = np.array([field(state) for state in y])
    y, k = (x[np.all(np.isfinite(k), axis=1)] for x in (y, k))  # one may be at the jump
    stay, spread = _stays(y, k, tolerance), np.ptp(y, axis=0)
    moving = np.flatnonzero(spread > 1e-3 * np.max(spread[stay], initial=0.0))
    if not np.any(stay) or not len(moving):
        return False
    height = np.ptp(k, axis=0)[stay]
    for _ in range(HALVINGS):
        spread = np.ptp(y, axis=0)[moving]
        if np.any(spread < 16 * np.spacing(abs(y[0, moving]))):
            return False
        k, rows, right = np.array([field(state) for state in y]), [], []
        for state, rate in zip(y, k, strict=True):
            rows.append(_slopes(field, state, rate, moving, 1e-2 * spread))
            right.append(rows[-1] @ (state - y[0])[moving])
        if not np.all(np.isfinite(right)):
            return False
        now = np.ptp(k, axis=0)[stay]
        if not np.any((now > 0.5 * height) & (now < 2 * height)):
            return False
        c = y[0].copy()
        c[moving] += np.linalg.lstsq(np.concatenate(rows), np.concatenate(right), rcond=1e-6)[0]
        y = c + 0.25 * (y - c)
    return True


def _slopes(field: Field, state: Array, rate: Array, moving: NDArray[np.intp], width: Array) -> Array:
    """The derivatives of the rates, by differences."""
    columns = []
    for j, w in zip(moving, width, strict=True):
        beside = state.copy()
        beside[j] += w
        columns.append((field(beside) - rate) / w)
    return np.array(columns).T
