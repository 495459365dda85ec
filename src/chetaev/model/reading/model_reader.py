"""The nested data of a model, read by path: tables, texts, names, expressions; mistakes have places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from numbers import Integral
from types import MappingProxyType
from typing import Any, NoReturn

from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation, parse, parse_equation
from chetaev.expr.language.scope import Scope, check_name
from chetaev.model.reading.expression_values import exact_number, graph_of, kind_of
from chetaev.model.reading.text_places import Path, Source, label
from chetaev.remedy_words import FILE, Speech

KEYS: dict[Path, tuple[str, ...]] = {
    (): ("name", "summary", "source", "time", "coordinates", "parameters", "data", "define", "units",
         "dynamics", "poisson", "constraints", "stops", "quasi", "initial", "run", "view", "claims"),
    ("dynamics",): ("lagrangian", "kinetic", "potential", "form", "accelerations", "velocities", "A", "B",
                    "forces", "degenerate"),
    ("poisson",): ("hamiltonian", "bracket", "forces", "constraints", "momenta", "reactions"),
    ("constraints",): ("velocity", "position", "acceleration"),
    ("initial",): ("t", "position", "velocity"),
    ("run",): ("until", "tolerance", "gauge"),
}  # fmt: skip
_OTHER_WORDS = {
    **dict.fromkeys(("holonomic", "geometric", "configuration", "positions"), "position"),
    **dict.fromkeys(("nonholonomic", "kinematic", "v", "qdot", "velocities"), "velocity"),
    **{"L": "lagrangian", "T": "kinetic", "V": "potential", "U": "potential"},
    **{"F": "forces", "Q": "forces", "q": "coordinates", "t_end": "until", "tmax": "until", "end": "until"},
}
"""What the parts of a model are called elsewhere."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Reader:
    """The data of one model, and where they come from: read with the place of every mistake."""

    def __init__(self, data: Mapping[str, Any], source: Source) -> None:
        self.data, self.source = data, source
        self.used: dict[str, str] = {}
        """All names so far, with what they are."""
        self.below: dict[str, set[tuple[str, int]]] = {}
        """The symbols in the meaning of each definition, found once."""

    def get(self, path: Path) -> Any:
        """The value at a path; None if there is none."""
        value: Any = self.data
        for part in path:
            if type(value) is dict:  # most are; to ask whether something is a mapping takes longer
                if part not in value:
                    return None
            elif isinstance(part, int) and isinstance(value, (list, tuple)) and part < len(value):
                pass
            elif not isinstance(value, Mapping) or part not in value:
                return None
            value = value[part]
        return value

    def fail(
        self, message: str, path: Path, *, expected: str = "", remedy: str = "", key: bool = False
    ) -> NoReturn:
        """Raise a ModelError with the place of a value, or of its key."""
        place = self.source.key_place(path) if key else self.source.value_place(path)
        raise ModelError(message, place, expected=expected, remedy=remedy)

    def check_keys(self) -> None:
        """Refuse keys that a model does not have."""
        for path, keys in KEYS.items():
            for key in self.table(path):
                if key not in keys and not (path == ("initial",) and key == self.data.get("time")):
                    table = label(path) if self.source.speech.python else f"[{label(path)}]"
                    where = f"in {table}" if path else "at the top of the model"
                    self.fail(
                        f"unknown key {key!r} {where}",
                        (*path, key),
                        expected="one of " + ", ".join(keys),
                        remedy=self._key_meant(path, str(key), keys),
                        key=True,
                    )

    def expect_keys(self, table: Iterable[Any], path: Path, keys: tuple[str, ...]) -> None:
        """Refuse keys that a table does not have."""
        for key in table:
            if key not in keys:
                self.fail(
                    f"unknown key {key!r} in [{label(path)}]",
                    (*path, key),
                    expected="one of " + ", ".join(keys),
                    remedy=did_you_mean(str(key), keys),
                    key=True,
                )

    def _key_meant(self, path: Path, key: str, keys: tuple[str, ...]) -> str:
        if _OTHER_WORDS.get(key) in keys:
            return f"did you mean {_OTHER_WORDS[key]!r}?"
        known = self.data.get("coordinates")
        names = [c for c in known if isinstance(c, str)] if isinstance(known, (list, tuple)) else []
        base = re.sub(r"(_dot|'+)$", "", key)
        if path == ("initial",) and base in names:
            return f"{base} = … belongs into [initial.{'position' if base == key else 'velocity'}]"
        return did_you_mean(key, keys) or self._misplaced(key)

    @staticmethod
    def _misplaced(key: str) -> str:
        for path, keys in KEYS.items():
            if key in keys:
                return (
                    f"{key!r} belongs into [{label(path)}]"
                    if path
                    else f"{key!r} belongs to the top, before any [table]"
                )
        return ""

    def table(self, path: Path) -> dict[str, Any]:
        """The table at a path; empty if there is none."""
        value = self.data if not path else self.get(path)
        if value is None:
            return {}
        if type(value) is not dict and not isinstance(value, Mapping):
            self.fail(
                f"{label(path)!r} is {kind_of(value)}",
                path,
                expected=self.source.speech.table(label(path)),
                key=True,
            )
        return dict(value)

    def text(self, path: Path, default: str) -> str:
        """The text at a path."""
        value = self.get(path)
        if value is None:
            return default
        if not isinstance(value, str):
            self.fail(f"{label(path)!r} is {kind_of(value)}", path, expected="a text in quotes")
        return self.encodable(value, path)

    def flag(self, path: Path) -> bool:
        """The truth value at a path."""
        value = self.get(path)
        if value is not None and not isinstance(value, bool):
            self.fail(f"{label(path)!r} is {kind_of(value)}", path, expected="true or false")
        return bool(value)

    def items(self, path: Path, what: str) -> Sequence[Any]:
        """The list at a path; empty if there is none."""
        value = self.get(path)
        if value is None:
            return ()
        if type(value) is not list and (isinstance(value, str) or not isinstance(value, Sequence)):
            self.fail(f"{label(path)!r} is {kind_of(value)}", path, expected=f"a list of {what} in [ ]")
        return value

    def encodable(self, value: str, path: Path) -> str:
        """The text, unless it cannot be written to a file."""
        if not value.isascii() and _SURROGATE.search(value):
            self.fail(
                f"{label(path)!r} holds a lone surrogate, which is no character", path, remedy="remove it"
            )
        return value

    def claim(self, name: object, what: str, path: Path) -> str:
        """A checked name that nothing else bears yet."""
        try:
            checked = check_name(name, what)
        except ModelError as error:
            raise error.at(self.source.key_place(path)) from None
        if checked in self.used:
            both = self.used[checked]
            twice = f"as {both} and as {what}" if both != what else f"each time as {what}"
            self.fail(
                f"the name {checked!r} is used twice: {twice}",
                path,
                remedy="rename one of them",
                key=True,
            )
        self.used[checked] = what
        return checked

    def symbols(self, *roots: Expr) -> set[tuple[str, int]]:
        """All ``(name, order)`` that occur, also inside definitions."""
        found: set[tuple[str, int]] = set()
        for node in graph.postorder(*roots, through_definitions=False):
            if node.op == "symbol":
                found.add(node.value)
            elif node.op == "define":
                found |= self.below[node.value]
        return found

    def expression(self, path: Path, scope: Scope) -> Expr:
        """The expression at a path."""
        value = self.get_any(path)
        try:
            if isinstance(value, str):
                return parse(value, scope, self.source.origin(path))
            return graph_of(value, scope)
        except ModelError as error:
            raise error.at(self.source.value_place(path)) from None

    def get_any(self, path: Path) -> Any:
        """The value at a path that is there."""
        value: Any = self.data
        for part in path:
            value = value[part]
        return value

    def optional(self, path: Path, scope: Scope) -> Expr | None:
        """The expression at a path; None if there is none."""
        return None if self.get(path) is None else self.expression(path, scope)

    def equation(self, path: Path, scope: Scope) -> Equation:
        """The equation at a path; an expression alone means that it vanishes."""
        value = self.get_any(path)
        try:
            if isinstance(value, str):
                return parse_equation(value, scope, self.source.origin(path))
            if isinstance(value, Equation) or type(value).__name__ == "Equality":  # sympy.Eq
                return Equation(graph_of(value.lhs, scope), graph_of(value.rhs, scope))
            if isinstance(value, bool) or exact_number(value) is not None:
                self.fail(
                    f"the constraint is {kind_of(value)}",
                    path,
                    expected="an equation in quotes, \"x' = R*psi'\"",
                )
            return Equation(graph_of(value, scope), graph.ZERO)
        except ModelError as error:
            raise error.at(self.source.value_place(path)) from None


