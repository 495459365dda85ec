"""Exact rational values of graphs, to hold those in numbers against: one more arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.program import Arithmetic, Values, run
from chetaev.expr.graph.table import DataTable


class NotExactError(Exception):
    """A value that is not a rational number, such as sin(1)."""


def _exact_root(value: Fraction, degree: int) -> Fraction:
    def root(n: int) -> int:
        r = round(n ** (1 / degree)) if n < 2**52 else _integer_root(n, degree)
        for candidate in (r - 1, r, r + 1):
            if candidate >= 0 and candidate**degree == n:
                return candidate
        raise NotExactError(f"the root of {value} is not rational")

    if value < 0:
        raise NotExactError(f"the root of {value} is not real")
    if degree > 64:
        raise NotExactError("a root of such a high degree is not taken exactly")
    return Fraction(root(value.numerator), root(value.denominator))


def _integer_root(n: int, degree: int) -> int:
    low, high = 0, 1 << (n.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= n else (low, middle - 1)
    return low


_EXACT_AT: dict[tuple[str, int], int] = {
    ("sin", 0): 0, ("cos", 0): 1, ("tan", 0): 0, ("asin", 0): 0, ("atan", 0): 0, ("acos", 1): 0,
    ("sinh", 0): 0, ("cosh", 0): 1, ("tanh", 0): 0, ("asinh", 0): 0, ("atanh", 0): 0, ("acosh", 1): 0,
    ("exp", 0): 1, ("log", 1): 0,
}  # fmt: skip


class Rationals(Arithmetic):
    """Rational numbers, where all values are."""

    def number(self, value: Fraction) -> Fraction:
        return value

    def constant(self, name: object) -> Fraction:
        raise NotExactError(f"{name} is not a rational number")

    def power(self, base: Fraction, exponent: Fraction, written: Fraction | None) -> Fraction:
        if exponent.denominator == 1:
            if abs(exponent) > 10_000:
                raise NotExactError(f"a power with exponent {exponent} is too large for exact evaluation")
            return base ** int(exponent)
        root = _exact_root(base, exponent.denominator)
        return root ** int(exponent.numerator)

    def function(self, name: str, args: Sequence[Fraction]) -> Fraction:
        if name in ("min", "max"):
            return min(args) if name == "min" else max(args)
        x = args[0]
        if name == "abs":
            return abs(x)
        if name == "sign":
            return Fraction((x > 0) - (x < 0))
        if name == "sqrt":
            return _exact_root(x, 2)
        if name == "atan2" and x == 0 and args[1] > 0:
            return Fraction(0)
        if len(args) == 1 and x.denominator == 1 and (name, int(x)) in _EXACT_AT:
            return Fraction(_EXACT_AT[name, int(x)])
        raise NotExactError(f"{name}({', '.join(map(str, args))}) is not a rational number")

    def table(self, data: DataTable, u: Fraction) -> Fraction:
        return data.exact(u)


def evaluate_exact(roots: Iterable[Expr], values: Values) -> list[Fraction]:
    """Exact rational values; raises :class:`NotExactError` where a value is not rational."""
    return run(roots, Rationals(), {k: Fraction(v) for k, v in values.items()})
