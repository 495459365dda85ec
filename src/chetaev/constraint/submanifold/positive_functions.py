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

from chetaev.constraint.submanifold.on_the_torus import positive_on_torus
from chetaev.expr.exact import Element
from chetaev.expr.exact.functions.radicals import is_positive

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
    return (exponential and is_positive(field, p)) or positive_on_torus(f)


def squares_of(f: Element) -> set[Name]:
    """The symbols that all vanish exactly where a sum of squares does; empty for other functions.

    Its terms are even, with positive numbers: powers of one symbol, and products with such a symbol in them.

    >>> from chetaev.expr.exact import Field
    >>> x, y = Field().symbols("x y")
    >>> sorted(squares_of(x**4 * y**2 + y**6 + x**2)), squares_of(x**2 * y**2 + y**2)
    ([('x', 0), ('y', 0)], {('y', 0)})
    """
    terms = []
    for monomial, c in f.field.tower.terms(f.numerator):
        names = [f.field.generators[k].name for k, _ in monomial if f.field.generators[k].kind == "symbol"]
        if c < 0 or len(names) < len(monomial) or not names or any(e % 2 for _, e in monomial):
            return set()
        terms.append({name for name in names if isinstance(name, tuple)})
    single = {name for names in terms if len(names) == 1 for name in names}
    return single if all(names & single for names in terms) else set()


def excluded(constraint: Constraint, names: Iterable[Name]) -> bool:
    """Whether symbols cannot all be 0 on Q: then some equation of Q says that a number other than 0 is 0."""
    zero = dict.fromkeys(names, constraint.chart.field.zero)
    if not zero:
        return False
    values = [f.subs(zero) for f in (*constraint.functions, *constraint.positions)]
    return any(v.is_number and not v.is_zero for v in values)
