"""Kernels on vectors: the small part of Python of `compile.small_compiler`, one motion in each lane.

A number (``float``) is a vector of doubles, an entry of an array (``Floats``) is one, and whole numbers are
shared by all lanes. Where a comparison of numbers decides, both ways are gone: an ``if`` writes only in the
lanes whose condition holds, and a ``while`` goes on, in the lanes whose condition holds, until none is left.
So a lane computes what it would compute alone, by the same operations in the same order. There is no
``return``, ``break`` or call of another lane kernel that writes, below such a condition.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Mapping
from typing import Any

from chetaev.flow.compile.signatures import Signature, name_of
from chetaev.flow.compile.small_compiler import _ARITHMETIC, _PREDICATES, LIBRARY, Value, _Body


class _LaneBody(_Body):
    """Translates one lane kernel."""

    def __init__(
        self, signatures: Mapping[str, Signature], constants: Mapping[str, Any], name: str, lanes: int
    ) -> None:
        super().__init__(signatures, constants, name)
        self.lanes = lanes
        self.mask: str | None = None

    # --- types ------------------------------------------------------------------------------------------

    @property
    def vector(self) -> str:
        """The type of a number."""
        return f"<{self.lanes} x double>"

    @property
    def bits(self) -> str:
        """The type of a condition."""
        return f"<{self.lanes} x i1>"

    def type(self, kind: str) -> str:
        """The type of a kind in LLVM's text."""
        return {"double": self.vector, "m": self.bits, "i64": "i64", "i1": "i1", "void": "void"}.get(
            kind, "ptr"
        )

    def splat(self, kind: str, scalar: str) -> str:
        """A scalar in all lanes."""
        one = self.emit(f"insertelement <{self.lanes} x {kind}> poison, {kind} {scalar}, i32 0")
        zero = f"<{self.lanes} x i32> zeroinitializer"
        return self.emit(
            f"shufflevector <{self.lanes} x {kind}> {one}, <{self.lanes} x {kind}> poison, {zero}"
        )

    def number(self, value: float) -> str:
        """A constant in all lanes."""
        return f"splat (double 0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X})"

    def cast(self, node: ast.AST, value: Value, kind: str) -> str:
        if value[0] == kind or self.type(value[0]) == self.type(kind) == "ptr":
            return value[1]
        if kind == "double" and value[0] == "i64":
            if value[1].lstrip("-").isdigit():
                return self.number(float(value[1]))
            return self.splat("double", self.emit(f"sitofp i64 {value[1]} to double"))
        if kind == "m" and value[0] in ("i1", "i64"):
            bit = value[1] if value[0] == "i1" else self.emit(f"icmp ne i64 {value[1]}, 0")
            return self.splat("i1", bit)
        if kind == "i64" and value[0] == "i1":
            return self.emit(f"zext i1 {value[1]} to i64")
        raise self.fail(node, f"a value of type {value[0]} where {kind} is needed")

    # --- statements -------------------------------------------------------------------------------------

    def _head(self) -> str:
        arguments = ", ".join(f"{self.type(k)} %arg.{n}" for n, k in self.signature.arguments)
        result = self.type(self.signature.result)
        return f"define {result} @{self.name}({arguments}) nounwind {{"

    def masked(self, kind: str, value: str, address: str) -> str:
        """What is stored: the value, in other lanes what stood there."""
        if self.mask is None or kind != "double":
            return value
        old = self.emit(f"load {self.vector}, ptr {address}, align 8")
        return self.emit(f"select {self.bits} {self.mask}, {self.vector} {value}, {self.vector} {old}")

    def assign(self, node: ast.AST, name: str, value: Value) -> None:
        kind = self.variables.get(name)
        if kind is None:
            kind = self.variables[name] = value[0]
            self.slots.append(f"  %var.{name} = alloca {self.type(kind)}, align 8")
        stored = self.masked(kind, self.cast(node, value, kind), f"%var.{name}")
        self.do(f"store {self.type(kind)} {stored}, ptr %var.{name}, align 8")

    def do_Assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        value = self.expression(node.value)
        if isinstance(target, ast.Name):
            self.assign(node, target.id, value)
            return
        if isinstance(target, ast.Subscript):
            kind, address = self.address(target)
        else:
            assert isinstance(target, ast.Attribute)
            kind, address = self.entry(target)
        stored = self.masked(kind, self.cast(node, value, kind), address)
        self.do(f"store {self.type(kind)} {stored}, ptr {address}, align 8")

    def do_Return(self, node: ast.Return) -> None:
        if self.mask is not None:
            raise self.fail(node, "a return where lanes differ")
        if node.value is None:
            self.leave("ret void")
            return
        kind = self.signature.result
        self.leave(f"ret {self.type(kind)} {self.cast(node, self.expression(node.value), kind)}")

    def do_If(self, node: ast.If) -> None:
        before = len(self.lines), self.count
        kind, value = self.expression(node.test)
        if kind != "m":
            del self.lines[before[0] :]
            self.count = before[1]
            super().do_If(node)
            return
        outer = self.mask
        inverse = self.emit(f"xor {self.bits} {value}, splat (i1 true)")
        for condition, body in ((value, node.body), (inverse, node.orelse)):
            self.mask = condition if outer is None else self.emit(f"and {self.bits} {condition}, {outer}")
            self.block(body)
        self.mask = outer

    def do_While(self, node: ast.While) -> None:
        test, body, after = self.label(), self.label(), self.label()
        self.start(test)
        kind, value = self.expression(node.test)
        if kind != "m":
            raise self.fail(node, "a loop that is the same in all lanes: use 'for'")
        outer = self.mask
        mask = value if outer is None else self.emit(f"and {self.bits} {value}, {outer}")
        packed = self.emit(f"bitcast {self.bits} {mask} to i{self.lanes}")
        some = self.emit(f"icmp ne i{self.lanes} {packed}, 0")
        self.leave(f"br i1 {some}, label %{body}, label %{after}")
        self.mask = mask
        self._loop(body, node.body, test, after)
        self.mask = outer

    # --- expressions ------------------------------------------------------------------------------------

    def of_Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, float):
            return "double", self.number(node.value)
        return super().of_Constant(node)

    def of_Name(self, node: ast.Name) -> Value:
        kind = self.variables.get(node.id)
        if kind is not None:
            return kind, self.emit(f"load {self.type(kind)}, ptr %var.{node.id}, align 8")
        value = self.constants.get(node.id)
        if isinstance(value, float):
            return "double", self.number(value)
        return super().of_Name(node)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        kind, value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            true = "splat (i1 true)" if kind == "m" else "1"
            return kind, self.emit(f"xor {self.type(kind)} {value}, {true}")
        if kind == "double":
            return kind, self.emit(f"fneg {self.vector} {value}")
        return "i64", f"-{value}" if value.isdigit() else self.emit(f"sub i64 0, {value}")

    def of_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.expression(node.left), self.expression(node.right)
        real, whole = _ARITHMETIC[type(node.op)]
        if whole and left[0] == right[0] == "i64":
            return "i64", self.emit(f"{whole} i64 {left[1]}, {right[1]}")
        a, b = self.cast(node, left, "double"), self.cast(node, right, "double")
        return "double", self.emit(f"{real} {self.vector} {a}, {b}")

    def of_Compare(self, node: ast.Compare) -> Value:
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        real, whole = _PREDICATES[type(node.ops[0])]
        if left[0] == right[0] == "i64":
            return "i1", self.emit(f"icmp {whole} i64 {left[1]}, {right[1]}")
        if left[0] == right[0] == "m":
            return "m", self.emit(f"icmp {whole} {self.bits} {left[1]}, {right[1]}")
        a, b = self.cast(node, left, "double"), self.cast(node, right, "double")
        return "m", self.emit(f"fcmp {real} {self.vector} {a}, {b}")

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        op = "and" if isinstance(node.op, ast.And) else "or"
        values = [self.expression(value) for value in node.values]
        kind = "m" if any(k == "m" for k, _ in values) else "i1"
        parts = [self.cast(node, value, kind) for value in values]
        result = parts[0]
        for other in parts[1:]:
            result = self.emit(f"{op} {self.type(kind)} {result}, {other}")
        return kind, result

    def of_IfExp(self, node: ast.IfExp) -> Value:
        test, a, b = self.expression(node.test), self.expression(node.body), self.expression(node.orelse)
        if test[0] != "m" and a[0] == b[0] == "i64":
            condition = test[1] if test[0] == "i1" else self.emit(f"icmp ne i64 {test[1]}, 0")
            return "i64", self.emit(f"select i1 {condition}, i64 {a[1]}, i64 {b[1]}")
        condition = self.cast(node, test, "m")
        first, second = self.cast(node, a, "double"), self.cast(node, b, "double")
        return "double", self.emit(
            f"select {self.bits} {condition}, {self.vector} {first}, {self.vector} {second}"
        )

    def element(self, kind: str) -> str:
        """The type of an entry of an array."""
        return {"F": self.vector, "U": "double", "I": "i64"}[kind]

    def address(self, node: ast.Subscript) -> Value:
        kind, base = self.expression(node.value)
        place = self.emit(f"getelementptr {self.element(kind)}, ptr {base}, i64 {self.whole(node.slice)}")
        return {"F": "double", "U": "u", "I": "i64"}[kind], place

    def of_Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice):
            kind, base = self.expression(node.value)
            assert node.slice.lower is not None
            offset = self.whole(node.slice.lower)
            return kind, self.emit(f"getelementptr {self.element(kind)}, ptr {base}, i64 {offset}")
        kind, address = self.address(node)
        if kind == "u":
            return "double", self.splat("double", self.emit(f"load double, ptr {address}, align 8"))
        return kind, self.emit(f"load {self.type(kind)}, ptr {address}, align 8")

    def of_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute):
            target = self.expression(node.func)[1]
            values = [
                (kind, self.cast(a, self.expression(a), kind))
                for a, kind in zip(node.args, ["double", "F", "F", "F", "F"], strict=True)
            ]
            text = ", ".join(f"{self.type(k)} {v}" for k, v in values)
            return "i64", self.emit(f"call i64 {target}({text})")
        name = name_of(node.func)
        if name not in self.signatures:
            return self._builtin(node, name)
        wanted = self.signatures[name]
        values = [v for a, kind in zip(node.args, wanted.given, strict=True) for v in self.handed(a, kind)]
        text = ", ".join(f"{self.type(k)} {v}" for k, v in values)
        if wanted.result == "void":
            self.do(f"call void @{name}({text})")
            return "void", ""
        return wanted.result, self.emit(f"call {self.type(wanted.result)} @{name}({text})")

    def _builtin(self, node: ast.Call, name: str) -> Value:
        values = [self.cast(node, self.expression(a), "double") for a in node.args]
        vector, suffix = self.vector, f"v{self.lanes}f64"
        if name in ("min", "max"):
            test = self.emit(f"fcmp {'olt' if name == 'min' else 'ogt'} {vector} {values[0]}, {values[1]}")
            return "double", self.emit(
                f"select {self.bits} {test}, {vector} {values[0]}, {vector} {values[1]}"
            )
        if name == "isfinite":
            nothing = self.emit(f"fsub {vector} {values[0]}, {values[0]}")
            return "m", self.emit(f"fcmp ord {vector} {nothing}, zeroinitializer")
        if name == "float":
            return "double", values[0]
        if name in ("sqrt", "abs"):
            own = {"abs": "fabs"}.get(name, name)
            return "double", self.emit(f"call {vector} @llvm.{own}.{suffix}({vector} {values[0]})")
        raise self.fail(node, f"{name!r} is not known in lanes" + (" yet" if name in LIBRARY else ""))


