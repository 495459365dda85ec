"""The integrators' loops as machine code, the same for all models.

They are made when the package is built (see `flow.shipped`); where that code is missing, or older than the
loops' text, they are made on first use and kept in the cache. The explicit method's loops are made without
the stiff method, which most runs do not need.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chetaev import forking
from chetaev.flow import circle, elementary, kernel, machine, shipped, vectors
from chetaev.flow.cache import Cache, digest
from chetaev.flow.kernels import (
    advance,
    breaks,
    dop853,
    enclose,
    events,
    field,
    interval,
    jets,
    law,
    layout,
    linear,
    locate,
    observe,
    project,
    radau,
    walk,
)
from chetaev.flow.machine import Library, Processor, host, joined, object_code

MODULES = [
    layout, linear, field, dop853, radau, project, interval, jets, enclose, locate, walk, breaks, events,
    advance, observe, law,
]  # fmt: skip
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
    "point", "scan", "keep", "undo", "append", "place", "set_kind", "rough", "at_dense", "at_scratch",
    "at_stiff", "work_size", "at_saved", "watch_size",
)  # fmt: skip
"""Called at most a few times a step, without long loops: optimised, the disc's run would not be faster."""
ADVANCE = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 16)
OBSERVE = ctypes.CFUNCTYPE(
    ctypes.c_int64, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 3, ctypes.c_void_p, ctypes.c_int64,
    *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2, *[ctypes.c_void_p] * 5,
)  # fmt: skip
SETTLE = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4, *[ctypes.c_void_p] * 4)

_lock = threading.RLock()
_loaded: dict[str, Library] = {}

forking.guard(_lock, 0)


def sources() -> str:
    """A hash of everything that the code of the loops depends on but the processor."""
    return digest(*(path.read_bytes() for path in source_files()))


def source_files() -> list[Path]:
    """The loops, and what makes code of them."""
    makers = [Path(str(module.__file__)) for module in (circle, elementary, kernel, machine, vectors)]
    return [Path(__file__), *makers, *sorted(Path(str(layout.__file__)).parent.glob("*.py"))]


def text(method: str = "radau", lanes: int | None = None) -> str:
    """The LLVM text of the loops for a method; those for ``"radau"`` know both methods."""
    combine = vectors.combine_text(host().lanes if lanes is None else lanes)
    written = kernel.translate(MODULES, {"combine": combine}, RARE, ABSENT[method])
    return joined(written, *(circle.circle_text(width) for width in circle.WIDTHS))


def make(method: str, processor: Processor) -> bytes:
    """The object code of the loops for a method."""
    return object_code(text(method, processor.lanes), optimise=True, processor=processor)


def library(cache: Cache | None = None, method: str = "dop853") -> Library:
    """The machine code of the loops for a method."""
    with _lock:
        if method not in _loaded:
            made_from = sources()
            code = shipped.code(method, made_from)
            if code is None:
                cache = cache if cache is not None else Cache()
                key = digest("loops", method, host().fingerprint, made_from)
                code = cache.get(key)
                if code is None:
                    code = make(method, host())
                    cache.put(key, code)
            _loaded[method] = Library(code)
        return _loaded[method]


def advance_function(cache: Cache | None = None, method: str = "dop853") -> Callable[..., Any]:
    """`flow.kernels.advance.advance` as machine code; arguments are addresses."""
    return ADVANCE(library(cache, method).address("advance"))


def observe_function(cache: Cache | None = None) -> Callable[..., Any]:
    """`flow.kernels.observe.observe` as machine code; arrays are handed over as addresses."""
    return OBSERVE(library(cache).address("observe"))


def settle_function(cache: Cache | None = None) -> Callable[..., Any]:
    """`flow.kernels.law.settle_many` as machine code; arrays are handed over as addresses."""
    return SETTLE(library(cache).address("settle_many"))


def circles(cache: Cache | None = None) -> dict[str, int]:
    """Where the functions of `flow.circle` stand."""
    return {name: library(cache).address(name) for name in circle.NAMES}
