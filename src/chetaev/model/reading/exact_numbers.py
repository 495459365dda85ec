"""Numbers that users give, as the exact rationals they wrote.

>>> exact_number(0.1)
Fraction(1, 10)
>>> exact_number("1/3") is None
True
"""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any

from chetaev.errors import ModelError, TooLargeError
from chetaev.expr.graph.number_range import FAR, LARGEST, MAX_DIGITS
from chetaev.expr.language.parser import read_number


def exact_number(value: Any) -> Fraction | None:
    """The exact rational a number writes; None for what is not a number.

    A float means the shortest decimal that gives it, so 0.1 is 1/10. Infinite, undefined and overflowing
    numbers raise :class:`~chetaev.errors.ModelError`.
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
