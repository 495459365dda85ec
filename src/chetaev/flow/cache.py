"""Compiled code on disk, found by content.

A file's name is the hash of everything its content depends on: the program, the versions of the code
generator, the processor. A file is written under another name and renamed, so a reader sees a whole file or
none; it carries the hash of its own content, so what a crash or a full disk left behind is ignored and
written anew. Where the directory cannot be written, everything works, only without memory.

The directory is ``$CHETAEV_CACHE``, else ``$XDG_CACHE_HOME/chetaev``, else ``~/.cache/chetaev``;
``CHETAEV_CACHE=off`` turns the cache off.

>>> import tempfile
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
from pathlib import Path
from typing import BinaryIO

MAGIC = b"chetaev flow 1\n"
MAX_FILES = 4000
"""When more files than this have gathered, the oldest half is removed."""


def digest(*parts: str | bytes) -> str:
    """The name of some content: a hash in which no two different lists of parts meet."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "little"))
        h.update(data)
    return h.hexdigest()


def default_directory() -> str | None:
    """Where compiled code is kept, or None when the cache is off."""
    given = os.environ.get("CHETAEV_CACHE")
    if given is not None:
        return None if given.strip().lower() in ("", "off", "0", "no") else given
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "chetaev")


def _created(path: str) -> BinaryIO:
    """A new file that only its owner may read or write, and its directory if need be."""
    try:
        return open(path, "xb", opener=_owned)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return open(path, "xb", opener=_owned)


def _owned(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class Cache:
    """A directory of files named by the hash of what they depend on."""

    def __init__(self, directory: str | os.PathLike[str] | None = None) -> None:
        chosen = os.fspath(directory) if directory is not None else default_directory()
        self.directory = Path(chosen) if chosen else None

    def _path(self, key: str) -> str | None:
        return None if self.directory is None else os.path.join(self.directory, key[:2], f"{key[2:]}.bin")

    def get(self, key: str) -> bytes | None:
        """The content, or None if there is none or it is not whole."""
        path = self._path(key)
        if path is None:
            return None
        try:
            with open(path, "rb", buffering=0) as file:
                data = file.read()
        except OSError:
            return None
        start = len(MAGIC) + 32
        payload = data[start:]
        if data[: len(MAGIC)] != MAGIC or hashlib.sha256(payload).digest() != data[len(MAGIC) : start]:
            return None
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Keep the content; a directory that cannot be written is no error."""
        path = self._path(key)
        if path is None:
            return
        name = None
        try:
            name = f"{path}.{os.urandom(8).hex()}.new"
            with _created(name) as file:
                file.write(MAGIC + hashlib.sha256(payload).digest() + payload)
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
            files = list(self.directory.glob("??/*"))
            if len(files) > MAX_FILES:
                for old in sorted(files, key=lambda f: f.stat().st_mtime)[: len(files) // 2]:
                    with contextlib.suppress(OSError):
                        old.unlink()
