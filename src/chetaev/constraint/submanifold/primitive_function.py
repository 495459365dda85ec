"""Functions up to a constant factor: coprime integer coefficients, for equations that are shown."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from chetaev.expr.exact.field.element import Element


def primitive(u: Element) -> Element:
    """The function times a constant: coprime integer coefficients, the first one positive."""
    field = u.field
    if all(not field.generators[k].depends for k in field.tower.used(u.denominator)):
        u = Element(field, u.numerator, field.tower.one)
    coefficients = [Fraction(int(c.p), int(c.q)) for c in u.numerator.coeffs()]
    if not coefficients:
        return u
    scale = Fraction(lcm(*(c.denominator for c in coefficients)), gcd(*(c.numerator for c in coefficients)))
    return u * (scale if coefficients[0] > 0 else -scale)
