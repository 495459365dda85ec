"""sin and cos of several angles at once, against mpmath."""

import ctypes

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chetaev.flow.compile import loops
from chetaev.flow.compile.circle import WIDTHS
from chetaev.flow.compile.elementary import HUGE, HUGE_FLAG


def call(angles):
    """The flag, the sines and the cosines."""
    width = len(angles)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_double] * width, ctypes.c_void_p)
    out = (ctypes.c_double * (2 * width))()
    flag = function(loops.circles()[f"circle{width}"])(*angles, out)
    return flag, list(out[:width]), list(out[width:])


@given(st.sampled_from(WIDTHS), st.data())
def test_sines_and_cosines_are_right_to_roundoff(width, data):
    angles = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=width, max_size=width))
    flag, sines, cosines = call(angles)
    assert flag == 0
    for x, s, c in zip(angles, sines, cosines, strict=True):
        assert s == pytest.approx(float(mpmath.sin(x)), abs=3e-16)
        assert c == pytest.approx(float(mpmath.cos(x)), abs=3e-16)


@pytest.mark.parametrize("width", WIDTHS)
def test_each_angle_that_is_too_large_raises_the_flag(width):
    for place in range(width):
        for large, flag in ((2 * HUGE, HUGE_FLAG), (-2 * HUGE, HUGE_FLAG), (HUGE / 2, 0)):
            angles = [0.1] * width
            angles[place] = large
            assert call(angles)[0] == flag


def test_an_angle_that_is_no_number_gives_no_number():
    _, sines, cosines = call([float("nan"), 0.5])
    assert sines[0] != sines[0]
    assert cosines[0] != cosines[0]
    assert sines[1] == pytest.approx(float(mpmath.sin(0.5)), abs=3e-16)
