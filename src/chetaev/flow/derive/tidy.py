"""A straight-line program with fewer operations: what costs nothing to know is not computed.

- Signs and powers of two are carried along and set where they matter: m/2 · (2 v) is m v, and −a − a is −2a.
  Both are exact, so this changes no bit.
- Products of the same factors in any order are one, computed once: what is added to itself is doubled, what
  is taken from itself is nothing, and a·cos²x + a·sin²x is a.
- Quotients by one number are products with its reciprocal, which is computed once. A division takes as long
  as eight products, and CasADi turns x · (1/d) back into x/d.
- What two products have in common is drawn out of their sum (`factored`).
- A product that is only added to something is added in one operation, rounded once (`fused`).

Nothing is expanded, and no sum is put into another order. Of a sum of two products neither is fused: so what
cancels for two equal products still cancels, and a motion stays where its symmetry keeps it.

>>> import casadi
>>> from chetaev.flow.derive.instructions import from_casadi
>>> x, a, b = (casadi.SX.sym(name) for name in "xab")
>>> program = from_casadi([x, a, b], [a * casadi.sin(x) ** 2 * b + b * casadi.cos(x) ** 2 * a, b * a - a * b])
>>> [i[0] for i in program.code]
['input', 'input', 'mul', 'const']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import frexp

from chetaev.flow.derive.straight_line import Instruction, Numbering, Program, kept, reads

Scaled = tuple[int, int, int]
"""A value's number, the power of two and the sign that it has yet to be multiplied by."""
LONGEST = 24
"""Factors of a product, at most, that are compared."""
FARTHEST = 200
"""Powers of two that are carried along, at most."""


