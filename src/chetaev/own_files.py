"""What chetaev wrote, known again by its content.

A file is chetaev's own if chetaev wrote it and nobody has changed it since: its name and the hash of its
content are noted when it is written. Only such a file is replaced or taken away without being asked. There
are two places for the notes: the manifest of a directory that belongs to one study, and for single files a
record of the user's, in ``$XDG_STATE_HOME/chetaev`` or ``~/.local/state/chetaev``. Where no note can be kept,
nothing is known, and one has to be asked.

>>> import tempfile
>>> place = Path(tempfile.mkdtemp())
>>> manifest, file = Manifest(place), place / "a.txt"
>>> _ = file.write_text("ours")
>>> manifest.knows(file)
False
>>> manifest.note(file, content_hash(file))
>>> manifest.knows(file)
True
>>> _ = file.write_text("changed by hand")
>>> manifest.knows(file)
False
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Protocol

KEPT = 3
"""Hashes that are kept for a name: a process may end between the note and the writing."""
MOST = 4000
"""Notes of the user's record; beyond it the older half is forgotten."""


class LedgerOfFiles(Protocol):
    """Knows which files are chetaev's own."""

    def knows(self, path: Path) -> bool:
        """Whether a file or directory is as chetaev wrote it."""

    def note(self, path: Path, content: str) -> None:
        """A content of this hash is about to be written to this place."""


def content_hash(path: Path) -> str:
    """The hash of a regular file, or of a directory of such; empty for anything else, or if it is unreadable.

    A pipe or a device is never opened.
    """
    try:
        found = os.lstat(path)
        if stat.S_ISREG(found.st_mode):
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        if stat.S_ISDIR(found.st_mode):
            parts = [(p.name, content_hash(p)) for p in sorted(path.iterdir())]
            return hashlib.sha256(repr(parts).encode()).hexdigest() if all(h for _, h in parts) else ""
    except OSError:
        return ""
    return ""


class Manifest:
    """The notes of a directory, in its file ``manifest.json``."""

    NAME = "manifest.json"

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @property
    def path(self) -> Path:
        """Where the notes stand."""
        return self.directory / self.NAME

    def read(self) -> dict[str, list[str]] | None:
        """The hashes by name; None if the file is no manifest of chetaev's. No file is an empty manifest."""
        try:
            found = os.lstat(self.path)
            if not stat.S_ISREG(found.st_mode) or found.st_size > 100_000:
                return None
            data = json.loads(self.path.read_text("utf-8"))
            files = data["files"] if data["written by"] == "chetaev" else None
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        if not isinstance(files, dict) or not all(isinstance(hashes, list) for hashes in files.values()):
            return None
        return {name: [h for h in hashes if isinstance(h, str)] for name, hashes in files.items()}

    def knows(self, path: Path) -> bool:
        """Whether a file of the directory is as chetaev wrote it."""
        hashes = (self.read() or {}).get(path.name, [])
        return bool(hashes) and content_hash(path) in hashes

    def note(self, path: Path, content: str) -> None:
        """A content of this hash is about to be written to this place."""
        files = self.read() or {}
        files[path.name] = _later(files.get(path.name, []), content)
        text = json.dumps({"written by": "chetaev", "files": files}, indent=1, sort_keys=True)
        _put(self.path, text + "\n")


class Record:
    """The notes of a user, one small file for each name."""

    def _place(self, path: Path) -> Path | None:
        base = os.environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.join(os.path.expanduser("~"), ".local", "state")
        if not os.path.isabs(base):
            return None
        name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
        return Path(base, "chetaev", "written", name)

    def _hashes(self, place: Path) -> list[str]:
        try:
            if not stat.S_ISREG(os.lstat(place).st_mode):
                return []
            return place.read_text("ascii").split()
        except (OSError, ValueError):
            return []

    def knows(self, path: Path) -> bool:
        """Whether a file or directory is as chetaev wrote it for this user."""
        place = self._place(path)
        hashes = [] if place is None else self._hashes(place)
        return bool(hashes) and content_hash(path) in hashes

    def note(self, path: Path, content: str) -> None:
        """A content of this hash is about to be written; a record that cannot be kept is none."""
        place = self._place(path)
        if place is None:
            return
        with contextlib.suppress(OSError):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _put(place, "\n".join(_later(self._hashes(place), content)))
            if place.name.startswith("00"):
                self._forget(place.parent)

    def _forget(self, directory: Path) -> None:
        notes = list(directory.iterdir())
        if len(notes) > MOST:
            for old in sorted(notes, key=lambda note: note.lstat().st_mtime)[: len(notes) // 2]:
                with contextlib.suppress(OSError):
                    old.unlink()


def _later(hashes: list[str], content: str) -> list[str]:
    return [*(h for h in hashes if h != content), content][-KEPT:]


def _put(path: Path, text: str) -> None:
    new = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        new.write_bytes(text.encode())
        new.replace(path)
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
