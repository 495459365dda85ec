"""Loops in machine code: a small part of Python, compiled through LLVM.

The integrators are written as plain functions on numbers and arrays (see `flow/kernels/`). They run as
Python, which is how their logic is tested and read, and they are translated here for speed. What is
understood: arguments and results annotated ``int``, ``float``, ``Floats``, ``Ints`` or ``Function``
(compiled code with the signature of `program_text`); local variables with one type each; assignment,
``if``, ``while``, ``for … in range``, ``break``, ``continue``, ``return``; arithmetic and comparison;
``a[i]``, ``a[i:]``; calls of other kernels; ``sqrt``, ``abs``, ``min``, ``max``, ``isfinite``, ``float``,
``int``, and functions of the C library, which in machine code give infinity or nan instead of errors; records
(see `link`), whose parts have names. Both sides of ``and`` and ``or`` are evaluated. Module-level
numbers are constants, with one value in all modules. `flow.compile.link` makes one program of several files.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from types import ModuleType
from typing import Any

from chetaev.flow.compile.kernel_values import KernelValues, Value, declarations, literal
from chetaev.flow.compile.link import TYPES, KernelRecord, Linked, Signature, name_of


class KernelBody(KernelValues):
    """Translates one function."""

    def __init__(
        self,
        signatures: Mapping[str, Signature],
        constants: Mapping[str, Any],
        name: str,
        lanes: int = 1,
    ) -> None:
        super().__init__(signatures, constants, name, lanes)
        self.slots: list[str] = []
        self.loops: list[tuple[str, str]] = []

    # --- statements -----------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef) -> str:
        """The whole function."""
        for name, kind in self.signature.arguments:
            self.assign(node, name, (kind, f"%arg.{name}"))
        self.block(node.body)
        if self.signature.result == "void":
            self.leave("ret void")
        self.leave("unreachable")
        return "\n".join([self._head(), "entry:", *self.slots, *self.lines, "}"])

    def _head(self) -> str:
        arguments = ", ".join(f"{self.type(k)} %arg.{n}" for n, k in self.signature.arguments)
        head = f"define {self.type(self.signature.result)} @{self.name}({arguments})"
        return f"{head} nounwind {{"

    def block(self, statements: list[ast.stmt]) -> None:
        """Statements one after the other, as far as they are reached."""
        for statement in statements:
            if not self.open:
                return
            getattr(self, f"_do_{type(statement).__name__}", self._unknown)(statement)

    def _unknown(self, node: ast.AST) -> None:
        raise self.fail(node, f"{type(node).__name__} is not understood")

    def assign(self, node: ast.AST, name: str, value: Value) -> None:
        """Give a variable a value."""
        kind = self.variables.get(name)
        if kind is None:
            kind = self.variables[name] = value[0]
            self.slots.append(f"  %var.{name} = alloca {self.type(kind)}, align 8")
        self.do(f"store {self.type(kind)} {self.cast(node, value, kind)}, ptr %var.{name}, align 8")

    def _do_Assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        value = self.expression(node.value)
        if isinstance(target, ast.Name):
            self.assign(node, target.id, value)
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            kind, address = self.address(target) if isinstance(target, ast.Subscript) else self.entry(target)
            self.put(kind, self.cast(node, value, kind), address)
        else:
            raise self.fail(node, "only names and entries can be assigned to")

    def put(self, kind: str, value: str, address: str) -> None:
        """Write an entry of an array."""
        self.do(f"store {self.type(kind)} {value}, ptr {address}, align 8")

    def _do_AnnAssign(self, node: ast.AnnAssign) -> None:
        assert isinstance(node.target, ast.Name)
        assert node.value is not None
        kind = TYPES[name_of(node.annotation)]
        self.assign(node, node.target.id, (kind, self.cast(node, self.expression(node.value), kind)))

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        load: Any = ast.parse(ast.unparse(node.target), mode="eval").body
        whole = ast.Assign([node.target], ast.BinOp(load, node.op, node.value), lineno=node.lineno)
        self._do_Assign(whole)

    def _do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.leave("ret void")
            return
        kind = self.signature.result
        self.leave(f"ret {self.type(kind)} {self.cast(node, self.expression(node.value), kind)}")

    def _do_If(self, node: ast.If) -> None:
        kind, value = self.expression(node.test)
        known = literal(value)
        if known is not None:
            self.block(node.body if known else node.orelse)
        elif kind in ("i1", "i64"):
            self.branch(node, self.cast(node.test, (kind, value), "i1"))
        else:
            self.divide(node, (kind, value))

    def branch(self, node: ast.If, condition: str) -> None:
        """Go one of two ways."""
        then, otherwise, after = self.label(), self.label(), self.label()
        self.leave(f"br i1 {condition}, label %{then}, label %{otherwise}")
        for label, body in ((then, node.body), (otherwise, node.orelse)):
            self.lines.append(f"{label}:")
            self.open = True
            self.block(body)
            self.leave(f"br label %{after}")
        self.lines.append(f"{after}:")
        self.open = True

    def divide(self, node: ast.If, condition: Value) -> None:
        """What to do where a condition is no whole number."""
        raise self.fail(node, "a condition must be a comparison or an integer")

    def _do_While(self, node: ast.While) -> None:
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

    def _do_For(self, node: ast.For) -> None:
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
        now = self.emit(f"load i64, ptr %var.{counter}, align 8")
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

    def _do_Break(self, node: ast.Break) -> None:
        self.leave(f"br label %{self.loops[-1][1]}")

    def _do_Continue(self, node: ast.Continue) -> None:
        self.leave(f"br label %{self.loops[-1][0]}")

    # --- calls ------------------------------------------------------------------------------------------

    def _of_Call(self, node: ast.Call) -> Value:
        name = ast.unparse(node.func)
        given: list[str | KernelRecord]
        if isinstance(node.func, ast.Attribute) or self.variables.get(name) == "X":
            given = ["double", "F", "F", "F", "F"]
        elif name in self.signatures:
            given = self.signatures[name].given
        else:
            return self.builtin(node, name)
        if len(given) != len(node.args):
            raise self.fail(node, f"{name} takes {len(given)} arguments, got {len(node.args)}")
        values = [v for a, kind in zip(node.args, given, strict=True) for v in self.passed(a, kind)]
        if name in self.signatures:
            target, result = self.kernel(name, values)
        else:
            target, result = self.expression(node.func)[1], self.flag
        text = self.listed(values)
        if result == "void":
            self.do(f"call void {target}({text})")
            return "void", ""
        return result, self.emit(f"call {self.type(result)} {target}({text})")

    flag = "i64"
    """What programs return."""

    def kernel(self, name: str, values: list[Value]) -> tuple[str, str]:
        """What is called for a kernel with these arguments, and the kind of its result."""
        return f"@{name}", self.signatures[name].result


def function_text(
    node: ast.FunctionDef,
    signatures: Mapping[str, Signature],
    constants: Mapping[str, Any],
) -> str:
    """The LLVM text of one kernel, which may call those with known signatures."""
    return KernelBody(signatures, constants, node.name).function(node)


def translate(
    modules: Iterable[ModuleType],
    given: Mapping[str, str] | None = None,
    roots: Collection[str] | None = None,
) -> str:
    """The LLVM text of the functions of some modules, or of those that `roots` need.

    `given` has texts for some of them, by name.
    """
    given, program = given or {}, Linked(modules)
    names = program.reached(roots)
    signatures = program.signatures(names, roots)
    bodies = []
    for name in names:
        node = program.functions[name]
        text = given.get(name) or function_text(node, signatures, program.constants)
        bodies.append(text)
    return declarations(1) + "\n".join(bodies) + "\n"
