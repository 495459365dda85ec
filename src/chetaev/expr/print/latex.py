r"""LaTeX of a layout: ``\dot{x}``, Greek names, fractions; definitions by their name.

>>> from chetaev.expr.graph.node import symbol, number
>>> print(to_latex(symbol("theta", 1) ** number(2) / number(2)))
\frac{\dot{\theta}^{2}}{2}
"""

from __future__ import annotations

from collections.abc import Iterable

from chetaev.expr.graph.node import Expr, definitions
from chetaev.expr.print import layout as tree
from chetaev.expr.print.broken_lines import lines, pieces
from chetaev.expr.print.layout import Layout, Name, fold
from chetaev.expr.print.layout_of_graph import is_upright, page, starts_with_digit
from chetaev.expr.print.names import FUNCTIONS, between, greek, parted

_COMMANDS = (
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
    *("exp", "log", "min", "max"),
)
_SIGNS = {
    "!=": r"\neq", ">=": r"\geq", "<=": r"\leq", "·": r"\cdot", "∂": r"\partial",
    "(": r"\bigl(", ")": r"\bigr)",
}  # fmt: skip
_DOTS = ("", r"\dot", r"\ddot")


def to_latex(expr: Expr) -> str:
    """The expression as LaTeX; definitions by their name."""
    return render([expr])[0]


def render(roots: list[Expr]) -> list[str]:
    """LaTeX of several expressions, shared parts rendered once."""
    return fold(page(*roots), _write)


def latex(layout: Layout) -> str:
    """A layout as LaTeX."""
    return fold([layout], _write)[0]


def name_latex(name: str, order: int = 0) -> str:
    r"""A name, with Greek letters, subscripts and dots.

    >>> name_latex("theta_1", 1), name_latex("I1"), name_latex("speed2"), name_latex("Omega")
    ('\\dot{\\theta}_{1}', 'I_{1}', '\\mathrm{speed}_{2}', '\\Omega')
    >>> name_latex("a_1_2"), name_latex("mass_of_cart"), name_latex("x", 4)
    ('a_{1,2}', '\\mathrm{mass}_{\\mathrm{of}\\,\\mathrm{cart}}', '{x^{(4)}}')
    """
    stem, indices = parted(name)
    head = _stem(stem)
    if 0 < order < len(_DOTS):
        head = f"{_DOTS[order]}{{{head}}}"
    tail = ""
    for i, index in enumerate(indices):
        tail += (r"\," if between(indices[i - 1], index) else ",") if i else ""
        tail += index if index.isdigit() else _stem(index)
    text = f"{head}_{{{tail}}}" if tail else head
    return text if order < len(_DOTS) else f"{{{text}^{{({order})}}}}"


def meanings(*roots: Expr) -> list[tuple[str, str]]:
    """Name and meaning, as LaTeX, of every definition below the roots, in order."""
    return [(name_latex(d.value), to_latex(d.args[0])) for d in definitions(*roots)]


def _stem(stem: str) -> str:
    if greek(stem):
        return "\\" + greek(stem)
    if len(stem) == 1 and stem.isascii():
        return stem
    return rf"\mathrm{{{stem}}}" if stem.isascii() else rf"\text{{{stem}}}"


def _write(layout: Layout, parts: list[str]) -> str:
    match layout:
        case Name(name, order):
            return name_latex(name, order)
        case tree.Number(value) if value.denominator == 1:
            return str(value.numerator)
        case tree.Number(value):
            return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
        case tree.Word(text):
            return rf"\mathrm{{{text}}}"
        case tree.Sign(sign):
            return _SIGNS.get(sign, sign)
        case tree.Sum(members):
            later = zip(members[1:], parts[1:], strict=True)
            return parts[0] + "".join(
                f" - {p[1:]}" if isinstance(m, tree.Minus) else f" + {p}" for m, p in later
            )
        case tree.Product(members):
            return "".join(_glue(members, i) + text for i, text in enumerate(parts))
        case tree.Minus():
            return f"-{parts[0]}"
        case tree.Bracketed():
            return rf"\left({parts[0]}\right)"
        case tree.Over():
            return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
        case tree.Power():
            return f"{parts[0]}^{{{parts[1]}}}"
        case tree.Radical():
            return rf"\sqrt{{{parts[0]}}}"
        case tree.Bars():
            return rf"\left|{parts[0]}\right|"
        case tree.Barred():
            return rf"\bar{{{parts[0]}}}"
        case tree.Indexed():
            return f"{parts[0]}{'^' if layout.above else '_'}{{{parts[1]}}}"
        case tree.Relation():
            return f"{parts[0]} {_SIGNS.get(layout.sign, layout.sign)} {parts[1]}"
        case tree.Call():
            return _call(layout, parts)
    return " ".join(parts)


def _glue(factors: tuple[Layout, ...], i: int) -> str:
    """What stands before a factor: a dot before a number, a thin space beside words."""
    if not i:
        return ""
    if starts_with_digit(factors[i]):
        return r" \cdot "
    return r" \, " if is_upright(factors[i]) or is_upright(factors[i - 1]) else " "


def _call(layout: tree.Call, parts: list[str]) -> str:
    name = FUNCTIONS.get(layout.function, layout.function).replace("_", r"\_")
    head = f"\\{name}" if name in _COMMANDS else rf"\operatorname{{{name}}}"
    if layout.exponent is not None:
        *parts, exponent = parts
        head += f"^{{{exponent}}}"
    inside = ", ".join(parts)
    if not layout.brackets:
        return f"{head} {inside}"
    return f"{head}({inside})" if layout.brackets == "()" else rf"{head}\left({inside}\right)"


WIDTH = 80
"""Letters in a line of a notebook."""


def broken_latex(equations: Iterable[tuple[Expr, Expr]], width: int = WIDTH) -> str:
    r"""Equations as an aligned block; those that are too long go on in the lines below.

    For notebooks, which break nothing themselves.

    >>> from chetaev.expr.graph.node import symbol
    >>> a, b = symbol("alpha"), symbol("beta")
    >>> print(broken_latex([(symbol("x", 2), a + b)], width=5))
    \begin{aligned}
    &\ddot{x} \\
    &\quad = \alpha \\
    &\quad + \beta
    \end{aligned}
    """
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
