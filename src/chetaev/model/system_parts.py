"""The parts of a system as they were given, to be read and not to be changed."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.table import DataTable
from chetaev.expr.language.parser import Equation
from chetaev.model.checked_fields import Fields, Initial, Stop
from chetaev.model.dynamics.any_dynamics import Dynamics


def _given(name: str, doc: str) -> Any:
    """A field of the model, handed on."""
    return property(attrgetter(f"_fields.{name}"), doc=doc)


class SystemParts:
    """What the user wrote, by name."""

    __slots__ = ()

    _fields: Fields

    name: str = _given("name", "The title.")
    summary: str = _given("summary", "One or two sentences.")
    source: str = _given("source", "Where the model comes from: a citation.")
    time: str = _given("time", "The name of time.")
    coordinates: tuple[str, ...] = _given("coordinates", "The names of the coordinates q.")
    parameters: Mapping[str, Expr] = _given(
        "parameters", "The parameters as they were given: numbers, or expressions in earlier ones."
    )
    units: Mapping[str, str] = _given(
        "units", "Labels of units by name, as given: text for data sets and axes."
    )
    definitions: Mapping[str, Expr] = _given("definitions", "The definition nodes by name.")
    tables: Mapping[str, DataTable] = _given(
        "tables", "Tables of data by name, which expressions use as functions."
    )
    stops: tuple[Stop, ...] = _given("stops", "Conditions φ(t, q) ≥ 0, with what happens at an impact.")

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

    degenerate: bool = _given(
        "degenerate", "Whether the model says that its Lagrangian is meant to be degenerate."
    )
    position_constraints: tuple[Equation, ...] = _given(
        "position_constraints",
        "Holonomic constraints φ(t, q) = 0; each also holds at velocity level, dφ/dt = 0.",
    )
    velocity_constraints: tuple[Equation, ...] = _given(
        "velocity_constraints", "Constraints f(t, q, v) = 0 as given."
    )
    acceleration_constraints: tuple[Equation, ...] = _given(
        "acceleration_constraints", "Constraints linear in the accelerations (SCOPE L9)."
    )
    quasi: Mapping[str, Expr] = _given(
        "quasi", "Quasi-velocities u(t, q, v) by name, as given; empty if the model names none."
    )
    initial: Initial | None = _given("initial", "Initial data as given.")
    until: Expr | None = _given("until", "The time a run ends at, if the model says so.")
    tolerance: Expr | None = _given("tolerance", "The tolerance of a run, if the model says so.")
    gauge: tuple[str, ...] = _given(
        "gauge", "Conditions on phase space that a run of a degenerate Lagrangian is to satisfy, as given."
    )
    view: Mapping[str, Any] = _given("view", "The table that says what to draw.")
    claims: tuple[Mapping[str, Any], ...] = _given(
        "claims", "Published statements about the system, to be judged."
    )
