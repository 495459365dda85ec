"""Event functions as tapes: lists of operations that `flow.kernels.enclose` carries out on intervals.

The k-th operation is three integers: what to do, and the places of its arguments; its result has the place k.
Arguments of the function are operations too: the time, an entry of the state (q, v), a parameter, a number.

>>> from chetaev.expr.graph.node import number, symbol
>>> tape = write([symbol("x") * symbol("x", 1) - 2], "t", ["x"], [])
>>> tape.operations(0)
[(1, 0, 0), (1, 1, 0), (5, 0, 1), (3, 0, 0), (4, 2, 3)]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chetaev.expr.graph.node import Expr, postorder, symbols
from chetaev.flow.kernels import enclose, jets

_UNARY = {
    name: int(vars(jets)[f"OP_{name.upper()}"])
    for name in (
        "neg", "abs", "sign", "sin", "cos", "tan", "sqrt", "log", "acosh", "asin", "acos", "atanh", "exp",
        "sinh", "tanh", "asinh", "atan", "cosh",
    )
}  # fmt: skip
_CHAINED = {"add": jets.OP_ADD, "mul": jets.OP_MUL, "min": jets.OP_MIN, "max": jets.OP_MAX}
_CONSTANTS = {"pi": math.pi, "e": math.e}


@dataclass(frozen=True)
class Tape:
    """Tapes in one array: the entries of the state in use, then the operations of each function."""

    # how many entries of the state are used and where they are listed, where each tape stands and its length;
    # then all that
    code: NDArray[np.int64]
    numbers: NDArray[np.float64]  # the numbers that occur
    longest: int  # the length of the longest tape

    def operations(self, index: int) -> list[tuple[int, int, int]]:
        """The operations of one function."""
        first, length = self.code[enclose.TAPES + 2 * index : enclose.TAPES + 2 * index + 2]
        rows = self.code[first : first + 3 * length].reshape(-1, 3)
        return [(int(op), int(a), int(b)) for op, a, b in rows]


def write(graphs: Sequence[Expr], time: str, coordinates: Sequence[str], parameters: Sequence[str]) -> Tape:
    """The tapes of some graphs; `parameters` are in the order in which the compiled code gets them."""
    inputs = {(time, 0): (enclose.OP_TIME, 0)}
    for order in (0, 1):
        for i, name in enumerate(coordinates):
            inputs[name, order] = (enclose.OP_STATE, i + order * len(coordinates))
    for i, name in enumerate(parameters):
        inputs[name, 0] = (enclose.OP_PARAMETER, i)
    moving = {key for key, (op, _) in inputs.items() if op != enclose.OP_PARAMETER}
    numbers: dict[float, int] = {}
    tapes = [_Writer(inputs, moving, numbers).tape(graph) for graph in graphs]
    used = sorted({a for tape in tapes for op, a, _ in tape if op == enclose.OP_STATE})
    at = enclose.TAPES + 2 * len(tapes)
    head, body = [len(used), at], list(used)
    for tape in tapes:
        head += [at + len(body), len(tape)]
        body += [x for operation in tape for x in operation]
    longest = max((len(tape) for tape in tapes), default=0)
    return Tape(np.array(head + body, np.int64), np.array([*numbers, 0.0]), longest)


class _Writer:
    """Writes one tape; equal operations stand there once."""

    def __init__(
        self,
        inputs: dict[tuple[str, int], tuple[int, int]],
        moving: set[tuple[str, int]],
        numbers: dict[float, int],
    ) -> None:
        self.inputs, self.moving, self.numbers = inputs, moving, numbers
        self.made: list[tuple[int, int, int]] = []
        self.known: dict[tuple[int, int, int], int] = {}

    def tape(self, root: Expr) -> list[tuple[int, int, int]]:
        place: dict[int, int] = {}
        for node in postorder(root):
            place[id(node)] = self.node(node, [place[id(a)] for a in node.args])
        if place[id(root)] != len(self.made) - 1:  # the result stands last
            self.made.append((jets.OP_ADD, place[id(root)], self.number(0.0)))
        return self.made

    def put(self, op: int, a: int, b: int = 0) -> int:
        if (op, a, b) not in self.known:
            self.known[op, a, b] = len(self.made)
            self.made.append((op, a, b))
        return self.known[op, a, b]

    def number(self, value: float) -> int:
        return self.put(enclose.OP_NUMBER, self.numbers.setdefault(value, len(self.numbers)))

    def node(self, node: Expr, args: list[int]) -> int:
        op = node.op
        if op == "number":
            return self.number(float(node.value))
        if op == "constant":
            return self.number(_CONSTANTS[node.value])
        if op == "symbol":
            return self.put(*self.inputs[node.value])
        if op == "define":
            return args[0]
        if op in _CHAINED:
            result = args[0]
            for a in args[1:]:
                result = self.put(_CHAINED[op], result, a)
            return result
        if op == "div":
            return self.put(jets.OP_DIV, *args)
        if op == "atan2":
            return self.put(jets.OP_ATAN2, *args)
        if op == "pow":
            if symbols(node.args[1]) & self.moving:  # u^v = exp(v log u)
                return self.put(jets.OP_EXP, self.put(jets.OP_MUL, args[1], self.put(jets.OP_LOG, args[0])))
            return self.put(jets.OP_POW, *args)
        return self.put(_UNARY[op], args[0])
