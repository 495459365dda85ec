"""Values of graphs: doubles, over arrays too, and many digits.

One pass over the nodes, each once. The two algebras share the pass and nothing else.

>>> from chetaev.expr.graph.node import symbol, number, call
>>> x = symbol("x")
>>> evaluate([x**number(2), call("sin", x)], {"x": 0.5})
[0.25, 0.479425538604203]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from chetaev.errors import DivisionByZeroError
from chetaev.expr.graph.implicit_number import ImplicitNumber
from chetaev.expr.graph.node import Expr, postorder
from chetaev.expr.graph.table import DataTable

Values = Mapping[Any, Any]


@dataclass(frozen=True)
class NumberSystem:
    """How numbers, constants and operations are carried out."""

    number: Callable[[Any], Any]
    constant: Callable[[Any], Any]
    power: Callable[[Any, Any, Expr], Any]
    function: Callable[[str, Sequence[Any]], Any]
    table: Callable[[DataTable, Any], Any]
    add: Callable[[Any, Any], Any] = lambda a, b: a + b
    multiply: Callable[[Any, Any], Any] = lambda a, b: a * b
    divide: Callable[[Any, Any], Any] = lambda a, b: a / b


def key_name(name: str, order: int) -> str:
    """The name of a derivative in Python and in data sets: x, x_dot, x_ddot."""
    return name + ("", "_dot", "_ddot")[order]


def lookup(values: Values, name: str, order: int) -> Any:
    """The value of a symbol, given under ``(name, order)``, ``"x_dot"`` or ``"x'"``."""
    for key in ((name, order), key_name(name, order), name + "'" * order):
        if key in values:
            return values[key]
    raise KeyError(f"no value for {name + chr(39) * order!r}")


def run(roots: Iterable[Expr], values: Values, algebra: NumberSystem) -> list[Any]:
    """Evaluate graphs in an algebra."""
    roots = list(roots)
    done: dict[Expr, Any] = {}
    add, multiply = algebra.add, algebra.multiply
    for node in postorder(*roots):
        op = node.op
        if op == "symbol":
            done[node] = values[node.value] if node.value in values else lookup(values, *node.value)
        elif op == "mul":
            done[node] = reduce(multiply, [done[a] for a in node.args])
        elif op == "add":
            done[node] = reduce(add, [done[a] for a in node.args])
        else:
            done[node] = _step(node, [done[a] for a in node.args], algebra)
    return [done[r] for r in roots]


def _step(node: Expr, args: list[Any], algebra: NumberSystem) -> Any:
    match node.op:
        case "number":
            return algebra.number(node.value)
        case "constant":
            return algebra.constant(node.value)
        case "define":
            return args[0]
        case "neg":
            return -args[0]
        case "div":
            return algebra.divide(args[0], args[1])
        case "pow":
            return algebra.power(args[0], args[1], node.args[1])
        case "table":
            return algebra.table(node.value, args[0])
        case function:
            return algebra.function(function, args)


# --- doubles, over arrays -------------------------------------------------------------------------

_NUMPY: dict[str, Any] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs,
    "sign": np.sign, "min": np.minimum, "max": np.maximum,
}  # fmt: skip


def _numpy_function(name: str, args: Sequence[Any]) -> Any:
    function = _NUMPY[name]
    return reduce(function, args) if name in ("min", "max") else function(*args)


def _numpy_power(base: Any, exponent: Any, node: Expr) -> Any:
    if node.op == "number" and node.value.denominator == 1:
        return (
            np.power(np.asarray(base, dtype=float), int(node.value))[()]
            if node.value >= 0
            else (1.0 / np.power(np.asarray(base, dtype=float), -int(node.value)))[()]
        )
    return np.power(base, exponent)


def double_of(name: str | ImplicitNumber) -> float:
    """A constant as a double."""
    return name.double if isinstance(name, ImplicitNumber) else math.pi if name == "pi" else math.e


FLOAT = NumberSystem(
    number=float,
    constant=double_of,
    power=_numpy_power,
    function=_numpy_function,
    table=lambda data, u: data.floats(u),
    divide=np.true_divide,
)


def evaluate(roots: Iterable[Expr], values: Values) -> list[Any]:
    """Values in double precision; array values broadcast. Outside its domain a function gives nan."""
    prepared = {k: v if type(v) is float else np.asarray(v, dtype=float)[()] for k, v in values.items()}
    with np.errstate(all="ignore"):
        return [
            np.asarray(r, dtype=float)[()] if np.ndim(r) else float(r) for r in run(roots, prepared, FLOAT)
        ]


# --- many digits ----------------------------------------------------------------------------------


LARGEST_EXPONENT = 2**40
"""Exponentials of more than this are infinite, or 0."""
LARGEST_ANGLE = 2**16
"""Sines of numbers with more binary digits than this before the point are not computed."""


@lru_cache(maxsize=32)
def mp_context(digits: int) -> Any:
    """The mpmath context with so many digits; shared, so its precision must not be changed."""
    from mpmath.ctx_mp import MPContext

    mp = MPContext()
    mp.dps = digits
    return mp


def read_matrix(mp: Any, values: Iterator[Any], rows: int, columns: int) -> Any:
    """The next values as a matrix of mpmath, row by row."""
    matrix = mp.matrix(rows, columns)
    for i in range(rows):
        for j in range(columns):
            matrix[i, j] = next(values)
    return matrix


def keeps_digits(rough: Any, fine: Any) -> bool:
    """Whether a value keeps its leading digits when the precision grows.

    That is the test for zero at a point: the rounding error of a zero, however large, does not.
    """
    return bool(abs(rough - fine) <= 1e-6 * abs(fine))


def evaluate_mp(roots: Iterable[Expr], values: Values, digits: int = 50) -> list[Any]:
    """Values as mpmath numbers with so many digits; where there is none, a DivisionByZeroError.

    >>> from chetaev.expr.graph.node import call, number
    >>> print(evaluate_mp([call("sqrt", number(2))], {}, 30)[0])
    1.41421356237309504880168872421
    """
    algebra = _mp_algebra(digits)
    given = {k: algebra.number(v) for k, v in values.items()}
    try:
        return run(roots, given, algebra)
    except (
        ZeroDivisionError,
        ValueError,
        OverflowError,
        TypeError,
    ) as error:  # mpmath's words for "no value"
        raise DivisionByZeroError(str(error) or "division by zero") from None


@lru_cache(maxsize=32)
def _mp_algebra(digits: int) -> NumberSystem:
    mp = mp_context(digits)

    def convert(value: Any) -> Any:
        if isinstance(value, Fraction):
            return mp.mpf(value.numerator) / value.denominator
        return mp.mpf(value)

    def power(base: Any, exponent: Any, node: Expr) -> Any:
        if node.op == "number" and node.value.denominator == 1:
            return base ** int(node.value)
        if base > 0 and mp.isfinite(base) and mp.isfinite(exponent):
            return grown("exp", exponent * mp.ln(base)) if far(exponent) else base**exponent
        return real(base**exponent)

    def far(x: Any) -> bool:
        """Whether an exponential of this would be out of all bounds."""
        return bool(abs(x) > LARGEST_EXPONENT)

    def grown(name: str, x: Any) -> Any:
        """Limits of exp, sinh, cosh and tanh; mpmath would compute log 2 to as many digits as x has."""
        if not far(x) or not mp.isfinite(x):
            return getattr(mp, name)(x)
        if name in ("tanh", "sinh"):
            return mp.sign(x) * (1 if name == "tanh" else mp.inf)
        return mp.zero if name == "exp" and x < 0 else mp.inf

    def real(value: Any) -> Any:
        return mp.nan if isinstance(value, mp.mpc) else value

    def function(name: str, args: Sequence[Any]) -> Any:
        if name in ("min", "max"):
            return min(args) if name == "min" else max(args)
        if name == "abs":
            return abs(args[0])
        if name in ("exp", "sinh", "cosh", "tanh"):
            return grown(name, args[0])
        if name in ("sin", "cos", "tan") and mp.isfinite(args[0]) and mp.mag(args[0]) > LARGEST_ANGLE:
            return mp.nan
        return real(getattr(mp, "ln" if name == "log" else name)(*args))

    def constant(name: str | ImplicitNumber) -> Any:
        if isinstance(name, ImplicitNumber):
            return mp.ldexp(*name.nearby(mp.prec))
        return +(mp.pi if name == "pi" else mp.e)

    def table(data: DataTable, u: Any) -> Any:
        if not mp.isfinite(u):
            return mp.nan if mp.isnan(u) else convert(data.pieces[0 if u < 0 else -1][0])
        sign, man, exp, _ = u._mpf_
        place = Fraction((-1) ** sign * int(man)) * Fraction(2) ** int(exp)
        return data.at(u, place, convert)

    return NumberSystem(
        number=convert,
        constant=constant,
        power=power,
        function=function,
        table=table,
    )
