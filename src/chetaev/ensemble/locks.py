"""One sweep at a time on one store.

In a directory the lock is the kernel's (`flock`) on the file ``.chetaev/lock``: it ends with the process that
holds it, however that ends, so no lock is ever left behind, and no clock is asked. An address has no such
thing, nor have some file systems of clusters: there a file names the owner, who writes it again and again
(:mod:`chetaev.ensemble.leases`).
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from chetaev.ensemble.leases import leased, owner, refused
from chetaev.ensemble.store_places import Directory, Remote, expect_file
from chetaev.errors import ModelError
from chetaev.output_files import reason

NAME = ".chetaev/lock"
BUSY = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}
"""What a kernel says where another process has the lock; anything else means that it keeps none here."""


@contextlib.contextmanager
def held(place: Directory | Remote) -> Iterator[Callable[[], None]]:
    """Hold the lock of a store; a ModelError if somebody else does.

    Yields what raises a ModelError when another sweep has taken the lock over.
    """
    with _in_directory(place) if isinstance(place, Directory) else leased(place) as expect_held:
        yield expect_held


@contextlib.contextmanager
def _in_directory(place: Directory) -> Iterator[Callable[[], None]]:
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
        try:
            _lock(file)
        except OSError as error:
            if error.errno in BUSY:
                file.seek(0)
                raise refused(place.url, file.read()) from None
            with leased(place) as expect_held:
                yield expect_held
            return
        with contextlib.suppress(OSError):
            file.seek(0)
            file.truncate()
            file.write(json.dumps(owner()).encode())
            file.flush()
        yield lambda: None


def _unlinked(path: str, flags: int) -> int:
    """Open a file, but not what a link of that name points to: it is written to."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _lock(file: Any) -> None:
    if sys.platform == "win32":
        import msvcrt

        file.seek(4096)  # beyond what is written there: locked bytes cannot be read
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
