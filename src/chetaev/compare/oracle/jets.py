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
from itertools import combinations_with_replacement
from typing import Any, TypeAlias

from flint import arb, fmpq

LARGEST_POWER = 4096
"""Exact powers of rational constants are computed up to this exponent, and floating ones by squaring."""


class UndefinedError(ArithmeticError):
    """The point is too close to a kink or jump for the side to be known."""


@dataclass(frozen=True, slots=True)
class Jet:
    """Value, first derivatives by i, second derivatives by (i, j) with i ≤ j."""

    value: Any
    first: dict[int, Any] = field(default_factory=dict)
    second: dict[tuple[int, int], Any] = field(default_factory=dict)

    def chained(self, g: Any, g1: Any, g2: Any) -> Jet:
        """g(u) from g, g′, g″ at u₀."""
        second = {ij: g1 * x for ij, x in self.second.items()}
        for i, j in combinations_with_replacement(sorted(k for k in self.first if k >= 0), 2):
            term = g2 * self.first[i] * self.first[j]
            second[i, j] = second[i, j] + term if (i, j) in second else term
        return Jet(g, {i: g1 * x for i, x in self.first.items()}, second)


Number: TypeAlias = Jet | Fraction


def ball(x: Fraction) -> Any:
    """A rational number as a ball."""
    return arb(fmpq(x.numerator, x.denominator))


def jet(x: Number) -> Jet:
    """A number as a jet."""
    return x if isinstance(x, Jet) else Jet(ball(x))


def add(x: Number, y: Number) -> Number:
    """x + y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x + y
    u, v = jet(x), jet(y)
    if len(u.second) + len(u.first) < len(v.second) + len(v.first):
        u, v = v, u
    return Jet(u.value + v.value, _sum(u.first, v.first), _sum(u.second, v.second))


def _sum(large: dict[Any, Any], small: dict[Any, Any]) -> dict[Any, Any]:
    total = dict(large)
    for key, x in small.items():
        total[key] = total[key] + x if key in total else x
    return total


def negative(x: Number) -> Number:
    """−x."""
    if isinstance(x, Fraction):
        return -x
    return Jet(-x.value, {i: -d for i, d in x.first.items()}, {ij: -d for ij, d in x.second.items()})


def multiply(x: Number, y: Number) -> Number:
    """x·y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    u, v = jet(x), jet(y)
    first = _sum({i: v.value * d for i, d in u.first.items()}, {i: u.value * d for i, d in v.first.items()})
    second = _sum(
        {ij: v.value * d for ij, d in u.second.items()}, {ij: u.value * d for ij, d in v.second.items()}
    )
    for i, d in u.first.items():
        for j, e in v.first.items():
            if i >= 0 and j >= 0:
                key, term = (i, j) if i <= j else (j, i), d * e if i != j else 2 * d * e
                second[key] = second[key] + term if key in second else term
    return Jet(u.value * v.value, first, second)


def divide(x: Number, y: Number) -> Number:
    """x/y."""
    if isinstance(y, Fraction) and y:
        return multiply(x, 1 / y)
    v = jet(y)
    inverse = 1 / v.value
    square = inverse * inverse
    return multiply(x, v.chained(inverse, -square, 2 * square * inverse))


def power(x: Number, y: Number) -> Number:
    """x^y: an integer power of any x, another one of x > 0 only."""
    exponent = _constant(y)
    if isinstance(x, Fraction) and exponent is not None and exponent.denominator == 1:
        if x and abs(exponent) <= LARGEST_POWER:
            return x**exponent.numerator
        if exponent >= 0 and (not x or x == 1):
            return Fraction(1) if x or not exponent else Fraction(0)
    u = jet(x)
    if exponent is None:
        return function("exp", multiply(y, function("log", u)))
    n: Any = exponent.numerator if exponent.denominator == 1 else ball(exponent)
    derivatives = [_power(u.value, n - k) for k in range(3)]
    return u.chained(
        derivatives[0],
        n * derivatives[1] if exponent else arb(0),
        n * (n - 1) * derivatives[2] if exponent not in (0, 1) else arb(0),
    )


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


def _constant(x: Number) -> Fraction | None:
    """The rational number that an exponent is, if it is one."""
    if isinstance(x, Fraction):
        return x
    if not x.first and abs(x.value) < LARGEST_POWER and x.value.is_exact() and x.value.is_integer():
        return Fraction(int(x.value.unique_fmpz()))
    return None


