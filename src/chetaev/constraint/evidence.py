"""What a verdict rests on: proved, or tested at so many points; and the budget of exact steps.

>>> print(Finding("holonomy", "nonholonomic", "the forms φ are not closed", "proved", "Theorem 7 (3)"))
the forms φ are not closed (proved; Theorem 7 (3))
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from chetaev.errors import ChetaevError
from chetaev.expr.exact import Budget, Field

T = TypeVar("T")

ZERO = 1e-8
"""Below this part of its own terms a number counts as zero."""
NONZERO = 1e-5
"""Above this part of its own terms a number counts as not zero."""


@dataclass(frozen=True)
class Finding:
    """One verdict with its reason in words, its evidence and the theorem it uses."""

    question: str
    answer: str
    reason: str
    evidence: str
    source: str = ""

    def __str__(self) -> str:
        inner = "; ".join(p for p in (self.evidence, self.source) if p)
        return f"{self.reason} ({inner})" if inner else self.reason

    def to_json(self) -> dict[str, str]:
        """As plain data."""
        return {
            "question": self.question, "answer": self.answer, "reason": self.reason,
            "evidence": self.evidence, "source": self.source,
        }  # fmt: skip


def tested(points: int) -> str:
    """The words for evidence by points."""
    return f"tested at {points} point{'' if points == 1 else 's'}"


class Clock:
    """The time that exact steps of one classification may take together, and each at most."""

    def __init__(self, total: float = 4.0, each: float = 1.0) -> None:
        self.end = time.monotonic() + total
        self.each = each

    @property
    def left(self) -> float:
        """Seconds left for the next step."""
        return max(0.0, min(self.each, self.end - time.monotonic()))

    @property
    def end_in(self) -> float:
        """Seconds left altogether."""
        return max(0.05, self.end - time.monotonic())

    def attempt(self, field: Field, step: Callable[[], T], share: float = 1.0) -> T | None:
        """The result of an exact step, or None if it costs too much or cannot be done."""
        seconds = self.left * share
        if seconds <= 0:
            return None
        try:
            with field.limit(Budget(terms=20_000, products=1_000_000, seconds=seconds)):
                return step()
        except (ChetaevError, ZeroDivisionError, RecursionError, OverflowError, ValueError):
            return None
