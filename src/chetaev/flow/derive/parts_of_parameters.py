"""What of a program depends on parameters alone, and the rest of it: each is computed when it changes.

>>> import casadi
>>> from chetaev.flow.derive.instructions import from_casadi
>>> x, p = casadi.SX.sym("x"), casadi.SX.sym("p", 2)
>>> first, rest = parts_of_parameters(from_casadi([x, p], [p[0] * p[1] * casadi.sin(x)]), 1, 2)
>>> first.code, first.outputs
((('input', 1, 0), ('input', 1, 1), ('mul', 0, 1)), ((2,),))
>>> rest.code
(('input', 1, 2), ('input', 0, 0), ('sin', 1), ('mul', 0, 2))
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.flow.derive.straight_line import Instruction, Program, used


def decided(program: Program, argument: int, count: int) -> list[bool]:
    """Of each value whether the first `count` entries of an argument decide it alone."""
    known: list[bool] = []
    for name, *args in program.code:
        if name == "input":
            known.append(args[0] == argument and args[1] < count)
        else:
            known.append(name == "const" or all(known[a] for a in args))
    return known


def steady_ends(program: Program, values: Sequence[int], argument: int, count: int) -> tuple[int, int]:
    """How many of the first and how many of the last of some values those entries decide alone.

    >>> import casadi
    >>> from chetaev.flow.derive.instructions import from_casadi
    >>> x, p = casadi.SX.sym("x"), casadi.SX.sym("p", 2)
    >>> program = from_casadi([x, p], [casadi.vertcat(1, p[0] * p[1], x, x + 1, p[0])])
    >>> steady_ends(program, program.outputs[0], 1, 2)
    (2, 1)
    """
    known = decided(program, argument, count)
    moving = [k for k, value in enumerate(values) if not known[value]]
    return (moving[0], len(values) - 1 - moving[-1]) if moving else (len(values), 0)


def parts_of_parameters(program: Program, argument: int, count: int) -> tuple[Program, Program]:
    """The program of what an argument of length `count` decides alone, and that of the rest.

    The one output of the first is what the second reads as entries of that argument from `count` on. Both
    have the operations of the program as it is, so that nothing changes by a bit.
    """
    known = decided(program, argument, count)
    needed: dict[int, int] = {}
    for k, (name, *args) in enumerate(program.code):
        if name not in ("input", "const") and not known[k]:
            needed.update({a: 0 for a in args if known[a]})
    needed.update({k: 0 for output in program.outputs for k in output if known[k]})
    kept = [k for k in sorted(needed) if program.code[k][0] not in ("input", "const")]
    code: list[Instruction] = list(program.code)
    for place, k in enumerate(kept):
        code[k] = ("input", argument, count + place)
    return used(program.code, (tuple(kept),)), used(code, program.outputs)