# --- functions ------------------------------------------------------------------------------------


def _tan(x: Any) -> tuple[Any, Any, Any]:
    y = x.tan()
    return y, 1 + y * y, 2 * y * (1 + y * y)


def _tanh(x: Any) -> tuple[Any, Any, Any]:
    y = x.tanh()
    return y, 1 - y * y, -2 * y * (1 - y * y)


def _asin(x: Any) -> tuple[Any, Any, Any]:
    r = 1 / (1 - x * x).sqrt()
    return x.asin(), r, x * r * r * r


def _acos(x: Any) -> tuple[Any, Any, Any]:
    r = 1 / (1 - x * x).sqrt()
    return x.acos(), -r, -x * r * r * r


def _atan(x: Any) -> tuple[Any, Any, Any]:
    r = 1 / (1 + x * x)
    return x.atan(), r, -2 * x * r * r


def _asinh(x: Any) -> tuple[Any, Any, Any]:
    r = 1 / (1 + x * x).sqrt()
    return x.asinh(), r, -x * r * r * r


def _acosh(x: Any) -> tuple[Any, Any, Any]:
    r = 1 / (x * x - 1).sqrt()
    return x.acosh(), r, -x * r * r * r


def _atanh(x: Any) -> tuple[Any, Any, Any]:
    r = 1 / (1 - x * x)
    return x.atanh(), r, 2 * x * r * r


def _sqrt(x: Any) -> tuple[Any, Any, Any]:
    y = x.sqrt()
    return y, 1 / (2 * y), -1 / (4 * y * x)


def _abs(x: Any) -> tuple[Any, Any, Any]:
    return abs(x), _sign(x)[0], arb(0)


def _sign(x: Any) -> tuple[Any, Any, Any]:
    if not (x > 0 or x < 0 or x.is_zero() or x.is_nan()):
        raise UndefinedError("the sign of a number is not known")
    return x.sgn(), arb(0), arb(0)


SMOOTH: dict[str, Callable[[Any], tuple[Any, Any, Any]]] = {
    "sin": lambda x: (x.sin(), x.cos(), -x.sin()),
    "cos": lambda x: (x.cos(), -x.sin(), -x.cos()),
    "tan": _tan,
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "sinh": lambda x: (x.sinh(), x.cosh(), x.sinh()),
    "cosh": lambda x: (x.cosh(), x.sinh(), x.cosh()),
    "tanh": _tanh,
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "exp": lambda x: (x.exp(), x.exp(), x.exp()),
    "log": lambda x: (x.log(), 1 / x, -1 / (x * x)),
    "sqrt": _sqrt,
    "abs": _abs,
    "sign": _sign,
}
"""Functions of one argument: g, g′, g″ at a ball."""


def _atan2(y: Jet, x: Jet) -> Jet:
    """The angle of (x, y): locally an atan plus a constant, from the quotient whose denominator is larger."""
    if abs(x.value.mid()) > abs(y.value.mid()):
        local = function("atan", divide(y, x))
    else:
        local = negative(function("atan", divide(x, y)))
    assert isinstance(local, Jet)
    return Jet(arb.atan2(y.value, x.value), local.first, local.second)


def _extreme(name: str, x: Jet, y: Jet) -> Jet:
    """The larger or the smaller of two; the first of two equal ones; both, if they may be equal constants."""
    difference = x.value - y.value
    if not (x.first or y.first) and x.value.overlaps(y.value):
        return Jet(x.value.union(y.value))
    side = _sign(difference)[0]
    return x if side.is_zero() or (side > 0) == (name == "max") else y


def function(name: str, *arguments: Number) -> Number:
    """A function of the model language."""
    fractions = [x for x in arguments if isinstance(x, Fraction)]
    if name in ("min", "max") and len(fractions) == len(arguments):
        return min(fractions) if name == "min" else max(fractions)
    jets = [jet(x) for x in arguments]
    if name == "atan2":
        return _atan2(*jets)
    if name in ("min", "max"):
        found = jets[0]
        for other in jets[1:]:
            found = _extreme(name, found, other)
        return found
    if name == "sqrt" and isinstance(arguments[0], Fraction) and not arguments[0]:
        return Fraction(0)
    (u,) = jets
    return u.chained(*SMOOTH[name](u.value))
