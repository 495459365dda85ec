"""Rigorous values of expression graphs: balls (midpoint and radius) that certainly contain them.

A :class:`BallProgram` is a graph laid out once; it is run at points in ball arithmetic (python-flint
``arb``), with first derivatives by forward differentiation where they are asked for. A ball that does not
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
from typing import Any

from flint import arb, fmpq

from chetaev.errors import ExhaustedError
from chetaev.expr.graph.implicit_number import ImplicitNumber
from chetaev.expr.graph.node import Expr, postorder

Name = tuple[str, int]
Gradient = dict[int, arb]


class OutsideDomainError(ExhaustedError, ArithmeticError):
    """A point where the expression has no real value, or where the precision does not show one."""


class BallProgram:
    """Expressions laid out as a list of operations."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        index: dict[int, int] = {}
        self.steps: list[tuple[str, tuple[int, ...], Any]] = []
        self.names: list[Name] = []
        self.numbers: set[Fraction] = set()
        for node in postorder(*roots):
            args = tuple(index[id(a)] for a in node.args)
            value = node.value
            if node.op == "number":
                self.numbers.add(value)
                value = fmpq(value.numerator, value.denominator)
            elif node.op == "symbol":
                self.names.append(value)
            index[id(node)] = len(self.steps)
            self.steps.append((node.op, args, value))
        self.roots = [index[id(r)] for r in roots]

    def run(self, point: Mapping[Name, arb]) -> list[arb]:
        """The values of the roots; :class:`OutsideDomainError` where they are not real."""
        done: list[arb] = []
        for op, args, value in self.steps:
            if op == "symbol":
                done.append(point[value])
            else:
                done.append(_apply(op, [done[i] for i in args], value))
        return [done[i] for i in self.roots]

    def gradients(
        self, point: Mapping[Name, arb], names: Sequence[Name]
    ) -> tuple[list[arb], list[list[arb]]]:
        """Values of the roots and their derivatives with respect to some symbols (rows: roots)."""
        places = {n: j for j, n in enumerate(names)}
        done: list[arb] = []
        slopes: list[Gradient] = []
        for op, args, value in self.steps:
            if op == "symbol":
                done.append(point[value])
                slopes.append({places[value]: arb(1)} if value in places else {})
                continue
            inner = [done[i] for i in args]
            result = _apply(op, inner, value)
            gradient: Gradient = {}
            if any(slopes[i] for i in args):
                if op == "table":
                    partials = [_table(value.derivative(), inner[0])]
                else:
                    partials = _partials(op, inner, result, [bool(slopes[i]) for i in args])
                for i, factor in zip(args, partials, strict=True):
                    for j, slope in slopes[i].items():
                        term = factor * slope
                        gradient[j] = gradient[j] + term if j in gradient else term
            done.append(result)
            slopes.append(gradient)
        rows = [[slopes[i].get(j, arb(0)) for j in range(len(names))] for i in self.roots]
        return [done[i] for i in self.roots], rows


def _apply(op: str, args: list[arb], value: Any) -> arb:
    if op == "number":
        return arb(value)
    if op == "constant":
        if isinstance(value, ImplicitNumber):
            return value.ball()
        return arb.pi() if value == "pi" else arb.const_e()
    if op == "define":
        return args[0]
    if op == "add":
        total = args[0]
        for a in args[1:]:
            total = total + a
        return total
    if op == "mul":
        total = args[0]
        for a in args[1:]:
            total = total * a
        return total
    if op == "neg":
        return -args[0]
    if op == "table":
        return _table(value, args[0])
    return _finite(_function(op, args))


def _fraction(x: arb) -> Fraction:
    mantissa, exponent = x.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _table(data: Any, u: arb) -> arb:
    """The value of a table of data, where it is known on which piece."""
    _finite(u)
    low, high = (_fraction(x) for x in (u.lower(), u.upper()))
    if bisect_right(data.knots, low) != bisect_right(data.knots, high):
        raise OutsideDomainError
    return data.at(u, low, lambda x: arb(fmpq(x.numerator, x.denominator)))  # type: ignore[no-any-return]


