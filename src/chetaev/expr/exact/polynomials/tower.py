"""The tower: polynomials over Q in a growing list of generators, modulo a triangular set of relations.

Generators g₀, g₁, … are numbered in the order in which they come. An algebraic generator has a relation

    g_k^d = u,   u a polynomial in g₀ … g_{k-1}          (cos² = 1 − sin², r² = u, σ² = 1, …).

Newer generators are larger in the lexicographic order, so the leading monomials of the relations are the
pure powers g_k^d: they are coprime, hence the relations are a Gröbner basis and the remainder is a normal
form (Buchberger's first criterion). Polynomials live in a python-flint context that is enlarged on demand.

>>> tower = Tower()
>>> s, c = tower.append(), tower.append()
>>> tower.relate(c, 2, 1 - tower.variable(s) ** 2)
>>> tower.reduce(tower.variable(s) ** 2 + tower.variable(c) ** 2)
1
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.effort.budget import Budget, BudgetError

Poly = fmpq_mpoly
Monomial = tuple[tuple[int, int], ...]
"""A monomial as pairs (generator, exponent), exponents positive, generators ascending."""
Key = tuple[tuple[Monomial, fmpq], ...]
"""A polynomial as a value for dictionaries and sets: its terms, the same in every context."""

CHUNK = 32
FEW = 30
"""Polynomials of no more terms are brought to a larger context term by term: that is quicker."""
MET = 1 << 14
"""Of how many polynomials the generators are remembered: python-flint tells all degrees, slowly."""


class Tower:
    """A polynomial ring with relations that grows at the top."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.count = 0
        self.version = 0
        self.relations: dict[int, tuple[int, Poly]] = {}
        self._newest_first: list[int] = []
        self._used: dict[int, tuple[Poly, list[int]]] = {}
        self._algebraic: dict[int, tuple[Poly, frozenset[int]]] = {}
        self._enlarge(CHUNK)

    def _enlarge(self, capacity: int) -> None:
        self.capacity = capacity
        names = [f"g{k}" for k in reversed(range(capacity))]
        self.context = fmpq_mpoly_ctx.get(names, Ordering.lex)
        self._variables = list(reversed(self.context.gens()))
        self.zero = self.context.constant(0)
        self.one = self.context.constant(1)
        self.relations = {k: (d, self.project(p)) for k, (d, p) in self.relations.items()}
        self.version += 1

    def append(self) -> int:
        """One more generator; its number."""
        if self.count >= self.budget.generators:
            raise BudgetError(f"an exact computation needs more than {self.budget.generators} functions")
        if self.count == self.capacity:
            self._enlarge(self.capacity + max(CHUNK, self.capacity // 2 // CHUNK * CHUNK))
        self.count += 1
        return self.count - 1

    def variable(self, k: int) -> Poly:
        """The generator g_k as a polynomial."""
        return self._variables[k]

    def relate(self, k: int, order: int, value: Poly) -> None:
        """The relation g_k^order = value, value in older generators."""
        self.relations[k] = (order, self._variables[k] ** order - value)
        self._newest_first = sorted(self.relations, reverse=True)
        self._algebraic.clear()

    def forget(self, k: int) -> None:
        """Drop the relation of a generator that is no longer used."""
        if self.relations.pop(k, None) is not None:
            self._newest_first = sorted(self.relations, reverse=True)

    def project(self, p: Poly) -> Poly:
        """A polynomial of an earlier, smaller context in the present one."""
        old = p.context()
        if old is self.context:
            return p
        if p.is_constant():
            return self.context.constant(p.leading_coefficient())
        shift = self.capacity - old.nvars()
        if len(p) <= FEW:
            larger = (0,) * shift
            return self.context.from_dict({larger + m: c for m, c in p.terms()})
        return p.project_to_context(self.context, {i: i + shift for i in range(old.nvars())})

    def degree(self, p: Poly, k: int) -> int:
        """The degree in g_k; 0 for the zero polynomial."""
        degrees = p.degrees()
        return max(0, int(degrees[len(degrees) - 1 - k])) if k < len(degrees) else 0

    def used(self, p: Poly) -> list[int]:
        """The generators that occur, oldest first."""
        if p.is_constant():  # most entries of a sparse matrix; degrees() has one number for every generator
            return []
        known = self._used.get(id(p))
        if known is None or known[0] is not p:
            return self._read(p, p.degrees()).copy()
        return known[1].copy()

    def _read(self, p: Poly, degrees: tuple[Any, ...]) -> list[int]:
        found = list(compress(range(len(degrees)), reversed(degrees)))
        if len(self._used) >= MET:
            self._used.clear()
        self._used[id(p)] = p, found
        return found

    def algebraic(self, p: Poly) -> frozenset[int] | None:
        """Generators with relations, among them all that occur; None where the normal form is another."""
        known = self._algebraic.get(id(p))
        if known is not None and known[0] is p:
            return known[1]
        if p.is_constant():
            return frozenset()
        degrees = p.degrees()
        last = len(degrees) - 1
        found = [k for k in self._read(p, degrees) if k in self.relations]
        if any(degrees[last - k] >= self.relations[k][0] for k in found):
            return None
        return self._note(p, frozenset(found))

    def _note(self, p: Poly, generators: frozenset[int]) -> frozenset[int]:
        if len(self._algebraic) >= MET:
            self._algebraic.clear()
        self._algebraic[id(p)] = p, generators
        return generators

    def derivative(self, p: Poly, k: int) -> Poly:
        """∂p/∂g_k with all generators independent."""
        self.budget.spend(1 + len(p))
        return self.project(p).derivative(self.capacity - 1 - k)

    def reduce(self, p: Poly) -> Poly:
        """The normal form modulo the relations."""
        if not self._newest_first or p.is_constant():
            return self.project(p)
        p = self.project(p)
        degrees = p.degrees()
        last = self.capacity - 1
        for k in self._newest_first:
            order, relation = self.relations[k]
            if degrees[last - k] >= order:
                rounds = 1 + degrees[last - k] // order
                self.budget.afford(len(p), len(relation) * rounds)
                self.budget.spend(cost.product(len(p), len(relation) * rounds))
                p = divmod(p, relation)[1]
                self.budget.accept(len(p))
                degrees = p.degrees()
        return p

    def multiply(self, p: Poly, q: Poly) -> Poly:
        """The reduced product, within the budget."""
        r = self.product(p, q)
        if not self._newest_first:
            return r
        a, b = self.algebraic(p), self.algebraic(q)
        if a is None or b is None or not a.isdisjoint(b):
            return self.reduce(r)
        if a or b:  # no power of a generator has become higher
            self._note(r, a | b)
        return r

    def product(self, p: Poly, q: Poly) -> Poly:
        """The product as polynomials in independent generators, within the budget."""
        a, b = len(p), len(q)
        self.budget.afford(a, b)
        bits = _bits(p.leading_coefficient()) + _bits(q.leading_coefficient()) if a and b else 0
        if bits > self.budget.bits:
            raise BudgetError(f"an exact computation grew beyond its budget ({bits} bits)")
        self.budget.spend(cost.product(a, b, bits))
        r = self.project(p) * self.project(q)
        self.budget.accept(len(r))
        return r

    def power(self, p: Poly, n: int) -> Poly:
        """The reduced power, n ≥ 0, within the budget."""
        if len(p) == 1 and n * _bits(p.leading_coefficient()) > self.budget.bits:
            raise BudgetError("an exact computation grew beyond its budget (large powers of numbers)")
        if len(p) <= 1 and n < 1 << 30:
            return self.reduce(p**n)
        result, base = self.one, p
        while n:
            if n & 1:
                result = self.multiply(result, base)
            n >>= 1
            if n:
                base = self.multiply(base, base)
        return result

    def terms(self, p: Poly) -> Iterator[tuple[Monomial, fmpq]]:
        """Monomials with their coefficients."""
        last = p.context().nvars() - 1
        used = [(k, last - k) for k in self.used(p)]
        for monomial, coefficient in p.terms():
            yield tuple([(k, int(e)) for k, i in used if (e := monomial[i])]), coefficient

    def key(self, p: Poly) -> Key:
        """Stands for p in a dictionary: python-flint has no hash of them, and their text leaks memory."""
        return tuple(self.terms(p))

    def from_terms(self, terms: dict[Monomial, fmpq]) -> Poly:
        """The polynomial with these terms."""
        dense = {}
        for monomial, coefficient in terms.items():
            exponents = [0] * self.capacity
            for k, e in monomial:
                exponents[self.capacity - 1 - k] = e
            dense[tuple(exponents)] = coefficient
        return self.context.from_dict(dense)

    def collect(self, p: Poly, generators: tuple[int, ...]) -> dict[tuple[int, ...], Poly]:
        """p = Σ p_e g^e for some generators: the coefficients p_e, free of them, by exponents e."""
        p = self.project(p)
        self.budget.spend(cost.terms(len(p), self.capacity))
        positions = [self.capacity - 1 - k for k in generators]
        groups: dict[tuple[int, ...], dict[tuple[int, ...], fmpq]] = {}
        for monomial, coefficient in p.terms():
            exponents = list(monomial)
            key = tuple(int(exponents[i]) for i in positions)
            for i in positions:
                exponents[i] = 0
            groups.setdefault(key, {})[tuple(exponents)] = coefficient
        return {key: self.context.from_dict(group) for key, group in groups.items()}


def _bits(q: fmpq) -> int:
    return int(q.p.bit_length()) + int(q.q.bit_length())
