"""Loops in machine code: a small part of Python, compiled through LLVM.

The integrators are written as plain functions on numbers and arrays (see `flow/kernels/`). They run as
Python, which is how their logic is tested and read, and they are translated here for speed. What is
understood: arguments and results annotated ``int``, ``float``, ``Floats``, ``Ints`` or ``Function``
(compiled code with the signature of `translate`); local variables with one type each; assignment,
``if``, ``while``, ``for … in range``, ``break``, ``continue``, ``return``; arithmetic and comparison;
``a[i]``, ``a[i:]``; calls of other kernels; ``sqrt``, ``abs``, ``min``, ``max``, ``isfinite``, ``float``,
``int``, and functions of the C library, which in machine code give infinity or nan instead of errors; records
(see `signatures`), whose parts have names. Both sides of ``and`` and ``or`` are evaluated. Module-level
numbers are constants, with one value in all modules. `flow.compile.link` makes one program of several files.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Callable, Mapping
from typing import Any

from chetaev.flow.compile.llvm_lines import Lines
from chetaev.flow.compile.signatures import TYPES, KernelError, KernelRecord, Signature, name_of

_LLVM = {"i64": "i64", "double": "double", "F": "ptr", "I": "ptr", "X": "ptr", "void": "void", "i1": "i1"}
_LLVM |= {"U": "ptr"}
_ELEMENT = {"F": "double", "I": "i64", "U": "double"}
_ARITHMETIC = {
    ast.Add: ("fadd contract", "add"), ast.Sub: ("fsub contract", "sub"), ast.Mult: ("fmul contract", "mul"),
    ast.Div: ("fdiv", ""), ast.FloorDiv: ("", "sdiv"), ast.Mod: ("", "srem"),
    ast.BitOr: ("", "or"), ast.BitAnd: ("", "and"),
}  # fmt: skip
_PREDICATES = {
    ast.Lt: ("olt", "slt"), ast.LtE: ("ole", "sle"), ast.Gt: ("ogt", "sgt"), ast.GtE: ("oge", "sge"),
    ast.Eq: ("oeq", "eq"), ast.NotEq: ("une", "ne"),
}  # fmt: skip
Value = tuple[str, str]
"""A type and the name or constant that holds the value."""

LIBRARY = ("log",)
"""Functions of the C library, by the names that both languages give them."""

DECLARATIONS = """declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @log(double)
"""


class _Body(Lines):
    """Translates one function."""

    def __init__(
        self,
        signatures: Mapping[str, Signature],
        constants: Mapping[str, Any],
        name: str,
        attributes: str = "",
    ) -> None:
        self.attributes = attributes
        self.signatures, self.constants, self.name = signatures, constants, name
        self.signature = signatures[name]
        super().__init__()
        self.slots: list[str] = []
        self.variables: dict[str, str] = {}
        self.records = self.signature.records
        self.loops: list[tuple[str, str]] = []
        self.itself = ""
        """The record whose part is being written out."""

    def fail(self, node: ast.AST, why: str) -> KernelError:
        return KernelError(f"kernel {self.name}, line {getattr(node, 'lineno', '?')}: {why}")

    # --- statements -----------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef) -> str:
        for name, kind in self.signature.arguments:
            self.assign(node, name, (kind, f"%arg.{name}"))
        self.block(node.body)
        if self.signature.result == "void":
            self.leave("ret void")
        self.leave("unreachable")
        return "\n".join([self._head(), "entry:", *self.slots, *self.lines, "}"])

    def _head(self) -> str:
        arguments = ", ".join(f"{_LLVM[k]} %arg.{n}" for n, k in self.signature.arguments)
        return f"define {_LLVM[self.signature.result]} @{self.name}({arguments}) nounwind{self.attributes} {{"

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self.open:
                return
            getattr(self, f"do_{type(statement).__name__}", self._unknown)(statement)

    def _unknown(self, node: ast.AST) -> None:
        raise self.fail(node, f"{type(node).__name__} is not understood")

    def assign(self, node: ast.AST, name: str, value: Value) -> None:
        kind = self.variables.get(name)
        if kind is None:
            kind = self.variables[name] = value[0]
            self.slots.append(f"  %var.{name} = alloca {_LLVM[kind]}")
        self.do(f"store {_LLVM[kind]} {self.cast(node, value, kind)}, ptr %var.{name}")

    def do_Assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        value = self.expression(node.value)
        if isinstance(target, ast.Name):
            self.assign(node, target.id, value)
        elif isinstance(target, ast.Subscript):
            kind, address = self.address(target)
            self.do(f"store {kind} {self.cast(node, value, kind)}, ptr {address}")
        elif isinstance(target, ast.Attribute):
            kind, address = self.entry(target)
            self.do(f"store {kind} {self.cast(node, value, kind)}, ptr {address}")
        else:
            raise self.fail(node, "only names and entries can be assigned to")

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        assert isinstance(node.target, ast.Name)
        assert node.value is not None
        kind = TYPES[name_of(node.annotation)]
        self.assign(node, node.target.id, (kind, self.cast(node, self.expression(node.value), kind)))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        load: Any = ast.parse(ast.unparse(node.target), mode="eval").body
        whole = ast.Assign([node.target], ast.BinOp(load, node.op, node.value), lineno=node.lineno)
        self.do_Assign(whole)

    def do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.leave("ret void")
            return
        kind = self.signature.result
        self.leave(f"ret {_LLVM[kind]} {self.cast(node, self.expression(node.value), kind)}")

    def do_If(self, node: ast.If) -> None:
        then, otherwise, after = self.label(), self.label(), self.label()
        self.leave(f"br i1 {self.condition(node.test)}, label %{then}, label %{otherwise}")
        for label, body in ((then, node.body), (otherwise, node.orelse)):
            self.lines.append(f"{label}:")
            self.open = True
            self.block(body)
            self.leave(f"br label %{after}")
        self.lines.append(f"{after}:")
        self.open = True

    def do_While(self, node: ast.While) -> None:
        test, body, after = self.label(), self.label(), self.label()
        self.start(test)
        self.leave(f"br i1 {self.condition(node.test)}, label %{body}, label %{after}")
        self._loop(body, node.body, test, after)

    def _loop(self, body: str, statements: list[ast.stmt], again: str, after: str) -> None:
        self.lines.append(f"{body}:")
        self.open = True
        self.loops.append((again, after))
        self.block(statements)
        self.loops.pop()
        self.leave(f"br label %{again}")
        self.lines.append(f"{after}:")
        self.open = True

    def do_For(self, node: ast.For) -> None:
        if not (isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)):
            raise self.fail(node, "only 'for name in range(…)'")
        arguments = [self.whole(a) for a in node.iter.args]
        first, last = ("0", arguments[0]) if len(arguments) == 1 else arguments[:2]
        step = int(ast.literal_eval(node.iter.args[2])) if len(arguments) == 3 else 1
        name = f"{node.target.id}"
        counter = f"loop{self.label()}"
        self.assign(node, counter, ("i64", first))
        test, body, advance, after = self.label(), self.label(), self.label(), self.label()
        self.start(test)
        now = self.emit(f"load i64, ptr %var.{counter}")
        more = self.emit(f"icmp {'slt' if step > 0 else 'sgt'} i64 {now}, {last}")
        self.leave(f"br i1 {more}, label %{body}, label %{after}")
        self.lines.append(f"{body}:")
        self.open = True
        self.assign(node, name, ("i64", now))
        self.loops.append((advance, after))
        self.block(node.body)
        self.loops.pop()
        self.leave(f"br label %{advance}")
        self.lines.append(f"{advance}:")
        self.open = True
        self.assign(node, counter, ("i64", self.emit(f"add i64 {now}, {step}")))
        self.leave(f"br label %{test}")
        self.lines.append(f"{after}:")
        self.open = True

    def do_Break(self, node: ast.Break) -> None:
        self.leave(f"br label %{self.loops[-1][1]}")

    def do_Continue(self, node: ast.Continue) -> None:
        self.leave(f"br label %{self.loops[-1][0]}")

    # --- expressions ------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Value:
        method: Callable[[Any], Value] | None = getattr(self, f"of_{type(node).__name__}", None)
        if method is None:
            raise self.fail(node, f"{type(node).__name__} is not understood")
        return method(node)

    def cast(self, node: ast.AST, value: Value, kind: str) -> str:
        if value[0] == kind or _LLVM[value[0]] == _LLVM[kind] == "ptr":
            return value[1]
        if kind == "double" and value[0] == "i64":
            if value[1].lstrip("-").isdigit():
                return _double(float(value[1]))
            return self.emit(f"sitofp i64 {value[1]} to double")
        if kind == "i64" and value[0] == "i1":
            return self.emit(f"zext i1 {value[1]} to i64")
        raise self.fail(node, f"a value of type {value[0]} where {kind} is needed")

    def whole(self, node: ast.expr) -> str:
        return self.cast(node, self.expression(node), "i64")

    def real(self, node: ast.expr) -> str:
        return self.cast(node, self.expression(node), "double")

    def condition(self, node: ast.expr) -> str:
        kind, value = self.expression(node)
        if kind == "i1":
            return value
        if kind == "i64":
            return self.emit(f"icmp ne i64 {value}, 0")
        raise self.fail(node, "a condition must be a comparison or an integer")

    def of_Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, bool):
            return "i1", "1" if node.value else "0"
        if isinstance(node.value, int):
            return "i64", str(node.value)
        assert isinstance(node.value, float)
        return "double", _double(node.value)

    def of_Name(self, node: ast.Name) -> Value:
        kind = self.variables.get(node.id)
        if kind is not None:
            return kind, self.emit(f"load {_LLVM[kind]}, ptr %var.{node.id}")
        value = self.constants.get(node.id)
        if isinstance(value, int):
            return "i64", str(value)
        if isinstance(value, float):
            return "double", _double(value)
        raise self.fail(node, f"unknown name {node.id!r}")

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return "i1", self.emit(f"xor i1 {self.condition(node.operand)}, 1")
        kind, value = self.expression(node.operand)
        if kind == "double":
            return kind, self.emit(f"fneg double {value}")
        return "i64", f"-{value}" if value.isdigit() else self.emit(f"sub i64 0, {value}")

    def of_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.expression(node.left), self.expression(node.right)
        real, whole = _ARITHMETIC[type(node.op)]
        if whole and left[0] == right[0] == "i64":
            return "i64", self.emit(f"{whole} i64 {left[1]}, {right[1]}")
        if not real:
            raise self.fail(node, "this operation is for integers")
        a, b = self.cast(node, left, "double"), self.cast(node, right, "double")
        return "double", self.emit(f"{real} double {a}, {b}")

    def of_Compare(self, node: ast.Compare) -> Value:
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        real, whole = _PREDICATES[type(node.ops[0])]
        if left[0] == right[0] and left[0] in ("i64", "i1"):
            return "i1", self.emit(f"icmp {whole} {left[0]} {left[1]}, {right[1]}")
        a, b = self.cast(node, left, "double"), self.cast(node, right, "double")
        return "i1", self.emit(f"fcmp {real} double {a}, {b}")

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        op = "and" if isinstance(node.op, ast.And) else "or"
        value = self.condition(node.values[0])
        for other in node.values[1:]:
            value = self.emit(f"{op} i1 {value}, {self.condition(other)}")
        return "i1", value

    def of_IfExp(self, node: ast.IfExp) -> Value:
        test, a, b = self.condition(node.test), self.expression(node.body), self.expression(node.orelse)
        kind = a[0] if a[0] == b[0] else "double"
        first, second = self.cast(node, a, kind), self.cast(node, b, kind)
        return kind, self.emit(f"select i1 {test}, {_LLVM[kind]} {first}, {_LLVM[kind]} {second}")

    def of_Attribute(self, node: ast.Attribute) -> Value:
        owner, record = self.owner(node)
        if node.attr in record.fields:
            return self.of_Name(ast.copy_location(ast.Name(f"{owner}.{node.attr}", ast.Load()), node))
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

    def address(self, node: ast.Subscript) -> Value:
        kind, base = self.expression(node.value)
        element = _ELEMENT[kind]
        return element, self.emit(f"getelementptr {element}, ptr {base}, i64 {self.whole(node.slice)}")

    def of_Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice):
            kind, base = self.expression(node.value)
            assert node.slice.lower is not None
            offset = self.whole(node.slice.lower)
            return kind, self.emit(f"getelementptr {_ELEMENT[kind]}, ptr {base}, i64 {offset}")
        element, address = self.address(node)
        return element, self.emit(f"load {element}, ptr {address}")

    def of_Call(self, node: ast.Call) -> Value:
        given: list[str | KernelRecord]
        if isinstance(node.func, ast.Attribute) or self.variables.get(name_of(node.func)) == "X":
            name = ast.unparse(node.func)
            given = ["double", "F", "F", "F", "F"]
            target, result = self.expression(node.func)[1], "i64"
        elif (name := name_of(node.func)) in self.signatures:
            given = self.signatures[name].given
            target, result = f"@{name}", self.signatures[name].result
        else:
            return self._builtin(node, name)
        if len(given) != len(node.args):
            raise self.fail(node, f"{name} takes {len(given)} arguments, got {len(node.args)}")
        values = [v for a, kind in zip(node.args, given, strict=True) for v in self.handed(a, kind)]
        text = ", ".join(f"{_LLVM[k]} {v}" for k, v in values)
        if result == "void":
            self.do(f"call void {target}({text})")
            return "void", ""
        return result, self.emit(f"call {_LLVM[result]} {target}({text})")

    def handed(self, node: ast.expr, wanted: str | KernelRecord) -> list[Value]:
        """An argument of a call; a record as its fields."""
        if isinstance(wanted, str):
            return [(wanted, self.cast(node, self.expression(node), wanted))]
        parts = [ast.copy_location(ast.Attribute(node, name, ast.Load()), node) for name in wanted.fields]
        return [self.of_Attribute(part) for part in parts]

    def _builtin(self, node: ast.Call, name: str) -> Value:
        values = [self.expression(a) for a in node.args]
        if name in ("min", "max"):
            kind = "i64" if all(k == "i64" for k, _ in values) else "double"
            a, b = (self.cast(node, v, kind) for v in values)
            predicate = {"min": ("olt", "slt"), "max": ("ogt", "sgt")}[name][kind == "i64"]
            test = self.emit(f"{'icmp' if kind == 'i64' else 'fcmp'} {predicate} {kind} {a}, {b}")
            return kind, self.emit(f"select i1 {test}, {kind} {a}, {kind} {b}")
        if name in LIBRARY:
            numbers = ", ".join(f"double {self.cast(node, v, 'double')}" for v in values)
            return "double", self.emit(f"call double @{name}({numbers})")
        if name == "int":
            kind, value = values[0]
            return "i64", value if kind == "i64" else self.emit(f"fptosi double {value} to i64")
        x = self.cast(node, values[0], "double")
        if name == "isfinite":
            return "i1", self.emit(f"fcmp ord double {self.emit(f'fsub double {x}, {x}')}, 0.0")
        if name == "float":
            return "double", x
        if name in ("sqrt", "abs"):
            return "double", self.emit(
                f"call double @llvm.{ {'abs': 'fabs'}.get(name, name) }.f64(double {x})"
            )
        raise self.fail(node, f"unknown function {name!r}")


def _double(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def function_text(
    node: ast.FunctionDef,
    signatures: Mapping[str, Signature],
    constants: Mapping[str, Any],
    attributes: str = "",
) -> str:
    """The LLVM text of one kernel, which may call those with known signatures."""
    return _Body(signatures, constants, node.name, attributes).function(node)
