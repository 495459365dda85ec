"""Which equations to show first: those in quasi-velocities where they are valid on more of Q, or shorter.

Compared are the equations of motion alone, without q' = V(t, q, u): first how much stands in denominators,
which may vanish, then what must not vanish for a chart to be one, then their length with the meanings of
names. The other formulations follow in the same order, those of another dynamics last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from chetaev.errors import ModelError
from chetaev.expr.graph.node import definitions, postorder, symbol, symbols
from chetaev.expr.graph.sharing import text_length
from chetaev.expr.language.parser import Equation
from chetaev.model.without_redundancy import without_redundancy

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations
    from chetaev.equations.law.validity import Validity
    from chetaev.model.system import System

MOST_COORDINATES = 24
"""Equations of larger systems are shown when they are asked for."""
LONGEST = 2000
"""Longer equations are shown when they are asked for."""
TOO_LONG = "too long to be read here; --form chetaev has those with multipliers, --form all has all"

Measure = tuple[int, int, int]


@dataclass(frozen=True)
class Shown:
    """A law with its rows as they are printed, and where they hold."""

    law: Equations
    rows: list[Equation]
    valid: Validity

    @classmethod
    def of(cls, law: Equations, effort: int | None = None) -> Shown:
        """The law with its rows."""
        from chetaev.equations.law.law_display import with_validity

        return cls(law, *with_validity(law, effort))

    @cached_property
    def measure(self) -> Measure:
        """How hard it is to read: what is divided by, what must not vanish, the length."""
        system, frame = self.law.system, self.law.objects.get("quasi_frame")
        velocities = {symbol(c, 1) for c in system.coordinates}
        sides = [side for row in self.rows if row.lhs not in velocities for side in (row.lhs, row.rhs)]
        known = set(system.parameters)
        below = sum(
            text_length(n.args[1])
            for n in postorder(*sides, through_definitions=False)
            if n.op == "div" and not {name for name, _ in symbols(n.args[1])} <= known
        )
        chart = frame is None or frame.origin == "chart"
        needed = len(self.valid.conditions) + (not self.valid.complete) if chart else 0
        return below, needed, text_length(*sides, *(d.args[0] for d in definitions(*sides)))


def first_to_show(system: System, shown: Mapping[str, Shown]) -> str:
    """Which of the formulations leads: ``quasi`` where it reads better than ``reduced``, else the first."""
    if "quasi" in shown and "reduced" in shown:
        constrained = system.quasi or system.velocity_constraints or system.position_constraints
        if constrained and shown["quasi"].measure < shown["reduced"].measure:
            return "quasi"
        if not shown["reduced"].rows and shown["quasi"].rows:
            return "quasi"  # a motion that is prescribed
    return next(iter(shown))


def in_order(system: System, shown: Mapping[str, Shown]) -> list[Shown]:
    """The formulations, the most readable first; those of another dynamics last."""
    from chetaev.equations.registry import DIFFERENT

    if not shown:
        return []
    first = first_to_show(system, shown)
    rest = [name for name in shown if name != first]
    rest.sort(key=lambda name: (name in DIFFERENT, shown[name].measure))
    return [shown[name] for name in (first, *rest)]


def leading(system: System, effort: int) -> Shown | str:
    """The law to show first, with its rows; or, in words, why none is shown."""
    from chetaev.equations.registry import check_constraints, equations

    if len(system.coordinates) > MOST_COORDINATES:
        return TOO_LONG
    found: dict[str, Shown] = {}
    why = ""
    try:
        check_constraints(system)
    except ModelError as error:
        return error.message
    system = without_redundancy(system)
    for form in ("reduced", "quasi"):
        try:
            found[form] = Shown.of(equations(system, form), effort)
        except ModelError as error:
            why = why or error.message
    if not found:
        return why
    first = found[first_to_show(system, found)]
    return TOO_LONG if first.measure[-1] > LONGEST else first
