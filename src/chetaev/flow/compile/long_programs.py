"""A long program is cut into pieces, functions that hand values to each other through memory.

The code generator's effort grows faster than the length of a function, so pieces keep compiling linear in
the size of a model. Sines and cosines of the same value are computed together; those of several angles at
once, as a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from chetaev.flow.compile.elementary import HUGE_FLAG, InstructionWriter

if TYPE_CHECKING:
    from chetaev.flow.derive.straight_line import Instruction, Program

WEAK_FLAG = 1
ANGLES = 8
"""Most angles whose sines and cosines are computed together."""
PIECE = 300
"""Most instructions in one piece."""


class Access(Protocol):
    """How a piece reads arguments and writes results."""

    def load(self, writer: InstructionWriter, argument: int, index: int) -> str:
        """The value of an argument's entry."""

    def store(self, writer: InstructionWriter, value: str, pointer: str, index: int) -> None:
        """Write a result."""


def load(
    writer: InstructionWriter, pointer: str, offset: int | str, kind: str = "double", align: int = 8
) -> str:
    """Read an entry of an array."""
    address = writer.emit(f"getelementptr {kind}, ptr {pointer}, i64 {offset}")
    return writer.emit(f"load {kind}, ptr {address}, align {align}")


def store(
    writer: InstructionWriter, value: str, pointer: str, offset: int, kind: str = "double", align: int = 8
) -> None:
    """Write an entry of an array."""
    address = writer.emit(f"getelementptr {kind}, ptr {pointer}, i64 {offset}")
    writer.lines.append(f"  store {kind} {value}, ptr {address}, align {align}")


def _paired(code: Sequence[Instruction]) -> list[int]:
    """The order of instructions with cos right after the sin of the same value, and the reverse."""
    partner: dict[tuple[str, int], int] = {}
    for k, instruction in enumerate(code):
        if instruction[0] in ("sin", "cos", "tan"):
            partner.setdefault((instruction[0], instruction[1]), k)
    if not partner:
        return list(range(len(code)))
    order: list[int] = []
    placed = [False] * len(code)
    for k, instruction in enumerate(code):
        if placed[k]:
            continue
        placed[k] = True
        order.append(k)
        if instruction[0] in ("sin", "cos", "tan"):
            for name in ("sin", "cos", "tan"):
                i = partner.get((name, instruction[1]), k)
                if not placed[i]:
                    placed[i] = True
                    order.append(i)
    return order


def _places(last: dict[int, int], home: dict[int, int], parts: int) -> tuple[dict[int, int], int]:
    """A place in memory for each value that leaves its piece, free after the last piece that reads it."""
    made: list[list[int]] = [[] for _ in range(parts)]
    for value in last:
        made[home[value]].append(value)
    slots: dict[int, int] = {}
    free: list[int] = []
    busy: list[int] = []
    room = 0
    for part in range(parts):
        free += [slots[v] for v in busy if last[v] < part]
        busy = [v for v in busy if last[v] >= part]
        for value in made[part]:
            if free:
                slots[value] = free.pop()
            else:
                slots[value], room = room, room + 1
            busy.append(value)
    return slots, room


