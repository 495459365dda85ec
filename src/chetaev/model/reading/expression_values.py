"""Values that users give where an expression belongs: graphs, numbers, SymPy; and words for all others."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ExpressionError, ModelError, TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.number_range import FAR, LARGEST, MAX_DIGITS
from chetaev.expr.language.parser import read_number
from chetaev.expr.language.scope import Scope


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


def exact_number(value: Any) -> Fraction | None:
    """The exact rational a number writes; None for what is not a number.

    A float means the shortest decimal that gives it, so 0.1 is 1/10. Infinite, undefined and overflowing
    numbers raise :class:`~chetaev.errors.ModelError`.

    >>> exact_number(0.1)
    Fraction(1, 10)
    >>> exact_number("1/3") is None
    True
    """
    if type(value) is int and -FAR < value < FAR:  # most numbers: nothing can be wrong
        return Fraction(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, numbers.Integral):
        return _bounded(Fraction(int(value)))
    if isinstance(value, numbers.Rational):
        return _bounded(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, numbers.Real) or (
        type(value).__module__ == "numpy" and getattr(value, "shape", 1) == () and value.dtype.kind in "iuf"
    ):
        number = float(value)
        if not math.isfinite(number):
            raise _not_finite(number)
        return Fraction(repr(number))
    return None


def _decimal(value: Decimal) -> Fraction:
    if not value.is_finite():
        raise _not_finite(value)
    text = str(value)
    if len(text) > MAX_DIGITS:
        raise TooLargeError(f"a number has more than {MAX_DIGITS} digits", remedy="write fewer digits")
    number = read_number(text.lstrip("+-"))
    return -number if text.startswith("-") else number


def _bounded(value: Fraction) -> Fraction:
    if abs(value) >= LARGEST:
        raise TooLargeError(
            "the number is larger than double precision can hold (about 1.8e308)",
            remedy="choose other units",
        )
    return value


def _not_finite(value: object) -> ModelError:
    return ModelError(f"{value} is not a finite number", expected="a finite number")
