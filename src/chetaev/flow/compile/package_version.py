"""Which code made a program: the package's source files, as one hash.

Between a model's graphs and the text of its program stand the rooms `expr` and `flow` and the library that
differentiates. Whoever edits one of their files must not get what the old one made, so they count by what the
file system says of them; of the two times one can be set, the other cannot. They are looked at when this
module is imported, before anything that derives is: a process that lives on while its sources are edited
keeps what the old ones make under their name.

>>> len(package_version())
64
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

from chetaev.flow.derive.digest import digest

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ("expr", "flow")


def version_of(package: str) -> str:
    """A hash of the files of the rooms that make code, and of the library that differentiates."""
    files = sorted(known for room in ROOMS for known in _files(os.path.join(package, room)))
    found = find_spec("casadi")
    library = "" if found is None or found.origin is None else _known(found.origin, os.stat(found.origin))
    return digest(library, "\0".join(files))


def _files(directory: str) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield _known(entry.path, entry.stat())
            elif entry.name not in ("__pycache__", "objects") and entry.is_dir():
                yield from _files(entry.path)


def _known(path: str, found: os.stat_result) -> str:
    return f"{path} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


_version = version_of(PACKAGE)


def package_version() -> str:
    """The hash of the files as they were when this module was imported."""
    return _version
