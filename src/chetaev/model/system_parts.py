"""The parts of a system as they were given, to be read and not to be changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.table import DataTable
from chetaev.expr.language.parser import Equation
from chetaev.model.checked_fields import Fields, Initial, Stop
from chetaev.model.dynamics.any_dynamics import Dynamics


class SystemParts:
    """What the user wrote, by name."""

    __slots__ = ()

    _fields: Fields

    @property
    def name(self) -> str:
        """The title."""
        return self._fields.name

    @property
    def summary(self) -> str:
        """One or two sentences."""
        return self._fields.summary

    @property
    def source(self) -> str:
        """Where the model comes from: a citation."""
        return self._fields.source

    @property
    def time(self) -> str:
        """The name of time."""
        return self._fields.time

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates q."""
        return self._fields.coordinates

    @property
    def parameters(self) -> Mapping[str, Expr]:
        """The parameters as they were given: numbers, or expressions in earlier ones."""
        return self._fields.parameters

    @property
    def units(self) -> Mapping[str, str]:
        """Labels of units by name, as given: text for data sets and axes."""
        return self._fields.units

    @property
    def definitions(self) -> Mapping[str, Expr]:
        """The definition nodes by name."""
        return self._fields.definitions

    @property
    def tables(self) -> Mapping[str, DataTable]:
        """Tables of data by name, which expressions use as functions."""
        return self._fields.tables

    @property
    def stops(self) -> tuple[Stop, ...]:
        """Conditions φ(t, q) ≥ 0, with what happens at an impact."""
        return self._fields.stops

    @property
    def dynamics(self) -> Dynamics:
        """How it moves where the constraints leave it free: a Lagrangian, or another kind of dynamics."""
        return self._fields.dynamics

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

    @property
    def degenerate(self) -> bool:
        """Whether the model says that its Lagrangian is meant to be degenerate."""
        return self._fields.degenerate

    @property
    def position_constraints(self) -> tuple[Equation, ...]:
        """Holonomic constraints φ(t, q) = 0; each also holds at velocity level, dφ/dt = 0."""
        return self._fields.position_constraints

    @property
    def velocity_constraints(self) -> tuple[Equation, ...]:
        """Constraints f(t, q, v) = 0 as given."""
        return self._fields.velocity_constraints

    @property
    def acceleration_constraints(self) -> tuple[Equation, ...]:
        """Constraints linear in the accelerations (SCOPE L9)."""
        return self._fields.acceleration_constraints

    @property
    def quasi(self) -> Mapping[str, Expr]:
        """Quasi-velocities u(t, q, v) by name, as given; empty if the model names none."""
        return self._fields.quasi

    @property
    def initial(self) -> Initial | None:
        """Initial data as given."""
        return self._fields.initial

    @property
    def until(self) -> Expr | None:
        """The time a run ends at, if the model says so."""
        return self._fields.until

    @property
    def tolerance(self) -> Expr | None:
        """The tolerance of a run, if the model says so."""
        return self._fields.tolerance

    @property
    def gauge(self) -> tuple[str, ...]:
        """Conditions on phase space that a run of a degenerate Lagrangian is to satisfy, as given."""
        return self._fields.gauge

    @property
    def view(self) -> Mapping[str, Any]:
        """The table that says what to draw."""
        return self._fields.view

    @property
    def claims(self) -> tuple[Mapping[str, Any], ...]:
        """Published statements about the system, to be judged."""
        return self._fields.claims
