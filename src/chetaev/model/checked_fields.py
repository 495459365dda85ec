"""The checked fields of a System: what a model says, as graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.table import DataTable
from chetaev.expr.language.parser import Equation
from chetaev.model.dynamics.any_dynamics import Dynamics


@dataclass(frozen=True)
class Initial:
    """Initial data as given: what is left out is solved from the constraints."""

    t: Expr = graph.ZERO
    position: Mapping[str, Expr] = field(default_factory=lambda: MappingProxyType({}))
    velocity: Mapping[str, Expr] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Stop:
    """A condition on the positions, ``position`` ≥ 0, and the restitution of an impact on it."""

    position: Expr
    restitution: Expr = graph.ZERO


@dataclass(frozen=True)
class Fields:
    """What a model says, by name."""

    name: str
    """The title."""
    summary: str
    """One or two sentences."""
    source: str
    """Where the model comes from: a citation."""
    time: str
    """The name of time."""
    coordinates: tuple[str, ...]
    """The names of the coordinates q."""
    parameters: Mapping[str, Expr]
    """The parameters as they were given: numbers, or expressions in earlier parameters."""
    units: Mapping[str, str]
    """Labels of units by name, as given: text for data sets and axes."""
    definitions: Mapping[str, Expr]
    """The definition nodes by name."""
    tables: Mapping[str, DataTable]
    """Tables of data by name, which expressions use as functions."""
    dynamics: Dynamics
    """How it moves where the constraints leave it free: a Lagrangian, or another kind of dynamics."""
    degenerate: bool
    """Whether the model says that its Lagrangian is meant to be degenerate."""
    position_constraints: tuple[Equation, ...]
    """Holonomic constraints φ(t, q) = 0; each also holds at velocity level, dφ/dt = 0."""
    velocity_constraints: tuple[Equation, ...]
    """Constraints f(t, q, v) = 0 as given."""
    acceleration_constraints: tuple[Equation, ...]
    """Constraints linear in the accelerations (SCOPE L9)."""
    quasi: Mapping[str, Expr]
    """Quasi-velocities u(t, q, v) by name, as given; empty if the model names none."""
    stops: tuple[Stop, ...]
    """Conditions φ(t, q) ≥ 0, with what happens at an impact."""
    initial: Initial | None
    """Initial data as given."""
    until: Expr | None
    """The time a run ends at, if the model says so."""
    tolerance: Expr | None
    """The tolerance of a run, if the model says so."""
    gauge: tuple[str, ...]
    """Conditions on phase space that a run of a degenerate Lagrangian is to satisfy, as given."""
    view: Mapping[str, Any]
    """The table that says what to draw."""
    claims: tuple[Mapping[str, Any], ...]
    """Published statements about the system, to be judged."""

    @property
    def lagrangian(self) -> Expr:
        """L(t, q, v); a ModelError where the dynamics has none."""
        return self.dynamics.expect_lagrangian()

    @property
    def kinetic(self) -> Expr | None:
        """The kinetic energy, if it was given as such."""
        return self.dynamics.kinetic

    @property
    def potential(self) -> Expr | None:
        """The potential, if it was given as such."""
        return self.dynamics.potential

    @property
    def forces(self) -> Mapping[str, Expr]:
        """Generalized forces F by coordinate; coordinates without one are left out."""
        return self.dynamics.forces
