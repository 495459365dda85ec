"""Other processors without owning one: settings under which libraries compute as they would there.

OpenBLAS chooses its kernels by the processor, NumPy its vector loops, the C library its elementary functions;
each can be told to choose as an older processor would. ``python tests/processors.py`` prints the settings of
the oldest as ``NAME=value``, for ``env``; with ``--ignore``, options that leave out what is alike on all.
"""

from __future__ import annotations

import platform
import sys

ELSEWHERE = (
    "tests/expr/language",
    "tests/expr/print",
    "tests/flow/compile/test_cache_trust.py",
    "tests/test_bad_input.py",
    "tests/test_forking.py",
    "tests/test_fuzz.py",
    "tests/test_habits_of_the_shell.py",
    "tests/test_imports_of_a_run.py",
    "tests/test_interrupts.py",
    "tests/test_names.py",
    "tests/test_public_rooms.py",
    "tests/test_repository.py",
    "tests/test_rooms.py",
    "tests/test_whole.py",
    "tests/test_words_for_the_terminal.py",
    "tests/test_written.py",
)
"""Tests of texts, files, sources and processes. No other processor makes anything else of these; where one of
them meets a number on its way (a model that is refused because nothing satisfies it), a test of the room that
computed it looks at the number. All others, exact ones too, look at points in floating point first.
"""


def _vector_loops() -> str:
    """The names of all vector loops that NumPy has for this machine; naming others is a warning."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))


def processors() -> dict[str, dict[str, str]]:
    """Settings by name; the first is the machine as it is."""
    plain = {"NPY_DISABLE_CPU_FEATURES": _vector_loops()}
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return {"this one": {}, "ARMv8": plain | {"OPENBLAS_CORETYPE": "ARMV8"}}
    libm = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"}
    return {
        "this one": {},
        "Prescott": plain | libm | {"OPENBLAS_CORETYPE": "Prescott"},
        "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
        "Zen": plain | {"OPENBLAS_CORETYPE": "Zen"},
    }


if __name__ == "__main__":
    if "--ignore" in sys.argv:
        print(*(f"--ignore={path}" for path in ELSEWHERE))
        sys.exit()
    for setting in list(processors().values())[1].items():
        print("=".join(setting))
