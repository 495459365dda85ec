"""Errors that help: what is wrong, where it stands, what was expected, what to do.

Everything a user can get wrong raises :class:`ModelError` (or a subclass). The command line
prints its text and exits with status 2; no traceback reaches a user for a user's mistake.

>>> from chetaev.errors import ModelError, Origin
>>> origin = Origin("2*x + * y", label="lagrangian")
>>> print(ModelError("unexpected '*'", origin.place(6), remedy="remove it"))
lagrangian:1:7: unexpected '*'
    2*x + * y
          ^
  remove it
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

EXCERPT_WIDTH = 100
"""Longer source lines are shown in a window of about this many characters around the place."""


@dataclass(frozen=True)
class Place:
    """A place in a text: file or label, line and column (from 1), the line itself."""

    source: str
    line: int
    column: int
    excerpt: str
    caret: int
    width: int = 1

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"

    def picture(self) -> str:
        """The source line with a caret below the place."""
        return f"    {self.excerpt}\n    {' ' * self.caret}{'^' * max(1, self.width)}"


class Origin:
    """Where a piece of text comes from, so that an offset in it can be shown as a place.

    Parameters
    ----------
    text
        The whole text that offsets refer to.
    label
        The file name, or the name of the argument the text was given as.
    """

    def __init__(self, text: str, label: str = "expression") -> None:
        self.text = text
        self.label = label

    def place(self, offset: int, width: int = 1) -> Place:
        """The place of the character number `offset` (from 0) of the text."""
        return place_in(self.text, self.label, offset, width)


def place_in(text: str, label: str, offset: int, width: int = 1) -> Place:
    """Line, column and excerpt of an offset in a text."""
    offset = max(0, min(offset, len(text)))
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    line = text.count("\n", 0, start) + 1
    column = offset - start
    raw = text[start:end]
    left = max(0, column - EXCERPT_WIDTH // 2)
    right = min(len(raw), max(column + EXCERPT_WIDTH // 2, left + EXCERPT_WIDTH))
    head = "…" if left else ""
    tail = "…" if right < len(raw) else ""
    window = printable(raw[left:right])
    width = max(1, min(width, right - column, EXCERPT_WIDTH))
    before = raw[left:column]
    caret = len(head) + sum(_cells(c) for c in before)
    return Place(label, line, column + 1, head + window + tail, caret, width)


def printable(text: str) -> str:
    """The text with control characters made visible and tabs as one blank."""
    return "".join(" " if c == "\t" else c if c.isprintable() else "�" for c in text)


def visible(text: str) -> str:
    r"""The lines of a text with control characters made visible: what a model says cannot steer a terminal.

    >>> visible("red \x1b[31m\nnext")
    'red �[31m\nnext'
    """
    return text if text.isprintable() else "\n".join(map(printable, text.split("\n")))


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class ChetaevError(Exception):
    """Base of all errors that chetaev raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the lines of the user's own code, and the message; nothing of ours."""
        import traceback
        from pathlib import Path

        here = Path(__file__).resolve().parent
        own = [
            f
            for f in traceback.extract_tb(self.__traceback__)
            if here not in Path(f.filename).parents and "site-packages" not in Path(f.filename).parts
        ]
        lines = [f"line {f.lineno}: {f.line}" for f in own if f.line]
        return [*lines, f"{type(self).__name__}: {self}"]


class ExhaustedError(ChetaevError):
    """A computation that gave up or has no value: whoever meant to read its answer has none.

    All that says so is of this family, and :func:`chetaev.expr.exact.effort.ask.ask` alone catches it.
    """


class NonexistentError(ExhaustedError):
    """What was to be computed does not exist: that is shown, and no effort would help."""


class DivisionByZeroError(NonexistentError, ZeroDivisionError):
    """A division by zero, or by a function that is zero."""


