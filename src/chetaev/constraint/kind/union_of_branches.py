"""A union of branches: f = f₁ f₂ … = 0 is one constraint on each branch (SCOPE K13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chetaev.constraint.kind.classification import Classification
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.evidence import FACTORED, Evidence, Finding

ENDLESS = "infinitely many"


def unite(given: ConstraintData, choices: Sequence[ConstraintData], parts: Sequence[Classification],
          evidence: Evidence = FACTORED, endless: str = "") -> Classification:  # fmt: skip
    """The classification of a union: that of the branch with the initial state, or the least integrable one.

    Branches without points are left out; `endless` says what infinitely many others differ by.
    """
    pairs = [(g, p) for g, p in zip(choices, parts, strict=True) if p.holonomy != "undecided"]
    if not pairs:
        return parts[0]
    if len(pairs) == 1:
        return pairs[0][1]
    chosen, where = None, "the branch that is farthest from integrable"
    for g, p in pairs:
        if g.state is not None:
            chosen, where = p, "the branch of the initial state"
            break
    if chosen is None:
        order = ("nonholonomic", "semiholonomic", "holonomic")
        chosen = min((p for _, p in pairs), key=lambda p: order.index(p.holonomy))
    equations = " or ".join(f"{', '.join(map(str, p.equations))} = 0" for _, p in pairs)
    count = ENDLESS if endless else str(len(pairs))
    equations += f" {endless}" if endless else ""
    words = f"the constraint is a union of {count} branches: {equations}; the verdicts are those of {where}"
    finding = Finding("branches", count, words, evidence, "(45)")
    return replace(
        chosen,
        branches=tuple(p for _, p in pairs),
        findings=(finding, *chosen.findings),
        equations=given.velocity,
    )
