"""A frame of the admissible velocities, with its quasi-velocities (SCOPE D1).

    v^i = V^i(t, q, u) = W^i_s(t, q) u^s + w^i(t, q),      u^s = U^s(t, q, v),      f(t, q, V(t, q, u)) = 0:

V runs through all velocities that affine constraints allow, U gives back which one it is. The columns W_s
span ker ∂f/∂v, the admissible directions; w is one admissible velocity, 0 for linear constraints. A
quasi-velocity that is the velocity of a coordinate keeps its name, ``phi'``; others have names of their
own.

For the blade x' sin φ = y' cos φ: W = (cos φ, sin φ, 0), (0, 0, 1), so x' = u cos φ, y' = u sin φ, and
u = x' cos φ + y' sin φ is the speed along the blade.

d'Alembert's principle on a frame, with the velocities put in: a law in (t, q, u) alone (SCOPE D5, L6).

With v = V(t, q, u) for all admissible velocities, the accelerations are

    a = ∂V/∂u u' + d_u V,      d_u V = ∂V/∂t + V·∂V/∂q   at fixed u,

and the constraint forces do no work in the directions ∂V/∂u^s, so that

    (∂V/∂u)ᵀ (M a + h − F) = 0,      M = ∂Π/∂v,   h = d'Π/dt − ∂L/∂q,   Π = ∂L/∂v,   all at v = V(t, q, u).

V may be any parametrisation of the velocities that the constraints admit; neither structure functions nor
momenta of the frame occur, nor is a Gibbs function needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import casadi

from chetaev.equations.law.setup import Setup
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations
    from chetaev.expr.language.parser import Equation


@dataclass(frozen=True)
class QuasiFrame:
    """Quasi-velocities of a system."""

    labels: tuple[str, ...]
    """The quasi-velocities as they are written: ``u``, or ``phi'``."""
    velocities: tuple[Expr, ...]
    """V^i, one a coordinate, in t, q and the symbols of the labels."""
    functions: tuple[Expr, ...]
    """U^s as functions of t, q, v."""
    regular: bool | None = None
    """Whether it is proved that W has full rank at all points of Q; None where that is not known."""
    vanishing: tuple[Expr, ...] = ()
    """Where that is not proved: functions on Q that all vanish, or have no value, where W is no frame."""
    origin: str = "found"
    """``given`` by the user, ``found`` as the natural one, or ``chart``: independent velocities."""

    @cached_property
    def symbols(self) -> tuple[Expr, ...]:
        """The quasi-velocities as symbols."""
        return tuple(label_symbol(label) for label in self.labels)

    @property
    def named(self) -> tuple[int, ...]:
        """Which of them are not velocities of coordinates."""
        return tuple(s for s, symbol in enumerate(self.symbols) if symbol.value[1] == 0)

    @cached_property
    def meanings(self) -> dict[Expr, Expr]:
        """Symbols of quasi-velocities by definition nodes that carry their meaning U^s(t, q, v)."""
        return {self.symbols[s]: graph.define(self.labels[s], self.functions[s]) for s in self.named}

    def rows(self, law: Equations, effort: int) -> list[Equation]:
        """The rows of a law that is written in these quasi-velocities, for people."""
        from chetaev.equations.quasi.quasi_display import quasi_rows

        return quasi_rows(law, self, effort)

    @property
    def unknowns(self) -> tuple[str, ...]:
        """The names of their derivatives: ``u'``, ``phi''``."""
        return tuple(f"{label}'" for label in self.labels)

    def on_states(self, exprs: Sequence[Expr]) -> list[Expr]:
        """Functions of (t, q, u) as functions of (t, q, v)."""
        return graph.substitute(exprs, dict(self.meanings))

    def in_quasi_velocities(self, exprs: Sequence[Expr], coordinates: Sequence[str]) -> list[Expr]:
        """Functions of (t, q, v), also with nodes of `meanings` in them, as functions of (t, q, u) on Q."""
        back: dict[Expr, Expr] = {node: symbol for symbol, node in self.meanings.items()}
        back |= {graph.symbol(c, 1): V for c, V in zip(coordinates, self.velocities, strict=True)}
        return graph.substitute(exprs, back)


def label_symbol(label: str) -> Expr:
    """The symbol of a label: ``u`` or ``phi'``."""
    bare = label.rstrip("'")
    return graph.symbol(bare, len(label) - len(bare))


@dataclass(frozen=True)
class LawInU:
    """matrix · u' = right, a = recover · u' + offset, as nodes of the setup's engine in (t, q, u)."""

    matrix: SX
    right: SX
    recover: SX
    offset: SX


def law_in(s: Setup, velocities: Sequence[Expr], symbols: Sequence[Expr]) -> LawInU:
    """The law of a system in quasi-velocities u, the `symbols`, with v = V(t, q, u), the `velocities`."""
    V, u = s.column(list(velocities)), s.column(list(symbols))
    M, h = s.inertia
    n = len(symbols)
    together = casadi.horzcat(casadi.densify(M), casadi.densify(s.F - h))
    on_q = casadi.substitute(together, s.v, V)
    V_u = casadi.jacobian(V, u)
    rest = casadi.jtimes(V, casadi.vertcat(s.t, s.q), casadi.vertcat(1, V))
    M_q, force = on_q[:, : s.m], on_q[:, s.m]
    if not n:
        return LawInU(casadi.SX(0, 0), casadi.SX(0, 1), casadi.SX(s.m, 0), rest)
    return LawInU(V_u.T @ (M_q @ V_u), V_u.T @ (force - M_q @ rest), V_u, rest)
