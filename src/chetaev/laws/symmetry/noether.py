"""Noether's charges of the point symmetries of L (SCOPE K10):

    ξ^(1)(L) + L τ̇ = df/dt      gives      F = p·(ξ − v τ) + L τ − f,      p = ∂L/∂v.

Where ∂²L/∂v∂v depends on velocities these charges are no polynomials in them, so that no space of polynomials
has them: those of v⁴, or of −√(1 − v²), whose boosts give x E − t p.

>>> import chetaev as ch
>>> free = ch.System(coordinates=["x"], lagrangian="-sqrt(1 - x'^2)")
>>> len(charges(free, 1_000_000))
3
"""

from __future__ import annotations

import casadi

from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.graph.node import ZERO, Expr, symbols
from chetaev.laws.symmetry.symmetries import symmetries
from chetaev.model.system import System


def charges(system: System, effort: int) -> list[Expr]:
    """The charges of the symmetries of L that a search finds, where L is not quadratic in the velocities.

    With constraints, forces or stops they are candidates: only those that stay constant are laws.
    """
    if system.dynamics.lagrangian is None or not system.dynamics.constraints_react:
        return []
    s = Setup(system)
    mass, _ = s.inertia
    if not any(order for _, order in symbols(*(e for row in s.matrix(mass) for e in row))):
        return []
    try:
        found = symmetries(system, effort=effort)
    except ModelError:  # the motion has no symmetries that can be asked for
        return []
    result = []
    for one in found:
        if not one.of_lagrangian or (one.divergence is None and not one.lagrangian.strict):
            continue
        tau = s(one.components.get(system.time, ZERO))
        xi = s.column([one.components.get(c, ZERO) for c in system.coordinates])
        charge = casadi.dot(s.Pi, xi - s.v * tau) + s.L * tau
        gauge = s(one.divergence) if one.divergence is not None else casadi.SX(0)
        result += s.graphs(charge - gauge)
    return result
