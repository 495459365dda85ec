"""The lanes' loops as machine code, the same for all models, made on first use and kept in the cache."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chetaev import forking
from chetaev.flow.compile import link, llvm_lines, machine, shipped, signatures, small_compiler
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.machine import Library, object_code
from chetaev.flow.compile.small_compiler import DECLARATIONS, function_text
from chetaev.flow.derive.digest import digest
from chetaev.flow.kernels import statuses
from chetaev.flow.lanes import lane_compiler, lane_driver, lane_record, lane_steps

ROOTS = ("drive", "constraints_many")
_P, _I, _D = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
RUN = [_P] * 7
"""The fields of a `Lanes`."""
DRIVE = ctypes.CFUNCTYPE(
    _I, *RUN, _I, _I, _P, _P, _P, _D, _D, _P, _I, _P, _I, _P, _P, _P, _P, _P
)  # fmt: skip
CONSTRAINTS = ctypes.CFUNCTYPE(None, *RUN, _I, _P, _P, _P, _P, _P)

_lock = threading.RLock()
_loaded: dict[int, Library] = {}

forking.guard(_lock, 0)


def text(lanes: int) -> str:
    """The LLVM text of the loops for so many lanes."""
    program = link.Linked([statuses, lane_record, lane_steps, lane_driver])
    names = program.reached(ROOTS)
    known = program.signatures(names, ROOTS)
    bodies = [DECLARATIONS, lane_compiler.declarations(lanes), lane_compiler.combine_text(lanes)]
    for name in names:
        node = program.functions[name]
        if name == "lane_combine":
            continue
        if link.marked(node, "per_lane"):
            bodies.append(lane_compiler.lane_text(node, known, program.constants, lanes))
        else:
            rare = " noinline optnone" if link.marked(node, "rare") else ""
            bodies.append(function_text(node, known, program.constants, rare))
    return "\n".join(bodies) + "\n"


def library(lanes: int, cache: Cache | None = None) -> Library:
    """The machine code of the loops for so many lanes."""
    with _lock:
        if lanes not in _loaded:
            modules = [
                lane_compiler, lane_driver, lane_record, lane_steps, link, llvm_lines, machine, signatures,
                small_compiler, statuses,
            ]  # fmt: skip
            made_from = [Path(str(module.__file__)).read_bytes() for module in modules]
            processor = shipped.level().processor
            key = digest("lanes", str(lanes), processor.fingerprint, *made_from, Path(__file__).read_bytes())
            cache = cache if cache is not None else Cache()
            code = cache.get(key)
            if code is None:
                code = object_code(text(lanes), optimise=True, processor=processor)
                cache.put(key, code)
            _loaded[lanes] = Library(code)
        return _loaded[lanes]


def drive_function(lanes: int, cache: Cache | None = None) -> Callable[..., Any]:
    """`lane_driver.drive` as machine code; arrays are handed over as addresses."""
    return DRIVE(library(lanes, cache).address("drive"))


def constraints_function(lanes: int, cache: Cache | None = None) -> Callable[..., Any]:
    """`lane_driver.constraints_many` as machine code."""
    return CONSTRAINTS(library(lanes, cache).address("constraints_many"))
