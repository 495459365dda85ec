"""A Lagrangian, as one function or as kinetic and potential energy (SCOPE K6, K11).

φ = dL for fixed t:      force = ∂L/∂q,      Π = ∂L/∂v,      M = ∂²L/∂v∂v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.print.layout import Name
from chetaev.model.dynamics.any_dynamics import SX, Dynamics, Nodes, Part

if TYPE_CHECKING:
    from chetaev.model.dynamics.dynamics_table import DynamicsData


class Variational(Dynamics):
    """A dynamics with a Lagrangian."""

    @property
    def symmetric(self) -> bool:
        """A Hessian is."""
        return True

    def fundamental(self, at: Nodes) -> tuple[SX, SX]:
        """∂L/∂q and ∂L/∂v."""
        import casadi

        L, n = at.column([self.expect_lagrangian()]), at.q.shape[0]
        both = casadi.gradient(L, casadi.vertcat(at.q, at.v))  # in one sweep
        return both[:n], both[n:]


@dataclass(frozen=True)
class Lagrangian(Variational):
    """L(t, q, v)."""

    function: Expr
    kind = "lagrangian"
    given_by = "a Lagrangian"

    @property
    def lagrangian(self) -> Expr:
        """L(t, q, v)."""
        return self.function

    @property
    def parts(self) -> tuple[Part, ...]:
        """L."""
        return (Part("the Lagrangian", ("dynamics", "lagrangian"), "L", Name("L"), self.function),)

    def with_parts(self, functions: Sequence[Expr]) -> Self:
        """With another L."""
        return replace(self, function=functions[0])

    def table(self) -> dict[str, Any]:
        """``lagrangian = …``."""
        return {"lagrangian": self.function}

    @classmethod
    def read(cls, given: DynamicsData) -> Lagrangian:
        """From ``lagrangian``."""
        L = given.reader.expression(("dynamics", "lagrangian"), given.scope.but(purpose="a Lagrangian"))
        found = cls(given.coordinates, given.forces(), L)
        given.check_velocities("the Lagrangian", ("dynamics", "lagrangian"), [L])
        return found


@dataclass(frozen=True)
class Energies(Variational):
    """L = T − V."""

    T: Expr
    V: Expr | None = None
    kind = "energies"
    given_by = "kinetic and potential energy"

    @property
    def lagrangian(self) -> Expr:
        """T − V."""
        return self.T if self.V is None else graph.sub(self.T, self.V)

    @property
    def kinetic(self) -> Expr:
        """T."""
        return self.T

    @property
    def potential(self) -> Expr | None:
        """V."""
        return self.V

    @property
    def parts(self) -> tuple[Part, ...]:
        """T, and V if there is one."""
        kinetic = Part("the kinetic energy", ("dynamics", "kinetic"), "T", Name("T"), self.T)
        if self.V is None:
            return (kinetic,)
        return (kinetic, Part("the potential", ("dynamics", "potential"), "V", Name("V"), self.V))

    def with_parts(self, functions: Sequence[Expr]) -> Self:
        """With other energies."""
        return replace(self, T=functions[0], V=functions[1] if len(functions) > 1 else None)

    def table(self) -> dict[str, Any]:
        """``kinetic = …`` and ``potential = …``."""
        return {"kinetic": self.T} | ({} if self.V is None else {"potential": self.V})

    @classmethod
    def read(cls, given: DynamicsData) -> Energies:
        """From ``kinetic`` and ``potential``."""
        reader, scope = given.reader, given.scope
        if "kinetic" not in given.table:
            reader.fail(
                "the model has a potential and no kinetic energy, so no Lagrangian",
                ("dynamics",),
                expected='kinetic = "…" beside it',
                key=True,
            )
        T = reader.expression(("dynamics", "kinetic"), scope.but(purpose="a kinetic energy"))
        V = None
        if "potential" in given.table:
            V = reader.expression(("dynamics", "potential"), scope.but(purpose="a potential"))
        found = cls(given.coordinates, given.forces(), T, V)
        given.check_velocities("the Lagrangian", ("dynamics", "kinetic"), [found.lagrangian])
        return found
