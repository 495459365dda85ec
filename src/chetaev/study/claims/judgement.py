"""What is said of a claim: holds, does not hold, undecided; each with its evidence, part by part.

A claim is expected to hold unless its file says otherwise (``expected = false`` for a known misprint); only a
verdict against the expectation is a surprise. Undecided is none: nothing was shown.

>>> part = Statement("x'^2", False, "its rate is not zero")
>>> judged = Judgement("knife-edge", Claim(1, "conserved", "the square of x' is kept", "", True, ""), (part,))
>>> judged.holds, judged.surprising
(False, True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from chetaev.effort import unproved
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr
from chetaev.results import PlainData, Table, TableResult, TextResult, plain

Formula = Expr | tuple[Expr, Expr] | None
"""An expression, or the two sides of an equation."""
VERDICTS = {True: "holds", False: "does not hold", None: "undecided"}


@dataclass(frozen=True)
class Claim:
    """A published statement."""

    number: int  # its place among the claims of its model, from 1
    kind: str  # the key under which it is stated: ``equations``, ``conserved``, …
    # says, source, note: the statement in words, where it stands, and what is to be known about it; paper,
    # section and equation are parts of `source`; each may be empty
    says: str
    source: str
    expected: bool  # whether it is known to hold
    note: str
    paper: str = ""
    section: str = ""
    equation: str = ""


@dataclass(frozen=True)
class Statement(PlainData):
    """One formula, number or word of a claim: whether it holds, and how that is known.

    `formula` is what a page sets in type instead of the text, where there is such.
    """

    text: str
    holds: bool | None
    evidence: str
    proved: bool = False
    formula: Formula = field(default=None, compare=False, repr=False)

    facts = "text holds proved evidence"

    @classmethod
    def of(cls, text: str, verdict: Verdict, parameters: str = "", formula: Formula = None) -> Statement:
        """The part that holds where a function is zero on Q, for these parameters (in words)."""
        told = f"refuted {_witness(verdict, parameters)}"
        if verdict.answer == "zero":
            told = _shown(verdict, parameters)
        holds = verdict.is_zero
        return cls(text, holds, told if holds is not None else str(verdict), verdict.proved, formula)

    @classmethod
    def denied(cls, text: str, verdict: Verdict, parameters: str = "", formula: Formula = None) -> Statement:
        """The part that holds where a rate is not zero at some point of Q."""
        told = f"its rate is not zero {_witness(verdict, parameters)}"
        if verdict.answer == "zero":
            told = f"its rate is zero, {_shown(verdict, parameters)}"
        holds = None if verdict.is_zero is None else not verdict.is_zero
        return cls(text, holds, told if holds is not None else str(verdict), verdict.proved, formula)


Judge = Callable[[int], tuple[Statement, ...]]
"""What judges a claim that is read, within an effort."""


def _shown(verdict: Verdict, parameters: str) -> str:
    """How a zero is known."""
    limit = f"; {unproved(verdict.limit)}" if verdict.limit else ""
    return f"{verdict.how}{' ' + parameters if parameters else ''}{limit}"


def _witness(verdict: Verdict, parameters: str) -> str:
    """Where a function is not zero."""
    return f"{parameters + ' ' if parameters else ''}({verdict.how}: {verdict.method})"


@dataclass(frozen=True)
class Judgement(TextResult):
    """A claim of a model with the verdict on each of its parts.

    `formulas` are the equations of a statement that is judged as a whole, such as a closed solution;
    `correction` is the judgement on what should stand there.
    """

    model: str
    claim: Claim
    parts: tuple[Statement, ...]
    formulas: tuple[tuple[Expr, Expr], ...] = field(default=(), compare=False, repr=False)
    correction: Judgement | None = None

    facts = (
        "model claim.number claim.kind claim.says claim.paper claim.section claim.equation claim.source "
        "claim.note claim.expected holds proved surprising verdict statement stated parts correction"
    )

    @property
    def holds(self) -> bool | None:
        """False where one part fails, None where one is undecided and none fails, else True."""
        found = [part.holds for part in self.parts]
        return False if False in found else None if None in found else True

    @property
    def proved(self) -> bool:
        """Whether the verdict is proved: every part that holds, or one that does not."""
        if self.holds is False:
            return any(part.proved for part in self.parts if part.holds is False)
        return self.holds is True and all(part.proved for part in self.parts)

    @property
    def surprising(self) -> bool:
        """Whether the verdict is known and is not the one expected, or a correction does not hold."""
        against = self.holds is not None and self.holds is not self.claim.expected
        return against or (self.correction is not None and self.correction.holds is False)

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        if self.holds is None:
            return VERDICTS[None]
        known = "" if self.proved else ", not proved"
        if self.correction is not None and not self.correction.holds:
            known += f", and its correction {VERDICTS[self.correction.holds]}"
        meant = ", against expectation" if self.surprising else "" if self.holds else ", as expected"
        return VERDICTS[self.holds] + known + meant

    @property
    def stated(self) -> list[str]:
        """The equations of the statement, as text."""
        return [f"{left} = {right}" for left, right in self.formulas]

    def __str__(self) -> str:
        claim = self.claim
        head = f"{claim.number}. {claim.says or claim.kind}{f' [{claim.source}]' if claim.source else ''}"
        lines = [f"{head}: {self.verdict}"]
        lines += self._told
        if self.correction is not None:
            lines += ["  corrected:", *(f"  {line}" for line in self.correction._told)]
            lines += [f"    {note}"] if (note := self.correction.claim.note) != claim.note else []
        return "\n".join([*lines, f"  {claim.note}"] if claim.note else lines)

    @property
    def _told(self) -> list[str]:
        """What is stated, and each part with its evidence."""
        told = [f"  {text}" for text in self.stated]
        return told + [f"  {part.text}: {part.evidence}" for part in self.parts]

    @property
    def statement(self) -> str:
        """What is stated, in one line."""
        return "; ".join(self.stated or [part.text for part in self.parts])


class Claims(list[Judgement], TableResult):
    """Judged claims; a notebook shows a table, `ch.save` writes it as .csv, .html or .json."""

    @property
    def surprising(self) -> list[Judgement]:
        """Those whose verdict is not the one expected."""
        return [one for one in self if one.surprising]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"claims": plain(list(self)), "surprising": len(self.surprising)}

    def _table_(self) -> Table:
        rows = [
            (
                one.model,
                one.claim.paper or one.claim.source,
                one.claim.section,
                one.claim.equation,
                one.claim.kind,
                one.statement,
                one.verdict,
                one.correction.statement if one.correction else "",
                _evidence(one),
            )
            for one in self
        ]
        head = (
            "model", "paper", "section", "equation", "kind", "statement", "verdict", "correction", "evidence"
        )  # fmt: skip
        return Table(head, tuple(rows), "" if rows else "no claims")

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no claims"


def _evidence(judged: Judgement) -> str:
    """The evidence of the parts that decide."""
    deciding = [part for part in judged.parts if part.holds is judged.holds]
    return "; ".join(dict.fromkeys(part.evidence for part in deciding))
