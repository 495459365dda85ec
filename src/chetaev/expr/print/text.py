"""Text in the model language; reading it back gives the same graph.

>>> from chetaev.expr.graph.node import symbol, number
>>> to_text(-symbol("x", 1) ** number(2) / number(2))
"-x'^2/2"
"""

from __future__ import annotations

from chetaev.expr.graph.node import Expr
from chetaev.expr.print import layout as tree
from chetaev.expr.print.layout import Layout, fold
from chetaev.expr.print.layout_of_graph import line
from chetaev.expr.print.names import number_text


def to_text(expr: Expr) -> str:
    """The expression in the model language; definitions by their name."""
    return render([expr])[0]


def render(roots: list[Expr]) -> list[str]:
    """Texts of several expressions, shared parts rendered once."""
    return fold(line(*roots), _write)


def _write(layout: Layout, parts: list[str]) -> str:
    match layout:
        case tree.Name(name, order):
            return name + "'" * order
        case tree.Number(value):
            return number_text(value)
        case tree.Sum(members):
            later = zip(members[1:], parts[1:], strict=True)
            return parts[0] + "".join(
                f" - {p[1:]}" if isinstance(m, tree.Minus) else f" + {p}" for m, p in later
            )
        case tree.Product():
            return "*".join(parts)
        case tree.Over():
            return f"{parts[0]}/{parts[1]}"
        case tree.Minus():
            return f"-{parts[0]}"
        case tree.Bracketed():
            return f"({parts[0]})"
        case tree.Power():
            return f"{parts[0]}^{parts[1]}"
        case tree.Call(function):
            return f"{function}({', '.join(parts)})"
        case tree.Word(text):
            return text
    raise TypeError(f"{type(layout).__name__} has no text in the model language")
