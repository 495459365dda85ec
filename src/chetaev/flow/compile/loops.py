"""The integrators' loops as machine code, the same for all models.

They are made when the package is built (see `shipped`); where that code is missing, or older than the
loops' text, they are made on first use and kept in the cache. Each scheme has loops of its own, in which
nothing of the others is.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from chetaev.flow.compile import elementary, shipped
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.machine import Library, Processor, host, joined, object_code
from chetaev.flow.derive.digest import digest
from chetaev.flow.kernels import integration
from chetaev.flow.kernels.integration import Search
from chetaev.flow.schemes import DEFAULT, find
from chetaev.flow.schemes.scheme import Scheme

COMMON = (
    "statuses", "integration", "linear", "field", "by_scheme", "control", "project", "samples",
    "walk", "events", "advance", "stretch", "observe",
)  # fmt: skip
"""The loops of all schemes; those of a scheme come behind. Imported where machine code is made, only."""
MAKERS = (
    "compile/elementary", "compile/kernel_values", "compile/small_compiler", "compile/link",
    "compile/machine", "schemes/scheme", "compile/signatures",
)  # fmt: skip
"""What makes code of them."""
HOME = Path(__file__).parents[1]
KERNELS = {
    "advance": ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 14),
    "carry": ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 22),
    "each_state": ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p, ctypes.c_int64] * 5, ctypes.c_void_p
    ),
}  # fmt: skip
"""What is called from here; arrays are passed as addresses."""

_lock = threading.RLock()
_loaded: dict[str, Library] = {}


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
    loop = Search(*functions, scheme.table, ints, reals, none, none, none, none)
    loop.d, loop.events = length, events
    loop.order, loop.estimate = scheme.order, scheme.estimate
    loop.stage_count, loop.end_stage = scheme.stages, scheme.end_stage
    loop.vector_count, loop.room_size = scheme.vectors, scheme.room(length)
    return loop


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


def text(method: str = DEFAULT) -> str:
    """The LLVM text of a scheme's loops."""
    from chetaev.flow.compile import link

    given = {"binary_logarithm": elementary.logarithm_text(1), "power_of_two": elementary.exponential_text(1)}
    written = link.translate(modules(method), given, tuple(KERNELS))
    return joined(written, *(elementary.circle_text(width) for width in elementary.WIDTHS))


def make(method: str, processor: Processor) -> bytes:
    """The object code of a scheme's loops."""
    return object_code(text(method), optimise=True, processor=processor)


def library(cache: Cache | None = None, method: str = DEFAULT) -> Library:
    """The machine code of a scheme's loops."""
    name = find(method).loops
    with _lock:
        if name not in _loaded:
            made_from = sources(method)
            code = shipped.code(name, made_from)
            if code is None:
                cache = cache if cache is not None else Cache()
                key = digest("loops", name, host().fingerprint, made_from)
                code = cache.kept(key, lambda: make(method, host()))
            _loaded[name] = Library(code)
        return _loaded[name]


def kernel(name: str, cache: Cache | None = None, method: str = DEFAULT) -> Callable[..., Any]:
    """One of `KERNELS` as machine code."""
    return KERNELS[name](library(cache, method).address(name))


def circles(cache: Cache | None = None) -> dict[str, int]:
    """Where the functions for sines and cosines stand, which programs call."""
    return {f"circle{n}": library(cache).address(f"circle{n}") for n in elementary.WIDTHS}
