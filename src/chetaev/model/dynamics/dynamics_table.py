"""Which kind of dynamics a model has, by the keys of its [dynamics]; reading it.

A kind is a class with `read`; the keys that belong to it alone stand in `KINDS`. Keys of two kinds contradict
each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chetaev.errors import did_you_mean
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation
from chetaev.expr.language.scope import Scope, normal_name
from chetaev.expr.language.unknown_names import plain_spelling
from chetaev.model.model_checks import check_velocities
from chetaev.model.reading.text_places import Path, label

if TYPE_CHECKING:
    from chetaev.model.dynamics.any_dynamics import Dynamics
    from chetaev.model.reading.model_reader import Reader

KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "Lagrangian": (("lagrangian",), "chetaev.model.dynamics.lagrangian"),
    "Energies": (("kinetic", "potential"), "chetaev.model.dynamics.lagrangian"),
    "FormDynamics": (("form",), "chetaev.model.dynamics.form"),
    "Mixed": (("accelerations", "velocities"), "chetaev.model.dynamics.mixed"),
    "DynamicsOnQ": (("A", "B"), "chetaev.model.dynamics.submanifold"),
}
"""Classes of dynamics: the keys that give them, and where they live."""


@dataclass(frozen=True)
class DynamicsData:
    """The parts of a model that a dynamics is read from."""

    reader: Reader  # the data of the model, names and mistakes
    scope: Scope  # the names that its functions may use
    coordinates: tuple[str, ...]
    constraints: Mapping[str, tuple[Equation, ...]]  # by level
    parameters: Mapping[str, Expr]
    time: str

    @cached_property
    def table(self) -> dict[str, Any]:
        """What stands in [dynamics]."""
        return self.reader.table(("dynamics",))

    def forces(self) -> Mapping[str, Expr]:
        """Applied forces by coordinate."""
        scope = self.scope.but(purpose="a force")
        return MappingProxyType(
            by_coordinate(self.reader, ("dynamics", "forces"), "a force", scope, self.coordinates)
        )

    def no_forces(self, remedy: str) -> None:
        """Refuse applied forces where there is no ambient system for them to act in."""
        for name in self.reader.table(("dynamics", "forces")):
            self.reader.fail(
                f"a force on {name!r} is given, and the system has no law of inertia that it could enter",
                ("dynamics", "forces", name),
                remedy=remedy,
                key=True,
            )

    def by_coordinate(self, path: Path, what: str, names: tuple[str, ...] = ()) -> dict[str, Expr]:
        """A table of functions by coordinate, or by some of them."""
        self.keys_among(path, what, names or self.coordinates)
        return by_coordinate(self.reader, path, what, self.scope.but(purpose=what), self.coordinates)

    def keys_among(self, path: Path, what: str, names: tuple[str, ...]) -> list[str]:
        """The keys of a table, all of them among these coordinates."""
        keys = list(self.reader.table(path))
        for key in keys:
            if normal_name(str(key)) not in names:
                known = normal_name(str(key)) in self.coordinates
                self.reader.fail(
                    f"{what} is given for {key!r}, which is {'dependent' if known else 'not a coordinate'}",
                    (*path, key),
                    expected="one of " + ", ".join(names[:20]),
                    remedy=did_you_mean(str(key), names),
                    key=True,
                )
        return keys

    def entries(self, path: Path, what: str, names: tuple[str, ...]) -> tuple[Expr, ...]:
        """A list of functions, one for each of these coordinates."""
        found = self.reader.items(path, "functions")
        if len(found) != len(names):
            self.reader.fail(
                f"{label(path)!r} has {len(found)} entr{'y' if len(found) == 1 else 'ies'}",
                path,
                expected=f"{len(names)}, for {', '.join(names[:20])}",
            )
        scope = self.scope.but(purpose=what)
        return tuple(self.reader.expression((*path, i), scope) for i in range(len(names)))

    def check_velocities(self, what: str, path: Path, functions: Sequence[Expr]) -> None:
        """The velocity of every coordinate occurs in these functions or in a constraint."""
        degenerate = self.reader.flag(("dynamics", "degenerate"))
        check_velocities(self.reader, self.coordinates, what, path, functions, self.constraints, degenerate)


def by_coordinate(
    reader: Reader, path: Path, what: str, scope: Scope, coordinates: tuple[str, ...]
) -> dict[str, Expr]:
    """A table of expressions whose keys are coordinates."""
    values: dict[str, Expr] = {}
    for written in reader.table(path):
        name = normal_name(str(written))
        if reader.used.get(name) != "coordinate" or name in values:
            wrong = "is given twice" if name in values else "is not a coordinate"
            reader.fail(
                f"{what} is given for {written!r}, which {wrong}",
                (*path, written),
                expected="one of " + ", ".join(coordinates[:20]),
                remedy=_coordinate_meant(name, coordinates),
                key=True,
            )
        values[name] = reader.expression((*path, written), scope)
    return values


def _coordinate_meant(name: str, coordinates: tuple[str, ...]) -> str:
    """The coordinate that a key may mean: x for x_dot and x', theta for θ."""
    base = re.sub(r"(_d?dot|'+)$", "", name)
    spelled = [c for c in coordinates if c == base or plain_spelling(c) == plain_spelling(name)]
    return f"did you mean {spelled[0]!r}?" if spelled else did_you_mean(name, coordinates)


def read_dynamics(given: DynamicsData) -> Dynamics:
    """The dynamics of a model."""
    table = given.table
    if given.reader.get(("poisson",)) is not None:
        from chetaev.model.dynamics.poisson import Poisson

        return Poisson.read(given)
    present = [name for name, (keys, _) in KINDS.items() if any(key in table for key in keys)]
    if not present:
        given.reader.fail(
            "the model has no Lagrangian and no other dynamics",
            ("dynamics",),
            expected=given.reader.source.speech.dynamics,
            key=True,
        )
    first = getattr(import_module(KINDS[present[0]][1]), present[0])
    if len(present) > 1:
        other = next(key for key in KINDS[present[1]][0] if key in table)
        given.reader.fail(
            f"both {first.given_by} and {other!r} are given",
            ("dynamics", other),
            remedy="give either " + ", or ".join(" and ".join(keys) for keys, _ in KINDS.values()),
            key=True,
        )
    found: Dynamics = first.read(given)
    return found
