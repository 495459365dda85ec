"""One sweep at a time on one store.

In a directory the lock is the kernel's (`flock`) on the file ``.chetaev/lock``: it ends with the process that
holds it, however that ends, so no lock is ever left behind, and no clock is asked. An address has no such
thing: there the lock is a file that names its owner; one that was left behind by a process of this machine
that is gone is taken over, and one of another machine is named, for the user to take away.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys
from collections.abc import Iterator
from typing import Any

from chetaev.ensemble.places import Directory, Remote, expect_file
from chetaev.errors import ModelError
from chetaev.whole_files import reason

NAME = ".chetaev/lock"


@contextlib.contextmanager
def held(place: Directory | Remote) -> Iterator[None]:
    """Hold the lock of a store; a ModelError if somebody else does."""
    with _in_directory(place) if isinstance(place, Directory) else _at_address(place):
        yield


def _owner() -> dict[str, Any]:
    return {"host": platform.node(), "process": os.getpid()}


def _refused(url: str, content: bytes) -> ModelError:
    try:
        owner = json.loads(content)
        said = f"process {owner['process']} on {owner['host']}"
    except (ValueError, KeyError, TypeError):
        said = "another process"
    return ModelError(
        f"another sweep works on {url!r}: {said}",
        remedy="wait for it to end, or choose another store",
    )


@contextlib.contextmanager
def _in_directory(place: Directory) -> Iterator[None]:
    path = place.path / NAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        expect_file(path)
        file = open(path, "a+b", opener=_unlinked)  # noqa: SIM115
    except OSError as error:
        raise ModelError(
            f"{place.url!r} cannot be written: {reason(error)}",
            remedy="choose a directory that can be written",
        ) from None
    with file:
        if not _locked(file):
            file.seek(0)
            raise _refused(place.url, file.read())
        with contextlib.suppress(OSError):
            file.seek(0)
            file.truncate()
            file.write(json.dumps(_owner()).encode())
            file.flush()
        yield


def _unlinked(path: str, flags: int) -> int:
    """Open a file, but not what a link of that name points to: it is written to."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _locked(file: Any) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(4096)  # beyond what is written there: locked bytes cannot be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _at_address(place: Remote) -> Iterator[None]:
    found = place.read(NAME)
    if found is not None and not _is_gone(found):
        error = _refused(place.url, found)
        error.remedy = f"wait for it to end; if it has ended, remove {place.url}/{NAME}"
        raise error
    mine = json.dumps({**_owner(), "token": os.urandom(8).hex()}).encode()
    place.write(NAME, mine)
    found = place.read(NAME)
    if found != mine:
        raise _refused(place.url, found or b"")
    try:
        yield
    finally:
        with contextlib.suppress(ModelError):
            if place.read(NAME) == mine:
                place.remove(NAME)


def _is_gone(content: bytes) -> bool:
    """Whether a lock was left behind by a process of this machine that is no more."""
    try:
        owner = json.loads(content)
        if owner["host"] != platform.node() or sys.platform == "win32":
            return False
        os.kill(int(owner["process"]), 0)
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, OSError):
        return False
    return False
