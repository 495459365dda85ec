"""What the number path takes from a model: names in order, its dynamics, and the graphs of f, φ, α.

    M a + h = F + μ_a ∂f^a/∂v        f(t,q,v) = 0, φ(t,q) = 0, α(t,q,v,a) = 0

The rows of the constraint matrix stand in this order everywhere: velocity constraints, position constraints
(through dφ/dt), acceleration constraints. A hash of the graphs names the model in the cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.evaluate import evaluate
from chetaev.expr.graph import Expr, postorder, symbol, symbols
from chetaev.flow.derive.digest import digest
from chetaev.model.dynamics.base import Dynamics

Array = NDArray[np.float64]


class SystemLike(Protocol):
    """The part of :class:`chetaev.model.system.System` that is used here."""

    @property
    def time(self) -> str:
        """As in System."""

    @property
    def coordinates(self) -> Sequence[str]:
        """As in System."""

    @property
    def parameters(self) -> Mapping[str, Expr]:
        """As in System."""

    @property
    def dynamics(self) -> Dynamics:
        """As in System."""

    @property
    def velocity_constraints(self) -> Sequence[Any]:
        """As in System."""

    @property
    def position_constraints(self) -> Sequence[Any]:
        """As in System."""

    @property
    def acceleration_constraints(self) -> Sequence[Any]:
        """As in System."""


@dataclass(frozen=True)
class Ingredients:
    """The graphs of a model, and the names that are run-time arguments.

    Attributes
    ----------
    time, coordinates, parameters
        Names; parameters with the expressions that give their values.
    dynamics
        What gives M and h.
    velocity, position, acceleration
        Residuals f, φ, α.
    rank
        The rank of C on Q where constraints are redundant; None if all are independent.
    modes
        Names of further run-time arguments: the branches of non-smooth functions (see `kinks`).
    definitions
        Names that event expressions may use.
    """

    time: str
    coordinates: tuple[str, ...]
    parameters: Mapping[str, Expr]
    dynamics: Dynamics
    velocity: tuple[Expr, ...] = ()
    position: tuple[Expr, ...] = ()
    acceleration: tuple[Expr, ...] = ()
    rank: int | None = None
    modes: tuple[str, ...] = ()
    definitions: Mapping[str, Expr] = field(default_factory=dict)

    @classmethod
    def of(cls, system: SystemLike) -> Ingredients:
        """The ingredients of a system; a ModelError where its constraints contradict each other."""
        found = getattr(system, "redundancy", None)
        return cls(
            system.time,
            tuple(system.coordinates),
            dict(system.parameters),
            system.dynamics,
            tuple(e.residual for e in system.velocity_constraints),
            tuple(e.residual for e in system.position_constraints),
            tuple(e.residual for e in system.acceleration_constraints),
            rank=found.rank if found is not None and found.dependent else None,
            definitions=dict(getattr(system, "definitions", None) or {}),
        )

    @property
    def size(self) -> int:
        """Number of coordinates n."""
        return len(self.coordinates)

    @property
    def rows(self) -> int:
        """Number of rows m of the constraint matrix."""
        return len(self.velocity) + len(self.position) + len(self.acceleration)

    @property
    def independent(self) -> int:
        """Number of independent rows: the rank of C on Q."""
        return self.rows if self.rank is None else self.rank

    @property
    def symmetric(self) -> bool:
        """Whether M is known to be symmetric."""
        return self.dynamics.symmetric

    @property
    def graphs(self) -> tuple[Expr, ...]:
        """All graphs, in a fixed order."""
        return (*self.dynamics.functions, *self.velocity, *self.position, *self.acceleration)

    def with_graphs(self, graphs: Sequence[Expr], modes: Sequence[str]) -> Ingredients:
        """The same model with other graphs in the order of `graphs`, and further arguments."""
        rest = iter(graphs)

        def take(count: int) -> tuple[Expr, ...]:
            return tuple(itertools.islice(rest, count))

        return replace(
            self,
            dynamics=self.dynamics.with_functions(take(len(self.dynamics.functions))),
            velocity=take(len(self.velocity)),
            position=take(len(self.position)),
            acceleration=take(len(self.acceleration)),
            modes=tuple(modes),
        )

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the compiled code depends on; parameter values are not part of it."""
        counts = (self.size, len(self.velocity), len(self.position), len(self.acceleration), self.independent)
        names = (self.time, *self.coordinates, "|", *self.parameters, "|", *self.modes)
        kind = f"{self.dynamics.kind} {' '.join(self.dynamics.arrangement)}"
        return digest(graph_text(self.graphs), repr(counts), " ".join(names), kind)

    @cached_property
    def default_values(self) -> Array:
        """The model's own parameter values in order."""
        return np.array([float(x) for x in self.values()])

    def values(self, given: Mapping[str, Any] | None = None) -> list[Any]:
        """Parameter values in order; those given replace the model's, dependent ones follow.

        A value may be an array, one value for each state.
        """
        given = dict(given or {})
        for name in given:
            if name not in self.parameters:
                raise ModelError(
                    f"there is no parameter {name!r}",
                    expected="one of " + ", ".join(self.parameters) if self.parameters else "none at all",
                    remedy=did_you_mean(name, self.parameters),
                )
        known: dict[Any, Any] = {}
        for name, expr in self.parameters.items():
            if name in given:
                known[name, 0] = given[name]
            else:
                needed = {(n, 0): known[n, 0] for n, _ in symbols(expr)}
                known[name, 0] = evaluate([expr], needed)[0]
        return list(known.values())


def graph_text(roots: Sequence[Expr]) -> str:
    """The nodes below the roots, one a line, arguments by number; equal graphs give equal texts."""
    index: dict[Expr, str] = {}
    lines: list[str] = []
    for node in postorder(*roots):
        op, args = node.op, node.args
        if op == "define":  # a name changes nothing that is compiled
            index[node] = index[args[0]]
            continue
        index[node] = str(len(lines))
        value = "" if node.value is None else node.value
        lines.append(f"{op} {value} {' '.join([index[a] for a in args])}")
    lines.append(" ".join([index[r] for r in roots]))
    return "\n".join(lines)


def state_symbols(model: Ingredients, order: int) -> list[Expr]:
    """The symbols of all coordinates (order 0), velocities (1) or accelerations (2)."""
    return [symbol(c, order) for c in model.coordinates]
