"""Where a store is: a directory, or anything that fsspec has an address for; and the lock on it.

A file is there whole or absent. In a directory it is written under another name, brought to the disk and
renamed. Object stores take a file as a whole, through fsspec, which is imported only for them.

One sweep at a time works on a store. In a directory the lock is the kernel's (filelock on ``.chetaev/lock``):
it ends with the process that holds it, however that ends. An address has no such thing, nor have some file
systems of clusters: there the file ``.chetaev/owner`` names the owner, and a machine that is lost leaves it
behind, for the user to remove.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.output_files import PART, put, reason

LOCK, OWNER = ".chetaev/lock", ".chetaev/owner"
LOCAL = ("file://", "local://")
GOES_ON = "what is finished is kept; when that is set right, the same command goes on from there"


class Directory:
    """A directory of the machine.

    >>> import tempfile
    >>> place = Directory(tempfile.mkdtemp())
    >>> place.write("a/b", b"all of it")
    >>> place.read("a/b"), place.read("a/c"), place.names("a")
    (b'all of it', None, ['b'])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(path))
        self.url = str(path)

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is none. Pipes and devices are not opened."""
        try:
            expect_file(self.path / name)
            return (self.path / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise ModelError(f"{self.url!r} cannot be read: {reason(error)}") from None

    def write(self, name: str, content: bytes) -> None:
        """Put a file there, whole or not at all; workers of several machines may write one at a time."""
        target = self.path / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            put(target, content)
        except OSError as error:
            raise ModelError(f"{self.url!r} cannot be written: {reason(error)}", remedy=GOES_ON) from None

    def create(self, name: str, content: bytes) -> bool:
        """Put a file there unless there is one; whether it was."""
        target = self.path / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(content)
        except FileExistsError:
            return False
        except OSError as error:
            raise ModelError(f"{self.url!r} cannot be written: {reason(error)}") from None
        return True

    def remove(self, name: str) -> None:
        """Take a file away."""
        with contextlib.suppress(OSError):
            (self.path / name).unlink(missing_ok=True)

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return sorted(x.name for x in (self.path / folder).iterdir() if PART not in x.name)
        return []

    def tidy(self) -> None:
        """Remove what processes left that were killed while they wrote; nobody else may be writing."""
        for file in self.path.rglob(f".*{PART}[0-9]*"):
            with contextlib.suppress(OSError):
                file.unlink()

    def is_empty(self) -> bool:
        """Whether nothing is there."""
        try:
            return not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir()))
        except OSError as error:
            raise ModelError(f"{self.url!r} cannot be read: {reason(error)}") from None


def expect_file(path: Path) -> None:
    """Raise an OSError if something stands there that is no file; a link counts as what it points to."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError(None, f"{path.name!r} in it is no file")


class Remote:
    """An address of fsspec's, such as ``s3://bucket/out.zarr``."""

    def __init__(self, url: str, options: dict[str, Any] | None = None) -> None:
        self.url, self.options = url, dict(options or {})
        with _said(url, "found"):
            import fsspec

            self.files, self.root = fsspec.core.url_to_fs(url, **self.options)
            self.files.use_listings_cache = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Remote, (self.url, self.options)

    def _path(self, name: str) -> str:
        return f"{self.root.rstrip('/')}/{name}"

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is none."""
        with _said(self.url, "read"):
            try:
                return bytes(self.files.cat_file(self._path(name)))
            except FileNotFoundError:
                return None

    def write(self, name: str, content: bytes) -> None:
        """Put a file there, whole or not at all."""
        with _said(self.url, "written"):
            self.files.pipe_file(self._path(name), content)

    def create(self, name: str, content: bytes) -> bool:
        """Put a file there unless there is one; whether it was. One operation where the place has such."""
        with _said(self.url, "written"):
            try:
                self.files.pipe_file(self._path(name), content, mode="create")
            except FileExistsError:
                return False
        return True

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder."""
        with _said(self.url, "read"):
            self.files.invalidate_cache()
            try:
                found = self.files.ls(self._path(folder), detail=False)
            except FileNotFoundError:
                return []
        return sorted(str(name).rstrip("/").rsplit("/", 1)[-1] for name in found)

    def is_empty(self) -> bool:
        """Whether nothing is there."""
        return not self.names("")

    def remove(self, name: str) -> None:
        """Take a file away."""
        with _said(self.url, "written"), contextlib.suppress(FileNotFoundError):
            self.files.rm_file(self._path(name))


