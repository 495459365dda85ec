"""Relations between positions that velocity constraints imply: ℓ C = 0 but ℓ f ≠ 0 (SCOPE K13).

    x' = y',  x' = y' + x    hide    x = 0

>>> from chetaev.constraint.given import Given
>>> Q = Constraint(Given.of(["x' = y'", "x' = y' + x"], ["x", "y"]), symbolic=False)
>>> print(hidden_positions(Q, Clock())[1])
the velocity constraints imply the position constraint ...x = 0
"""

from __future__ import annotations

from dataclasses import replace

from chetaev.constraint.evidence import Clock
from chetaev.constraint.given import Given
from chetaev.constraint.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.expr.exact.matrix import nullspace


def hidden_positions(Q: Constraint, clock: Clock) -> tuple[Given | None, str]:
    """The constraint with hidden position constraints added, and a sentence; None where none are found."""
    if not Q.exact:
        return None, ""
    functions = Q.all_functions
    rows = [[f.diff((q, 1)) for q in Q.coordinates] for f in functions]
    if any(order for row in rows for e in row for _, order in e.symbols):
        return None, ""
    found = clock.attempt(Q.chart.field, lambda: _relations(Q, rows))
    if not found:
        return None, ""
    independent = [a for a in Q.survey.rows if a < len(Q.given.velocity)]
    positions = tuple(e.to_expr() for e in found)
    given = replace(
        Q.given,
        velocity=tuple(Q.given.velocity[a] for a in independent),
        position=(*Q.given.position, *positions),
        labels=(),
    )
    listed = ", ".join(f"{e} = 0" for e in positions)
    return given, f"the velocity constraints imply the position constraint {listed}"


def _relations(Q: Constraint, rows: list[list[Element]]) -> list[Element]:
    transposed = [list(column) for column in zip(*rows, strict=True)]
    still = {(q, 1): 0 for q in Q.coordinates}
    constant = [f.subs(still) for f in Q.all_functions]
    relations = []
    for vector in nullspace(transposed):
        total = Q.chart.field.zero
        for c, f in zip(vector, constant, strict=True):
            total = total + c * f
        phi = Element(total.field, total.numerator, total.field.tower.one)
        if not phi.is_zero and phi.symbols:
            relations.append(phi)
    return relations
