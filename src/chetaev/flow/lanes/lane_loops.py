"""The lanes' loops as machine code, the same for all models, made on first use and kept in the cache.

They are put together from the kernels of single motions, those of a scheme and the few of `flow.lanes`: the
driver as ordinary code, what it calls for all lanes at once, and all that this calls, by `lane_compiler`.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chetaev.flow.compile import elementary, link, loops, shipped
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.kernel_values import declarations
from chetaev.flow.compile.machine import Library, joined, object_code
from chetaev.flow.compile.small_compiler import function_text
from chetaev.flow.derive.digest import digest
from chetaev.flow.lanes import (
    lane_compiler,
    lane_driver,
    lane_steps,
)
from chetaev.flow.lanes.lane_compiler import LaneProgram
from chetaev.flow.schemes import DEFAULT, find

_P, _I, _D = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
RUN = [_P] * 9
"""The fields of a `Lanes`."""
KERNELS = {
    "drive": ctypes.CFUNCTYPE(
        _I, *RUN, _I, _I, _P, _P, _P, _D, _D, _P, _I, _P, _P, _P, _P, _P, _P
    ),
}  # fmt: skip
"""What is called from here, of `lane_driver`; arrays are passed as addresses."""

_lock = threading.RLock()
_loaded: dict[tuple[str, int], Library] = {}


def text(lanes: int, method: str = DEFAULT) -> str:
    """The LLVM text of a scheme's loops for so many lanes."""
    *common, own = loops.modules(method)
    program = link.Linked([*common, lane_steps, lane_driver, own])
    program.records["Integration"] = program.records["Lanes"]
    names = program.reached(KERNELS)
    known = program.signatures(names, KERNELS)
    kernels = LaneProgram(program.functions, known, program.constants, lanes)
    bodies = [declarations(1), declarations(lanes)]
    bodies += [elementary.logarithm_text(lanes), elementary.exponential_text(lanes)]
    for name in names:
        node = program.functions[name]
        if link.marked(node, "per_lane"):
            kernels.kernel(name)
        elif name in vars(lane_driver):
            rare = " noinline optnone" if link.marked(node, "rare") else ""
            bodies.append(function_text(node, known, program.constants, rare))
    return joined(*bodies, *kernels.texts.values()) + "\n"


def library(lanes: int, method: str = DEFAULT, cache: Cache | None = None) -> Library:
    """The machine code of a scheme's loops for so many lanes."""
    with _lock:
        key = (find(method).loops, lanes)
        if key not in _loaded:
            modules = [lane_compiler, lane_driver, lane_steps]
            made_from = [Path(str(module.__file__)).read_bytes() for module in modules]
            processor = shipped.level().processor
            place = digest(
                "lanes", *map(str, key), processor.fingerprint, loops.sources(method), *made_from,
                Path(__file__).read_bytes(),
            )  # fmt: skip
            cache = cache if cache is not None else Cache()

            def made() -> bytes:
                return object_code(text(lanes, method), optimise=True, processor=processor)

            _loaded[key] = Library(cache.kept(place, made))
        return _loaded[key]


def kernel(name: str, lanes: int, method: str = DEFAULT, cache: Cache | None = None) -> Callable[..., Any]:
    """One of `KERNELS` as machine code."""
    return KERNELS[name](library(lanes, method, cache).address(name))
