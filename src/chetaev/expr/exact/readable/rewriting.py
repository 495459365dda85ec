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
from itertools import combinations
from typing import TYPE_CHECKING

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.polynomials.halfangle import pairs_in
from chetaev.expr.exact.polynomials.tower import Monomial, Poly
from chetaev.expr.exact.readable.minus_signs import tidy
from chetaev.expr.graph import node as graph

if TYPE_CHECKING:
    from chetaev.expr.exact.field.field import Field

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
