"""Signs that look like others, conditions, events that are no expressions."""

from __future__ import annotations

import re

from chetaev.expr.language.habits.phrase import NAME, Phrase, covering, said
from chetaev.expr.language.scope import Scope
from chetaev.expr.language.written_conditions import inequality

_DOUBLED = re.compile(r"(?P<sign>//|\^\^|\*\*\*|\.\^|\.\*|\./|\*\^)")
_MEANT = {"//": "/", "^^": "^", "***": "^", ".^": "^", ".*": "*", "./": "/", "*^": "e, as in 1e3"}
_LOOKALIKES = {
    **dict.fromkeys("÷∕⁄∶", "/"),
    **dict.fromkeys("∗∙•⨯✕✖⊗⊙＊", "*"),
    **dict.fromkeys("–—‐‑‒﹣－", "-"),
    **dict.fromkeys("ˆ∧＾", "^"),
    **dict.fromkeys("`´‘", "'"),
    **dict.fromkeys("＝≡", "="),
    **{"＋": "+", "（": "(", "）": ")", "，": ","},
}
_CALCULUS = {
    "∂": "derivatives",
    "∫": "integrals",
    "∑": "sums",
    "∏": "products over an index",
    "∇": "gradients",
}


def signs(text: str, at: int, scope: Scope) -> Phrase | None:
    """Signs of other keyboards and languages: //, .^, ÷, –, ∂."""
    for m in covering(_DOUBLED, text, at):
        return said(m, "unexpected …", f"write {_MEANT[m['sign']]}")
    sign = text[at : at + 1]
    if sign in _LOOKALIKES and sign:
        return Phrase(at, 1, f"unexpected character {sign!r}", f"write {_LOOKALIKES[sign]}")
    if sign in _CALCULUS and sign:
        return Phrase(
            at,
            1,
            f"unexpected character {sign!r}",
            f"{_CALCULUS[sign]} are not carried out; write the result",
        )
    return None


_SIDES = re.compile(r"(?P<left>[^<>=≤≥!]+?)\s*(?P<sign>[<>≤≥]=?|==?)\s*(?P<right>[^<>=≤≥!]+)")


def event(text: str, at: int, scope: Scope) -> Phrase | None:
    """An event is where an expression is zero, not an equation or an inequality."""
    m = _SIDES.fullmatch(text.strip()) if scope.kind == "event" else None
    if m is None or text[at : at + 1] not in "<>=≤≥":
        return None
    right = m["right"].strip()
    difference = m["left"].strip() if right == "0" else f"{m['left'].strip()} - {_factor(right)}"
    return Phrase(at, len(m["sign"]), "an event is where an expression is zero", f"write {difference}")


def _factor(text: str) -> str:
    return text if re.fullmatch(r"[\w.'*/^]+", text) else f"({text})"


_LAMBDA = re.compile(rf"(?<!\w)lambda(?:\s+{NAME}(?:\s*,\s*{NAME})*)?\s*:")


def function(text: str, at: int, scope: Scope) -> Phrase | None:
    """lambda x: …"""
    for m in covering(_LAMBDA, text, at):
        return said(m, "there is no lambda here, as in …", "write what is behind the colon")
    return None


def choice(text: str, at: int, scope: Scope) -> Phrase | None:
    """Conditions and inequalities; in a constraint, an equation is asked for."""
    found = inequality(text, at, scope.values, scope.kind == "constraint")
    return Phrase(*found) if found else None
