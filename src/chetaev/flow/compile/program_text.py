"""A straight-line program as the LLVM text of a function of one state, or of one state in each lane.

    i64 f(double t, double *y, double *p, double *out, double *aux)        y = (q, v)

The result is `WEAK_FLAG` where the chart is weak, else 0. With lanes every number is a vector, also the
result, and lane l of entry e of an array is the entry of motion l; there the flag is also raised where an
angle is too large for the sines in lanes.

A long program is cut into pieces, functions that exchange values through memory: the code generator's effort
grows faster than the length of a function, so that compiling stays linear in the size of a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chetaev.flow.compile.elementary import InstructionWriter
from chetaev.flow.derive.program import Program

WEAK_FLAG = 1
PIECE = 300
"""Most instructions in one piece."""
POINTERS = ("y", "p", "out", "aux")


@dataclass(frozen=True)
class Store:
    """Where the entries of an output go: pointer ``out`` or ``aux``, from an offset on."""

    pointer: str
    offset: int = 0


@dataclass(frozen=True)
class OneState:
    """A program as a function of one state."""

    name: str  # of the function
    program: Program  # its arguments are t, q, v, p, and what stands behind (q, v), if it uses that
    size: int  # number of coordinates n
    stores: Sequence[Store | None]  # where each output goes; None for an output that is not stored
    velocities: bool = False  # whether v is copied to the first n places of ``out``, as in a field on (q, v)
    margin: int | None = None  # the output that is negative, or nan, where the chart is weak

    @property
    def results(self) -> dict[int, list[tuple[str, int]]]:
        """For each value that is stored the pointers and indices at which it is."""
        found: dict[int, list[tuple[str, int]]] = {}
        for output, place in zip(self.program.outputs, self.stores, strict=True):
            for i, value in enumerate(output if place is not None else ()):
                assert place is not None
                found.setdefault(value, []).append((place.pointer, place.offset + i))
        return found


def entry(size: int, argument: int, index: int) -> tuple[str, int]:
    """Where an entry of an argument but t stands: pointer ``y`` or ``p``, and the index there.

    >>> entry(5, 2, 3)  # v₃ of five coordinates
    ('y', 8)
    """
    if argument == 3:
        return "p", index
    return "y", index + size * (0, 0, 1, 0, 2)[argument]


def state_text(function: OneState, lanes: int = 1) -> str:
    """The text of a function of one state; with lanes, of one in each."""
    writer = InstructionWriter(lanes)
    kind, aligned = ("i64", "") if lanes == 1 else (writer.type, " alignstack(64)")
    pointers = ", ".join(f"ptr noalias nocapture %{x}" for x in POINTERS)
    pieces = _Pieces(function, lanes)
    for i in range(function.size if function.velocities else 0):
        writer.store("%out", i, writer.load("%y", function.size + i))
    texts, declared = [], writer.declared
    if len(pieces.parts) == 1:
        flag = pieces.write(writer, 0)
    else:
        writer.lines.append(f"  %scratch = alloca [{max(1, pieces.room)} x {writer.type}], align {8 * lanes}")
        given = ", ".join([f"{writer.type} %t", *(f"ptr %{x}" for x in (*POINTERS, "scratch"))])
        for number in range(len(pieces.parts)):
            inner = InstructionWriter(lanes)
            inner.lines.append(f"  ret {kind} {pieces.write(inner, number)}")
            head = f"define internal {kind} @{function.name}.{number}"
            arguments = f"({writer.type} %t, {pointers}, ptr noalias %scratch) nounwind{aligned}"
            texts.append("\n".join([f"{head}{arguments} {{", *inner.lines, "}"]))
            declared |= inner.declared
            raised = writer.emit(f"call {kind} @{function.name}.{number}({given})")
            if number == 0:
                flag = raised
            elif lanes == 1:
                flag = writer.emit(f"or i64 {flag}, {raised}")
            else:
                flag = writer.select(writer.compare("ogt", raised, flag), raised, flag)
    writer.lines.append(f"  ret {kind} {flag}")
    head = f"define {kind} @{function.name}({writer.type} %t, {pointers}) nounwind{aligned} {{"
    return "\n".join([*declared.values(), *texts, head, *writer.lines, "}", ""])


class _Pieces:
    """A program in pieces: which instructions are in which, and where values stand that go from one to
    another.
    """

    def __init__(self, function: OneState, lanes: int) -> None:
        self.function, self.lanes, self.code = function, lanes, function.program.code
        order = [k for k, instruction in enumerate(self.code) if instruction[0] not in ("input", "const")]
        self.parts = [order[i : i + PIECE] for i in range(0, len(order), PIECE)] or [[]]
        self.last = len(self.parts) - 1
        self.home = {k: i for i, part in enumerate(self.parts) for k in part}
        self.results = function.results
        self.margin = None if function.margin is None else function.program.outputs[function.margin][0]
        self.slots, self.room = self._places(order) if self.last else ({}, 0)

    def _places(self, order: Sequence[int]) -> tuple[dict[int, int], int]:
        """A place in memory for each value that leaves its piece, free after the last piece that reads it."""
        needed = [(a, self.home[k]) for k in order for a in self.code[k][1:]]
        needed += [] if self.margin is None else [(self.margin, self.last)]
        until: dict[int, int] = {}
        for a, where in needed:
            if self.home.get(a, where) != where:
                until[a] = max(where, until.get(a, 0))
        slots: dict[int, int] = {}
        free: list[int] = []
        busy: list[int] = []
        room = 0
        for part, values in enumerate(self.parts):
            free += [slots[v] for v in busy if until[v] < part]
            busy = [v for v in busy if until[v] >= part] + [v for v in values if v in until]
            for value in values:
                if value in until:
                    slots[value], room = (free.pop(), room) if free else (room, room + 1)
        return slots, room

    def write(self, writer: InstructionWriter, number: int) -> str:
        """Write the instructions of a piece; returns its flag."""
        values: dict[int, str] = {}

        def value(k: int) -> str:
            if k not in values:
                name, *rest = self.code[k]
                if name == "const":
                    values[k] = writer.constant(rest[0])
                elif name != "input":
                    values[k] = writer.load("%scratch", self.slots[k])
                elif rest[0] == 0:
                    values[k] = "%t"
                else:
                    pointer, place = entry(self.function.size, rest[0], rest[1])
                    values[k] = writer.load(f"%{pointer}", place)
            return values[k]

        if self.lanes == 1:  # the usual angles, side by side
            turning = [
                self.code[k][1] for k in self.parts[number] if self.code[k][0] in ("sin", "cos", "tan")
            ]
            angles = [a for a in dict.fromkeys(turning) if self.code[a][0] == "input"]
            writer.circles([value(a) for a in angles])
        for k in self.parts[number]:
            name, *args = self.code[k]
            values[k] = writer.operation(name, [value(a) for a in args])
            if k in self.slots:
                writer.store("%scratch", self.slots[k], values[k])
        for k, places in self.results.items():
            if self.home.get(k, self.last) == number:
                for pointer, index in places:
                    writer.store(f"%{pointer}", index, value(k))
        weak = writer.huge
        if number == self.last and self.margin is not None:
            found = writer.compare("ult", value(self.margin), writer.constant(0.0))
            weak = found if weak is None else writer.either(weak, found)
        if self.lanes > 1:
            none = writer.constant(0.0)
            return none if weak is None else writer.select(weak, writer.constant(float(WEAK_FLAG)), none)
        return "0" if weak is None else writer.emit(f"select i1 {weak}, i64 {WEAK_FLAG}, i64 0")
