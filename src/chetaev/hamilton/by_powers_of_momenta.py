"""Functions on phase space as people write them: by powers of the momenta, each with its own coefficient.

>>> from chetaev.expr.exact import Field
>>> F = Field()
>>> r, p, s, k = F.symbols("r p s k")
>>> H = p**2 / 2 + s**2 / (2 * r**2) - k / r
>>> print(H.to_expr(), arranged(H, [("p", 0), ("s", 0)]), sep="   ")
(r^2*p^2 - 2*r*k + s^2)/(2*r^2)   p^2/2 + s^2/(2*r^2) - k/r
>>> print(arranged(p**2 / 2 - 1 / r, [("p", 0)]))
p^2/2 - 1/r
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.readable.rewriting import shortest
from chetaev.expr.graph.node import Expr, add, neg

LONG = 60
"""Functions with more terms are left in normal form."""


def arranged(element: Element, powers: Sequence[tuple[str, int]]) -> Expr:
    """A polynomial in some symbols as the sum of its terms, highest first; or the normal form if shorter."""
    normal = element.to_expr()
    if element.terms > LONG:
        return normal
    grouped = shortest(element)
    best = grouped if len(str(grouped)) < len(str(normal)) else normal
    parts = element.coefficients(*powers)
    if parts is None or len(parts) < 2:
        return best
    field, terms = element.field, []
    for exponents in sorted(parts, key=lambda e: (-sum(e), tuple(-x for x in e))):
        term = parts[exponents]
        for symbol, power in zip(powers, exponents, strict=True):
            term = term * field.symbol(*symbol) ** power
        shown = _shorter(term)
        if str(shown).startswith("-") and not str(other := _shorter(-term)).startswith("-"):
            shown = neg(other)  # a - 1/r, not a + (-1/r)
        terms.append(shown)
    found = add(*terms)
    return found if len(str(found)) <= len(str(best)) + 8 else best


def _shorter(term: Element) -> Expr:
    short, plain = shortest(term), term.to_expr()
    return short if len(str(short)) < len(str(plain)) else plain
