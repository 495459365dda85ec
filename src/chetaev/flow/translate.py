"""Programs as LLVM text: one state at a time for the integrators, many states at once for arrays.

Scalar functions have the signature ``i64 f(double t, double *y, double *p, double *out, double *aux)`` with
y = (q, v); the result is a set of flags: 1 the chart is weak here, 2 an argument of sin or cos is too large.
Batch functions read row-major arrays, ``i64 f(i64 count, double *t, i64 step, double *q, double *v,
double *p, double *out, double *aux)``, a vector of states at a time; the last vector overlaps the one before
it. With a margin, ``aux`` gets one number for each state, not ≥ 0 where the chart is weak or a result is not
finite.

A long program is cut into pieces, functions that hand values to each other through memory: the code
generator's effort grows faster than the length of a function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from chetaev.flow.elementary import HUGE, Writer

if TYPE_CHECKING:
    from chetaev.flow.instructions import Instruction, Program

WEAK_FLAG, HUGE_FLAG = 1, 2
PIECE = 300
"""Most instructions in one piece."""


@dataclass(frozen=True)
class Store:
    """Where the entries of an output go: pointer ``out`` or ``aux``, from an offset on."""

    pointer: str
    offset: int = 0


class _Access(Protocol):
    """How a piece reads arguments and writes results."""

    def load(self, writer: Writer, argument: int, index: int) -> str:
        """The value of an argument's entry."""

    def store(self, writer: Writer, value: str, pointer: str, index: int) -> None:
        """Write a result."""


def _load(writer: Writer, pointer: str, offset: int | str, kind: str = "double", align: int = 8) -> str:
    address = writer.emit(f"getelementptr {kind}, ptr {pointer}, i64 {offset}")
    return writer.emit(f"load {kind}, ptr {address}, align {align}")


def _store(
    writer: Writer, value: str, pointer: str, offset: int, kind: str = "double", align: int = 8
) -> None:
    address = writer.emit(f"getelementptr {kind}, ptr {pointer}, i64 {offset}")
    writer.lines.append(f"  store {kind} {value}, ptr {address}, align {align}")


# --- pieces -----------------------------------------------------------------------------------------


def _paired(code: Sequence[Instruction]) -> list[int]:
    """The order of instructions with cos right after the sin of the same value, and the reverse."""
    partner: dict[tuple[str, int], int] = {}
    for k, instruction in enumerate(code):
        if instruction[0] in ("sin", "cos", "tan"):
            partner.setdefault((instruction[0], instruction[1]), k)
    order: list[int] = []
    placed = [False] * len(code)
    for k, instruction in enumerate(code):
        if placed[k]:
            continue
        group = [k]
        if instruction[0] in ("sin", "cos", "tan"):
            group += [
                partner[n, instruction[1]] for n in ("sin", "cos", "tan") if (n, instruction[1]) in partner
            ]
        for i in dict.fromkeys(group):
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


