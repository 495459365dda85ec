"""A first integral as people write it: without factors that are constants.

>>> import chetaev as ch
>>> from chetaev.laws.search.motion import Motion
>>> motion = Motion(ch.load("charged-particle-magnetic"))
>>> print(shaped(motion, motion.function("(y*q*Bf - x'*m)/(2*m)")))
y*q*Bf - x'*m
"""

from __future__ import annotations

from math import gcd, lcm

from flint import fmpq

from chetaev.expr.exact import Element
from chetaev.expr.exact.tower import Poly
from chetaev.expr.graph.node import Expr
from chetaev.laws.search.motion import Motion


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
    return (-result).to_expr() if str(expression).startswith("-") else expression


def _integral(poly: Poly) -> Poly:
    """A polynomial with coprime whole coefficients."""
    coefficients = poly.coeffs()
    scale = lcm(1, *(int(c.q) for c in coefficients))
    common = gcd(*(int(c.p) * (scale // int(c.q)) for c in coefficients)) or 1
    return poly * fmpq(scale, common)
