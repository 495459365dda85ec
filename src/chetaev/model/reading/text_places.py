"""Where the parts of a model come from: places for error messages.

A model is read from nested data (tables, lists, texts, numbers). The data may come from a TOML file, whose
:class:`~chetaev.model.file.toml_source.TomlSource` knows lines and columns, or from arguments in Python, for
which this module names the argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from chetaev.errors import Origin, Place
from chetaev.expr.language.parser import Equation
from chetaev.remedy_words import PYTHON, Speech

Path = tuple[str | int, ...]


class Source(Protocol):
    """Where a model comes from: places of its values, and words for remedies."""

    label: str
    speech: Speech

    def key_place(self, path: Path) -> Place | None:
        """Where the key of a value stands."""

    def value_place(self, path: Path) -> Place | None:
        """Where a value stands."""

    def origin(self, path: Path) -> Origin:
        """The origin of a text value, for errors inside it."""


class PythonSource:
    """Arguments given in Python: a value is its own source, labelled with the argument's name."""

    label = "System"
    speech = PYTHON

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def _value(self, path: Path) -> Any:
        value: Any = self.data
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def key_place(self, path: Path) -> Place | None:
        """The key in its own words, or an element of a list; nowhere for tables, which may be ours."""
        if not path or isinstance(path[-1], int):
            return self.value_place(path)
        holder, value = self._value(path[:-1]), self._value(path)
        if not isinstance(holder, Mapping) or path[-1] not in holder or isinstance(value, (Mapping, list)):
            return None
        text = str(path[-1])  # in Python a key may be anything
        return Origin(text, label(path)).place(0, len(text))

    def value_place(self, path: Path) -> Place | None:
        """The value in its own words; the key where there is none."""
        value = self._value(path)
        if isinstance(value, Mapping):
            return None
        if value is None:
            return self.key_place(path) if path and isinstance(path[-1], str) else None
        text = str(value) if isinstance(value, str | Equation) else _short(value)
        return Origin(text, label(path)).place(0, len(text))

    def origin(self, path: Path) -> Origin:
        """The text of the value, labelled with its path."""
        return Origin(str(self._value(path)), label(path))


def _short(value: Any) -> str:
    """A value as Python writes it, not too long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a foreign object may fail in its own way
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:59]}…"


def label(path: Path) -> str:
    """A path in words that a Python user recognises.

    >>> label(("constraints", "velocity", 0))
    'constraints.velocity[0]'
    """
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "model"
