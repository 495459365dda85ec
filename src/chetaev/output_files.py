"""Files that appear whole or not at all, and never in place of somebody's work.

What is written goes to a hidden name in the same directory first, and takes its place in one step when it is
complete. An error, an interrupt or a full disk leaves what stood there before, and nothing else.

A file is chetaev's own if chetaev wrote it and nobody has changed it since: its name and the hash of its
content are noted when it is written. Only such a file is replaced without `force`. There are two places for
the notes: the manifest of a directory that belongs to one study, and for single files a record of the user's,
in ``$XDG_STATE_HOME/chetaev`` or ``~/.local/state/chetaev``.

>>> import tempfile
>>> place = Path(tempfile.mkdtemp())
>>> whole(place / "a.txt", "all of it").read_text()
'all of it'
>>> [file.name for file in place.iterdir()]
['a.txt']
>>> _ = (place / "a.txt").write_text("changed by hand")
>>> whole(place / "a.txt", "once more")
Traceback (most recent call last):
    ...
chetaev.errors.ModelError: '...a.txt' exists already, and is not as chetaev wrote it
  choose another name, or overwrite it with --force (in Python: force=True)
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError

Content = str | bytes | Callable[[Path], object]
"""A text, bytes, or a function that writes to the path it is given."""
PART = ".chetaev-part-"
"""In the hidden names of files that are not complete."""
FORCE = "choose another name, or overwrite it with --force (in Python: force=True)"
SPECIAL = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""What is never replaced."""
HASHES = 3
"""Hashes that are kept for a name: a process may end between the note and the writing."""
NOTES = 4000
"""Notes of the user's record; beyond it the older half is forgotten."""
MANIFEST_BYTES = 100_000
"""A manifest has a few lines; what is larger is none."""


# --- writing ----------------------------------------------------------------------------------------------


def put(path: Path, content: bytes) -> None:
    """Write bytes to a file in one step, after they have reached the disk; else an OSError."""
    new = beside(path)
    try:
        with new.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        remove(new)
        raise


def whole(
    path: str | os.PathLike[str],
    content: Content,
    *,
    force: bool = False,
    notes: Notes | None = None,
    replaces: Callable[[Path], bool] = lambda directory: False,
    parents: bool = False,
    remedy: str = "nothing was left behind",
) -> Path:
    """Write a file, or a directory if `content` makes one, whole or not at all; else a ModelError.

    What may be replaced, `place` says; with `parents` the directories above it are made.
    """
    notes = Record() if notes is None else notes
    target = place(path, force=force, notes=notes, replaces=replaces)
    with _sentences(path, remedy):
        if parents:
            target.parent.mkdir(parents=True, exist_ok=True)
        new, old = beside(target), beside(target)
        try:
            _write(new, content)
            notes.add(target, content_hash(new))
            if target.is_dir():
                target.replace(old)
            new.replace(target)
        except BaseException:
            if old.exists() and not target.exists():
                old.replace(target)
            raise
        finally:
            remove(new)
            remove(old)
    return Path(path)


def place(
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    notes: Notes | None = None,
    replaces: Callable[[Path], bool] = lambda directory: False,
) -> Path:
    """Where a file may be written: at a free place, or over what `notes` knows to be chetaev's own.

    With `force` a file that chetaev did not write may be replaced, too: then a link is followed to the
    file it points to, and a directory of the right kind, `replaces`, may be replaced. Pipes, sockets and
    devices never are.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ModelError(f"the file is {shown(path)}", expected="the name of a file")
    if not isinstance(force, bool):
        raise ModelError(f"force is {shown(force)}", expected="True or False")
    notes = Record() if notes is None else notes
    with _sentences(path, "nothing was changed"):
        given = Path(path)
        target = Path(os.path.realpath(given.parent), given.name if given.name != ".." else "")
        if target.is_symlink():
            if not force:
                raise _RefusedError(f"{str(path)!r} is a link to {os.readlink(target)!r}", FORCE)
            target = Path(os.path.realpath(target))
        try:
            kind = stat.S_IFMT(os.lstat(target).st_mode)
        except FileNotFoundError:
            return target
        if kind in SPECIAL:
            message = f"{str(path)!r} is {SPECIAL[kind]}, and chetaev writes files only"
            raise _RefusedError(message, "name a file to be written")
        if kind == stat.S_IFDIR and not replaces(target):
            raise IsADirectoryError(None, "it is a directory")
        if not force and not notes.know(target):
            raise _RefusedError(f"{str(path)!r} exists already, and is not as chetaev wrote it", FORCE)
    return target


def beside(target: Path) -> Path:
    """A hidden name, not in use, in the directory of a path, with its suffix."""
    token = f"{os.getpid()}-{os.urandom(6).hex()}"
    return target.with_name(f".{target.name[:30]}{PART}{token}{target.suffix[:16]}")


def remove(path: Path) -> None:
    """Take away a file or a directory, if it is there."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def reason(error: Exception) -> str:
    """What the system says, without the words of the libraries between.

    >>> reason(OSError(28, "No space left on device"))
    'No space left on device'
    >>> reason(OSError("Unable to create file (errno = 2, error message = 'No such file')"))
    'No such file'
    """
    message = getattr(error, "strerror", None) or str(error)
    inner = re.search(r"error message = '([^']+)'", message)
    return inner[1] if inner else message or type(error).__name__


