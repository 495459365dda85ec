"""The constraints of a model, one below the other, in the one order in which all rooms read them.

    φ(t, q) = 0        f = (dφ/dt, f(t, q, v)) = 0        C a + c = 0
    C = (∂f/∂v, ∂α/∂a)        c = (d'f/dt, α at a = 0)

Position constraints come first, through dφ/dt, then velocity constraints, then those on accelerations: so
stand rows of C, multipliers and residuals everywhere, in equations, compiled code and data sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from chetaev.expr.graph.node import Expr, symbol
from chetaev.expr.language.parser import Equation
from chetaev.model.dynamics.any_dynamics import SX, JetNodes, Nodes

if TYPE_CHECKING:
    from chetaev.expr.graph.calculus import Calculus
    from chetaev.expr.graph.engine import Engine
    from chetaev.model.checked_fields import Fields
    from chetaev.model.system import System


Level = tuple[list[Expr], list[list[Expr]]]
"""Functions and the rows of their Jacobian."""


def levels(system: System | Fields) -> tuple[tuple[Equation, ...], ...]:
    """The equations on positions, on velocities and on accelerations."""
    return system.position_constraints, system.velocity_constraints, system.acceleration_constraints


def every_constraint(system: System | Fields) -> tuple[Equation, ...]:
    """All equations in their order."""
    return sum(levels(system), ())


@dataclass(frozen=True)
class Stack:
    """The functions φ, f and α of the constraints, and the names they are written in."""

    time: str
    coordinates: tuple[str, ...]
    position: tuple[Expr, ...] = ()
    velocity: tuple[Expr, ...] = ()
    acceleration: tuple[Expr, ...] = ()

    @classmethod
    def of_constraints(cls, system: System | Fields, **rest: Any) -> Self:
        """The constraints of a system."""
        functions = (tuple(e.residual for e in level) for level in levels(system))
        return cls(system.time, tuple(system.coordinates), *functions, **rest)

    @property
    def functions(self) -> tuple[Expr, ...]:
        """φ, f and α as they are written."""
        return (*self.position, *self.velocity, *self.acceleration)

    def with_functions(self, functions: Sequence[Expr], **rest: Any) -> Self:
        """The same constraints with other functions, as many and in the same order."""
        held, moved = len(self.position), self.on_velocities
        return replace(
            self,
            position=tuple(functions[:held]),
            velocity=tuple(functions[held:moved]),
            acceleration=tuple(functions[moved:]),
            **rest,
        )

    @property
    def on_velocities(self) -> int:
        """How many rows dφ/dt and f have."""
        return len(self.position) + len(self.velocity)

    @property
    def rows(self) -> int:
        """How many rows C has."""
        return self.on_velocities + len(self.acceleration)

    def symbols(self, order: int) -> list[Expr]:
        """The symbols of all coordinates (order 0), velocities (1) or accelerations (2)."""
        return [symbol(c, order) for c in self.coordinates]

    def on(self, engine: Engine, at: Nodes | None = None) -> StackNodes:
        """The stack as nodes of an engine."""
        jets = JetNodes(engine, symbol(self.time), self.symbols(0), self.symbols(1)) if at is None else at
        return StackNodes(self, engine, jets)


class StackNodes:
    """φ, f = (dφ/dt, f) and α as columns of engine nodes, with their derivatives."""

    def __init__(self, stack: Stack, engine: Engine, at: Nodes) -> None:
        self.at, self._engine, self._symbols = at, engine, stack.symbols
        self.phi = engine.column(stack.position)
        self.alpha = engine.column(stack.acceleration)
        self.f = engine.stack(at.along(self.phi), engine.column(stack.velocity))

    @cached_property
    def a(self) -> SX:
        """The accelerations."""
        return self._engine.column(self._symbols(2))

    @cached_property
    def phi_q(self) -> SX:
        """∂φ/∂q."""
        import casadi

        return casadi.jacobian(self.phi, self.at.q)

    @cached_property
    def f_v(self) -> SX:
        """∂f/∂v, the rows of C that Q has: without constraints on accelerations."""
        return self.at.by_v(self.f)

    @cached_property
    def C(self) -> SX:
        """The rows of accelerations, (∂f/∂v, ∂α/∂a)."""
        import casadi

        if not self.alpha.numel():
            return self.f_v
        return casadi.vertcat(self.f_v, self._still(casadi.jacobian(self.alpha, self.a)))

    @cached_property
    def c(self) -> SX:
        """The rest, (d'f/dt, α at a = 0)."""
        import casadi

        slopes = self.at.along(self.f)
        return casadi.vertcat(slopes, self._still(self.alpha)) if self.alpha.numel() else slopes

    def levels(self, calculus: Calculus) -> tuple[Level, Level]:
        """(φ, ∂φ/∂q) and (f, ∂f/∂v) as exact graphs."""
        pairs = (self.phi, self.phi_q), (self.f, self.f_v)
        positions, velocities = ((calculus.graphs(x), calculus.matrix(J)) for x, J in pairs)
        return positions, velocities

    def _still(self, column: SX) -> SX:
        """At a = 0."""
        import casadi

        if not casadi.depends_on(column, self.a):
            return column
        return casadi.substitute(column, self.a, casadi.SX.zeros(self.a.numel()))
