"""What letters and numbers of papers mean, in plain sentences: said once in a text, where they first occur.

>>> explained("B̄ of (86) is regular at generic points of Q")[0]
'Q: the states, that is times, positions and velocities, that the constraints allow'
>>> explained("x'' = 0")
[]
"""

from __future__ import annotations

import html
import re

KRUPKOVA = "O. Krupková, Geometric mechanics on nonholonomic submanifolds (2010)"

_TERMS = (
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
    """A sentence for each term that occurs in a text."""
    sentences = [sentence for pattern, sentence in _TERMS if re.search(pattern, text)]
    if re.search(_PAPERS, text):  # numbers are those of the papers that are named
        sentences = [s for s in sentences if not s.startswith("Theorem")]
        sentences.append("numbers in brackets, sections and slides: of the paper that is named before them")
    return sentences


SECTIONS = ("classification", "equations", "agreement", "laws", "symmetries", "hamilton")
"""Of a report: those that chetaev writes; a model's own names and its source are not explained."""


def with_explanations(page: str) -> str:
    """A report with a list at the end of each section: the terms that no section before it had.

    >>> print(with_explanations('<section id="laws"><p>on Q</p></section><section id="hamilton">Q</section>'))
    <section id="laws"><p>on Q</p><ul class="small notions">
    <li>Q: the states, that is times, positions and velocities, that the constraints allow</li>
    </ul></section><section id="hamilton">Q</section>
    """
    said: set[str] = set()

    def noted(found: re.Match[str]) -> str:
        new = [one for one in explained(_plain(found["body"])) if one not in said]
        said.update(new)
        rows = "".join(f"<li>{html.escape(one)}</li>\n" for one in new)
        notes = f'<ul class="small notions">\n{rows}</ul>' if new else ""
        return f"{found['head']}{found['body']}{notes}</section>"

    names = "|".join(SECTIONS)
    return re.sub(rf'(?P<head><section id="(?:{names})">)(?P<body>.*?)</section>', noted, page, flags=re.S)


def _plain(body: str) -> str:
    """The words of a section, without formulas and without the heads of what is folded."""
    text = re.sub(r"<(math|summary|h2|script)\b.*?</\1>", " ", body, flags=re.S)
    return html.unescape(re.sub(r"<[^>]*>", " ", text))
