"""Files of a study: each appears whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from chetaev.errors import ModelError

NAMES = ("report.html", "study.json", "equations.tex", "trajectory.nc")
"""The files of a study."""


def prepare(directory: Path) -> None:
    """Make the directory of a study; an error sentence if nothing can be written there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".probe.{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except (OSError, ValueError) as error:
        reason = _reason(error)
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            reason = "it is a file, or a part of its path is"
        raise ModelError(
            f"the study cannot be written to {str(directory)!r}: {reason}",
            expected="a directory that can be made or written to",
            remedy="choose another one with -o DIR (in Python: directory=…)",
        ) from None


def clear(directory: Path) -> None:
    """Take away what an earlier study left, so that all files of a directory belong together."""
    for name in NAMES:
        try:
            (directory / name).unlink(missing_ok=True)
        except OSError as error:
            raise ModelError(
                f"{str(directory / name)!r} cannot be replaced: {_reason(error)}",
                remedy="choose another directory with -o DIR (in Python: directory=…)",
            ) from None


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ModelError(
            f"{str(path)!r} cannot be written: {_reason(error)}",
            remedy="nothing half-written was left behind; what was written before is whole",
        ) from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _reason(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
