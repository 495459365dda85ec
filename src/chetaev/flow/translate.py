"""Programs as LLVM text: one state at a time for the integrator, many states at once for arrays.

Scalar functions have the signature ``i64 f(double t, double *y, double *p, double *out, double *aux)`` with
y = (q, v); the result is a set of flags: 1 the chart is weak here, 2 an argument of sin or cos is too large.
Batch functions read row-major arrays, ``i64 f(i64 count, double *t, i64 step, double *q, double *v, double *p,
double *out)``, a vector of states at a time; the last vector overlaps the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chetaev.flow.elementary import HUGE, Writer
from chetaev.flow.instructions import Program

WEAK_FLAG, HUGE_FLAG = 1, 2


@dataclass(frozen=True)
class Store:
    """Where the entries of an output go: pointer ``out`` or ``aux``, from an offset on."""

    pointer: str
    offset: int = 0


def _body(writer: Writer, program: Program, inputs: dict[tuple[int, int], str]) -> list[str]:
    values: list[str] = []
    for op, *args in program.code:
        if op == "input":
            values.append(inputs[args[0], args[1]])
        elif op == "const":
            values.append(writer.constant(args[0]))
        else:
            values.append(writer.operation(op, [values[a] for a in args]))
    return values


def _module(writer: Writer, head: str) -> str:
    declared = "\n".join(writer.declared.values())
    return f"{declared}\n{head} {{\nentry:\n" + "\n".join(writer.lines) + "\n}\n"


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
    writer = Writer(1, libm)
    inputs: dict[tuple[int, int], str] = {(0, 0): "%t"}
    wanted = {(i[1], i[2]) for i in program.code if i[0] == "input"}
    if velocities:
        wanted |= {(2, i) for i in range(size)}
    for argument, index in sorted(wanted - {(0, 0)}):
        pointer, offset = ("%p", index) if argument == 3 else ("%y", index + (size if argument == 2 else 0))
        inputs[argument, index] = _load(writer, pointer, offset)
    values = _body(writer, program, inputs)
    if velocities:
        for i in range(size):
            _store(writer, inputs[2, i], "%out", i)
    for output, store in zip(program.outputs, stores, strict=True):
        for i, value in enumerate(output if store is not None else ()):
            assert store is not None
            _store(writer, values[value], f"%{store.pointer}", store.offset + i)
    flags = "0"
    if margin is not None:
        weak = writer.compare("ult", values[program.outputs[margin][0]], writer.constant(0.0))
        flags = writer.emit(f"zext i1 {weak} to i64")
    if writer.huge is not None:
        large = writer.compare("ogt", writer.huge, writer.constant(HUGE))
        flags = writer.emit(f"or i64 {flags}, {writer.emit(f'select i1 {large}, i64 {HUGE_FLAG}, i64 0')}")
    writer.lines.append(f"  ret i64 {flags}")
    pointers = ", ".join(f"ptr noalias nocapture %{x}" for x in ("y", "p", "out", "aux"))
    return _module(writer, f"define i64 @{name}(double %t, {pointers}) nounwind")


def _load(writer: Writer, pointer: str, offset: int) -> str:
    address = writer.emit(f"getelementptr double, ptr {pointer}, i64 {offset}")
    return writer.emit(f"load double, ptr {address}, align 8")


def _store(writer: Writer, value: str, pointer: str, offset: int) -> None:
    address = writer.emit(f"getelementptr double, ptr {pointer}, i64 {offset}")
    writer.lines.append(f"  store double {value}, ptr {address}, align 8")


def batch_function(
    name: str, program: Program, size: int, parameters: int, lanes: int, libm: bool = False, varying: bool = False
) -> str:
    """A program as a function of many states, the outputs side by side in the rows of one array.

    With `varying`, parameters come as an array with one row for each state.
    """
    writer = Writer(lanes, libm)
    outputs = [value for output in program.outputs for value in output]
    wanted = sorted({(i[1], i[2]) for i in program.code if i[0] == "input"})
    inputs: dict[tuple[int, int], str] = {}
    if not varying:
        for _, index in (w for w in wanted if w[0] == 3):
            inputs[3, index] = _splat(writer, _load(writer, "%p", index))
    last = writer.emit(f"sub i64 %count, {lanes}")
    writer.lines += ["  br label %loop", "loop:", "  %block = phi i64 [ 0, %entry ], [ %next, %loop ]"]
    past = writer.emit(f"icmp sgt i64 %block, {last}")
    first = writer.emit(f"select i1 {past}, i64 {last}, i64 %block")
    start = {0: writer.emit(f"mul i64 {first}, %step")}
    for argument, width in ((1, size), (2, size), (3, parameters), (4, len(outputs))):
        start[argument] = writer.emit(f"mul i64 {first}, {width}")
    pointers = {0: "%t", 1: "%q", 2: "%v", 3: "%p"}
    for argument, index in wanted:
        if (argument, index) not in inputs:
            base = writer.emit(f"getelementptr double, ptr {pointers[argument]}, i64 {start[argument]}")
            stride = {0: None, 1: size, 2: size, 3: parameters}[argument]
            inputs[argument, index] = _gather(writer, base, stride, index)
    values = _body(writer, program, inputs)
    base = writer.emit(f"getelementptr double, ptr %out, i64 {start[4]}")
    for i, value in enumerate(outputs):
        _scatter(writer, values[value], base, len(outputs), i)
    any_huge = "0"
    if writer.huge is not None:
        large = writer.compare("ogt", writer.huge, writer.constant(HUGE))
        bits = writer.emit(f"bitcast {writer.bit} {large} to i{lanes}")
        any_huge = writer.emit(f"zext i{lanes} {bits} to i64")
    writer.lines += [
        "  %flags = or i64 %seen, " + any_huge,
        f"  %next = add i64 %block, {lanes}",
        "  %more = icmp slt i64 %next, %count",
        "  br i1 %more, label %loop, label %exit",
        "exit:",
        "  ret i64 %flags",
    ]
    at = writer.lines.index("  %block = phi i64 [ 0, %entry ], [ %next, %loop ]")
    writer.lines.insert(at + 1, "  %seen = phi i64 [ 0, %entry ], [ %flags, %loop ]")
    arguments = "i64 %count, ptr noalias %t, i64 %step, ptr noalias %q, ptr noalias %v, ptr noalias %p, ptr noalias %out"
    return _module(writer, f"define i64 @{name}({arguments}) nounwind")


def _splat(writer: Writer, value: str) -> str:
    one = writer.emit(f"insertelement {writer.type} poison, double {value}, i32 0")
    return writer.emit(
        f"shufflevector {writer.type} {one}, {writer.type} poison, <{writer.lanes} x i32> zeroinitializer"
    )


def _gather(writer: Writer, base: str, stride: int | None, index: int) -> str:
    """Lane l reads base[l·stride + index]; a stride of None is the run-time ``%step``."""
    result = "poison"
    for lane in range(writer.lanes):
        offset = writer.emit(f"mul i64 %step, {lane}") if stride is None else str(lane * stride + index)
        address = writer.emit(f"getelementptr double, ptr {base}, i64 {offset}")
        value = writer.emit(f"load double, ptr {address}, align 8")
        result = writer.emit(f"insertelement {writer.type} {result}, double {value}, i32 {lane}")
    return result


def _scatter(writer: Writer, value: str, base: str, stride: int, index: int) -> None:
    for lane in range(writer.lanes):
        one = writer.emit(f"extractelement {writer.type} {value}, i32 {lane}")
        address = writer.emit(f"getelementptr double, ptr {base}, i64 {lane * stride + index}")
        writer.lines.append(f"  store double {one}, ptr {address}, align 8")