def lane_text(
    node: ast.FunctionDef, signatures: Mapping[str, Signature], constants: Mapping[str, Any], lanes: int
) -> str:
    """The LLVM text of one lane kernel, which may call those with known signatures."""
    return _LaneBody(signatures, constants, node.name, lanes).function(node)


def declarations(lanes: int) -> str:
    """What lane kernels call."""
    vector, suffix = f"<{lanes} x double>", f"v{lanes}f64"
    return "".join(f"declare {vector} @llvm.{name}.{suffix}({vector})\n" for name in ("sqrt", "fabs")) + (
        f"declare {vector} @llvm.fma.{suffix}({vector}, {vector}, {vector})\n"
    )


SIDE_BY_SIDE = (4, 1)
"""So many entries of a sum are formed at once: chains of operations that do not wait for each other."""


def combine_text(lanes: int) -> str:
    """The lane kernel `combine`: out = y + h Σ_j w_j k_j, fused where `compile.vectors` fuses."""
    v = f"<{lanes} x double>"
    wide, single = (_combine_loop(lanes, entries) for entries in SIDE_BY_SIDE)
    most = SIDE_BY_SIDE[0]
    return f"""
define void @lane_combine(i64 %d, i64 %stages, ptr %weights, ptr %k, ptr %y, {v} %h, ptr %out) nounwind {{
entry:
  %rest = srem i64 %d, {most}
  %whole = sub i64 %d, %rest
  %some = icmp sgt i64 %whole, 0
  br i1 %some, label %block{most}, label %between
{wide.format(first="0", before="%entry", last="%whole", after="%between")}
between:
  %left = icmp sgt i64 %rest, 0
  br i1 %left, label %block1, label %done
{single.format(first="%whole", before="%between", last="%d", after="%done")}
done:
  ret void
}}
"""


