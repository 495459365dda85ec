"""Tables of data, interpolated by the oracle itself: Newton's form, slopes by Lagrange's formula.

The knots and values are those that the model states; nothing of `expr.graph.table` but them is used. Outside
of the knots a table is held; on a knot, and where a ball holds one, its derivatives are not known.

>>> wind = Interpolated([Fraction(k) for k in range(3)], [Fraction(k * k) for k in range(3)], "cubic")
>>> print(wind.call(Fraction(3, 2)).value)  # exact for parabolas
2.25000000000000
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from chetaev.compare.oracle.jets import Jet, Number, UndefinedError, ball, jet

Polynomial = list[Fraction]


class Interpolated:
    """A table, or its derivative of some order."""

    def __init__(
        self, knots: Sequence[Fraction], values: Sequence[Fraction], interpolation: str, order: int = 0
    ) -> None:
        self.knots, self.values, self.order = list(knots), list(values), order
        self.cubic = interpolation == "cubic" and len(self.knots) > 2

    def call(self, argument: Number) -> Jet:
        """The value at a jet."""
        u = jet(argument)
        piece, origin = self._piece(u.value)
        for _ in range(self.order):
            piece = _derived(piece)
        once = _derived(piece)
        x = u.value - ball(origin)
        return u.chained(_value(piece, x), _value(once, x), _value(_derived(once), x))

    def _piece(self, u: Any) -> tuple[Polynomial, Fraction]:
        """The polynomial around a place, in powers of the distance from the middle of its piece."""
        if u < ball(self.knots[0]):
            return [self.values[0]], self.knots[0]
        if u > ball(self.knots[-1]):
            return [self.values[-1]], self.knots[-1]
        low, high = 0, len(self.knots) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if u > ball(self.knots[middle]):
                low = middle
            elif u < ball(self.knots[middle]):
                high = middle
            else:
                raise UndefinedError("a table is asked at a knot, or so near that its piece is not known")
        if not (u > ball(self.knots[low]) and u < ball(self.knots[high])):
            raise UndefinedError("a table is asked at a knot, or so near that its piece is not known")
        return self._newton(low)

    def _newton(self, i: int) -> tuple[Polynomial, Fraction]:
        a, b = self.knots[i], self.knots[i + 1]
        origin, h = (a + b) / 2, b - a
        chord = (self.values[i + 1] - self.values[i]) / h
        if not self.cubic:
            return _sum([self.values[i]], _scaled(chord, [origin - a, Fraction(1)])), origin
        first, second = self._slope(i), self._slope(i + 1)
        from_a, from_b = [origin - a, Fraction(1)], [origin - b, Fraction(1)]
        square = _product(from_a, from_a)
        result = _sum([self.values[i]], _scaled(first, from_a))
        result = _sum(result, _scaled((chord - first) / h, square))
        return _sum(result, _scaled((first + second - 2 * chord) / (h * h), _product(square, from_b))), origin

    def _slope(self, j: int) -> Fraction:
        """The derivative at knot j of Lagrange's parabola through the three knots about it."""
        first = min(max(j - 1, 0), len(self.knots) - 3)
        nodes = range(first, first + 3)
        total = Fraction(0)
        for i in nodes:
            others = [k for k in nodes if k != i]
            below = Fraction(1)
            for k in others:
                below *= self.knots[i] - self.knots[k]
            above = sum((self.knots[j] - self.knots[k] for k in others), Fraction(0))
            total += self.values[i] * above / below
        return total


def _sum(p: Polynomial, q: Polynomial) -> Polynomial:
    size = max(len(p), len(q))
    zero = Fraction(0)
    return [(p[i] if i < len(p) else zero) + (q[i] if i < len(q) else zero) for i in range(size)]


def _scaled(factor: Fraction, p: Polynomial) -> Polynomial:
    return [factor * c for c in p]


def _product(p: Polynomial, q: Polynomial) -> Polynomial:
    result = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] += a * b
    return result


def _derived(p: Polynomial) -> Polynomial:
    return [k * c for k, c in enumerate(p)][1:]


def _value(p: Polynomial, x: Any) -> Any:
    result = arb(0)
    for c in reversed(p):
        result = result * x + ball(c)
    return result


def functions(tables: Mapping[str, Any]) -> dict[str, Callable[[Number], Jet]]:
    """The calls of all tables and of their derivatives, by name."""
    found: dict[str, Callable[[Number], Jet]] = {}
    for name, table in tables.items():
        for order in range(4):
            made = Interpolated(table.knots, table.values, table.interpolation, order)
            found[f"{name}_{order}" if order else name] = made.call
    return found
