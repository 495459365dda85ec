"""The law of a model at any points of a step, for schemes that are equations.

    Π = ∂L/∂v     force = ∂L/∂q + F     E     φ     f = (dφ/dt, f)     C = ∂f/∂v     M a + h     C a + c

are functions here, which a scheme (`flow.schemes`) calls with expressions in its unknowns; what it makes of
them, equations r = 0 for x, is differentiated and compiled. The first block of a step's unknowns are the
positions at its end, the second the velocities there; `flow.kernels.statuses` has the kinds of blocks.

>>> import chetaev as ch
>>> from chetaev.flow.derive.dynamics import DerivedDynamics
>>> from chetaev.flow.derive.ingredients import Ingredients
>>> particle = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2")
>>> law = StepLaw(DerivedDynamics(Ingredients.of(particle)))
>>> law.momentum(law.t, law.q, law.v), law.force(law.t, law.q, law.v)
(SX(x_dot), SX((-x)))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi

from chetaev.flow.derive.dynamics import SX, DerivedDynamics


@dataclass(frozen=True)
class StepEquations:
    """r(t, h, q₀, v₀; x) = 0 for one step."""

    unknowns: tuple[SX, ...]  # the blocks of x
    residual: SX  # r, as long as x

    @property
    def complete(self) -> SX:
        """r, where equations 0 = 0 (of redundant constraints) ask multipliers that occur nowhere to be 0."""
        r, x = casadi.densify(self.residual), casadi.vertcat(*self.unknowns)
        void = [i for i in range(r.shape[0]) if r[i].is_zero()]
        if void:
            used = set(casadi.jacobian(r, x).sparsity().get_triplet()[1])
            idle = [j for j in range(x.shape[0]) if j not in used]
            for i, j in zip(void, idle, strict=False):
                r[i] = x[j]
        return r


class StepLaw:
    """What a model is made of, as functions of (t, q, v) and, where there are any, accelerations.

    A step of length h starts at (t, q, v). There are n coordinates and as many constraints on velocities as
    `rows`, of which `held` come from position constraints.
    """

    def __init__(self, dynamics: DerivedDynamics) -> None:
        d = self.dynamics = dynamics
        model = d.model
        self.t, self.q, self.v, self.p = d.arguments.list()
        self.h = casadi.SX.sym("h")
        self.n, self.rows, self.held = model.size, model.on_velocities, len(model.position)
        self.all_rows = model.rows
        a = casadi.SX.sym("a", self.n)
        matrix = self._without_redundant(casadi.densify(d.matrix))
        self.f = self._function(self._without_redundant(d.f))
        self.phi = self._function(self._without_redundant(d.phi))
        self.matrix = self._function(matrix)
        self.energy = self._function(d.energy)
        self.mass = self._function(casadi.densify(d.mass()))
        self.inertia = self._function(d.inertia(a), a)
        self.constrained = self._function(casadi.mtimes(matrix, a) + self._without_redundant(d.rest), a)
        if d.momentum is not None:
            self.momentum, self.force = self._function(d.momentum), self._function(d.push)
            self.applied = self._function(d.applied)
            self.momentum_slopes = self._function(casadi.jacobian(d.momentum, self.q))
            self.momentum_rate = self._function(casadi.jacobian(d.momentum, self.t))

    def _without_redundant(self, rows: SX) -> SX:
        """Functions of the constraints, or rows of C, with zeros for those that say no more than others."""
        kept = casadi.densify(rows)
        for i in self.dynamics.model.dependent:
            if i < kept.shape[0]:
                kept[i, :] = 0
        return kept

    def _function(self, value: SX, *more: SX) -> Callable[..., Any]:
        """An expression as a function of t, q, v and perhaps more."""
        made = casadi.Function("part", [self.t, self.q, self.v, self.p, *more], [casadi.densify(value)])

        def called(t: SX, q: SX, v: SX, *rest: SX) -> SX:
            return made(t, q, v, self.p, *rest)

        return called

    def derivative(self, function: Callable[..., Any], t: SX, q: SX, v: SX) -> SX:
        """The derivatives of a function by (q, v), row by row, at a point."""
        value = function(self.t, self.q, self.v)
        return self._function(casadi.jacobian(value, casadi.vertcat(self.q, self.v)))(t, q, v)

    def unknown(self, kind: int, name: str) -> SX:
        """A block of unknowns of a kind."""
        return casadi.SX.sym(name, self.dynamics.model.unknowns((kind,)))
