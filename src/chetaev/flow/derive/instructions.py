"""A straight-line program: numbered values, each one operation on earlier ones.

CasADi gives a function's instructions over a re-used work vector; here every value gets a number of its own,
equal operations become one (CasADi differentiates sin to a new cos each time), what need not be computed is
not (see `tidy`), and what no output needs is left out.

>>> import casadi
>>> x = casadi.SX.sym("x", 2)
>>> program = from_casadi([x], [casadi.sin(x[0]) * x[1] + casadi.sin(x[0])])
>>> [i[0] for i in program.code]
['input', 'sin', 'input', 'fma']
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import casadi

from chetaev.flow.derive.straight_line import Numbering, Program
from chetaev.flow.derive.tidy import tidied

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
