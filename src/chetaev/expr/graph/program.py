"""A straight-line program, and the number systems in which it runs.

A :class:`GraphProgram` is a graph laid out once as a list of steps, each of one operation on the results of
earlier ones. What numbers, sums and sines are is said by an :class:`Arithmetic`: doubles and arrays of them,
numbers of many digits, balls, residues modulo a prime, power series, elements of a field, CasADi and SymPy
nodes. Slopes come with the values by the chain rule, in any arithmetic that has the functions:

    ẋ_k = Σ_i ∂f_k/∂x_i ẋ_i      for a step x_k = f_k(x_i, …), i < k.

>>> from fractions import Fraction
>>> from chetaev.expr.graph.evaluate import DOUBLES
>>> from chetaev.expr.graph.node import call, symbol
>>> x = symbol("x")
>>> program = GraphProgram([x * x + Fraction(1, 2), call("cos", x) * x])
>>> program.values(DOUBLES, {("x", 0): 3.0})[0]
9.5
>>> values, rows = program.slopes(DOUBLES, {("x", 0): 0.0}, [("x", 0)])
>>> [float(row[0]) for row in rows]
[0.0, 1.0]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from chetaev.expr.graph.node import Expr, ImplicitNumber, postorder
from chetaev.expr.graph.table import DataTable

Name = tuple[str, int]
"""A symbol: its name, and 0, 1 or 2 for itself, its velocity, its acceleration."""
Values = Mapping[Any, Any]


def key_name(name: str, order: int) -> str:
    """The name of a derivative in Python and in data sets: x, x_dot, x_ddot."""
    return name + ("", "_dot", "_ddot")[order]


def lookup(values: Values, name: str, order: int) -> Any:
    """The value of a symbol, given under ``(name, order)``, ``"x_dot"`` or ``"x'"``."""
    for key in ((name, order), key_name(name, order), name + "'" * order):
        if key in values:
            return values[key]
    raise KeyError(f"no value for {name + chr(39) * order!r}")


def whole(exponent: Any) -> int | None:
    """The whole number that an exponent is written as; None for others."""
    return int(exponent) if isinstance(exponent, Fraction) and exponent.denominator == 1 else None


Operation = Callable[[Sequence[Any], Any], Any]
"""From arguments and what a step carries to its result."""


class _Operations(dict[str, Operation]):
    """Operations, each made when the first step needs it."""

    def __init__(self, make: Callable[[str], Operation]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, op: str) -> Operation:
        found = self[op] = self.make(op)
        return found


class Arithmetic(ABC):
    """What numbers and operations are in one number system; + − · / are Python's unless it says more."""

    @abstractmethod
    def number(self, value: Fraction) -> Any:
        """An exact number."""

    @abstractmethod
    def constant(self, name: str | ImplicitNumber) -> Any:
        """π, e, or a number that is known by what it solves."""

    @abstractmethod
    def function(self, name: str, args: Sequence[Any]) -> Any:
        """A function of the language."""

    @abstractmethod
    def power(self, base: Any, exponent: Any, written: Fraction | None) -> Any:
        """A power; the exponent also as it is written, if it is written as a number."""

    @abstractmethod
    def table(self, data: DataTable, u: Any) -> Any:
        """The value of a table of data."""

    def symbol(self, name: str, order: int) -> Any:
        """A symbol that has no value."""
        raise KeyError(f"no value for {name + chr(39) * order!r}")

    def definition(self, name: str, meaning: Any) -> Any:
        """A definition by its meaning."""
        return meaning

    def sum(self, terms: Sequence[Any]) -> Any:
        """The sum of two or more terms."""
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    def product(self, factors: Sequence[Any]) -> Any:
        """The product of two or more factors."""
        total = factors[0]
        for factor in factors[1:]:
            total = total * factor
        return total

    def negative(self, a: Any) -> Any:
        """−a."""
        return -a

    def quotient(self, a: Any, b: Any) -> Any:
        """a/b."""
        return a / b

    def operation(self, op: str) -> Operation:
        """What a step with this operation does."""
        match op:
            case "mul":
                return lambda args, _: self.product(args)
            case "add":
                return lambda args, _: self.sum(args)
            case "number":
                return lambda _, value: self.number(value)
            case "neg":
                return lambda args, _: self.negative(args[0])
            case "pow":
                return lambda args, written: self.power(args[0], args[1], written)
            case "div":
                return lambda args, _: self.quotient(args[0], args[1])
            case "define":
                return lambda args, name: self.definition(name, args[0] if args else None)
            case "symbol":
                return lambda _, name: self.symbol(*name)
            case "constant":
                return lambda _, name: self.constant(name)
            case "table":
                return lambda args, data: self.table(data, args[0])
            case name:
                return lambda args, _: self.function(name, args)

    @cached_property
    def operations(self) -> dict[str, Operation]:
        """What steps do, by their operations."""
        return _Operations(self.operation)

    def step(self, op: str, args: Sequence[Any], value: Any) -> Any:
        """The result of one step."""
        return self.operations[op](args, value)

    # -- derivatives of one step, from its arguments and its result ------------------------------------
    def partials(self, op: str, a: list[Any], r: Any, value: Any, wanted: Sequence[bool]) -> list[Any]:
        """The derivatives with respect to its arguments; anything where one is not wanted."""
        one = self.number(Fraction(1))
        match op:
            case "add" | "define":
                return [one] * len(a)
            case "neg":
                return [-one]
            case "mul":
                return [self.product([one, *a[:i], *a[i + 1 :]]) if w else one for i, w in enumerate(wanted)]
            case "div":
                return [self.quotient(one, a[1]), self.quotient(-r, a[1])]
            case "pow":
                lower = None if value is None else value - 1
                first = a[1] * self.power(a[0], a[1] - 1, lower) if wanted[0] else one
                return [first, r * self.function("log", [a[0]]) if wanted[1] else one]
            case "atan2":
                square = a[0] * a[0] + a[1] * a[1]
                return [self.quotient(a[1], square), self.quotient(-a[0], square)]
            case "min" | "max":
                return self.shares(a, r)
            case "table":
                return [self.table(value.derivative(), a[0])]
            case name:
                return [self.slope(name, a[0], r)]

    def shares(self, a: list[Any], r: Any) -> list[Any]:
        """The derivatives of min or max: 1 for the argument that it is."""
        raise NotImplementedError("no derivatives of min and max in these numbers")

    def slope(self, name: str, u: Any, r: Any) -> Any:
        """f′(u), where r = f(u)."""
        one = self.number(Fraction(1))
        match name:
            case "sin":
                return self.function("cos", [u])
            case "cos":
                return -self.function("sin", [u])
            case "tan":
                return one + r * r
            case "exp":
                return r
            case "log":
                return self.quotient(one, u)
            case "sqrt":
                return self.quotient(one, 2 * r)
            case "sinh":
                return self.function("cosh", [u])
            case "cosh":
                return self.function("sinh", [u])
            case "tanh":
                return one - r * r
            case "abs":
                return self.function("sign", [u])
            case "sign":
                return self.number(Fraction(0))
        square = u * u
        match name:
            case "atan":
                return self.quotient(one, one + square)
            case "atanh":
                return self.quotient(one, one - square)
            case "asinh" | "acosh":
                inside = square + one if name == "asinh" else square - one
                return self.quotient(one, self.function("sqrt", [inside]))
        root = self.quotient(one, self.function("sqrt", [one - square]))
        return root if name == "asin" else -root


