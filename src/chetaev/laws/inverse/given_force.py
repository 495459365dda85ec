"""What the Helmholtz conditions are asked of: a function K with ∂K/∂v = Π, and the force Φ beside it.

==============  ==================  =====================================================================
given by        K                   Φ
==============  ==================  =====================================================================
a Lagrangian    L                   the generalized forces
a 1-form (D4)   ∂K/∂v = Π           F − ∂K/∂q and the generalized forces
accelerations   Σ (v^σ)²/2          the accelerations, if every coordinate has one
==============  ==================  =====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import casadi

from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.field import Field
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.laws.inverse.conditions import Asked
from chetaev.laws.inverse.primitive import primitive
from chetaev.model.system import System

Matrix = list[list[Expr]]


@dataclass(frozen=True)
class GivenForce:
    """K, Φ and the derivatives that the conditions need; a_σρ = ∂Φ_σ/∂v^ρ, b = Φ − a v.

    `symmetry` are the conditions under which there is a K at all; `kinetic` is None where none was found.
    """

    names: tuple[str, ...]
    time: str
    kinetic: Expr | None
    symmetry: list[Asked]
    components: list[Expr]
    slope: Matrix
    slope_q: list[list[list[Expr]]]
    slope_t: Matrix
    second: list[list[list[Expr]]]
    offset: list[Expr]
    offset_q: Matrix


def given_force(system: System, effort: int) -> GivenForce:
    """Φ of a system; a ModelError where the question has no meaning."""
    s = Setup(system)
    dynamics = system.dynamics
    if dynamics.lagrangian is not None:
        return _of(s, system.lagrangian, s.F, [])
    if dynamics.constraints_react:
        symmetry = _symmetric(s)
        K = _kinetic(system, s, effort)
        if K is None:
            return _of(s, None, s.F, symmetry)
        return _of(s, K, s.push + s.F - casadi.gradient(s(K), s.q), symmetry)
    if system.velocity_constraints or system.position_constraints or system.acceleration_constraints:
        raise ModelError(
            dynamics.lacks("Lagrangian and no forces")
            + ": whether its law is variational on all of J¹Y has no meaning",
            remedy="ch.symmetries(…, kind='adjoint') looks for a Lagrangian of its second-order part (Sa8)",
        )
    M, h = s.inertia
    flat = s.matrix(M)
    unit = all(str(e) == ("1" if i == j else "0") for i, row in enumerate(flat) for j, e in enumerate(row))
    if not unit:
        raise ModelError(
            "the law is given by A and B; the Helmholtz conditions are asked of accelerations or of forces",
            remedy="give a Lagrangian with forces, a form with F and Pi, or accelerations",
        )
    half = s.graphs(casadi.dot(s.v, s.v) / 2)[0]
    return _of(s, half, s.F - h, [])


def _symmetric(s: Setup) -> list[Asked]:
    slopes = s.matrix(s.by_v(s.Pi) - s.by_v(s.Pi).T)
    q = s.system.coordinates
    return [
        (f"∂Π[{q[i]}]/∂{q[j]}' = ∂Π[{q[j]}]/∂{q[i]}'", "(35)", slopes[i][j])
        for i, j in combinations(range(s.m), 2)
    ]


def _kinetic(system: System, s: Setup, effort: int) -> Expr | None:
    field = Field(Budget(20 * effort))
    for name in (*system.parameters, system.time, *system.coordinates):
        field.symbol(name)

    def found() -> Expr | None:
        form = {(n, 1): field(e) for n, e in zip(system.coordinates, s.graphs(s.Pi), strict=True)}
        K = primitive(form, effort)
        return None if K is None else K.to_expr()

    return answer(ask(found))


def _of(s: Setup, kinetic: Expr | None, force: SX, symmetry: list[Asked]) -> GivenForce:
    a = s.by_v(force)
    b = force - a @ s.v
    slopes_q = [s.by_q(a[i, :].T) for i in range(s.m)]
    seconds = [s.by_v(a[i, :].T) for i in range(s.m)]
    slope_t = casadi.reshape(s.by_t(casadi.vec(a)), s.m, s.m)
    found = s.matrices(force, a, slope_t, b, s.by_q(b), *slopes_q, *seconds)
    components, slope, of_t, offset, offset_q = found[:5]
    return GivenForce(
        names=s.system.coordinates,
        time=s.system.time,
        kinetic=kinetic,
        symmetry=symmetry,
        components=[row[0] for row in components],
        slope=slope,
        slope_q=found[5 : 5 + s.m],
        slope_t=of_t,
        second=found[5 + s.m :],
        offset=[row[0] for row in offset],
        offset_q=offset_q,
    )
