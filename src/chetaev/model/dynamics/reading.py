"""Which kind of dynamics a model has, by the keys of its [dynamics]; reading it.

A kind is a class with `read`; the keys that belong to it alone stand in `KINDS`. Keys of two kinds contradict
each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chetaev.errors import did_you_mean
from chetaev.expr.graph import Expr
from chetaev.expr.parser import Equation
from chetaev.expr.scope import Scope, normal_name
from chetaev.model.checks import check_velocities
from chetaev.model.source import Path

if TYPE_CHECKING:
    from chetaev.model.dynamics.base import Dynamics
    from chetaev.model.reader import Reader

KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "Lagrangian": (("lagrangian",), "chetaev.model.dynamics.lagrangian"),
    "Energies": (("kinetic", "potential"), "chetaev.model.dynamics.lagrangian"),
}
"""Classes of dynamics: the keys that give them, and where they live."""

WAYS = 'lagrangian = "…", or with kinetic = "…" and potential = "…"'


class Given:
    """The parts of a model that a dynamics is read from.

    Attributes
    ----------
    reader
        The data of the model, names and mistakes.
    scope
        The names that its functions may use.
    coordinates, constraints
        Names, and constraints by level.
    """

    def __init__(
        self,
        reader: Reader,
        scope: Scope,
        coordinates: tuple[str, ...],
        constraints: Mapping[str, tuple[Equation, ...]],
    ) -> None:
        self.reader, self.scope, self.coordinates = reader, scope, coordinates
        self.constraints = constraints

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
                remedy=did_you_mean(name, coordinates),
                key=True,
            )
        values[name] = reader.expression((*path, written), scope)
    return values


def read_dynamics(given: Given) -> Dynamics:
    """The dynamics of a model."""
    table = given.table
    present = [name for name, (keys, _) in KINDS.items() if any(key in table for key in keys)]
    if not present:
        given.reader.fail(
            "the model has no Lagrangian", ("dynamics",), expected=f"[dynamics] with {WAYS}", key=True
        )
    first = getattr(import_module(KINDS[present[0]][1]), present[0])
    if len(present) > 1:
        other = next(key for key in KINDS[present[1]][0] if key in table)
        given.reader.fail(
            f"both {first.given_by} and {other!r} are given",
            ("dynamics", other),
            remedy="give one of them: " + "; or ".join(" and ".join(keys) for keys, _ in KINDS.values()),
            key=True,
        )
    found: Dynamics = first.read(given)
    return found
