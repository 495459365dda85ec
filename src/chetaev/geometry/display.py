r"""LaTeX that reads like the papers: ∂/∂q̇, dx ∧ dy, coefficients before their basis element.

>>> name_latex("theta", 1), name_latex("x", 4)
('\\dot{\\theta}', '{x^{(4)}}')
"""

from __future__ import annotations

from collections.abc import Iterable

from chetaev.expr import graph, latex
from chetaev.expr.exact import Element


def name_latex(name: str, order: int = 0) -> str:
    """A coordinate; derivatives beyond the second as x^{(k)}."""
    if order <= 2:
        return latex.name_latex(name, order)
    return f"{{{latex.name_latex(name)}^{{({order})}}}}"


def element_latex(element: Element) -> str:
    """A function."""
    expr = element.to_expr()
    high = sorted(s for s in graph.symbols(expr) if s[1] > 2)
    if not high:
        return latex.to_latex(expr)
    swaps = {graph.symbol(*s): graph.symbol(f"jetsymbol{i}") for i, s in enumerate(high)}
    text = latex.to_latex(graph.substitute([expr], swaps)[0])
    for i, s in enumerate(high):
        text = text.replace(latex.name_latex(f"jetsymbol{i}"), name_latex(*s))
    return text


def combination_latex(terms: Iterable[tuple[Element, str]]) -> str:
    """Σ coefficient·basis, with signs and brackets as people write them."""
    parts: list[str] = []
    for coefficient, basis in terms:
        if coefficient.is_blank:
            continue
        text = _term(element_latex(coefficient), coefficient, basis, r" \, ", latex_brackets=True)
        parts.append(text if not parts else f" - {text[1:]}" if text.startswith("-") else f" + {text}")
    return "".join(parts) or "0"


def combination_text(terms: Iterable[tuple[Element, str]]) -> str:
    """The same in plain text."""
    parts: list[str] = []
    for coefficient, basis in terms:
        if coefficient.is_blank:
            continue
        text = _term(str(coefficient), coefficient, basis, "*", latex_brackets=False)
        parts.append(text if not parts else f" - {text[1:]}" if text.startswith("-") else f" + {text}")
    return "".join(parts) or "0"


def _term(text: str, coefficient: Element, basis: str, times: str, latex_brackets: bool) -> str:
    if not basis:
        return text
    number = coefficient.as_fraction()
    if number == 1:
        return basis
    if number == -1:
        return f"-{basis}"
    expr = coefficient.to_expr()
    if expr.op == "add":
        text = rf"\left({text}\right)" if latex_brackets else f"({text})"
    return f"{text}{times}{basis}"
