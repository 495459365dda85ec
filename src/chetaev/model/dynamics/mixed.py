"""A mixed system: accelerations of some coordinates, velocities of all others (SCOPE Sa1; Sarlet, section 1).

    q̈^α = f^α(t, q, q̇^β),      q̇^a = g^a(t, q, q̇^β).

The first-order equations are its constraints. They exert no forces, so there are no multipliers; the law on
J¹Y is M = 1 and h = −f in the rows α, and nothing in the rows a. With no accelerations at all it is a
first-order equation q̇ = g(t, q), as a reduced system is one.

>>> import chetaev as ch
>>> car = ch.System(
...     coordinates=["s", "x", "theta"],
...     dynamics={"accelerations": {"s": "-s'"}, "velocities": {"x": "cos(theta)*s'", "theta": "u"}},
...     parameters={"u": 2},
... )
>>> [str(e) for e in car.velocity_constraints]
["x' = cos(theta)*s'", "theta' = u"]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from chetaev.expr.graph.node import Expr, symbol
from chetaev.expr.language.parser import Equation
from chetaev.expr.print.layout import Name
from chetaev.model.dynamics.any_dynamics import SX, Nodes, Part
from chetaev.model.dynamics.submanifold import Intrinsic

if TYPE_CHECKING:
    from chetaev.model.dynamics.dynamics_table import DynamicsData


@dataclass(frozen=True)
class Mixed(Intrinsic):
    """f^α by coordinate; g^a are the constraints of the system, and are kept here to be written."""

    accelerations: Mapping[str, Expr]
    velocities: Mapping[str, Expr]
    kind = "mixed"
    given_by = "accelerations and velocities (a mixed system)"
    states_constraints = True  # its velocities

    @property
    def independent(self) -> tuple[str, ...]:
        """The coordinates α."""
        return tuple(self.accelerations)

    @property
    def symmetric(self) -> bool:
        """M is a projection."""
        return True

    @property
    def equations(self) -> tuple[Equation, ...]:
        """The first-order equations q̇^a = g^a."""
        return tuple(Equation(symbol(c, 1), g) for c, g in self.velocities.items())

    @property
    def parts(self) -> tuple[Part, ...]:
        """f^α."""
        return tuple(
            Part(f"the acceleration of {c}", ("dynamics", "accelerations", c), f"{c}''", Name(c, 2), f)
            for c, f in self.accelerations.items()
        )

    def with_parts(self, functions: Sequence[Expr]) -> Self:
        """With other accelerations."""
        values = dict(zip(self.accelerations, functions, strict=True))
        return replace(self, accelerations=MappingProxyType(values))

    def table(self) -> dict[str, Any]:
        """``accelerations`` and ``velocities``, by coordinate."""
        found = {"accelerations": dict(self.accelerations), "velocities": dict(self.velocities)}
        return {key: values for key, values in found.items() if values}

    def on_q(self, at: Nodes) -> tuple[SX, SX]:
        """Ā = f and B̄ = −1."""
        import casadi

        return at.column(list(self.accelerations.values())), -casadi.SX.eye(len(self.accelerations))

    @classmethod
    def read(cls, given: DynamicsData) -> Mixed:
        """From ``accelerations`` and ``velocities``: each coordinate stands in exactly one of them."""
        reader = given.reader
        given.no_forces("add it to the accelerations")
        for level, equations in given.constraints.items():
            if equations:
                reader.fail(
                    "a mixed system gives every coordinate its one equation, which leaves no room for "
                    "constraints",
                    ("constraints", level, 0),
                    remedy="write x' = … as an entry of velocities; or give A and B, or a Lagrangian",
                )
        second = given.by_coordinate(("dynamics", "accelerations"), "an acceleration")
        first = given.by_coordinate(("dynamics", "velocities"), "a velocity")
        for c in given.coordinates:
            if (c in second) == (c in first):
                two = c in second
                path = ("dynamics", "velocities", c) if two else ("dynamics",)
                reader.fail(
                    f"{c!r} has {'an acceleration and a velocity' if two else 'no equation'}",
                    path,
                    expected="each coordinate in exactly one of accelerations and velocities",
                    key=True,
                )
        for key, values in (("accelerations", second), ("velocities", first)):
            for c, expr in values.items():
                _check_independent(given, key, c, expr, second)
        return cls(given.coordinates, given.forces(), MappingProxyType(second), MappingProxyType(first))


def _check_independent(
    given: DynamicsData, key: str, name: str, expr: Expr, second: Mapping[str, Expr]
) -> None:
    """The functions depend on the velocities of the coordinates α only."""
    for other, order in sorted(given.reader.symbols(expr)):
        if order and other not in second:
            given.reader.fail(
                f"the equation of {name!r} contains the velocity of {other!r}, which is not independent",
                ("dynamics", key, name),
                expected="functions of time, coordinates and the velocities of " + ", ".join(second),
                remedy=f"put what velocities gives for {other} in its place",
            )
