"""Which names an expression may use, and what they stand for.

A :class:`Scope` says what every name of a text means. It knows the names that may be used here, those
that exist but may not (with the reason), and how high a derivative may stand.

>>> scope = Scope.of(coordinates=["x"], parameters=["m"])
>>> scope.resolve("x", 1)
Expr("x'")
>>> scope.resolve("x_dot", 0) is scope.resolve("x", 1)
True
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from chetaev.errors import ExpressionError, ModelError, did_you_mean
from chetaev.expr.graph.node import CONSTANTS, FUNCTIONS, Expr, constant, symbol
from chetaev.expr.graph.table import DataTable
from chetaev.remedy_words import FILE, Speech

MAX_NAME_LENGTH = 100
DERIVATIVE_SUFFIXES = {"_dot": 1, "_ddot": 2}
NAME = r"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹](?:[^\W⁰¹²³⁴⁵⁶⁷⁸⁹]|[\u0300-\u036f])*"
"""A name; U+0300 to U+036F are combining accents, since é may come as one character or as two."""
_WORDS = ("position", "velocity", "acceleration")
Kind = Literal["constraint", "event", "law", "initial data", "parameter"]


def normal_name(name: str) -> str:
    """The name in Unicode's composed form, so that equal looks mean equal names.

    The micro sign of keyboards counts as the Greek letter mu, which looks the same.
    """
    if name.isascii():
        return name
    return unicodedata.normalize("NFC", name).replace("\N{MICRO SIGN}", "\N{GREEK SMALL LETTER MU}")


def check_name(name: object, what: str) -> str:
    """The name in normal form, or a ModelError that says why it cannot be a name.

    >>> check_name("theta", "coordinate")
    'theta'
    """
    if not isinstance(name, str):
        raise ModelError(f"a {what} needs a name, got {name!r}", remedy="write the name in quotes")
    name = normal_name(name)
    if len(name) > MAX_NAME_LENGTH:
        raise ModelError(
            f"the {what} {name[:20]!r}… has a name of {len(name)} characters",
            remedy=f"names have at most {MAX_NAME_LENGTH} characters",
        )
    if not re.fullmatch(NAME, name) or not name[0].isalpha():
        raise ModelError(
            f"{name!r} cannot be the name of a {what}",
            expected="a letter, then letters, digits or underscores",
        )
    if name in FUNCTIONS or name in CONSTANTS:
        kind = "function" if name in FUNCTIONS else "constant"
        raise ModelError(
            f"{name!r} is reserved: it is a {kind} of the model language",
            remedy=f"choose another name, for example {name + '1'!r}",
        )
    for suffix in DERIVATIVE_SUFFIXES:
        if name.endswith(suffix):
            raise ModelError(
                f"{name!r} is reserved: names ending in {suffix!r} mean derivatives",
                remedy=f"choose another name for this {what}",
            )
    return name


@dataclass(frozen=True)
class Scope:
    """The names open to an expression."""

    values: Mapping[str, Expr]
    """What each name stands for."""
    coordinates: frozenset[str] = frozenset()
    """The names that have velocities and accelerations."""
    order: int = 1
    """The highest derivative that may be used: 0, 1 or 2."""
    closed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Names that exist but may not be used here, each with the reason and the remedy in words."""
    purpose: str = "an expression"
    """What is being read, for messages: "a position constraint"."""
    kind: Kind | None = None
    """The same for programs, where remedies depend on it."""
    time: str | None = None
    """The name of time; None where time may not be used."""
    speech: Speech = FILE
    """How remedies name the parts of a model."""
    tables: Mapping[str, DataTable] = field(default_factory=dict)
    """Tables of data, which are used as functions: ``wind(t)``, and ``wind_1(t)`` for the derivative."""

    @classmethod
    def of(
        cls,
        coordinates: Iterable[str] = (),
        parameters: Iterable[str] = (),
        time: str | None = "t",
        definitions: Mapping[str, Expr] | None = None,
        order: int = 1,
        purpose: str = "an expression",
        speech: Speech = FILE,
    ) -> Scope:
        """A scope with these coordinates, parameters, time and definitions."""
        coordinates = tuple(coordinates)
        names = (*coordinates, *parameters, *((time,) if time else ()))
        values = {n: symbol(n) for n in names} | dict(definitions or {})
        return cls(values, frozenset(coordinates), order, {}, purpose, None, time, speech)

    def but(self, **changes: object) -> Scope:
        """The same scope with some fields changed; a new purpose has the kind that is given with it."""
        assert changes.keys() <= vars(self).keys()
        if "purpose" in changes:
            changes.setdefault("kind", None)
        made = object.__new__(Scope)
        vars(made).update(vars(self), **changes)
        return made

    def known(self) -> list[str]:
        """All names that may be written, for suggestions."""
        return [*self.values, *CONSTANTS, *FUNCTIONS, *self.tables]

    def table(self, name: str) -> DataTable | None:
        """The table of data of this name, or its derivative; None if there is none."""
        if name in self.tables:
            return self.tables[name]
        base, _, order = name.rpartition("_")
        if base not in self.tables or order not in ("1", "2", "3"):
            return None
        found = self.tables[base]
        for _k in range(int(order)):
            found = found.derivative()
        return found

    def resolve(self, written: str, order: int) -> Expr:
        """What a name with so many primes stands for; raises ExpressionError without a place."""
        name = normal_name(written)
        if name not in self.values and not order:
            for suffix, derivative in DERIVATIVE_SUFFIXES.items():
                base = name[: -len(suffix)]
                if name.endswith(suffix) and base in self.coordinates:
                    name, order = base, derivative
        if order:
            return self._derivative(name, order)
        if name in self.values:
            return self.values[name]
        if name in CONSTANTS or name == "π":
            return constant("pi" if name == "π" else name)
        raise self._unknown(name)

    def _derivative(self, name: str, order: int) -> Expr:
        if name in self.coordinates:
            if order > max(2, self.order):
                raise ExpressionError(
                    f"{name}{chr(39) * order} is a derivative of order {order}",
                    expected="at most an acceleration (two primes)",
                )
            if order > self.order:
                raise ExpressionError(
                    f"{self.purpose} may not contain {'an' if order == 2 else 'a'} {_WORDS[order]}, "
                    f"here that of {name!r}",
                    remedy=self._order_remedy(order),
                )
            return symbol(name, order)
        if name in self.values or name in CONSTANTS:
            raise ExpressionError(
                f"{name!r} is not a coordinate, so it has no velocity {name}'",
                remedy=did_you_mean(name, self.coordinates) or "remove the prime",
            )
        raise self._unknown(name, self.coordinates, order)

    def _order_remedy(self, order: int) -> str:
        if self.kind == "constraint":
            return f"move the constraint to {self.speech.constraints(_WORDS[order])}"
        if self.order == 0:
            return "write it in time and coordinates alone"
        return "accelerations may stand in acceleration constraints only"

    def _unknown(self, name: str, known: Iterable[str] | None = None, order: int = 0) -> ExpressionError:
        if name in self.closed:
            reason, remedy = self.closed[name]
            return ExpressionError(reason, remedy=remedy)
        from chetaev.expr.language.unknown_names import unknown_name

        return unknown_name(name, self, known, order)
