"""Functions that are seen to be positive everywhere, or to vanish nowhere on Q.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> positive(x**2 + 3), positive(1 + field.exp(x) * y**2), positive(x**2 - 1)
(True, True, False)

Sums of squares without a number vanish only where all their symbols do, which Q may exclude: x² + y² does not
vanish on x² + y² = 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from chetaev.expr.exact import Element
from chetaev.expr.exact.radicals import is_positive

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint

Name = tuple[str, int]


def positive(f: Element) -> bool:
    """Whether a polynomial is seen to be positive for all values of its symbols."""
    field, p = f.field, f.numerator
    if is_positive(field, p, strictly=True):
        return True
    exponential = any(
        c > 0 and monomial and all(field.generators[k].kind == "exp" for k, _ in monomial)
        for monomial, c in field.tower.terms(p)
    )
    return exponential and is_positive(field, p)


def squares_of(f: Element) -> set[Name]:
    """The symbols of a sum of their even powers, with positive numbers; empty for other functions."""
    names: set[Name] = set()
    for monomial, c in f.field.tower.terms(f.numerator):
        if c < 0 or len(monomial) != 1 or monomial[0][1] % 2:
            return set()
        generator = f.field.generators[monomial[0][0]]
        if generator.kind != "symbol" or not isinstance(generator.name, tuple):
            return set()
        names.add(generator.name)
    return names


def excluded(constraint: Constraint, names: Iterable[Name]) -> bool:
    """Whether symbols cannot all be 0 on Q: then some equation of Q says that a number other than 0 is 0."""
    zero = dict.fromkeys(names, constraint.chart.field.zero)
    if not zero:
        return False
    values = [f.subs(zero) for f in (*constraint.functions, *constraint.positions)]
    return any(v.is_number and not v.is_zero for v in values)
