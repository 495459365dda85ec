"""Functions of doubles in whole numbers give the double next to the value, or nothing."""

from __future__ import annotations

import math
from random import Random

import mpmath
import pytest

from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import call, symbol
from chetaev.expr.graph.rounded_functions import _FUNCTIONS, rounded, rounded_power

DIGITS = mpmath.ctx_mp.MPContext()
DIGITS.dps = 60


def arguments(low: float, high: float, count: int) -> list[float]:
    """Numbers of all sizes between two bounds, those next to 1 and whole ones among them."""
    random = Random(7)
    found = []
    for _ in range(count):
        sign = random.choice((-1, 1))
        found += [
            random.uniform(-3, 3),
            sign * 2.0 ** random.uniform(-20, 24),
            sign * (1 + random.choice((-1, 1)) * 2.0 ** random.uniform(-53, -1)),
            sign * random.randint(1, 600) / random.choice((1, 2, 7)),
        ]
    return [x for x in found if low <= x <= high]


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_values_are_the_nearest_doubles(name):
    _, low, high = _FUNCTIONS[name]
    exact = getattr(DIGITS, "ln" if name == "log" else name)
    given = [(x,) for x in arguments(low, high, 60)]
    if name == "atan2":
        given = list(zip(arguments(low, high, 60), reversed(arguments(low, high, 60)), strict=True))
    found = [(args, rounded(name, args)) for args in given]
    known = [(args, value) for args, value in found if value is not None]
    assert len(known) > 0.8 * len(given) > 20
    assert all(value == float(exact(*map(DIGITS.mpf, args))) for args, value in known)


def test_powers_are_the_nearest_doubles():
    random = Random(3)
    for base in arguments(2.0**-20, 2.0**24, 60):
        exponent = random.choice([0.5, -1.5, 1 / 3, random.uniform(-9, 9)])
        value = rounded_power(base, exponent)
        assert value is None or value == float(DIGITS.mpf(base) ** DIGITS.mpf(exponent))
    assert rounded_power(2.0, 0.5) == math.sqrt(2.0)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("sin", [1e300]), ("sin", [1e-300]), ("exp", [1e4]), ("exp", [-699.0]), ("tan", [math.pi / 2]),
        ("acos", [1.0]),
        ("acosh", [1.0]), ("atanh", [1.0]), ("log", [0.0]), ("log", [1.0]), ("log", [math.inf]),
        ("asin", [1.5]),
        ("atan2", [0.0, -1.0]), ("cos", [math.nan]),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_left_to_many_digits(name, args):
    assert rounded(name, tuple(args)) is None
    variables = [symbol(f"x{i}") for i in range(len(args))]
    [value] = evaluate([call(name, *variables)], dict(zip(("x0", "x1"), args, strict=False)))
    try:
        exact = getattr(DIGITS, "ln" if name == "log" else name)(*args)
    except ValueError:
        exact = math.nan
    expected = math.nan if isinstance(exact, DIGITS.mpc) or DIGITS.isnan(exact) else float(exact)
    assert value == expected or (math.isnan(value) and math.isnan(expected))


def test_halfway_between_two_doubles_nothing_is_settled():
    """The fifth power of an odd number, with 54 bits, is the 2.5th power of its square."""
    assert (1701**5).bit_length() == 54
    assert rounded_power(1701.0**2, 2.5) is None
    assert rounded_power(1701.0**2, 1.5) == 1701.0**3
