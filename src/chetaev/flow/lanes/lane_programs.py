"""The programs of a model in lanes: the field in a chart and the constraints, on vectors of doubles.

Entry e of an array is a vector, lane l of it the number of motion l; functions have the signature
``flags f(vector t, ptr y, ptr p, ptr out, ptr aux)``. Products and sums are fused where the program says
so and nowhere else: every lane has the bits of the program for one state. The flags of the field, 1 where
the chart is weak and 2 where an angle is too large, one for each lane, are gathered behind the pivots in
``aux``.

What depends on the parameters alone is computed when a member enters a lane, by ``h``, which writes it behind
them; ``kept`` says how many numbers these are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chetaev.flow.compile.elementary import HUGE_FLAG, InstructionWriter
from chetaev.flow.compile.long_programs import WEAK_FLAG, ProgramPieces
from chetaev.flow.compile.machine import Library, joined, object_code
from chetaev.flow.compile.one_state import Store
from chetaev.flow.compile.programs import LONG, Programs
from chetaev.flow.compile.scalar_programs import steady_pivots
from chetaev.flow.compile.shipped import level
from chetaev.flow.compile.translate import scalar_text
from chetaev.flow.derive.chart import PivotChart

if TYPE_CHECKING:
    from chetaev.flow.derive.straight_line import Program


MEMORY = 32
"""So many models stay in memory."""
_recent: dict[str, Library] = {}


@dataclass(frozen=True)
class LaneAccess:
    """Where arguments and results of lanes stand."""

    size: int

    def load(self, writer: InstructionWriter, argument: int, index: int) -> str:
        """A vector of an argument's entries."""
        if argument == 0:
            return "%t"
        pointer, offset = ("%p", index) if argument == 3 else ("%y", index + self.size * (argument == 2))
        address = writer.emit(f"getelementptr {writer.type}, ptr {pointer}, i64 {offset}")
        return writer.emit(f"load {writer.type}, ptr {address}, align 8")

    def store(self, writer: InstructionWriter, value: str, pointer: str, index: int) -> None:
        """Write a vector of results."""
        address = writer.emit(f"getelementptr {writer.type}, ptr %{pointer}, i64 {index}")
        writer.lines.append(f"  store {writer.type} {value}, ptr {address}, align 8")


class LanePieces(ProgramPieces):
    """The pieces of a program in lanes; flags go to an entry of ``aux``."""

    flag_place: int | None = None

    def _piece(self, number: int) -> str:
        writer = InstructionWriter(self.lanes)
        self.body(writer, number)
        writer.lines.append("  ret i64 0")
        body = "\n".join(writer.lines)
        head = f"define internal i64 @{self.name}.{number}({self.arguments}) nounwind"
        return f"{head} alignstack(64) {{\n{body}\n}}"

    @property
    def tells_margin(self) -> bool:
        """Lanes have flags only."""
        return False

    def _flags(self, writer: InstructionWriter, margins: list[str]) -> str:
        """The flags of all pieces so far, the larger counts; those of the only piece are not stored."""
        if self.flag_place is None:
            return "zeroinitializer"
        alone = len(self.parts) == 1
        place = writer.emit(f"getelementptr {writer.type}, ptr %aux, i64 {self.flag_place}")
        flags = writer.constant(0.0) if alone else writer.emit(f"load {writer.type}, ptr {place}, align 8")
        for found, flag in ((self._weak(writer, margins), WEAK_FLAG), (writer.huge, HUGE_FLAG)):
            if found is not None:
                raised = writer.constant(float(flag))
                if flag == WEAK_FLAG and not alone:
                    raised = writer.select(writer.compare("ogt", raised, flags), raised, flags)
                flags = writer.select(found, raised, flags)
        if not alone:
            writer.lines.append(f"  store {writer.type} {flags}, ptr {place}, align 8")
        return flags


