"""Files of a study: each appears whole or not at all, and only a study's own are ever replaced.

What a study wrote stands in the directory's ``manifest.json``, with the hash of its content; a file that is
not listed there, or that was changed since, is somebody's work.
"""

from __future__ import annotations

import os
from pathlib import Path

from chetaev.errors import ModelError
from chetaev.output_files import FORCE, Manifest, place, reason, remove, whole

NAMES = ("report.html", "study.json", "equations.tex", "trajectory.nc")
"""The files of a study, beside its manifest."""


def prepare(directory: Path, force: bool = False) -> None:
    """Make the directory of a study; an error sentence if it cannot be written, or holds somebody's work."""
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
    manifest = Manifest(directory)
    if manifest.read() is None and not force:
        raise ModelError(
            f"{str(manifest.path)!r} exists already, and is no manifest of a study",
            remedy=FORCE,
        )
    for name in NAMES:
        place(directory / name, force=force, notes=manifest)


def clear(directory: Path, force: bool = False) -> None:
    """Take away what an earlier study left, so that all files of a directory belong together."""
    manifest = Manifest(directory)
    if manifest.read() is None:
        remove(manifest.path)
    for name in NAMES:
        path = directory / name
        try:
            if force or manifest.know(path):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise ModelError(
                f"{str(path)!r} cannot be replaced: {reason(error)}",
                remedy="choose another directory with -o DIR (in Python: directory=…)",
            ) from None


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all."""
    whole(
        path,
        content,
        notes=Manifest(path.parent),
        remedy="nothing half-written was left behind; what was written before is whole",
    )
