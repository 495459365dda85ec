"""Where the parts of a model come from: places for error messages.

A model is read from nested data (tables, lists, texts, numbers). The data may come from a TOML file, whose
:class:`~chetaev.model.toml_source.TomlSource` knows lines and columns, or from arguments in Python, for which
this module names the argument.
"""

from __future__ import annotations

from typing import Any, Protocol

from chetaev.errors import Origin, Place

Path = tuple[str | int, ...]


class Source(Protocol):
    """What the builder asks of a source."""

    label: str

    def key_place(self, path: Path) -> Place | None:
        """Where the key of a value stands."""

    def value_place(self, path: Path) -> Place | None:
        """Where a value stands."""

    def origin(self, path: Path) -> Origin:
        """The origin of a text value, for errors inside it."""


class PythonSource:
    """Arguments given in Python: a text is its own source, labelled with the argument's name."""

    label = "System"

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
        """The text of the value itself, if it is one."""
        return self.value_place(path)

    def value_place(self, path: Path) -> Place | None:
        """The text of the value itself, if it is one."""
        value = self._value(path)
        return Origin(value, label(path)).place(0, len(value)) if isinstance(value, str) else None

    def origin(self, path: Path) -> Origin:
        """The text of the value, labelled with its path."""
        return Origin(str(self._value(path)), label(path))


def label(path: Path) -> str:
    """A path in words that a Python user recognises.

    >>> label(("constraints", "velocity", 0))
    'constraints.velocity[0]'
    """
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "model"
