"""The few instructions of x86-64 that straight-line programs need, as bytes.

All are in the three-byte VEX form of the processor's manual (Intel SDM 2A, 2.3.5): ``C4``, then R, X, B and
the map, then W, v and the prefix, the opcode, ModRM, and for a place in memory a displacement; R, X, B and v
are written inverted. Registers are numbers, 0 to 15 for xmm0 to xmm15; an operand is one of them or a place,
a pair of a base register and an offset in bytes. `POOL` as a base means a constant, by its number; its offset
is set when all code is there.

>>> writer = Encoder()
>>> writer.scalar(ADD, 1, 2, 9)
>>> writer.scalar(MUL, 8, 1, (RBX, 16))
>>> writer.code.hex(" ")
'c4 c1 6b 58 c9 c4 61 73 59 43 10'
"""

from __future__ import annotations

Place = tuple[int, int]
Operand = int | Place

RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI = range(8)
R12, R13, R14, R15 = 12, 13, 14, 15
POOL = -1

ADD, MUL, SUB, MIN, DIV, MAX, SQRT = 0x58, 0x59, 0x5C, 0x5D, 0x5E, 0x5F, 0x51
AND, OR, XOR, MOVE = 0x54, 0x56, 0x57, 0x28
EQUAL, UNORDERED, UNEQUAL, LESS, AT_MOST, GREATER = 0x00, 0x03, 0x04, 0x11, 0x12, 0x1E
"""Predicates that do not signal; only `UNORDERED` and `UNEQUAL` hold for nan."""
DOWN, UP = 0x09, 0x0A
"""How to round to a whole number."""
PRODUCT_PLUS, PRODUCT_MINUS, MINUS_PRODUCT = 0x99, 0x9B, 0x9D
"""Fused operations in the form 132; those of 213 and 231 come 16 and 32 behind."""


class Encoder:
    """Code as it grows, and where it mentions what is not yet known."""

    def __init__(self) -> None:
        self.code = bytearray()
        # where an offset is to be set, the number of the constant, and where the next instruction starts
        self.constants: list[tuple[int, int, int]] = []
        self.calls: list[tuple[int, str, int]] = []  # the same for functions that are called, by name

    def _vex(self, first: int, second: int, opcode: int, register: int, operand: Operand, tail: int) -> None:
        """An instruction; `first` and `second` are the bytes behind ``C4`` without R, X, B and v.

        `tail` is the number of bytes that follow it as an immediate value.
        """
        code = self.code
        middle = (register & 7) << 3
        if register < 8:
            first |= 0x80
        if type(operand) is int:
            if operand < 8:
                first |= 0x20
            code += bytes((0xC4, first | 0x40, second, opcode, 0xC0 | middle | operand & 7))
            return
        base, offset = operand  # type: ignore[misc]
        if base == POOL:
            code += bytes((0xC4, first | 0x60, second, opcode, middle | 5, 0, 0, 0, 0))
            self.constants.append((len(code) - 4, offset, len(code) + tail))
            return
        if base < 8:
            first |= 0x20
        near = -128 <= offset < 128
        code += bytes((0xC4, first | 0x40, second, opcode, (0x40 if near else 0x80) | middle | base & 7))
        if base & 7 == RSP:
            code.append(0x24)
        code += offset.to_bytes(1 if near else 4, "little", signed=True)

    def scalar(self, opcode: int, target: int, a: int, b: Operand) -> None:
        """Target = a ∘ b for doubles."""
        if type(b) is int:  # most of all instructions: as below, at once
            first = (0xC1 if target < 8 else 0x41) | (0x20 if b < 8 else 0)
            last = 0xC0 | (target & 7) << 3 | b & 7
            self.code += bytes((0xC4, first, (15 - a) << 3 | 3, opcode, last))
        else:
            self._vex(0x01, (15 - a) << 3 | 3, opcode, target, b, 0)

    def packed(self, opcode: int, target: int, a: int, b: Operand) -> None:
        """Target = a ∘ b bit by bit; a place in memory has 16 bytes."""
        self._vex(0x01, (15 - a) << 3 | 1, opcode, target, b, 0)

    def compare(self, predicate: int, target: int, a: int, b: Operand) -> None:
        """All bits of the target are set where the predicate holds, else none."""
        self._vex(0x01, (15 - a) << 3 | 3, 0xC2, target, b, 1)
        self.code.append(predicate)

    def blend(self, target: int, a: int, b: Operand, mask: int) -> None:
        """Target = b where the mask is set, else a; a place in memory has 16 bytes."""
        self._vex(0x03, (15 - a) << 3 | 1, 0x4B, target, b, 1)
        self.code.append(mask << 4)

    def rounded(self, direction: int, target: int, a: int) -> None:
        """Target = a as a whole number."""
        self._vex(0x03, (15 - a) << 3 | 1, 0x0B, target, a, 1)
        self.code.append(direction)

    def fused(self, opcode: int, target: int, a: int, b: Operand) -> None:
        """A product and a sum, rounded once: target·b ± a, a·target ± b, a·b ± target in 132, 213, 231."""
        self._vex(0x02, 0x80 | (15 - a) << 3 | 1, opcode, target, b, 0)

    def load(self, target: int, place: Place) -> None:
        """Read a double."""
        self._vex(0x01, 0x7B, 0x10, target, place, 0)

    def store(self, source: int, place: Place) -> None:
        """Write a double."""
        self._vex(0x01, 0x7B, 0x11, source, place, 0)

    def move(self, target: int, source: int) -> None:
        """Copy a register."""
        self._vex(0x01, 0x79, MOVE, target, source, 0)

    def against(self, a: int, b: Operand) -> None:
        """Set the flags of the processor: carry where a < b or one is nan."""
        self._vex(0x01, 0x79, 0x2E, a, b, 0)

    def call(self, name: str) -> None:
        """Call a function through the table of addresses."""
        self.code += b"\xff\x15\0\0\0\0"
        self.calls.append((len(self.code) - 4, name, len(self.code)))

    def point_to(self, offset: int) -> None:
        """rdi = rsp + offset."""
        self.code += b"\x48\x8d\xbc\x24" + offset.to_bytes(4, "little")
