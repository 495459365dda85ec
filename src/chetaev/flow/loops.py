"""The integrators' loops as machine code, made once for all models and kept in the cache."""

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
ADVANCE = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 13)

_lock = threading.RLock()
_loaded: dict[str, Library] = {}

if hasattr(os, "register_at_fork"):  # a child must not inherit LLVM in the middle of another thread's work
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def _sources() -> list[bytes]:
    sources = []
    for module in [kernel, vectors, *MODULES]:
        assert module.__file__ is not None
        with open(module.__file__, "rb") as file:
            sources.append(file.read())
    return sources


def text() -> str:
    """The LLVM text of all loops."""
    return kernel.translate(MODULES, {"combine": vectors.combine_text(host().lanes)})


def library(cache: Cache | None = None) -> Library:
    """The machine code of all loops."""
    with _lock:
        if "loops" not in _loaded:
            cache = cache if cache is not None else Cache()
            key = digest("loops", host().fingerprint, *_sources())
            code = cache.get(key)
            if code is None:
                code = object_code(text(), optimise=True)
                cache.put(key, code)
            _loaded["loops"] = Library(code)
        return _loaded["loops"]


def prepare() -> None:
    """Make the loops in the background if the cache does not hold them: once per installation, while one
    imports.
    """
    threading.Thread(target=library, name="chetaev loops").start()


def advance_function(cache: Cache | None = None) -> Callable[..., Any]:
    """`flow.kernels.advance.advance` as machine code; arguments are addresses."""
    return ADVANCE(library(cache).address("advance"))
