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
    found = list(vars(module).values())
    classes = [v for v in found if type(v) is type and v.__module__ == module.__name__]
    tables = [v for k, v in list(vars(module).items()) if type(v) is dict and k != "__builtins__"]
    names = [(space, list(space.values())) for space in (vars(module), *map(vars, classes))]
    entries = [v for t in tables if len(t) < TABLE for v in list(t.values()) if type(v) is FunctionType]
    functions = [v for _, named in names for v in named if type(v) is FunctionType] + entries
    if not all(_is_home(*place) for place in {(f.__module__, f.__code__.co_filename) for f in functions}):
        _as_seen.pop(module, None)
        return False
    _own.update((id(entry), entry) for entry in entries)
    _as_seen[module] = names, tables
    return True


@cache
def _is_home(module: str | None, file: str) -> bool:
    """Whether a function of a module, written in a file, is one that the files of its package define."""
    package = (module or "").partition(".")[0]
    return package in TRUSTED and (package != "chetaev" or file.startswith(HOMES))
