r"""Laws for people: each row as an equation, short, in text or LaTeX.

>>> import chetaev as ch
>>> from chetaev.equations.forms import equations
>>> for row in rows(equations(ch.load("nonholonomic-particle"), "chetaev")):
...     print(row)
m*x'' + y*mu_1 = 0
m*y'' = 0
m*z'' - mu_1 = 0
y*x'' - z'' = -x'*y'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chetaev.equations.normal import OnConstraint
from chetaev.expr import graph
from chetaev.expr.exact.signs import tidy
from chetaev.expr.graph import Expr, definitions
from chetaev.expr.parser import Equation
from chetaev.expr.print import name_latex, to_latex
from chetaev.expr.sharing import name_shared, text_length

if TYPE_CHECKING:
    from chetaev.equations.law import Equations


LONG_TEXT = 20_000
"""Laws with longer texts are shown with names for what repeats in them."""


def unknown(name: str) -> Expr:
    """The symbol of an unknown: ``x''`` or a plain name."""
    bare = name.rstrip("'")
    return graph.symbol(bare, len(name) - len(bare))


def rows(law: Equations, effort: int | None = None) -> list[Equation]:
    """Each row of the law as an equation in normal form, unknowns on the left."""
    on_q = OnConstraint(law.system, effort or law.effort)
    symbols = [unknown(n) for n in law.unknowns]
    short = [[on_q.short(e) for e in (*row, right)] for row, right in zip(law.matrix, law.right, strict=True)]
    flat = [e for row in short for e in row]
    if text_length(*flat) > LONG_TEXT:
        flat, _ = name_shared(flat, avoid=law.system.names)
        width = len(symbols) + 1
        short = [flat[i : i + width] for i in range(0, len(flat), width)]
    return [_row(row[:-1], row[-1], symbols) for row in short]


def _row(coefficients: Sequence[Expr], right: Expr, symbols: Sequence[Expr]) -> Equation:
    terms = [(c, s) for c, s in zip(coefficients, symbols, strict=True) if c is not graph.ZERO]
    if terms and _negative(terms[0][0]):
        terms = [(_minus(c), s) for c, s in terms]
        right = _minus(right)
    return Equation(tidy(graph.add(*(_times(c, s) for c, s in terms))), tidy(right))


def _negative(expr: Expr) -> bool:
    """Whether the text of an expression starts with a minus sign."""
    if expr.op in ("mul", "div", "add"):
        return _negative(expr.args[0])
    return expr.op == "neg" or (expr.op == "number" and expr.value < 0)


def _minus(expr: Expr) -> Expr:
    """Minus an expression, signs carried into sums."""
    if expr.op == "neg":
        return expr.args[0]
    if expr.op == "number":
        return graph.number(-expr.value)
    if expr.op == "add":
        return graph.add(*(_minus(a) for a in expr.args))
    if expr.op == "mul" and expr.args[0].op == "number" and expr.args[0].value < 0:
        number, *rest = expr.args
        return graph.mul(*rest) if number.value == -1 else graph.mul(graph.neg(number), *rest)
    if expr.op == "div" and expr.args[0].op in ("number", "mul"):
        return graph.div(_minus(expr.args[0]), expr.args[1])
    return graph.neg(expr)


def _times(coefficient: Expr, symbol: Expr) -> Expr:
    if coefficient is graph.ONE:
        return symbol
    if _negative(coefficient) and not _negative(opposite := _minus(coefficient)):
        return graph.neg(_times(opposite, symbol))
    if coefficient.op == "mul":
        return graph.mul(*coefficient.args, symbol)
    return graph.mul(coefficient, symbol)


def to_text(law: Equations) -> str:
    """The law in the model language, one equation a line, then the meanings of names that occur in it."""
    return text_of(rows(law))


def text_of(equations: Sequence[Equation]) -> str:
    """Equations one a line, then the meanings of names that occur in them."""
    occurring = definitions(*(side for e in equations for side in (e.lhs, e.rhs)))
    lines = [str(row) for row in equations]
    return "\n".join(lines + [f"  where {d.value} = {d.args[0]}" for d in occurring])


def law_latex(law: Equations) -> str:
    """The law as an aligned block, with the meanings of definitions that occur below it."""
    return aligned(rows(law))


def aligned(equations: Sequence[Equation]) -> str:
    """Equations as an aligned block, with the meanings of definitions that occur below them."""
    lines = [f"{to_latex(e.lhs)} &= {to_latex(e.rhs)}" for e in equations]
    occurring = definitions(*(side for e in equations for side in (e.lhs, e.rhs)))
    lines += [f"{name_latex(d.value)} &= {to_latex(d.args[0])}" for d in occurring]
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
