"""Formulas as they are printed: of what nobody reads only the size.

>>> from chetaev.expr.graph.node import symbol
>>> x = symbol("x")
>>> print(readable(x + 1), "|", readable(x**2 + x + 1, longest=8))
x + 1 | … (13 characters; --json and to_json() have them)
"""

from __future__ import annotations

from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.sharing import text_length
from chetaev.expr.print import to_text

LONGEST = 2_000
"""Formulas with more characters are not printed."""


def readable(e: Expr, longest: int = LONGEST) -> str:
    """The text of a formula, or how long it is."""
    size = text_length(e)
    if size <= 8 * longest:  # an estimate, which takes names for longer than they are
        text = to_text(e)
        if len(text) <= longest:
            return text
        size = len(text)
    return f"… ({size} characters; --json and to_json() have them)"


__all__ = ["readable"]