def _write(path: Path, content: Content) -> None:
    path.touch()  # says what is wrong with the directory in the system's own words
    if isinstance(content, str):
        path.write_bytes(content.encode("utf-8", "replace"))
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.unlink()
        content(path)


class _RefusedError(Exception):
    """Something stands where a file shall be written: what, and what to do."""


@contextlib.contextmanager
def _sentences(path: str | os.PathLike[str], remedy: str) -> Iterator[None]:
    try:
        yield
    except _RefusedError as refused:
        message, advice = refused.args
        raise ModelError(message, remedy=advice) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{str(path)!r} cannot be written: {reason(error)}", remedy=remedy) from None


# --- chetaev's own files ----------------------------------------------------------------------------------


def content_hash(path: Path) -> str:
    """The hash of a regular file, or of a directory of such; empty for anything else, or if it is unreadable.

    A pipe or a device is never opened.
    """
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISREG(mode):
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        if stat.S_ISDIR(mode):
            parts = [(p.name, content_hash(p)) for p in sorted(path.iterdir())]
            return hashlib.sha256(repr(parts).encode()).hexdigest() if all(h for _, h in parts) else ""
    except OSError:
        pass
    return ""


class Notes:
    """The hashes of what chetaev wrote, by name; the last ones of each."""

    def hashes(self, path: Path) -> list[str]:
        """Those of a file."""
        raise NotImplementedError

    def keep(self, path: Path, hashes: list[str]) -> None:
        """Write them down."""
        raise NotImplementedError

    def know(self, path: Path) -> bool:
        """Whether a file or directory is as chetaev wrote it."""
        hashes = self.hashes(path)
        return bool(hashes) and content_hash(path) in hashes

    def add(self, path: Path, content: str) -> None:
        """A content of this hash is about to be written to this place."""
        self.keep(path, [*(h for h in self.hashes(path) if h != content), content][-HASHES:])


class Manifest(Notes):
    """The notes of a directory, in its file ``manifest.json``.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> manifest, file = Manifest(place), place / "a.txt"
    >>> _ = file.write_text("ours")
    >>> manifest.know(file)
    False
    >>> manifest.add(file, content_hash(file))
    >>> manifest.know(file)
    True
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / "manifest.json"

    def read(self) -> dict[str, list[str]] | None:
        """The hashes by name; None if the file is no manifest of chetaev's. No file is an empty manifest."""
        try:
            mode, size = (status := os.lstat(self.path)).st_mode, status.st_size
            if not stat.S_ISREG(mode) or size > MANIFEST_BYTES:
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

    def hashes(self, path: Path) -> list[str]:
        """Those of a file of the directory."""
        return (self.read() or {}).get(path.name, [])

    def keep(self, path: Path, hashes: list[str]) -> None:
        """Write the manifest anew."""
        files = {**(self.read() or {}), path.name: hashes}
        text = json.dumps({"written by": "chetaev", "files": files}, indent=1, sort_keys=True)
        put(self.path, f"{text}\n".encode())


class Record(Notes):
    """The notes of a user, one small file for each name. Where none can be kept, nothing is known."""

    def _place(self, path: Path) -> Path | None:
        base = os.environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.join(os.path.expanduser("~"), ".local", "state")
        name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
        return Path(base, "chetaev", "written", name) if os.path.isabs(base) else None

    def hashes(self, path: Path) -> list[str]:
        """Those of a file anywhere."""
        note = self._place(path)
        try:
            if note is not None and stat.S_ISREG(os.lstat(note).st_mode):
                return note.read_text("ascii").split()
        except (OSError, ValueError):
            pass
        return []

    def keep(self, path: Path, hashes: list[str]) -> None:
        """Write the note of a file anew, if that can be done; now and then, forget old ones."""
        note = self._place(path)
        if note is None:
            return
        with contextlib.suppress(OSError):
            note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            put(note, "\n".join(hashes).encode())
            if note.name.startswith("00"):  # of one name in 256
                every = sorted(note.parent.iterdir(), key=lambda one: one.lstat().st_mtime)
                for old in every[: len(every) // 2] if len(every) > NOTES else []:
                    remove(old)
