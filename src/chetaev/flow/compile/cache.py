"""Compiled code on disk, found by content, and believed only if it is our own.

A file's name is the hash of everything its content depends on. The file holds the hash of that name together
with the content, so a file that a crash left behind, or that stands under another's name, is not taken for
what it is not. It is written under another name and renamed: a reader sees a whole file or none.

What is in these files is run. So a file counts only if it is a regular file that belongs to the user and that
no one else may write, in a directory of the same kind; anything else (a link, a pipe, a file of another user)
is as good as absent, and never waited for. Where the directory cannot be written, everything works, only
without memory.

The directory is ``$CHETAEV_CACHE``, else ``$XDG_CACHE_HOME/chetaev``, else ``~/.cache/chetaev``; a path that
is not absolute would depend on the current directory, so it counts as none. ``CHETAEV_CACHE=off`` turns the
cache off.

>>> import tempfile
>>> from chetaev.flow.derive.digest import digest
>>> cache = Cache(tempfile.mkdtemp())
>>> key = digest("a program", "a processor")
>>> cache.get(key) is None
True
>>> cache.put(key, b"code")
>>> cache.get(key)
b'code'
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

MAGIC = b"chetaev flow 2\n"
MAX_FILES = 4000
"""When more files than this have gathered, the oldest half is removed."""
OPEN = os.O_RDONLY | sum(
    getattr(os, f"O_{word}", 0) for word in ("NOFOLLOW", "NONBLOCK", "CLOEXEC", "BINARY")
)
"""How a file is opened: not through a link, and without waiting for the other end of a pipe."""
OURS = re.compile(r"[0-9a-f]{62}\.bin(\.[0-9a-f]{16}\.new)?")
"""Names of files in the cache; others are left alone."""


def default_directory() -> str | None:
    """Where compiled code is kept, or None when the cache is off or there is no place for it."""
    given = os.environ.get("CHETAEV_CACHE")
    if given is not None:
        chosen = "" if given.strip().lower() in ("", "off", "0", "no") else given
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.join(os.path.expanduser("~"), ".cache")
        chosen = os.path.join(base, "chetaev")
    return chosen if os.path.isabs(chosen) else None


def is_private(found: os.stat_result) -> bool:
    """Whether something belongs to the user and no one else may write it."""
    if not hasattr(os, "geteuid"):
        return True  # there are no such permissions here
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _created(path: str) -> BinaryIO:
    """A new file that only its owner may read or write, and its directory if need be."""
    try:
        return open(path, "xb", opener=_owned)
    except FileNotFoundError:
        home, part = os.path.split(os.path.dirname(path))
        os.makedirs(os.path.dirname(home), exist_ok=True)
        for directory in (home, os.path.join(home, part)):
            with contextlib.suppress(FileExistsError):
                os.mkdir(directory, 0o700)
        return open(path, "xb", opener=_owned)


def _owned(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class Cache:
    """A directory of files named by the hash of what they depend on; the user's own if none is given.

    Files that were `shipped` with the package are believed as it is, whoever owns them; with `off`
    nothing is kept.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str] | None = None,
        *,
        shipped: bool = False,
        off: bool = False,
    ) -> None:
        chosen = os.path.abspath(directory) if directory is not None else default_directory()
        self.directory = Path(chosen) if chosen and not off else None
        self.shipped = shipped

    def _path(self, key: str) -> str | None:
        return None if self.directory is None else os.path.join(self.directory, key[:2], f"{key[2:]}.bin")

    def get(self, key: str) -> bytes | None:
        """The content, or None if there is none, it is not whole, or it is not to be believed."""
        path = self._path(key)
        if path is None or not self._is_believed():
            return None
        try:
            data = self._read(path)
        except OSError:
            return None
        start = len(MAGIC) + 32
        payload = data[start:]
        if data[: len(MAGIC)] != MAGIC or data[len(MAGIC) : start] != _seal(key, payload):
            return None
        return payload

    def _is_believed(self) -> bool:
        """Whether the directory is one that only the user can change."""
        assert self.directory is not None
        if self.shipped:
            return True
        try:
            return is_private(os.stat(self.directory))
        except OSError:
            return False

    def _read(self, path: str) -> bytes:
        descriptor = os.open(path, OPEN)
        with open(descriptor, "rb", buffering=0) as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or not (self.shipped or is_private(found)):
                return b""
            return file.read()

    def kept(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The content; made now, and kept, where there is none."""
        found = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def put(self, key: str, payload: bytes) -> None:
        """Keep the content; a directory that cannot be written is no error."""
        path = self._path(key)
        if path is None:
            return
        name = None
        try:
            name = f"{path}.{os.urandom(8).hex()}.new"
            with _created(name) as file:
                file.write(MAGIC + _seal(key, payload) + payload)
            os.replace(name, path)
        except OSError:
            if name is not None:
                with contextlib.suppress(OSError):
                    os.unlink(name)
            return
        if key.startswith("00"):  # one put in 256 looks whether the cache has grown too large
            self._prune()

    def _prune(self) -> None:
        assert self.directory is not None
        with contextlib.suppress(OSError):
            files = [f for f in self.directory.glob("??/*") if OURS.fullmatch(f.name)]
            if len(files) > MAX_FILES:
                for old in sorted(files, key=lambda f: f.lstat().st_mtime)[: len(files) // 2]:
                    with contextlib.suppress(OSError):
                        old.unlink()


def _seal(key: str, payload: bytes) -> bytes:
    """The hash that binds a content to its name."""
    return hashlib.sha256(key.encode() + b"\n" + payload).digest()
