"""What the small compiler knows of a kernel before it reads its body: argument types, and records.

A *record* is a class whose annotated names are its fields and whose other parts are expressions in them:

    class Integration:
        ints: Ints
        reals: Floats
        work: Floats

        d = Whole()                     # self.ints[0], also on the left of an assignment
        h = Real()                      # self.reals[0]; each the next entry, behind those of the base

        new = Part[Floats](lambda self: self.work[self.d :])

In Python it is that class. In machine code there is no such thing: a record is passed as those of its
fields that are used, one after the other, and a part is written out where it is used, so that ``run.h`` costs
what ``reals[H]`` costs. A record may have a base, and is taken where its base is wanted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TYPES = {"int": "i64", "float": "double", "Floats": "F", "Ints": "I", "Function": "X", "None": "void"}
TYPES |= {"Uniforms": "U"}  # the same for all lanes, see `flow.lanes`
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


def is_record(node: ast.ClassDef) -> bool:
    """Whether a class is a record: one of its annotated names has a type of the kernels."""
    return any(isinstance(part, ast.AnnAssign) and name_of(part.annotation) in TYPES for part in node.body)


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
