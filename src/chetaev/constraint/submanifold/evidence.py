"""What a verdict rests on: proved, or tested at so many points; and the budget of exact steps.

>>> print(Finding("holonomy", "nonholonomic", "the forms φ are not closed", PROVED, "Theorem 7 (3)"))
the forms φ are not closed (proved; Theorem 7 (3))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from chetaev.effort import unproved
from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.effort.ledger import Remembered
from chetaev.expr.exact.field.field import Field

T = TypeVar("T")

EFFORT = 2_000_000
"""What the exact steps of a classification may cost together if nothing else is said."""

ZERO = 1e-8
"""Below this part of its own terms a number counts as zero."""
NONZERO = 1e-5
"""Above this part of its own terms a number counts as not zero."""


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on: a proof, points, or neither.

    Attributes
    ----------
    proved
        Whether it is a proof.
    method
        How it was found.
    points, digits
        At how many points it was tested, to how many digits.
    conditions
        Independent conditions that were decided, and agree.
    limit
        The effort within which there was no proof; 0 if that was not the reason.
    witness, value
        A point, by names, at which a function has a value other than 0, and this to three digits.

    Examples
    --------
    >>> print(PROVED, Evidence(True, "normal form"), tested(3), sep="; ")
    proved; proved: normal form; tested at 3 points
    """

    proved: bool = False
    method: str = ""
    points: int | None = None
    digits: int = 0
    conditions: tuple[str, ...] = ()
    limit: int = 0
    witness: tuple[tuple[str, float], ...] = field(default=(), compare=False, repr=False)
    value: str = field(default="", compare=False, repr=False)

    def __bool__(self) -> bool:
        return self != Evidence()

    def __str__(self) -> str:
        count = len(self.conditions)
        if self.proved and count:
            many = f"{count} conditions that agree" if count > 1 else "one condition"
            return f"proved by {many}: {', '.join(self.conditions)}"
        if self.proved:
            return f"proved: {self.method}" if self.method else "proved"
        if self.points is None:
            return self.method
        text = f"tested at {self.points} point{'' if self.points == 1 else 's'}"
        text += f" to {self.digits} digits" if self.digits else ""
        text += f", {count} conditions agree" if count else ""
        return f"{text}; {unproved(self.limit)}" if self.limit else text


PROVED, NONE = Evidence(True), Evidence()
FACTORED = Evidence(True, "factorization")


@dataclass(frozen=True)
class Finding:
    """One verdict with its reason in words, its evidence and the theorem it uses."""

    question: str
    answer: str
    reason: str
    evidence: Evidence
    source: str = ""
    value: Any = field(default=None, repr=False)
    """What the reason tells of, as an object, where there is one: a :class:`~.regularity.Regularity`."""

    def __str__(self) -> str:
        inner = "; ".join(p for p in (str(self.evidence), self.source) if p)
        return f"{self.reason} ({inner})" if inner else self.reason

    def to_json(self) -> dict[str, str]:
        """As plain data."""
        return {
            "question": self.question, "answer": self.answer, "reason": self.reason,
            "evidence": str(self.evidence), "source": self.source,
        }  # fmt: skip


def tested(points: int) -> Evidence:
    """Evidence by points."""
    return Evidence(points=points)


class Allowance:
    """The effort that the exact steps of one question may cost together, and each at most.

    `spent`: what the steps have cost so far; `exhausted`: whether a step was given up because its effort was
    spent, since this was last set to False.
    """

    def __init__(self, total: int = EFFORT, each: int | None = None) -> None:
        self.total = total
        self.each = total // 4 if each is None else each
        self.spent = 0
        self.exhausted = False
        self._charged: set[Remembered[Any]] = set()

    def left(self, times: float = 1.0) -> int:
        """What the next step may cost: so many times `each`, as far as there is something left."""
        return max(0, min(int(self.each * times), self.total - self.spent))

    def attempt(self, field: Field, step: Callable[[], T], times: float = 1.0, least: int = 0) -> T | None:
        """The result of an exact step, or None if it costs too much or cannot be done."""
        budget = Budget.of(max(least, self.left(times)))
        budget.charged = self._charged
        with field.limit(budget):
            found = ask(step)
        self.spent += budget.spent
        if isinstance(found, GivenUp):
            self.exhausted |= found.limit
            return None
        return found

    def tested(self, points: int) -> Evidence:
        """Evidence by points, where the last steps may have been given up."""
        return Evidence(points=points, limit=self.total if self.exhausted else 0)
