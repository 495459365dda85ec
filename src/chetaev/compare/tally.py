"""What is counted for one row of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Tally:
    """The largest difference so far, the points compared and the points without accelerations."""

    worst: Any = None
    points: int = 0
    singular: int = 0

    def add(self, difference: Any) -> None:
        """One more point, with its relative difference."""
        self.points += 1
        self.worst = difference if self.worst is None else max(self.worst, difference)


def relative(found: Sequence[Any], reference: Sequence[Any], digits: int) -> Any:
    """Largest |a − a_ref| relative to the largest acceleration there, or to 10^(−digits/2) if that is
    larger.
    """
    size = max(10.0 ** (-digits // 2), *(abs(x) for x in reference))
    return max(abs(x - y) for x, y in zip(found, reference, strict=True)) / size
