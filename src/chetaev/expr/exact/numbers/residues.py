"""Residues modulo a prime, and the fractions and roots that they stand for.

For p ≡ 3 mod 4 a square root is u^{(p+1)/4} where there is one; an odd root is u^{1/n} = u^m with
m n ≡ 1 mod p − 1, where n and p − 1 have no common divisor.

>>> p = 2305843009213691579
>>> fraction(residue(Fraction(2, 3), p), p)
Fraction(2, 3)
>>> pow(root(5**3, 3, p), 3, p)
125
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from random import Random
from typing import TYPE_CHECKING, TypeVar

from chetaev.errors import ExhaustedError
from chetaev.expr.graph.node import ImplicitNumber
from chetaev.expr.graph.program import Arithmetic, Operation, whole
from chetaev.expr.graph.table import DataTable

if TYPE_CHECKING:
    from chetaev.expr.exact.field.field import Generator
    from chetaev.expr.exact.polynomials.tower import Poly, Tower

T = TypeVar("T")


class UnluckyError(ExhaustedError):
    """A point that cannot be used: a denominator vanishes there, or a root does not exist modulo p."""


def drawn(step: Callable[[], T], tries: int) -> T:
    """What a step that draws at random gives at the first draw that can be used; :class:`UnluckyError` if
    none of so many can.
    """
    for _ in range(tries):
        try:
            return step()
        except UnluckyError:
            continue
    raise UnluckyError


def root(value: int, order: int, p: int) -> int:
    """An n-th root modulo p, always the same one; :class:`UnluckyError` if there is none."""
    found = value % p
    while order % 2 == 0:
        found, squared = pow(found, (p + 1) // 4, p), found
        if found * found % p != squared:
            raise UnluckyError
        order //= 2
        if order % 2 == 0 and pow(found, (p - 1) // 2, p) == p - 1:
            found = p - found  # of ±r one is a square itself
    return found if order == 1 else pow(found, pow(order, -1, p - 1), p)


def inverse(value: int, p: int) -> int:
    """1/value; :class:`UnluckyError` for 0."""
    if value % p == 0:
        raise UnluckyError
    return pow(value, -1, p)


def residue(value: Fraction, p: int) -> int:
    """The residue of a fraction."""
    return value.numerator * inverse(value.denominator, p) % p


class ResidueArithmetic(Arithmetic):
    """Rational functions modulo a prime; other functions have no values there by themselves."""

    def __init__(self, p: int) -> None:
        self.p = p

    def number(self, value: Fraction) -> int:
        """The residue."""
        return residue(value, self.p)

    def operation(self, op: str) -> Operation:
        """Sums and products, most steps of a search, without a further call."""
        p = self.p

        def product(args: Sequence[int], _: object) -> int:
            found = args[0]
            for factor in args[1:]:
                found = found * factor % p
            return found

        match op:
            case "mul":
                return product
            case "add":
                return lambda args, _: sum(args) % p
            case "neg":
                return lambda args, _: -args[0] % p
        return super().operation(op)

    def quotient(self, a: int, b: int) -> int:
        """a/b where b is not 0."""
        return a * inverse(b, self.p) % self.p

    def power(self, base: int, exponent: int, written: Fraction | None) -> int:
        """Whole powers alone."""
        n = whole(written)
        if n is None:
            raise UnluckyError
        return pow(base if n >= 0 else inverse(base, self.p), abs(n), self.p)

    def constant(self, name: str | ImplicitNumber) -> int:
        """None."""
        raise UnluckyError

    def function(self, name: str, args: Sequence[int]) -> int:
        """None."""
        raise UnluckyError

    def table(self, data: DataTable, u: int) -> int:
        """None."""
        raise UnluckyError


def fraction(value: int, p: int, bound: int | None = None) -> Fraction | None:
    """The fraction n/d with |n|, d ≤ bound (√(p/2) if not given) that has this residue; None if there is
    none.

    >>> fraction(12345678901234567, 2**61 - 1) is None
    True
    """
    bound = isqrt(p // 2) if bound is None else bound
    a, b, u, v = p, value % p, 0, 1
    while b > bound:
        quotient = a // b
        a, b, u, v = b, a - quotient * b, v, u - quotient * v
    if v == 0 or abs(v) > bound:
        return None
    return Fraction(b, v)


def free_values(
    generators: Iterable[Generator], rng: Random, fixed: Mapping[int, int], p: int
) -> dict[int, int]:
    """Random residues, by number, for all generators but roots; those in `fixed` are kept."""
    values: dict[int, int] = {}
    for g in generators:
        k = g.index
        if k in fixed:
            values[k] = fixed[k]
        elif g.kind == "sin":
            t = rng.randrange(2, p)
            over = inverse(1 + t * t, p)
            values[k] = 2 * t * over % p
            values[g.partner] = (1 - t * t) * over % p
        elif g.kind == "sign":
            values[k] = rng.choice((1, p - 1))
        elif g.kind not in ("dead", "cos", "root"):
            values[k] = rng.randrange(2, p)
    return values


Terms = list[tuple[int, tuple[tuple[int, int], ...]]]
"""A polynomial modulo a prime: coefficients, and the powers of generators that they stand with."""


def terms(tower: Tower, polynomial: Poly, p: int) -> Terms:
    """The terms of a polynomial, read once to be evaluated at many points."""
    return [(residue(Fraction(int(c.p), int(c.q)), p), powers) for powers, c in tower.terms(polynomial)]


def value(terms: Terms, point: Mapping[int, int], p: int) -> int:
    """The residue of a polynomial where the generators have those of the point."""
    total = 0
    for c, powers in terms:
        for k, e in powers:
            c = c * (point[k] if e == 1 else pow(point[k], e, p)) % p
        total += c
    return total % p


def combined(first: int, p: int, second: int, q: int) -> int:
    """The residue modulo p q of a number with residues modulo p and modulo q (Chinese remainders).

    >>> combined(2, 3, 3, 5)
    8
    """
    return (first + p * ((second - first) * pow(p, -1, q) % q)) % (p * q)
