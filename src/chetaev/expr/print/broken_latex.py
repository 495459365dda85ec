r"""Long formulas as LaTeX over several lines, for notebooks, which break nothing themselves.

>>> from chetaev.expr.graph.node import symbol
>>> a, b = symbol("alpha"), symbol("beta")
>>> print(broken_latex([(symbol("x", 2), a + b)]))
\begin{aligned}
\ddot{x} &= \alpha + \beta
\end{aligned}
>>> print(broken_latex([(symbol("x", 2), a + b)], width=5))
\begin{aligned}
&\ddot{x} \\
&\quad = \alpha \\
&\quad + \beta
\end{aligned}
"""

from __future__ import annotations

from collections.abc import Iterable

from chetaev.expr.graph.node import Expr
from chetaev.expr.print.broken_lines import lines, pieces
from chetaev.expr.print.latex import latex
from chetaev.expr.print.layout import Layout
from chetaev.expr.print.layout_of_graph import page

WIDTH = 80
"""Letters in a line of a notebook."""


def broken_latex(equations: Iterable[tuple[Expr, Expr]], width: int = WIDTH) -> str:
    """Equations as an aligned block; those that are too long go on in the lines below."""
    made: list[str] = []
    for equation in equations:
        left, right = page(*equation)
        made += _equation(left, right, width)
    return _aligned(made)


def broken_formula(expr: Expr, width: int = WIDTH) -> str:
    """One formula, over several lines if it is too long."""
    (layout,) = page(expr)
    parts = pieces(layout, width)
    if len(parts) == 1:
        return latex(parts[0])
    first, *rest = map(latex, parts)
    return _aligned([f"&{first}", *(f"&\\quad {part}" for part in rest)])


def _equation(left: Layout, right: Layout, width: int) -> list[str]:
    found = lines(left, right, width)
    if len(found) == 1:
        return [f"{latex(left)} &= {latex(right)}"]
    first, *rest = map(latex, found)
    return [f"&{first}", *(f"&\\quad {line}" for line in rest)]


def _aligned(made: list[str]) -> str:
    body = " \\\\\n".join(made)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
