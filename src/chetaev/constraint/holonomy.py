"""Holonomic, semiholonomic or nonholonomic, in words (SCOPE K18; Theorem 7)."""

from __future__ import annotations

from chetaev.constraint.evidence import Finding
from chetaev.constraint.submanifold import Constraint
from chetaev.constraint.theorem7 import Disagreement, Theorem7


def holonomy(
    Q: Constraint,
    T: Theorem7,
    growth: tuple[int, ...],
    space: str,
    dimension: int,
    evidence: str,
    bent: str = "",
) -> tuple[str, bool | None, Finding]:
    """The verdict, whether everything is integrable, and the sentence; the growth vector must agree with Theorem 7."""
    involutive = len(growth) == 1
    if T.integrable is not None and T.integrable != involutive and evidence == "proved":
        raise Disagreement(f"Theorem 7 says integrable = {T.integrable}, the growth vector is {growth}")
    vector = f"growth vector ({', '.join(map(str, growth))}) on {space}"
    k = Q.codimension
    if T.integrable is None:
        words = "the conditions of Theorem 7 are not decided at the points tested"
        return "undecided", None, Finding("holonomy", "undecided", words, T.evidence, "Theorem 7")
    if not Q.given.velocity:
        words = "all constraints are on positions"
        return "holonomic", True, Finding("holonomy", "holonomic", words, "proved", "§3.3")
    if T.integrable:
        words = f"the canonical distribution is completely integrable: {vector}"
        return "semiholonomic", True, Finding("holonomy", "semiholonomic", words, T.evidence, "Theorem 7")
    proof = T.evidence
    if T.affine is False:
        proof = bent if bent.startswith("proved") else proof
        words = f"the constraint is not affine in the velocities, so its canonical distribution is not integrable: {vector}"
    else:
        words = f"the canonical distribution is not integrable: {vector}"
    if dimension:
        words += f"; of {k} constraints {dimension} can be integrated"
    return "nonholonomic", False, Finding("holonomy", "nonholonomic", words, proof, "Theorem 7")
