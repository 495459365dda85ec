"""Straight-line programs: numbered values, each one operation on earlier ones, equal operations only once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Instruction = tuple[Any, ...]
"""``("input", argument, index)``, ``("const", value)`` or ``(name, value number, …)``."""

LONGEST = 24
"""Factors of a product, at most, that are compared."""
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
        self._factors: dict[int, tuple[int, ...]] = {}
        self._products: dict[tuple[int, ...], int] = {}

    def __call__(self, *instruction: Any) -> int:
        """The number of an instruction."""
        op = instruction[0]
        if op in COMMUTATIVE and instruction[1] > instruction[2]:
            instruction = (op, instruction[2], instruction[1])
        key = ("const", float(instruction[1]).hex()) if op == "const" else instruction
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.code)
            self.code.append(instruction)
        return found

    def product(self, a: int, b: int) -> int:
        """The number of a product; that of the same factors in another order, if there is one."""
        factors = tuple(sorted((*self._factors.get(a, (a,)), *self._factors.get(b, (b,)))))
        if len(factors) > LONGEST:
            return self("mul", a, b)
        found = self._products.get(factors)
        if found is None:
            found = self._products[factors] = self("mul", a, b)
            self._factors.setdefault(found, factors)
        return found


def reads(code: Sequence[Instruction], outputs: Sequence[Sequence[int]]) -> list[int]:
    """How often each value is read by the outputs and by what they need; 0 for what is not needed."""
    counts = [0] * len(code)
    for output in outputs:
        for value in output:
            counts[value] += 1
    for k in range(len(code) - 1, -1, -1):
        if counts[k]:
            instruction = code[k]
            op = instruction[0]
            if op != "input" and op != "const":
                for a in instruction[1:]:
                    counts[a] += 1
    return counts


def kept(
    code: Sequence[Instruction], outputs: Sequence[Sequence[int]], needed: Sequence[int | bool]
) -> Program:
    """The program of the instructions that are needed."""
    renamed = [0] * len(code)
    rest: list[Instruction] = []
    for k, instruction in enumerate(code):
        if needed[k]:
            renamed[k] = len(rest)
            op = instruction[0]
            if op != "input" and op != "const":
                instruction = (op, *[renamed[a] for a in instruction[1:]])
            rest.append(instruction)
    return Program(tuple(rest), tuple([tuple([renamed[v] for v in o]) for o in outputs]))


def used(code: Sequence[Instruction], outputs: tuple[tuple[int, ...], ...]) -> Program:
    """The program without what no output needs."""
    return kept(code, outputs, reads(code, outputs))
