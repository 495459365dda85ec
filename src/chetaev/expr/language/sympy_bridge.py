"""To SymPy, for people and proofs, and from SymPy, for those who come with its expressions.

A velocity ``x'`` is the SymPy symbol ``x_dot``, an acceleration ``x_ddot``; all symbols are real. A
definition stays a symbol (its meaning is given by :func:`meanings`), so the size stays linear however deep
they nest.

>>> from chetaev.expr.graph.node import symbol, number
>>> to_sympy(symbol("x", 1) ** number(2) / number(2))
x_dot**2/2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import sympy

from chetaev.errors import DivisionByZeroError, ExpressionError, TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr, ImplicitNumber, definitions
from chetaev.expr.graph.number_range import LARGEST
from chetaev.expr.graph.program import Arithmetic, GraphProgram, key_name
from chetaev.expr.graph.table import DataTable
from chetaev.expr.language.scope import Scope

_TO: dict[str, Any] = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "asin": sympy.asin, "acos": sympy.acos,
    "atan": sympy.atan, "atan2": sympy.atan2, "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh,
    "asinh": sympy.asinh, "acosh": sympy.acosh, "atanh": sympy.atanh, "exp": sympy.exp, "log": sympy.log,
    "sqrt": sympy.sqrt, "abs": sympy.Abs, "sign": sympy.sign, "min": sympy.Min, "max": sympy.Max,
}  # fmt: skip


def sympy_symbol(name: str, order: int = 0) -> sympy.Symbol:
    """The SymPy symbol of a name, its velocity (order 1) or its acceleration (order 2)."""
    return sympy.Symbol(key_name(name, order), real=True)


def to_sympy(expr: Expr, *, expand: bool = False) -> sympy.Expr:
    """The SymPy expression; definitions as symbols, or expanded."""
    return convert([expr], expand=expand)[0]


def convert(roots: Iterable[Expr], *, expand: bool = False) -> list[sympy.Expr]:
    """SymPy expressions of several graphs, shared nodes converted once."""
    program = GraphProgram(roots, through_definitions=expand)
    return program.values(_Sympy(expand), {})


def meanings(*roots: Expr) -> list[tuple[sympy.Symbol, sympy.Expr]]:
    """Symbol and meaning of every definition below the roots; each after those it uses."""
    return [(sympy_symbol(d.value), to_sympy(d.args[0])) for d in definitions(*roots)]


class _Sympy(Arithmetic):
    """SymPy expressions; names of definitions and tables, or what they mean."""

    def __init__(self, expand: bool) -> None:
        self.expand = expand

    def number(self, value: Fraction) -> Any:
        return sympy.Rational(value.numerator, value.denominator)

    def constant(self, name: str | ImplicitNumber) -> Any:
        if isinstance(name, ImplicitNumber):
            return sympy.Float(name.double)
        return sympy.pi if name == "pi" else sympy.E

    def symbol(self, name: str, order: int) -> Any:
        return sympy_symbol(name, order)

    def definition(self, name: str, meaning: Any) -> Any:
        return meaning if self.expand else sympy_symbol(name)

    def sum(self, terms: Sequence[Any]) -> Any:
        return sympy.Add(*terms)

    def product(self, factors: Sequence[Any]) -> Any:
        return sympy.Mul(*factors)

    def power(self, base: Any, exponent: Any, written: Fraction | None) -> Any:
        return sympy.Pow(base, exponent)

    def function(self, name: str, args: Sequence[Any]) -> Any:
        return _TO[name](*args)

    def table(self, data: DataTable, u: Any) -> Any:
        return _pieces(data, u) if self.expand else sympy.Function(data.label)(u)


def _pieces(table: DataTable, u: sympy.Expr) -> sympy.Expr:
    """A table of data as the piecewise polynomial that it is; a piece ends before the next knot."""

    def exact(x: Fraction) -> sympy.Rational:
        return sympy.Rational(x.numerator, x.denominator)

    values = [
        sum((exact(c) * (u - exact(origin)) ** k for k, c in enumerate(piece)), sympy.Integer(0))
        for origin, piece in zip(table.origins, table.pieces, strict=True)
    ]
    conditions = [*(u < exact(knot) for knot in table.knots), True]
    return sympy.Piecewise(*zip(values, conditions, strict=True))


# --- from SymPy -----------------------------------------------------------------------------------

_FROM: dict[Any, str] = {
    v: k for k, v in _TO.items() if k != "sqrt"
}  # fmt: skip
_RECIPROCAL = {sympy.cot: "tan", sympy.sec: "cos", sympy.csc: "sin", sympy.coth: "tanh", sympy.sech: "cosh",
               sympy.csch: "sinh"}  # fmt: skip


def from_sympy(expression: Any, scope: Scope) -> Expr:
    """The graph of a SymPy expression.

    Coordinates may stand as symbols (``x``, ``x_dot``), or as functions of time (``dynamicsymbols``), with
    their derivatives as SymPy writes them.

    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> x, t = dynamicsymbols("x"), dynamicsymbols._t
    >>> from_sympy(x.diff(t)**2/2, Scope.of(coordinates=["x"]))
    Expr("x'^2/2")
    """
    try:
        root = sympy.sympify(expression, strict=True)  # strict: a text is refused, never read
    except sympy.SympifyError:
        raise ExpressionError(
            f"an expression was expected, not a value of type {type(expression).__name__}",
            expected="a SymPy expression",
        ) from None
    try:
        return _graph(root, scope)
    except DivisionByZeroError:
        raise ExpressionError("division by zero", remedy="a denominator is the number 0") from None
    except RecursionError:  # SymPy's own methods recurse
        raise TooLargeError(
            "the SymPy expression nests too deep for SymPy", remedy="write it as text, with define"
        ) from None


def _graph(root: Any, scope: Scope) -> Expr:
    done: dict[Any, Expr] = {}
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if node in done:
            continue
        leaf = _leaf(node, scope)
        if leaf is not None:
            done[node] = leaf
        elif ready:
            done[node] = _inner(node, lambda a: done[a])
        else:
            stack.append((node, True))
            stack.extend((a, False) for a in node.args)
    return done[root]


def _leaf(node: Any, scope: Scope) -> Expr | None:
    if not isinstance(node, sympy.Expr):
        raise ExpressionError(f"{node} is not a scalar expression", expected="a SymPy expression")
    if node.is_Number:
        return _number(node)
    if node is sympy.pi or node is sympy.E:
        return graph.PI if node is sympy.pi else graph.E
    if isinstance(node, sympy.Symbol):
        return scope.resolve(node.name, 0)
    if isinstance(node, sympy.core.function.AppliedUndef):
        return _function_of_time(node, 0, scope)
    if isinstance(node, sympy.Derivative):
        return _derivative(node, scope)
    return None


def _function_of_time(node: Any, order: int, scope: Scope) -> Expr:
    if len(node.args) != 1 or not isinstance(node.args[0], sympy.Symbol):
        raise ExpressionError(
            f"{node} is not a coordinate", expected="functions of time alone, as dynamicsymbols makes them"
        )
    return scope.resolve(node.func.__name__, order)


def _derivative(node: Any, scope: Scope) -> Expr:
    inner, order = node.expr, sum(n for _, n in node.variable_count)
    variables = {v for v, _ in node.variable_count}
    if not isinstance(inner, sympy.core.function.AppliedUndef) or variables != set(inner.args):
        raise ExpressionError(
            f"the derivative {node} is not carried out",
            expected="derivatives of coordinates with respect to time only",
            remedy="call .doit() on the expression first",
        )
    return _function_of_time(inner, int(order), scope)


def _number(node: Any) -> Expr:
    if not node.is_finite:
        raise ExpressionError(f"{node} is not a finite real number")
    if node.is_Rational:
        return graph.number(Fraction(int(node.p), int(node.q)))
    # The size before any conversion: the decimal may have a billion digits.
    if not node.is_zero and abs(mpmath.mag(node.num)) > 1100:
        raise TooLargeError("a number is outside the range of double precision", remedy="choose other units")
    nearest, exact = float(node), sympy.Rational(node)
    decimal = repr(nearest) if (exact.p, exact.q) == nearest.as_integer_ratio() else str(node)
    return graph.number(Fraction(decimal))


def _inner(node: Any, value: Callable[[Any], Expr]) -> Expr:
    if node.is_Add:
        return _sum(
            [value(a) for a in node.as_ordered_terms()] if len(node.args) < 60 else map(value, node.args)
        )
    if node.is_Mul:
        return _product(node, value)
    if node.is_Pow:
        return _power(value(node.base), node.exp, value)
    if isinstance(node, sympy.exp):
        return graph.call("exp", value(node.args[0]))
    if node.func in _FROM:
        return graph.call(_FROM[node.func], *(value(a) for a in node.args))
    if node.func in _RECIPROCAL:
        return graph.div(graph.ONE, graph.call(_RECIPROCAL[node.func], value(node.args[0])))
    raise ExpressionError(
        f"{node.func.__name__} has no counterpart in the model language",
        expected="arithmetic and " + ", ".join(graph.FUNCTIONS),
    )


def _sum(terms: Iterable[Expr]) -> Expr:
    return graph.add(*terms)


def _product(node: Any, value: Callable[[Any], Expr]) -> Expr:
    above: list[Expr] = []
    below: list[Expr] = []
    negative = False
    for factor in node.args:
        if factor.is_Rational and max(abs(factor.p), factor.q) < LARGEST:
            negative ^= bool(factor < 0)
            above += [graph.number(abs(int(factor.p)))] if abs(factor.p) != 1 else []
            below += [graph.number(int(factor.q))] if factor.q != 1 else []
        elif factor.is_Pow and factor.exp.is_Rational and factor.exp < 0:
            below.append(_power(value(factor.base), -factor.exp, value))
        else:
            above.append(value(factor))
    result = graph.mul(*above)
    if below:
        result = graph.div(result, graph.mul(*below))
    return graph.neg(result) if negative else result


def _power(base: Expr, exponent: Any, value: Callable[[Any], Expr]) -> Expr:
    if base is graph.E:
        return graph.call("exp", value(exponent))
    if exponent == sympy.Rational(1, 2):
        return graph.call("sqrt", base)
    if exponent == 1:
        return base
    if exponent.is_Rational and exponent < 0:
        return graph.div(graph.ONE, _power(base, -exponent, value))
    number = (
        graph.number(Fraction(int(exponent.p), int(exponent.q))) if exponent.is_Rational else value(exponent)
    )
    return graph.power(base, number)
