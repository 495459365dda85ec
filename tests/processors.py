"""Other processors without owning one: settings under which libraries compute as they would there.

OpenBLAS chooses its kernels by the processor, NumPy its vector loops, the C library its elementary functions;
each can be told to choose as an older processor would. `golden/on_processors.py` compares answers under them.
"""

from __future__ import annotations

import platform


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
