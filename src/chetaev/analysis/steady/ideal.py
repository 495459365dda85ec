"""Real points of a system of polynomials with finitely many solutions: Gröbner bases and one separating form.

A basis I (FLINT's Buchberger, its effort counted) has finitely many complex zeros if every unknown has a
power among its leading monomials. Its quotient is then a finite-dimensional algebra; adding the square-free
parts of the minimal polynomials of all unknowns makes I radical (Seidenberg), so that the dimension D is the
number of complex zeros. A form u = Σ kⁱ x_i separates them if 1, u, …, u^{D−1} are independent; then x_i =
P_i(u), and the real zeros are those at the real roots of the minimal polynomial of u. Roots are balls:
nothing is lost, and nothing is found that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat, fmpq_poly

from chetaev.expr.exact import BudgetError
from chetaev.expr.exact.ideals.groebner_elimination import groebner
from chetaev.expr.exact.numbers.algebraic_numbers import AlgebraicNumber, NumberField

LIMITS = (200, 2000, 8000)
"""Members of a basis, terms of each, bits of coefficients."""
MOST = 72
"""Largest number of complex zeros that is treated."""
BITS = 512

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, fmpq]


class InfinitelyManyError(Exception):
    """The zeros are not isolated; `free` are unknowns, by number, that no equation bounds."""

    def __init__(self, free: list[int]) -> None:
        super().__init__(str(free))
        self.free = free


@dataclass(frozen=True)
class Coordinate:
    """One unknown at a zero: its value as a ball, the irreducible polynomial that it is a root of, and itself
    as an element of the field of a separating form.
    """

    value: arb
    polynomial: fmpq_poly
    number: AlgebraicNumber


def reduced_basis(ring: Any, members: Sequence[Any]) -> list[Any]:
    """The reduced basis; a BudgetError beyond the limits."""
    basis, complete = groebner(ring, members, LIMITS)
    if not complete:
        raise BudgetError("a Gröbner basis grew beyond its limits")
    return basis


def real_zeros(ring: Any, members: Sequence[Any]) -> list[list[Coordinate]]:
    """All real zeros, each as its coordinates in the order of the ring."""
    quotient = _quotient(ring, reduced_basis(ring, members))
    if quotient is None:
        return []
    unknowns = [quotient.variable(i) for i in range(ring.nvars())]
    minimal = [quotient.minimal(x) for x in unknowns]
    square_free = [_square_free(p) for p in minimal]
    if any(a.degree() < b.degree() for a, b in zip(square_free, minimal, strict=True)):
        gens = ring.gens()
        more = []
        for i, p in enumerate(square_free):
            coefficients = (p * p.denom()).coeffs()
            more.append(sum((gens[i] ** k * int(c.p) for k, c in enumerate(coefficients)), 0 * gens[i]))
        quotient = _quotient(ring, reduced_basis(ring, [*members, *more]))
        if quotient is None:
            return []
        unknowns = [quotient.variable(i) for i in range(ring.nvars())]
    return _zeros(quotient, unknowns, square_free)


def _zeros(quotient: Quotient, unknowns: list[Any], minimal: list[fmpq_poly]) -> list[list[Coordinate]]:
    size = quotient.size
    for k in range(1, 4 * size * size + 2):
        u: Polynomial = {}
        for i, x in enumerate(unknowns):
            u = _plus(u, x, fmpq(k) ** i)
        powers = quotient.powers(u, size + 1)
        matrix = fmpq_mat(size, size, [powers[j][i] for i in range(size) for j in range(size)])
        if matrix.rank() < size:
            continue
        inverse = matrix.inv()
        relation = inverse * fmpq_mat(size, 1, powers[size])
        p = fmpq_poly([*(-relation[i, 0] for i in range(size)), 1])
        by_u = []
        for x in unknowns:
            c = inverse * fmpq_mat(size, 1, quotient.vector(x))
            by_u.append(fmpq_poly([c[i, 0] for i in range(size)]))
        fields = [field for f, _ in p.factor()[1] for field in NumberField.of_roots(f)]
        fields.sort(key=lambda field: float(field.root(BITS).mid()))
        with ctx.workprec(BITS):
            numbers = [[AlgebraicNumber(field, q) for q in by_u] for field in fields]
            return [[_coordinate(x, m) for x, m in zip(row, minimal, strict=True)] for row in numbers]
    raise BudgetError("no form separates the solutions")


def _value(p: fmpq_poly, x: arb) -> arb:
    total = arb(0)
    for c in reversed(p.coeffs()):
        total = total * x + arb(c)
    return total


def _coordinate(number: AlgebraicNumber, polynomial: fmpq_poly) -> Coordinate:
    """With the factor of the minimal polynomial that vanishes at the value."""
    value = number.ball()
    fitting = [f for f, _ in polynomial.factor()[1] if _value(f, value).contains(0)]
    if len(fitting) != 1:
        raise BudgetError("roots lie too near to each other to be told apart")
    return Coordinate(value, fitting[0], number)


def _square_free(p: fmpq_poly) -> fmpq_poly:
    result = fmpq_poly([1])
    for factor, _ in p.factor_squarefree()[1]:
        result *= factor
    return result


def _plus(a: Polynomial, b: Polynomial, factor: fmpq) -> Polynomial:
    total = dict(a)
    for m, c in b.items():
        value = total.get(m, fmpq(0)) + factor * c
        if value == 0:
            total.pop(m, None)
        else:
            total[m] = value
    return total


class Quotient:
    """The quotient by an ideal with finitely many zeros; `heads` with what each leading monomial equals."""

    def __init__(
        self, variables: int, rules: list[tuple[Monomial, Polynomial]], basis: list[Monomial]
    ) -> None:
        self.variables, self.rules, self.basis = variables, rules, basis
        self.place = {m: i for i, m in enumerate(basis)}
        self.size = len(basis)
        self._known: dict[Monomial, Polynomial] = {}

    def monomial(self, m: Monomial) -> Polynomial:
        """The normal form of a monomial."""
        if m in self.place:
            return {m: fmpq(1)}
        known = self._known.get(m)
        if known is None:
            head, tail = next((h, t) for h, t in self.rules if all(a <= b for a, b in zip(h, m, strict=True)))
            rest = tuple(b - a for a, b in zip(head, m, strict=True))
            known = {}
            for other, c in tail.items():
                known = _plus(known, self.monomial(tuple(a + b for a, b in zip(other, rest, strict=True))), c)
            self._known[m] = known
        return known

    def variable(self, i: int) -> Polynomial:
        """An unknown."""
        return self.monomial(tuple(int(i == j) for j in range(self.variables)))

    def times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The normal form of a product."""
        total: Polynomial = {}
        for m, c in a.items():
            for n, d in b.items():
                total = _plus(total, self.monomial(tuple(x + y for x, y in zip(m, n, strict=True))), c * d)
        return total

    def vector(self, p: Polynomial) -> list[fmpq]:
        """The coefficients of a normal form."""
        return [p.get(m, fmpq(0)) for m in self.basis]

    def powers(self, u: Polynomial, count: int) -> list[list[fmpq]]:
        """1, u, u², … as vectors."""
        found, power = [], self.monomial((0,) * self.variables)
        for _ in range(count):
            found.append(self.vector(power))
            power = self.times(power, u)
        return found

    def minimal(self, u: Polynomial) -> fmpq_poly:
        """The minimal polynomial of an element."""
        powers = self.powers(u, self.size + 1)
        for degree in range(1, self.size + 1):
            rows = fmpq_mat(
                self.size, degree, [powers[j][i] for i in range(self.size) for j in range(degree)]
            )
            full = fmpq_mat(
                self.size, degree + 1, [powers[j][i] for i in range(self.size) for j in range(degree + 1)]
            )
            if full.rank() == rows.rank() == degree:
                left = rows.transpose() * rows
                found = left.solve(rows.transpose() * fmpq_mat(self.size, 1, powers[degree]))
                return fmpq_poly([*(-found[i, 0] for i in range(degree)), 1])
        raise BudgetError("an element without minimal polynomial")


def _quotient(ring: Any, basis: Sequence[Any]) -> Quotient | None:
    """The quotient; None if there are no zeros at all."""
    n = ring.nvars()
    if any(p.is_constant() for p in basis):
        return None
    rules: list[tuple[Monomial, Polynomial]] = []
    for p in basis:
        terms = [(tuple(int(e) for e in m), c) for m, c in p.terms()]
        head, lead = terms[0]
        rules.append((head, {m: fmpq(-int(c), int(lead)) for m, c in terms[1:]}))
    bounds: list[int] = []
    free: list[int] = []
    for i in range(n):
        powers = [h[i] for h, _ in rules if sum(h) == h[i]]
        bounds.append(min(powers, default=0))
        if not powers:
            free.append(i)
    if free:
        raise InfinitelyManyError(free)
    count = 1
    for b in bounds:
        count *= b
    if count > 200_000:
        raise BudgetError("too many solutions")
    monomials = [
        m
        for m in product(*(range(b) for b in bounds))
        if not any(all(a <= b for a, b in zip(h, m, strict=True)) for h, _ in rules)
    ]
    if len(monomials) > MOST:
        raise BudgetError(f"more than {MOST} complex solutions")
    return Quotient(n, rules, monomials)
