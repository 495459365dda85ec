"""A phrase of another language around a mistake, and what finders of such phrases share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chetaev.expr.language.scope import Scope
from chetaev.expr.language.spelling import plain_spelling

NAME = r"[^\W\d_]\w*"
NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
UNITS_REMEDY = "units are not part of expressions; give numbers in one system of units, and label them "


@dataclass(frozen=True)
class Phrase:
    """A phrase of another language: where it stands, what is wrong with it, what to write."""

    start: int
    width: int
    message: str
    remedy: str
    expected: str = ""


Finder = Callable[[str, int, Scope], Phrase | None]


def covering(pattern: re.Pattern[str], text: str, at: int) -> Iterator[re.Match[str]]:
    """Matches that cover a place."""
    return (m for m in pattern.finditer(text) if m.start() <= at < m.end())


def said(match: re.Match[str], message: str, remedy: str) -> Phrase:
    """The phrase of a match; … in the message stands for it."""
    whole = match[0].rstrip()
    return Phrase(match.start(), len(whole), message.replace("…", repr(" ".join(whole.split())), 1), remedy)


def primed(name: str, order: int) -> str:
    """A remedy: the coordinate with its primes."""
    return f"write {name}{chr(39) * order}"


def coordinate(written: str, scope: Scope) -> str:
    """The coordinate that a name spells, in Greek letters or in words; empty if none."""
    if written in scope.coordinates:
        return written
    return next((c for c in sorted(scope.coordinates) if plain_spelling(c) == plain_spelling(written)), "")


def closing(text: str, opened: int) -> int | None:
    """Where the bracket that opens there is closed."""
    depth = 0
    for m in re.finditer(r"[()]", text[opened:]):
        depth += 1 if m[0] == "(" else -1
        if not depth:
            return opened + m.start()
    return None