MAX_DATA_DEPTH = 50
"""Deepest nesting of [view] and [[claims]]."""
PLAIN = (int, float, Decimal)
"""The numbers of model files."""


def frozen(reader: Reader, value: Any, path: Path) -> Any:
    """The value at a path, made immutable."""
    if len(path) > MAX_DATA_DEPTH:
        reader.fail(f"{label(path[:3])!r} nests too deep", path, expected=f"at most {MAX_DATA_DEPTH} levels")
    kind = type(value)  # to ask whether a list is a mapping takes longer than the rest
    if kind is str:
        return reader.encodable(value, path)
    if kind is not list and kind not in PLAIN and isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                reader.fail(
                    f"a key in {label(path)!r} is {kind_of(key)}", path, expected="keys that are texts"
                )
        return MappingProxyType({k: frozen(reader, v, (*path, k)) for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(frozen(reader, v, (*path, i)) for i, v in enumerate(value))
    if isinstance(value, str):
        return reader.encodable(value, path)
    if kind in (bool, datetime, date, time):
        return value
    try:
        number = exact_number(value)
    except ModelError as error:
        raise error.at(reader.source.value_place(path)) from None
    if number is None:
        reader.fail(
            f"{label(path)!r} is {kind_of(value)}", path, expected="texts, numbers, dates, lists, tables"
        )
    return (
        int(number) if kind is int or (kind not in PLAIN and isinstance(value, Integral)) else float(number)
    )


def thaw(value: Any, leaf: Callable[[Any], Any] = lambda one: one) -> Any:
    """The value as tables and lists that may change; `leaf` makes what stands for all other entries."""
    if isinstance(value, Mapping):
        return {k: thaw(v, leaf) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(v, leaf) for v in value]
    return leaf(value)


class NotYet(Mapping[str, tuple[str, str]]):
    """Why a name may not be used in the meaning of another, a "parameter" or "definition", and what to do.

    Only names that are not open yet are looked up, so it need not know which of those `used` come later.
    """

    def __init__(self, used: Mapping[str, str], what: str, name: str, speech: Speech = FILE) -> None:
        self.used, self.what, self.name, self.speech = used, what, name, speech

    def __getitem__(self, other: str) -> tuple[str, str]:
        kind = self.used[other]
        if other == self.name:
            return f"the {self.what} {other!r} is used in its own meaning", "say what it is in earlier names"
        if kind == self.what:
            reason = f"the {kind} {other!r} is made only later; {self.name!r} may use earlier names only"
            return reason, f"move {other!r} before {self.name!r}"
        reason = f"{other!r} is a {kind}; a parameter has one value for all time"
        return reason, f"write {self.name!r} {self.speech.definitions} instead"

    def __iter__(self) -> Iterator[str]:
        return iter(self.used)

    def __len__(self) -> int:
        return len(self.used)
