"""Programs as LLVM text: one state at a time for the integrators, many states at once for arrays.

Functions of one state, or of one in each lane, are those of `flow.compile.one_state`. Batch functions read
row-major arrays,
``i64 f(i64 count, double *t, i64 step, double *q, double *v, double *p, double *out, double *aux)``, a vector
of states at a time; the last vector overlaps the one before it. With a margin, ``aux`` gets one number for
each state, not ≥ 0 where the chart is weak or a result is not finite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chetaev.flow.compile.elementary import InstructionWriter
from chetaev.flow.compile.long_programs import ProgramPieces, load, store
from chetaev.flow.compile.one_state import OneState, entry

if TYPE_CHECKING:
    from chetaev.flow.derive.straight_line import Program


# --- one state, or one in each lane ---------------------------------------------------------------------


@dataclass(frozen=True)
class _OneState:
    size: int

    def load(self, writer: InstructionWriter, argument: int, index: int) -> str:
        if argument == 0:
            return "%t"
        pointer, place = entry(self.size, argument, index)
        return load(writer, f"%{pointer}", place, writer.type)

    def store(self, writer: InstructionWriter, value: str, pointer: str, index: int) -> None:
        store(writer, value, f"%{pointer}", index, writer.type)


def state_text(function: OneState, lanes: int = 1) -> str:
    """A function of one state; with lanes, of one in each, whose entries are vectors and flags numbers."""
    name, size, libm = function.name, function.size, function.libm
    writer, access = InstructionWriter(lanes, libm), _OneState(size)
    names = [f"ptr %{x}" for x in ("y", "p", "out", "aux")]
    pointers = ", ".join(x.replace("ptr", "ptr noalias nocapture") for x in names)
    arguments = f"{writer.type} %t, {pointers}, ptr noalias %scratch"
    pieces = ProgramPieces(
        name, function.program, function.places, function.watched, lanes, libm, arguments, access, lanes > 1
    )
    for i in range(size if function.velocities else 0):
        access.store(writer, access.load(writer, 2, i), "out", i)
    if len(pieces.parts) == 1:
        text, flags = "", pieces.body(writer, 0)
    else:
        pieces.scratch(writer)
        flags = pieces.calls(writer, f"{writer.type} %t, {', '.join(names)}, ptr %scratch")
        text = pieces.text()
    writer.lines.append(f"  ret {pieces.kind} {flags}")
    body, aligned = "\n".join(writer.lines), " alignstack(64)" if lanes > 1 else ""
    head = f"define {pieces.kind} @{name}({writer.type} %t, {pointers}) nounwind{aligned} {{\n{body}\n}}"
    return "\n".join([*(pieces.declared | writer.declared).values(), text, head, ""])


# --- many states --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ManyStates:
    """Lane l of a piece works on the state number ``%first`` + l."""

    size: int
    parameters: int
    width: int
    varying: bool

    def load(self, writer: InstructionWriter, argument: int, index: int) -> str:
        if argument == 0:
            return self._gather(writer, "%t", "%step", 0)
        if argument == 3 and not self.varying:
            one = writer.emit(
                f"insertelement {writer.type} poison, double {load(writer, '%p', index)}, i32 0"
            )
            mask = f"<{writer.lanes} x i32> zeroinitializer"
            return writer.emit(f"shufflevector {writer.type} {one}, {writer.type} poison, {mask}")
        pointer = {1: "%q", 2: "%v", 3: "%p"}[argument]
        return self._gather(writer, pointer, str(self.parameters if argument == 3 else self.size), index)

    def _gather(self, writer: InstructionWriter, pointer: str, stride: str, index: int) -> str:
        base = writer.emit(f"mul i64 %first, {stride}")
        start = writer.emit(f"getelementptr double, ptr {pointer}, i64 {base}")
        result = "poison"
        for lane in range(writer.lanes):
            offset = (
                writer.emit(f"mul i64 {stride}, {lane}") if stride == "%step" else lane * int(stride) + index
            )
            value = load(writer, start, offset)
            result = writer.emit(f"insertelement {writer.type} {result}, double {value}, i32 {lane}")
        return result

    def store(self, writer: InstructionWriter, value: str, pointer: str, index: int) -> None:
        base = writer.emit(f"mul i64 %first, {self.width}")
        start = writer.emit(f"getelementptr double, ptr %{pointer}, i64 {base}")
        for lane in range(writer.lanes):
            one = writer.emit(f"extractelement {writer.type} {value}, i32 {lane}")
            store(writer, one, start, lane * self.width + index)


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
    pieces = ProgramPieces(name, program, places, watched, lanes, libm, arguments, access)
    writer = InstructionWriter(lanes)
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
