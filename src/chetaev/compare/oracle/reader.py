"""A reader of the model language that shares nothing with `expr`.

A text becomes a program for a stack machine: numbers and names in the order of the text, each operator after
its operands (Dijkstra's shunting yard, which needs no recursion). An equation lhs = rhs becomes the program
of lhs − rhs. Binding, from weakest to strongest:

    =      + −      * /      sign      ^ (from the right)      superscripts

>>> [step.what for step in read("-x'^2")]
['name', 'number', '^', 'negate']
>>> read("0.1")[0].value
Fraction(1, 10)
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

BINDING = {"=": 0, "+": 1, "-": 1, "*": 2, "/": 2, "negate": 3, "plus": 3, "^": 4}
SPELLINGS = {"−": "-", "·": "*", "×": "*", "⋅": "*", "**": "^"}
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
PRIMES = {"'": 1, "’": 1, "′": 1, "″": 2}

_TOKENS = re.compile(
    rf"""(?P<blank>[ \t\r\n\f]+)
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<raised>⁻?[{RAISED}]+)
    |(?P<name>[^\W\d_{RAISED}](?:[^\W{RAISED}]|[\u0300-\u036f])*)
    |(?P<primes>['’′″]+)
    |(?P<operator>\*\*|[-+*/^=−·×⋅])
    |(?P<bracket>[(),])""",
    re.VERBOSE,
)


class UnreadableError(ValueError):
    """A text that is not of the model language."""


@dataclass(frozen=True)
class Step:
    """One step of the stack machine.

    `what` is ``number``, ``name``, ``call``, ``negate`` or a binary operator; `value` the number, the name
    or the function; `count` the primes of a name or the arguments of a function.
    """

    what: str
    value: Any = None
    count: int = 0


Program = tuple[Step, ...]


def normal(name: str) -> str:
    """A name in one spelling: composed characters, the micro sign as the letter μ."""
    return unicodedata.normalize("NFC", name).replace("µ", "μ")


def tokens(text: str) -> list[tuple[str, str]]:
    """Kinds and spellings of the tokens of a text."""
    found, at = [], 0
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None or match.lastgroup is None:
            raise UnreadableError(f"{text[at]!r} is no token of the model language")
        if match.lastgroup != "blank":
            found.append((match.lastgroup, match[0]))
        at = match.end()
    return found


class _Yard:
    """Operators that wait for their right operand, and the steps so far."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.waiting: list[str | Step] = []

    def release(self, binding: int) -> None:
        """Let operators go that bind at least so tightly, up to the last opening bracket."""
        while self.waiting and isinstance(self.waiting[-1], str) and BINDING[self.waiting[-1]] >= binding:
            operator = self.waiting.pop()
            if operator != "plus":
                self.steps.append(Step(str(operator)))

    def operator(self, sign: str, *, operand_before: bool) -> None:
        if not operand_before:
            if sign not in "+-":
                raise UnreadableError(f"{sign!r} has no left operand")
            self.waiting.append("negate" if sign == "-" else "plus")
            return
        self.release(BINDING[sign] + (sign == "^"))  # a^b^c is a^(b^c)
        self.waiting.append(sign)

    def bracket(self, sign: str) -> None:
        """A comma or a closing bracket: what stands before it is complete."""
        self.release(0)
        if not self.waiting:
            raise UnreadableError(f"{sign!r} without an opening bracket")
        opened = self.waiting.pop()
        assert isinstance(opened, Step)
        if sign == ",":
            self.waiting.append(Step("call", opened.value, opened.count + 1))
        elif opened.value is not None:
            self.steps.append(opened)


def read(text: str) -> Program:
    """The program of an expression, or of lhs − rhs for an equation."""
    yard, found = _Yard(), [*tokens(text), ("end", "")]
    operand = False
    for i, (kind, word) in enumerate(found):
        after = found[i + 1][1] if i + 1 < len(found) else ""
        if kind == "operator":
            yard.operator(SPELLINGS.get(word, word), operand_before=operand)
            operand = False
        elif word == "(":
            if i == 0 or found[i - 1][0] != "name":
                yard.waiting.append(Step("call", None, 1))
        elif word in (",", ")") and operand:
            yard.bracket(word)
            operand = word == ")"
        elif kind == "raised" and operand:
            yard.steps += [Step("number", _raised(word)), Step("^")]
        elif kind == "primes" and operand and yard.steps[-1].what == "name":
            yard.steps[-1] = Step("name", yard.steps[-1].value, sum(PRIMES[c] for c in word))
        elif kind in ("number", "name") and not operand:
            if after == "(":
                yard.waiting.append(Step("call", normal(word), 1))
            else:
                value = Fraction(word) if kind == "number" else normal(word)
                yard.steps.append(Step(kind, value))
                operand = True
        elif kind != "end" or not operand:
            raise UnreadableError(f"{word!r} stands where it cannot be read in {text[:60]!r}")
    yard.release(0)
    if yard.waiting:
        raise UnreadableError(f"a bracket is not closed in {text[:60]!r}")
    return tuple(yard.steps)


def _raised(word: str) -> Fraction:
    """The integer that superscripts write."""
    sign = -1 if word[0] == "⁻" else 1
    return Fraction(sign * int("".join(str(RAISED.index(c)) for c in word.lstrip("⁻"))))
