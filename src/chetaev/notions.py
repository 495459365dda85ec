"""What letters and numbers of papers mean, in plain sentences: said once in a text, where they occur.

>>> explained("B̄ of (86) is regular at generic points of Q")[0]
'Q: the states, that is times, positions and velocities, that the constraints allow'
>>> explained("x'' = 0")
[]
"""

from __future__ import annotations

import re

KRUPKOVA = "O. Krupková, Geometric mechanics on nonholonomic submanifolds (2010)"

_NOTIONS = (
    (
        r"(?<![\w'])Q(?![\w'])",
        "Q: the states, that is times, positions and velocities, that the constraints allow",
    ),
    (r"(?<![\w'])Y(?![\w'])", "Y: space-time, that is times and positions"),
    (
        r"B̄",
        "B̄: the matrix before the accelerations in the reduced equations; regular, if it determines them",
    ),
    (
        r"canonical distribution",
        "canonical distribution: the directions in which a state can change without leaving the constraints",
    ),
    (r"growth vector", "growth vector: how many directions are reached, at first and by manoeuvres"),
    (r"rank condition", "rank condition: the constraints are independent conditions on the velocities"),
    (r"Theorem \d|§\d|(?<!\w) ?\(\d\d+\)(?!\w)", f"Theorem 7, (86), § and the like: of {KRUPKOVA}"),
    (
        r"\b(?:Sa|[KBLDM])\d+\b",
        "K19, L6, B4 and the like: rows of the ledger of constructs, docs/scope.md",
    ),
)
_PAPERS = r"\b(?:Krupková|Lewis|Sarlet|Delphenich|Bates)\b"


def explained(text: str) -> list[str]:
    """A sentence for each notion that occurs in a text."""
    found = [sentence for pattern, sentence in _NOTIONS if re.search(pattern, text)]
    if re.search(_PAPERS, text):  # numbers are those of the papers that are named
        found = [s for s in found if not s.startswith("Theorem")]
        found.append("numbers in brackets, sections and slides: of the paper that is named before them")
    return found
