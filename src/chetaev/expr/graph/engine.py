"""The number engine: CasADi's scalar graph, for automatic differentiation and compilation.

A graph becomes CasADi ``SX`` nodes one for one; shared nodes and definitions stay shared. Derivatives
come from CasADi (reverse mode for gradients, forward mode for directional derivatives), so a gradient
costs a small multiple of the function however many variables it has.

>>> from chetaev.expr.graph.node import symbol, number
>>> x, y = symbol("x"), symbol("y")
>>> engine = Engine()
>>> f = engine.function([x, y], [engine.gradient(x**number(2) * y, [x, y])])
>>> [float(v) for v in f(3.0, 2.0).elements()]
[12.0, 9.0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import casadi

from chetaev.expr.graph.evaluate import double_of
from chetaev.expr.graph.node import Expr, ImplicitNumber, postorder
from chetaev.expr.graph.program import Arithmetic, carried, key_name
from chetaev.expr.graph.table import DataTable

SX = Any  # casadi ships no type information


# CasADi's operations by their numbers make the same nodes as ``a * b`` and ``casadi.sin(a)`` ten times as
# fast: its Python operators look first whether an operand is a matrix of SciPy or NumPy.


def unary(number: int) -> Callable[[Any], Any]:
    """The function of one argument with this number."""
    return partial(casadi.SX.unary, number)


def binary(number: int) -> Callable[[Any, Any], Any]:
    """The operation on two arguments with this number."""
    return partial(casadi.SX.binary, number)


plus = binary(casadi.OP_ADD)
minus = binary(casadi.OP_SUB)
times = binary(casadi.OP_MUL)
over = binary(casadi.OP_DIV)
power = binary(casadi.OP_POW)
atan2 = binary(casadi.OP_ATAN2)
fmin = binary(casadi.OP_FMIN)
fmax = binary(casadi.OP_FMAX)
fabs = unary(casadi.OP_FABS)


class Engine:
    """CasADi nodes of expression graphs; each graph node is converted once."""

    def __init__(self) -> None:
        self._nodes: dict[Expr, SX] = {}

    def __call__(self, expr: Expr) -> SX:
        """The CasADi node of an expression."""
        return self.convert([expr])[0]

    def convert(self, roots: Iterable[Expr]) -> list[SX]:
        """The CasADi nodes of several expressions."""
        roots = list(roots)
        for node in postorder(*roots):
            if node not in self._nodes:
                self._nodes[node] = self._make(node)
        return [self._nodes[r] for r in roots]

    def _make(self, node: Expr) -> SX:
        """The CasADi node of a graph node whose arguments are converted already."""
        return NODES.step(node.op, [self._nodes[a] for a in node.args], carried(node))

    def gradient(self, expr: Expr | SX, wrt: Sequence[Expr]) -> SX:
        """The gradient column of a scalar with respect to symbols, by reverse mode."""
        scalar = self(expr) if isinstance(expr, Expr) else expr
        return casadi.gradient(scalar, self.column(wrt))

    def jacobian(self, exprs: Sequence[Expr] | SX, wrt: Sequence[Expr]) -> SX:
        """The Jacobian matrix with respect to symbols."""
        rows = exprs if isinstance(exprs, casadi.SX) else self.column(exprs)
        return casadi.jacobian(rows, self.column(wrt))

    def directional(self, exprs: Sequence[Expr] | SX, wrt: Sequence[Expr], direction: SX) -> SX:
        """The derivative of a column along a direction, by forward mode."""
        rows = exprs if isinstance(exprs, casadi.SX) else self.column(exprs)
        return casadi.jtimes(rows, self.column(wrt), direction)

    def is_linear(self, expr: Expr, wrt: Sequence[Expr]) -> bool:
        """Whether an expression is affine in symbols, by its structure."""
        return is_linear(self(expr), self.column(wrt))

    def is_linear_column(self, column: SX, wrt: Sequence[Expr]) -> bool:
        """Whether every entry of a column is affine in symbols, by its structure."""
        return is_linear(column, self.column(wrt))

    def stack(self, *columns: SX) -> SX:
        """Columns one below the other."""
        full = [column for column in columns if column.numel()]
        return full[0] if len(full) == 1 else casadi.vertcat(*columns)

    def column(self, exprs: Sequence[Expr]) -> SX:
        """Several expressions as one column."""
        nodes = self.convert(exprs)
        return nodes[0] if len(nodes) == 1 else casadi.vertcat(*nodes) if nodes else casadi.SX(0, 1)

    def function(self, inputs: Sequence[Expr | Sequence[Expr]], outputs: Sequence[SX]) -> Any:
        """A CasADi function; an input is a symbol, or a list of symbols given as one column."""
        ins = [self(i) if isinstance(i, Expr) else self.column(i) for i in inputs]
        return casadi.Function("f", ins, list(outputs))


_STEPS = (casadi.OP_SIGN, casadi.OP_LT, casadi.OP_LE, casadi.OP_EQ, casadi.OP_NE)


def is_linear(column: SX, wrt: SX) -> bool:
    """Whether functions are affine in symbols, by their structure.

    CasADi looks at derivatives, and sign(x) has the derivative 0 without being constant.

    >>> x, y = casadi.SX.sym("x"), casadi.SX.sym("y")
    >>> [is_linear(e, x) for e in (x * y, casadi.sign(x), x * casadi.sign(y), casadi.fabs(x))]
    [True, False, True, False]
    """
    if not casadi.is_linear(column, wrt):
        return False
    f = casadi.Function("f", [wrt], [column], {"allow_free": True})
    moving: set[int] = set()
    for k in range(f.n_instructions()):
        op, outputs = f.instruction_id(k), f.instruction_output(k)
        if op == casadi.OP_INPUT:
            moving.update(outputs)
        elif op in (casadi.OP_CONST, casadi.OP_PARAMETER) or moving.isdisjoint(f.instruction_input(k)):
            moving.difference_update(outputs)
        elif op in _STEPS:
            return False
        elif op != casadi.OP_OUTPUT:
            moving.update(outputs)
    return True


def _balanced(given: Sequence[SX], combine: Any) -> SX:
    terms = list(given)
    while len(terms) > 1:
        pairs = [combine(a, b) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(pairs) * 2 :]
    return terms[0]


def piecewise(table: DataTable, u: SX) -> SX:
    """A table of data: coefficients chosen by comparisons, then a polynomial."""
    knots, origins, rows = table.arrays
    above = [casadi.SX(float(k)) <= u for k in knots]

    def chosen(low: int, high: int, of: Any) -> SX:
        if high - low == 1:
            return casadi.SX(float(of[low]))
        middle = (low + high) // 2
        return casadi.if_else(above[middle - 1], chosen(middle, high, of), chosen(low, middle, of))

    x = u - chosen(0, len(rows), origins)
    result = casadi.SX(0)
    for k in reversed(range(rows.shape[1])):
        result = result * x + chosen(0, len(rows), rows[:, k])
    return result


_FUNCTIONS: dict[str, Any] = {
    "sin": unary(casadi.OP_SIN), "cos": unary(casadi.OP_COS), "tan": unary(casadi.OP_TAN),
    "asin": unary(casadi.OP_ASIN), "acos": unary(casadi.OP_ACOS), "atan": unary(casadi.OP_ATAN),
    "sinh": unary(casadi.OP_SINH), "cosh": unary(casadi.OP_COSH), "tanh": unary(casadi.OP_TANH),
    "asinh": unary(casadi.OP_ASINH), "acosh": unary(casadi.OP_ACOSH), "atanh": unary(casadi.OP_ATANH),
    "exp": unary(casadi.OP_EXP), "log": unary(casadi.OP_LOG), "sqrt": unary(casadi.OP_SQRT),
    "sign": unary(casadi.OP_SIGN),
    "abs": fabs, "atan2": atan2,
}  # fmt: skip


class _Nodes(Arithmetic):
    """CasADi's scalar nodes."""

    def number(self, value: Fraction) -> SX:
        return casadi.SX(float(value))

    def constant(self, name: str | ImplicitNumber) -> SX:
        return casadi.SX(double_of(name))

    def symbol(self, name: str, order: int) -> SX:
        return casadi.SX.sym(key_name(name, order))

    def sum(self, terms: Sequence[SX]) -> SX:
        return _balanced(terms, plus)

    def product(self, factors: Sequence[SX]) -> SX:
        return _balanced(factors, times)

    def quotient(self, a: SX, b: SX) -> SX:
        return over(a, b)

    def power(self, base: SX, exponent: SX, written: Fraction | None) -> SX:
        return power(base, exponent)

    def function(self, name: str, args: Sequence[SX]) -> SX:
        if name in ("min", "max"):
            return _balanced(args, fmin if name == "min" else fmax)
        return _FUNCTIONS[name](*args)

    def table(self, data: DataTable, u: SX) -> SX:
        return piecewise(data, u)


NODES = _Nodes()
