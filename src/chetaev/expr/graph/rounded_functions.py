"""Elementary functions of doubles, rounded correctly, in whole numbers.

A number is a whole number of units 2^-BITS. Angles are reduced by π/2, exponents by log 2, series do the
rest: exp r = (exp r/2^k)^(2^k); an arc and a logarithm start from the C library's and are corrected by what
sin, cos and exp say of it, so that nothing of the start remains. The error of a result is below MARGIN units
or 2^-CERTAIN of it; where the two ends of that interval round to one double, it is the function's, on every
machine. Elsewhere (huge and tiny arguments, results midway between two doubles) :func:`rounded` gives None,
and :mod:`chetaev.expr.graph.evaluate` computes with many digits, for which mpmath must be imported.

>>> rounded("sin", (0.5,)), rounded("atan2", (1.0, -1.0)), rounded("exp", (1e9,))
(0.479425538604203, 2.356194490192345, None)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

BITS = 128
ONE = 1 << BITS
MARGIN, CERTAIN = 1 << 40, 80
"""The error in units; large results have so many bits that are certain. One of size 2^-10 has 78."""
SMALLEST, LARGEST = 2.0**-20, 2.0**24
"""Arguments between which the functions are computed here."""
LARGEST_EXPONENT = 700.0
HALVINGS = 8


def _inverse_series(n: int, sign: int) -> int:
    """arctan 1/n (sign -1) or artanh 1/n (sign 1)."""
    total, power, k = 0, ONE // n, 1
    while power:
        total += power // k
        power, k = sign * power // (n * n), k + 2
        if power == -1:  # the floor of what is less than a unit
            break
    return total


HALF_PI = 8 * _inverse_series(5, -1) - 2 * _inverse_series(239, -1)
LOG_2 = 18 * _inverse_series(26, 1) - 2 * _inverse_series(4801, 1) + 8 * _inverse_series(8749, 1)


def _units(x: float) -> int:
    numerator, denominator = x.as_integer_ratio()
    return (numerator << BITS) // denominator


def _times(a: int, b: int) -> int:
    return a * b >> BITS


def _alternating(square: int, first: int) -> int:
    """1 - s/((first)(first+1)) + s²/((first)...(first+3)) - …: cos for 1, sin r/r for 2."""
    total = term = ONE
    k = first
    while term:
        term = _times(term, square) // (k * (k + 1))
        total += -term if (k - first) % 4 == 0 else term
        k += 2
    return total


def _sine(x: int, quarters: int = 0) -> int:
    """The sine of x and so many quarters of a turn."""
    n = (2 * x + HALF_PI) // (2 * HALF_PI)
    r = x - n * HALF_PI
    n += quarters
    square = _times(r, r)
    found = _alternating(square, 1) if n % 2 else _times(r, _alternating(square, 2))
    return -found if n % 4 > 1 else found


def _cosine(x: int) -> int:
    return _sine(x, 1)


def _tan(x: int) -> int:
    cosine = _cosine(x)
    return (_sine(x) << BITS) // cosine if abs(cosine) >> (BITS - 8) else 0  # 0 is never certain


def _exp(x: int) -> int:
    n = (2 * x + LOG_2) // (2 * LOG_2)
    r = (x - n * LOG_2) >> HALVINGS
    total = term = ONE
    k = 1
    while term not in (0, -1):
        term = _times(term, r) // k
        total += term
        k += 1
    for _ in range(HALVINGS):
        total = _times(total, total)
    return total << n if n >= 0 else total >> -n


def _log(x: int) -> int:
    shift = x.bit_length() - 1 - BITS
    mantissa = x >> shift if shift >= 0 else x << -shift
    start = _units(math.log(mantissa / ONE))
    rest = _times(mantissa, _exp(-start)) - ONE
    square = _times(rest, rest)
    return start + rest - square // 2 + _times(square, rest) // 3 + shift * LOG_2


def _arc(y: int, x: int) -> int:
    """The angle of the direction (x, y)."""
    start = _units(math.atan2(y / ONE, x / ONE))
    sine, cosine = _sine(start), _cosine(start)
    rest = (_times(y, cosine) - _times(x, sine) << BITS) // (_times(x, cosine) + _times(y, sine))
    return start + rest - _times(_times(rest, rest), rest) // 3


def _root(x: int) -> int:
    return math.isqrt(x << BITS)


def _grown(x: int) -> tuple[int, int]:
    """e^x and e^-x."""
    large = _exp(abs(x))
    small = ONE * ONE // large
    return (large, small) if x >= 0 else (small, large)


def _sinh(x: int) -> int:
    up, down = _grown(x)
    return (up - down) // 2


def _cosh(x: int) -> int:
    return sum(_grown(x)) // 2


def _tanh(x: int) -> int:
    up, down = _grown(x)
    return (up - down << BITS) // (up + down)


def _asinh(x: int) -> int:
    found = _log(abs(x) + _root(_times(x, x) + ONE))
    return found if x >= 0 else -found


_FUNCTIONS: dict[str, tuple[Callable[..., int], float, float]] = {
    "sin": (_sine, -LARGEST, LARGEST),
    "cos": (_cosine, -LARGEST, LARGEST),
    "tan": (_tan, -LARGEST, LARGEST),
    "asin": (lambda x: _arc(x, _root(ONE - _times(x, x))), -1.0, 1.0),
    "acos": (lambda x: _arc(_root(ONE - _times(x, x)), x), -1.0, 1.0),
    "atan": (lambda x: _arc(x, ONE), -LARGEST, LARGEST),
    "atan2": (_arc, -LARGEST, LARGEST),
    "sinh": (_sinh, -LARGEST_EXPONENT, LARGEST_EXPONENT),
    "cosh": (_cosh, -LARGEST_EXPONENT, LARGEST_EXPONENT),
    "tanh": (_tanh, -LARGEST_EXPONENT, LARGEST_EXPONENT),
    "asinh": (_asinh, -LARGEST, LARGEST),
    "acosh": (lambda x: _log(x + _root(_times(x, x) - ONE)), 1.0, LARGEST),
    "atanh": (lambda x: _log((ONE + x << BITS) // (ONE - x)) // 2, 2.0**-53 - 1.0, 1.0 - 2.0**-53),
    "exp": (_exp, -LARGEST_EXPONENT, LARGEST_EXPONENT),
    "log": (_log, SMALLEST, LARGEST),
}
"""Each with the bounds between which its argument lies."""
_AT_ZERO = {
    **dict.fromkeys(("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"), 0.0),
    **dict.fromkeys(("cos", "cosh", "exp"), 1.0),
}


@lru_cache(maxsize=512)
def rounded(name: str, args: tuple[float, ...]) -> float | None:
    """The double next to a function's value, where it is found here; one state is looked at many times."""
    function, low, high = _FUNCTIONS[name]
    if args[0] == 0.0 and name in _AT_ZERO:
        return _AT_ZERO[name]
    if not all(low <= x <= high and abs(x) >= SMALLEST for x in args):
        return None
    return _settled(function(*map(_units, args)))


def rounded_power(base: float, exponent: float) -> float | None:
    """The double next to base^exponent = exp(exponent · log base), where it is found here."""
    if not SMALLEST <= base <= LARGEST or not SMALLEST <= abs(exponent) <= LARGEST:
        return None
    logarithm = _times(_units(exponent), _log(_units(base)))
    return None if abs(logarithm) > LARGEST_EXPONENT * ONE else _settled(_exp(logarithm))


def _settled(value: int) -> float | None:
    """The double next to a value, if it is the same at both ends of the interval of its error."""
    margin = max(MARGIN, abs(value) >> CERTAIN)
    low, high = (value - margin) / ONE, (value + margin) / ONE  # whole numbers: Python rounds correctly
    return low if low == high else None
