"""The integrators' loops as machine code, the same for all models.

They are made when the package is built, for a few kinds of processor: LLVM makes code for any processor of an
architecture on any other, so a build holds the loops for every level below, and a run takes the highest level
that its processor has. Where that code is missing, or older than the loops' text, they are made on first use
and kept in the cache. Each scheme has loops of its own, in which nothing of the others is. Loops for lanes
are put together from the same kernels: the driver as ordinary code, what it calls for all lanes at once, and
all that this calls, by `lane_compiler`; they are made on first use.

>>> level().processor.lanes in (2, 4, 8)
True
"""

from __future__ import annotations

import ctypes
import platform
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache as once
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm

from chetaev.flow.compile import elementary
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.machine import Library, Processor, host, joined, object_code
from chetaev.flow.derive.digest import digest
from chetaev.flow.kernels import integration
from chetaev.flow.kernels.integration import Integration, Search
from chetaev.flow.schemes import DEFAULT, find, schemes
from chetaev.flow.schemes.scheme import Scheme

COMMON = (
    "statuses", "integration", "linear", "field", "by_scheme", "control", "project", "samples",
    "walk", "events", "advance", "stretch",
)  # fmt: skip
"""The loops of all schemes; those of a scheme come behind. Imported where machine code is made, only."""
MAKERS = (
    "compile/elementary", "compile/kernel_values", "compile/small_compiler", "compile/link",
    "compile/machine", "compile/lane_compiler", "schemes/scheme",
)  # fmt: skip
"""What makes code of them."""
HOME = Path(__file__).parents[1]
KERNELS = {
    "advance": ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 14),
    "carry": ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 22),
    "drive": ctypes.CFUNCTYPE(
        ctypes.c_int64, *[ctypes.c_void_p] * 9, *[ctypes.c_int64] * 2, *[ctypes.c_void_p] * 4,
        ctypes.c_int64, *[ctypes.c_void_p] * 6,
    ),
    "each_state": ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p, ctypes.c_int64] * 5, ctypes.c_void_p
    ),
}  # fmt: skip
"""What is called from here; arrays are passed as addresses."""

OBJECTS = Path(__file__).parents[1] / "objects"
"""Where a build puts them."""


@dataclass(frozen=True)
class Level:
    """A kind of processor, and the features a processor needs to be of that kind."""

    processor: Processor
    needs: frozenset[str] = frozenset()


V3 = frozenset(["avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"])
V4 = V3 | frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])
LEVELS = {
    "x86_64": (
        Level(Processor("x86-64-v4", "-prefer-256-bit", 8), V4),
        Level(Processor("x86-64-v3", "", 4), V3),
        Level(Processor("x86-64", "", 2)),
    ),
    "aarch64": (Level(Processor("generic", "", 2)),),
}
"""Levels of each architecture, best first."""
NAMES = {"amd64": "x86_64", "arm64": "aarch64"}


def levels() -> tuple[Level, ...]:
    """The levels of this machine's architecture; none if it is not known here."""
    machine = platform.machine().lower()
    return LEVELS.get(NAMES.get(machine, machine), ())


@once
def level() -> Level:
    """The best level that this processor has; its very own kind on other architectures."""
    features = {name for name, present in llvm.get_host_cpu_features().items() if present}
    return next((level for level in levels() if level.needs <= features), Level(host()))


_lock = threading.RLock()
_loaded: dict[tuple[str, int], Library] = {}


def sources(method: str = DEFAULT) -> str:
    """A hash of everything that the code of a scheme's loops depends on but the processor."""
    return digest(*(path.read_bytes() for path in source_files(method)))


def source_files(method: str = DEFAULT) -> list[Path]:
    """The loops, and what makes code of them."""
    return [
        Path(__file__),
        *(HOME / f"{maker}.py" for maker in MAKERS),
        *sorted((HOME / "kernels").glob("*.py")),
        Path(str(find(method).kernels.__file__)),
    ]


def modules(method: str = DEFAULT) -> list[ModuleType]:
    """The files that a scheme's loops are put together from."""
    common = [import_module(f"chetaev.flow.kernels.{name}") for name in COMMON]
    return [*common, find(method).kernels]


def plain(method: str = DEFAULT) -> dict[str, Callable[..., Any]]:
    """The loops of a scheme as Python, to read and to test.

    >>> plain("radau")["interpolate"](1, 0, [1.0], [2.0, 3.0, 4.0], 0.5)  # 1 + 2x + 3x² + 4x³
    3.25
    """
    from chetaev.flow.compile import link

    return link.plain(modules(method))


def blank(scheme: Scheme, length: int, events: int = 0) -> Search:
    """What the loops of a scheme work on, for states of a length: no functions, no vectors, all zeros."""
    import numpy as np  # not needed to build the package

    none = np.zeros(1)
    functions = (_nothing,) * 4
    ints, reals = np.zeros(integration.INTS + 2 * events, np.int64), np.zeros(integration.REALS)
    own = getattr(scheme.kernels, scheme.record) if scheme.record else Integration
    kind: Any = type("Loop", (Search,) if own is Integration else (own, Search), {})
    loop: Search = kind(*functions, scheme.table, ints, reals, none, none, none, none)
    loop.d, loop.events = length, events
    follow(loop, scheme)
    return loop


