"""Files of a study: each appears whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from chetaev.errors import ModelError
from chetaev.whole import reason, whole

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
        a_file = isinstance(error, (FileExistsError, NotADirectoryError))
        why = "it is a file, or a part of its path is" if a_file else reason(error)
        raise ModelError(
            f"the study cannot be written to {str(directory)!r}: {why}",
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
                f"{str(directory / name)!r} cannot be replaced: {reason(error)}",
                remedy="choose another directory with -o DIR (in Python: directory=…)",
            ) from None


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all."""
    whole(path, content, remedy="nothing half-written was left behind; what was written before is whole")
