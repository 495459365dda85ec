"""The Gibbs–Appell equations from the Sasaki metric (SCOPE L7; Lewis, slide 14).

The metric g of L = ½ g(v, v) gives TQ the Sasaki metric: a tangent vector w = (q, v; q̇, v̇) of TQ has the
horizontal part q̇ and the vertical part K w = v̇ + Γ(q̇, v), and

    g^TQ(w, w) = g(q̇, q̇) + g(K w, K w).

J² is the set of the w fixed by the canonical involution, q̇ = v; there w = (q, v; v, a), and the Gibbs
function is the kinetic energy of TQ less that of Q, G = ½ g^TQ(w, w) − ½ g(v, v) = ½ g(a + Γ(v, v), a +
Γ(v, v)). The equations are

    i*(d₂ G) = i* Y,      C a + c = 0,

with i the inclusion of the admissible variations W (ker C) and Y the applied covector: forces, potential,
gyroscopic terms, and ∂g/∂t v if the metric depends on time (:mod:`christoffel`). Any signature; any
constraints.
"""

from __future__ import annotations

import casadi

from chetaev.equations.law.christoffel import QuadraticLagrangian
from chetaev.equations.law.hypotheses import Plane
from chetaev.equations.law.law import Equations, Lazy
from chetaev.equations.law.setup import Around, Setup
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import symbol
from chetaev.model.system import System


def sasaki_metric(metric: QuadraticLagrangian) -> SX:
    """The Sasaki metric at (q, v), 2m×2m, in the natural coordinates (q̇, v̇) of T(TQ)."""
    g, transport = metric.g, metric.transport
    lower = g @ transport
    return casadi.blockcat([[g + transport.T @ lower, lower.T], [lower, g]])


def applies(s: Setup) -> None:
    """Raise unless L is quadratic in the velocities, with a regular metric."""
    QuadraticLagrangian(s, "gibbs-sasaki")
    Plane(s)


def derive(system: System, chart: Around = None) -> Equations:
    """The equations from the Sasaki metric: unknowns are independent accelerations.

    >>> import chetaev as ch
    >>> equations = derive(ch.load("brachistochrone-metric"))
    >>> equations.unknowns, len(equations.sasaki)
    (("x''", "y''"), 4)
    """
    s = Setup(system, chart=chart)
    metric = QuadraticLagrangian(s, "gibbs-sasaki")
    plane = Plane(s)
    w = casadi.vertcat(s.v, s.a)
    sasaki = sasaki_metric(metric)
    G = casadi.bilin(sasaki, w, w) / 2 - casadi.bilin(metric.g, s.v, s.v) / 2
    W = plane.directions
    d2_G = W.T @ casadi.gradient(G, s.a)
    return Equations(
        form="gibbs-sasaki",
        system=system,
        unknowns=tuple(str(symbol(system.coordinates[i], 2)) for i in plane.independent),
        matrix=s.matrix(casadi.jacobian(d2_G, s.a) @ W),
        right=s.graphs(W.T @ metric.applied - casadi.substitute(d2_G, s.a, plane.point)),
        recover=s.matrix(W),
        offset=s.graphs(plane.point),
        objects=Lazy(
            G=lambda: s.graphs(G)[0],
            g=lambda: s.matrix(metric.g),
            sasaki=lambda: s.matrix(sasaki),
            Gamma=lambda: [s.matrix(x) for x in metric.second_kind],
        ),
        source="Lewis, slide 14; L7",
    )
