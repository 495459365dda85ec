"""Tables of data, interpolated by the oracle itself: Newton's form, slopes by Lagrange's formula.

The knots and values are those that the model states; nothing of `expr.graph.table` but them is used. Outside
of the knots a table is held; on a knot, and where a ball holds one, its derivatives are not known.

>>> wind = Interpolated([Fraction(k) for k in range(3)], [Fraction(k * k) for k in range(3)], "cubic")
>>> print(wind(rational(Fraction(3, 2))).value)  # exact for parabolas
2.25000000000000
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb_poly, fmpq, fmpq_poly

from chetaev.compare.oracle.jets import Jet, UndefinedError, ball, rational


@dataclass(frozen=True)
class Interpolated:
    """A table, or its derivative of some order."""

    knots: Sequence[Fraction]
    values: Sequence[Fraction]
    interpolation: str
    order: int = 0

    def __call__(self, u: Jet) -> Jet:
        """The value at a jet."""
        piece, origin = self._piece(u.value)
        for _ in range(self.order):
            piece = piece.derivative()
        x = u.value - ball(origin)
        g, g1, g2 = (arb_poly(p)(x) for p in (piece, piece.derivative(), piece.derivative().derivative()))
        return u.chained(g, g1, g2)

    def _piece(self, u: Any) -> tuple[fmpq_poly, Fraction]:
        """The polynomial around a place, in powers of the distance from the middle of its piece."""
        knots = self.knots
        if u < ball(knots[0]) or u > ball(knots[-1]):
            end = 0 if u < ball(knots[0]) else -1
            return fmpq_poly([_q(self.values[end])]), knots[end]
        below = sum(u > ball(k) for k in knots)
        if not (0 < below < len(knots) and u < ball(knots[below])):
            raise UndefinedError("a table is evaluated at a knot, or so near that its piece is not known")
        return self._newton(below - 1)

    def _newton(self, i: int) -> tuple[fmpq_poly, Fraction]:
        a, b = self.knots[i], self.knots[i + 1]
        origin, h = (a + b) / 2, b - a
        chord = (self.values[i + 1] - self.values[i]) / h
        from_a, from_b = fmpq_poly([_q(origin - a), 1]), fmpq_poly([_q(origin - b), 1])
        if self.interpolation != "cubic" or len(self.knots) < 3:
            return _q(self.values[i]) + _q(chord) * from_a, origin
        first, second = self._slope(i), self._slope(i + 1)
        bend = _q((chord - first) / h) + _q((first + second - 2 * chord) / (h * h)) * from_b
        return _q(self.values[i]) + from_a * (_q(first) + from_a * bend), origin

    def _slope(self, j: int) -> Fraction:
        """The derivative at knot j of Lagrange's parabola through the three knots about it."""
        first = min(max(j - 1, 0), len(self.knots) - 3)
        total, x = Fraction(0), self.knots
        for i in range(first, first + 3):
            k, m = (n for n in range(first, first + 3) if n != i)
            total += self.values[i] * (2 * x[j] - x[k] - x[m]) / ((x[i] - x[k]) * (x[i] - x[m]))
        return total


def _q(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def functions(tables: Mapping[str, Any]) -> dict[str, Callable[[Jet], Jet]]:
    """All tables and their derivatives, by name."""
    return {
        f"{name}_{order}" if order else name: Interpolated(t.knots, t.values, t.interpolation, order)
        for name, t in tables.items()
        for order in range(4)
    }


__all__ = ["Interpolated", "functions", "rational"]
