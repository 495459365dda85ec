"""Files that appear whole or not at all.

What is written goes to a hidden name in the same directory first, and takes its place in one step when it is
complete. An error, an interrupt or a full disk leaves what stood there before, and nothing else.

Only what chetaev wrote itself (see `chetaev.own_files`) is replaced without being asked.

>>> import tempfile
>>> place = Path(tempfile.mkdtemp())
>>> whole(place / "a.txt", "all of it").read_text()
'all of it'
>>> [file.name for file in place.iterdir()]
['a.txt']
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.own_files import LedgerOfFiles, Record, content_hash

Content = str | bytes | Callable[[Path], object]
"""A text, bytes, or a function that writes to the path it is given."""


def whole(
    path: str | os.PathLike[str],
    content: Content,
    *,
    force: bool = False,
    ledger: LedgerOfFiles | None = None,
    replaces: Callable[[Path], bool] = lambda directory: False,
    parents: bool = False,
    remedy: str = "nothing was left behind",
) -> Path:
    """Write a file, or a directory if `content` makes one, whole or not at all; else a ModelError.

    What may be replaced, `place` says; with `parents` the directories above it are made.
    """
    ledger = Record() if ledger is None else ledger
    target = place(path, force=force, ledger=ledger, replaces=replaces)
    with _sentences(path, remedy):
        if parents:
            target.parent.mkdir(parents=True, exist_ok=True)
        new, old = beside(target), beside(target)
        try:
            _write(new, content)
            ledger.note(target, content_hash(new))
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


KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""What is never replaced."""


def place(
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    ledger: LedgerOfFiles | None = None,
    replaces: Callable[[Path], bool] = lambda directory: False,
) -> Path:
    """Where a file may be written: at a free place, or over what `ledger` knows to be chetaev's own.

    With `force` a file that chetaev did not write may be replaced, too: then a link is followed to the
    file it points to, and a directory of the right kind, `replaces`, may be replaced. Pipes, sockets and
    devices never are.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ModelError(f"the file is {shown(path)}", expected="the name of a file")
    if not isinstance(force, bool):
        raise ModelError(f"force is {shown(force)}", expected="True or False")
    ledger = Record() if ledger is None else ledger
    with _sentences(path, "nothing was changed"):
        given = Path(path)
        target = Path(os.path.realpath(given.parent), given.name if given.name != ".." else "")
        if target.is_symlink():
            if not force:
                raise _RefusedError(f"{str(path)!r} is a link to {os.readlink(target)!r}", FORCE)
            target = Path(os.path.realpath(target))
        try:
            found = os.lstat(target)
        except FileNotFoundError:
            return target
        kind = stat.S_IFMT(found.st_mode)
        if kind in KINDS:
            said = f"{str(path)!r} is {KINDS[kind]}, and chetaev writes files only"
            raise _RefusedError(said, "name a file to be written")
        if kind == stat.S_IFDIR and not replaces(target):
            raise IsADirectoryError(None, "it is a directory")
        if not force and not ledger.knows(target):
            raise _RefusedError(f"{str(path)!r} exists already, and is not as chetaev wrote it", FORCE)
    return target


FORCE = "choose another name, or overwrite it with --force (in Python: force=True)"


class _RefusedError(Exception):
    """Something stands where a file shall be written: what, and what to do."""


def beside(target: Path) -> Path:
    """A hidden name, not in use, in the directory of a path."""
    token = f"{os.getpid()}-{os.urandom(4).hex()}"
    return target.with_name(f".{target.name[:30]}.{token}{target.suffix[:16]}")


def _write(path: Path, content: Content) -> None:
    path.touch()  # says what is wrong with the directory in the system's own words
    if isinstance(content, str):
        path.write_bytes(content.encode("utf-8", "replace"))
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.unlink()
        content(path)


def remove(path: Path) -> None:
    """Take away a file or a directory, if it is there."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _sentences(path: str | os.PathLike[str], remedy: str) -> Iterator[None]:
    try:
        yield
    except _RefusedError as refused:
        message, advice = refused.args
        raise ModelError(message, remedy=advice) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{str(path)!r} cannot be written: {reason(error)}", remedy=remedy) from None


def reason(error: Exception) -> str:
    """What the system says, without the words of the libraries between.

    >>> reason(OSError(28, "No space left on device"))
    'No space left on device'
    >>> reason(OSError("Unable to create file (errno = 2, error message = 'No such file')"))
    'No such file'
    """
    said = getattr(error, "strerror", None) or str(error)
    inner = re.search(r"error message = '([^']+)'", said)
    return inner[1] if inner else said or type(error).__name__
