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

from chetaev import forking
from chetaev.flow.compile import link, loops, power, shipped
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.loaded_objects import Code, loaded
from chetaev.flow.compile.machine import joined, object_code
from chetaev.flow.compile.small_compiler import DECLARATIONS, function_text
from chetaev.flow.derive.digest import digest
from chetaev.flow.lanes import (
    lane_compiler,
    lane_driver,
    lane_record,
    lane_steps,
    lane_sums,
    lane_values,
)
from chetaev.flow.lanes.lane_compiler import LaneProgram
from chetaev.flow.schemes import DEFAULT, find

ROOTS = ("drive", "constraints_many")
_P, _I, _D = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
RUN = [_P] * 9
"""The fields of a `Lanes`."""
DRIVE = ctypes.CFUNCTYPE(
    _I, *RUN, *RUN, _I, _I, _P, _P, _P, _D, _D, _P, _I, _P, _P, _P, _P, _P, _P, _P
)  # fmt: skip
CONSTRAINTS = ctypes.CFUNCTYPE(None, *RUN, _I, _P, _P, _P, _P, _P)

_lock = threading.RLock()
_loaded: dict[tuple[str, int], Code] = {}

forking.guard(_lock, 0)


def text(lanes: int, method: str = DEFAULT) -> str:
    """The LLVM text of a scheme's loops for so many lanes."""
    *common, own = loops.modules(method)
    program = link.Linked([*common, lane_record, lane_steps, lane_driver, own])
    program.records["Integration"] = program.records["Lanes"]
    names = program.reached(ROOTS)
    known = program.signatures(names, ROOTS)
    kernels = LaneProgram(program.functions, known, program.constants, lanes)
    bodies = [DECLARATIONS, lane_sums.declarations(lanes)]
    bodies += [lane_sums.combine_text(lanes), lane_sums.powers_text(lanes)]
    bodies += [power.logarithm_text(lanes), power.exponential_text(lanes)]
    for name in names:
        node = program.functions[name]
        if link.marked(node, "per_lane"):
            kernels.kernel(name)
        elif name in vars(lane_driver):
            rare = " noinline optnone" if link.marked(node, "rare") else ""
            bodies.append(function_text(node, known, program.constants, rare))
    return joined(*bodies, *kernels.texts.values()) + "\n"


def library(lanes: int, method: str = DEFAULT, cache: Cache | None = None) -> Code:
    """The machine code of a scheme's loops for so many lanes."""
    with _lock:
        key = (find(method).loops, lanes)
        if key not in _loaded:
            modules = [lane_compiler, lane_driver, lane_record, lane_steps, lane_sums, lane_values]
            made_from = [Path(str(module.__file__)).read_bytes() for module in modules]
            processor = shipped.level().processor
            place = digest(
                "lanes", *map(str, key), processor.fingerprint, loops.sources(method), *made_from,
                Path(__file__).read_bytes(),
            )  # fmt: skip
            cache = cache if cache is not None else Cache()
            code = cache.get(place)
            if code is None:
                code = object_code(text(lanes, method), optimise=True, processor=processor)
                cache.put(place, code)
            _loaded[key] = loaded(code)
        return _loaded[key]


def drive_function(lanes: int, method: str = DEFAULT, cache: Cache | None = None) -> Callable[..., Any]:
    """`lane_driver.drive` as machine code; arrays are handed over as addresses."""
    return DRIVE(library(lanes, method, cache).address("drive"))


def constraints_function(lanes: int, method: str = DEFAULT, cache: Cache | None = None) -> Callable[..., Any]:
    """`lane_driver.constraints_many` as machine code."""
    return CONSTRAINTS(library(lanes, method, cache).address("constraints_many"))
