"""Exact numbers as text.

>>> number_text(Fraction(-1, 3)), decimal_text(Fraction(1, 40))
('-1/3', '0.025')
"""

from __future__ import annotations

from fractions import Fraction

from chetaev.expr.graph.number_range import LARGEST, MAX_DIGITS, MAX_EXPONENT


def number_text(value: Fraction) -> str:
    """An exact number: an integer or a quotient, whose parts are scaled where they leave double range.

    >>> number_text(Fraction(-1, 3)), number_text(Fraction(3, 10**310))
    ('-1/3', '3e-310')
    """
    if value.denominator == 1:
        return str(value.numerator)
    if abs(value.numerator) < LARGEST and value.denominator < LARGEST:
        return f"{value.numerator}/{value.denominator}"
    places = decimal_places(value.denominator)
    if places is not None:
        digits = str(value.numerator * 10**places // value.denominator)
        if places <= MAX_EXPONENT and len(digits) < MAX_DIGITS:
            return f"{digits}e-{places}"
    places = len(str(value.denominator)) - (abs(value) < 2**1000)  # both parts stay in range
    return f"{value.numerator}e-{places}/{value.denominator}e-{places}"


def decimal_places(denominator: int) -> int | None:
    """How many digits follow the point in a decimal with this denominator; None if they do not end."""
    twos = (denominator & -denominator).bit_length() - 1
    denominator >>= twos
    fives = 0
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    return max(twos, fives) if denominator == 1 else None


def decimal_text(value: Fraction) -> str | None:
    """The finite decimal of an exact number, or None if it has none.

    >>> decimal_text(Fraction(1, 40)), decimal_text(Fraction(1, 3))
    ('0.025', None)
    """
    places = decimal_places(value.denominator)
    if places is None:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
