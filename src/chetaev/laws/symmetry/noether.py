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

from collections.abc import Sequence

import casadi

from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, answer, ask
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import ZERO, Expr, add, mul, sub, symbols
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, null_vectors
from chetaev.laws.symmetry.symmetries import symmetries
from chetaev.laws.symmetry.symmetry import Symmetry
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
    # what is not proposed is not said to be none
    return answer(ask(_candidates, system, s, found, effort)) or []


def _candidates(system: System, s: Setup, found: Sequence[Symmetry], effort: int) -> list[Expr]:
    """The charges of combinations that leave L as it is, and of fields that add a divergence to it."""
    fields = [one for one in found if one.of_constraint is not False]
    moved = [e for one in fields for e in s.graphs(_change(s, *_along(s, one)))]
    whole = [e for one in fields for e in s.graphs(_charge(s, *_along(s, one)))]
    result = [
        sub(e, one.divergence) for e, one in zip(whole, fields, strict=True) if one.divergence is not None
    ]
    motion, budget = Motion(system), Budget(20 * effort)
    defects = [motion.function(e) for e in moved]

    def rows(point: PointOnQ) -> list[list[int]]:
        return [[point.value(e) for e in defects]]

    for vector in null_vectors(motion.points(), len(fields), rows, budget).vectors:
        combination = exact(motion, rows, vector, budget=budget)
        if combination is not None:
            result.append(add(*(mul(c.to_expr(), whole[i]) for i, c in combination.items())))
    return result


def _along(s: Setup, one: Symmetry) -> tuple[SX, SX]:
    """τ and ξ."""
    xi = s.column([one.components.get(c, ZERO) for c in s.system.coordinates])
    return s(one.components.get(s.system.time, ZERO)), casadi.densify(xi)


def _charge(s: Setup, tau: SX, xi: SX) -> SX:
    """p·(ξ − v τ) + L τ."""
    return casadi.dot(s.Pi, xi - s.v * tau) + s.L * tau


def _change(s: Setup, tau: SX, xi: SX) -> SX:
    """ξ^(1)(L) + L τ̇."""
    rate = s.along(casadi.densify(casadi.SX(tau)))
    return (
        s.by_t(s.L) * tau + casadi.dot(s.push, xi) + casadi.dot(s.Pi, s.along(xi) - s.v * rate) + s.L * rate
    )
