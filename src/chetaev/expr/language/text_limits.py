"""How long a text may be and how deep an expression may nest; what is beyond is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chetaev.errors import ExpressionError, Origin, TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.fast_reader import MAX_NESTING

MAX_TEXT = 4_000_000
"""Longest text of one expression, in characters."""
MAX_DEPTH = 20_000
"""Deepest nesting in one expression, definitions not looked into."""
MAX_CHAIN = 150_000
"""Deepest graph, definitions included."""


def check_text(text: str, origin: Origin) -> None:
    """Refuse a text that is empty or too long."""
    if len(text) > MAX_TEXT:
        raise TooLargeError(
            f"the expression has {len(text)} characters",
            origin.place(0),
            expected=f"at most {MAX_TEXT}",
            remedy="break it up with [define]",
        )
    if not text.strip():
        raise ExpressionError(
            "the expression is empty", origin.place(0), expected="an expression, for example m*x'^2/2"
        )


_WORD = r"\*\*|[()^*/·×⋅,=+−-]|[^\s()^*/·×⋅,=+−-]+"


def check_nesting(text: str, origin: Origin) -> None:
    """Refuse what nests too deep before it is parsed: brackets, towers of powers, signs in a row."""
    if len(text) <= MAX_NESTING:
        return
    towers = [0]  # for the whole and for each open bracket, how many powers wait for their exponent
    signs, operand = 0, False
    for found in re.finditer(_WORD, text):
        word = found[0]
        if word in "+-−":
            towers[-1] = 0 if operand else towers[-1]
            signs, operand = signs + 1, False
        else:
            signs, operand = 0, word not in ("(", "^", "**", "*", "/", "·", "×", "⋅", ",", "=")
            if word == "(":
                towers.append(0)
            elif word == ")":
                if len(towers) > 1:  # else the parser complains
                    towers.pop()
            elif word in ("^", "**"):
                towers[-1] += 1
            elif not operand:
                towers[-1] = 0
        if max(signs, towers[-1], len(towers) - 1) > MAX_NESTING:
            what = "signs" if signs else "brackets" if len(towers) > MAX_NESTING else "powers"
            raise TooLargeError(
                f"{what} nest more than {MAX_NESTING} deep",
                origin.place(found.start()),
                remedy="break the expression up with [define]",
            )


def check_depth(roots: Sequence[Expr], origin: Origin) -> None:
    """Refuse an expression that nests too deep by itself, or through the definitions it uses."""
    if graph.depth(*roots) <= MAX_DEPTH:
        return
    own: dict[Expr, int] = {}
    for node in graph.postorder(*roots, through_definitions=False):
        own[node] = 1 + max((own.get(a, 0) for a in node.args), default=0) if node.op != "define" else 1
    if max(own[r] for r in roots) > MAX_DEPTH:
        raise TooLargeError(
            f"the expression nests operations more than {MAX_DEPTH} deep",
            origin.place(0),
            remedy="break it up with [define]",
        )
    if graph.depth(*roots) > MAX_CHAIN:
        raise TooLargeError(
            f"the expression and the definitions it uses nest operations more than {MAX_CHAIN} deep",
            origin.place(0),
            remedy="use fewer definitions one inside the other",
        )
