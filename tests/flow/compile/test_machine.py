"""Loading machine code: many libraries, libraries that go away, functions of the C library."""

from __future__ import annotations

import ctypes
import math
import os
import subprocess
import sys
from pathlib import Path

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


CALLING = """
declare double @exp(double)
declare double @other(double)
@table = private constant [3 x double] [double 1.5, double 2.5, double 4.5]
define double @inner(double %x) noinline nounwind {
  %i = fptosi double %x to i64
  %place = getelementptr [3 x double], ptr @table, i64 0, i64 %i
  %entry = load double, ptr %place
  %sum = fadd double %entry, 0.125
  %part = fmul double %sum, 0.75
  ret double %part
}
define double @outer(double %x) nounwind {
  %a = call double @inner(double %x)
  %b = call double @exp(double %a)
  %c = call double @other(double %b)
  ret double %c
}
"""


@REAL
def other(x: float) -> float:
    return x / 3


def test_an_object_with_tables_and_calls() -> None:
    known = {"other": ctypes.cast(other, ctypes.c_void_p).value or 0}
    code = machine.Library(machine.object_code(CALLING), known)
    for x, inner in ((0.0, 1.21875), (1.0, 1.96875), (2.0, 3.46875)):
        assert REAL(code.address("inner"))(x) == inner
        assert REAL(code.address("outer"))(x) == pytest.approx(math.exp(inner) / 3, rel=1e-15)
    with pytest.raises(KeyError, match="no function 'third'"):
        code.address("third")


def test_what_is_no_object_is_an_error() -> None:
    whole = machine.object_code(CALLING)
    for data in (b"", b"garbage" * 20, whole[:100], whole[:-200]):
        with pytest.raises(RuntimeError):
            machine.Library(data)


DENIED = """
import ctypes, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):  # PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN
    sys.exit(77)
import chetaev as ch
disc = ch.load("rolling-disc")
for run in (lambda: ch.simulate(disc, until=1.0), lambda: ch.ensemble(disc, {"m": [1.0, 2.0]}, until=1.0)):
    try:
        run()
    except ch.ModelError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses that on demand")
@pytest.mark.parametrize("cache", ["off", "on"])
def test_where_nothing_may_become_executable_a_sentence_says_so(cache: str, tmp_path: Path) -> None:
    environment = os.environ | {"CHETAEV_CACHE": "off" if cache == "off" else str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", DENIED], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode == 77:
        pytest.skip("a kernel before 6.3 cannot refuse")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("does not let memory become executable") == 2
    assert done.stdout.count("PR_SET_MDWE") == 2
