"""One row of a law as an equation: unknowns on the left, signs where people write them."""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact.readable.shorter_sums import leads_with_minus, tidy
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation


def unknown(name: str) -> Expr:
    """The symbol of an unknown: ``x''`` or a plain name."""
    bare = name.rstrip("'")
    return graph.symbol(bare, len(name) - len(bare))


def row_equation(coefficients: Sequence[Expr], right: Expr, symbols: Sequence[Expr]) -> Equation:
    """Σ c·u = right, the first coefficient without a minus sign."""
    terms = [(c, s) for c, s in zip(coefficients, symbols, strict=True) if c is not graph.ZERO]
    if terms and leads_with_minus(terms[0][0]):
        terms = [(_minus(c), s) for c, s in terms]
        right = _minus(right)
    return Equation(tidy(graph.add(*(times(c, s) for c, s in terms))), tidy(right))


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


def times(coefficient: Expr, symbol: Expr) -> Expr:
    """A coefficient times an unknown."""
    if coefficient is graph.ONE:
        return symbol
    if leads_with_minus(coefficient) and not leads_with_minus(opposite := _minus(coefficient)):
        return graph.neg(times(opposite, symbol))
    if coefficient.op == "mul":
        return graph.mul(*coefficient.args, symbol)
    return graph.mul(coefficient, symbol)
