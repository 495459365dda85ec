"""Numbers, conditions and whole numbers in lanes: their types in LLVM's text, and operations on them.

Kinds are those of `compile.small_compiler`, and two more: ``m``, a condition in each lane, and ``v``, a whole
number in each. Whole numbers that are known stand there as digits, and what they decide is decided here.
"""

from __future__ import annotations

import ast
import operator
import struct
from collections.abc import Mapping
from typing import Any

from chetaev.flow.compile.signatures import Signature
from chetaev.flow.compile.small_compiler import _ARITHMETIC, _PREDICATES, LIBRARY, Value, _Body

_COMPARED = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


class _LaneValues(_Body):
    """Translates the expressions of a lane kernel."""

    def __init__(
        self, signatures: Mapping[str, Signature], constants: Mapping[str, Any], name: str, lanes: int
    ) -> None:
        super().__init__(signatures, constants, name)
        self.lanes = lanes
        self.fused = True
        """Whether a product and a sum may be one operation."""

    def meant(self) -> str | None:
        """The lanes that may be written to; None for all."""
        raise NotImplementedError

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
        own = {"double": self.vector, "m": self.bits, "v": f"<{self.lanes} x i64>"}
        return own.get(kind) or (kind if kind in ("i64", "i1", "void") else "ptr")

    def splat(self, kind: str, scalar: str) -> str:
        """A scalar in all lanes."""
        if literal(scalar) is not None:
            return f"splat ({kind} {scalar})"
        one = self.emit(f"insertelement <{self.lanes} x {kind}> poison, {kind} {scalar}, i32 0")
        zero = f"<{self.lanes} x i32> zeroinitializer"
        return self.emit(
            f"shufflevector <{self.lanes} x {kind}> {one}, <{self.lanes} x {kind}> poison, {zero}"
        )

    def number(self, value: float) -> str:
        """A constant in all lanes."""
        return f"splat (double 0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X})"

    def cast(self, node: ast.AST, value: Value, kind: str) -> str:
        given, name = value
        if given == kind or self.type(given) == self.type(kind) == "ptr":
            return name
        if kind == "double" and given in ("i64", "v"):
            known = literal(name)
            if known is not None:
                return self.number(float(known))
            if given == "v":
                return self.emit(f"sitofp {self.type('v')} {name} to {self.vector}")
            return self.splat("double", self.emit(f"sitofp i64 {name} to double"))
        if kind == "m" and given in ("double", "v"):
            test = "fcmp une" if given == "double" else "icmp ne"
            return self.emit(f"{test} {self.type(given)} {name}, zeroinitializer")
        if kind == "m" and given in ("i1", "i64"):
            return self.splat("i1", name if given == "i1" else self.emit(f"icmp ne i64 {name}, 0"))
        if kind == "v" and given in ("i64", "i1"):
            return self.splat("i64", self.cast(node, value, "i64"))
        if kind == "i64" and given == "i1":
            return self.emit(f"zext i1 {name} to i64")
        raise self.fail(node, f"a value of type {given} where {kind} is needed")

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
            if kind in ("i1", "i64"):
                return "i1", self.emit(f"icmp eq {kind} {value}, 0")
            found = self.cast(node, (kind, value), "m")
            return "m", self.emit(f"xor {self.bits} {found}, splat (i1 true)")
        if kind == "double":
            return kind, self.emit(f"fneg {self.vector} {value}")
        return "i64", f"-{value}" if value.isdigit() else self.emit(f"sub i64 0, {value}")

    def of_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.expression(node.left), self.expression(node.right)
        real, whole = _ARITHMETIC[type(node.op)]
        if whole and {left[0], right[0]} <= {"i64", "v"}:
            kind = "v" if "v" in (left[0], right[0]) else "i64"
            a, b = self.cast(node, left, kind), self.cast(node, right, kind)
            return kind, self.emit(f"{whole} {self.type(kind)} {a}, {b}")
        a, b = self.cast(node, left, "double"), self.cast(node, right, "double")
        return "double", self.emit(
            f"{real if self.fused else real.removesuffix(' contract')} {self.vector} {a}, {b}"
        )

    def of_Compare(self, node: ast.Compare) -> Value:
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        real, whole = _PREDICATES[type(node.ops[0])]
        kinds = {left[0], right[0]}
        if kinds == {"i64"}:
            if all(literal(x) is not None for _, x in (left, right)):
                return "i1", str(int(_COMPARED[type(node.ops[0])](int(left[1]), int(right[1]))))
            return "i1", self.emit(f"icmp {whole} i64 {left[1]}, {right[1]}")
        for kind in ("m", "v"):
            if kind in kinds and kinds <= {kind, "i64", "i1"}:
                x, y = self.cast(node, left, kind), self.cast(node, right, kind)
                return "m", self.emit(f"icmp {whole} {self.type(kind)} {x}, {y}")
        x, y = self.cast(node, left, "double"), self.cast(node, right, "double")
        return "m", self.emit(f"fcmp {real} {self.vector} {x}, {y}")

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        both = isinstance(node.op, ast.And)
        values = [self.expression(value) for value in node.values]
        if any(literal(name) == (0 if both else 1) for _, name in values):
            return "i1", "0" if both else "1"
        kind = "i1" if all(k in ("i1", "i64") for k, _ in values) else "m"
        result = ""
        for value in values:
            if kind == "i1" and value[0] == "i64":
                value = ("i1", self.emit(f"icmp ne i64 {value[1]}, 0"))
            part = self.cast(node, value, kind)
            op = "and" if both else "or"
            result = self.emit(f"{op} {self.type(kind)} {result}, {part}") if result else part
        return kind, result

    def of_IfExp(self, node: ast.IfExp) -> Value:
        test = self.expression(node.test)
        known = literal(test[1])
        if known is not None:
            return self.expression(node.body if known else node.orelse)
        a, b = self.expression(node.body), self.expression(node.orelse)
        if test[0] in ("i1", "i64") and a[0] == b[0] == "i64":
            condition = test[1] if test[0] == "i1" else self.emit(f"icmp ne i64 {test[1]}, 0")
            return "i64", self.emit(f"select i1 {condition}, i64 {a[1]}, i64 {b[1]}")
        kind = "v" if {a[0], b[0]} <= {"i64", "v"} else "double"
        condition = self.cast(node, test, "m")
        first, second = self.cast(node, a, kind), self.cast(node, b, kind)
        return kind, self.emit(
            f"select {self.bits} {condition}, {self.type(kind)} {first}, {self.type(kind)} {second}"
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
        if name == "int":
            return "v", self.emit(f"fptosi {vector} {values[0]} to {self.type('v')}")
        if name in ("sqrt", "abs"):
            own = {"abs": "fabs"}.get(name, name)
            return "double", self.emit(f"call {vector} @llvm.{own}.{suffix}({vector} {values[0]})")
        raise self.fail(node, f"{name!r} is not known in lanes" + (" yet" if name in LIBRARY else ""))


def literal(value: str) -> int | None:
    """The whole number that a value is, if that is known."""
    return int(value) if value.lstrip("-").isdigit() else None


def declarations(lanes: int) -> str:
    """What lane kernels call."""
    vector = f"<{lanes} x double>"
    return "".join(f"declare {vector} @llvm.{name}.v{lanes}f64({vector})\n" for name in ("sqrt", "fabs"))
