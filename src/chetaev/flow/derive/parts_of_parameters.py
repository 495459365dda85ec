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

from chetaev.flow.derive.straight_line import Instruction, Program, used


def parts_of_parameters(program: Program, argument: int, count: int) -> tuple[Program, Program]:
    """The program of what an argument of length `count` decides alone, and that of the rest.

    The one output of the first is what the second reads as entries of that argument from `count` on. Both
    have the operations of the program as it is, so that nothing changes by a bit.
    """
    known: list[bool] = []
    needed: dict[int, int] = {}
    for name, *args in program.code:
        if name == "input":
            known.append(args[0] == argument)
        elif name == "const":
            known.append(True)
        else:
            known.append(all(known[a] for a in args))
            if not known[-1]:
                needed.update({a: 0 for a in args if known[a]})
    needed.update({k: 0 for output in program.outputs for k in output if known[k]})
    kept = [k for k in sorted(needed) if program.code[k][0] not in ("input", "const")]
    code: list[Instruction] = list(program.code)
    for place, k in enumerate(kept):
        code[k] = ("input", argument, count + place)
    return used(program.code, (tuple(kept),)), used(code, program.outputs)
