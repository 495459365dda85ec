"""Equal forms of polynomials: by a relation, read from any of its terms, and by differences of angles.

A relation  c·m + rest = 0  (a constraint, the meaning of a name) lets every multiple of the monomial m be
replaced by −rest/c; which of its terms is m is a matter of taste, and so of length. Sines and cosines of
θ₁ and θ₂ are those of φ = θ₁ ∓ θ₂ and θ₂:

    sin θ₁ = sin φ cos θ₂ ± cos φ sin θ₂,        cos θ₁ = cos φ cos θ₂ ∓ sin φ sin θ₂,

and what is invariant under a common rotation is left with φ alone.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> a, b = field.symbols("a b")
>>> p = (field.sin(a) * field.cos(b) - field.cos(a) * field.sin(b)).numerator
>>> (first, second) = pairs_in(field, p)
>>> print(field.polynomial(difference(field, p, first, second)))
sin(a - b)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.polynomials.halfangle import pairs_in
from chetaev.expr.exact.polynomials.tower import Monomial, Poly
from chetaev.expr.exact.readable.shorter_sums import Terms, forms, shortest_form, tidy
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.print.text import render

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field
    from chetaev.expr.exact.polynomials.tower import Poly
    from chetaev.expr.exact.readable.element_to_graph import PolynomialWriter


Rule = tuple[Monomial, Poly]
"""A monomial, and the polynomial that may stand in its place."""

ROUNDS = 6
GROWTH = 4
"""By more than this a polynomial does not grow on its way to a shorter one."""
HIGHEST = 12
MOST_PAIRS = 6
"""So many pairs of angles, those that occur together most often, are looked at."""
LONGEST_RELATION = 12
"""Relations with more terms are read in no way: they make nothing shorter."""


def rules(field: Field, relation: Poly) -> list[Rule]:
    """A relation read from each of its terms."""
    if len(relation) > LONGEST_RELATION:
        return []
    found = []
    for monomial, coefficient in field.tower.terms(relation):
        if monomial:
            lead = field.tower.from_terms({monomial: coefficient})
            found.append((monomial, (lead - field.tower.project(relation)) / coefficient))
    return found


def rewritten(field: Field, p: Poly, rule: Rule) -> Poly | None:
    """p with the monomial of a rule replaced wherever it divides a term; None if that does not end."""
    tower = field.tower
    (monomial, value), p = rule, tower.project(p)
    generators = tuple(k for k, _ in monomial)
    most = GROWTH * (len(p) + len(value))
    for _ in range(ROUNDS):
        degrees = p.degrees()[::-1]
        if any(degrees[k] < e for k, e in monomial):
            return p
        groups = tower.collect(p, generators)
        if not any(_times(e, monomial) for e in groups):
            return p
        p = tower.zero
        for exponents, part in groups.items():
            n = _times(exponents, monomial)
            if n * len(part) * len(value) > most or n > HIGHEST:
                return None
            for (k, least), e in zip(monomial, exponents, strict=True):
                if e > n * least:
                    part = part * tower.variable(k) ** (e - n * least)
            p = p + (tower.multiply(part, tower.power(value, n)) if n else part)
        p = tower.reduce(p)
        if len(p) > most:
            return None
    return None


def _times(exponents: tuple[int, ...], monomial: Monomial) -> int:
    """How often the monomial divides."""
    return min(e // least for e, (_, least) in zip(exponents, monomial, strict=True))


def together(field: Field, polynomials: Sequence[Poly]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of base angles whose sines and cosines are multiplied somewhere."""
    met: dict[tuple[int, int], int] = {}
    pairs = pairs_in(field, *polynomials)
    angle = {k: i for i, pair in enumerate(pairs) for k in pair}
    for p in polynomials:
        field.tower.budget.spend(cost.terms(len(p), field.tower.capacity))
        for monomial, _ in field.tower.terms(p):
            here = sorted({angle[k] for k, _ in monomial if k in angle})
            for i, j in combinations(here, 2):
                met[i, j] = met.get((i, j), 0) + 1
    for i, j in sorted(sorted(met, key=lambda ij: (-met[ij], ij))[:MOST_PAIRS]):
        yield pairs[i], pairs[j]


def difference(
    field: Field, p: Poly, first: tuple[int, int], second: tuple[int, int], *, total: bool = False
) -> Poly:
    """p with the first angle expressed by the second and their difference, or by their sum."""
    a, b = sorted((first, second), key=lambda pair: (min(field.generators[pair[0]].depends, default=0), pair))
    s, c = _pair(field, a, b, total)
    tower = field.tower
    sine, cosine = tower.variable(s), tower.variable(c)
    t, d = (tower.variable(k) for k in second)
    if total:  # θ₁ = φ − θ₂
        t = -t
    elif first == b:  # θ₁ = θ₂ − φ
        sine = -sine
    images = sine * d + cosine * t, cosine * d - sine * t
    powers: dict[tuple[int, int], Poly] = {}
    result = tower.zero
    for (m, n), part in tower.collect(p, first).items():
        if (m, n) not in powers:
            powers[m, n] = tower.multiply(tower.power(images[0], m), tower.power(images[1], n))
        result = result + tower.product(part, powers[m, n])
    return tower.reduce(result)


def _pair(field: Field, first: tuple[int, int], second: tuple[int, int], total: bool) -> tuple[int, int]:
    """The generators sin φ, cos φ of a difference or sum of base angles: for showing, no base angle."""
    key = (first[0], second[0], total)
    if key not in field.combined:
        a, b = (field.generators[k].args[0] for k in (first[0], second[0]))
        angle = a + b if total else a - b
        sine, cosine = field.adjoin("sin", (angle,)), field.adjoin("cos", (angle,))
        sine.partner, cosine.partner = cosine.index, sine.index
        field.tower.relate(cosine.index, 2, 1 - field.tower.variable(sine.index) ** 2)
        left, right = (field.variable(pair[0]).to_expr().args[0] for pair in (first, second))
        shown = tidy(
            graph.add(left, right if total else graph.neg(right))
        )  # by names, where the parts have some
        field.shown[sine.index], field.shown[cosine.index] = (
            graph.call("sin", shown),
            graph.call("cos", shown),
        )
        field.combined[key] = (sine.index, cosine.index)
    return field.combined[key]


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
    """The element as an expression, its numerator and its denominator grouped where that is shorter.

    What a few terms share is written once,

        g·A + B,     A and B grouped in turn (Horner's scheme, with the generator g of most terms).

    Which of the equal forms is written, a product, a plain sum or a grouped one, is decided by the length of
    the text.

    >>> from chetaev.expr.exact import Field
    >>> field = Field()
    >>> m, J, a, u, w = field.symbols("m J a u w")
    >>> print(shortest(m * u * w + J * u * w + a * m * u**2 + a * J * u**2 + m * a))
    u*(m + J)*(a*u + w) + m*a
    """
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
