"""A straight-line program as a function of JavaScript.

>>> import casadi
>>> from chetaev.flow.derive.program import from_casadi
>>> x = casadi.SX.sym("x", 2)
>>> print(javascript(from_casadi([x], [x[0] * casadi.sin(x[1])]), ["x"]))
(x, o) => {
const a = x[0], b = x[1], c = Math.sin(b), d = a * c;
o[0] = d;
}
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import count, islice, product
from string import ascii_letters

from chetaev.flow.derive.program import Instruction, Program

_MATH = """
    sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log sqrt log1p expm1 sign
"""
WRITTEN = {
    **{name: f"Math.{name}({{0}})" for name in _MATH.split()},
    **{name: f"Math.{name}({{0}}, {{1}})" for name in ("atan2", "pow", "hypot", "min", "max")},
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "neg": "-{0}",
    "fma": "{0} * {1} + {2}", "fms": "{0} * {1} - {2}", "fnma": "{2} - {0} * {1}",
    "lt": "+({0} < {1})", "le": "+({0} <= {1})", "eq": "+({0} === {1})", "ne": "+({0} !== {1})",
    "not": "+!{0}", "and": "+({0} && {1})", "or": "+({0} || {1})", "where": "{0} ? {1} : 0",
    "floor": "Math.floor({0})", "ceil": "Math.ceil({0})", "abs": "Math.abs({0})", "fmod": "{0} % {1}",
    "copysign": "Math.sign({1} || 1 / {1}) * Math.abs({0})",
}  # fmt: skip
"""How each operation is written; `erf` is the one that JavaScript lacks."""
_WORDS = {"as", "do", "if", "in", "is", "of"}


def javascript(program: Program, arguments: Sequence[str]) -> str:
    """The text of a function of arrays with these names; what it computes is stored in the last one, ``o``.

    Raises
    ------
    KeyError
        With the name of an operation that JavaScript lacks.
    """
    names = dict(enumerate(islice(_names({*arguments, "o"}), len(program.code))))
    lines = [f"{names[k]} = {_written(one, arguments, names)}" for k, one in enumerate(program.code)]
    stored = [names[value] for output in program.outputs for value in output]
    body = [f"const {', '.join(lines)};"] if lines else []
    body += [f"o[{i}] = {name};" for i, name in enumerate(stored)]
    return "\n".join([f"({', '.join([*arguments, 'o'])}) => {{", *body, "}"])


def _written(one: Instruction, arguments: Sequence[str], names: dict[int, str]) -> str:
    match one:
        case ("input", argument, index):
            return f"{arguments[argument]}[{index}]"
        case ("const", value):
            return number(value)
        case (name, *given):
            return WRITTEN[name].format(*(names[k] for k in given))
    raise AssertionError(one)


def number(value: float) -> str:
    """A double, exactly.

    >>> number(0.1), number(3.0), number(float("-inf"))
    ('0.1', '3', '-Infinity')
    """
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return str(int(value)) if value.is_integer() and 0 < abs(value) < 1e15 else repr(value)


def _names(taken: set[str]) -> Iterator[str]:
    """Short names, none of them a word of the language."""
    for length in count(1):
        for letters in product(ascii_letters, repeat=length):
            name = "".join(letters)
            if name not in taken and (length > 2 or name not in _WORDS):
                yield name if length < 3 else f"${name}"
