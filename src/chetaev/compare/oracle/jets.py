"""Taylor arithmetic: a number with its first and second derivatives.

A :class:`Jet` is u = u₀ + Σ u_i ε_i + ½ Σ u_ij ε_i ε_j, cut after the second order, with

    (u v)_ij = u_ij v + u_i v_j + u_j v_i + u v_ij,      g(u)_ij = g′ u_ij + g″ u_i u_j.

Only derivatives that are not zero are kept. Infinitesimals have numbers: those from 0 on are carried to
second order, negative ones to first order. Values are balls (python-flint ``arb``), so every result knows its
own rounding error; what has no real value is not a number. Rational constants stay exact, which decides
whether a power is an integer one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement
from typing import Any

from flint import arb, arb_series, fmpq

LARGEST_POWER = 4096
"""Exact powers of rational constants are computed up to this exponent, and floating ones by squaring."""


class UndefinedError(ArithmeticError):
    """The point is too close to a kink or jump for the side to be known."""


def ball(x: Fraction) -> Any:
    """A rational number as a ball."""
    return arb(fmpq(x.numerator, x.denominator))


@dataclass(frozen=True, slots=True)
class Jet:
    """Value, first derivatives by i, second derivatives by (i, j) with i ≤ j; `exact`, if it is rational."""

    value: Any
    first: dict[int, Any] = field(default_factory=dict)
    second: dict[tuple[int, int], Any] = field(default_factory=dict)
    exact: Fraction | None = None

    def d(self, i: int, j: int | None = None) -> Any:
        """The derivative by ε_i, or by ε_i and ε_j."""
        if j is None:
            return self.first.get(i, arb(0))
        return self.second.get((min(i, j), max(i, j)), arb(0))

    def chained(self, g: Any, g1: Any, g2: Any) -> Jet:
        """g(u) from g, g′, g″ at u₀."""
        pairs = combinations_with_replacement(sorted(k for k in self.first if k >= 0), 2)
        squares = {(i, j): g2 * self.first[i] * self.first[j] for i, j in pairs}
        return Jet(g, _times(g1, self.first), _sum(_times(g1, self.second), squares))

    def __add__(self, other: Jet) -> Jet:
        if self.exact is not None and other.exact is not None:
            return rational(self.exact + other.exact)
        return Jet(self.value + other.value, _sum(self.first, other.first), _sum(self.second, other.second))

    def __neg__(self) -> Jet:
        exact = None if self.exact is None else -self.exact
        return Jet(-self.value, _times(-1, self.first), _times(-1, self.second), exact)

    def __sub__(self, other: Jet) -> Jet:
        return self + -other

    def __mul__(self, other: Jet) -> Jet:
        if self.exact is not None and other.exact is not None:
            return rational(self.exact * other.exact)
        second = _sum(_times(other.value, self.second), _times(self.value, other.second))
        for i, d in self.first.items():
            for j, e in other.first.items():
                if i >= 0 and j >= 0:
                    key = (min(i, j), max(i, j))
                    second[key] = second.get(key, 0) + (d * e if i != j else 2 * d * e)
        first = _sum(_times(other.value, self.first), _times(self.value, other.first))
        return Jet(self.value * other.value, first, second)

    def __truediv__(self, other: Jet) -> Jet:
        if other.exact:
            return self * rational(1 / other.exact)
        inverse = 1 / other.value
        return self * other.chained(inverse, -inverse * inverse, 2 * inverse * inverse * inverse)

    def __pow__(self, other: Jet) -> Jet:
        """An integer power of any number, another one of positive numbers only."""
        exponent = other.exact
        if (
            exponent is None
            and not other.first
            and abs(other.value) < LARGEST_POWER
            and other.value.is_exact()
        ):
            exponent = Fraction(int(other.value.unique_fmpz())) if other.value.is_integer() else None
        if self.exact is not None and exponent is not None and exponent.denominator == 1:
            if abs(exponent) <= LARGEST_POWER and (self.exact or exponent >= 0):
                return rational(self.exact**exponent.numerator)
            if self.exact in (0, 1) and exponent > 0:
                return self
        if exponent is None:
            return function("exp", other * function("log", self))
        n: Any = exponent.numerator if exponent.denominator == 1 else ball(exponent)
        g, g1, g2 = (_power(self.value, n - k) for k in range(3))
        first = n * g1 if exponent else arb(0)  # also where u^(n − 1) has no value
        return self.chained(g, first, n * (n - 1) * g2 if exponent not in (0, 1) else arb(0))


def rational(x: Fraction) -> Jet:
    """A rational constant."""
    return Jet(ball(x), exact=x)


def _sum(x: dict[Any, Any], y: dict[Any, Any]) -> dict[Any, Any]:
    large, small = (x, y) if len(x) >= len(y) else (y, x)
    return large | {key: large[key] + d if key in large else d for key, d in small.items()}


def _times(factor: Any, x: dict[Any, Any]) -> dict[Any, Any]:
    return {key: factor * d for key, d in x.items()}


def _power(u: Any, n: Any) -> Any:
    """u^n; integer powers by squaring, which is right also for balls around 0."""
    if not isinstance(n, int):
        return u**n if u > 0 else arb.nan()
    result, square, left = arb(1), u, abs(n)
    while left:
        if left % 2:
            result = result * square
        square, left = square * square, left // 2
    return result if n >= 0 else 1 / result


def _sign(x: Any) -> Any:
    if not (x > 0 or x < 0 or x.is_zero() or x.is_nan()):
        raise UndefinedError("the sign of a number is not known")
    return x.sgn()


def _inverse(s: Any) -> Any:
    """1/s; FLINT's own quotient refuses where 1/0 is no number."""
    r = 1 / s[0]
    return arb_series([r, -s[1] * r * r])


