"""Holonomic, semiholonomic or nonholonomic, in words (SCOPE K18; Theorem 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.constraint.integrability.theorem7 import DisagreementError, Theorem7
from chetaev.constraint.submanifold.evidence import NONE, PROVED, Evidence, Finding
from chetaev.constraint.submanifold.submanifold import Constraint

if TYPE_CHECKING:
    from chetaev.constraint.kind.verdicts import Growth


def holonomy(
    Q: Constraint, T: Theorem7, growth: Growth, bent: Evidence = NONE
) -> tuple[str, bool | None, Finding]:
    """The verdict, whether everything is integrable, and the sentence; the growth vector must agree.

    `bent` is the proof that Q is not affine, if there is one.
    """
    integrable = T.integrable
    if integrable is not None and growth.known and integrable != (len(growth.ranks) == 1):
        if growth.proved and T.proved:
            raise DisagreementError(f"Theorem 7: integrable = {integrable}, growth vector: {growth.ranks}")
        integrable = None if not (growth.proved or T.proved) else integrable
    vector = f"growth vector ({', '.join(map(str, growth.ranks))}) on {growth.space}"
    vector = vector if growth.known else "its growth vector was not computed"
    if integrable is None:
        words = f"the conditions of Theorem 7 are not decided at the points tested: {vector}"
        return "undecided", None, Finding("holonomy", "undecided", words, T.evidence, "Theorem 7")
    if Q.is_holonomic_as_written:
        words = "all constraints are on positions"
        return "holonomic", True, Finding("holonomy", "holonomic", words, PROVED, "§3.3")
    if integrable:
        words = f"the canonical distribution is completely integrable: {vector}"
        return "semiholonomic", True, Finding("holonomy", "semiholonomic", words, T.evidence, "Theorem 7")
    proof = T.evidence
    words = f"the canonical distribution is not integrable: {vector}"
    if T.affine is False:
        proof = bent if bent.proved else proof
        words = (
            "the constraint is not affine in the velocities, "
            f"so its canonical distribution is not integrable: {vector}"
        )
    if growth.integrals:
        words += f"; of {Q.codimension} constraints {growth.integrals} can be integrated"
    return "nonholonomic", False, Finding("holonomy", "nonholonomic", words, proof, "Theorem 7")
