"""Where a minus sign stands: −2x and y − 2x, never −(2x) or y + (−2x).

A sign before a product that starts with a number belongs to the number where the product stands alone, first
in a sum or in a function; further on in a sum it belongs to the sum.

>>> from chetaev.expr.graph.node import add, call, mul, neg, number, symbol
>>> x, y = symbol("x"), symbol("y")
>>> print(tidy(neg(mul(number(2), x))), tidy(add(y, mul(number(-2), x))))
-2*x y - 2*x
>>> print(tidy(call("exp", neg(number(2) * x))))
exp(-2*x)
"""

from __future__ import annotations

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr


def tidy(expr: Expr) -> Expr:
    """The same expression with its signs where people write them."""
    new: dict[int, Expr] = {}
    for node in graph.postorder(expr):
        args = [new[id(a)] for a in node.args]
        if node.op == "add":
            args = [joined(args[0]), *map(apart, args[1:])]
        elif node.op == "pow":
            args = [args[0], joined(args[1])]
        elif node.op in graph.FUNCTIONS:
            args = [joined(a) for a in args]
        same = node.op == "define" or all(a is b for a, b in zip(args, node.args, strict=True))
        new[id(node)] = node if same else graph.make(node.op, args, node.value)
    return joined(new[id(expr)])


def leads_with_minus(expr: Expr) -> bool:
    """Whether the text of an expression starts with a minus sign."""
    while expr.op in ("mul", "div", "add"):
        expr = expr.args[0]
    return expr.op == "neg" or (expr.op == "number" and expr.value < 0)


def joined(expr: Expr) -> Expr:
    """−(2x) as (−2)x."""
    return _times_minus_one(expr.args[0]) or expr if expr.op == "neg" else expr


def apart(expr: Expr) -> Expr:
    """(−2)x as −(2x)."""
    lead = expr
    while lead.op in ("mul", "div"):
        lead = lead.args[0]
    if lead is expr or lead.op != "number" or lead.value >= 0:
        return expr
    return graph.neg(_times_minus_one(expr) or expr)


def _times_minus_one(expr: Expr) -> Expr | None:
    """Minus a product whose first factor is a number; None for others."""
    if expr.op not in ("mul", "div"):
        return None
    first, rest = expr.args[0], expr.args[1:]
    if first.op == "number":
        if first.value == -1 and expr.op == "mul":
            return graph.mul(*rest)
        turned: Expr | None = graph.number(-first.value)
    else:
        turned = _times_minus_one(first)
    if turned is None:
        return None
    return graph.mul(turned, *rest) if expr.op == "mul" else graph.div(turned, *rest)
