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

from chetaev.flow.derive.straight_line import Numbering, Program, used
from chetaev.flow.derive.tidy import tidied


@cache
def _names() -> dict[int, str]:
    words = [
        "ADD",
        "SUB",
        "MUL",
        "DIV",
        "NEG",
        "EXP",
        "LOG",
        "POW",
        "CONSTPOW",
        "SQRT",
        "SQ",
        "TWICE",
        "SIN",
        "COS",
        "TAN",
        "ASIN",
        "ACOS",
        "ATAN",
        "LT",
        "LE",
        "EQ",
        "NE",
        "NOT",
        "AND",
        "OR",
        "FLOOR",
        "CEIL",
        "FMOD",
        "FABS",
        "SIGN",
        "COPYSIGN",
        "IF_ELSE_ZERO",
        "ERF",
        "FMIN",
        "FMAX",
        "INV",
        "SINH",
        "COSH",
        "TANH",
        "ASINH",
        "ACOSH",
        "ATANH",
        "ATAN2",
        "LOG1P",
        "EXPM1",
        "HYPOT",
        "ASSIGN",
    ]
    special = {"FMIN": "min", "FMAX": "max", "FABS": "abs", "CONSTPOW": "pow", "IF_ELSE_ZERO": "where"}
    return {getattr(casadi, f"OP_{w}"): special.get(w, w.lower()) for w in words}


def from_casadi(inputs: Sequence[Any], outputs: Sequence[Any]) -> Program:
    """The program that computes CasADi expressions; outputs are taken dense, column by column."""
    function = casadi.Function("f", list(inputs), [casadi.densify(o) for o in outputs])
    names, number = _names(), Numbering()
    work: dict[int, int] = {}
    results: list[dict[int, int]] = [{} for _ in outputs]
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        if op == casadi.OP_OUTPUT:
            (source,), (output, index) = function.instruction_input(k), function.instruction_output(k)
            results[output][index] = work[source]
            continue
        target = function.instruction_output(k)[0]
        if op == casadi.OP_CONST:
            work[target] = number("const", function.instruction_constant(k))
        elif op == casadi.OP_INPUT:
            work[target] = number("input", *function.instruction_input(k))
        else:
            work[target] = _operation(number, names[op], [work[i] for i in function.instruction_input(k)])
    ordered = tuple(tuple(r[i] for i in range(len(r))) for r in results)
    return tidied(used(number.code, ordered))


def _operation(number: Numbering, name: str, args: list[int]) -> int:
    match name:
        case "assign":
            return args[0]
        case "twice":
            return number("add", args[0], args[0])
        case "sq":
            return number("mul", args[0], args[0])
        case "inv":
            return number("div", number("const", 1.0), args[0])
    return number(name, *args)
