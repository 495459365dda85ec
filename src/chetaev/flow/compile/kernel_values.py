"""Values in a kernel: types in LLVM's text, and operations on them, for one motion or for one in each lane.

The kinds of values are ``double``; ``i64`` and ``i1`` for whole numbers and conditions that are the same
in all lanes; and addresses: ``F`` and ``U`` of doubles, ``I`` of whole numbers, ``X`` of a program. With
more than one lane a ``double`` is a vector, there are ``m``, a condition in each lane, and ``v``, a whole
number in each, and the entries of ``U`` are one for all lanes. Whole numbers that are known stand there
as digits, and what they decide is decided here.
"""

from __future__ import annotations

import ast
import operator
import struct
from collections.abc import Callable, Collection, Mapping
from typing import Any

from chetaev.flow.compile.link import KernelError, KernelRecord, Signature

ARITHMETIC = {
    ast.Add: ("fadd contract", "add"), ast.Sub: ("fsub contract", "sub"), ast.Mult: ("fmul contract", "mul"),
    ast.Div: ("fdiv", ""), ast.FloorDiv: ("", "sdiv"), ast.Mod: ("", "srem"),
    ast.BitOr: ("", "or"), ast.BitAnd: ("", "and"),
}  # fmt: skip
PREDICATES = {
    ast.Lt: ("olt", "slt", operator.lt), ast.LtE: ("ole", "sle", operator.le),
    ast.Gt: ("ogt", "sgt", operator.gt), ast.GtE: ("oge", "sge", operator.ge),
    ast.Eq: ("oeq", "eq", operator.eq), ast.NotEq: ("une", "ne", operator.ne),
}  # fmt: skip
Value = tuple[str, str]
"""A kind and the name or constant that holds the value."""

LIBRARY = ("log",)
"""Functions of the C library, by the names that both languages give them; for one motion only."""


def declarations(lanes: int) -> str:
    """What kernels call."""
    vector, suffix = ("double", "f64") if lanes == 1 else (f"<{lanes} x double>", f"v{lanes}f64")
    return "".join(f"declare {vector} @llvm.{name}.{suffix}({vector})\n" for name in ("sqrt", "fabs")) + (
        "".join(f"declare double @{name}(double)\n" for name in LIBRARY) if lanes == 1 else ""
    )


def literal(value: str) -> int | None:
    """The whole number that a value is, if that is known."""
    return int(value) if value.lstrip("-").isdigit() else None