class _Pieces:
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
        access: _Access,
    ) -> None:
        self.name, self.program, self.margin = name, program, margin
        self.lanes, self.libm, self.arguments, self.access = lanes, libm, arguments, access
        self.declared: dict[str, str] = {}
        code = program.code
        order = [k for k in _paired(code) if code[k][0] not in ("input", "const")]
        self.parts = [order[i : i + PIECE] for i in range(0, len(order), PIECE)] or [[]]
        self.home = {k: i for i, part in enumerate(self.parts) for k in part}
        self.results: dict[int, list[tuple[str, int]]] = {}
        for pointer, index, value in places:
            self.results.setdefault(value, []).append((pointer, index))
        needed = [(a, self.home[k]) for k in order for a in code[k][1:]]
        if margin is not None:
            needed += [(a, len(self.parts) - 1) for a in (margin, *(self.results if lanes > 1 else ()))]
        last: dict[int, int] = {}
        for a, where in needed:
            if self.home.get(a, where) != where:
                last[a] = max(where, last.get(a, 0))
        self.slots, self.room = _places(last, self.home, len(self.parts))

    def text(self) -> str:
        """All pieces."""
        return "\n".join(self._piece(i) for i in range(len(self.parts)))

    def calls(self, writer: Writer, arguments: str) -> str:
        """Call the pieces in order; returns the flags that any of them raised."""
        flags = "0"
        for i in range(len(self.parts)):
            flag = writer.emit(f"call i64 @{self.name}.{i}({arguments})")
            flags = writer.emit(f"or i64 {flags}, {flag}")
        return flags

    def scratch(self, writer: Writer) -> None:
        """Memory for the values that pieces hand on."""
        size = 8 * self.lanes
        writer.lines.append(f"  %scratch = alloca [{max(1, self.room)} x {writer.type}], align {size}")

    def _piece(self, number: int) -> str:
        writer = Writer(self.lanes, self.libm)
        writer.lines.append(f"  ret i64 {self.body(writer, number)}")
        body = "\n".join(writer.lines)
        return f"define internal i64 @{self.name}.{number}({self.arguments}) nounwind {{\n{body}\n}}"

    def body(self, writer: Writer, number: int) -> str:
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
                    values[k] = _load(writer, "%scratch", self.slots[k], writer.type, align)
            return values[k]

        for k in self.parts[number]:
            op, *args = code[k]
            values[k] = writer.operation(op, [value(a) for a in args])
            if k in self.slots:
                _store(writer, values[k], "%scratch", self.slots[k], writer.type, align)
        last = number == len(self.parts) - 1
        for k, targets in self.results.items():
            if self.home.get(k, len(self.parts) - 1) == number:
                for pointer, index in targets:
                    self.access.store(writer, value(k), pointer, index)
        watch = value(self.margin) if last and self.margin is not None else None
        if watch is not None and self.lanes > 1:
            watch = self._doubt(writer, watch, [value(k) for k in self.results])
        flags = self._flags(writer, watch)
        self.declared |= writer.declared
        return flags

    def _doubt(self, writer: Writer, margin: str, results: list[str]) -> str:
        """The margin, or nan where a result is not finite; written to ``aux``."""
        total = results[0]
        for value in results[1:]:
            total = writer.binary("add", total, value)
        nothing = writer.emit(f"fsub {writer.type} {total}, {total}")
        doubt = writer.emit(f"fadd {writer.type} {margin}, {nothing}")
        start = writer.emit("getelementptr double, ptr %aux, i64 %first")
        writer.lines.append(f"  store {writer.type} {doubt}, ptr {start}, align 8")
        return doubt

    def _flags(self, writer: Writer, margin: str | None) -> str:
        flags = "0"
        if margin is not None:
            flags = self._raised(writer, "ult", margin, 0.0, WEAK_FLAG)
        if writer.huge is not None:
            huge = self._raised(writer, "ogt", writer.huge, HUGE, HUGE_FLAG)
            flags = writer.emit(f"or i64 {flags}, {huge}")
        return flags

    def _raised(self, writer: Writer, predicate: str, value: str, bound: float, flag: int) -> str:
        found = writer.compare(predicate, value, writer.constant(bound))
        if self.lanes > 1:
            bits = writer.emit(f"bitcast {writer.bit} {found} to i{self.lanes}")
            found = writer.emit(f"icmp ne i{self.lanes} {bits}, 0")
        return writer.emit(f"select i1 {found}, i64 {flag}, i64 0")


# --- one state ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _OneState:
    size: int

    def load(self, writer: Writer, argument: int, index: int) -> str:
        if argument == 0:
            return "%t"
        pointer, offset = (
            ("%p", index) if argument == 3 else ("%y", index + (self.size if argument == 2 else 0))
        )
        return _load(writer, pointer, offset)

    def store(self, writer: Writer, value: str, pointer: str, index: int) -> None:
        _store(writer, value, f"%{pointer}", index)


def scalar_function(
    name: str,
    program: Program,
    size: int,
    stores: Sequence[Store | None],
    libm: bool = False,
    velocities: bool = False,
    margin: int | None = None,
) -> str:
    """A program as a function of one state.

    Parameters
    ----------
    name
        Of the function.
    program
        Its arguments are t, q, v, p.
    size
        Number of coordinates n.
    stores
        Where each output goes; None for an output that is not stored.
    libm
        Whether sin and cos call the C library.
    velocities
        Whether v is copied to the first n places of ``out``, as in a field on (q, v).
    margin
        The output that is negative where the chart is weak.
    """
    places = [
        (store.pointer, store.offset + i, value)
        for output, store in zip(program.outputs, stores, strict=True)
        if store is not None
        for i, value in enumerate(output)
    ]
    pointers = ", ".join(f"ptr noalias nocapture %{x}" for x in ("y", "p", "out", "aux"))
    arguments = f"double %t, {pointers}, ptr noalias %scratch"
    watched = None if margin is None else program.outputs[margin][0]
    access = _OneState(size)
    pieces = _Pieces(name, program, places, watched, 1, libm, arguments, access)
    writer = Writer(1, libm)
    for i in range(size if velocities else 0):
        access.store(writer, access.load(writer, 2, i), "out", i)
    if len(pieces.parts) == 1:
        text, flags = "", pieces.body(writer, 0)
    else:
        pieces.scratch(writer)
        flags = pieces.calls(writer, "double %t, ptr %y, ptr %p, ptr %out, ptr %aux, ptr %scratch")
        text = pieces.text()
    writer.lines.append(f"  ret i64 {flags}")
    body = "\n".join(writer.lines)
    head = f"define i64 @{name}(double %t, {pointers}) nounwind {{\n{body}\n}}"
    return "\n".join([*pieces.declared.values(), text, head, ""])


