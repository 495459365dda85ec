"""Elimination: which equations between the other generators follow, when some are eliminated?

The numerators and the relations of the generators (s² + c² = 1, r² = u) span an ideal; in the lexicographic
order with the eliminated generators first, the members of a Gröbner basis without them span what follows.
Functions that are known to vanish nowhere are divided out (z·d = 1, z eliminated too).

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> a, b, v = field.symbols("a b v")
>>> r = field.sqrt(1 + v**2)
>>> [str(e) for e in eliminate(field, [a - v / r, b - 1 / r], ["v"], nonzero=[r])]
['a^2 + b^2 - 1']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm
from typing import Any

from flint import Ordering, fmpq, fmpz_mpoly_ctx, fmpz_mpoly_vec

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.effort.budget import BudgetError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field, SymbolLike
from chetaev.expr.exact.polynomials.tower import Monomial, Poly

LIMITS = (120, 1000, 4000)
"""Members of the basis, terms of each, bits of coefficients."""
MAX_VARIABLES = 40
PRICE = 200_000
"""What a basis may cost, charged as a whole: FLINT counts within the limits above."""


def eliminate(
    field: Field, equations: Sequence[Element], symbols: Iterable[SymbolLike], nonzero: Sequence[Element] = ()
) -> list[Element]:
    """Functions without the symbols, and without functions of them, that vanish where the equations hold.

    Raises :class:`BudgetError` where the basis grows beyond its limits: then nothing is known.
    """
    gone = {field.base(s) for s in symbols}
    members = [field(e).numerator for e in equations]
    nowhere = [field(e).denominator for e in equations] + [field(e).numerator for e in nonzero]
    nowhere = [p for p in nowhere if not p.is_constant()]
    members, used = with_relations(field, members, nowhere)
    out = sorted((k for k in used if not field.generators[k].depends.isdisjoint(gone)), reverse=True)
    kept = sorted(used - set(out), reverse=True)
    if len(out) + len(kept) + len(nowhere) > MAX_VARIABLES:
        raise BudgetError(f"an elimination has more than {MAX_VARIABLES} unknowns")
    field.tower.budget.spend(PRICE)
    inverses = [f"z{i}" for i in range(len(nowhere))]
    ring = fmpz_mpoly_ctx.get([*inverses, *(f"g{k}" for k in (*out, *kept))], Ordering.lex)
    place = {k: len(nowhere) + i for i, k in enumerate((*out, *kept))}
    basis = [to_ring(field, p, place, ring) for p in members]
    gens = ring.gens()
    basis += [gens[i] * to_ring(field, p, place, ring) - 1 for i, p in enumerate(nowhere)]
    result, complete = groebner(ring, basis, LIMITS)
    if not complete:
        raise BudgetError("an elimination grew beyond its budget")
    first = len(nowhere) + len(out)
    left = [p for p in result if not any(p.degrees()[:first])]
    elements = [from_ring(field, p, place) for p in left]
    field.tower.budget.spend(cost.ELEMENT * len(elements))
    return [e for e in elements if not e.is_blank]


def with_relations(
    field: Field, members: Sequence[Poly], others: Sequence[Poly] = ()
) -> tuple[list[Poly], set[int]]:
    """The members with the relations of all generators that occur there or in the others; the generators."""
    found = list(members)
    used = {k for p in (*members, *others) for k in field.tower.used(p)}
    pending = sorted(used)
    while pending:  # relations bring older generators in
        k = pending.pop()
        if k in field.tower.relations:
            relation = field.tower.relations[k][1]
            found.append(relation)
            fresh = set(field.tower.used(relation)) - used
            used |= fresh
            pending += sorted(fresh)
    return found, used


def to_ring(field: Field, p: Poly, place: dict[int, int], ring: Any) -> Any:
    """A polynomial over the integers in a smaller ring, up to a number; `place` has the generators."""
    found = [(monomial, int(c.p), int(c.q)) for monomial, c in field.tower.terms(field.tower.project(p))]
    common = lcm(*(q for _, _, q in found))
    table = {}
    for monomial, number, q in found:
        exponents = [0] * ring.nvars()
        for k, e in monomial:
            exponents[place[k]] = e
        table[tuple(exponents)] = number * (common // q)
    return ring.from_dict(table)


def from_ring(field: Field, p: Any, place: dict[int, int]) -> Element:
    """A polynomial of that ring, in which nothing but generators occurs, as an element."""
    back = {i: k for k, i in place.items()}
    terms: dict[Monomial, fmpq] = {}
    for exponents, c in p.terms():
        terms[tuple(sorted((back[i], int(e)) for i, e in enumerate(exponents) if e))] = fmpq(int(c))
    return field.polynomial(field.tower.reduce(field.tower.from_terms(terms)))


HIGHEST = 1 << 32
"""Exponents from here on make no basis: FLINT ends the process where products leave a machine word."""

Limits = tuple[int, int, int]
"""Of polynomials in the basis, of terms of one, of bits of a coefficient."""


def groebner(ring: Any, members: Sequence[Any], limits: Limits) -> tuple[list[Any], bool]:
    """The reduced basis, and True; or, where it grew beyond the limits, members of the ideal, and False.

    This is the one place that calls FLINT's Buchberger algorithm.

    >>> from flint import Ordering, fmpz_mpoly_ctx
    >>> ring = fmpz_mpoly_ctx.get(["x", "y"], Ordering.lex)
    >>> x, y = ring.gens()
    >>> groebner(ring, [x - y**2, x * y - 1], (100, 100, 1000))
    ([x - y^2, y^3 - 1], True)
    """
    kept = [p for p in members if not p.is_zero()]
    if any(e >= HIGHEST for p in kept for e in p.degrees()):
        return kept, False
    if not kept:
        return [], True
    found: Any = fmpz_mpoly_vec(kept, ring).buchberger_naive(limits=limits)  # its stubs know one result
    basis, complete = found
    return [p for p in (basis.autoreduction() if complete else basis) if not p.is_zero()], bool(complete)
