"""From the expression graph to elements: one pass, every node once, no recursion.

A definition is converted once and its element is shared, however often its name occurs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from chetaev.expr.exact.effort.budget import BudgetError, NotRealError
from chetaev.expr.exact.effort.ledger import Remembered
from chetaev.expr.exact.functions import inverse_functions
from chetaev.expr.graph.node import Expr

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element
    from chetaev.expr.exact.field.field import Field

MAX_EXPONENT = 100_000


def convert(field: Field, root: Expr) -> Element:
    """The element of an expression."""
    if root not in field.memo:
        for node in _new_nodes(root, field.memo):
            _remembered(field, node)
    return _remembered(field, root)


def _remembered(field: Field, node: Expr) -> Element:
    """The element of a node whose arguments are remembered already."""

    def make() -> Element:
        try:
            return _node(field, node, [_remembered(field, a) for a in node.args])
        except ZeroDivisionError as error:
            raise NotRealError("a division by a function that is zero everywhere") from error

    return field.ledger.recall(field.tower.budget, field.memo, node, make)


def _new_nodes(root: Expr, memo: dict[Expr, Remembered[Element]]) -> list[Expr]:
    order: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen and node not in memo:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(node.args))
    return order


def _node(field: Field, node: Expr, args: list[Element]) -> Element:
    op = node.op
    if op == "number":
        return field.number(node.value)
    if op == "symbol":
        return field.symbol(*node.value)
    if op == "constant":
        return inverse_functions.constant(field, node.value)
    if op == "define":
        return args[0]
    if op == "add":
        return reduce(lambda a, b: a + b, args)
    if op == "mul":
        return reduce(lambda a, b: a * b, args)
    if op == "neg":
        return -args[0]
    if op == "div":
        return args[0] / args[1]
    if op == "pow":
        return _power(field, *args)
    if op == "table":
        raise BudgetError(f"the table of data {node.value.label!r} has no exact normal form")
    return function(field, op, args)


def _power(field: Field, base: Element, exponent: Element) -> Element:
    q = exponent.as_fraction()
    if q is None:
        return field.exp(exponent * field.log(base))
    if abs(q) > MAX_EXPONENT:
        raise BudgetError(f"the power {q} is too large for exact algebra")
    return field.power(base, q)


def function(field: Field, name: str, args: list[Element]) -> Element:
    """A function of the expression language, applied to elements."""
    u = args[0]
    if name == "sin":
        return field.sin(u)
    if name == "cos":
        return field.cos(u)
    if name == "tan":
        return field.sin(u) / field.cos(u)
    if name == "exp":
        return field.exp(u)
    if name in ("sinh", "cosh", "tanh"):
        return _hyperbolic(field, name, u)
    if name == "sqrt":
        return field.sqrt(u)
    if name == "sign":
        return field.sign(u)
    if name == "abs":
        return field.abs(u)
    if name in ("min", "max"):
        side = 1 if name == "max" else -1
        return reduce(lambda a, b: (a + b + side * field.abs(a - b)) * Fraction(1, 2), args)
    return inverse_functions.apply(field, name, tuple(args))


def _hyperbolic(field: Field, name: str, u: Element) -> Element:
    e = field.exp(u)
    field.hyperbolic.update(
        k for k in field.tower.used(e.numerator * e.denominator) if field.generators[k].kind == "exp"
    )
    if name == "tanh":
        return (e**2 - 1) / (e**2 + 1)
    half = Fraction(1, 2)
    return (e - 1 / e) * half if name == "sinh" else (e + 1 / e) * half
