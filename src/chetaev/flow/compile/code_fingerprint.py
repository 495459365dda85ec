"""The code that makes code, as one hash: what a program depends on besides its model.

Between a model's graphs and the text of its program stand the rooms `expr` and `flow` and the library that
differentiates. Every source file of the two rooms counts, found and not listed, so that no file can be
forgotten; files are known by what the file system says of them, whose time of change no edit escapes. They
are looked at when this module is imported, before anything that derives is: a process that lives on while its
sources are edited keeps what the old ones make under their name. A process that has replaced one of their
functions in memory (a test that breaks something on purpose) is on its own: what it makes is neither kept nor
taken from what others kept.

>>> len(fingerprint()), is_changed()
(64, False)
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Mapping
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
MODULE, FILE = attrgetter("__module__"), attrgetter("__code__.co_filename")
"""Where a function stands and where it is written."""
HOMES = (PACKAGE, *(os.path.dirname(str(module.__file__)) for module in (os, np)), "<")
"""Where the functions of the rooms are written: here; or, around those, in a library or in memory."""


def fingerprint_of(package: str) -> str:
    """A hash of the files of the rooms that make code, and of the library that differentiates."""
    files: list[str] = []
    for room in ROOMS:
        _add_files(os.path.join(package, room), files)
    found = find_spec("casadi")
    library = "" if found is None or found.origin is None else _known(found.origin, os.stat(found.origin))
    return digest(library, "\0".join(sorted(files)))


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


_files = fingerprint_of(PACKAGE)


def fingerprint() -> str:
    """The hash of the files as they were when this module was imported."""
    return _files


_at_home: set[FunctionType] = set()
"""Functions that were found to be the rooms' own."""
AsSeen = tuple[list[tuple[Mapping[str, Any], list[Any]]], list[dict[Any, Any]]]
"""The names of a module and of its classes with what they stood for, and its tables."""
_as_seen: dict[ModuleType, AsSeen] = {}
"""Modules that were found to be as written."""


_rooms: tuple[tuple[int, str], dict[str, ModuleType]] = (0, ""), {}
"""The modules of the rooms, and how many modules there were, which the last, when they were listed."""


def is_changed() -> bool:
    """Whether a function of these rooms has been replaced in this process."""
    new = [module for module in _modules() if not _is_as_seen(module)]
    return bool(new) and not _are_as_written(new)


def _modules() -> list[ModuleType]:
    """The modules of the rooms that are there now; listed anew where one has come or gone."""
    global _rooms
    now = len(sys.modules), next(reversed(sys.modules), "")
    then, listed = _rooms
    if then != now or any(sys.modules.get(name) is not module for name, module in listed.items()):
        ours = [name for name in list(sys.modules) if name[:8] == "chetaev." and name.startswith(STARTS)]
        found = {name: sys.modules.get(name) for name in ours}  # other threads may import
        listed = {name: module for name, module in found.items() if module is not None}
        _rooms = now, listed
    return list(listed.values())


def _is_as_seen(module: ModuleType) -> bool:
    """Whether everything in a module is what it was when it was looked at; a function equals but itself."""
    seen = _as_seen.get(module)
    if seen is None:
        return False
    names, tables = seen
    try:
        for space, before in names:
            if list(space.values()) != before:  # a list, made at once: other threads may import
                return False
    except Exception:  # an object that cannot be compared, and so is another one
        return False
    return all(map(_are_known, tables))


def _are_known(table: dict[Any, Any]) -> bool:
    entries = list(table.values()) if len(table) < TABLE else ()
    return all(entry in _at_home for entry in entries if type(entry) is FunctionType)


def _are_as_written(modules: list[ModuleType]) -> bool:
    """Whether all functions of some modules, of their classes and of their tables are their own."""
    functions: list[FunctionType] = []
    seen: dict[ModuleType, AsSeen] = {}
    for module in modules:
        space: Mapping[str, Any] = vars(module)
        values, name = list(space.values()), module.__name__
        names, tables = [(space, values)], []
        for value in values:
            kind = type(value)
            if kind is FunctionType:
                functions.append(value)
            elif kind is type:
                if value.__module__ == name:
                    space = vars(value)
                    members = list(space.values())
                    names.append((space, members))
                    functions += [member for member in members if type(member) is FunctionType]
            elif kind is dict and value is not BUILTINS:
                tables.append(value)
                if len(value) < TABLE:
                    functions += [entry for entry in list(value.values()) if type(entry) is FunctionType]
        seen[module] = names, tables
    new = set(functions) - _at_home
    if not _are_home(new):
        return False
    _at_home.update(new)
    _as_seen.update(seen)
    return True


def _are_home(functions: set[FunctionType]) -> bool:
    """Whether these functions are some that the files of their packages define.

    What was made in the space of names of a module of the rooms is its own; of others the files are asked.
    """
    packages = {(module or "").partition(".")[0] for module in set(map(MODULE, functions))}
    if not packages <= TRUSTED:
        return False
    spaces = {id(vars(module)) for module in _rooms[1].values()}
    others = [function for function in functions if id(function.__globals__) not in spaces]
    ours = [f for f in others if (f.__module__ or "").partition(".")[0] == "chetaev"]
    return all(FILE(function).startswith(HOMES) for function in ours)
