"""Machine code that is made when the package is built: the integrators' loops, for a few kinds of processor.

LLVM makes code for any processor of an architecture on any other, so a build holds the loops for every level
below; a run takes the highest level that its processor has. Code is found by the hash of what it was made
from, so after a change of the loops' text it is not found, and `flow.compile.loops` makes it anew.

>>> level().processor.lanes in (2, 4, 8)
True
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm

from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.machine import Processor, host
from chetaev.flow.derive.digest import digest

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


@cache
def level() -> Level:
    """The best level that this processor has; its very own kind on other architectures."""
    features = {name for name, present in llvm.get_host_cpu_features().items() if present}
    return next((level for level in levels() if level.needs <= features), Level(host()))


def _key(name: str, sources: str, processor: Processor) -> str:
    """What the code of some loops is found by; which LLVM made it does not matter to those who run it."""
    target = (llvm.get_default_triple(), processor.cpu, processor.features, str(processor.lanes))
    return digest("loops", name, sources, *target)


def code(name: str, sources: str) -> bytes | None:
    """The code of the loops that came with the package, if it was made from the same sources."""
    return Cache(OBJECTS, shipped=True).get(_key(name, sources, level().processor))


def build(directory: Path = OBJECTS) -> int:
    """Make the loops for every level; returns the number of objects."""
    from chetaev.flow.compile import loops
    from chetaev.flow.schemes import schemes

    host()
    store, kinds = Cache(directory), {scheme.loops: scheme.name for scheme in schemes() if not scheme.chooses}
    for one in levels():
        for name, method in kinds.items():
            key = _key(name, loops.sources(method), one.processor)
            store.put(key, loops.make(method, one.processor))
    for path in (directory, *directory.glob("**/*")):  # who runs the package need not be who built it
        path.chmod(0o755 if path.is_dir() else 0o644)
    return len(levels()) * len(kinds)
