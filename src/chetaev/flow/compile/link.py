"""One program from several files of kernels, as machine code or as Python.

All functions stand in one space of names. A function that is marked ``@open_to_schemes`` gives way to one of
the same name in a later file; no other name may stand for two things. Only what can be called from the roots
is translated, so a program has nothing in it that its scheme does not use.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from chetaev.flow.compile.kernel_values import declarations
from chetaev.flow.compile.signatures import (
    KernelError,
    KernelRecord,
    Signature,
    called,
    is_record,
    name_of,
    record,
    record_arguments,
    uses,
)
from chetaev.flow.compile.small_compiler import function_text


class Linked:
    """The functions, records and constants of some files; the later files count where there is a choice."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.records: dict[str, KernelRecord] = {}
        self.modules = list(modules)
        self.constants: dict[str, Any] = {"modules": [name_in(module) for module in self.modules]}
        for module in self.modules:
            self._read(module)

    def _read(self, module: ModuleType) -> None:
        for node in ast.parse(Path(str(module.__file__)).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and is_record(node):
                self.records[node.name] = record(node, self.records)
            elif isinstance(node, ast.FunctionDef):
                other = self.functions.get(node.name)
                if other is not None and not marked(other, "open_to_schemes"):
                    raise KernelError(f"{module.__name__} and another file have a kernel {node.name!r}")
                self.functions[node.name] = node
        for name, value in vars(module).items():
            if isinstance(value, (int, float)) and self.constants.setdefault(name, value) != value:
                raise KernelError(f"{name} has one value in {module.__name__} and one in another file")

    def reached(self, roots: Collection[str] | None) -> list[str]:
        """The functions that can be called from some, or all."""
        if roots is None:
            return list(self.functions)
        parts = (part for one in self.records.values() for part in one.parts.values())
        found: set[str] = set()
        waiting = {*roots, *called(parts)} & self.functions.keys()
        while waiting:
            found |= waiting
            waiting = called(self.functions[name] for name in waiting) & self.functions.keys() - found
        return [name for name in self.functions if name in found]

    def signatures(self, names: Collection[str], roots: Collection[str] | None) -> dict[str, Signature]:
        """What each function takes: of a record only what it and those that it calls use; roots take all."""
        records = {name: record_arguments(self.functions[name], self.records) for name in names}
        used = {
            (name, argument): uses(self.functions[name], argument, of)
            if roots is not None and name not in roots
            else set(of.fields)
            for name in names
            for argument, of in records[name].items()
        }
        passed = [one for name in names for one in self._passed(name, records)]
        growing = True
        while growing:
            growing = False
            for inner, outer in passed:
                if not used[inner] <= used[outer]:
                    used[outer] |= used[inner]
                    growing = True
        made = {}
        for name in names:
            kept = {
                argument: replace(
                    of, fields={f: k for f, k in of.fields.items() if f in used[name, argument]}
                )
                for argument, of in records[name].items()
            }
            made[name] = Signature(self.functions[name], kept)
        return made

    def _passed(
        self, name: str, records: Mapping[str, Mapping[str, KernelRecord]]
    ) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
        """Where a function hands a record on: to which argument of which function, from which of its own."""
        for call in ast.walk(self.functions[name]):
            if isinstance(call, ast.Call) and name_of(call) in records:
                wanted = [argument.arg for argument in self.functions[name_of(call)].args.args]
                for given, argument in zip(call.args, wanted, strict=False):
                    if name_of(given) in records[name] and argument in records[name_of(call)]:
                        yield (name_of(call), argument), (name, name_of(given))


def name_in(module: ModuleType) -> str:
    """The name by which other files know a file."""
    return module.__name__.rpartition(".")[2]


def marked(node: ast.FunctionDef, mark: str) -> bool:
    """Whether a function has a mark of `kernels.arrays`."""
    return mark in map(name_of, node.decorator_list)


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
        attributes = " noinline optnone" if marked(node, "rare") else ""
        text = given.get(name) or function_text(node, signatures, program.constants, attributes)
        bodies.append(text)
    return declarations(1) + "\n".join(bodies) + "\n"


def plain(modules: Iterable[ModuleType]) -> dict[str, Callable[..., Any]]:
    """The same program as Python functions that call each other, by name."""
    space: dict[str, Any] = {}
    program = Linked(modules)
    for module in program.modules:
        space |= {k: v for k, v in vars(module).items() if not k.startswith("__")}
    for module in program.modules:
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                space[name] = FunctionType(value.__code__, space, name, value.__defaults__, value.__closure__)
    return {name: space[name] for name in program.functions}
