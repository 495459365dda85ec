"""Nested data in the shape of a model file, asked for by path; every mistake has its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from chetaev.errors import ModelError, did_you_mean
from chetaev.model.reading.expression_values import kind_of
from chetaev.model.reading.text_places import Path, Source, label

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


class Data:
    """The data of one model, and where they come from."""

    def __init__(self, data: Mapping[str, Any], source: Source) -> None:
        self.data, self.source = data, source

    def get(self, path: Path) -> Any:
        """The value at a path; None if there is none."""
        value: Any = self.data
        for part in path:
            if isinstance(part, int) and isinstance(value, (list, tuple)) and part < len(value):
                value = value[part]
                continue
            if not isinstance(value, Mapping) or part not in value:
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
        if not isinstance(value, Mapping):
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
        if isinstance(value, str) or not isinstance(value, Sequence):
            self.fail(f"{label(path)!r} is {kind_of(value)}", path, expected=f"a list of {what} in [ ]")
        return value

    def encodable(self, value: str, path: Path) -> str:
        """The text, unless it cannot be written to a file."""
        if _SURROGATE.search(value):
            self.fail(
                f"{label(path)!r} holds a lone surrogate, which is no character", path, remedy="remove it"
            )
        return value
