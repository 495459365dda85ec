"""Object files in memory: sections laid out, addresses set, in a tenth of the time that LLVM's linker takes.

What LLVM makes here is one ELF file without data that change, in which every address is a whole one
(relocation ``R_X86_64_64`` of the System V ABI for x86-64, chapter 4.4: S + A, 8 bytes). Any other object,
and one that calls what is not known, is left to LLVM (`machine.Library`).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Protocol

from chetaev.flow.compile.executable_memory import ExecutableMemory, runs_here
from chetaev.flow.compile.machine import Library, libm_addresses

HEAD = struct.Struct("<4sBB10xHHIQQQIHHHHHH")
"""The head of an ELF file: from what the letters say to the number of its sections."""
SECTION = struct.Struct("<IIQQQQIIQQ")
CODE, SYMBOLS, RELOCATIONS = 1, 2, 4
"""Types of sections."""
WRITABLE, IN_MEMORY = 1, 2
"""Flags of sections."""
WHOLE_ADDRESS = 1
"""The relocation S + A."""
SYMBOL = [("name", "<u4"), ("kind", "<u2"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
RELOCATION = [("offset", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<i8")]


class Code(Protocol):
    """Machine code in memory."""

    def address(self, name: str) -> int:
        """Where a function starts."""


class UnknownObjectError(Exception):
    """An object file that is not of the kind that is understood here."""


class LoadedObject:
    """Machine code of an object file in memory; it stays there as long as this object lives.

    `known` are functions that it calls besides those of the C library, and where they stand. An
    `UnknownObjectError` if the file is of another kind.
    """

    def __init__(self, code: bytes, known: Mapping[str, int]) -> None:
        import numpy as np  # not needed to build the package

        sections = _sections(code)
        starts, size = _layout(sections)
        self._memory = ExecutableMemory(size)
        block = bytearray(size)
        for number, start in starts.items():
            offset, length = sections[number][4:6]
            block[start : start + length] = code[offset : offset + length]
        tables = [s for s in sections if s[1] == SYMBOLS]
        if len(tables) != 1:
            raise UnknownObjectError("not one table of symbols")
        symbols = np.frombuffer(code, SYMBOL, tables[0][5] // 24, tables[0][4])
        strings = sections[tables[0][6]][4]
        self._addresses: dict[str, int] = {}
        values = np.zeros(len(symbols), np.uint64)
        unknown = []
        for number, (name, _, section, value, _) in enumerate(symbols.tolist()):
            if section in starts:
                values[number] = place = self._memory.start + starts[section] + value
                if name:
                    self._addresses[code[strings + name : code.index(0, strings + name)].decode()] = place
            elif section == 0 and name:
                wanted = code[strings + name : code.index(0, strings + name)].decode()
                found = known.get(wanted) or libm_address(wanted)
                unknown += [] if found else [wanted]
                values[number] = found
        if unknown:
            raise UnknownObjectError(f"it calls {', '.join(unknown)}")
        entries = np.frombuffer(block, np.uint8)
        for section in sections:
            if section[1] == RELOCATIONS and section[7] in starts:
                rows = np.frombuffer(code, RELOCATION, section[5] // 24, section[4])
                if np.any(rows["type"] != WHOLE_ADDRESS):
                    raise UnknownObjectError("it has addresses of another kind")
                places = rows["offset"].astype(np.int64) + starts[section[7]]
                whole = values[rows["symbol"]] + rows["addend"].astype(np.uint64)
                entries[places[:, None] + np.arange(8)] = whole.view(np.uint8).reshape(-1, 8)
        del entries
        self._memory.fill(block)

    def address(self, name: str) -> int:
        """Where a function starts."""
        if name not in self._addresses:
            raise KeyError(f"the compiled code has no function {name!r}")
        return self._addresses[name]


def _sections(code: bytes) -> list[tuple[int, ...]]:
    """The heads of the sections of an ELF file for x86-64 that is to be linked."""
    if len(code) < HEAD.size:
        raise UnknownObjectError("too short")
    letters, width, order, kind, machine, _, _, _, first, _, _, _, _, size, count, _ = HEAD.unpack_from(code)
    if (letters, width, order, kind, machine, size) != (b"\x7fELF", 2, 1, 1, 62, SECTION.size):
        raise UnknownObjectError("no ELF file for x86-64")
    return [SECTION.unpack_from(code, first + i * size) for i in range(count)]


def _layout(sections: list[tuple[int, ...]]) -> tuple[dict[int, int], int]:
    """Where the sections go that are to be in memory, and how long all of them are."""
    starts, size = {}, 0
    for number, (_, kind, flags, _, _, length, _, _, align, _) in enumerate(sections):
        if flags & IN_MEMORY and length:
            if kind != CODE or flags & WRITABLE:
                raise UnknownObjectError("it has data that change, or notes for whoever unwinds the stack")
            size = -(-size // max(align, 64)) * max(align, 64)
            starts[number] = size
            size += length
    return starts, size


def libm_address(name: str) -> int:
    """Where a function of the C library stands that code may call; 0 if there is none of this name."""
    return libm_addresses().get(name, 0)


def loaded(code: bytes, known: Mapping[str, int] | None = None) -> Code:
    """Machine code from an object file; a RuntimeError if it is none.

    `known` has functions that it calls besides those of the C library, and where they stand.
    """
    if runs_here():
        try:
            return LoadedObject(code, known or {})
        except (UnknownObjectError, struct.error, ValueError, IndexError):
            pass
    return Library(code, known)
