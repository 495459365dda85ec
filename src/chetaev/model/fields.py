"""The checked fields of a System: what a model says, as graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from chetaev.expr import graph
from chetaev.expr.graph import Expr
from chetaev.expr.parser import Equation
from chetaev.model.dynamics.base import Dynamics


@dataclass(frozen=True)
class Initial:
    """Initial data as given: what is left out is solved from the constraints."""

    t: Expr = graph.ZERO
    position: Mapping[str, Expr] = field(default_factory=lambda: MappingProxyType({}))
    velocity: Mapping[str, Expr] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Fields:
    """The checked fields of a System."""

    name: str
    summary: str
    source: str
    time: str
    coordinates: tuple[str, ...]
    parameters: Mapping[str, Expr]
    definitions: Mapping[str, Expr]
    dynamics: Dynamics
    degenerate: bool
    position_constraints: tuple[Equation, ...]
    velocity_constraints: tuple[Equation, ...]
    acceleration_constraints: tuple[Equation, ...]
    initial: Initial | None
    until: Expr | None
    tolerance: Expr | None
    view: Mapping[str, Any]
    claims: tuple[Mapping[str, Any], ...]
