r"""LaTeX that reads like the papers: ∂/∂q̇, dx ∧ dy, coefficients before their basis element."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from chetaev.expr.exact import Element
from chetaev.expr.graph.node import ONE, Expr, div, mul, number
from chetaev.expr.print import to_latex, to_text


def combination_latex(terms: Iterable[tuple[Element, str]]) -> str:
    """Σ coefficient·basis, with signs and brackets as people write them."""
    return _combination(terms, to_latex, r" \, ", (r"\left(", r"\right)"))


def combination_text(terms: Iterable[tuple[Element, str]]) -> str:
    """The same in plain text."""
    return _combination(terms, to_text, "*", ("(", ")"))


def _combination(
    terms: Iterable[tuple[Element, str]], show: Callable[[Expr], str], times: str, brackets: tuple[str, str]
) -> str:
    written = ""
    for coefficient, basis in terms:
        if coefficient.is_blank:
            continue
        negative, size = _signed(coefficient.to_expr())
        text = show(size)
        if size.op == "add" and (basis or negative):
            text = text.join(brackets)
        if basis:
            text = basis if size == ONE else f"{text}{times}{basis}"
        sign = "-" if negative else "+" if written else ""
        written += f" {sign} {text}" if written else sign + text
    return written or "0"


def _signed(expr: Expr) -> tuple[bool, Expr]:
    """Whether a minus stands before an expression, and what it stands before."""
    if expr.op == "neg":
        return True, expr.args[0]
    if expr.op == "number" and expr.value < 0:
        return True, number(-expr.value)
    if expr.op not in ("mul", "div"):
        return False, expr
    (negative, first), rest = _signed(expr.args[0]), expr.args[1:]
    if not negative:
        return False, expr
    if expr.op == "div":
        return True, div(first, *rest)
    return True, rest[0] if first == ONE and len(rest) == 1 else mul(first, *rest)
