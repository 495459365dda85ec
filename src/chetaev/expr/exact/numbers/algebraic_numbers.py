"""Algebraic numbers P(α) with rational coefficients, α a real root of an irreducible polynomial m.

Q(α) is a field, and its elements of degree below that of m are independent: P(α) is zero exactly if m
divides P. So a field of functions (:mod:`chetaev.expr.exact.field.field`) adjoins α with the relation
m(α) = 0, and its normal form decides whether a number is zero; a narrow ball shows the sign of others.

>>> from flint import fmpq_poly
>>> from chetaev.expr.exact import Field
>>> from chetaev.expr.graph.node import constant
>>> alpha = NumberField.of_roots(fmpq_poly([-1, -1, 0, 1]))[0]  # α³ = α + 1
>>> print(AlgebraicNumber(alpha, fmpq_poly([0, 1])))
1.324717957
>>> x = Field()(constant(AlgebraicNumber(alpha, fmpq_poly([0, 1]))))
>>> (x**3 - x - 1).is_zero, (x**2 - x).is_zero
(True, False)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flint import arb, ctx, fmpq, fmpq_poly

from chetaev.expr.graph.node import ImplicitNumber

GUARD = 64
"""Bits beyond those asked for, doubled until what cancels leaves enough."""
MOST_BITS = 1 << 16


class NumberField:
    """Q(α), α the root number `index` of an irreducible polynomial, real roots counted from below."""

    def __init__(self, polynomial: fmpq_poly, index: int) -> None:
        lead = polynomial[polynomial.degree()]
        self.polynomial, self.index = polynomial / lead, index
        self.key = (tuple((int(c.p), int(c.q)) for c in self.polynomial.coeffs()), index)

    @classmethod
    def of_roots(cls, polynomial: fmpq_poly) -> list[NumberField]:
        """One for each real root, from below."""
        with ctx.workprec(GUARD):
            return [cls(polynomial, i) for i in range(len(_real_roots(cls(polynomial, 0).key[0], GUARD)))]

    def root(self, bits: int) -> arb:
        """A ball around α."""
        return _real_roots(self.key[0], bits)[self.index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumberField) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=64)
def _real_roots(coefficients: tuple[tuple[int, int], ...], bits: int) -> list[arb]:
    with ctx.workprec(bits):
        found: Any = fmpq_poly([fmpq(*c) for c in coefficients]).complex_roots()  # pairs with multiplicities
        roots: list[arb] = [z.real for z, _ in found if z.imag == 0]  # FLINT gives real roots as such
    return sorted(roots, key=lambda x: float(x.mid()))


class AlgebraicNumber(ImplicitNumber):
    """P(α)."""

    def __init__(self, field: NumberField, polynomial: fmpq_poly) -> None:
        self.field, self.polynomial = field, polynomial % field.polynomial
        self._key = (field, tuple((int(c.p), int(c.q)) for c in self.polynomial.coeffs()))

    def ball(self) -> arb:
        """A ball around it, with about as many digits as the working precision has."""
        wanted, more = ctx.prec, GUARD
        while True:
            with ctx.workprec(wanted + more):
                root, total = self.field.root(wanted + more), arb(0)
                for c in reversed(self.polynomial.coeffs()):
                    total = total * root + arb(c)
            if total.rel_accuracy_bits() >= wanted or total.is_zero() or more > MOST_BITS:
                return total
            more *= 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AlgebraicNumber) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)
