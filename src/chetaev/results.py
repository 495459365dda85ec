"""What results share: they are plain data and JSON for programs, text or a table in a notebook.

One rule says how what a result holds becomes plain data: numbers, words and None stay as they are, a complex
number is a pair, arrays and tuples are lists, results inside of results give their own data, and
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

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from operator import attrgetter
from typing import Any, ClassVar, Protocol

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


# --- tables -----------------------------------------------------------------------------------------------

STYLE = "text-align:left;vertical-align:top;padding:.15em 1em .15em 0"
"""Of a cell."""


@dataclass(frozen=True)
class Formula:
    """A formula in a cell: as text, and as MathML."""

    text: str
    mathml: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Table:
    """A head, rows of as many cells, a sentence above, and notes below: names with what is said of them.

    >>> table = Table(("form", "difference"), (("reduced", "0"), ("gauss", "< 1e-40")), "they agree")
    >>> print(table.csv(), end="")
    form,difference
    reduced,0
    gauss,< 1e-40
    >>> "&lt; 1e-40" in table.html()
    True
    """

    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    caption: str = ""
    notes: Sequence[tuple[str, str]] = field(default=())

    def html(self) -> str:
        """The table as a fragment of a page; whatever the cells say is text."""
        head = "".join(f'<th style="{STYLE}">{escape(h)}</th>' for h in self.head)
        body = "".join(f"<tr>{''.join(_cell(c) for c in row)}</tr>" for row in self.rows)
        caption = f"<p>{escape(self.caption)}</p>" if self.caption else ""
        notes = "".join(f"<li><b>{escape(name)}</b>: {escape(said)}</li>" for name, said in self.notes)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"{caption}{table}" + (f"<ul>{notes}</ul>" if notes else "")

    def csv(self) -> str:
        """The table as comma-separated values; the caption and the notes are left out."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.head)
        writer.writerows([str(cell) for cell in row] for row in self.rows)
        return out.getvalue()


def _cell(cell: object) -> str:
    content = cell.mathml if isinstance(cell, Formula) else escape(str(cell))
    return f'<td style="{STYLE}">{content}</td>'


# --- JSON -------------------------------------------------------------------------------------------------

_SPECIAL = re.compile(r"[^\x20-\x7e]")


def finite(data: Any) -> Any:
    """Plain data with null for what is not a finite number: JSON has no word for it.

    >>> finite({"a": [1.5, float("nan")]})
    {'a': [1.5, None]}
    """
    if isinstance(data, dict):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def json_text(data: Any, indent: int | None = None) -> str:
    r"""Plain data as JSON text that nothing in it can make into something else.

    Letters stay as they are; what is not printable (control characters, marks that turn the direction of
    writing, line separators, halves of pairs) is written as an escape, which every reader of JSON turns back.
    Numbers that JSON does not know are an error.

    >>> print(json_text({"θ": "a\x9bb\u202ec"}))
    {"θ": "a\u009bb\u202ec"}
    """
    text = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else _SPECIAL.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """The escape of a character that is not printable; line ends, which stand between values only, stay."""
    character = found[0]
    if character.isprintable() or character == "\n":
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
