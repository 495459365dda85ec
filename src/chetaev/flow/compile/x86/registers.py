"""Which value is in which register, and from where a value can be read again.

Values of a straight-line program are made once and known to be needed until their last use. Where no register
is free, the value goes that is needed last (Belady 1966); it is written to the stack unless it can be read
again from where it came: an argument, a constant, or the stack.
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.flow.compile.x86.encoding import RSP, Encoder, Operand, Place

SCRATCH = 15
"""The register that holds no value, for use within one operation."""
NEVER = 1 << 62
"""The position of what does not happen."""


class Registers:
    """The places of the values of one function."""

    def __init__(self, encoder: Encoder, uses: list[list[int]]) -> None:
        self.encoder = encoder  # where instructions go
        self.uses = uses  # the positions at which each value is read, the next one last
        self.register = [-1] * len(uses)  # of each value, −1 if it is in none
        self.home: list[Place | None] = [None] * len(uses)  # where it can be read in memory; None if nowhere
        self.slots = 0  # how many doubles the stack frame holds
        self._held = [-1] * SCRATCH
        self._free = list(range(SCRATCH))[::-1]
        self._slot: dict[int, int] = {}
        self._free_slots: list[int] = []

    def block(self, count: int) -> int:
        """The first of so many places side by side on the stack, in a row of the cache if there is room."""
        first = self.slots if count == 1 else -(-self.slots // 8) * 8
        self.slots = first + count
        return first

    def read(self, values: Sequence[int]) -> None:
        """Note that an instruction has come to its operands."""
        for value in values:
            self.uses[value].pop()

    def loaded(self, value: int, keep: Sequence[Operand] = ()) -> int:
        """A register that holds a value; those to `keep` stay what they are."""
        found = self.register[value]
        if found < 0:
            found = self._room(keep)
            self.copy(found, value)
            self.register[value] = found
            self._held[found] = value
        return found

    def copy(self, target: int, value: int) -> None:
        """Bring a value into a register that is not its own."""
        place = self.home[value]
        if self.register[value] >= 0:
            self.encoder.move(target, self.register[value])
        else:
            assert place is not None
            self.encoder.load(target, place)

    def operand(self, value: int, keep: Sequence[Operand] = ()) -> Operand:
        """A register, or the place of a value in memory if this is its last use."""
        found = self.register[value]
        if found >= 0:
            return found
        place = self.home[value]
        if place is not None and not self.uses[value]:
            return place
        return self.loaded(value, keep)

    def released(self, *values: int) -> None:
        """Give back the registers of operands that are not read again."""
        for value in values:
            found = self.register[value]
            if found >= 0 and not self.uses[value]:
                self._drop(found, value)

    def target(self, keep: Sequence[Operand] = ()) -> int:
        """A register for a result."""
        return self._free.pop() if self._free else self._room(keep)

    def retake(self, register: int) -> None:
        """Take a register that has just been given back."""
        self._free.remove(register)

    def define(self, value: int, target: int, operands: Sequence[int] = ()) -> None:
        """A value has been made; the places of operands that are not read again may be used for others."""
        if self._slot:
            for operand in operands:
                if not self.uses[operand] and operand in self._slot:
                    self._free_slots.append(self._slot.pop(operand))
        self.register[value] = target
        self._held[target] = value

    def settled(self, value: int) -> None:
        """Give back the register of a value that nobody reads, after it was stored."""
        if not self.uses[value]:
            self._drop(self.register[value], value)

    def clear(self) -> None:
        """Empty all registers, for a call: what is read again goes to the stack."""
        for register, value in enumerate(self._held):
            if value >= 0:
                self._leave(register, value)
                self._drop(register, value)

    def write(self, value: int) -> Place:
        """The place of a value in memory, which it is written to if it has none."""
        place = self.home[value]
        if place is None:
            slot = self._free_slots.pop() if self._free_slots else self.block(1)
            self._slot[value] = slot
            place = self.home[value] = (RSP, 8 * slot)
            self.encoder.store(self.register[value], place)
        return place

    def _leave(self, register: int, value: int) -> None:
        if self.uses[value]:
            self.write(value)

    def _drop(self, register: int, value: int) -> None:
        self.register[value] = -1
        self._held[register] = -1
        self._free.append(register)

    def _room(self, keep: Sequence[Operand]) -> int:
        """A register, emptied if need be of the value that is read last."""
        if not self._free:
            uses, held = self.uses, self._held
            farthest, latest = -1, -1
            for register, value in enumerate(held):
                last = uses[value]
                position = last[-1] if last else NEVER
                if position > latest and register not in keep:
                    farthest, latest = register, position
            value = held[farthest]
            self._leave(farthest, value)
            self._drop(farthest, value)
        return self._free.pop()
