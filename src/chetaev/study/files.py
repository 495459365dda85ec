"""Files of a study: each appears whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from chetaev.errors import ModelError


def prepare(directory: Path) -> None:
    """Make the directory of a study; an error sentence if nothing can be written there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".probe.{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelError(
            f"the study cannot be written to {str(directory)!r}: {reason}",
            remedy="choose another directory with -o",
        ) from None


def write(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ModelError(
            f"{str(path)!r} cannot be written: {error.strerror or error}",
            remedy="nothing half-written was left behind",
        ) from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
