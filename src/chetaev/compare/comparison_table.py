"""The table of a comparison: one row for each formulation, what is counted for it, and whether all agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.effort import beyond
from chetaev.results import Table


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


REFERENCE = "chetaev"
TOLERANCE = 1e-12
WITNESSES = {"oracle": "the oracle", "compiled": "the compiled field"}
"""Rows that are no formulation, in words: see `chetaev.compare.witnesses`."""

SPARE = 10
"""Digits of the arithmetic that round-off may take; a smaller difference shows nothing but round-off."""


@dataclass(frozen=True)
class ComparisonRow:
    """One formulation against Chetaev's equations.

    Attributes
    ----------
    form
        Its name.
    difference
        Largest |a − a_ref| relative to the largest acceleration there (or to 10^(−digits/2), if that is
        larger); None if it could not be evaluated anywhere. The row `compiled` has a bound instead, a power
        of ten.
    points
        Points where both were regular.
    singular
        Points where this formulation's own matrix was singular, in every chart.
    operations
        Operations in its law; None for what has no law.
    proved
        Whether its accelerations are proved, symbolically, to satisfy d'Alembert's principle on Q; None if
        that was not tried. False means: not proved; see `limit`.
    charts
        In how many charts of Q it was derived to reach the points.
    tolerance
        Largest difference that counts as agreement in this row.
    limit
        The effort at which the proof was given up, where more of it might help; else 0.
    """

    form: str
    difference: float | None
    points: int
    singular: int
    operations: int | None
    proved: bool | None = None
    charts: int = 1
    limit: int = 0
    tolerance: float = TOLERANCE

    @property
    def bounded(self) -> bool:
        """Whether `difference` is a bound and not a value."""
        return self.form == "compiled" and self.difference is not None

    @property
    def agrees(self) -> bool:
        """Whether it differs nowhere by more than its tolerance."""
        return self.difference is None or self.difference <= self.tolerance


@dataclass(frozen=True)
class Comparison:
    """Table of the largest relative differences; `agree` says whether all are within the tolerance."""

    system: str
    rows: tuple[ComparisonRow, ...]
    excluded: dict[str, str]
    samples: int
    seed: int
    digits: int
    tolerance: float

    @property
    def agree(self) -> bool:
        """Whether something was evaluated, and no row differs by more than its tolerance there."""
        return self.evaluated and all(r.agrees for r in self.rows)

    @property
    def compared(self) -> str:
        """What was compared, in words."""
        count = sum(row.form not in WITNESSES for row in self.rows)
        parts = [f"{count} formulation{'' if count == 1 else 's'}"]
        parts += [words for name, words in WITNESSES.items() if name in {row.form for row in self.rows}]
        return ", ".join(parts[:-1]) + (" and " if parts[1:] else "") + parts[-1]

    @property
    def evaluated(self) -> bool:
        """Whether any formulation gave accelerations anywhere; if not, the law is singular on all of Q."""
        return any(r.points for r in self.rows)

    def shown(self, row: ComparisonRow) -> str:
        """A row's difference as people read it: round-off of so many digits is written as a bound."""
        if row.difference is None:
            return "not evaluated"
        if row.bounded:
            return f"≤ {row.difference:.1e}"
        least = 10.0 ** (SPARE - self.digits)
        return (
            "0"
            if not row.difference
            else f"< {least:.0e}"
            if row.difference < least
            else f"{row.difference:.1e}"
        )

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
                    "tolerance": r.tolerance,
                    "limit": beyond(r.limit) if r.limit else "",
                }
                for r in self.rows
            },
            "excluded": dict(self.excluded),
        }

    def _table_(self) -> Table:
        proofs = {True: "proved", False: "not proved", None: ""}
        rows = tuple(
            (r.form, self.shown(r), r.points, r.singular, "" if r.operations is None else r.operations,
             proofs[r.proved])
            for r in self.rows
        )  # fmt: skip
        verdict = "agree" if self.agree else "do not agree" if self.evaluated else "could not be evaluated"
        head = ("form", "largest difference", "points", "singular points", "operations", "symbolically")
        return Table(head, rows, f"{self.system}: {self.compared} {verdict}", tuple(self.excluded.items()))

    def _repr_html_(self) -> str:
        return self._table_().html()

    def _plot_(self, figure: Any) -> None:
        """The differences as bars on a logarithmic scale, with the tolerance as a line (for `ch.plot`)."""
        ax = figure.add_subplot()
        least = 10.0 ** -(self.digits + 2)
        rows = [r for r in self.rows if r.difference is not None][::-1]
        sizes = [max(float(r.difference or 0.0), least) for r in rows]
        colors = ["#0072b2" if r.agrees else "#d55e00" for r in rows]
        ax.barh(
            [r.form for r in rows], [s - 0.9 * least for s in sizes], left=least, color=colors, height=0.6
        )
        ax.plot([r.tolerance for r in rows], range(len(rows)), "|", color="0.2", markersize=12)
        ax.set(xscale="log", xlabel="largest relative difference of accelerations (|: tolerance)")
        ax.set_title(self._table_().caption, fontsize="medium")

    def __repr__(self) -> str:
        return f"<Comparison: {self._table_().caption}>"

    def __str__(self) -> str:
        lines = [f"{'form':16} {'difference':>10} {'points':>7} {'operations':>11}"]
        for r in self.rows:
            count = "" if r.operations is None else str(r.operations)
            lines.append(f"{r.form:16} {self.shown(r):>10} {r.points:>7} {count:>11}".rstrip())
        lines += [f"{name}: {reason}" for name, reason in self.excluded.items()]
        return "\n".join(lines)
