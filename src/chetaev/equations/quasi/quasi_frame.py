"""A frame of the admissible velocities, with its quasi-velocities (SCOPE D1).

    v^i = V^i(t, q, u) = W^i_s(t, q) u^s + w^i(t, q),      u^s = U^s(t, q, v),      f(t, q, V(t, q, u)) = 0:

V runs through all velocities that affine constraints allow, U gives back which one it is. The columns W_s
span ker ∂f/∂v, the admissible directions; w is one admissible velocity, 0 for linear constraints. A
quasi-velocity that is the velocity of a coordinate keeps its name, ``phi'``; others have names of their
own.

For the blade x' sin φ = y' cos φ: W = (cos φ, sin φ, 0), (0, 0, 1), so x' = u cos φ, y' = u sin φ, and
u = x' cos φ + y' sin φ is the speed along the blade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from chetaev.expr.graph import node as graph
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
