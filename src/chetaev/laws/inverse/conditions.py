"""A condition on functions, with its verdict: what a list of conditions says together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.print import to_text
from chetaev.laws.standpoint import Standpoint, decisive, standpoints
from chetaev.model.system import System
from chetaev.results import PlainData


@dataclass(frozen=True)
class VanishingCondition(PlainData):
    """One function that has to vanish.

    Attributes
    ----------
    name
        What it says, as a formula with the names of the coordinates.
    row
        The equation it is, such as ``(36)``.
    expression
        The function.
    verdict
        Whether it vanishes, and how that is known.
    """

    name: str
    row: str
    expression: Expr
    verdict: Verdict

    facts = "expression holds verdict.proved"

    @property
    def holds(self) -> bool | None:
        """True, False, or None if it could not be decided."""
        return self.verdict.is_zero

    @property
    def witness(self) -> dict[str, Any] | None:
        """A point where it fails, if it does."""
        return self.verdict.witness

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "condition": self.name,
            "equation": self.row,
            "evidence": str(self.verdict),
        } | super().to_json()

    def __str__(self) -> str:
        return f"{self.row} {self.name}: {to_text(self.expression)} is {self.verdict}"


Asked = tuple[str, str, Expr]
"""Name, row and function of a condition that is asked for."""


def judged(
    system: System, asked: Sequence[Asked], effort: int, plain: Callable[[Expr], Expr]
) -> tuple[tuple[VanishingCondition, ...], Standpoint]:
    """The conditions for every value of the parameters if they all hold so, else for the values given."""
    moving = [(name, row, e) for name, row, e in asked if e is not ZERO]
    found: tuple[VanishingCondition, ...] = ()
    views = standpoints(system)
    for view in views:
        verdicts = zero_tests(view.apply([e for *_, e in moving]), effort=max(1, effort))
        found = tuple(
            VanishingCondition(name, row, plain(e), v)
            for (name, row, e), v in zip(moving, verdicts, strict=True)
        )
        if all(c.holds for c in found):
            return found, view
    return found, views[-1]


def together(conditions: Sequence[VanishingCondition]) -> bool | None:
    """Whether all hold: False if one fails, None if one is undecided."""
    answers = [c.holds for c in conditions]
    return False if False in answers else None if None in answers else True


def evidence(conditions: Sequence[VanishingCondition], parameters: str) -> str:
    """How the answer of :func:`together` is known, in words."""
    answer = together(conditions)
    where = f" {parameters}" if parameters else ""
    if answer is None:
        return "undecided: " + str(next(c for c in conditions if c.holds is None))
    if answer is False:
        failing = next(c for c in conditions if c.holds is False)
        return f"{failing.verdict.how}{where}: {failing.verdict.method}"
    return decisive([c.verdict for c in conditions]).how + where
