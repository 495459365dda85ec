"""Quotients in lower terms: common divisors, roots out of denominators, conjugates where they shorten.

    a/√u = a√u/u,        a/(b + e√u) = a(b − e√u)/(b² − e²u)   if that is shorter.

No step is needed for correctness (an element is zero if its numerator is); they keep elements small.
Numerator and denominator are multiplied only by functions that are zero nowhere on an open set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.errors import DivisionByZeroError
from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.polynomials import halfangle

if TYPE_CHECKING:
    from chetaev.expr.exact.field.field import Field
    from chetaev.expr.exact.polynomials.tower import Poly

SMALL = 24


def lowest_terms(field: Field, n: Poly, d: Poly, below: int | None = None) -> tuple[Poly, Poly]:
    """Numerator and denominator without common divisor, the denominator with leading coefficient 1.

    Conjugates of sums with cosines are taken if fewer terms than `below` are left: what is cancelled in
    tangents of half angles may come back longer, and the two steps would undo each other for ever.
    """
    tower = field.tower
    if d.is_zero():
        raise DivisionByZeroError("division by a function that is zero")
    if n.is_zero():
        return n, tower.one
    if not d.is_constant():
        if tower.relations:
            n, d = _roots_up(field, n, d)
        g = field.gcd(n, d)
        if not g.is_constant():
            n, d = field.divide(n, g), field.divide(d, g)
        if tower.relations and 1 < len(d) <= SMALL and len(n) <= halfangle.MAX_TERMS:
            n, d = _shorten(field, n, d, below)
    lead = d.leading_coefficient()
    if lead != 1:
        n, d = n / lead, d / lead
    return n, d


def _roots_up(field: Field, n: Poly, d: Poly) -> tuple[Poly, Poly]:
    """Move roots and signs that are factors of the denominator to the numerator."""
    tower = field.tower
    content = d if len(d) == 1 else d.term_content()
    if content.is_constant():
        return n, d
    for k in tower.used(content):
        kind = field.generators[k].kind
        if kind in ("root", "sign"):
            order = tower.relations[k][0]
            factor = tower.variable(k) ** (order - tower.degree(content, k))
            n, d = tower.multiply(n, factor), tower.multiply(d, factor)
    return n, d


def _shorten(field: Field, n: Poly, d: Poly, below: int | None) -> tuple[Poly, Poly]:
    tower = field.tower
    given = n, d
    pairs = halfangle.pairs_in(field, d)
    if pairs and len(pairs) <= halfangle.MAX_PAIRS:
        n, d = halfangle.cancel(field, n, d, pairs)
    if d.is_constant():
        return n, d
    if any(field.generators[k].kind == "sign" for k in tower.used(d)):
        return n, d  # 1 − sign(x) is zero for x > 0: nothing may be multiplied by such a function
    for k in reversed(tower.used(d)):
        relation = tower.relations.get(k)
        if relation is None or relation[0] != 2:
            continue
        parts = tower.collect(d, (k,))
        a, b = parts.get((0,), tower.zero), parts.get((1,), tower.zero)
        conjugate = a - b * tower.variable(k)
        tower.budget.spend(cost.product(len(n) + len(d), len(conjugate)))
        norm = tower.reduce(d * conjugate)
        if norm.is_zero() or any(field.generators[j].kind in ("root", "sign") for j in tower.used(norm)):
            continue
        up = tower.reduce(n * conjugate)
        g = field.gcd(up, norm)
        if not g.is_constant():
            up, norm = field.divide(up, g), field.divide(norm, g)
        root = field.generators[k].kind != "cos"
        size = len(up) + len(norm)
        if norm.is_constant() or size < len(n) + len(d) + (root and len(norm) <= len(d)):
            if not root and below is not None and size >= below:
                return given
            return lowest_terms(field, up, norm, size)
    return n, d