# --- many states --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ManyStates:
    """Lane l of a piece works on the state number ``%first`` + l."""

    size: int
    parameters: int
    width: int
    varying: bool

    def load(self, writer: Writer, argument: int, index: int) -> str:
        if argument == 0:
            return self._gather(writer, "%t", "%step", 0)
        if argument == 3 and not self.varying:
            one = writer.emit(
                f"insertelement {writer.type} poison, double {_load(writer, '%p', index)}, i32 0"
            )
            mask = f"<{writer.lanes} x i32> zeroinitializer"
            return writer.emit(f"shufflevector {writer.type} {one}, {writer.type} poison, {mask}")
        pointer = {1: "%q", 2: "%v", 3: "%p"}[argument]
        return self._gather(writer, pointer, str(self.parameters if argument == 3 else self.size), index)

    def _gather(self, writer: Writer, pointer: str, stride: str, index: int) -> str:
        base = writer.emit(f"mul i64 %first, {stride}")
        start = writer.emit(f"getelementptr double, ptr {pointer}, i64 {base}")
        result = "poison"
        for lane in range(writer.lanes):
            offset = (
                writer.emit(f"mul i64 {stride}, {lane}") if stride == "%step" else lane * int(stride) + index
            )
            value = _load(writer, start, offset)
            result = writer.emit(f"insertelement {writer.type} {result}, double {value}, i32 {lane}")
        return result

    def store(self, writer: Writer, value: str, pointer: str, index: int) -> None:
        base = writer.emit(f"mul i64 %first, {self.width}")
        start = writer.emit(f"getelementptr double, ptr %{pointer}, i64 {base}")
        for lane in range(writer.lanes):
            one = writer.emit(f"extractelement {writer.type} {value}, i32 {lane}")
            _store(writer, one, start, lane * self.width + index)


def batch_function(
    name: str,
    program: Program,
    size: int,
    parameters: int,
    lanes: int,
    libm: bool = False,
    varying: bool = False,
    margin: int | None = None,
) -> str:
    """A program as a function of many states, the outputs side by side in the rows of one array.

    With `varying`, parameters come as an array with one row for each state.
    """
    watched = None if margin is None else program.outputs[margin][0]
    stored = [output for i, output in enumerate(program.outputs) if i != margin]
    outputs = [value for output in stored for value in output]
    places = [("out", i, value) for i, value in enumerate(outputs)]
    arrays = ", ".join(f"ptr noalias %{x}" for x in ("q", "v", "p", "out", "aux"))
    pointers = f"ptr noalias %t, i64 %step, {arrays}"
    access = _ManyStates(size, parameters, len(outputs), varying)
    arguments = f"i64 %first, {pointers}, ptr noalias %scratch"
    pieces = _Pieces(name, program, places, watched, lanes, libm, arguments, access)
    writer = Writer(lanes)
    pieces.scratch(writer)
    last = writer.emit(f"sub i64 %count, {lanes}")
    writer.lines += [
        "  br label %loop",
        "loop:",
        "  %block = phi i64 [ 0, %entry ], [ %next, %loop ]",
        "  %seen = phi i64 [ 0, %entry ], [ %flags, %loop ]",
    ]
    past = writer.emit(f"icmp sgt i64 %block, {last}")
    first = writer.emit(f"select i1 {past}, i64 {last}, i64 %block")
    passed = f"i64 {first}, ptr %t, i64 %step, ptr %q, ptr %v, ptr %p, ptr %out, ptr %aux, ptr %scratch"
    raised = pieces.calls(writer, passed)
    writer.lines += [
        f"  %flags = or i64 %seen, {raised}",
        f"  %next = add i64 %block, {lanes}",
        "  %more = icmp slt i64 %next, %count",
        "  br i1 %more, label %loop, label %exit",
        "exit:",
        "  ret i64 %flags",
    ]
    text, body = pieces.text(), "\n".join(writer.lines)
    head = f"define i64 @{name}(i64 %count, {pointers}) nounwind {{\nentry:\n{body}\n}}"
    return "\n".join([*pieces.declared.values(), text, head, ""])
