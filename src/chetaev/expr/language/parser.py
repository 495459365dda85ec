"""From text to the expression graph.

User text is never given to Python's own parser or to SymPy's. Texts without mistakes are read by
:mod:`chetaev.expr.language.fast_reader`; where something has to be explained, lark reads them again by the
grammar of the same language (:mod:`chetaev.expr.language.explaining_parser`), which is imported only then.

Limits, each refused with an error: one expression has at most `MAX_TEXT` characters, brackets nest at
most `MAX_NESTING` deep, the graph is at most `MAX_DEPTH` nodes deep, and numbers stay within double range.

>>> from chetaev.expr.language.scope import Scope
>>> scope = Scope.of(coordinates=["x", "phi"], parameters=["m", "R"])
>>> parse("m*x'^2/2 + R*cos(phi)", scope)
Expr("m*x'^2/2 + R*cos(phi)")
>>> parse_equation("x' = R*phi'", scope)
Equation(lhs=Expr("x'"), rhs=Expr("R*phi'"))
"""

from __future__ import annotations

from chetaev.errors import ExpressionError, Origin
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.equation import Equation as Equation  # part of this module too
from chetaev.expr.language.fast_reader import TOKEN, read
from chetaev.expr.language.fast_reader import read_number as read_number
from chetaev.expr.language.scope import Scope
from chetaev.expr.language.text_limits import check_depth, check_nesting, check_text

LONG = 20_000
"""In a text with more characters, a mistake is explained from the tokens around it."""


def parse(text: str, scope: Scope, origin: Origin | None = None) -> Expr:
    """Read an expression.

    Parameters
    ----------
    text
        The expression.
    scope
        The names it may use.
    origin
        Where the text comes from, for error messages.
    """
    result = _run(text, scope, origin or Origin(text), "expression")
    assert isinstance(result, Expr)
    return result


def parse_equation(text: str, scope: Scope, origin: Origin | None = None) -> Equation:
    """Read an equation ``lhs = rhs``."""
    result = _run(text, scope, origin or Origin(text), "equation")
    assert isinstance(result, Equation)
    return result


def _run(text: str, scope: Scope, origin: Origin, start: str) -> Expr | Equation:
    if not isinstance(text, str):
        raise ExpressionError(f"expected an expression as text, got {text!r}")
    check_text(text, origin)
    looked: list[int] = []
    result = _quickly(text, scope, start, looked)
    if result is None:
        from chetaev.expr.language.explaining_parser import explain_at, read_thoroughly

        if len(text) > LONG and looked:
            explain_at(text, looked[-1] - 1, scope, origin, start)
        check_nesting(text, origin)
        result = read_thoroughly(text, scope, origin, start)
    roots = (result.lhs, result.rhs) if isinstance(result, Equation) else (result,)
    check_depth(roots, origin)
    return result


def _quickly(text: str, scope: Scope, start: str, looked: list[int]) -> Expr | Equation | None:
    found = read(text, scope, looked)
    if found is None:
        return None
    if start == "equation":
        return Equation(*found) if len(found) == 2 else None
    if len(found) == 1:
        return found[0]
    looked.append(sum(1 for _ in TOKEN.finditer(text, 0, text.index("=") + 1)))
    return None
