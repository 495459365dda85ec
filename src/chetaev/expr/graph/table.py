"""A function given by a table of data: piecewise polynomial, with exact knots and coefficients.

    linear    on [k_i, k_i+1] the line through both values
    cubic     the cubic with the values and slopes at both knots (Hermite); the slope at a knot is that of the
              parabola through it and its neighbours, at the ends of the parabola through the last three
              (Bessel's interpolation): continuous with its derivative, exact for quadratic functions, and a
              value moves the function near it only. Two knots give a line.

Outside of its knots the function is *held*: it keeps its first or last value. At a knot, derivatives are
those of the piece to the right.

>>> F = Fraction
>>> table = DataTable("wind", (F(0), F(1), F(3)), (F(0), F(2), F(4)))
>>> [table.exact(Fraction(x, 2)) for x in (-1, 1, 2, 4, 9)]
[Fraction(0, 1), Fraction(1, 1), Fraction(2, 1), Fraction(3, 1), Fraction(4, 1)]
>>> table.derivative().label, table.derivative().exact(Fraction(2))
('wind_1', Fraction(1, 1))
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

LINEAR, CUBIC = "linear", "cubic"
KINDS = (LINEAR, CUBIC)
FAR = 1e300
"""The ends of the pieces outside of all knots."""
DEGREE = {LINEAR: 1, CUBIC: 3}


@dataclass(frozen=True, eq=False)
class DataTable:
    """Knots in ascending order, their values, and how to interpolate; or a derivative of that."""

    name: str
    knots: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    interpolation: str = LINEAR
    order: int = 0

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return self.name, self.interpolation, self.order, self.knots, self.values

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, DataTable) and self._key == other._key)

    def __reduce__(self) -> tuple[object, ...]:
        return DataTable, (self.name, self.knots, self.values, self.interpolation, self.order)

    @property
    def label(self) -> str:
        """Its name in expressions; that of the k-th derivative ends in _k."""
        return f"{self.name}_{self.order}" if self.order else self.name

    @property
    def degree(self) -> int:
        """Of its pieces; −1 for a derivative that is zero everywhere."""
        return DEGREE[self.interpolation] - self.order

    def derivative(self) -> DataTable:
        """The derivative, a table of the same knots."""
        return self._derivative

    @cached_property
    def _derivative(self) -> DataTable:
        return replace(self, order=self.order + 1)

    @cached_property
    def ends(self) -> NDArray[np.float64]:
        """Where each piece begins, and where the last one ends; as doubles."""
        return np.concatenate([[-FAR], self.arrays[0], [FAR]])

    @cached_property
    def pieces(self) -> tuple[tuple[Fraction, ...], ...]:
        """Coefficients in powers of u − k_i: before the first knot, between the knots, behind the last."""
        knots, values = self.knots, self.values
        cubic = self.interpolation == CUBIC and len(knots) > 2
        slopes = _slopes(knots, values) if cubic else ()
        found: list[tuple[Fraction, ...]] = [(values[0],)]
        for i in range(len(knots) - 1):
            h = knots[i + 1] - knots[i]
            chord = (values[i + 1] - values[i]) / h
            if cubic:
                a, b = slopes[i], slopes[i + 1]
                found.append((values[i], a, (3 * chord - 2 * a - b) / h, (a + b - 2 * chord) / (h * h)))
            else:
                found.append((values[i], chord))
        found.append((values[-1],))
        for _ in range(self.order):
            found = [tuple(k * c for k, c in enumerate(piece))[1:] for piece in found]
        zeros = (Fraction(0),) * (max(self.degree, 0) + 1)
        return tuple((*piece, *zeros)[: len(zeros)] for piece in found)

    @cached_property
    def origins(self) -> tuple[Fraction, ...]:
        """The knot from which each piece counts."""
        return (self.knots[0], *self.knots)

    def exact(self, u: Fraction) -> Fraction:
        """The value at a rational number."""
        return self._horner(bisect_right(self.knots, u), u, lambda x: x)  # type: ignore[no-any-return]

    def at(self, u: Any, place: Fraction, number: Callable[[Fraction], Any]) -> Any:
        """The value at a number of any kind; `place` is the same number exactly."""
        return self._horner(bisect_right(self.knots, place), u, number)

    def _horner(self, piece: int, u: Any, number: Callable[[Fraction], Any]) -> Any:
        x = u - number(self.origins[piece])
        result = number(Fraction(0))
        for c in reversed(self.pieces[piece]):
            result = result * x + number(c)
        return result

    @cached_property
    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Knots, origins and coefficients, one row a piece, as doubles."""
        knots, origins = (np.array([float(x) for x in xs]) for xs in (self.knots, self.origins))
        return knots, origins, np.array([[float(c) for c in piece] for piece in self.pieces])

    def floats(self, u: Any) -> Any:
        """Values over an array, nan where it is nan."""
        knots, origins, rows = self.arrays
        u = np.asarray(u, float)
        piece = np.searchsorted(knots, u, side="right")
        x = u - origins[piece]
        result = np.zeros(u.shape)
        for k in reversed(range(rows.shape[1])):
            result = result * x + rows[piece, k]
        return np.where(np.isnan(u), np.nan, result)[()]

    def __str__(self) -> str:
        from hashlib import sha256

        return f"{self.label}:{sha256(repr(self._key).encode()).hexdigest()}"

    def __repr__(self) -> str:
        return f"<DataTable {self.label!r}: {len(self.knots)} knots, {self.interpolation}>"


def _slopes(knots: tuple[Fraction, ...], values: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """At each knot the slope of the parabola through it and its neighbours."""
    count = len(knots)
    chords = [(values[i + 1] - values[i]) / (knots[i + 1] - knots[i]) for i in range(count - 1)]
    bends = [(chords[i + 1] - chords[i]) / (knots[i + 2] - knots[i]) for i in range(count - 2)]
    inner = [chords[i] + bends[i] * (knots[i + 1] - knots[i]) for i in range(count - 2)]
    first = chords[0] - bends[0] * (knots[1] - knots[0])
    last = chords[-1] + bends[-1] * (knots[-1] - knots[-2])
    return (first, *inner, last)
