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
    """The checked fields of a System."""

    name: str
    summary: str
    source: str
    time: str
    coordinates: tuple[str, ...]
    parameters: Mapping[str, Expr]
    units: Mapping[str, str]
    definitions: Mapping[str, Expr]
    tables: Mapping[str, DataTable]
    dynamics: Dynamics
    degenerate: bool
    position_constraints: tuple[Equation, ...]
    velocity_constraints: tuple[Equation, ...]
    acceleration_constraints: tuple[Equation, ...]
    quasi: Mapping[str, Expr]
    stops: tuple[Stop, ...]
    initial: Initial | None
    until: Expr | None
    tolerance: Expr | None
    gauge: tuple[str, ...]
    view: Mapping[str, Any]
    claims: tuple[Mapping[str, Any], ...]