class Lines:
    """The text of a function as it grows: numbered results, numbered labels, blocks that end once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.open = True

    def emit(self, text: str) -> str:
        """An instruction with a result, and the result's name."""
        self.count += 1
        self.lines.append(f"  %r{self.count} = {text}")
        return f"%r{self.count}"

    def do(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append("  " + text)

    def label(self) -> str:
        """The name of a block that is to come."""
        self.count += 1
        return f"b{self.count}"

    def start(self, label: str) -> None:
        """Begin a block; the one before goes on to it unless it has ended."""
        if self.open:
            self.do(f"br label %{label}")
        self.lines.append(f"{label}:")
        self.open = True

    def leave(self, text: str) -> None:
        """End the block with an instruction, unless it has ended."""
        if self.open:
            self.do(text)
        self.open = False


class KernelValues(Lines):
    """Translates the expressions of one kernel, for so many lanes."""

    def __init__(
        self, signatures: Mapping[str, Signature], constants: Mapping[str, Any], name: str, lanes: int = 1
    ) -> None:
        super().__init__()
        self.signatures, self.constants, self.name, self.lanes = signatures, constants, name, lanes
        self.signature = signatures[name]
        self.records = self.signature.records
        self.modules: Collection[str] = constants.get("modules", ())
        self.variables: dict[str, str] = {}
        self.itself = ""
        """The record whose part is being written out."""

    def fail(self, node: ast.AST, why: str) -> KernelError:
        """An error with its place."""
        return KernelError(f"kernel {self.name}, line {getattr(node, 'lineno', '?')}: {why}")

    # --- types ------------------------------------------------------------------------------------------

    def many(self, kind: str) -> str:
        """The type of a number in each lane."""
        return kind if self.lanes == 1 else f"<{self.lanes} x {kind}>"

    @property
    def vector(self) -> str:
        """The type of a number."""
        return self.many("double")

    @property
    def bits(self) -> str:
        """The type of a condition that lanes may differ in."""
        return self.many("i1")

    def type(self, kind: str) -> str:
        """The type of a kind in LLVM's text."""
        own = {"double": self.vector, "m": self.bits, "v": self.many("i64")}
        return own.get(kind) or (kind if kind in ("i64", "i1", "void") else "ptr")

    def splat(self, kind: str, scalar: str) -> str:
        """A scalar in all lanes."""
        if self.lanes == 1:
            return scalar
        if literal(scalar) is not None:
            return f"splat ({kind} {scalar})"
        one = self.emit(f"insertelement {self.many(kind)} poison, {kind} {scalar}, i32 0")
        zero = f"<{self.lanes} x i32> zeroinitializer"
        return self.emit(f"shufflevector {self.many(kind)} {one}, {self.many(kind)} poison, {zero}")

    def number(self, value: float) -> str:
        """A constant in all lanes."""
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return bits if self.lanes == 1 else f"splat (double {bits})"

    def cast(self, node: ast.AST, value: Value, kind: str) -> str:
        """A value as one of another kind."""
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
        if kind == "i1" and given == "i64":
            return self.emit(f"icmp ne i64 {name}, 0")
        if kind == "i64" and given == "i1":
            return self.emit(f"zext i1 {name} to i64")
        if self.lanes > 1 and kind == "m" and given in ("double", "v"):
            test = "fcmp une" if given == "double" else "icmp ne"
            return self.emit(f"{test} {self.type(given)} {name}, zeroinitializer")
        if self.lanes > 1 and kind == "m" and given in ("i1", "i64"):
            return self.splat("i1", self.cast(node, value, "i1"))
        if self.lanes > 1 and kind == "v" and given in ("i64", "i1"):
            return self.splat("i64", self.cast(node, value, "i64"))
        raise self.fail(node, f"a value of type {given} where {kind} is needed")

    def whole(self, node: ast.expr) -> str:
        """A whole number that is the same in all lanes."""
        return self.cast(node, self.expression(node), "i64")

    def condition(self, node: ast.expr) -> str:
        """A condition that is the same in all lanes."""
        return self.cast(node, self.expression(node), "i1")

    # --- expressions ------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Value:
        """Any expression."""
        method: Callable[[Any], Value] | None = getattr(self, f"_of_{type(node).__name__}", None)
        if method is None:
            raise self.fail(node, f"{type(node).__name__} is not understood")
        return method(node)

    def _of_Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, bool):
            return "i1", "1" if node.value else "0"
        if isinstance(node.value, int):
            return "i64", str(node.value)
        assert isinstance(node.value, float)
        return "double", self.number(node.value)

    def _of_Name(self, node: ast.Name) -> Value:
        kind = self.variables.get(node.id)
        if kind is not None:
            return kind, self.emit(f"load {self.type(kind)}, ptr %var.{node.id}, align 8")
        return self._constant(node, node.id)

    def _constant(self, node: ast.expr, name: str) -> Value:
        value = self.constants.get(name)
        if isinstance(value, int):
            return "i64", str(value)
        if isinstance(value, float):
            return "double", self.number(value)
        raise self.fail(node, f"unknown name {name!r}")

    def _of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        kind, value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            if kind in ("i1", "i64"):
                return "i1", self.emit(f"icmp eq {kind} {value}, 0")
            found = self.cast(node, (kind, value), "m")
            return "m", self.emit(f"xor {self.bits} {found}, splat (i1 true)")
        if kind == "double":
            return kind, self.emit(f"fneg {self.vector} {value}")
        return "i64", f"-{value}" if value.isdigit() else self.emit(f"sub i64 0, {value}")

    def _of_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.expression(node.left), self.expression(node.right)
        real, whole = ARITHMETIC.get(type(node.op), ("", ""))
        if whole and {left[0], right[0]} <= {"i64", "v"}:
            kind = "v" if "v" in (left[0], right[0]) else "i64"
            a, b = self.cast(node, left, kind), self.cast(node, right, kind)
            return kind, self.emit(f"{whole} {self.type(kind)} {a}, {b}")
        if not real:
            raise self.fail(
                node, "this operation is for integers" if whole else "this operation is not understood"
            )
        a, b = self.cast(node, left, "double"), self.cast(node, right, "double")
        return "double", self.emit(f"{real} {self.vector} {a}, {b}")

    def _of_Compare(self, node: ast.Compare) -> Value:
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        real, whole, known = PREDICATES[type(node.ops[0])]
        kinds = {left[0], right[0]}
        if kinds == {"i64"} and all(literal(x) is not None for _, x in (left, right)):
            return "i1", str(int(known(int(left[1]), int(right[1]))))
        for kind in ("m", "v", "i64", "i1"):
            if kind in kinds and kinds <= {kind, "i64", "i1"}:
                x, y = self.cast(node, left, kind), self.cast(node, right, kind)
                return "m" if kind in "mv" else "i1", self.emit(f"icmp {whole} {self.type(kind)} {x}, {y}")
        x, y = self.cast(node, left, "double"), self.cast(node, right, "double")
        return "i1" if self.lanes == 1 else "m", self.emit(f"fcmp {real} {self.vector} {x}, {y}")

    def _of_BoolOp(self, node: ast.BoolOp) -> Value:
        op = "and" if isinstance(node.op, ast.And) else "or"
        values = [self.expression(value) for value in node.values]
        if any(literal(name) == (0 if op == "and" else 1) for _, name in values):
            return "i1", "0" if op == "and" else "1"
        kind = "i1" if all(k in ("i1", "i64") for k, _ in values) else "m"
        result, *parts = [self.cast(node, value, kind) for value in values]
        for part in parts:
            result = self.emit(f"{op} {self.type(kind)} {result}, {part}")
        return kind, result

    def _of_IfExp(self, node: ast.IfExp) -> Value:
        test = self.expression(node.test)
        known = literal(test[1])
        if known is not None:
            return self.expression(node.body if known else node.orelse)
        a, b = self.expression(node.body), self.expression(node.orelse)
        shared = "i1" if test[0] in ("i1", "i64") else "m"
        kind = a[0] if a[0] == b[0] else "double"
        if shared == "m" and {a[0], b[0]} <= {"i64", "v"}:
            kind = "v"
        condition = self.cast(node, test, shared)
        first, second = self.cast(node, a, kind), self.cast(node, b, kind)
        chosen = (
            f"select {self.type(shared)} {condition}, {self.type(kind)} {first}, {self.type(kind)} {second}"
        )
        return kind, self.emit(chosen)

    # --- entries and parts of records --------------------------------------------------------------------

    def _of_Attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            return self._constant(node, node.attr)
        owner, record = self.owner(node)
        if node.attr in record.fields:
            return self._of_Name(ast.copy_location(ast.Name(f"{owner}.{node.attr}", ast.Load()), node))
        return self.within(owner, record.parts[node.attr], self.expression)

    def owner(self, node: ast.Attribute) -> tuple[str, KernelRecord]:
        """The record that something is a part of, and its name where its fields stand."""
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        name = self.itself if name == "self" and self.itself else name
        if name not in self.records or node.attr not in self.records[name]:
            raise self.fail(node, f"{ast.unparse(node)!r} is no part of a record")
        return name, self.records[name]

    def entry(self, node: ast.Attribute) -> Value:
        """Where the entry stands that a part of a record is the name of."""
        owner, record = self.owner(node)
        part = record.parts.get(node.attr)
        if not isinstance(part, ast.Subscript) or isinstance(part.slice, ast.Slice):
            raise self.fail(node, f"{ast.unparse(node)!r} cannot be assigned to: it is no entry")
        return self.within(owner, part, self.address)

    def within(self, owner: str, part: Any, read: Callable[[Any], Value]) -> Value:
        """Read an expression in which ``self`` is a record."""
        outer, self.itself = self.itself, owner
        value = read(part)
        self.itself = outer
        return value

    def element(self, kind: str) -> str:
        """The type of an entry of an array."""
        return {"F": self.vector, "U": "double", "I": "i64"}[kind]

    def address(self, node: ast.Subscript) -> Value:
        """Where an entry of an array stands; its kind is ``u`` if it is one for all lanes."""
        kind, base = self.expression(node.value)
        place = self.emit(f"getelementptr {self.element(kind)}, ptr {base}, i64 {self.whole(node.slice)}")
        return {"F": "double", "U": "double" if self.lanes == 1 else "u", "I": "i64"}[kind], place

    def _of_Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice):
            kind, base = self.expression(node.value)
            assert node.slice.lower is not None
            offset = self.whole(node.slice.lower)
            return kind, self.emit(f"getelementptr {self.element(kind)}, ptr {base}, i64 {offset}")
        kind, address = self.address(node)
        if kind == "u":
            return "double", self.splat("double", self.emit(f"load double, ptr {address}, align 8"))
        return kind, self.emit(f"load {self.type(kind)}, ptr {address}, align 8")

    # --- functions ----------------------------------------------------------------------------------------

    def passed(self, node: ast.expr, wanted: str | KernelRecord) -> list[Value]:
        """An argument of a call; a record as its fields."""
        if isinstance(wanted, str):
            return [(wanted, self.cast(node, self.expression(node), wanted))]
        parts = [ast.copy_location(ast.Attribute(node, name, ast.Load()), node) for name in wanted.fields]
        return [self._of_Attribute(part) for part in parts]

    def listed(self, values: list[Value]) -> str:
        """Arguments of a call."""
        return ", ".join(f"{self.type(k)} {v}" for k, v in values)

    def builtin(self, node: ast.Call, name: str) -> Value:
        """A function that every kernel knows."""
        values = [self.expression(a) for a in node.args]
        shared = all(kind == "i64" for kind, _ in values)
        if name == "int" and shared:
            return values[0]
        if name in ("min", "max") and shared:
            test = self.emit(f"icmp {'slt' if name == 'min' else 'sgt'} i64 {values[0][1]}, {values[1][1]}")
            return "i64", self.emit(f"select i1 {test}, i64 {values[0][1]}, i64 {values[1][1]}")
        vector, (x, *others) = self.vector, [self.cast(node, value, "double") for value in values]
        if name in ("min", "max"):
            test = self.emit(f"fcmp {'olt' if name == 'min' else 'ogt'} {vector} {x}, {others[0]}")
            return "double", self.emit(f"select {self.bits} {test}, {vector} {x}, {vector} {others[0]}")
        if name == "isfinite":
            nothing = self.emit(f"fsub {vector} {x}, {x}")
            return "i1" if self.lanes == 1 else "m", self.emit(
                f"fcmp ord {vector} {nothing}, {self.number(0.0)}"
            )
        if name == "float":
            return "double", x
        if name == "int":
            kind = "i64" if self.lanes == 1 else "v"
            return kind, self.emit(f"fptosi {vector} {x} to {self.type(kind)}")
        if name in ("sqrt", "abs"):
            suffix = "f64" if self.lanes == 1 else f"v{self.lanes}f64"
            own = {"abs": "fabs"}.get(name, name)
            return "double", self.emit(f"call {vector} @llvm.{own}.{suffix}({vector} {x})")
        if name in LIBRARY and self.lanes == 1:
            return "double", self.emit(f"call double @{name}(double {x})")
        raise self.fail(node, f"unknown function {name!r}")