def _combine_loop(lanes: int, entries: int) -> str:
    """The loop over entries, so many at once, from {first} on while below {last}."""
    v, name, e = f"<{lanes} x double>", f"v{lanes}f64", entries
    head, body, tail, zero = [], [], [], f"<{lanes} x i32> zeroinitializer"
    for i in range(e):
        head.append(f"  %sum{e}.{i} = phi {v} [ zeroinitializer, %block{e} ], [ %next{e}.{i}, %stage{e} ]")
        body += [
            f"  %at{e}.{i} = getelementptr {v}, ptr %row{e}, i64 {i}",
            f"  %k{e}.{i} = load {v}, ptr %at{e}.{i}, align 8",
            f"  %next{e}.{i} = call {v} @llvm.fma.{name}({v} %w{e}, {v} %k{e}.{i}, {v} %sum{e}.{i})",
        ]
        tail += [
            f"  %to{e}.{i} = add i64 %i{e}, {i}",
            f"  %yp{e}.{i} = getelementptr {v}, ptr %y, i64 %to{e}.{i}",
            f"  %y{e}.{i} = load {v}, ptr %yp{e}.{i}, align 8",
            f"  %v{e}.{i} = call {v} @llvm.fma.{name}({v} %h, {v} %next{e}.{i}, {v} %y{e}.{i})",
            f"  %op{e}.{i} = getelementptr {v}, ptr %out, i64 %to{e}.{i}",
            f"  store {v} %v{e}.{i}, ptr %op{e}.{i}, align 8",
        ]
    return "\n".join(
        [
            f"block{e}:",
            f"  %i{e} = phi i64 [ {{first}}, {{before}} ], [ %inext{e}, %finish{e} ]",
            f"  %first{e} = getelementptr {v}, ptr %k, i64 %i{e}",
            f"  br label %stage{e}",
            f"stage{e}:",
            f"  %j{e} = phi i64 [ 0, %block{e} ], [ %jnext{e}, %stage{e} ]",
            f"  %row{e} = phi ptr [ %first{e}, %block{e} ], [ %rownext{e}, %stage{e} ]",
            *head,
            f"  %wp{e} = getelementptr double, ptr %weights, i64 %j{e}",
            f"  %w0{e} = load double, ptr %wp{e}, align 8",
            f"  %w1{e} = insertelement {v} poison, double %w0{e}, i32 0",
            f"  %w{e} = shufflevector {v} %w1{e}, {v} poison, {zero}",
            *body,
            f"  %rownext{e} = getelementptr {v}, ptr %row{e}, i64 %d",
            f"  %jnext{e} = add i64 %j{e}, 1",
            f"  %more{e} = icmp slt i64 %jnext{e}, %stages",
            f"  br i1 %more{e}, label %stage{e}, label %finish{e}",
            f"finish{e}:",
            *tail,
            f"  %inext{e} = add i64 %i{e}, {e}",
            f"  %again{e} = icmp slt i64 %inext{e}, {{last}}",
            f"  br i1 %again{e}, label %block{e}, label {{after}}",
        ]
    )
