"""Values that users give where an expression belongs: graphs, numbers, SymPy; and words for all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ExpressionError, ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.scope import Scope
from chetaev.model.reading.exact_numbers import exact_number


def graph_of(value: Any, scope: Scope) -> Expr:
    """A graph, a number or a SymPy expression as a graph whose names the scope knows."""
    if isinstance(value, Expr):
        for node in graph.postorder(value, through_definitions=False):
            if node.op == "symbol" and scope.resolve(*node.value) is not node:
                raise ExpressionError(f"{node.value[0]!r} is a definition, not a symbol")
            if node.op == "define" and scope.values.get(node.value) is not node:
                raise ExpressionError(
                    f"the definition {node.value!r} is not one of this model",
                    remedy="give it with define={…}",
                )
        return value
    number = exact_number(value)
    if number is not None:
        return graph.number(number)
    plain = value is None or isinstance(value, (bool, Mapping, list, tuple))
    known = not plain and (hasattr(value, "__sympy__") or hasattr(value, "_sympy_"))
    if known or (type(value).__module__ or "").partition(".")[0] == "sympy":
        from chetaev.expr.language.sympy_bridge import from_sympy

        return from_sympy(value, scope)
    raise ExpressionError(
        f"an expression was expected, not {kind_of(value)}",
        expected="a number or a text in quotes",
        remedy='write its formula as a text in the names of the model, such as "-k*x"; '
        "a Python function may be a force of a run: ch.simulate(system, forces={…})"
        if callable(value) and not plain
        else "",
    )


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "empty"
    if isinstance(value, str):
        return f"the text {value[:30]!r}"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "a list"
    try:
        if exact_number(value) is not None:
            return f"the number {shown(value, 30)}"
    except ModelError:
        return f"the number {shown(value, 30)}"
    return "a function" if callable(value) else f"a value of type {type(value).__name__}"