def follow(loop: Integration, scheme: Scheme) -> None:
    """Have an integration follow a scheme."""
    loop.table = scheme.table
    loop.order, loop.estimate = scheme.order, scheme.estimate
    loop.stage_count, loop.end_stage = scheme.stages, scheme.end_stage
    loop.vector_count, loop.room_size = scheme.vectors, scheme.room(loop.d)


def watched(loop: Search) -> Any:
    """What is known of the events of a run before it begins, and the places at which steps are sampled."""
    import numpy as np

    from chetaev.flow.kernels import walk

    watch = np.zeros(loop.watch_size)
    loop.watch = watch
    rows = watch[: integration.WATCH * loop.events].reshape(-1, integration.WATCH)
    rows[:, walk.LEAST], rows[:, walk.LAST] = np.inf, -1.0
    half, between = integration.DEGREE, integration.BETWEEN
    tables: list[tuple[Any, Any]] = [
        (loop.cosines, np.cos(np.arange(2 * half) * np.pi / half)),
        (loop.nodes, [*np.cos(np.arange(half + 1) * np.pi / half), between, -between]),
        (loop.between, np.cos(np.arange(half + 1) * np.arccos(between))),
    ]
    for place, values in tables:
        place[: len(values)] = values
    return watch


def _nothing(*_: Any) -> int:
    return 0


def text(method: str = DEFAULT, lanes: int = 1) -> str:
    """The LLVM text of a scheme's loops, for single motions or for so many lanes."""
    from chetaev.flow.compile import link
    from chetaev.flow.compile.kernel_values import declarations
    from chetaev.flow.compile.lane_compiler import LaneProgram
    from chetaev.flow.compile.small_compiler import function_text, translate
    from chetaev.flow.kernels import lanes as lane_kernels

    given = {
        "binary_logarithm": elementary.logarithm_text(lanes), "power_of_two":
        elementary.exponential_text(lanes)
    }  # fmt: skip
    if lanes == 1:
        written = translate(modules(method), given, [name for name in KERNELS if name != "drive"])
        return joined(written, *(elementary.circle_text(width) for width in elementary.WIDTHS))
    *common, own = modules(method)
    program = link.Linked([*common, lane_kernels, own])
    program.records["Integration"] = program.records["Lanes"]
    names = program.reached(["drive"])
    known = program.signatures(names, ["drive"])
    kernels = LaneProgram(program.functions, known, program.constants, lanes)
    bodies = [declarations(1), declarations(lanes), *given.values()]
    for name in names:
        node = program.functions[name]
        if link.marked(node, "per_lane"):
            kernels.kernel(name)
        elif getattr(vars(lane_kernels).get(name), "__module__", "") == lane_kernels.__name__:
            bodies.append(function_text(node, known, program.constants))
    return joined(*bodies, *kernels.texts.values()) + "\n"


def make(method: str, processor: Processor, lanes: int = 1) -> bytes:
    """The object code of a scheme's loops."""
    return object_code(text(method, lanes), optimise=True, processor=processor)


def library(cache: Cache | None = None, method: str = DEFAULT, lanes: int = 1) -> Library:
    """The machine code of a scheme's loops."""
    name = find(method).loops
    with _lock:
        if (name, lanes) not in _loaded:
            made_from = sources(method)
            code = shipped(name, made_from) if lanes == 1 else None
            if code is None:
                cache = cache if cache is not None else Cache()
                processor = host() if lanes == 1 else level().processor
                key = digest("loops", name, str(lanes), processor.fingerprint, made_from)
                code = cache.kept(key, lambda: make(method, processor, lanes))
            _loaded[name, lanes] = Library(code)
        return _loaded[name, lanes]


def kernel(
    name: str, cache: Cache | None = None, method: str = DEFAULT, lanes: int = 1
) -> Callable[..., Any]:
    """One of `KERNELS` as machine code."""
    return KERNELS[name](library(cache, method, lanes).address(name))


def circles(cache: Cache | None = None) -> dict[str, int]:
    """Where the functions for sines and cosines stand, which programs call."""
    return {f"circle{n}": library(cache).address(f"circle{n}") for n in elementary.WIDTHS}


def _key(name: str, sources: str, processor: Processor) -> str:
    """What the code of some loops is found by; which LLVM made it does not matter to those who run it."""
    target = (llvm.get_default_triple(), processor.cpu, processor.features, str(processor.lanes))
    return digest("loops", name, sources, *target)


def shipped(name: str, sources: str) -> bytes | None:
    """The code of the loops that came with the package, if it was made from the same sources."""
    return Cache(OBJECTS, shipped=True).get(_key(name, sources, level().processor))


def build(directory: Path = OBJECTS) -> int:
    """Make the loops for every level; returns the number of objects."""
    host()
    store, kinds = Cache(directory), {scheme.loops: scheme.name for scheme in schemes() if not scheme.chooses}
    for one in levels():
        for name, method in kinds.items():
            key = _key(name, sources(method), one.processor)
            store.put(key, make(method, one.processor))
    for path in (directory, *directory.glob("**/*")):  # who runs the package need not be who built it
        path.chmod(0o755 if path.is_dir() else 0o644)
    return len(levels()) * len(kinds)
