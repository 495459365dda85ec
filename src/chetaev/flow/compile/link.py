"""One program from several files of kernels, as machine code or as Python.

All functions stand in one space of names. A function that is marked ``@open_to_schemes`` gives way to one of
the same name in a later file; no other name may stand for two things. Only what can be called from the roots
is translated, so a program has nothing in it that its scheme does not use.

A *record* is a class whose annotated names are its fields and whose other parts are expressions in them:

    class Integration:
        ints: Ints
        reals: Floats
        work: Floats

        d = Whole()                     # self.ints[0], also on the left of an assignment
        h = Real()                      # self.reals[0]; each the next entry, behind those of the base

        new = Alias[Floats](lambda self: self.work[self.d :])

In Python it is that class. In machine code there is no such thing: a record is passed as those of its
fields that are used, one after the other, and a part is written out where it is used, so that ``run.h`` costs
what ``reals[H]`` costs. A record may have a base, and is taken where its base is wanted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

TYPES = {"int": "i64", "float": "double", "Floats": "F", "Ints": "I", "Function": "X", "None": "void"}
TYPES |= {"Uniforms": "U"}  # the same for all lanes, see `kernels.lanes`
ENTRIES = {"Whole": "ints", "Real": "reals"}
"""How entries of two fields get names."""


class KernelError(Exception):
    """A kernel uses something that is not understood."""


@dataclass(frozen=True)
class KernelRecord:
    """The fields of a record with their types, its parts as expressions in ``self``, and how many entries of
    which array have names.
    """

    name: str
    fields: Mapping[str, str]
    parts: Mapping[str, ast.expr]
    counts: Mapping[str, int]

    def __contains__(self, name: str) -> bool:
        return name in self.fields or name in self.parts


def name_of(node: ast.expr | None) -> str:
    """The name of a type, or of what is called."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.id if isinstance(node, ast.Name) else "None"


def is_record(node: ast.ClassDef, known: Mapping[str, KernelRecord]) -> bool:
    """Whether a class is a record: an annotated name has a type of the kernels, or its base is one."""
    return any(name_of(base) in known for base in node.bases) or any(
        isinstance(part, ast.AnnAssign) and name_of(part.annotation) in TYPES for part in node.body
    )


def record(node: ast.ClassDef, known: Mapping[str, KernelRecord]) -> KernelRecord:
    """Read a record; its bases must be `known`."""
    fields: dict[str, str] = {}
    parts: dict[str, ast.expr] = {}
    counts = dict.fromkeys(ENTRIES.values(), 0)
    for base in node.bases:
        counts = {array: count + known[name_of(base)].counts[array] for array, count in counts.items()}
        fields |= known[name_of(base)].fields
        parts |= known[name_of(base)].parts
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            fields[part.target.id] = TYPES[name_of(part.annotation)]
        elif isinstance(part, ast.Assign) and name_of(part.value) in ENTRIES:
            (target,) = part.targets
            assert isinstance(target, ast.Name)
            assert isinstance(part.value, ast.Call)
            array = ENTRIES[name_of(part.value)]
            owner = ast.Attribute(ast.Name("self", ast.Load()), array, ast.Load())
            entry = ast.Subscript(owner, ast.Constant(counts[array]), ast.Load())
            counts[array] += 1
            parts[target.id] = ast.copy_location(entry, part)
        elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Call):
            (target,), (read,) = part.targets, part.value.args
            assert isinstance(target, ast.Name)
            assert isinstance(read, ast.Lambda)
            parts[target.id] = read.body
    return KernelRecord(node.name, fields, parts, counts)


def uses(node: ast.AST, argument: str, of: KernelRecord) -> set[str]:
    """The fields of a record that are used under a name, by themselves or in a part."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == argument:
            if part.attr in of.fields:
                found.add(part.attr)
            elif part.attr in of.parts:
                found |= uses(of.parts[part.attr], "self", of)
    return found


def record_arguments(node: ast.FunctionDef, known: Mapping[str, KernelRecord]) -> dict[str, KernelRecord]:
    """The arguments of a kernel that are records."""
    named = ((argument.arg, name_of(argument.annotation)) for argument in node.args.args)
    return {argument: known[kind] for argument, kind in named if kind in known}


class Signature:
    """The arguments and the result of a kernel."""

    def __init__(self, node: ast.FunctionDef, records: Mapping[str, KernelRecord]) -> None:
        self.arguments: list[tuple[str, str]] = []  # names and types; a record as its fields, ``run.h``
        self.given: list[str | KernelRecord] = []  # what a caller writes: types, or records with their fields
        self.records = records  # the arguments that are records
        for argument in node.args.args:
            kind = name_of(argument.annotation)
            if argument.arg in records:
                one = records[argument.arg]
                self.arguments += [(f"{argument.arg}.{f}", t) for f, t in one.fields.items()]
                self.given.append(one)
            elif kind in TYPES and kind != "None":
                self.arguments.append((argument.arg, TYPES[kind]))
                self.given.append(TYPES[kind])
            else:
                raise KernelError(f"kernel {node.name}: the argument {argument.arg} has no known type")
        self.result = TYPES[name_of(node.returns)]


def called(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of everything that is called somewhere."""
    inner = (part for node in nodes for part in ast.walk(node))
    return {part.func.id for part in inner if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}


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
            if isinstance(node, ast.ClassDef) and is_record(node, self.records):
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
        """where a function passes a record on: to which argument of which function, from which of its own."""
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
