"""A first integral as people write it: without factors that are constants.

>>> import chetaev as ch
>>> from chetaev.laws.search.motion_modulo_prime import Motion
>>> motion = Motion(ch.load("charged-particle-magnetic"))
>>> print(shaped(motion, motion.function("(y*q*Bf - x'*m)/(2*m)")))
y*q*Bf - x'*m
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

from flint import fmpq

from chetaev.expr.exact import Element
from chetaev.expr.exact.polynomials.tower import Poly
from chetaev.expr.exact.readable.shorter_sums import leads_with_minus
from chetaev.expr.graph.node import Expr, add, mul, neg
from chetaev.expr.graph.sharing import text_length
from chetaev.laws.search.motion_modulo_prime import Motion


def shaped(motion: Motion, element: Element) -> Expr:
    """The function without factors that are constants: numbers, and factors made of parameters alone."""
    field = motion.field
    moving = {motion.time, *motion.positions, *motion.velocities}

    def constant(e: Element) -> bool:
        return not {field.base(s) for s in e.symbols} & moving

    n, d = element.numerator, element.denominator
    result = field.one
    for poly, sign in ((n, 1), (d, -1)):
        if poly.is_one():
            continue
        for p, exponent in field.factor(poly)[1]:
            factor = field.polynomial(field.tower.reduce(p))
            if not constant(factor):
                whole = field.polynomial(_integral(p))
                result = result * whole ** (sign * exponent)
    expression = result.to_expr()
    positive = (-result).to_expr() if leads_with_minus(expression) else expression
    return by_velocities(result, motion.velocities, positive)


def by_velocities(element: Element, velocities: Sequence[int], whole: Expr) -> Expr:
    """An element as a sum over monomials in the velocities, where that is clearly shorter than the whole."""
    parts = _sum(element, tuple(velocities))
    return parts if parts is not None and 5 * text_length(parts) < 4 * text_length(whole) else whole


def _sum(element: Element, speeds: tuple[int, ...]) -> Expr | None:
    """Σ c_α v^α with every coefficient by itself in lowest terms: shorter than one fraction where they
    cancel.
    """
    field = element.field
    fast = {g.index for g in field.generators if g.depends & set(speeds)}
    if element.is_polynomial or set(field.tower.used(element.denominator)) & fast:
        return None
    if set(field.tower.used(element.numerator)) & fast - set(speeds):
        return None
    under = field.polynomial(element.denominator)
    terms: list[tuple[bool, list[int], Expr]] = []
    for exponents, poly in field.tower.collect(element.numerator, speeds).items():
        c = field.polynomial(poly) / under
        v = field.one
        for k, e in zip(speeds, exponents, strict=True):
            v = v * field.variable(k) ** e
        minus = leads_with_minus(c.to_expr())
        terms.append((minus, [-sum(exponents), *(-e for e in exponents)], _term(c, v, minus)))
    return add(*(term for _, _, term in sorted(terms, key=lambda term: term[:2])))


def _term(c: Element, v: Element, minus: bool) -> Expr:
    if c.is_polynomial:
        return (c * v).to_expr()
    positive = (-c if minus else c).to_expr()
    product = positive if v == 1 else mul(positive, v.to_expr())
    return neg(product) if minus else product


def _integral(poly: Poly) -> Poly:
    """A polynomial with coprime whole coefficients."""
    coefficients = poly.coeffs()
    scale = lcm(1, *(int(c.q) for c in coefficients))
    common = gcd(*(int(c.p) * (scale // int(c.q)) for c in coefficients)) or 1
    return poly * fmpq(scale, common)
