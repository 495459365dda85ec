"""Straight-line programs: numbered values, each one operation on earlier ones, equal operations only once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Instruction = tuple[Any, ...]
"""``("input", argument, index)``, ``("const", value)`` or ``(name, value number, …)``."""

COMMUTATIVE = {"add", "mul", "min", "max", "eq", "ne", "and", "or", "hypot"}


@dataclass(frozen=True)
class Program:
    """Instructions in order, and for each output the value numbers of its entries (column major)."""

    code: tuple[Instruction, ...]
    outputs: tuple[tuple[int, ...], ...]

    @property
    def operations(self) -> int:
        """Number of instructions that compute something."""
        return sum(1 for i in self.code if i[0] not in ("input", "const"))


class Numbering:
    """Gives equal instructions one number."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self._known: dict[Instruction, int] = {}

    def __call__(self, *instruction: Any) -> int:
        """The number of an instruction."""
        op = instruction[0]
        if op in COMMUTATIVE and instruction[1] > instruction[2]:
            instruction = (op, instruction[2], instruction[1])
        key = ("const", float(instruction[1]).hex()) if op == "const" else instruction
        new = len(self.code)
        found = self._known.setdefault(key, new)
        if found == new:
            self.code.append(instruction)
        return found


def used(code: Sequence[Instruction], outputs: tuple[tuple[int, ...], ...]) -> Program:
    """The program without what no output needs."""
    needed = bytearray(len(code))
    for output in outputs:
        for value in output:
            needed[value] = 1
    for k in range(len(code) - 1, -1, -1):
        if needed[k]:
            op, *args = code[k]
            if op != "input" and op != "const":
                for a in args:
                    needed[a] = 1
    if 0 not in needed:
        return Program(tuple(code), outputs)
    renamed = [0] * len(code)
    kept: list[Instruction] = []
    for k, instruction in enumerate(code):
        if needed[k]:
            renamed[k] = len(kept)
            if instruction[0] in ("input", "const"):
                kept.append(instruction)
            else:
                kept.append((instruction[0], *[renamed[a] for a in instruction[1:]]))
    return Program(tuple(kept), tuple([tuple([renamed[v] for v in o]) for o in outputs]))
