"""Which exact numbers there are: those that double precision reaches too, and not too long.

>>> exact_power(Fraction(-2, 3), -3)
Fraction(-27, 8)
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from chetaev.errors import DivisionByZeroError, NoValueError, TooLargeError

MAX_DIGITS = 1_000
"""Longest number, in digits."""
MAX_EXPONENT = 1_300
"""Largest exponent of ten, either way, in a number."""
MAX_NUMBER_BITS = 3321
"""Exact numbers with a longer numerator or denominator, of more than `MAX_DIGITS`, are refused."""

LARGEST = Fraction(2) ** 1024 - Fraction(2) ** 970
SMALLEST = Fraction(2) ** -1074
FAR = 2**1000
"""Exact numbers outside double range are refused too, so that both paths see the same model."""


def expect_in_range(value: Fraction) -> None:
    """Refuse a number outside double range or beyond `MAX_NUMBER_BITS`."""
    if value.numerator.bit_length() > MAX_NUMBER_BITS or value.denominator.bit_length() > MAX_NUMBER_BITS:
        raise TooLargeError(
            f"a number has more than {MAX_NUMBER_BITS} bits",
            remedy="write it with fewer digits",
        )
    if value and not SMALLEST <= abs(value) < LARGEST:
        raise TooLargeError(
            "a number is outside the range of double precision",
            expected="a magnitude between about 5e-324 and 1.8e308",
            remedy="choose other units",
        )


def exact_power(base: Fraction, exponent: int) -> Fraction:
    """A power, if it is not too long to be written down."""
    if base == 0 and exponent < 0:
        raise DivisionByZeroError("division by zero")
    if base in (0, 1, -1):
        return base ** (exponent % 2 if base == -1 else min(exponent, 1) if exponent >= 0 else 1)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) * (bits - 1) > MAX_NUMBER_BITS:
        raise TooLargeError(
            "a power of numbers is too large to be computed exactly",
            remedy=f"keep exact numbers below {MAX_NUMBER_BITS} bits and below 1.8e308",
        )
    return base**exponent


_DOMAINS: dict[str, tuple[Callable[[Fraction], bool], str]] = {
    "log": (lambda x: x > 0, "a positive number"),
    "sqrt": (lambda x: x >= 0, "a number that is not negative"),
    "asin": (lambda x: abs(x) <= 1, "a number from -1 to 1"),
    "acos": (lambda x: abs(x) <= 1, "a number from -1 to 1"),
    "acosh": (lambda x: x >= 1, "a number of at least 1"),
    "atanh": (lambda x: abs(x) < 1, "a number between -1 and 1"),
}
_GROWING = {"exp": lambda x: x, "sinh": abs, "cosh": abs}
LARGEST_EXPONENT = 709
"""e to a larger power is beyond double precision."""


def expect_value(function: str, x: Fraction) -> None:
    """Refuse a function of a number that has no real value, or none in double range.

    >>> expect_value("log", Fraction(0))
    Traceback (most recent call last):
    chetaev.errors.NoValueError: log(0) has no real value
      expected a positive number
    """
    inside, expected = _DOMAINS.get(function, (None, ""))
    if inside is not None and not inside(x):
        raise NoValueError(f"{function}({x}) has no real value", expected=expected)
    if function in _GROWING and _GROWING[function](x) > LARGEST_EXPONENT:
        raise TooLargeError(
            f"{function}({x}) is outside the range of double precision",
            expected="a magnitude of at most 1.8e308",
            remedy="choose other units",
        )
