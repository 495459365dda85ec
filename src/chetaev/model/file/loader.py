"""Models from files, from text, from the gallery."""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError, clipped, did_you_mean
from chetaev.model import gallery
from chetaev.model.file.toml_source import MAX_BYTES, TomlSource, check_text, decode
from chetaev.model.system import System

PATIENCE = 5
"""Seconds to wait for a pipe."""


def load(name_or_path: str | os.PathLike[str]) -> System:
    """A model of the gallery by name, or a model file by path; a file without a name bears that of the file.

    >>> load("rolling-disc").coordinates
    ('x', 'y', 'psi', 'phi', 'theta')
    """
    label, raw = read(name_or_path)
    return _system(decode(raw, label), label, Path(label).stem)


def loads(text: str, label: str = "<text>") -> System:
    """A model from the text of a model file."""
    if not isinstance(text, str):
        raise ModelError(f"the text of a model was expected, got {type(text).__name__}")
    if not isinstance(label, str):
        raise ModelError(f"the label is {shown(label)}", expected="a text")
    label = clipped(label, 200)
    return _system(check_text(text.removeprefix("\ufeff"), label), label)


def _system(text: str, label: str, name: str = "") -> System:
    source = TomlSource(text, label)
    if name.isprintable() and name and "name" not in source.data:
        source.data["name"] = name
    return System.from_data(source.data, source)


def read(name_or_path: str | os.PathLike[str]) -> tuple[str, bytes]:
    """The label and the bytes of a model; reads no more than the size limit allows."""
    text = os.fspath(name_or_path) if isinstance(name_or_path, str | os.PathLike) else None
    if not isinstance(text, str) or not text.strip():
        raise ModelError(f"a name or a path was expected, got {shown(name_or_path)}")
    if text in gallery.names():
        return f"{text}.toml", gallery.read(text)
    try:
        return text, _bytes(text)
    except (FileNotFoundError, NotADirectoryError):
        known = gallery.names()
        hint = did_you_mean(text.removesuffix(".toml"), known)
        raise ModelError(
            f"there is no model {text!r}: neither in the gallery nor as a file",
            remedy=hint or "'chetaev list' shows the gallery; 'chetaev new NAME' writes a template",
        ) from None
    except IsADirectoryError:
        raise ModelError(
            f"{text!r} is a directory", expected="a model file or a name of the gallery"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelError(f"the model file {text!r} cannot be read: {reason}") from None


def _bytes(path: str) -> bytes:
    """What a file holds, up to the size limit; a pipe or device is not waited for longer than PATIENCE."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0) as file:
        found = b""
        while len(found) <= MAX_BYTES:
            part = file.read(MAX_BYTES + 1 - len(found))
            if part:
                found += part
            elif part is not None:  # the end; None means that more may come
                break
            elif not select.select([file], [], [], PATIENCE)[0]:
                raise OSError(f"nothing came from it for {PATIENCE} seconds")
        if not found and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is a pipe or device, and nothing comes from it")
        return found
