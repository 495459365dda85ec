"""Exponentials: exp(Σ qᵢ mᵢ) = Π Eᵢ^{nᵢ} with Eᵢ = exp(unitᵢ·mᵢ), negative powers as denominators.

Logarithms and inverse hyperbolic functions in the exponent become algebraic:

    exp(q·log u) = u^q,    exp(asinh u) = u + √(u²+1),    exp(acosh u) = u + √(u²−1),
    exp(atanh u) = √((1+u)/(1−u)).

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> field.exp(x + y) == field.exp(x) * field.exp(y)
True
>>> field.exp(2 * field.log(x)) == x**2
True
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import TYPE_CHECKING

from chetaev.expr.exact.effort.budget import BudgetError
from chetaev.expr.exact.functions.angles import Base, common_unit, single, split

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field

MAX_POWER = 100_000


def exp(field: Field, u: Element) -> Element:
    """The exponential of an element."""
    result, age = field.one, field.refinements
    for q, key, monomial in split(field, u, field.exponents):
        algebraic = _algebraic(field, q, monomial)
        result = result * (_multiple(field, q, key, monomial) if algebraic is None else algebraic)
    return result if field.refinements == age else exp(field, u)


def _multiple(field: Field, q: Fraction, key: Hashable, monomial: Element) -> Element:
    base = field.exponents.bases.get(key)
    if base is None or base.unit == 0:
        base = _new_base(field, key, monomial, abs(q))
    elif (q / base.unit).denominator != 1:
        old, unit = base, common_unit(base.unit, q)
        with field.refining():
            base = _new_base(field, key, monomial, unit)
            field.generators[old.index].kind = "dead"
            field.replace({old.index: base.first ** int(old.unit / unit)})
    n = int(q / base.unit)
    if abs(n) > MAX_POWER:
        raise BudgetError("an exponential to a very large power")
    return base.first**n


def _new_base(field: Field, key: Hashable, monomial: Element, unit: Fraction) -> Base:
    generator = field.adjoin("exp", (monomial * unit,))
    element = field.variable(generator.index)
    base = Base(monomial, unit, element, element, generator.index)
    field.exponents.bases[key] = base
    return base


def _algebraic(field: Field, q: Fraction, monomial: Element) -> Element | None:
    index = single(field, monomial)
    if index is None:
        return None
    generator = field.generators[index]
    if generator.kind == "log":
        u = generator.args[0]
        return field.power(u, q)
    if generator.kind == "logabs":
        return field.power(field.abs(generator.args[0]), q)
    if generator.kind == "asinh":
        u = generator.args[0]
        return field.power(u + field.sqrt(u**2 + 1), q)
    if generator.kind == "acosh":
        u = generator.args[0]
        return field.power(u + field.sqrt(u**2 - 1), q)
    if generator.kind == "atanh":
        u = generator.args[0]
        return field.power((1 + u) / (1 - u), q / 2)
    return None