class Tidying:
    """Makes the instructions of a tidy program."""

    def __init__(self) -> None:
        self.number = Numbering()
        self.code = self.number.code
        self._factors: dict[int, tuple[int, ...]] = {}
        self._products: dict[tuple[int, ...], int] = {}
        self._set: dict[Scaled, int] = {}
        self._differences: set[tuple[int, int]] = set()

    def set(self, value: Scaled) -> int:
        """The number of a value that has its sign and its size."""
        if value not in self._set:
            number, power, sign = value
            known = self._constant(number)
            if known is not None:
                made = self.number("const", sign * known * 2.0**power)
            elif power:
                made = self.number("mul", self.number("const", sign * 2.0**power), number)
            else:
                made = self.number("neg", number) if sign < 0 else number
            self._set[value] = made
        return self._set[value]

    def do(self, name: str, args: Sequence[Scaled], shared: bool) -> Scaled:
        """The value of an operation; `shared` tells that other quotients have the same divisor."""
        first = args[0]
        if name == "add":
            return self._sum(first, args[1])
        if name == "sub":
            number, power, sign = args[1]
            return self._sum(first, (number, power, -sign))
        if name == "div":
            return self._quotient(first, args[1], shared)
        if name == "neg":
            return first[0], first[1], -first[2]
        if name == "abs":
            return self.number("abs", first[0]), first[1], 1
        return self.number(name, *map(self.set, args)), 0, 1

    def _constant(self, number: int) -> float | None:
        instruction = self.code[number]
        return float(instruction[1]) if instruction[0] == "const" else None

    def _near(self, number: int, power: int, sign: int) -> Scaled:
        if abs(power) > FARTHEST:
            return self.set((number, power // 2, sign)), power - power // 2, 1
        return number, power, sign

    def _scale(self, number: int) -> tuple[int, int] | None:
        """The power of two and the sign that a number is; None for other numbers."""
        known = self._constant(number)
        return None if known is None else _power_of_two(known)

    def _factor(self, number: int) -> tuple[int, ...]:
        """The factors of a product, in order of their numbers."""
        found = self._factors.get(number)
        if found is None:
            found = (number,)
            name, *both = self.code[number]
            if name == "mul":
                a, b = both
                factors = sorted(
                    (self._factors.get(a) or self._factor(a)) + (self._factors.get(b) or self._factor(b))
                )
                found = tuple(factors) if len(factors) <= LONGEST else found
            self._factors[number] = found
        return found

    def product(self, x: Scaled, y: Scaled) -> Scaled:
        """The product of two values."""
        (a, p, s), (b, q, r) = x, y
        code, power, sign = self.code, p + q, s * r
        for number, other in ((a, b), (b, a)):
            if code[number][0] == "const":
                if self._constant(number) == 0.0:
                    return number, 0, 1
                scale = self._scale(number)
                if scale is not None:
                    return self._near(other, power + scale[0], sign * scale[1])
        made = self._one_product(a, b)
        return (made, power, sign) if -FARTHEST <= power <= FARTHEST else self._near(made, power, sign)

    def _one_product(self, a: int, b: int) -> int:
        """The number of a product; that of the same factors in another order, if there is one."""
        made = self.number.product(a, b)
        return self._products.setdefault(self._factor(made), made)

    def _quotient(self, x: Scaled, y: Scaled, shared: bool) -> Scaled:
        (a, p, s), (b, q, r) = x, y
        scale = self._scale(b)
        if scale is not None:
            return self._near(a, p - q - scale[0], s * r * scale[1])
        if shared and self._scale(a) is None:
            return self.product(x, (self.number("div", self.number("const", 1.0), b), -q, r))
        return self._near(self.number("div", a, b), p - q, s * r)

    def _sum(self, x: Scaled, y: Scaled) -> Scaled:
        (a, p, s), (b, q, r) = x, y
        kinds = self.code[a][0], self.code[b][0]
        if "const" in kinds:
            if self._constant(a) == 0.0:
                return y
            if self._constant(b) == 0.0:
                return x
        if a == b or kinds == ("mul", "mul"):
            found = self._alike(x, y)
            if found is not None:
                return found
        if p != q:  # all in units of the one that is nearer to its size
            if abs(p) < abs(q):
                (a, p, s), (b, q, r) = (b, q, r), (a, p, s)
            a, p = self.set((a, p - q, 1)), q
        if s == r:
            return self.number("add", a, b), p, s
        if s < 0:
            a, b = b, a
        if (b, a) in self._differences:
            return self.number("sub", b, a), p, -1
        self._differences.add((a, b))
        return self.number("sub", a, b), p, 1

    def _alike(self, x: Scaled, y: Scaled) -> Scaled | None:
        """The sum of two products of the same factors, but perhaps for cos² and sin²."""
        (a, p, s), (b, q, r) = x, y
        first, second = self._factor(a), self._factor(b)
        if len(first) != len(second):
            return None
        if first == second:
            total = s * 2.0**p + r * 2.0**q
            scale = _power_of_two(total)
            if scale is not None:
                return a, *scale
            return (self.number("const", 0.0), 0, 1) if total == 0.0 else None
        if (p, s) != (q, r) or len(first) < 2 or len({*first} ^ {*second}) > 2:
            return None
        *squares, common = _parted(first, second)
        if any(len(part) != 2 or part[0] != part[1] for part in squares):
            return None
        names = [self.code[part[0]] for part in squares]
        if {one[0] for one in names} != {"sin", "cos"} or names[0][1] != names[1][1]:
            return None
        result: Scaled = (self.number("const", 1.0), p, s)
        for factor in common:
            result = self.product((factor, 0, 1), result)
        return result


def tidied(program: Program) -> Program:
    """The same program, tidy; products that are added once are fused with the sum."""
    tidying = Tidying()
    divisors = Counter([i[2] for i in program.code if i[0] == "div"])
    values: list[Scaled] = []
    for instruction in program.code:
        name = instruction[0]
        if name == "mul":
            values.append(tidying.product(values[instruction[1]], values[instruction[2]]))
        elif name == "input" or name == "const":
            values.append((tidying.number(*instruction), 0, 1))
        else:
            shared = name == "div" and divisors[instruction[2]] > 1
            values.append(tidying.do(name, [values[a] for a in instruction[1:]], shared))
    outputs = [[tidying.set(values[k]) for k in output] for output in program.outputs]
    return fused(*factored(tidying.code, outputs))


def _power_of_two(value: float) -> tuple[int, int] | None:
    """(k, s) with s·2ᵏ = value; None if there are none."""
    part, power = frexp(value)
    return (power - 1, 1 if value > 0 else -1) if abs(part) == 0.5 else None


def _parted(first: Sequence[int], second: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """What only the first product has, what only the second, and what both have, equal ones together.

    >>> _parted([3, 1, 3, 2], [3, 5, 1])
    ([3, 2], [5], [3, 1])
    """
    mine, others = Counter(first), Counter(second)
    common = {f: min(n, others[f]) for f, n in mine.items() if f in others}
    parts = [[f for f, n in all_of.items() for _ in range(n - common.get(f, 0))] for all_of in (mine, others)]
    return parts[0], parts[1], [f for f, n in common.items() for _ in range(n)]


def factored(
    code: Sequence[Instruction], outputs: Sequence[Sequence[int]]
) -> tuple[list[Instruction], list[list[int]]]:
    """a·b ± a·c as a·(b ± c), where nothing else reads the two products; what is not needed is left out."""
    counts, number = reads(code, outputs), Numbering()
    values = [-1] * len(code)

    def factors(k: int) -> list[int]:
        instruction = code[k]
        if instruction[0] != "mul" or counts[k] > 1:
            return [k]
        return factors(instruction[1]) + factors(instruction[2])

    def product(some: list[int]) -> int:
        first, *others = [values[f] for f in some]
        for other in others:
            first = number.product(first, other)
        return first

    for k, instruction in enumerate(code):
        if not counts[k]:
            continue
        name = instruction[0]
        if name == "input" or name == "const":
            values[k] = number(*instruction)
            continue
        if name == "add" or name == "sub":
            _, p, q = instruction
            first = factors(p) if code[p][0] == code[q][0] == "mul" else []
            second = factors(q) if len(first) > 1 else []
            if len(second) > 1 and not {*first}.isdisjoint(second):
                a, b, common = _parted(first, second)
                if a and b:
                    rest = number(name, product(a), product(b))
                    values[k] = number.product(rest, product(common))
                    continue
        values[k] = number(name, *[values[a] for a in instruction[1:]])
    return number.code, [[values[k] for k in output] for output in outputs]


def fused(code: list[Instruction], outputs: Sequence[Sequence[int]]) -> Program:
    """Products that are added once, with the sum: ``fma`` a·b + c, ``fms`` a·b − c, ``fnma`` c − a·b."""
    counts, made = reads(code, outputs), list(code)

    def rounds(number: int) -> bool:
        """Whether a value is a product that is rounded."""
        name, *both = code[number]
        if name != "mul":
            return False
        return not any(code[a][0] == "const" and _power_of_two(code[a][1]) for a in both)

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
