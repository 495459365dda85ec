"""What letters and numbers of papers mean, said in a report in the section where they first occur.

>>> print(with_notions('<section id="laws"><p>on Q</p></section><section id="hamilton">Q</section>'))
<section id="laws"><p>on Q</p><ul class="small notions">
<li>Q: the states, that is times, positions and velocities, that the constraints allow</li>
</ul></section><section id="hamilton">Q</section>
"""

from __future__ import annotations

import html
import re

from chetaev.notions import explained

SECTIONS = ("classification", "equations", "agreement", "laws", "symmetries", "hamilton")
"""What is written by chetaev; a model's own names and its source are not explained."""


def with_notions(page: str) -> str:
    """The page with a list at the end of each section: the notions that no section before it had."""
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
