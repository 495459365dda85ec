"""Conservation laws: an expression, where it comes from, how it is known to be constant; lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chetaev.effort import unproved
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr
from chetaev.expr.print import mathml, page, to_latex, to_text
from chetaev.expr.print.broken_lines import pieces
from chetaev.expr.print.latex import broken_formula
from chetaev.results import Formula, PlainData, Table, brief

DISGUISE = "constraint in disguise"
"""The theorem of a law that the constraints imply, whatever the forces are."""


@dataclass(frozen=True)
class Reason(PlainData):
    """A theorem that gives a law, as a computation of its own shows.

    Attributes
    ----------
    theorem
        Its name, such as ``Noether, nonholonomic``.
    words
        What it says here.
    row
        The row of the ledger.
    proved
        Whether its hypotheses were proved, or tested at points.
    """

    theorem: str
    words: str
    row: str = ""
    proved: bool = True

    facts = "theorem words row proved"

    def __str__(self) -> str:
        known = "" if self.proved else "; tested at points"
        return f"{self.theorem}: {self.words}{f' ({self.row})' if self.row else ''}{known}"


@dataclass(frozen=True)
class Law(PlainData):
    """A quantity and whether it is conserved.

    Attributes
    ----------
    name
        Such as ``energy`` or ``momentum of x``.
    expression
        The quantity, a function of t, q, v.
    cause
        Why it should be conserved, or why not, in words.
    proof
        The verdict on its rate of change along the motion.
    parameters
        For which parameters the verdict is given, in words; empty if there are none.
    row
        The row of the ledger that it belongs to, such as ``B4``.
    coordinate
        The cyclic coordinate whose momentum it is, if it is one.
    reasons
        Every theorem that gives it, each by a computation of its own (:mod:`chetaev.laws.reasons`); empty if
        none of those known explains it.
    undefined
        Where it is not defined, in words; empty if that is nowhere.
    number
        Which of the integrals that a search found it is, from 1; 0 for others.
    actors
        What acts on the cyclic coordinate: ``a force``, ``a constraint``.
    """

    name: str
    expression: Expr
    cause: str
    proof: Verdict
    parameters: str = ""
    row: str = ""
    coordinate: str = ""
    reasons: tuple[Reason, ...] = ()
    undefined: str = ""
    number: int = 0
    actors: tuple[str, ...] = ()

    facts = "name expression origin reasons undefined conserved proof.proved parameters evidence"

    @property
    def letter(self) -> tuple[str, str]:
        """A symbol and its index: p and the coordinate, E without one, F and the number or the name."""
        if self.coordinate:
            return "p", self.coordinate
        return ("E", "") if self.name == "energy" else ("F", str(self.number or self.name))

    @property
    def origin(self) -> str:
        """The cause, and the row of the ledger."""
        return f"{self.cause} ({self.row})" if self.row else self.cause

    @property
    def conserved(self) -> bool | None:
        """True, False, or None if it could not be decided."""
        return self.proof.is_zero

    @property
    def evidence(self) -> str:
        """How it is known and for which parameters: proved, certain, or tested at points."""
        where = f" {self.parameters}" if self.parameters else ""
        if self.proof.answer == "zero":
            limit = f"; {unproved(self.proof.limit)}" if self.proof.limit else ""
            return self.proof.how + where + limit
        if self.proof.answer == "nonzero":
            return f"its rate is not zero{where} ({self.proof.how}: {self.proof.method})"
        return str(self.proof)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {"latex": to_latex(self.expression)}

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {broken_formula(self.expression)} = \\text{{const}}$"

    def __str__(self) -> str:
        verdict = {True: "conserved", False: "not conserved", None: "undecided"}[self.conserved]
        return f"{self.name}: {to_text(self.expression)}: {verdict} ({self.evidence}); {self.origin}"


VERDICTS = {True: "conserved", False: "not conserved", None: "undecided"}
WIDTH = 50
"""Letters in a line of a formula in a table."""
LONG = 1000
"""Longer expressions are cut in a table."""


class LawTable(list[Law]):
    """Laws in a list; a notebook shows a table, `ch.save` writes it as .csv, .html or .json."""

    __repr__ = brief

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no conserved quantity"

    def _table_(self) -> Table:
        rows = tuple(
            (law.name, _shown(law), VERDICTS[law.conserved], law.evidence, law.origin) for law in self
        )
        return Table(
            ("quantity", "expression", "verdict", "evidence", "why"),
            rows,
            "" if self else "no conserved quantity",
        )

    def _repr_html_(self) -> str:
        return self._table_().html()


def _shown(law: Law) -> Formula:
    text = to_text(law.expression)
    if len(text) > LONG:
        return Formula(text, f"<code>… {len(text)} letters</code>")
    lines = pieces(page(law.expression)[0], WIDTH)
    return Formula(text, "<br>".join(mathml(line) for line in lines))
