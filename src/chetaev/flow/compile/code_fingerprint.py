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

import builtins
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from operator import attrgetter
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
BUILTINS = vars(builtins)
"""Stands in every module."""
PLACE = attrgetter("__module__", "__code__.co_filename")
"""The module and the file of a function."""
HOMES = (PACKAGE, *(os.path.dirname(str(module.__file__)) for module in (os, np)), "<")
"""Where the functions of the rooms are written: here; or, around those, in a library or in memory."""


@cache
def fingerprint() -> str:
    """A hash of the files of the rooms that make code, and of the library that differentiates."""
    files: list[str] = []
    for room in ROOMS:
        _add_files(os.path.join(PACKAGE, room), files)
    found = find_spec("casadi")
    library = "" if found is None or found.origin is None else _known(found.origin, os.stat(found.origin))
    return digest(library, *sorted(files))


def _add_files(directory: str, files: list[str]) -> None:
    with os.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(".py"):
                files.append(_known(entry.path, entry.stat()))
            elif name != "__pycache__" and name != "objects" and entry.is_dir():
                _add_files(entry.path, files)


def _known(path: str, found: os.stat_result) -> str:
    """A file, its size and when it was changed: of the two times one can be set, the other cannot."""
    return f"{path} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


_homes: set[tuple[str | None, str]] = set()
"""Places where functions of the rooms are at home."""
_own: dict[int, FunctionType] = {}
"""Functions in tables that were found to be the rooms' own; kept, so that no other gets their number."""
_as_seen: dict[ModuleType, tuple[list[tuple[Mapping[str, Any], list[Any]]], list[dict[Any, Any]]]] = {}
"""Of modules that were found to be as written: the names of the module and of its classes with what they
stood for, and its tables."""


_rooms: tuple[tuple[int, str], dict[str, ModuleType]] = (0, ""), {}
"""The modules of the rooms, and how many modules there were, which the last, when they were listed."""


def is_changed() -> bool:
    """Whether a function of these rooms has been replaced in this process."""
    return not all(_is_as_seen(module) or _is_as_written(module) for module in _modules())


def _modules() -> list[ModuleType]:
    """The modules of the rooms that are there now; listed anew where one has come or gone."""
    global _rooms
    now = len(sys.modules), next(reversed(sys.modules), "")
    then, listed = _rooms
    if then != now or any(sys.modules.get(name) is not module for name, module in listed.items()):
        everything = list(sys.modules.items())
        listed = {name: m for name, m in everything if name.startswith(STARTS) and m is not None}
        _rooms = now, listed
    return list(listed.values())


def _is_as_seen(module: ModuleType) -> bool:
    """Whether everything in a module is what it was when it was looked at; a function equals but itself."""
    seen = _as_seen.get(module)
    if seen is None:
        return False
    names, tables = seen
    try:  # lists, made at once: other threads may import
        same = all(list(space.values()) == before for space, before in names)
    except Exception:  # an object that cannot be compared, and so is another one
        return False
    return same and all(map(_are_known, tables))


def _are_known(table: dict[Any, Any]) -> bool:
    entries = list(table.values()) if len(table) < TABLE else ()
    return all(id(entry) in _own for entry in entries if type(entry) is FunctionType)


def _is_as_written(module: ModuleType) -> bool:
    """Whether all functions of a module, of its classes and of its tables are its own."""
    names: list[tuple[Mapping[str, Any], list[Any]]] = [(vars(module), list(vars(module).values()))]
    functions: list[FunctionType] = []
    tables: list[dict[Any, Any]] = []
    for value in names[0][1]:
        kind = type(value)
        if kind is FunctionType:
            functions.append(value)
        elif kind is type and value.__module__ == module.__name__:
            space = vars(value)
            members = list(space.values())
            names.append((space, members))
            functions += [member for member in members if type(member) is FunctionType]
        elif kind is dict and value is not BUILTINS:
            tables.append(value)
    entries = [v for t in tables if len(t) < TABLE for v in list(t.values()) if type(v) is FunctionType]
    places = set(map(PLACE, functions + entries)) - _homes
    if not all(_is_home(*place) for place in places):
        _as_seen.pop(module, None)
        return False
    _homes.update(places)
    _own.update((id(entry), entry) for entry in entries)
    _as_seen[module] = names, tables
    return True


def _is_home(module: str | None, file: str) -> bool:
    """Whether a function of a module, written in a file, is one that the files of its package define."""
    package = (module or "").partition(".")[0]
    return package in TRUSTED and (package != "chetaev" or file.startswith(HOMES))