def lane_function(
    name: str,
    program: Program,
    size: int,
    stores: Sequence[Store | None],
    lanes: int,
    velocities: bool = False,
    margin: int | None = None,
    flag_place: int | None = None,
) -> str:
    """A program as a function of one state in each lane; see `flow.compile.one_state`."""
    places = [
        (store.pointer, store.offset + i, value)
        for output, store in zip(program.outputs, stores, strict=True)
        if store is not None
        for i, value in enumerate(output)
    ]
    vector = f"<{lanes} x double>"
    pointers = ", ".join(f"ptr %{x}" for x in ("y", "p", "out", "aux"))
    watched = None if margin is None else program.outputs[margin][0]
    arguments = f"{vector} %t, {pointers}, ptr %scratch"
    pieces = LanePieces(name, program, places, watched, lanes, False, arguments, LaneAccess(size))
    pieces.flag_place = flag_place
    writer, access = InstructionWriter(lanes), LaneAccess(size)
    for i in range(size if velocities else 0):
        access.store(writer, access.load(writer, 2, i), "out", i)
    if len(pieces.parts) == 1:
        text, flags = "", pieces.body(writer, 0)
    else:
        flags = "zeroinitializer"
        if flag_place is not None:
            access.store(writer, writer.constant(0.0), "aux", flag_place)
        pieces.scratch(writer)
        pieces.calls(writer, f"{vector} %t, {pointers}, ptr %scratch")
        text = pieces.text()
        if flag_place is not None:
            address = writer.emit(f"getelementptr {vector}, ptr %aux, i64 {flag_place}")
            flags = writer.emit(f"load {vector}, ptr {address}, align 8")
    writer.lines.append(f"  ret {vector} {flags}")
    body = "\n".join(writer.lines)
    head = f"define {vector} @{name}({vector} %t, {pointers}) nounwind alignstack(64) {{\n{body}\n}}"
    return "\n".join([*pieces.declared.values(), *writer.declared.values(), text, head, ""])


def lane_programs(programs: Programs, chart: PivotChart, lanes: int) -> Library:
    """The field ``f``, its part ``h`` and the constraints ``c`` of a model in a chart, for so many lanes."""
    kind = level().processor
    key = programs.key("lanes", str(lanes), chart.name, kind.fingerprint)
    found = _recent.get(key)
    if found is None:

        def made() -> bytes:
            text = _text(programs, chart, lanes)
            return object_code(text, 2 if text.count("\n") < LONG else 1, processor=kind)

        found = _recent[key] = Library(programs.cache.kept(key, made))
        while len(_recent) > MEMORY:
            _recent.pop(next(iter(_recent)), None)
    return found


def _text(programs: Programs, chart: PivotChart, lanes: int) -> str:
    import casadi

    from chetaev.flow.derive.instructions import from_casadi
    from chetaev.flow.derive.parts_of_parameters import parts_of_parameters

    n, m, d = programs.model.size, len(chart.rows), programs.dynamics
    e = programs.elimination(chart)
    pivots = casadi.vertcat(*e.pivots) if m else casadi.SX(0, 1)
    free, diagonal = e.solved
    outputs = [e.accelerations(free), casadi.vertcat(pivots, *diagonal), e.margin]
    count = len(programs.model.parameters)
    whole = from_casadi(d.arguments.list(), outputs)
    first, rest = parts_of_parameters(whole, 3, count)
    stores = [Store("out", n), Store("aux"), None]
    written = [
        lane_function("f", rest, n, stores, lanes, True, 2, n),
        lane_function("h", first, n, [Store("p", count)], lanes),
        f"define i64 @kept() {{ ret i64 {len(first.outputs[0])} }}\n",
        scalar_text(steady_pivots(whole, n, count)),
    ]
    if programs.model.rows:
        held = from_casadi(d.arguments.list(), [casadi.vertcat(d.f, d.phi), d.matrix.T])
        written.append(lane_function("c", held, n, [Store("out"), Store("aux")], lanes))
    return joined(*written)
