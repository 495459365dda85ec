"""Straight-line programs: numbered values, each one operation on earlier ones, equal operations only once.

CasADi gives a function's instructions over a re-used work vector; here every value gets a number of its own,
equal operations become one (CasADi differentiates sin to a new cos each time), and what no output needs is
left out. A program has as few operations as can be without any algebra:

- Products of the same factors in any order are one, computed once (`Numbering.product`): what is taken from
  itself is nothing.
- Quotients by one number are products with its reciprocal, which is computed once. A division takes as long
  as eight products, and CasADi turns x · (1/d) back into x/d.
- A product that is only added to something is added in one operation, rounded once (`fused`).

Nothing is expanded, and no sum is put into another order. Of a sum of two products neither is fused: so what
cancels for two equal products still cancels, and a motion stays where its symmetry keeps it.

>>> import casadi
>>> a, b, c = (casadi.SX.sym(name) for name in "abc")
>>> program = from_casadi([a, b, c], [a * b * c - c * b * a, a * b + c])
>>> [i[0] for i in program.code]
['input', 'input', 'input', 'const', 'fma']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import frexp
from typing import Any

import casadi

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


def tidied(program: Program) -> Program:
    """The same program, tidy."""
    number = Numbering()
    divisors = Counter([i[2] for i in program.code if i[0] == "div"])
    values: list[int] = []
    for name, *rest in program.code:
        if name == "input" or name == "const":
            values.append(number(name, *rest))
            continue
        args = [values[a] for a in rest]
        if name == "div" and divisors[rest[1]] > 1 and program.code[rest[0]] != ("const", 1.0):
            name, args = "mul", [args[0], number("div", number("const", 1.0), args[1])]
        if name == "mul":
            values.append(number.product(*args))
        elif name == "sub" and args[0] == args[1]:
            values.append(number("const", 0.0))
        else:
            values.append(number(name, *args))
    return fused(number.code, [[values[k] for k in output] for output in program.outputs])


def fused(code: list[Instruction], outputs: Sequence[Sequence[int]]) -> Program:
    """Products that are added once, with the sum: ``fma`` a·b + c, ``fms`` a·b − c, ``fnma`` c − a·b."""
    counts, made = reads(code, outputs), list(code)

    def rounds(number: int) -> bool:
        """Whether a value is a product that is rounded: one with a power of two is exact."""
        name, *both = code[number]
        if name != "mul":
            return False
        return not any(code[a][0] == "const" and abs(frexp(code[a][1])[0]) == 0.5 for a in both)

    for k, instruction in enumerate(code):
        name = instruction[0]
        if (name != "add" and name != "sub") or not counts[k]:
            continue
        _, a, b = instruction
        if code[a][0] == code[b][0] == "mul" and rounds(a) and rounds(b):
            continue
        if code[b][0] == "mul" and counts[b] == 1:
            made[k] = ("fma" if name == "add" else "fnma", *code[b][1:], a)
            counts[b] = 0
        elif code[a][0] == "mul" and counts[a] == 1:
            made[k] = ("fma" if name == "add" else "fms", *code[a][1:], b)
            counts[a] = 0
    return kept(made, outputs, counts)


OPERATIONS = """
    add sub mul div neg exp log pow constpow sqrt sq twice inv assign hypot log1p expm1 erf
    sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh
    lt le eq ne not and or floor ceil fmod fabs sign copysign fmin fmax if_else_zero
"""
"""CasADi's operations that have a name here."""
REWRITTEN = {"assign", "twice", "sq", "inv"}
"""What others say as well: 2x = x + x, x² = x·x, the inverse is a quotient."""


@cache
def _names() -> dict[int, str]:
    special = {"fmin": "min", "fmax": "max", "fabs": "abs", "constpow": "pow", "if_else_zero": "where"}
    return {getattr(casadi, f"OP_{word.upper()}"): special.get(word, word) for word in OPERATIONS.split()}


def from_casadi(inputs: Sequence[Any], outputs: Sequence[Any]) -> Program:
    """The program that computes CasADi expressions; outputs are taken dense, column by column."""
    function = casadi.Function("f", list(inputs), [o if o.is_dense() else casadi.densify(o) for o in outputs])
    names, number = _names(), Numbering()
    identified, reads, writes = (getattr(function, f"instruction_{x}") for x in ("id", "input", "output"))
    work: dict[int, int] = {}
    results: list[dict[int, int]] = [{} for _ in outputs]
    for k in range(function.n_instructions()):
        op, given, made = identified(k), reads(k), writes(k)
        name = names.get(op)
        if name == "mul":
            work[made[0]] = number.product(work[given[0]], work[given[1]])
        elif name in REWRITTEN:
            work[made[0]] = _rewritten(number, name, work[given[0]])
        elif name is not None:
            work[made[0]] = number(name, *[work[i] for i in given])
        elif op == casadi.OP_OUTPUT:
            results[made[0]][made[1]] = work[given[0]]
        elif op == casadi.OP_INPUT:
            work[made[0]] = number("input", *given)
        else:
            assert op == casadi.OP_CONST, f"CasADi's operation {op}"
            work[made[0]] = number("const", function.instruction_constant(k))
    ordered = tuple([tuple([r[i] for i in range(len(r))]) for r in results])
    return tidied(Program(tuple(number.code), ordered))


def _rewritten(number: Numbering, name: str, arg: int) -> int:
    match name:
        case "assign":
            return arg
        case "twice":
            return number("add", arg, arg)
        case "sq":
            return number("mul", arg, arg)
        case _:
            return number("div", number("const", 1.0), arg)
