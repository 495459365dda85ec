"""sin and cos of several angles at once, against mpmath."""

import ctypes

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chetaev.flow.compile import loops
from chetaev.flow.compile.elementary import HUGE, WIDTHS


def call(angles):
    """The sines and the cosines."""
    width = len(angles)
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_double] * width, ctypes.c_void_p)
    out = (ctypes.c_double * (2 * width))()
    function(loops.circles()[f"circle{width}"])(*angles, out)
    return list(out[:width]), list(out[width:])


@given(st.sampled_from(WIDTHS), st.data())
def test_sines_and_cosines_are_right_to_roundoff(width, data):
    angles = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=width, max_size=width))
    sines, cosines = call(angles)
    for x, s, c in zip(angles, sines, cosines, strict=True):
        assert s == pytest.approx(float(mpmath.sin(x)), abs=3e-16)
        assert c == pytest.approx(float(mpmath.cos(x)), abs=3e-16)


@pytest.mark.parametrize("width", WIDTHS)
def test_an_angle_that_is_too_large_is_left_to_the_c_library_and_the_others_are_not(width):
    usual = call([0.1] * width)
    for place in range(width):
        for large in (2 * HUGE, -3e15):
            angles = [0.1] * width
            angles[place] = large
            sines, cosines = call(angles)
            assert sines[place] == pytest.approx(float(mpmath.sin(large)), rel=1e-15)
            assert cosines[place] == pytest.approx(float(mpmath.cos(large)), rel=1e-15)
            others = [i for i in range(width) if i != place]
            assert [(sines[i], cosines[i]) for i in others] == [(usual[0][i], usual[1][i]) for i in others]


def test_an_angle_that_is_no_number_gives_no_number():
    sines, cosines = call([float("nan"), 0.5])
    assert sines[0] != sines[0]
    assert cosines[0] != cosines[0]
    assert sines[1] == pytest.approx(float(mpmath.sin(0.5)), abs=3e-16)
