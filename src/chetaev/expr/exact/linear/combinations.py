"""Combinations ℓ_a(t, q) f^a of equations in which the higher terms in the velocities cancel (SCOPE K13).

Degree 1: relations between positions, ℓ C = 0 but ℓ f ≠ 0; degree 2: affine equations. What is not polynomial
in the velocities is not combined.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y, v = field.symbol("x"), field.symbol("y"), field.symbol("x", 1)
>>> [str(e) for e in combinations_without([v - x, 2 * v - 2 * x - y], ["x", "y"], 1)]
['-y']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear.matrix import nullspace


def combinations_without(functions: Iterable[Element], names: Sequence[str], degree: int) -> list[Element]:
    """Combinations without terms of this degree or higher in the velocities of `names`, 0 left out."""
    parts = [Element(f.field, f.numerator, f.field.tower.one) for f in functions if not f.is_zero]
    tables = [f.coefficients(*((q, 1) for q in names)) for f in parts]
    usable = [i for i, table in enumerate(tables) if table is not None]
    if not usable:
        return []
    field = parts[0].field
    rows: dict[tuple[int, ...], list[Element]] = {}
    for column, i in enumerate(usable):
        for exponents, c in (tables[i] or {}).items():
            if sum(exponents) >= degree:
                rows.setdefault(exponents, [field.zero] * len(usable))[column] = c
    unit = [[field.one if i == j else field.zero for j in range(len(usable))] for i in range(len(usable))]
    found = []
    for vector in nullspace(list(rows.values())) if rows else unit:
        total = sum((c * parts[i] for c, i in zip(vector, usable, strict=True)), field.zero)
        if not total.is_zero and total.symbols:
            found.append(field.polynomial(total.numerator))
    return found
