"""Rigorous values of expression graphs: balls (midpoint and radius) that certainly contain them.

A :class:`BallProgram` is a straight-line program (:mod:`chetaev.expr.graph.program`) run in ball
arithmetic (python-flint ``arb``), with first derivatives where they are wanted. A ball that does not
contain 0 proves that the value is not 0.

>>> from chetaev.expr.graph.node import call, symbol
>>> x = symbol("x")
>>> p = BallProgram([call("sin", x)])
>>> p.run({("x", 0): arb(0)})[0].is_zero()
True
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import arb, fmpq

from chetaev.errors import ExhaustedError
from chetaev.expr.graph.node import ImplicitNumber
from chetaev.expr.graph.program import Arithmetic, GraphProgram, Name, Operation
from chetaev.expr.graph.table import DataTable

LARGEST_POWER = 10**7
"""Whole powers beyond this are not computed."""


class OutsideDomainError(ExhaustedError, ArithmeticError):
    """A point where the expression has no real value, or where the precision does not show one."""


def ball_of(x: Fraction) -> arb:
    """A rational number as a ball of the working precision."""
    return arb(fmpq(x.numerator, x.denominator))


def constant_ball(name: str | ImplicitNumber) -> arb:
    """A constant of the graph as a ball of the working precision."""
    if isinstance(name, ImplicitNumber):
        return name.ball()
    return arb.pi() if name == "pi" else arb.const_e()


def power(base: arb, exponent: arb) -> arb:
    """base^exponent: any base for integers, positive bases otherwise.

    Where python-flint's power of a narrow ball around 0 is no number, products are formed.

    >>> (arb(0, 1e-6) ** 2).is_finite(), power(arb(0, 1e-6), arb(2)) < 1e-11
    (False, True)
    """
    n = exponent.unique_fmpz()
    if n is not None and exponent.is_exact():
        if abs(n) > LARGEST_POWER:
            raise OutsideDomainError
        found = base ** int(n)
        return found if found.is_finite() else whole_power(base, int(n), arb(1))
    if not base > 0:
        raise OutsideDomainError
    return base**exponent


def whole_power(base: Any, n: int, one: Any) -> Any:
    """baseⁿ by products, in any ring."""
    result, left = one, abs(n)
    while left:
        if left & 1:
            result = result * base
        base, left = base * base, left >> 1
    return result if n >= 0 else 1 / result


class _Balls(Arithmetic):
    """Balls; :class:`OutsideDomainError` where a value is not real, or is not shown to be."""

    def number(self, value: Fraction) -> arb:
        return ball_of(value)

    def constant(self, name: str | ImplicitNumber) -> arb:
        return constant_ball(name)

    def power(self, base: arb, exponent: arb, written: Fraction | None) -> arb:
        return power(base, exponent)

    def function(self, name: str, args: Sequence[arb]) -> arb:
        u = args[0]
        match name:
            case "atan2":
                if not (u > 0 or u < 0 or args[1] > 0):
                    raise OutsideDomainError  # on the cut, where the value jumps
                return arb.atan2(u, args[1])
            case "abs":
                return abs(u)
            case "sign":
                return u.sgn()
            case "min" | "max":
                return reduce(getattr(arb, name), args)
        return getattr(u, name)()  # type: ignore[no-any-return]

    def table(self, data: DataTable, u: arb) -> arb:
        """The value of a table of data, where it is known on which piece."""
        low, high = (_fraction(x) for x in (_finite(u).lower(), u.upper()))
        if bisect_right(data.knots, low) != bisect_right(data.knots, high):
            raise OutsideDomainError
        return data.at(u, low, ball_of)  # type: ignore[no-any-return]

    def operation(self, op: str) -> Operation:
        found = super().operation(op)
        if op in ("number", "constant", "define", "add", "mul", "neg"):
            return found
        return lambda args, value: _finite(found(args, value))

    def shares(self, a: list[arb], r: arb) -> list[arb]:
        near = [x.overlaps(r) for x in a]
        share = arb(1) if sum(near) == 1 else arb(0.5, 0.5)
        return [share if n else arb(0) for n in near]

    def slope(self, name: str, u: arb, r: arb) -> arb:
        if name == "sign" and u.contains(0):
            raise OutsideDomainError
        return super().slope(name, u, r)  # type: ignore[no-any-return]


BALLS: Arithmetic = _Balls()


class BallProgram(GraphProgram):
    """Graphs as a program that is run in balls."""

    def run(self, point: Mapping[Name, arb]) -> list[arb]:
        """The values of the graphs; :class:`OutsideDomainError` where they are not real."""
        return self.values(BALLS, point)

    def gradients(
        self, point: Mapping[Name, arb], names: Sequence[Name]
    ) -> tuple[list[arb], list[list[arb]]]:
        """The values and their derivatives with respect to some symbols (rows: graphs)."""
        return self.slopes(BALLS, point, names)


def _fraction(x: arb) -> Fraction:
    mantissa, exponent = x.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _finite(value: arb) -> arb:
    if not value.is_finite():
        raise OutsideDomainError
    return value
