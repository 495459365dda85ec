"""A short text with the same mistake as a long one, for a parser that explains but is slow.

What comes long before the mistake is made blank, but for what the parser must know of it: the brackets that
are still open, with the functions they belong to, and the commas and the equals sign that were passed. What
comes long after it is cut off. Places stay the same.

>>> window("1 + x + sin(y - atan2(2*a + 3, b + * c) + 1", 17, 2)
'        sin(    atan2(      1, b + *'
"""

from __future__ import annotations

import re
from itertools import islice

from chetaev.expr.language.fast_reader import TOKEN

_OPENS = frozenset("(,=+-−*/^·×⋅") | {"**"}
"""After one of these tokens an operand is expected."""
_MARK = re.compile(r"[(),=]")
_NAME_BEFORE = re.compile(r"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹](?:[^\W⁰¹²³⁴⁵⁶⁷⁸⁹]|[\u0300-\u036f])*\s*$")


def window(text: str, token: int, around: int) -> str:
    """The text with about `around` tokens kept on both sides of the token of this number, from 0."""
    near = max(0, token - around)
    found = list(islice(TOKEN.finditer(text), max(0, near - 1), token + around))
    before = found[0][0] if near and found else ""
    kept = found[1:] if near else found
    while kept and near and before not in _OPENS:
        before = kept.pop(0)[0]
    start = kept[0].start() if kept and near else len(text) if near else 0
    end = found[-1].end() if found else len(text)
    return _outline(text[:start]) + text[start:end]


def _outline(text: str) -> str:
    """Blanks, with the open brackets, and with a number before every comma and equals sign at their level."""
    levels: list[list[int]] = [[]]  # for the whole and each open bracket: where it stands, then its marks
    for mark in _MARK.finditer(text):
        if mark[0] == "(":
            levels.append([mark.start()])
        elif mark[0] == ")":
            levels.pop()
        else:
            levels[-1].append(mark.start())
    shown: list[tuple[int, str]] = []
    for depth, level in enumerate(levels):
        if depth:
            bracket, *level = level
            name = _NAME_BEFORE.search(text, max(0, bracket - 300), bracket)
            start = name.start() if name else bracket
            shown.append((start, text[start : bracket + 1]))
        shown += [(at - 1, "1" + text[at]) for at in level]
    parts, at = [], 0
    for start, piece in shown:
        parts += [" " * (start - at), piece]
        at = start + len(piece)
    return "".join(parts) + " " * (len(text) - at)
