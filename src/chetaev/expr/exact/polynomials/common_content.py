"""What several functions have in common: a greatest common divisor, also where only trigonometry shows it.

A row of equations  Σ cᵢuᵢ = r  says the same when c and r are divided by a function that is not zero on an
open set. Besides the divisor of the polynomials there are those of Q[s, c]/(s² + c² − 1):

    c | A(s) + B(s)·c   if and only if   1 − s² | A,         the others by the tangent of the half angle.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, m = field.symbols("x m")
>>> c = field.cos(x)
>>> parts, common = primitive(field, [(m * c**2 / 2).numerator, (3 * c).numerator])
>>> [str(field.polynomial(p)) for p in parts], str(field.polynomial(common))
(['m*cos(x)', '6'], 'cos(x)/2')
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpq

from chetaev.expr.exact.polynomials import halfangle

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field
    from chetaev.expr.exact.polynomials.tower import Poly


def over_common_denominator(field: Field, elements: Sequence[Element]) -> tuple[list[Poly], Poly]:
    """The numerators of elements over one denominator, and that."""
    tower = field.tower
    common = tower.one
    for e in elements:
        if not e.denominator.is_one():
            rest = field.divide(e.denominator, field.gcd(common, e.denominator))
            common = tower.product(common, rest)
    found = []
    for e in elements:
        factor = common if e.denominator.is_one() else field.divide(common, e.denominator)
        found.append(tower.multiply(e.numerator, factor))
    return found, common


def primitive(field: Field, polynomials: Sequence[Poly]) -> tuple[list[Poly], Poly]:
    """Polynomials with integer coefficients and no common divisor, and the divisor they had."""
    tower = field.tower
    parts = [tower.project(p) for p in polynomials]
    common = tower.one
    if all(p.is_zero() for p in parts):
        return parts, common
    for divide in (_polynomial_content, _cosines, _half_angles):
        parts, g = divide(field, parts)
        common = tower.multiply(common, g)
    numerators, denominators = 0, 1
    for p in parts:
        for q in p.coeffs():
            numerators, denominators = gcd(numerators, int(q.p)), lcm(denominators, int(q.q))
    scale = fmpq(numerators, denominators)
    return [p / scale for p in parts], common * scale


def _polynomial_content(field: Field, parts: list[Poly]) -> tuple[list[Poly], Poly]:
    g = field.tower.zero
    for p in sorted((p for p in parts if not p.is_zero()), key=len):
        g = p if g.is_zero() else field.gcd(g, p)
        if g.is_constant():
            return parts, field.tower.one
    return [p if p.is_zero() else field.divide(p, g) for p in parts], g


def _cosines(field: Field, parts: list[Poly]) -> tuple[list[Poly], Poly]:
    """Cosines that divide all, though they are hidden in 1 − s²."""
    tower = field.tower
    common = tower.one
    for s, c in halfangle.pairs_in(field, *parts):
        while (quotients := _all_over_cosine(field, parts, (s, c))) is not None:
            parts = quotients
            common = tower.multiply(common, tower.variable(c))
    return parts, common


def _all_over_cosine(field: Field, parts: list[Poly], pair: tuple[int, int]) -> list[Poly] | None:
    found: dict[int, Poly] = {}
    for i in sorted(range(len(parts)), key=lambda i: len(parts[i])):
        quotient = over_cosine(field, parts[i], pair)
        if quotient is None:
            return None
        found[i] = quotient
    return [found[i] for i in range(len(parts))]


def over_cosine(field: Field, p: Poly, pair: tuple[int, int]) -> Poly | None:
    """p/cos, if that is a polynomial."""
    s, c = pair
    tower = field.tower
    if p.is_zero():
        return p
    if not tower.degree(p, c) and tower.degree(p, s) < 2:
        return None
    groups = tower.collect(p, (c,))
    a, b = groups.get((0,), tower.zero), groups.get((1,), tower.zero)
    if a.is_zero():
        return b
    if len(groups) > 2 or tower.degree(a, s) < 2:
        return None
    quotient, rest = divmod(a, 1 - tower.variable(s) ** 2)
    return b + quotient * tower.variable(c) if rest.is_zero() else None


def _half_angles(field: Field, parts: list[Poly]) -> tuple[list[Poly], Poly]:
    """Divisors such as 1 − c, found with the tangent of the half angle."""
    tower = field.tower
    present = [p for p in parts if not p.is_zero()]
    pairs = halfangle.pairs_in(field, min(present, key=len))
    if not pairs or len(pairs) > halfangle.MAX_PAIRS or sum(map(len, present)) > halfangle.MAX_TERMS:
        return parts, tower.one
    tangents = [halfangle.to_tangents(field, p, pairs) for p in present]
    g = tangents[0][0]
    for p, _ in tangents[1:]:
        g = field.gcd(g, p)
    g = halfangle.without_units(field, g, pairs)
    if g.is_constant():
        return parts, tower.one
    halves = tuple((tower.degree(g, s) + 1) // 2 for s, _ in pairs)
    divided: list[Poly] = []
    for p, k in tangents:
        left = tuple(a - b for a, b in zip(k, halves, strict=True))
        found = halfangle.from_tangents(field, field.divide(p, g), pairs, left) if min(left) >= 0 else None
        if found is None:
            return parts, tower.one
        divided.append(found)
    common = halfangle.from_tangents(field, g, pairs, halves)
    if common is None:
        return parts, tower.one
    quotients = iter(divided)
    return [p if p.is_zero() else next(quotients) for p in parts], common
