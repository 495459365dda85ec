"""The code that makes code, as one hash: what a program depends on besides its model.

Between a model's graphs and the text of its program stand the rooms `expr` and `flow` and the library that
differentiates. Every source file of the two rooms counts, found and not listed, so that no file can be
forgotten; files are known by what the file system says of them, whose time of change no edit escapes. A
process that has replaced one of their functions in memory (a test that breaks something on purpose) is on its
own: what it makes is neither kept nor taken from what others kept.

>>> len(fingerprint()), is_changed()
(64, False)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from operator import is_
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from chetaev.flow.derive.digest import digest

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ("expr", "flow")
STARTS = tuple(f"chetaev.{room}." for room in ROOMS)
TRUSTED = (
    frozenset(["casadi", "chetaev", "flint", "lark", "llvmlite", "mpmath", "numpy", "sympy"])
    | sys.stdlib_module_names
)
"""Packages whose functions the rooms hold in tables or by name."""
TABLE = 200
"""Tables with more entries are memories, not tables of functions."""
HOMES = (PACKAGE, *(os.path.dirname(str(module.__file__)) for module in (os, np)), "<")
"""Where the functions of the rooms are written: here; or, around those, in a library or in memory."""


@cache
def fingerprint() -> str:
    """A hash of the files of the rooms that make code, and of the library that differentiates."""
    files = sorted(line for room in ROOMS for line in _files(os.path.join(PACKAGE, room)))
    found = find_spec("casadi")
    library = "" if found is None or found.origin is None else _known(found.origin, os.stat(found.origin))
    return digest(library, *files)


def _files(directory: str) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield _known(entry.path, entry.stat())
            elif entry.is_dir() and entry.name not in ("__pycache__", "objects"):
                yield from _files(entry.path)


def _known(path: str, found: os.stat_result) -> str:
    """A file, its size and when it was changed: of the two times one can be set, the other cannot."""
    return f"{path} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


_own: dict[int, FunctionType] = {}
"""Functions that were looked at and found to be the rooms' own; kept, so that no other gets their number."""
_as_seen: dict[ModuleType, tuple[list[tuple[Mapping[str, Any], list[Any]]], list[dict[Any, Any]]]] = {}
"""Of modules that were found to be as written: the names of the module and of its classes with what they
stood for, and its tables."""


def is_changed() -> bool:
    """Whether a function of these rooms has been replaced in this process."""
    modules = [m for name, m in list(sys.modules.items()) if name.startswith(STARTS) and m is not None]
    return not all(_is_as_seen(module) or _is_as_written(module) for module in modules)


def _is_as_seen(module: ModuleType) -> bool:
    """Whether everything in a module is what it was when it was looked at."""
    seen = _as_seen.get(module)
    if seen is None:
        return False
    names, tables = seen
    for space, before in names:
        now = list(space.values())  # at once: other threads may import
        if len(now) != len(before) or not all(map(is_, now, before)):
            return False
    return all(map(_are_known, tables))


def _are_known(table: dict[Any, Any]) -> bool:
    entries = list(table.values()) if len(table) < TABLE else ()
    return all(id(entry) in _own for entry in entries if type(entry) is FunctionType)


def _is_as_written(module: ModuleType) -> bool:
    """Whether all functions of a module, of its classes and of its tables are its own."""
    found = list(vars(module).values())
    classes = [v for v in found if type(v) is type and v.__module__ == module.__name__]
    tables = [v for k, v in list(vars(module).items()) if type(v) is dict and k != "__builtins__"]
    names = [(space, list(space.values())) for space in (vars(module), *map(vars, classes))]
    entries = [list(table.values()) for table in tables if len(table) < TABLE]
    functions = [v for some in (*(n for _, n in names), *entries) for v in some if type(v) is FunctionType]
    if not all(map(_is_own, functions)):
        _as_seen.pop(module, None)
        return False
    _own.update((id(function), function) for function in functions)
    _as_seen[module] = names, tables
    return True


def _is_own(function: FunctionType) -> bool:
    """Whether a function is one that the files of its package define."""
    return _is_home(function.__module__ or "", function.__code__.co_filename)


@cache
def _is_home(module: str, file: str) -> bool:
    package = module.partition(".")[0]
    return package in TRUSTED and (package != "chetaev" or file.startswith(HOMES))
