"""Numbers that users give are the exact rationals they wrote."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chetaev.errors import ModelError, TooLargeError
from chetaev.model.reading.expression_values import exact_number


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        (1e-3, Fraction(1, 1000)),
        (-2.5, Fraction(-5, 2)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.10"), Fraction(1, 10)),
        (Decimal("-1E+2"), Fraction(-100)),
        (Decimal("-0.0"), Fraction(0)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.5), Fraction(1, 2)),
        (np.int64(-7), Fraction(-7)),
        (np.uint8(7), Fraction(7)),
        (np.array(0.25), Fraction(1, 4)),
        (5e-324, Fraction(5, 10**324)),
    ],
)
def test_numbers(value, exact):
    assert exact_number(value) == exact


@pytest.mark.parametrize(
    "value", [True, False, np.bool_(True), "1", None, [], {}, 1j, b"1", object(), np.array([1.0])]
)
def test_what_is_no_number(value):
    assert exact_number(value) is None


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        np.float64("nan"),
        np.float32("inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
    ],
)
def test_what_is_not_finite(value):
    with pytest.raises(ModelError, match="not a finite number"):
        exact_number(value)


@pytest.mark.parametrize(
    "value",
    [10**400, -(10**309), Fraction(10**400, 3), Decimal("1e400"), Decimal("1e999999"), Decimal("-1e-999999")],
)
def test_what_is_out_of_range(value):
    with pytest.raises(TooLargeError):
        exact_number(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_means_the_decimal_python_prints(value):
    exact = exact_number(value)
    assert exact == Fraction(repr(value))
    assert float(exact) == value
