"""Values of graphs: doubles, over arrays too, and many digits.

>>> from chetaev.expr.graph.node import symbol, number, call
>>> x = symbol("x")
>>> evaluate([x**number(2), call("sin", x)], {"x": 0.5})
[0.25, 0.479425538604203]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from operator import truediv
from typing import Any

import numpy as np

from chetaev.errors import DivisionByZeroError
from chetaev.expr.graph.node import Expr, ImplicitNumber
from chetaev.expr.graph.program import Arithmetic, Values, key_name, lookup, run, whole
from chetaev.expr.graph.table import DataTable

__all__ = [
    "DOUBLES", "Doubles", "double_of", "evaluate", "evaluate_mp", "keeps_digits", "key_name", "lookup",
    "mp_context", "read_matrix",
]  # fmt: skip

_NUMPY: dict[str, Any] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs,
    "sign": np.sign, "min": np.minimum, "max": np.maximum,
}  # fmt: skip


def double_of(name: str | ImplicitNumber) -> float:
    """A constant as a double."""
    return name.double if isinstance(name, ImplicitNumber) else math.pi if name == "pi" else math.e


class Doubles(Arithmetic):
    """Doubles and arrays of them. Outside its domain a function gives nan."""

    def number(self, value: Fraction) -> Any:
        """The nearest double."""
        return float(value)

    def constant(self, name: str | ImplicitNumber) -> Any:
        """The nearest double."""
        return double_of(name)

    def quotient(self, a: Any, b: Any) -> Any:
        """a/b, with infinities."""
        return np.true_divide(a, b)

    def power(self, base: Any, exponent: Any, written: Fraction | None) -> Any:
        """Whole powers for any base."""
        n = whole(written)
        if n is None:
            return np.power(base, exponent)
        up = np.power(np.asarray(base, dtype=float), abs(n))
        return up[()] if n >= 0 else (1.0 / up)[()]

    def function(self, name: str, args: Sequence[Any]) -> Any:
        """Functions of NumPy."""
        return reduce(_NUMPY[name], args) if name in ("min", "max") else _NUMPY[name](*args)

    def table(self, data: DataTable, u: Any) -> Any:
        """Values over arrays."""
        return data.floats(u)


DOUBLES = Doubles()


def evaluate(roots: Iterable[Expr], values: Values) -> list[Any]:
    """Values in double precision; array values broadcast. Outside its domain a function gives nan."""
    prepared = {k: v if type(v) is float else np.asarray(v, dtype=float)[()] for k, v in values.items()}
    with np.errstate(all="ignore"):
        found = run(roots, DOUBLES, prepared)
    return [np.asarray(r, dtype=float)[()] if np.ndim(r) else float(r) for r in found]


# --- many digits ----------------------------------------------------------------------------------


LARGEST_EXPONENT = 2**40
"""Exponentials of more than this are infinite, or 0."""
LARGEST_ANGLE = 2**16
"""Sines of numbers with more binary digits than this before the point are not computed."""


@lru_cache(maxsize=32)
def mp_context(digits: int) -> Any:
    """The mpmath context with so many digits; shared, so its precision must not be changed."""
    from mpmath import MPContext

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
    arithmetic = _ManyDigits(digits)
    given = {k: arithmetic.number(v) for k, v in values.items()}
    return run(roots, arithmetic, given)


def _of_mpmath(function: Callable[..., Any], *args: Any) -> Any:
    """A value by mpmath, which says by several exceptions that there is none."""
    try:
        return function(*args)
    except (ZeroDivisionError, ValueError, OverflowError, TypeError) as error:
        raise DivisionByZeroError(str(error) or "division by zero") from None


class _ManyDigits(Arithmetic):
    """Numbers of mpmath with so many digits."""

    def __init__(self, digits: int) -> None:
        self.mp = mp_context(digits)

    def number(self, value: Any) -> Any:
        if isinstance(value, Fraction):
            return self.mp.mpf(value.numerator) / value.denominator
        return self.mp.mpf(value)

    def constant(self, name: str | ImplicitNumber) -> Any:
        if isinstance(name, ImplicitNumber):
            return self.mp.ldexp(*name.nearby(self.mp.prec))
        return +(self.mp.pi if name == "pi" else self.mp.e)

    def power(self, base: Any, exponent: Any, written: Fraction | None) -> Any:
        mp, n = self.mp, whole(written)
        if n is not None:
            return _of_mpmath(pow, base, n)
        if base > 0 and mp.isfinite(base) and mp.isfinite(exponent):
            far = abs(exponent) > LARGEST_EXPONENT
            return self._grown("exp", exponent * mp.ln(base)) if far else base**exponent
        return self._real(_of_mpmath(pow, base, exponent))

    def quotient(self, a: Any, b: Any) -> Any:
        return _of_mpmath(truediv, a, b)

    def function(self, name: str, args: Sequence[Any]) -> Any:
        mp, u = self.mp, args[0]
        if name in ("min", "max"):
            return min(args) if name == "min" else max(args)
        if name == "abs":
            return abs(u)
        if name in ("exp", "sinh", "cosh", "tanh"):
            return self._grown(name, u)
        if name in ("sin", "cos", "tan") and mp.isfinite(u) and mp.mag(u) > LARGEST_ANGLE:
            return mp.nan
        return self._real(_of_mpmath(getattr(mp, "ln" if name == "log" else name), *args))

    def table(self, data: DataTable, u: Any) -> Any:
        if not self.mp.isfinite(u):
            return self.mp.nan if self.mp.isnan(u) else self.number(data.pieces[0 if u < 0 else -1][0])
        mantissa, exponent = u.man_exp  # of the size
        place = Fraction(abs(int(mantissa))) * Fraction(2) ** int(exponent)
        return data.at(u, -place if u < 0 else place, self.number)

    def _real(self, value: Any) -> Any:
        return self.mp.nan if isinstance(value, self.mp.mpc) else value

    def _grown(self, name: str, x: Any) -> Any:
        """Limits of exp, sinh, cosh and tanh; mpmath would compute log 2 to as many digits as x has."""
        mp = self.mp
        if abs(x) <= LARGEST_EXPONENT or not mp.isfinite(x):
            return _of_mpmath(getattr(mp, name), x)
        if name in ("tanh", "sinh"):
            return mp.sign(x) * (1 if name == "tanh" else mp.inf)
        return mp.zero if name == "exp" and x < 0 else mp.inf
