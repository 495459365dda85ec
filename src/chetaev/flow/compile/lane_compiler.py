"""Kernels on vectors: the small part of Python of `compile.small_compiler`, one motion in each lane.

The kernels are those of `flow.kernels` and of a scheme's file, translated once more. A number (``float``)
is a vector of doubles, an entry of an array (``Floats``) is one. Whole numbers are shared while they are
the same in all lanes: what comes from a comparison, a program's flags, or is assigned where lanes differ,
is a vector too. Where a comparison of numbers decides, both ways are taken: an ``if`` writes only in the
lanes whose condition holds, a ``while`` goes on, in the lanes whose condition holds, until none is left,
and a lane that has returned writes nothing any more. A kernel that is called is given the lanes that are
meant. So a lane computes what it would compute alone, by the same operations in the same order.

Shared are also the whole numbers of a record, and no loop is left by ``break`` where lanes differ. Programs
of a model write in all lanes: what they write is scratch of a step.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Any

from chetaev.flow.compile.kernel_values import Value
from chetaev.flow.compile.link import KernelRecord, Signature, marked
from chetaev.flow.compile.small_compiler import KernelBody

GIVEN = ("binary_logarithm", "power_of_two")
"""The kernels whose texts are those of `compile.elementary`."""


PASSED_OVER = (ast.Call, ast.For, ast.Return)
"""What is passed over where no lane comes there: work, and what all later masks would depend on."""


class _DifferError(Exception):
    """Something turns out to differ between lanes: a variable, by its name, the result, or who returns."""

    def __init__(self, variable: str = "", result: bool = False) -> None:
        self.variable, self.result = variable, result


class LaneProgram:
    """Kernels for vectors of so many lanes, which call each other, translated as they are needed.

    Functions, signatures and constants are those of a `compile.link.Linked`.
    """

    def __init__(
        self,
        functions: Mapping[str, ast.FunctionDef],
        signatures: Mapping[str, Signature],
        constants: Mapping[str, Any],
        lanes: int,
    ) -> None:
        self.functions, self.signatures = functions, signatures
        self.constants, self.lanes = constants, lanes
        self.texts: dict[str, str] = {}
        self._results: dict[str, str] = {}

    def kernel(self, name: str, differing: Collection[str] = ()) -> tuple[str, str]:
        """A kernel's name in LLVM's text and the kind of its result, if these arguments differ in lanes."""
        full = ".".join([name, *differing])
        if full not in self._results:
            body = _LaneBody(self, name, differing)
            while True:
                try:
                    self.texts[full] = body.named(full).function(self.functions[name])
                    break
                except _DifferError as found:
                    body = body.knowing(found)
            self._results[full] = body.result
        return full, self._results[full]


class _LaneBody(KernelBody):
    """Translates one lane kernel."""

    def __init__(self, program: LaneProgram, name: str, differing: Collection[str]) -> None:
        super().__init__(program.signatures, program.constants, name, program.lanes)
        self.program, self.differing = program, frozenset(differing)
        self.node = program.functions[name]
        self.called_by_lanes = not marked(self.node, "per_lane")
        self.vectors: set[str] = set(differing)
        self.result = self.signature.result
        self.leaves = False
        self.mask: str | None = None
        """The lanes that are meant here, of those that were meant at the beginning; None for all."""

    def knowing(self, found: _DifferError) -> _LaneBody:
        """A new beginning, with what has been found."""
        body = _LaneBody(self.program, self.name.partition(".")[0], self.differing)
        body.vectors = self.vectors | {found.variable}
        body.leaves = self.leaves or not (found.variable or found.result)
        changed = body.leaves or found.result
        body.result = "v" if self.result == "i64" and changed else self.result
        return body

    def named(self, name: str) -> _LaneBody:
        """The same, under the name that it has with these arguments."""
        self.name = name
        return self

    # --- which lanes are meant ----------------------------------------------------------------------------

    def meant(self) -> str | None:
        """The lanes that may be written to; None for all."""
        parts = ["%lanes"] if self.called_by_lanes else []
        parts += [self.mask] if self.mask is not None else []
        parts += [self.emit(f"load {self.bits}, ptr %staying")] if self.leaves else []
        return self.all_of(parts)

    def all_of(self, parts: list[str]) -> str | None:
        """Lanes that are in all of some masks."""
        result = parts[0] if parts else None
        for other in parts[1:]:
            result = self.emit(f"and {self.bits} {result}, {other}")
        return result

    def some(self, mask: str) -> str:
        """Whether there is a lane in a mask."""
        packed = self.emit(f"bitcast {self.bits} {mask} to i{self.lanes}")
        return self.emit(f"icmp ne i{self.lanes} {packed}, 0")

    def chosen(self, mask: str | None, kind: str, value: str, address: str) -> str:
        """What is stored: the value, in other lanes what stood there."""
        if mask is None or kind not in ("double", "v", "m"):
            return value
        old = self.emit(f"load {self.type(kind)}, ptr {address}, align 8")
        return self.emit(f"select {self.bits} {mask}, {self.type(kind)} {value}, {self.type(kind)} {old}")

    # --- statements -------------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef) -> str:
        if self.leaves:
            self.slots.append(f"  %staying = alloca {self.bits}")
            self.do(f"store {self.bits} splat (i1 true), ptr %staying")
            if self.result != "void":
                self.slots.append(f"  %result = alloca {self.type(self.result)}, align 8")
                self.do(f"store {self.type(self.result)} zeroinitializer, ptr %result, align 8")
        return super().function(node)

    def _head(self) -> str:
        kinds = [(n, "v" if n in self.differing else k) for n, k in self.signature.arguments]
        arguments = [f"{self.bits} %lanes"] if self.called_by_lanes else []
        arguments += [f"{self.type(k)} %arg.{n}" for n, k in kinds]
        inside = " alwaysinline" if self.called_by_lanes else ""
        head = f"define internal {self.type(self.result)} @{self.name}({', '.join(arguments)})"
        return f"{head} nounwind{inside} alignstack(64) {{"

    def assign(self, node: ast.AST, name: str, value: Value) -> None:
        if isinstance(node, ast.FunctionDef) and name in self.differing:
            value = ("v", value[1])
        kind = self.variables.get(name)
        if kind is None:
            kind = "v" if name in self.vectors and value[0] == "i64" else value[0]
            self.variables[name] = kind
            self.slots.append(f"  %var.{name} = alloca {self.type(kind)}, align 8")
        elif kind == "i64" and (value[0] == "v" or self.mask is not None) and not isinstance(node, ast.For):
            raise _DifferError(variable=name)
        stored = self.chosen(self.mask, kind, self.cast(node, value, kind), f"%var.{name}")
        self.do(f"store {self.type(kind)} {stored}, ptr %var.{name}, align 8")

    def put(self, kind: str, value: str, address: str) -> None:
        super().put(kind, self.chosen(self.meant(), kind, value, address), address)

    def _do_Return(self, node: ast.Return) -> None:
        kind, value = self.result, ""
        if node.value is not None:
            found = self.expression(node.value)
            if kind == "i64" and found[0] == "v":
                raise _DifferError(result=True)
            value = self.cast(node, found, kind)
        if self.mask is not None:
            if not self.leaves:
                raise _DifferError
            before = self.emit(f"load {self.bits}, ptr %staying")
            here = self.all_of([self.mask, before])
            if value:
                stored = self.chosen(here, kind, value, "%result")
                self.do(f"store {self.type(kind)} {stored}, ptr %result, align 8")
            left = self.emit(f"xor {self.bits} {before}, {here}")
            self.do(f"store {self.bits} {left}, ptr %staying")
        elif not value:
            self.leave("ret void")
        else:
            if self.leaves:
                value = self.chosen(self.emit(f"load {self.bits}, ptr %staying"), kind, value, "%result")
            self.leave(f"ret {self.type(kind)} {value}")

    def divide(self, node: ast.If, condition: Value) -> None:
        outer, value = self.mask, self.cast(node, condition, "m")
        inverse = self.emit(f"xor {self.bits} {value}, splat (i1 true)")
        for here, body in ((value, node.body), (inverse, node.orelse)):
            if not body:
                continue
            self.mask = here if outer is None else self.emit(f"and {self.bits} {here}, {outer}")
            if any(isinstance(part, PASSED_OVER) for one in body for part in ast.walk(one)):
                inside, after = self.label(), self.label()
                mask = self.meant()
                assert mask is not None
                self.leave(f"br i1 {self.some(mask)}, label %{inside}, label %{after}")
                self.start(inside)
                self.block(body)
                self.start(after)
            else:
                self.block(body)
        self.mask = outer

    def _do_While(self, node: ast.While) -> None:
        test, body, after = self.label(), self.label(), self.label()
        self.start(test)
        kind, value = self.expression(node.test)
        outer = self.mask
        if kind in ("i1", "i64"):
            condition = value if kind == "i1" else self.emit(f"icmp ne i64 {value}, 0")
        else:
            meant = self.meant()
            found = self.cast(node.test, (kind, value), "m")
            self.mask = self.all_of([found] if meant is None else [found, meant])
            assert self.mask is not None
            condition = self.some(self.mask)
        self.leave(f"br i1 {condition}, label %{body}, label %{after}")
        self._loop(body, node.body, test, after)
        self.mask = outer

    def _do_Break(self, node: ast.Break) -> None:
        if self.mask is not None:
            raise self.fail(node, "a loop is left where lanes differ")
        super()._do_Break(node)

    def _do_Continue(self, node: ast.Continue) -> None:
        if self.mask is not None:
            raise self.fail(node, "a loop goes on where lanes differ")
        super()._do_Continue(node)

    # --- calls ------------------------------------------------------------------------------------------

    flag = "double"

    def passed(self, node: ast.expr, wanted: str | KernelRecord) -> list[Value]:
        if wanted != "i64":
            return super().passed(node, wanted)
        value = self.expression(node)
        return [value if value[0] == "v" else ("i64", self.cast(node, value, "i64"))]

    def kernel(self, name: str, values: list[Value]) -> tuple[str, str]:
        signature = self.signatures[name]
        if name in GIVEN:
            return f"@{name}", signature.result
        pairs = zip(signature.arguments, values, strict=True)
        differing = [argument for (argument, kind), (own, _) in pairs if kind == "i64" and own == "v"]
        values.insert(0, ("m", self.meant() or "splat (i1 true)"))
        called, result = self.program.kernel(name, differing)
        return f"@{called}", result