class ModelError(ChetaevError):
    """A mistake in a model, an expression or an argument.

    Attributes
    ----------
    message
        What is wrong, in one sentence.
    place
        Where: file (or argument), line, column and excerpt; None if there is no text to point at.
    expected
        What would have been right, if that can be said.
    remedy
        What to do.
    others
        Further mistakes of the same model that were found together with this one.
    """

    others: tuple[ModelError, ...] = ()

    def __init__(
        self,
        message: str,
        place: Place | None = None,
        *,
        expected: str = "",
        remedy: str = "",
    ) -> None:
        self.message = clipped(message)
        self.place = place
        self.expected = clipped(expected)
        self.remedy = clipped(remedy)
        super().__init__(str(self))

    @classmethod
    def unknown(cls, message: str, name: object, known: Iterable[str], if_none: str = "") -> Self:
        """The error of a name that is none of those known, with the nearest of them."""
        names = list(known)
        expected = "one of " + ", ".join(names) if names else if_none
        remedy = did_you_mean(name, names) if isinstance(name, str) else ""
        return cls(message, expected=expected, remedy=remedy)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (
            type(self), self.message, self.place, self.expected, self.remedy, self.others,
        )  # fmt: skip

    @property
    def file(self) -> str | None:
        """The file, or the label of the text, that the error points into."""
        return self.place.source if self.place else None

    @property
    def line(self) -> int | None:
        """Line number from 1."""
        return self.place.line if self.place else None

    @property
    def column(self) -> int | None:
        """Column number from 1."""
        return self.place.column if self.place else None

    def at(self, place: Place | None) -> ModelError:
        """The same error, placed, unless it has a place already."""
        if self.place is not None or place is None:
            return self
        return type(self)(self.message, place, expected=self.expected, remedy=self.remedy)

    def together_with(self, others: Iterable[ModelError]) -> Self:
        """The same error, which also tells the others; what was expected is not said twice."""
        self.others = tuple(others)
        said = self.expected
        for other in self.others:
            # They are listed, not raised. A context would lead back here; Dask pickles contexts, too.
            other.__cause__ = other.__context__ = other.__traceback__ = None
            other.expected, said = "" if other.expected == said else other.expected, other.expected or said
        self.args = (str(self),)
        return self

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.message}" if self.place else self.message]
        if self.place:
            lines.append(self.place.picture())
        if self.expected:
            lines.append(f"  expected {self.expected}")
        if self.remedy:
            lines.append(f"  {self.remedy}")
        return visible("\n".join([*lines, *map(str, self.others)]))


class ExpressionError(ModelError):
    """An expression that cannot be read."""


class UnknownNameError(ExpressionError):
    """A name, or a function, that means nothing where it stands."""


class NoValueError(ExpressionError, NonexistentError):
    """A function of a number at which it has no real value."""


class TooLargeError(ModelError, ExhaustedError):
    """A text, a nesting or a number beyond the documented limits."""


class InitialDataError(ModelError):
    """Initial data that are inconsistent, or do not determine a state."""

    path: tuple[str | int, ...] = ("initial",)
    """The part of the model that the error is about."""

    def about(self, *path: str | int) -> InitialDataError:
        """The same error, about a part of the model."""
        self.path = path
        return self


def clipped(text: str, longest: int = 600) -> str:
    """The text without its middle where it is too long to read: a name may have a million letters.

    >>> clipped("unknown name " + "x" * 100, 30)
    'unknown name xx … xxxxxxxxxxxx'
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[3 - half :]}"


def _rebuild(
    kind: type[ModelError],
    message: str,
    place: Place | None,
    expected: str,
    remedy: str,
    others: tuple[ModelError, ...] = (),
) -> ModelError:
    return kind(message, place, expected=expected, remedy=remedy).together_with(others)


def nearest(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names most like `name`, best first.

    >>> nearest("thta", ["theta", "phi", "x"])
    ['theta']
    """
    if len(name) > 60:
        return []
    candidates = list(dict.fromkeys(k for k in known if k))[:2000]
    folded = {c: c.casefold() for c in candidates}
    same = [c for c in candidates if folded[c] == name.casefold() and c != name]
    if len(name) == 1:  # any name that holds the letter would be like it
        return same[:limit]
    close = difflib.get_close_matches(name, candidates, n=limit, cutoff=0.6)
    lower = difflib.get_close_matches(name.casefold(), list(folded.values()), n=limit, cutoff=0.6)
    by_lower = [c for f in lower for c in candidates if folded[c] == f]
    return list(dict.fromkeys(same + close + by_lower))[:limit]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A remedy sentence with the nearest right names, or an empty string.

    >>> did_you_mean("thta", ["theta", "phi"])
    "did you mean 'theta'?"
    """
    names = nearest(name, known)
    return f"did you mean {' or '.join(repr(n) for n in names)}?" if names else ""
