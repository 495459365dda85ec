"""The phase space of a system: t, q, p as symbols of one exact field, and Poisson's bracket (SCOPE K9, B7).

    {F, G} = ∂F/∂q^i ∂G/∂p_i − ∂F/∂p_i ∂G/∂q^i,      so that {q^i, p_j} = δ^i_j.

The momentum of x is called ``p_x``; where the model uses that name itself, ``p__x``, and so on.

>>> import chetaev as ch
>>> space = PhaseSpace(ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2"))
>>> (x, y), (px, py) = space.q, space.p
>>> print(space.bracket(x * py - y * px, px))
p_y
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope
from chetaev.laws.standpoint import Standpoint
from chetaev.model.system import System


class PhaseSpace:
    """Symbols t, q, v, p of one field, for one standpoint on the parameters.

    `standpoint`: what parameters are replaced by (:mod:`chetaev.laws.standpoint`), they stay symbols if left
    out; `effort`: what all exact computations on this space may cost together.
    """

    def __init__(self, system: System, standpoint: Standpoint | None = None, effort: int = 10**7) -> None:
        self.system = system
        self.standpoint = standpoint or Standpoint("", ())
        self.field = Field(Budget(effort, terms=max(60_000, effort // 50), products=max(4_000_000, effort)))
        for name in (*system.parameters, system.time, *system.coordinates):
            self.field.symbol(name)
        self.t = self.field.symbol(system.time)
        self.q = [self.field.symbol(c) for c in system.coordinates]
        stem = "p_"
        while any(stem + c in system.names for c in system.coordinates):
            stem += "_"
        self.momenta = tuple(stem + c for c in system.coordinates)
        self.p = [self.field.symbol(name) for name in self.momenta]
        self.v = [self.field.symbol(c, 1) for c in system.coordinates]
        self.excluded: tuple[Element, ...] = ()
        """Functions that do not vanish on the part of phase space that is looked at."""
        self.real: tuple[Element, ...] = ()
        """Functions that have real values there."""

    def element(self, expr: Expr) -> Element:
        """A function of the model as an element, parameters replaced as the standpoint says."""
        return self.field(self.standpoint.apply([expr])[0])

    def scope(self, purpose: str) -> Scope:
        """The names that a function on phase space may use."""
        scope = self.system.scope
        values = {**scope.values, **{name: graph.symbol(name) for name in self.momenta}}
        return scope.but(purpose=purpose, order=0, values=values)

    def read(self, value: Any, purpose: str = "a function on phase space") -> Element:
        """A function of t, q and p as people give it: text in the model language, or an expression."""
        if isinstance(value, Element):
            return self.field(value)
        known = (*self.system.parameters, self.system.time, *self.system.coordinates, *self.momenta)
        if isinstance(value, str):
            value = parse(value, self.scope(purpose))
        if not isinstance(value, Expr):
            raise ModelError(f"{purpose} is {value!r}"[:200], expected="text in the model language")
        for name, order in sorted(graph.symbols(value)):
            if order or name not in known:
                raise ModelError.unknown(
                    f"{purpose} contains {name + chr(39) * order!r}, which phase space does not have",
                    name,
                    known,
                )
        return self.element(value)

    def bracket(self, F: Element, G: Element) -> Element:
        """Poisson's bracket {F, G}."""
        total = self.field.zero
        for q, p in zip(self.q, self.p, strict=True):
            total = total + F.diff(q) * G.diff(p) - F.diff(p) * G.diff(q)
        return total

    def is_constant(self, function: Element) -> bool:
        """Whether a function depends on parameters alone."""
        moving = {self.system.time, *self.system.coordinates, *self.momenta}
        return not any(name in moving for name, _ in function.symbols)

    def along(self, F: Element, forces: Sequence[Element]) -> Element:
        """∂F/∂p_i Φ_i: the rate of F under forces Φ alone."""
        return sum((F.diff(p) * force for p, force in zip(self.p, forces, strict=True)), self.field.zero)


def expect_on_velocities(system: System, asked: str, otherwise: str, also: str = "") -> None:
    """A sentence if there is no Lagrangian, or if there are constraints on accelerations, which have no Q."""
    if system.dynamics.lagrangian is None:
        raise ModelError(system.dynamics.lacks("Lagrangian"), remedy=f"{asked} needs one{also}")
    if system.acceleration_constraints:
        raise ModelError(otherwise)
