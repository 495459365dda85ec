r"""LaTeX that reads like the papers: ∂/∂q̇, dx ∧ dy, coefficients before their basis element."""

from __future__ import annotations

from collections.abc import Iterable

from chetaev.expr.exact import Element
from chetaev.expr.print import to_latex


def element_latex(element: Element) -> str:
    """A function."""
    return to_latex(element.to_expr())


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
