"""Charts of Q: a choice of dependent velocities, and the derivations of functions on Q in it.

A function on Q is written in ambient coordinates and differentiated by the implicit function theorem, with
B = ∂g/∂v the slope of the normal form v^a = g^a(t, q, v^s) and C_D = ∂f/∂v^D:

    ∂/∂v^s|_Q = ∂/∂v^s + B^a_s ∂/∂v^a,      ∂/∂q^σ|_Q = ∂/∂q^σ − (C_D⁻¹ f_{q^σ})^a ∂/∂v^a      (t likewise).

No closed normal form is needed, and no mechanics is here: the formulations share charts, not results.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi

from chetaev.equations.law.setup import Around, Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.model.jet_functions import expect_coordinates
from chetaev.model.system import System
from chetaev.numeric import is_regular


class ChosenChart(Setup):
    """A Setup in the chart of given dependent coordinates; without a choice, of the best pivots."""

    def __init__(self, system: System, dependent: Sequence[str] | None = None, chart: Around = None) -> None:
        super().__init__(system, chart=chart)
        expect_coordinates(system, dependent or (), "{} is no coordinate of the system")
        if dependent is not None and len(set(dependent)) != int(self.f.numel()):
            raise ModelError(
                f"{len(set(dependent))} dependent coordinates are chosen",
                expected=f"{int(self.f.numel())}, one for each constraint",
            )
        self.choice = dependent

    @cached_property
    def dependent(self) -> list[int]:
        """The coordinates whose velocities the constraints are solved for."""
        if self.choice is None:
            return super().dependent
        chosen = sorted(self.system.coordinates.index(c) for c in self.choice)
        if not is_regular(self.number(self.by_v(self.f)[:, chosen])):
            velocities = ", ".join(f"{self.system.coordinates[i]}'" for i in chosen)
            raise ModelError(
                f"the constraints cannot be solved for {velocities}: ∂f/∂v is singular there on all of Q",
                remedy="choose other dependent coordinates, or leave the choice out",
            )
        return chosen


class DerivationsOnQ:
    """Derivations of functions on Q in the chart of a Setup."""

    def __init__(self, s: Setup) -> None:
        self.s = s
        S, D = s.independent, s.dependent
        C = s.by_v(s.f)
        gradients = casadi.horzcat(C[:, S], s.by_q(s.f), s.by_t(s.f))
        n = len(S)
        if not D:
            self.g_v, self.g_q, self.g_t = casadi.SX(0, n), casadi.SX(0, s.m), casadi.SX(0, 1)
            return
        solved = -s.solve(C[:, D], gradients)
        self.g_v, self.g_q, self.g_t = solved[:, :n], solved[:, n : n + s.m], solved[:, n + s.m]

    @cached_property
    def restricted_hessian(self) -> SX:
        """−B̄_sr = ∂²L̄/∂v^r∂v^s − (∂L/∂v^a∘ι) ∂²g^a/∂v^r∂v^s of (86)."""
        s = self.s
        p = s.by_v(s.L)[:, s.dependent]
        hessian = self.by_v(self.by_v(s.L).T)
        for a in range(len(s.dependent)):
            hessian -= p[a] * self.by_v(self.g_v[a, :].T)
        return hessian

    def by_v(self, column: SX) -> SX:
        """∂/∂v^s|_Q for independent s, one row a function."""
        full = self.s.by_v(column)
        return full[:, self.s.independent] + full[:, self.s.dependent] @ self.g_v

    def by_q(self, column: SX) -> SX:
        """∂/∂q^σ|_Q for all σ."""
        return self.s.by_q(column) + self.s.by_v(column)[:, self.s.dependent] @ self.g_q

    def by_t(self, column: SX) -> SX:
        """∂/∂t|_Q."""
        return self.s.by_t(column) + self.s.by_v(column)[:, self.s.dependent] @ self.g_t

    def chetaev(self, column: SX) -> SX:
        """∂_c/∂q^s = ∂/∂q^s + ∂g^a/∂v^s ∂/∂q^a, on functions on Q."""
        full = self.by_q(column)
        return full[:, self.s.independent] + full[:, self.s.dependent] @ self.g_v

    def along(self, column: SX) -> SX:
        """d'_c/dt = ∂/∂t|_Q + v^σ ∂/∂q^σ|_Q."""
        return self.by_t(column) + self.by_q(column) @ self.s.v
