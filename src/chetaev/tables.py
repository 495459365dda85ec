"""Results as tables: rows and columns for notebooks (HTML) and for files (CSV).

A cell is text, or a formula as MathML that is put in as it is (:class:`Formula`).

>>> table = Table(("form", "difference"), (("reduced", "0"), ("gauss", "< 1e-40")), "they agree")
>>> print(table.csv(), end="")
form,difference
reduced,0
gauss,< 1e-40
>>> "&lt; 1e-40" in table.html()
True
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

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
    """A head, rows of as many cells, a sentence above, and notes below: names with what is said of them."""

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
