"""Sums with their terms grouped: what a few terms share is written once.

    g·A + B,     A and B grouped in their turn (Horner's scheme, with the generator g that most terms have).

Which of the equal forms is written, a product, a plain sum or a grouped one, is decided by the length of
the text.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> m, J, a, u, w = field.symbols("m J a u w")
>>> print(shortest(m * u * w + J * u * w + a * m * u**2 + a * J * u**2 + m * a))
u*(m + J)*(a*u + w) + m*a
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.readable.shorter_sums import Terms, forms, shortest_form
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.print.text import render

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field
    from chetaev.expr.exact.polynomials.tower import Poly
    from chetaev.expr.exact.readable.element_to_graph import PolynomialWriter

Product = tuple[Fraction, list[Expr]]
"""A number and factors."""

MOST_TERMS = 400
"""Longer sums are not grouped."""
FEW_TERMS = 24
"""Shorter sums are also grouped with s² or c² replaced."""
FACTORED = 12
"""Parts with at most so many terms are factored."""
MINUS = 5
"""What a minus sign costs, in letters, except the first."""
TRIED = 3
"""So many generators are tried as the first factor of a group."""


def letters(*exprs: Expr) -> list[int]:
    """The lengths of texts, parts that they share written once.

    A minus sign counts more than a letter, since sums of what is positive are easier to read.
    """
    return [len(text) + MINUS * text.count("-", 1) for text in render(list(exprs))]


def most_legible(exprs: list[Expr]) -> int:
    """Which of some expressions has the shortest text; the first of several."""
    if len(set(exprs)) == 1:
        return 0
    counted = letters(*exprs)
    return counted.index(min(counted))


def shortest(element: Element) -> Expr:
    """The element as an expression, its numerator and its denominator grouped where that is shorter."""
    from chetaev.expr.exact.readable.element_to_graph import quotient, to_expr, without_cosines

    field, n, d = element.field, element.numerator, element.denominator
    longest = max(len(n), len(d))
    if longest == 1 or longest > MOST_TERMS:
        return to_expr(element)
    n, d = without_cosines(field, n, d)
    over, under = _split(field, n), _split(field, d)
    other = quotient((over[0] / under[0], over[1]), (Fraction(1), under[1]))
    if longest > FEW_TERMS:
        return other
    both = [to_expr(element), other]
    return both[most_legible(both)]


def _split(field: Field, p: Poly) -> Product:
    """A polynomial as a number and factors, in its shortest form."""
    from chetaev.expr.exact.readable.element_to_graph import PolynomialWriter, product

    writer = PolynomialWriter(field)
    best = shortest_form(field, p)
    found = [writer.polynomial(p) if len(p) <= FACTORED else writer.sum(best)]
    if len(p) > 1:
        found.append(writer.sum(best))
        sums = (
            [best]
            if len(best) > FEW_TERMS
            else [best, *(dict(field.tower.terms(f)) for f in forms(field, p))]
        )
        for terms in {tuple(sorted(t)): t for t in sums}.values():
            for k in _shared(field, terms)[:TRIED]:
                found.append(_grouped(writer, terms, k))
    return found[most_legible([product(*f) for f in found])]


def _shared(field: Field, terms: Terms) -> list[int]:
    """Generators that several terms have, but not all: those that most have first."""
    uses: dict[int, int] = {}
    field.tower.budget.spend(cost.WRITING * len(terms))
    for monomial in terms:
        for k, _ in monomial:
            uses[k] = uses.get(k, 0) + 1
    common = [k for k, n in uses.items() if 1 < n < len(terms)]
    return sorted(common, key=lambda k: (-uses[k], k))


def _grouped(writer: PolynomialWriter, terms: Terms, k: int) -> Product:
    """The content of a sum before its terms with g_k, grouped, and the others, grouped."""
    scale, factors, rest = writer.content(terms)
    with_it = {m: q for m, q in rest.items() if any(j == k for j, _ in m)}
    without = {m: q for m, q in rest.items() if m not in with_it}
    parts = [_part(writer, with_it), _part(writer, without)]
    if all(e.op == "neg" for e in parts):
        scale, parts = -scale, [e.args[0] for e in parts]
    summands = [t for e in parts for t in _summands(e)]
    summands.sort(key=lambda e: e.op == "neg")
    return scale, [*factors, graph.add(*summands)]


def _summands(expr: Expr) -> list[Expr]:
    """The terms of a sum, also of one with a minus before it."""
    if expr.op == "neg" and expr.args[0].op == "add":
        return [t.args[0] if t.op == "neg" else graph.neg(t) for t in expr.args[0].args]
    return list(expr.args) if expr.op == "add" else [expr]


def _part(writer: PolynomialWriter, terms: Terms) -> Expr:
    """A part of a sum: a product, or grouped further."""
    from chetaev.expr.exact.readable.element_to_graph import product

    plain = product(*writer.sum(terms))
    if len(terms) < 3:
        return plain
    found = [plain]
    if len(terms) <= FACTORED:
        found.append(product(*writer.factored(terms)))
    shared = _shared(writer.field, writer.content(terms)[2])
    if shared:
        found.append(product(*_grouped(writer, terms, shared[0])))
    return found[most_legible(found)]
