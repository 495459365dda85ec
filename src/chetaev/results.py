"""What results share: they are plain data for programs, and text or a table in a notebook.

One rule says how what a result holds becomes plain data: numbers, words and None stay as they are, a complex
number is a pair, arrays and tuples are lists, results inside of results are asked for their own data, and
everything else (expressions, verdicts, fractions) is written as text.

>>> from dataclasses import dataclass
>>> from fractions import Fraction
>>> @dataclass(frozen=True)
... class Found(TextResult):
...     place: tuple[Fraction, ...]
...     value: complex
...     def __str__(self):
...         return f"{self.value} < 2"
>>> found = Found((Fraction(1, 2),), 1j)
>>> found.to_json()
{'place': ['1/2'], 'value': [0.0, 1.0]}
>>> found._repr_html_()
'<pre style="white-space: pre-wrap">1j &lt; 2</pre>'
>>> found
<Found: 1j < 2>
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from html import escape
from operator import attrgetter
from typing import Any, ClassVar, Protocol

from chetaev.tables import Table

WIDEST = 100
"""Letters of a text that a prompt shows."""


def plain(value: Any) -> Any:
    """A value as plain data.

    >>> plain({"x": (1, 2.5), "y": None})
    {'x': [1, 2.5], 'y': None}
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, complex):
        return [value.real, value.imag]
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: plain(x) for name, x in value.items()}
    if hasattr(value, "tolist"):  # an array, or one number of it
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(x) for x in value]
    return str(value)


def brief(result: object) -> str:
    """What a prompt shows: the first line of the text, which `print` shows whole."""
    first = str(result).strip().partition("\n")[0]
    many = f" of {len(result)}" if isinstance(result, list) else ""
    text = first if len(first) <= WIDEST else first[: WIDEST - 1] + "…"
    return f"<{type(result).__name__}{many}: {text}>"


class PlainData:
    """A result whose `facts`, or all fields if it names none, are its plain data.

    Facts are names of attributes with blanks between them, or paths such as ``proof.proved``, of which the
    last name is the key.
    """

    facts: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__str__" in vars(cls) and "__repr__" not in vars(cls):
            cls.__repr__ = brief  # type: ignore[method-assign]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        names = self.facts.split() or [field.name for field in fields(self)]  # type: ignore[arg-type]
        return {name.rpartition(".")[2]: plain(attrgetter(name)(self)) for name in names}


class TextResult(PlainData):
    """A result that a notebook shows as its text."""

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre-wrap">{escape(str(self))}</pre>'


class _HasTable(Protocol):
    def _table_(self) -> Table: ...


class TableResult(PlainData):
    """A result that a notebook shows as its table."""

    def _repr_html_(self: _HasTable) -> str:
        return self._table_().html()