def _hyperbolic(s: Any, sign: int) -> Any:
    return (s.exp() + sign * (-s).exp()) / 2


SLOPES: dict[str, Callable[[Any], Any]] = {
    "sin": lambda s: s.cos(),
    "cos": lambda s: -s.sin(),
    "tan": lambda s: 1 + s.tan() * s.tan(),
    "asin": lambda s: (1 - s * s).rsqrt(),
    "acos": lambda s: -(1 - s * s).rsqrt(),
    "atan": lambda s: _inverse(1 + s * s),
    "sinh": lambda s: _hyperbolic(s, 1),
    "cosh": lambda s: _hyperbolic(s, -1),
    "tanh": lambda s: _inverse(_hyperbolic(s, 1) * _hyperbolic(s, 1)),
    "asinh": lambda s: (1 + s * s).rsqrt(),
    "acosh": lambda s: (s * s - 1).rsqrt(),
    "atanh": lambda s: _inverse(1 - s * s),
    "exp": lambda s: s.exp(),
    "log": lambda s: _inverse(s),
    "sqrt": lambda s: s.rsqrt() / 2,
    "abs": lambda s: arb_series([_sign(s[0])]),
    "sign": lambda s: arb_series([0 * _sign(s[0])]),
}
"""Functions of one argument by their derivatives, on series."""


def function(name: str, *arguments: Jet) -> Jet:
    """A function of the model language."""
    if name in ("min", "max"):
        return reduce(lambda x, y: _extreme(name, x, y), arguments)
    if name == "atan2":
        return _atan2(*arguments)
    (u,) = arguments
    if name == "sqrt" and u.exact == 0:
        return u
    value = _sign(u.value) if name == "sign" else abs(u.value) if name == "abs" else getattr(u.value, name)()
    slope = SLOPES[name](arb_series([u.value, 1], prec=2))
    return u.chained(value, slope[0], slope[1])


def _atan2(y: Jet, x: Jet) -> Jet:
    """The angle of (x, y): an atan plus a constant, from the quotient whose denominator is larger."""
    wide = abs(x.value.mid()) > abs(y.value.mid())
    local = function("atan", y / x) if wide else -function("atan", x / y)
    return Jet(arb.atan2(y.value, x.value), local.first, local.second)


def _extreme(name: str, x: Jet, y: Jet) -> Jet:
    """The larger or the smaller of two; the first of two equal ones; both, if they may be equal constants."""
    if (x - y).exact is None and not (x.first or y.first) and x.value.overlaps(y.value):
        return Jet(x.value.union(y.value))
    side = _sign((x - y).value)
    return x if side.is_zero() or (side > 0) == (name == "max") else y
