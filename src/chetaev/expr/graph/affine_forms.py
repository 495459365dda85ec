"""Affine forms as numbers: f = A v + b for functions that are affine in the velocities, at one t and q.

One pass over the graphs in affine forms; no derivative is taken and nothing is compiled. What
is not affine by its structure, or not finite, is left to the number engine.

>>> from chetaev.expr.graph.node import symbol
>>> x, y = symbol("x", 1), symbol("y", 1)
>>> affine_forms([x - symbol("R") * y], ["x", "y"], {("R", 0): 0.5})
(array([[ 1. , -0.5]]), array([0.]))
>>> affine_forms([x * y], ["x", "y"], {}) is None
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from chetaev.expr.graph.evaluate import Doubles
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.program import run

Array = npt.NDArray[np.float64]


class _NotAffineError(Exception):
    """Something that is not affine by its structure."""


class _Form:
    """A number plus multiples of velocities."""

    __slots__ = ("rest", "slopes")

    def __init__(self, rest: Any, slopes: dict[int, Any]) -> None:
        self.rest, self.slopes = rest, slopes

    def __add__(self, other: Any) -> _Form:
        if not isinstance(other, _Form):
            return _Form(self.rest + other, self.slopes)
        slopes = dict(self.slopes)
        for i, slope in other.slopes.items():
            slopes[i] = slopes[i] + slope if i in slopes else slope
        return _Form(self.rest + other.rest, slopes)

    __radd__ = __add__

    def __mul__(self, other: Any) -> _Form:
        if isinstance(other, _Form):
            raise _NotAffineError
        return _Form(self.rest * other, {i: slope * other for i, slope in self.slopes.items()})

    __rmul__ = __mul__

    def __neg__(self) -> _Form:
        return _Form(-self.rest, {i: -slope for i, slope in self.slopes.items()})


class _Forms(Doubles):
    """Doubles and forms; what is not affine by its structure is refused."""

    def quotient(self, a: Any, b: Any) -> Any:
        if isinstance(b, _Form):
            raise _NotAffineError
        over = super().quotient
        if isinstance(a, _Form):
            return _Form(over(a.rest, b), {i: over(s, b) for i, s in a.slopes.items()})
        return over(a, b)

    def power(self, base: Any, exponent: Any, written: Fraction | None) -> Any:
        _expect_numbers(base, exponent)
        return super().power(base, exponent, written)

    def function(self, name: str, args: Sequence[Any]) -> Any:
        _expect_numbers(*args)
        return super().function(name, args)


def _expect_numbers(*args: Any) -> None:
    if any(isinstance(a, _Form) for a in args):
        raise _NotAffineError


def affine_forms(
    exprs: Sequence[Expr], coordinates: Sequence[str], values: Mapping[tuple[str, int], float]
) -> tuple[Array, Array] | None:
    """A and b with f = A v + b for functions f of the velocities v of these coordinates, or None.

    `values` has numbers for all other symbols, by ``(name, order)``.
    """
    known: dict[tuple[str, int], Any] = {key: float(x) for key, x in values.items()}
    known |= {(c, 1): _Form(0.0, {i: 1.0}) for i, c in enumerate(coordinates)}
    try:
        with np.errstate(all="ignore"):
            forms = run(exprs, _Forms(), known)
    except _NotAffineError:
        return None
    matrix, rest = np.zeros((len(forms), len(coordinates))), np.zeros(len(forms))
    for k, form in enumerate(forms):
        rest[k] = form.rest if isinstance(form, _Form) else form
        if isinstance(form, _Form):
            for i, slope in form.slopes.items():
                matrix[k, i] = slope
    return (matrix, rest) if np.isfinite(matrix).all() and np.isfinite(rest).all() else None