class GraphProgram:
    """Graphs laid out as a list of steps: the operation, the places of its arguments, and what it carries.

    That is the number of a ``number``, the name of a ``symbol``, the table of a ``table``, and the exponent
    of a ``pow`` if it is written as a number.
    """

    def __init__(self, roots: Iterable[Expr], *, through_definitions: bool = True) -> None:
        roots = list(roots)
        place: dict[Expr, int] = {}
        self.steps: list[tuple[str, tuple[int, ...], Any]] = []
        for node in postorder(*roots, through_definitions=through_definitions):
            inside = node.args if through_definitions or node.op != "define" else ()
            place[node] = len(self.steps)
            self.steps.append((node.op, tuple([place[a] for a in inside]), carried(node)))
        self.outputs = [place[r] for r in roots]

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def names(self) -> list[Name]:
        """The symbols that occur."""
        return [value for op, _, value in self.steps if op == "symbol"]

    @property
    def numbers(self) -> set[Fraction]:
        """The numbers that occur."""
        return {value for op, _, value in self.steps if op == "number"}

    def values(self, arithmetic: Arithmetic, at: Values) -> list[Any]:
        """The values of the graphs."""
        done = self._all(arithmetic, at)
        return [done[i] for i in self.outputs]

    def _all(self, arithmetic: Arithmetic, at: Values) -> list[Any]:
        done: list[Any] = []
        put, operations = done.append, arithmetic.operations
        for op, args, value in self.steps:
            if op == "symbol" and at:
                put(at[value] if value in at else lookup(at, *value))
            elif len(args) == 2:  # most steps; a loop over the arguments would take as long as the step
                put(operations[op]((done[args[0]], done[args[1]]), value))
            else:
                put(operations[op]([done[i] for i in args], value))
        return done

    def slopes(
        self, arithmetic: Arithmetic, at: Values, names: Sequence[Name]
    ) -> tuple[list[Any], list[list[Any]]]:
        """The values of the graphs and their derivatives with respect to some symbols (rows: graphs)."""
        done = self._all(arithmetic, at)
        places = {n: j for j, n in enumerate(names)}
        slopes: list[dict[int, Any]] = []
        for (op, args, value), result in zip(self.steps, done, strict=True):
            gradient: dict[int, Any] = {}
            if op == "symbol" and value in places:
                gradient[places[value]] = arithmetic.number(Fraction(1))
            wanted = [bool(slopes[i]) for i in args]
            if any(wanted):
                partials = arithmetic.partials(op, [done[i] for i in args], result, value, wanted)
                for i, factor in zip(args, partials, strict=True):
                    for j, slope in slopes[i].items():
                        term = factor * slope
                        gradient[j] = gradient[j] + term if j in gradient else term
            slopes.append(gradient)
        zero = arithmetic.number(Fraction(0))
        rows = [[slopes[i].get(j, zero) for j in range(len(names))] for i in self.outputs]
        return [done[i] for i in self.outputs], rows


def carried(node: Expr) -> Any:
    """What the step of a node carries beside its arguments."""
    if node.op == "pow":
        exponent = node.args[1]
        return exponent.value if exponent.op == "number" else None
    return node.value


@lru_cache(maxsize=64)
def _laid_out(roots: tuple[Expr, ...]) -> GraphProgram:
    """The program of graphs; they are often evaluated at many points, one after the other."""
    return GraphProgram(roots)


def run(roots: Iterable[Expr], arithmetic: Arithmetic, at: Values) -> list[Any]:
    """The values of graphs."""
    return _laid_out(tuple(roots)).values(arithmetic, at)
