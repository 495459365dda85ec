r"""LaTeX: \dot x, \frac{a}{b}, \sin\theta, $."""

from __future__ import annotations

import re

from chetaev.expr.graph.node import CONSTANTS, FUNCTIONS
from chetaev.expr.language.habits.phrase import NAME, Phrase, coordinate, primed, said
from chetaev.expr.language.scope import Scope
from chetaev.expr.language.spelling import GREEK, plain_spelling

_TEX_DOT = re.compile(rf"\\(?P<dots>d+ot)\s*(?:\{{\s*\\?(?P<inner>{NAME})\s*\}}|\\?(?P<name>{NAME}))")
_TEX_FRACTION = re.compile(r"\\[dt]?frac\s*\{(?P<above>[^{}]*)\}\s*\{(?P<below>[^{}]*)\}")
_TEX_FUNCTION = re.compile(
    rf"\\(?P<f>[a-z]+)\s*(?:\{{\s*\\?(?P<inner>[^{{}}]*)\}}|\\(?P<name>{NAME})|\s(?P<word>{NAME}))?"
)
_TEX = re.compile(r"\\(?P<word>[A-Za-z]+|.)?")
_TEX_SIGNS = {"cdot": "*", "times": "*", "ast": "*", "div": "/", "left": "nothing", "right": "nothing"}


def tex(text: str, at: int, scope: Scope) -> Phrase | None:
    """A command of LaTeX."""
    if text[at : at + 1] == "$":
        return Phrase(at, 1, "LaTeX is not read", "remove the '$'")
    if text[at : at + 1] != "\\":
        return None
    message = "LaTeX is not read"
    if m := _TEX_DOT.match(text, at):
        written = m["inner"] or m["name"]
        return said(m, message, primed(coordinate(written, scope) or written, m["dots"].count("d")))
    if m := _TEX_FRACTION.match(text, at):
        return said(m, message, f"write ({m['above'].strip()})/({m['below'].strip()})")
    m = _TEX_FUNCTION.match(text, at)
    if m and m["f"] in FUNCTIONS:
        inner = m["inner"] or m["name"] or m["word"] or "…"
        return said(m, message, f"write {m['f']}({_open_name(inner.strip(), scope)})")
    m = _TEX.match(text, at)
    assert m is not None
    word = m["word"] or ""
    if word in _TEX_SIGNS:
        return said(m, message, f"write {_TEX_SIGNS[word]} in its place")
    if word in CONSTANTS or word in GREEK.values() or word in scope.values:
        return said(m, message, f"write {_open_name(word, scope)}")
    return said(m, message, "write sin(x), sqrt(x), a/b" if word.isalpha() else "remove it")


def _open_name(written: str, scope: Scope) -> str:
    """The name of the model that is spelled like this, else the name as written."""
    same = (n for n in scope.values if plain_spelling(n) == plain_spelling(written))
    return written if written in scope.values else next(same, written)
