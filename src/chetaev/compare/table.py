"""The table of a comparison: one row for each formulation, and whether they all agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

REFERENCE = "chetaev"


@dataclass(frozen=True)
class Row:
    """One formulation against Chetaev's equations.

    Attributes
    ----------
    form
        Its name.
    difference
        Largest |a − a_ref| relative to the largest acceleration there (or to 10^(−digits/2), if that is
        larger); None if it could not be evaluated anywhere.
    points
        Points where both were regular.
    singular
        Points where this formulation's own matrix was singular, in every chart.
    operations
        Operations in its law.
    proved
        Whether its accelerations are proved, symbolically, to satisfy d'Alembert's principle on Q; None if
        that was not tried. False means: not proved within the time.
    charts
        In how many charts of Q it was derived to reach the points.
    """

    form: str
    difference: float | None
    points: int
    singular: int
    operations: int
    proved: bool | None = None
    charts: int = 1


@dataclass(frozen=True)
class Comparison:
    """Table of the largest relative differences; `agree` says whether all are within the tolerance."""

    system: str
    rows: tuple[Row, ...]
    excluded: dict[str, str]
    samples: int
    seed: int
    digits: int
    tolerance: float

    @property
    def agree(self) -> bool:
        """Whether some formulation was evaluated, and none differs by more than the tolerance there."""
        return self.evaluated and all(
            r.difference is None or r.difference <= self.tolerance for r in self.rows
        )

    @property
    def evaluated(self) -> bool:
        """Whether any formulation gave accelerations anywhere; if not, the law is singular on all of Q."""
        return any(r.points for r in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "system": self.system,
            "agree": self.agree,
            "reference": REFERENCE,
            "samples": self.samples,
            "seed": self.seed,
            "digits": self.digits,
            "tolerance": self.tolerance,
            "forms": {
                r.form: {
                    "difference": r.difference,
                    "points": r.points,
                    "singular": r.singular,
                    "operations": r.operations,
                    "proved": r.proved,
                    "charts": r.charts,
                }
                for r in self.rows
            },
            "excluded": dict(self.excluded),
        }

    def __str__(self) -> str:
        lines = [f"{'form':16} {'difference':>10} {'points':>7} {'operations':>11}"]
        for r in self.rows:
            shown = "none" if r.difference is None else f"{r.difference:.1e}"
            lines.append(f"{r.form:16} {shown:>10} {r.points:>7} {r.operations:>11}")
        lines += [f"{name}: {reason}" for name, reason in self.excluded.items()]
        return "\n".join(lines)