@contextlib.contextmanager
def _said(url: str, what: str) -> Iterator[None]:
    """Errors of a remote place as sentences; libraries have their own kinds of them."""
    try:
        yield
    except (ModelError, KeyboardInterrupt):
        raise
    except ImportError as error:
        raise ModelError(
            f"the address {url!r} needs a library that is not installed: {error}",
            remedy="pip install 'chetaev[cluster]', and fsspec's library for such addresses (s3fs, gcsfs, …)",
        ) from None
    except Exception as error:
        raise ModelError(
            f"{url!r} cannot be {what}: {type(error).__name__}: {error}",
            remedy=GOES_ON,
        ) from None


def _is_name(text: str) -> bool:
    try:
        return bool(text) and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def place_at(where: Any, options: dict[str, Any] | None = None) -> Directory | Remote:
    """The place of a name or an address."""
    if not isinstance(where, (str, os.PathLike)) or not _is_name(str(where)):
        raise ModelError(
            f"the store is {shown(where)}", expected="a directory such as 'out.zarr', or an address"
        )
    if isinstance(where, str) and "://" in where and not where.startswith(LOCAL):
        return Remote(where, options)
    for start in LOCAL:
        where = where.removeprefix(start) if isinstance(where, str) else where
    return Directory(where)


# --- the lock ---------------------------------------------------------------------------------------------

NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
"""What a file system says that keeps no locks."""


@contextlib.contextmanager
def locked(place: Directory | Remote) -> Iterator[None]:
    """Hold the lock of a store; a ModelError if somebody else does."""
    with contextlib.ExitStack() as held:
        if not isinstance(place, Directory) or not _locked_by_kernel(place, held):
            _expect_free(place)
        place.write(OWNER, _signature())
        held.callback(place.remove, OWNER)
        yield


def _locked_by_kernel(place: Directory, held: contextlib.ExitStack) -> bool:
    """Lock a directory; False where the file system keeps no locks."""
    from filelock import FileLock, Timeout

    path = place.path / LOCK
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        expect_file(path)
        if path.is_symlink():
            raise OSError(None, f"{path.name!r} in it is a link")
        held.enter_context(FileLock(path, timeout=0))
    except Timeout:
        raise _refused(place, place.read(OWNER)) from None
    except NotImplementedError:
        return False
    except OSError as error:
        if error.errno in NO_LOCKS:
            return False
        raise ModelError(
            f"{place.url!r} cannot be written: {reason(error)}",
            remedy="choose a directory that can be written",
        ) from None
    return True


def _expect_free(place: Directory | Remote) -> None:
    """Sign a store that no kernel locks; a ModelError if another process has that may be at work."""
    if not place.create(OWNER, _signature()):
        other = place.read(OWNER)
        if other is not None and not _is_gone(other):
            raise _refused(place, other, f"; if that machine is lost, remove {OWNER} there")
        place.remove(OWNER)
        if not place.create(OWNER, _signature()):
            raise _refused(place, place.read(OWNER))
    if place.read(OWNER) != _signature():  # creating may not be one operation: the last one
        raise _refused(place, place.read(OWNER))


def _signature() -> bytes:
    """Who sweeps, as others see it."""
    return json.dumps({"host": platform.node(), "process": os.getpid()}).encode()


def _refused(place: Directory | Remote, signature: bytes | None, more: str = "") -> ModelError:
    """The error for a store at which another sweep works."""
    try:
        owner = json.loads(signature or b"")
        who = f"process {owner['process']} on {owner['host']}"
    except (ValueError, KeyError, TypeError):
        who = "another process"
    return ModelError(
        f"another sweep works on {place.url!r}: {who}",
        remedy=f"wait for it to end, or choose another store{more}",
    )


def _is_gone(signature: bytes) -> bool:
    """Whether a store was signed by a process of this machine that is no more."""
    try:
        owner = json.loads(signature)
        if owner["host"] != platform.node() or sys.platform == "win32":
            return False
        os.kill(int(owner["process"]), 0)
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, OSError, OverflowError):
        pass
    return False