def _function(op: str, args: list[arb]) -> arb:
    if op == "div":
        return args[0] / args[1]
    if op == "pow":
        return power(args[0], args[1])
    if op == "atan2":
        if not (args[0] > 0 or args[0] < 0 or args[1] > 0):
            raise OutsideDomainError  # on the cut, where the value jumps
        return arb.atan2(args[0], args[1])
    if op == "abs":
        return abs(args[0])
    if op == "sign":
        return args[0].sgn()
    if op in ("min", "max"):
        result = args[0]
        for a in args[1:]:
            result = result.min(a) if op == "min" else result.max(a)
        return result
    return getattr(args[0], op)()  # type: ignore[no-any-return]


def _finite(value: arb) -> arb:
    if not value.is_finite():
        raise OutsideDomainError
    return value


def power(base: arb, exponent: arb) -> arb:
    """base^exponent: any base for integers, positive bases otherwise."""
    n = exponent.unique_fmpz()
    if n is not None and exponent.is_exact():
        if abs(n) > 10**7:
            raise OutsideDomainError
        found = base ** int(n)
        return found if found.is_finite() else _repeated(base, int(n))
    if not base > 0:
        raise OutsideDomainError
    return base**exponent


def _repeated(base: arb, n: int) -> arb:
    """base^n by products: python-flint's power of a narrow ball around 0 is no number.

    >>> (arb(0, 1e-6) ** 2).is_finite(), _repeated(arb(0, 1e-6), 2) < 1e-11
    (False, True)
    """
    result, factor, left = arb(1), base, abs(n)
    while left:
        if left & 1:
            result = result * factor
        factor = factor * factor
        left >>= 1
    return result if n >= 0 else 1 / result


def _partials(op: str, a: list[arb], r: arb, wanted: list[bool]) -> list[arb]:
    """The partial derivatives of one operation with respect to its arguments."""
    one = arb(1)
    if op in ("add", "define"):
        return [one] * len(a)
    if op == "neg":
        return [-one]
    if op == "mul":
        return [_product(a[:i] + a[i + 1 :]) if w else one for i, w in enumerate(wanted)]
    if op == "div":
        return [1 / a[1], -r / a[1]]
    if op == "pow":
        first = a[1] * power(a[0], a[1] - 1) if wanted[0] else one
        return [first, r * a[0].log() if wanted[1] else one]
    if op == "atan2":
        square = a[0] * a[0] + a[1] * a[1]
        return [a[1] / square, -a[0] / square]
    if op in ("min", "max"):
        near = [x.overlaps(r) for x in a]
        share = arb(1) if sum(near) == 1 else arb(0.5, 0.5)
        return [share if n else arb(0) for n in near]
    return [_slope(op, a[0], r)]


def _product(factors: list[arb]) -> arb:
    result = arb(1)
    for f in factors:
        result = result * f
    return result


def _slope(op: str, u: arb, r: arb) -> arb:
    if op == "sin":
        return u.cos()
    if op == "cos":
        return -u.sin()
    if op == "tan":
        return 1 + r * r
    if op == "exp":
        return r
    if op == "log":
        return 1 / u
    if op == "sqrt":
        return 1 / (2 * r)
    if op == "sinh":
        return u.cosh()
    if op == "cosh":
        return u.sinh()
    if op == "tanh":
        return 1 - r * r
    if op == "abs":
        return u.sgn()
    if op == "sign":
        if u.contains(0):
            raise OutsideDomainError
        return arb(0)
    square = u * u
    if op == "atan":
        return 1 / (1 + square)
    if op == "asinh":
        return 1 / (1 + square).sqrt()
    if op == "atanh":
        return 1 / (1 - square)
    if op == "acosh":
        return 1 / (square - 1).sqrt()
    root = 1 / (1 - square).sqrt()
    return root if op == "asin" else -root
