"""A straight-line program with fewer operations.

- Products of the same factors in any order are one, computed once (`Numbering.product`): what is taken from
  itself is nothing.
- Quotients by one number are products with its reciprocal, which is computed once. A division takes as long
  as eight products, and CasADi turns x · (1/d) back into x/d.
- A product that is only added to something is added in one operation, rounded once (`fused`).

Nothing is expanded, and no sum is put into another order. Of a sum of two products neither is fused: so what
cancels for two equal products still cancels, and a motion stays where its symmetry keeps it.

>>> import casadi
>>> from chetaev.flow.derive.instructions import from_casadi
>>> a, b, c = (casadi.SX.sym(name) for name in "abc")
>>> program = from_casadi([a, b, c], [a * b * c - c * b * a, a * b + c])
>>> [i[0] for i in program.code]
['input', 'input', 'input', 'const', 'fma']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import frexp

from chetaev.flow.derive.straight_line import Instruction, Numbering, Program, kept, reads


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
