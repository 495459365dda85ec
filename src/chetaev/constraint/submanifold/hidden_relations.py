"""Relations between positions that velocity constraints imply: ℓ C = 0 but ℓ f ≠ 0 (SCOPE K13).

    x' = y',  x' = y' + x    hide    x = 0

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> Q = Constraint(ConstraintData.of(["x' = y'", "x' = y' + x"], ["x", "y"]), symbolic=False)
>>> print(hidden_positions(Q, Allowance())[1])
the velocity constraints imply the position constraint x = 0
"""

from __future__ import annotations

from dataclasses import replace

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.primitive_function import primitive
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import nullspace


def hidden_positions(Q: Constraint, allowance: Allowance) -> tuple[ConstraintData | None, str]:
    """The constraint with hidden position constraints added, and a sentence; None where none are found."""
    if not Q.exact:
        return None, ""
    found = allowance.attempt(Q.field, lambda: combinations_without(Q, 1))
    if not found:
        return None, ""
    positions = tuple(primitive(e).to_expr() for e in found)
    given = replace(
        Q.given,
        velocity=tuple(Q.given.functions[a] for a in Q.survey.rows if a >= len(Q.given.position)),
        position=(*Q.given.position, *positions),
        labels=(),
    )
    listed = ", ".join(f"{e} = 0" for e in positions)
    return given, f"the velocity constraints imply the position constraint {listed}"


def combinations_without(Q: Constraint, degree: int) -> list[Element]:
    """Combinations ℓ_a(t, q) f^a without terms of this degree or higher in the velocities, 0 left out.

    Degree 1: relations between positions; degree 2: affine constraints. What is not polynomial in the
    velocities is not combined.
    """
    field = Q.chart.field
    names = [(q, 1) for q in Q.coordinates]
    functions = [Element(field, f.numerator, field.tower.one) for f in Q.all_functions if not f.is_zero]
    tables = [f.coefficients(*names) for f in functions]
    usable = [i for i, table in enumerate(tables) if table is not None]
    rows: dict[tuple[int, ...], list[Element]] = {}
    for column, i in enumerate(usable):
        for exponents, c in (tables[i] or {}).items():
            if sum(exponents) >= degree:
                rows.setdefault(exponents, [field.zero] * len(usable))[column] = c
    unit = [[field.one if i == j else field.zero for j in range(len(usable))] for i in range(len(usable))]
    found = []
    for vector in nullspace(list(rows.values())) if rows else unit:
        total = sum((c * functions[i] for c, i in zip(vector, usable, strict=True)), field.zero)
        if not total.is_zero and total.symbols:
            found.append(field.polynomial(total.numerator))
    return found
