"""Powers 2^(e log₂ x) for the step control: right to roundoff, and in every lane what one motion has."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from chetaev.flow.compile.elementary import exponential_text, logarithm_text
from chetaev.flow.compile.machine import compile_text, joined

ARGUMENTS = 10.0 ** np.random.default_rng(5).uniform(-10, 20, 64)
EXPONENTS = (-0.105, 0.03, -0.125, -0.25, 0.5)

WRAPPED = """
define void @of(ptr %x, double %e) {{
  %a = load {kind}, ptr %x, align 8
  %e0 = insertelement {kind} poison, double %e, i32 0
  %e1 = shufflevector {kind} %e0, {kind} poison, <{lanes} x i32> zeroinitializer
  %b = call {kind} @binary_logarithm({kind} %a)
  %c = fmul {kind} %b, %e1
  %d = call {kind} @power_of_two({kind} %c)
  store {kind} %d, ptr %x, align 8
  ret void
}}
"""


def powers(lanes: int, exponent: float) -> np.ndarray:
    found = ARGUMENTS.copy()
    texts = [logarithm_text(lanes), exponential_text(lanes)]
    kind = f"<{lanes} x double>" if lanes > 1 else "double"
    wrapped = WRAPPED.format(kind=kind, lanes=lanes)
    if lanes == 1:
        wrapped = "\n".join(line for line in wrapped.splitlines() if "%e0" not in line).replace("%e1", "%e")
    library = compile_text(joined(*texts, wrapped))
    of = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)(library.address("of"))
    for first in range(0, len(found), lanes):
        of(found[first:].ctypes.data, exponent)
    return found


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers_are_right_to_roundoff(exponent: float) -> None:
    assert powers(1, exponent) == pytest.approx(ARGUMENTS**exponent, rel=5e-15)


@pytest.mark.few(1)
@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_lanes_have_the_bits_of_one(lanes: int) -> None:
    for exponent in EXPONENTS:
        assert powers(lanes, exponent).tolist() == powers(1, exponent).tolist()