class ProgramPieces:
    """Cuts a program into pieces and writes each as a function."""

    def __init__(
        self,
        name: str,
        program: Program,
        places: Sequence[tuple[str, int, int]],
        margin: int | None,
        lanes: int,
        libm: bool,
        arguments: str,
        access: Access,
        apart: bool = False,
    ) -> None:
        self.name, self.program, self.margin, self.apart = name, program, margin, apart
        self.lanes, self.libm, self.arguments, self.access = lanes, libm, arguments, access
        self.declared: dict[str, str] = {}
        code = program.code
        order = [k for k in _paired(code) if code[k][0] not in ("input", "const")]
        self.parts = [order[i : i + PIECE] for i in range(0, len(order), PIECE)] or [[]]
        self.home = {k: i for i, part in enumerate(self.parts) for k in part}
        self.results: dict[int, list[tuple[str, int]]] = {}
        for pointer, index, value in places:
            self.results.setdefault(value, []).append((pointer, index))
        self.slots: dict[int, int] = {}
        self.room = 0
        if len(self.parts) > 1:
            self._hand_on(order)

    def _hand_on(self, order: Sequence[int]) -> None:
        """Places for the values that other pieces need than those that make them."""
        code = self.program.code
        needed = [(a, self.home[k]) for k in order for a in code[k][1:]]
        if self.margin is not None:
            read = (*self._margins(), *(self.results if self.lanes > 1 else ()))
            needed += [(a, len(self.parts) - 1) for a in read]
        last: dict[int, int] = {}
        for a, where in needed:
            if self.home.get(a, where) != where:
                last[a] = max(where, last.get(a, 0))
        self.slots, self.room = _places(last, self.home, len(self.parts))

    def text(self) -> str:
        """All pieces."""
        return "\n".join(self._piece(i) for i in range(len(self.parts)))

    def calls(self, writer: InstructionWriter, arguments: str) -> str:
        """Call the pieces in order; returns the flags that any of them raised, in each lane the largest."""
        flags = writer.constant(0.0) if self.apart else "0"
        for i in range(len(self.parts)):
            flag = writer.emit(f"call {self.kind} @{self.name}.{i}({arguments})")
            if self.apart:
                flags = writer.select(writer.compare("ogt", flag, flags), flag, flags)
            else:
                flags = writer.emit(f"or i64 {flags}, {flag}")
        return flags

    @property
    def kind(self) -> str:
        """The type of flags: a whole number for all lanes, or with flags apart a number for each."""
        return InstructionWriter(self.lanes).type if self.apart else "i64"

    def scratch(self, writer: InstructionWriter) -> None:
        """Memory for the values that pieces hand on."""
        size = 8 * self.lanes
        writer.lines.append(f"  %scratch = alloca [{max(1, self.room)} x {writer.type}], align {size}")

    def _piece(self, number: int) -> str:
        writer = InstructionWriter(self.lanes, self.libm)
        writer.lines.append(f"  ret {self.kind} {self.body(writer, number)}")
        body, aligned = "\n".join(writer.lines), " alignstack(64)" if self.apart else ""
        head = f"define internal {self.kind} @{self.name}.{number}({self.arguments})"
        return f"{head} nounwind{aligned} {{\n{body}\n}}"

    def body(self, writer: InstructionWriter, number: int) -> str:
        """Write the instructions of a piece; returns its flags."""
        align = 8 * self.lanes
        values: dict[int, str] = {}
        code = self.program.code

        def value(k: int) -> str:
            if k not in values:
                instruction = code[k]
                if instruction[0] == "const":
                    values[k] = writer.constant(instruction[1])
                elif instruction[0] == "input":
                    values[k] = self.access.load(writer, instruction[1], instruction[2])
                else:
                    values[k] = load(writer, "%scratch", self.slots[k], writer.type, align)
            return values[k]

        if self.lanes == 1 and not self.libm:
            self._circles(writer, number, value)
        for k in self.parts[number]:
            op, *args = code[k]
            values[k] = writer.operation(op, [values[a] if a in values else value(a) for a in args])
            if k in self.slots:
                store(writer, values[k], "%scratch", self.slots[k], writer.type, align)
        last = number == len(self.parts) - 1
        for k, targets in self.results.items():
            if self.home.get(k, len(self.parts) - 1) == number:
                for pointer, index in targets:
                    self.access.store(writer, value(k), pointer, index)
        watch = [value(k) for k in self._margins()] if last else []
        if watch and self.tells_margin:
            watch = [self._doubt(writer, watch[0], [value(k) for k in self.results])]
        flags = self._flags(writer, watch)
        self.declared |= writer.declared
        return flags

    def _circles(self, writer: InstructionWriter, number: int, value: Callable[[int], str]) -> None:
        """Sines and cosines of arguments, the usual angles, as vectors although there is one state only."""
        code = self.program.code
        wanted = [code[k][1] for k in self.parts[number] if code[k][0] in ("sin", "cos", "tan")]
        angles = [a for a in dict.fromkeys(wanted) if code[a][0] == "input"]
        while len(angles) > 1:
            width = next(w for w in (8, 4, 2) if w <= min(len(angles) + 1, ANGLES))
            writer.sincos_together([value(a) for a in angles[:width]], width)
            angles = angles[width:]

    @property
    def tells_margin(self) -> bool:
        """Whether the margin is written down, and not only looked at."""
        return self.lanes > 1 and not self.apart

    def _margins(self) -> list[int]:
        """What is to be not negative: the margin, or all of which it is the least.

        The least of some numbers is negative, or nan, where one of them is.
        """
        open_ = [] if self.margin is None else [self.margin]
        if self.tells_margin:
            return open_
        found: dict[int, bool] = {}
        while open_:
            value = open_.pop()
            name, *args = self.program.code[value]
            if value not in found:
                found[value] = name != "min" and (name != "const" or not args[0] >= 0.0)
                open_ += reversed(args) if name == "min" else ()
        return [value for value, counts in found.items() if counts]

    def _doubt(self, writer: InstructionWriter, margin: str, results: list[str]) -> str:
        """The margin, or nan where a result is not finite; written to ``aux``."""
        total = results[0]
        for value in results[1:]:
            total = writer.binary("add", total, value)
        nothing = writer.emit(f"fsub {writer.type} {total}, {total}")
        doubt = writer.emit(f"fadd {writer.type} {margin}, {nothing}")
        start = writer.emit("getelementptr double, ptr %aux, i64 %first")
        writer.lines.append(f"  store {writer.type} {doubt}, ptr {start}, align 8")
        return doubt

    def _flags(self, writer: InstructionWriter, margins: list[str]) -> str:
        flags, weak = "0", self._weak(writer, margins)
        if self.apart:
            flags = writer.constant(0.0)
            for found, flag in ((weak, WEAK_FLAG), (writer.huge, HUGE_FLAG)):
                if found is not None:
                    flags = writer.select(found, writer.constant(float(flag)), flags)
            return flags
        if weak is not None:
            flags = self._raised(writer, weak, WEAK_FLAG)
        for raised in writer.raised:
            flags = writer.emit(f"or i64 {flags}, {raised}")
        if writer.huge is not None:
            flags = writer.emit(f"or i64 {flags}, {self._raised(writer, writer.huge, HUGE_FLAG)}")
        return flags

    def _weak(self, writer: InstructionWriter, margins: list[str]) -> str | None:
        """Where one of the margins is negative or nan."""
        weak: str | None = None
        for margin in margins:
            found = writer.compare("ult", margin, writer.constant(0.0))
            weak = found if weak is None else writer.either(weak, found)
        return weak

    def _raised(self, writer: InstructionWriter, found: str, flag: int) -> str:
        if self.lanes > 1:
            bits = writer.emit(f"bitcast {writer.bit} {found} to i{self.lanes}")
            found = writer.emit(f"icmp ne i{self.lanes} {bits}, 0")
        return writer.emit(f"select i1 {found}, i64 {flag}, i64 0")
