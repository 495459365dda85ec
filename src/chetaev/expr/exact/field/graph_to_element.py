"""From the expression graph to elements: one pass, every node once, no recursion.

A definition is converted once and its element is shared, however often its name occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from chetaev.errors import DivisionByZeroError
from chetaev.expr.exact.effort.budget import BudgetError, NotRealError
from chetaev.expr.exact.effort.ledger import Remembered
from chetaev.expr.exact.functions import inverse_functions
from chetaev.expr.graph.node import Expr, ImplicitNumber
from chetaev.expr.graph.program import Arithmetic, carried
from chetaev.expr.graph.table import DataTable

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
        args = [_remembered(field, a) for a in node.args]
        try:
            found: Element = field.arithmetic.step(node.op, args, carried(node))
            return found
        except DivisionByZeroError as error:
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


class _Elements(Arithmetic):
    """Elements of a field."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def number(self, value: Fraction) -> Element:
        return self.field.number(value)

    def symbol(self, name: str, order: int) -> Element:
        return self.field.symbol(name, order)

    def constant(self, name: str | ImplicitNumber) -> Element:
        return inverse_functions.constant(self.field, name)

    def power(self, base: Element, exponent: Element, written: Fraction | None) -> Element:
        q = exponent.as_fraction()
        if q is None:
            return self.field.exp(exponent * self.field.log(base))
        if abs(q) > MAX_EXPONENT:
            raise BudgetError(f"the power {q} is too large for exact algebra")
        return self.field.power(base, q)

    def table(self, data: DataTable, u: Element) -> Element:
        raise BudgetError(f"the table of data {data.label!r} has no exact normal form")

    def function(self, name: str, args: Sequence[Element]) -> Element:
        """A function of the expression language, applied to elements."""
        field, u = self.field, args[0]
        match name:
            case "sin" | "cos" | "exp" | "sqrt" | "sign" | "abs":
                return getattr(field, name)(u)  # type: ignore[no-any-return]
            case "tan":
                return field.sin(u) / field.cos(u)
            case "sinh" | "cosh" | "tanh":
                return _hyperbolic(field, name, u)
            case "min" | "max":
                side = 1 if name == "max" else -1
                return reduce(lambda a, b: (a + b + side * field.abs(a - b)) * Fraction(1, 2), args)
        return inverse_functions.apply(field, name, tuple(args))


def arithmetic(field: Field) -> Arithmetic:
    """The elements of a field as numbers of a program."""
    return _Elements(field)


def _hyperbolic(field: Field, name: str, u: Element) -> Element:
    e = field.exp(u)
    field.hyperbolic.update(
        k for k in field.tower.used(e.numerator * e.denominator) if field.generators[k].kind == "exp"
    )
    if name == "tanh":
        return (e**2 - 1) / (e**2 + 1)
    half = Fraction(1, 2)
    return (e - 1 / e) * half if name == "sinh" else (e + 1 / e) * half
