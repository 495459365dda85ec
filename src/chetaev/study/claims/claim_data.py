"""Reading a ``[[claims]]`` table: its words, its one statement, and mistakes in sentences.

The data of a claim are free when a model is read, so that a model with claims loads as fast as one without;
they are looked at here, when somebody asks for a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError, Origin, did_you_mean
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation, parse, parse_equation
from chetaev.expr.language.scope import Scope
from chetaev.model.reading.text_places import Path, Source, label
from chetaev.model.system import System

WORDS = ("says", "paper", "section", "equation", "source", "note")
COMMON = (*WORDS, "expected", "parameters", "correction")


@dataclass(frozen=True)
class ClaimData:
    """The data of one claim, asked for by key.

    `system` has the parameters of the claim; `source` is where the model stands; `corrected` is the key whose
    value is that of `correction`.
    """

    system: System
    index: int
    data: Mapping[str, Any]
    source: Source
    corrected: str = ""

    @classmethod
    def of(cls, system: System, index: int) -> ClaimData:
        """A claim of a system, made about the parameters that it has or those that the claim gives."""
        given = cls(system, index, system.claims[index], system._source)
        if "parameters" not in given.data:
            return given
        values = given.table("parameters", "{ m = 2 }")
        try:
            return replace(given, system=system.with_parameters(values))
        except ModelError as error:
            given.fail(error.message, "parameters", expected=error.expected, remedy=error.remedy)

    def correction(self, key: str) -> ClaimData | None:
        """The same claim with the statement that is known to be right; None if there is none."""
        if "correction" not in self.data:
            return None
        data = {k: v for k, v in self.data.items() if k != "correction"}
        return replace(self, data={**data, key: self.data["correction"]}, corrected=key)

    def fail(
        self, message: str, key: str = "", *, expected: str = "", remedy: str = "", entry: str = ""
    ) -> NoReturn:
        """Raise a ModelError at the value of a key, at an entry that means nothing, or at the claim."""
        source = self.source
        if entry:
            place = source.key_place(self._path_of(entry, keys=True))
        else:
            place = source.value_place(self.path(key)) if key in self.data else source.key_place(self.path())
        prefix = "" if place else f"claim {self.index + 1}: "
        raise ModelError(prefix + message, place, expected=expected, remedy=remedy)

    def path(self, *keys: str | int) -> Path:
        """Where a value of this claim stands in the model."""
        names = ["correction" if i == 0 and key == self.corrected else key for i, key in enumerate(keys)]
        return ("claims", self.index, *names)

    def _path_of(self, text: str, *, keys: bool = False, key: str = "") -> Path:
        """Where a text, or a key of this name, stands first: in the claim, or below a key of it."""
        if keys and not key and text in self.data:
            return self.path(text)
        todo = [(self.path(k), v) for k, v in self.data.items() if not key or k == key]
        while todo:
            path, value = todo.pop(0)
            if value == text and not keys:
                return path
            if isinstance(value, Mapping):
                if keys and text in value:
                    return (*path, text)
                todo += [((*path, k), v) for k, v in value.items()]
            elif isinstance(value, Sequence) and not isinstance(value, str):
                todo += [((*path, i), v) for i, v in enumerate(value)]
        return self.path(key)

    def _origin(self, key: str, text: str) -> Origin:
        """Where a text of the claim stands in the file; a text that is a key, a number, or taken over from
        another claim, names its key.
        """
        path = self._path_of(text, key=key)
        if not self._stands_at(path, text):
            return Origin(text, label(path))
        return self.source.origin(path)

    def _stands_at(self, path: Path, text: str) -> bool:
        """Whether the claim itself, not one that it is like or a repair of it, has the text at this place."""
        value: Any = self.system.claims[self.index]
        for part in path[2:]:
            if isinstance(value, Mapping) and part not in value:
                return False
            value = value[part]
        return bool(value == text)

    def words(self, key: str) -> str:
        """A text that is not read; empty if it is left out."""
        value = self.data.get(key, "")
        if not isinstance(value, str):
            self.fail(f"{key!r} is {shown(value)}", key, expected="a text")
        return value

    def flag(self, key: str, usual: bool) -> bool:
        """True or false."""
        value = self.data.get(key, usual)
        if not isinstance(value, bool):
            self.fail(f"{key!r} is {shown(value)}", key, expected="true or false")
        return value

    def number(self, key: str, least: float, usual: float | None = None) -> float:
        """A finite number."""
        value = self.data.get(key, usual)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= least:
            said = f"{key!r} is {shown(value)}" if key in self.data else f"{key!r} is missing"
            bound = f", at least {least:g}" if math.isfinite(least) else ""
            self.fail(said, key, expected=f"a number{bound}")
        return float(value)

    def table(self, key: str, example: str) -> Mapping[str, Any]:
        """A table that is not empty."""
        value = self.data.get(key)
        if not isinstance(value, Mapping) or not value:
            self.fail(f"{key!r} is {shown(value)}", key, expected=f"a table, such as {example}")
        return value

    def texts(self, key: str, example: str, value: Any = None) -> list[str]:
        """One text or a list of texts, not empty."""
        found = self.data.get(key) if value is None else value
        listed = [found] if isinstance(found, str) else found
        if (
            not isinstance(listed, Sequence)
            or not listed
            or not all(isinstance(text, str) and text.strip() for text in listed)
        ):
            self.fail(
                f"{key!r} is {shown(found)}", key, expected=f"a text or a list of texts, such as {example}"
            )
        return list(listed)

    def expression(self, key: str, text: Any, scope: Scope, within: str = "") -> Expr:
        """A text of the model language, or a number; the text may stand at its place within a longer one."""
        if isinstance(text, int | float) and not isinstance(text, bool):
            text = repr(text)
        if not isinstance(text, str):
            self.fail(f"{key!r} is {shown(text)}", key, expected="a text in the model language")
        return parse(text, scope, self._origin(key, within or text))

    def equation(self, key: str, text: str, scope: Scope) -> Equation:
        """``lhs = rhs``."""
        return parse_equation(text, scope, self._origin(key, text))

    def coordinates(self, key: str, given: Iterable[str]) -> None:
        """Stop at a name that is no coordinate."""
        for name in given:
            if name not in self.system.coordinates:
                self.fail(
                    f"{key!r} has {shown(name)}, which is no coordinate",
                    key,
                    expected="one of " + ", ".join(self.system.coordinates),
                    remedy=did_you_mean(str(name), self.system.coordinates),
                )

    def only(
        self, allowed: Iterable[str], data: Mapping[str, Any] | None = None, what: str = "a claim"
    ) -> None:
        """Stop at a key that means nothing."""
        known = tuple(allowed)
        for key in self.data if data is None else data:
            if key not in known:
                self.fail(
                    f"{what} has no entry {shown(key)}",
                    expected="one of " + ", ".join(known),
                    remedy=did_you_mean(str(key), known),
                    entry=str(key),
                )
