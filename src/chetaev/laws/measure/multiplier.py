"""Chaplygin's reducing multiplier N(q): the time dτ = N dt in which a Chaplygin system is Lagrangian (SCOPE
M4).

For constraints q̇^a = B^a_s(q) q̇^s, L and B free of the q^a, let L̄(q, v) be the restricted Lagrangian and
G = ∂²L̄/∂v∂v. If ρ dq dv is preserved, so is (ρ/det G) dq dp, and for n = 2 independent velocities N =
ρ/det G, up to a constant factor, makes the equations of the q^s those of

    L̃(q, q') = L̄(q, N q'),    q' = dq/dτ = v/N:       Γ(N p_s)/N − ∂L̄/∂q^s − p_r v^r ∂_s N/N = 0,   p = ∂L̄/∂v.

For more of them N = (ρ/det G)^(1/(n − 1)) is the only candidate, and the equation decides. It is tested; N
is reported only where it holds.
"""

from __future__ import annotations

import casadi

from chetaev.equations.law.normal_law import OnConstraint
from chetaev.expr.graph.node import Expr, symbols
from chetaev.laws.measure.density import MOST_MATRIX, Density, determinant
from chetaev.laws.standpoint import Standpoint
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.vanishing_on_q import vanish


def multiplier(lin: Linearized, found: Density, view: Standpoint, effort: int) -> Expr | None:
    """Chaplygin's multiplier for a density ρ(q), if the system is a Chaplygin system and has one."""
    system, s = lin.system, lin.s
    S, D = lin.independent, lin.dependent
    n = len(S)
    density = found.expression
    if system.dynamics.lagrangian is None or not D or not 2 <= n <= MOST_MATRIX:
        return None
    if any(order for _, order in symbols(density)):
        return None
    names = system.coordinates
    homogeneous = casadi.densify(s.f - s.by_v(s.f) @ s.v)
    graphs = s.matrices(lin.on_q.g_v, s.push, homogeneous, s.F)
    gone = {names[i] for i in D} | {system.time}
    flat = [e for part in (graphs[0], graphs[3]) for row in part for e in row]
    present = {name for name, order in symbols(*flat, *s.graphs(s.L), density) if not order}
    if present & gone or any(order for _, order in symbols(*(e for row in graphs[0] for e in row))):
        return None
    for part in (graphs[2], graphs[3]):
        if not all(v.is_zero for v in vanish(system, [e for (e,) in part], view, effort)):
            return None
    hessian = lin.on_q.by_v(casadi.densify(lin.on_q.by_v(s.L).T))
    graph = view.apply(s.graphs(determinant(hessian)))[0]
    field = found.parts.smooth.field
    on_q = OnConstraint(system, 10 * effort)  # det G on Q may be shorter
    N = found.parts.over(field(on_q.short(graph)), n - 1, names).expression
    node = s(N)
    p = casadi.densify(lin.on_q.by_v(s.L).T)
    slope = lin.on_q.by_q(node)[:, S].T
    law = lin.gamma(node * p) / node - lin.on_q.by_q(s.L)[:, S].T - casadi.dot(p, s.v[S, 0]) * slope / node
    return N if all(v.is_zero for v in vanish(system, s.graphs(law), view, 2 * effort)) else None
