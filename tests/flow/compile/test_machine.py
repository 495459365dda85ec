"""Loading machine code: many libraries, libraries that go away, functions of the C library."""

from __future__ import annotations

import ctypes
import math

import pytest

from chetaev.flow.compile import machine

TWICE = "define double @f(double %x) { %y = fadd double %x, %x  ret double %y }"
LIBM = """
declare double @sin(double)
declare double @erf(double)
declare double @pow(double, double)
define double @f(double %x) {
  %a = call double @sin(double %x)
  %b = call double @erf(double %a)
  %c = call double @pow(double %b, double 3.0)
  ret double %c
}
"""
REAL = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)


def call(library: machine.Library, x: float) -> float:
    return float(REAL(library.address("f"))(x))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_functions_of_the_c_library(level: int) -> None:
    assert call(machine.compile_text(LIBM, level), 1.0) == pytest.approx(
        math.erf(math.sin(1.0)) ** 3, rel=1e-15
    )


def test_libraries_outlive_their_linker_and_go_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "RENEW", 5)
    twice, other = machine.object_code(TWICE), machine.object_code(LIBM)
    kept = [machine.Library(other if k % 2 else twice) for k in range(23)]
    expected = [math.erf(math.sin(1.0)) ** 3 if k % 2 else 2.0 for k in range(23)]
    assert [call(library, 1.0) for library in kept] == pytest.approx(expected, rel=1e-15)
    del kept[::3], expected[::3]
    assert [call(library, 1.0) for library in kept] == pytest.approx(expected, rel=1e-15)


def test_an_unknown_function() -> None:
    with pytest.raises(KeyError, match="no function 'g'"):
        machine.compile_text(TWICE).address("g")
