"""The first jets of a system as nodes of the number engine: where a dynamics states its law.

d'/dt = ∂/∂t + v·∂/∂q        the cut total derivative (Krupková (18)): accelerations are left out
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

from chetaev.expr.graph.node import Expr

SX = Any  # CasADi ships no type information


class Nodes(Protocol):
    """t, q and v as columns of engine nodes, and derivations of functions of them."""

    t: SX
    q: SX
    v: SX

    def column(self, exprs: Sequence[Expr]) -> SX:
        """Several expressions as one column."""

    def along(self, column: SX) -> SX:
        """The cut total derivative d'/dt."""

    def by_v(self, column: SX) -> SX:
        """∂/∂v as a matrix, one row a function."""


class JetNodes:
    """The nodes of an engine for a time, coordinates and velocities."""

    def __init__(self, engine: Any, time: Expr, q: Sequence[Expr], v: Sequence[Expr]) -> None:
        self.column = engine.column
        self.t, self.q, self.v = engine(time), engine.column(q), engine.column(v)

    @cached_property
    def motion(self) -> tuple[SX, SX]:
        """(t, q), and their rate (1, v)."""
        import casadi

        return casadi.vertcat(self.t, self.q), casadi.vertcat(1, self.v)

    def along(self, column: SX) -> SX:
        """The cut total derivative d'/dt."""
        import casadi

        return casadi.jtimes(column, *self.motion) if column.numel() else column

    def by_v(self, column: SX) -> SX:
        """∂/∂v as a matrix, one row a function."""
        import casadi

        return casadi.jacobian(column, self.v)
