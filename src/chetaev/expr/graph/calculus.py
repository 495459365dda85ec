"""Derivatives by the engine, results as exact graphs.

CasADi differentiates and shares nodes; its constants are doubles. It folds what has no symbols in it (√2
becomes 1.4142…), divides by a constant by multiplying with the reciprocal, and differentiates 2^x with the
double log 2. Here every constant but powers of two (3, 0.1, pi, √2, sin 1) enters CasADi as a symbol; numbers
there are powers of two, integer exponents and the integers of the differentiation rules. So what comes back
as a graph is exact, and evaluates to any number of digits.

>>> from chetaev.expr.graph.node import call, symbol, number
>>> from fractions import Fraction
>>> x = symbol("x")
>>> calculus = Calculus()
>>> calculus.graphs(calculus.gradient(number(Fraction(1, 3)) * x**number(3), [x]))
[Expr('x^2*(1/3) + (2*x)*(x*(1/3))')]
>>> calculus.graphs(calculus.gradient(call("sqrt", number(2)) * number(2) ** x, [x]))
[Expr('(log(2)*2^x)*sqrt(2)')]
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import casadi

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX, Engine
from chetaev.expr.graph.node import Expr

_SMALL = 2**20
_EXACT_ANYWAY = ("number", "symbol", "constant", "define", "add", "mul", "neg")
"""Of constants CasADi holds exactly, these make constants that it holds exactly."""


def _power_of_two(value: Fraction) -> bool:
    """Whether a number and its reciprocal are doubles: CasADi turns x/c into x·(1/c)."""
    n, d = abs(value.numerator), value.denominator
    return n < _SMALL and d < _SMALL and n & (n - 1) == 0 and d & (d - 1) == 0


class Calculus(Engine):
    """An engine whose results can be read back as exact graphs."""

    def __init__(self) -> None:
        super().__init__()
        self._inputs: dict[str, tuple[SX, Expr]] = {}

    def _make(self, node: Expr) -> SX:
        inexact = node.op == "number" and not _power_of_two(node.value)
        if node.op in ("symbol", "constant") or inexact:
            return self._stand_in(node)
        parts = [self._nodes[a] for a in node.args]
        if node.op == "table":
            return self._table(node, parts[0])
        if node.op not in _EXACT_ANYWAY:
            if all(p.is_constant() for p in parts):
                return self._stand_in(node)
            if node.op == "pow" and parts[0].is_constant():
                return self._stand_in(node.args[0]) ** parts[1]
            if node.op == "div":
                return self.quotient(*parts)
        if node.op == "pow" and node.args[1].op == "number":
            exponent = node.args[1].value
            if exponent.denominator == 1 and abs(exponent) < _SMALL:
                return parts[0] ** int(exponent)
        return super()._make(node)

    def _table(self, node: Expr, u: SX) -> SX:
        """T(u) as T + T′ w + T″ w²/2 + … with w = u − u, which is zero and has the derivatives of u."""
        if u.is_constant():
            return self._stand_in(node)
        w = u - self._stand_in(_HERE)
        result, data, power, factor = self._stand_in(node), node.value, w, Fraction(1)
        for k in range(1, data.degree + 1):
            data, factor = data.derivative(), factor / k
            derivative = self._stand_in(graph.table(data, node.args[0])) * power
            result = result + (derivative if factor == 1 else derivative * self(graph.number(factor)))
            power = power * w
        return result

    def _stand_in(self, node: Expr) -> SX:
        """A new symbol that is read back as this node."""
        name = f"c{len(self._inputs)}"
        self._inputs[name] = (casadi.SX.sym(name), node)
        return self._inputs[name][0]

    def quotient(self, numerator: SX, denominator: SX) -> SX:
        """The quotient of two scalars, exact also where CasADi would round the reciprocal of a constant that
        a derivation has made, such as the 6 in |(1, 2, 1)|² = 6.

        >>> calculus = Calculus()
        >>> x = calculus(graph.symbol("x"))
        >>> calculus.graphs(calculus.quotient(x, casadi.SX(1) + 2 + 3))
        [Expr('x/6')]
        """
        if not denominator.is_constant():
            return numerator / denominator
        divisor = Fraction(float(denominator))
        if numerator.is_constant() and divisor:
            return self(graph.number(Fraction(float(numerator)) / divisor))
        return numerator / self(graph.number(divisor)) if divisor else numerator / denominator

    def graphs(self, column: SX) -> list[Expr]:
        """The entries of a matrix (column by column) as graphs; structural zeros are the number 0."""
        dense = casadi.densify(casadi.SX(column))
        names = list(self._inputs)
        function = casadi.Function("f", [self._inputs[n][0] for n in names], [dense])
        return _read(function, [self._inputs[n][1] for n in names], dense.numel())

    def matrix(self, matrix: SX) -> list[list[Expr]]:
        """A matrix as rows of graphs."""
        return self.matrices(matrix)[0]

    def matrices(self, *matrices: SX) -> list[list[list[Expr]]]:
        """Several matrices as rows of graphs, what they share read once."""
        flat = self.graphs(casadi.vertcat(*(casadi.vec(casadi.densify(casadi.SX(x))) for x in matrices)))
        result, at = [], 0
        for rows, columns in (x.shape for x in matrices):
            part = flat[at : at + rows * columns]
            at += rows * columns
            result.append([[part[i + j * rows] for j in range(columns)] for i in range(rows)])
        return result


_BINARY = {
    casadi.OP_ADD: graph.add, casadi.OP_SUB: graph.sub, casadi.OP_MUL: graph.mul, casadi.OP_DIV: graph.div,
    casadi.OP_POW: graph.power, casadi.OP_CONSTPOW: graph.power,
}  # fmt: skip
_CALLS = {
    casadi.OP_SIN: "sin", casadi.OP_COS: "cos", casadi.OP_TAN: "tan", casadi.OP_ASIN: "asin",
    casadi.OP_ACOS: "acos", casadi.OP_ATAN: "atan", casadi.OP_ATAN2: "atan2", casadi.OP_SINH: "sinh",
    casadi.OP_COSH: "cosh", casadi.OP_TANH: "tanh", casadi.OP_ASINH: "asinh", casadi.OP_ACOSH: "acosh",
    casadi.OP_ATANH: "atanh", casadi.OP_EXP: "exp", casadi.OP_LOG: "log", casadi.OP_SQRT: "sqrt",
    casadi.OP_FABS: "abs", casadi.OP_SIGN: "sign", casadi.OP_FMIN: "min", casadi.OP_FMAX: "max",
}  # fmt: skip
_HERE = graph.symbol("the value of the argument itself")
"""Stands for u in u − u, the displacement of the argument of a table."""
_TWO = graph.number(2)
_HALF = graph.number(Fraction(1, 2))


def _step_function(a: Expr, b: Expr) -> Expr:
    """1 where a ≤ b, 0 where a > b (½ on the kink itself), as the derivatives of min and max need it."""
    return graph.mul(_HALF, graph.add(graph.ONE, graph.call("sign", graph.sub(b, a))))


def _operation(code: int, args: list[Expr]) -> Expr:
    if code in _BINARY:
        return _simple(_BINARY[code], code, args)
    if code in _CALLS:
        return graph.call(_CALLS[code], *args)
    match code:
        case casadi.OP_NEG:
            return graph.neg(args[0])
        case casadi.OP_SQ:
            return graph.power(args[0], _TWO)
        case casadi.OP_TWICE:
            return graph.mul(_TWO, args[0])
        case casadi.OP_INV:
            return graph.div(graph.ONE, args[0])
        case casadi.OP_LE | casadi.OP_LT:
            return _step_function(*args)
        case casadi.OP_NOT:
            return graph.sub(graph.ONE, args[0])
        case casadi.OP_IF_ELSE_ZERO:
            return graph.mul(*args)
        case _:
            raise NotImplementedError(f"CasADi operation {code} has no counterpart in the graph")


def _simple(builder: Any, code: int, args: list[Expr]) -> Expr:
    """Build a node, without what is plain clutter: a + 0, 1·a, 0·a."""
    a, b = args
    if code == casadi.OP_ADD and (a is graph.ZERO or b is graph.ZERO):
        return b if a is graph.ZERO else a
    if code == casadi.OP_SUB and b is graph.ZERO:
        return a
    if code == casadi.OP_SUB and b is _HERE:
        return graph.ZERO
    if code == casadi.OP_MUL:
        if a is graph.ZERO or b is graph.ZERO:
            return graph.ZERO
        if a is graph.ONE or b is graph.ONE:
            return b if a is graph.ONE else a
    return builder(a, b)  # type: ignore[no-any-return]


def _read(function: Any, inputs: list[Expr], count: int) -> list[Expr]:
    """The instructions of a CasADi function as graph nodes."""
    outputs: list[Expr] = [graph.ZERO] * count
    work: dict[int, Expr] = {}
    for k in range(function.n_instructions()):
        code, into, out = (
            function.instruction_id(k),
            function.instruction_input(k),
            function.instruction_output(k),
        )
        if code == casadi.OP_CONST:
            work[out[0]] = graph.number(Fraction(function.instruction_constant(k)))
        elif code == casadi.OP_INPUT:
            work[out[0]] = inputs[into[0]]
        elif code == casadi.OP_OUTPUT:
            outputs[out[1]] = work[into[0]]
        else:
            work[out[0]] = _operation(code, [work[i] for i in into])
    return outputs
