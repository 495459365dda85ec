"""What every kind of dynamics can be asked: its functions, its law, its text.

The law is M a + h = F + μ_a ∂f^a/∂v with f(t, q, v) = 0, where F are applied forces. A kind given by a
fundamental form φ = (force) dq + Π dv (SCOPE D4; dL is one) has

    M = ∂Π/∂v,      h = d'Π/dt − force,

and states `fundamental`; another one states `inertia`. What a kind does not have is None, and
:meth:`Dynamics.lacks` says so in a sentence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from chetaev.errors import ModelError
from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.language.parser import Equation
from chetaev.expr.print.layout import Layout
from chetaev.model.reading.text_places import Path


class Part(NamedTuple):
    """One function of a dynamics."""

    what: str  # in words: ``the Lagrangian``
    path: Path  # where it stands in a model file
    # label, shown: what it is called in texts and in formulas
    label: str
    shown: Layout
    expr: Expr  # its graph


@dataclass(frozen=True)
class Dynamics(ABC):
    """How a system moves where constraints leave it free."""

    coordinates: tuple[str, ...]  # the names of q, in order
    # applied generalized forces by coordinate; coordinates without one are left out
    forces: Mapping[str, Expr]

    kind: ClassVar[str]
    """The name of the kind, as in ``chetaev show --json``."""
    given_by: ClassVar[str]
    """What it is given by, to follow the words "the dynamics is given by"."""
    section: ClassVar[str] = "dynamics"
    """The table of a model file that it stands in."""
    headings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {level: f"{level.capitalize()} constraints" for level in ("position", "velocity", "acceleration")}
    )
    """What its constraints are called where they are listed, by level."""
    constraints_react: ClassVar[bool] = True
    """Whether constraints act by forces μ_a ∂f^a/∂v, so that there are multipliers."""
    states_constraints: ClassVar[bool] = False
    """Whether the velocity constraints stand in [dynamics] itself."""

    # --- its functions ----------------------------------------------------------------------------

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """The functions that were given, without forces, in order."""

    @abstractmethod
    def with_parts(self, functions: Sequence[Expr]) -> Self:
        """The same kind of dynamics with other functions in the order of `parts`."""

    @abstractmethod
    def table(self) -> dict[str, Any]:
        """The entries of [dynamics] in a model file, functions as graphs; without forces."""

    @property
    def functions(self) -> tuple[Expr, ...]:
        """Everything that has to have a value at a state: the parts, then the forces."""
        return (*(p.expr for p in self.parts), *self.forces.values())

    @property
    def arrangement(self) -> tuple[str, ...]:
        """What the functions belong to, by name: with them it says everything about the law."""
        return tuple(self.forces)

    def with_functions(self, functions: Sequence[Expr]) -> Self:
        """The same kind of dynamics with other functions, in the order of `functions`."""
        own = len(self.parts)
        forces = dict(zip(self.forces, functions[own:], strict=True))
        return replace(self.with_parts(functions[:own]), forces=MappingProxyType(forces))

    # --- what it has ------------------------------------------------------------------------------

    @property
    def lagrangian(self) -> Expr | None:
        """L(t, q, v); None where there is none."""
        return None

    @property
    def kinetic(self) -> Expr | None:
        """The kinetic energy, where it was given as such."""
        return None

    @property
    def potential(self) -> Expr | None:
        """The potential, where it was given as such."""
        return None

    @property
    def hamiltonian(self) -> Expr | None:
        """H(t, z) on a phase space; None where there is none."""
        return None

    @property
    def has_energy(self) -> bool:
        """Whether there is an energy: that of a Lagrangian, or a Hamiltonian."""
        return self.lagrangian is not None or self.hamiltonian is not None

    @property
    def equations(self) -> tuple[Equation, ...]:
        """The velocity constraints that stand in [dynamics] itself."""
        return ()

    @property
    def relations(self) -> tuple[Equation, ...]:
        """The constraints on coordinates that stand in the table of the dynamics itself."""
        return ()

    @property
    def freedom(self) -> int | None:
        """How many degrees of freedom it is written for; None if for any number."""
        return None

    @property
    def symmetric(self) -> bool:
        """Whether M is seen to be symmetric from how the dynamics is given."""
        return False

    def lacks(self, what: str) -> str:
        """A sentence that says what there is none of: ``lacks("Lagrangian")``."""
        return f"this system has no {what}: its dynamics is given by {self.given_by}"

    def expect_lagrangian(self) -> Expr:
        """L, or a ModelError that says why there is none."""
        if self.lagrangian is None:
            raise ModelError(self.lacks("Lagrangian"), remedy="ch.forms(system) lists what applies")
        return self.lagrangian

    # --- its law ----------------------------------------------------------------------------------

    def fundamental(self, at: Nodes) -> tuple[SX, SX] | None:
        """The columns (force, Π) of φ = force dq + Π dv, applied forces left out; None if there is no φ."""
        return None

    def inertia(self, at: Nodes) -> tuple[SX, SX]:
        """M and h of the law M a + h = F + μ_a ∂f^a/∂v."""
        form = self.fundamental(at)
        if form is None:
            raise ModelError(self.lacks("equations of motion on all of J¹Y"))
        force, momentum = form
        return at.by_v(momentum), at.along(momentum) - force

    def applied(self, at: Nodes) -> SX:
        """The column of applied forces F."""
        return at.column([self.forces.get(c, ZERO) for c in self.coordinates])


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
