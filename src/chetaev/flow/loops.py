"""The integrators' loops as machine code, made once for all models and kept in the cache.

The explicit method's loops are made without the stiff method, which most runs do not need.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Any

from chetaev.flow import kernel, vectors
from chetaev.flow.cache import Cache, digest
from chetaev.flow.kernels import advance, dop853, events, field, layout, linear, project, radau
from chetaev.flow.machine import Library, host, object_code

MODULES = [layout, linear, field, dop853, radau, project, events, advance]
ABSENT: dict[str, tuple[str, ...]] = {
    "dop853": (
        "radau_a", "jacobian", "radau_matrices", "radau_step", "radau_newton", "radau_error", "radau_dense",
        "radau_point", "lu_factor", "lu_solve",
    ),
    "radau": (),
}  # fmt: skip
"""Functions that each method leaves out."""
RARE = (
    "pause_code", "first_step", "begin", "wants_dense", "keep_dense", "refuse", "next_step", "advance",
    "point", "crosses", "locate", "scan", "note", "drop_later", "at_dense", "at_events", "at_scratch",
    "at_stiff", "work_size",
)  # fmt: skip
"""Called at most a few times a step, without long loops: optimised, the disc's run would not be faster."""
ADVANCE = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 13)

_lock = threading.RLock()
_loaded: dict[str, Library] = {}

if hasattr(os, "register_at_fork"):  # a child must not inherit LLVM in the middle of another thread's work
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def _sources() -> list[bytes]:
    sources = []
    for name in [__file__, *(module.__file__ for module in (kernel, vectors, *MODULES))]:
        assert name is not None
        with open(name, "rb") as file:
            sources.append(file.read())
    return sources


def text(method: str = "radau") -> str:
    """The LLVM text of the loops for a method; those for ``"radau"`` know both methods."""
    return kernel.translate(MODULES, {"combine": vectors.combine_text(host().lanes)}, RARE, ABSENT[method])


def library(cache: Cache | None = None, method: str = "dop853") -> Library:
    """The machine code of the loops for a method."""
    with _lock:
        if method not in _loaded:
            cache = cache if cache is not None else Cache()
            key = digest("loops", method, host().fingerprint, *_sources())
            code = cache.get(key)
            if code is None:
                code = object_code(text(method), optimise=True)
                cache.put(key, code)
            _loaded[method] = Library(code)
        return _loaded[method]


def prepare() -> None:
    """Make the loops in the background if the cache does not hold them: once per installation, while one
    imports.
    """
    threading.Thread(target=library, name="chetaev loops").start()


def advance_function(cache: Cache | None = None, method: str = "dop853") -> Callable[..., Any]:
    """`flow.kernels.advance.advance` as machine code; arguments are addresses."""
    return ADVANCE(library(cache, method).address("advance"))
