"""Which equations to show first: those in quasi-velocities where they are valid on more of Q, or shorter.

Compared are the equations of motion alone, without q' = V(t, q, u): first how much stands in denominators,
which may vanish, then their length with the meanings of names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chetaev.errors import ModelError
from chetaev.expr.graph.node import definitions, postorder, symbol
from chetaev.expr.graph.sharing import text_length
from chetaev.expr.language.parser import Equation

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations
    from chetaev.model.system import System

MOST_COORDINATES = 24
"""Equations of larger systems are shown when they are asked for."""
LONGEST = 4000
"""Longer equations are shown when they are asked for."""


def reads_better(system: System, rows: Sequence[Equation], others: Sequence[Equation]) -> bool:
    """Whether rows in quasi-velocities are to stand before others; without constraints they are the same."""
    if not (system.quasi or system.velocity_constraints or system.position_constraints):
        return False
    velocities = {symbol(c, 1) for c in system.coordinates}
    return _measure([row for row in rows if row.lhs not in velocities]) < _measure(others)


def _measure(rows: Sequence[Equation]) -> tuple[int, int]:
    sides = [side for row in rows for side in (row.lhs, row.rhs)]
    below = sum(
        text_length(n.args[1])
        for n in postorder(*sides, through_definitions=False)
        if n.op == "div" and n.args[1].op != "number"
    )
    return below, text_length(*sides, *(d.args[0] for d in definitions(*sides)))


def leading(system: System, effort: int) -> tuple[Equations, list[Equation]] | None:
    """The law to show first, with its rows; None where both are too long or there is none."""
    from chetaev.equations.law.law_display import rows
    from chetaev.equations.registry import check_accelerations, equations

    if len(system.coordinates) > MOST_COORDINATES:
        return None
    found: list[tuple[Equations, list[Equation]]] = []
    try:
        check_accelerations(system)
    except ModelError:
        return None
    for form in ("reduced", "quasi"):
        try:
            law = equations(system, form)
        except ModelError:
            continue
        found.append((law, rows(law, effort)))
    if len(found) == 2 and reads_better(system, found[1][1], found[0][1]):
        found = found[1:]
    if not found or _measure(found[0][1])[1] > LONGEST:
        return None
    return found[0]
