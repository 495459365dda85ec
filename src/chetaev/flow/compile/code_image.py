r"""Machine code that needs no linker: constants, functions, and the addresses of what they call.

An image is a block of memory that may stand anywhere. It begins with a table of addresses, filled in where it
is loaded; constants follow, 16 bytes to a row, then the functions. On disk a line of JSON says where they
start and what stands in the table.

>>> data = CodeImage({"f": 0}, (), b"\xc3").data
>>> CodeImage.read(data) == CodeImage({"f": 0}, (), b"\xc3")
True
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from chetaev.flow.compile.executable_memory import ExecutableMemory, runs_here
from chetaev.flow.compile.shipped import V3, level

MAGIC = b"chetaev image 1\n"


@dataclass(frozen=True)
class CodeImage:
    """A block of machine code."""

    functions: dict[str, int]  # where each function starts
    calls: tuple[str, ...]  # the functions whose addresses stand at the beginning, in order
    block: bytes  # the bytes

    @property
    def data(self) -> bytes:
        """The image as it stands on disk."""
        return MAGIC + json.dumps([self.functions, self.calls]).encode() + b"\n" + self.block

    @classmethod
    def read(cls, data: bytes) -> CodeImage:
        """An image from disk; a ValueError if it is none."""
        if not data.startswith(MAGIC):
            raise ValueError("no image")
        head, _, block = data[len(MAGIC) :].partition(b"\n")
        match json.loads(head):
            case [dict() as functions, list() as calls]:
                inside = all(type(place) is int and 0 <= place < len(block) for place in functions.values())
                if inside and all(type(name) is str for name in calls) and 8 * len(calls) <= len(block):
                    return cls(functions, tuple(calls), block)
        raise ValueError("no image")


@cache
def writes_code() -> bool:
    """Whether `flow.compile.x86` writes for this processor and this system's way of calling functions."""
    return runs_here() and level().needs >= V3


class LoadedImage:
    """Machine code in memory as long as this object lives; `known` gives addresses of what it calls."""

    def __init__(self, image: CodeImage, known: Callable[[str], int]) -> None:
        addresses = struct.pack(f"<{len(image.calls)}Q", *map(known, image.calls))
        self._memory = ExecutableMemory(len(image.block))
        self._memory.fill(addresses + image.block[len(addresses) :])
        self._places = image.functions

    def address(self, name: str) -> int:
        """Where a function starts."""
        if name not in self._places:
            raise KeyError(f"the compiled code has no function {name!r}")
        return self._memory.start + self._places[name]
