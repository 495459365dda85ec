"""Object files that are loaded here do what LLVM's linker would make of them; others are left to it."""

from __future__ import annotations

import ctypes

import pytest

from chetaev.flow.compile.executable_memory import runs_here
from chetaev.flow.compile.loaded_objects import LoadedObject, UnknownObjectError, loaded
from chetaev.flow.compile.machine import Library, object_code

if not runs_here():
    pytest.skip("on this processor LLVM loads all code", allow_module_level=True)

REAL = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
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
CHANGING = """
@count = global double 0.0
define double @next(double %x) nounwind {
  %old = load double, ptr @count
  %new = fadd double %old, %x
  store double %new, ptr @count
  ret double %new
}
"""


@REAL
def other(x: float) -> float:
    return x / 3


def test_an_object_with_tables_and_calls() -> None:
    code = object_code(CALLING)
    known = {"other": ctypes.cast(other, ctypes.c_void_p).value or 0}
    ours, theirs = LoadedObject(code, known), Library(code, known)
    for name in ("inner", "outer"):
        for x in (0.0, 1.0, 2.0):
            assert REAL(ours.address(name))(x) == REAL(theirs.address(name))(x)
    assert [REAL(ours.address("inner"))(x) for x in (0.0, 1.0, 2.0)] == [1.21875, 1.96875, 3.46875]
    with pytest.raises(KeyError, match="no function 'third'"):
        ours.address("third")


def test_what_is_not_understood_is_left_to_the_linker() -> None:
    changing = object_code(CHANGING)
    with pytest.raises(UnknownObjectError, match="data that change"):
        LoadedObject(changing, {})
    code = loaded(changing)
    assert isinstance(code, Library)
    assert [REAL(code.address("next"))(x) for x in (1.0, 2.0)] == [1.0, 3.0]
    with pytest.raises(UnknownObjectError, match="it calls other"):
        LoadedObject(object_code(CALLING), {})


def test_what_is_no_object_is_an_error() -> None:
    whole = object_code(CALLING)
    for data in (b"", b"garbage" * 20, whole[:100], whole[:-200]):
        with pytest.raises(RuntimeError):
            loaded(data).address("inner")
