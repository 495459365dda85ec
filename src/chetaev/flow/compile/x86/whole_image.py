"""Functions side by side in an image, with the constants and the table of addresses that they share."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from chetaev.flow.compile.code_image import CodeImage
from chetaev.flow.compile.one_state import OneState
from chetaev.flow.compile.x86.writer import FunctionWriter

HEAD = (1 << 63, 0, (1 << 63) - 1, 0, 0x3FF << 52, 0, 0xBFF << 52, 0, 0, 0)
"""The first constants of every pool; see `x86.writer`."""


def image_of(functions: Sequence[OneState]) -> CodeImage:
    """The image of some functions."""
    pool = struct.pack(f"<{len(HEAD)}Q", *HEAD)
    constants, known = bytearray(pool), dict[bytes, int]()

    def constant(value: float) -> int:
        bits = struct.pack("<d", value)
        if bits not in known:
            known[bits] = len(constants) // 8
            constants.extend(bits)
        return known[bits]

    written = [FunctionWriter(function, constant) for function in functions]
    calls = tuple(dict.fromkeys(name for one in written for _, name, _ in one.encoder.calls))
    first = -(-8 * len(calls) // 16) * 16
    block = bytearray(first) + constants
    starts: dict[str, int] = {}
    for one in written:
        block += b"\xcc" * (-len(block) % 32)
        starts[one.function.name] = len(block)
        block += one.head
        start, code = len(block), one.encoder.code
        for place, number, after in one.encoder.constants:
            struct.pack_into("<i", code, place, first + 8 * number - start - after)
        for place, name, after in one.encoder.calls:
            struct.pack_into("<i", code, place, 8 * calls.index(name) - start - after)
        block += code
        block += one.tail
    return CodeImage(starts, calls, bytes(block))
