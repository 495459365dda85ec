"""Files that appear whole or not at all.

What is written goes to a hidden name in the same directory first, and takes its place in one step when it is
complete. An error, an interrupt or a full disk leaves what stood there before, and nothing else.

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
from collections.abc import Callable, Iterator
from pathlib import Path

from chetaev.errors import ModelError

Content = str | bytes | Callable[[Path], object]
"""A text, bytes, or a function that writes to the path it is given."""


def whole(
    path: str | os.PathLike[str],
    content: Content,
    *,
    replaces: Callable[[Path], bool] = lambda directory: False,
    parents: bool = False,
    remedy: str = "nothing was left behind",
) -> Path:
    """Write a file, or a directory if `content` makes one, whole or not at all.

    Parameters
    ----------
    path
        Where it shall stand; a link is followed.
    content
        What it shall hold.
    replaces
        Whether a directory that stands there may be replaced.
    parents
        Whether the directories above it are made.
    remedy
        Said if it cannot be written.

    Raises
    ------
    ModelError
        If it cannot be written.
    """
    with _sentences(path, remedy):
        target = Path(os.path.realpath(path))
        if parents:
            target.parent.mkdir(parents=True, exist_ok=True)
        occupied = target.is_dir()
        if occupied and not replaces(target):
            raise IsADirectoryError(None, "it is a directory")
        new, old = beside(target), beside(target)
        try:
            _write(new, content)
            if occupied:
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
