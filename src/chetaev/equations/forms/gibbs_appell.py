"""The Gibbs–Appell equations with quasi-velocities (SCOPE L6; Lewis, slides 9 and 10).

Quasi-velocities u^s(t, q, v), as many as there are degrees of freedom, complete the constraints to
coordinates on the velocities. Differentiated once they give the accelerations by the quasi-accelerations,

    ∂u/∂v a + d'u/dt = u',   C a + c = 0      ⇒      a = W u' + w,

which are put into the Gibbs function S, and the equations of motion are

    ∂S/∂u'^s = Q_s,      Q_s = F_i ∂a^i/∂u'^s.

For point masses in Cartesian coordinates S = ½ Σ m‖ẍ‖². For any Lagrangian this is the part of

    S = ½ (d²L/dt² − 3 a·∂L/∂q)

that depends on accelerations (the third derivative in d²L/dt² is left out: it multiplies no acceleration);
for ∂(d²L/dt²)/∂a = 2 d/dt ∂L/∂v + ∂L/∂q, so that ∂S/∂a = d/dt ∂L/∂v − ∂L/∂q. A potential is part of L, so
of S. Constraints may be of any kind, those on accelerations too (L9). No multipliers occur.
"""

from __future__ import annotations

import casadi

from chetaev.equations.law.hypotheses import Plane, complete_frame
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup
from chetaev.equations.quasi.given_quasi_velocities import Given, named, written_in
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System


def gibbs_function(s: Setup) -> SX:
    """S = ½ (d²L/dt² − 3 a·∂L/∂q), third derivatives left out."""
    here = casadi.vertcat(s.t, s.q, s.v)
    onward = casadi.vertcat(1, s.v, s.a)
    L_dot = casadi.jtimes(s.L, here, onward)
    return (casadi.jtimes(L_dot, here, onward) - 3 * casadi.dot(casadi.gradient(s.L, s.q), s.a)) / 2


def applies(s: Setup) -> None:
    """Raise unless the constraints are independent."""
    complete_frame(s, Plane(s), None)


def derive(system: System, quasi_velocities: Given | None = None, chart: Around = None) -> Equations:
    """The Gibbs–Appell equations: unknowns are the quasi-accelerations.

    `quasi_velocities`: quasi-velocities in the model language, for example ``["psi'*sin(theta)", "theta'"]``,
    or by name, those of ``[quasi]`` if left out, else independent velocities.

    >>> import chetaev as ch
    >>> derive(ch.load("knife-edge"), ["phi'", "x'*cos(phi) + y'*sin(phi)"]).unknowns
    ("u1'", "u2'")
    """
    s = Setup(system, chart=chart)
    plane = Plane(s)
    own = named(system, quasi_velocities)
    u, labels = complete_frame(s, plane, None if own is None else own[1])
    labels = labels if own is None else own[0]
    n = u.numel()
    J = casadi.vertcat(s.by_v(u), plane.C)
    right = casadi.blockcat([[casadi.SX.eye(n), -s.along(u)], [casadi.SX(s.k, n), -plane.c]])
    solved = s.solve(J, right)
    W, w = solved[:, :n], solved[:, n]
    u_dot = casadi.SX.sym("u_dot", n)
    S = gibbs_function(s)
    on_plane = casadi.substitute(S, s.a, casadi.densify(W @ u_dot + w))
    S_uu, S_u = casadi.hessian(on_plane, u_dot)
    Q = W.T @ s.F
    return Equations(
        form="gibbs-appell",
        system=system,
        unknowns=tuple(f"{label}'" for label in labels),
        matrix=s.matrix(S_uu),
        right=s.graphs(Q - casadi.substitute(S_u, u_dot, casadi.SX.zeros(n))),
        recover=s.matrix(W),
        offset=s.graphs(w),
        objects={
            "S": s.graphs(S)[0],
            "Q": s.graphs(Q),
            "quasi_velocities": s.graphs(u),
            "frame": s.matrix(W),
        }
        | written_in(s, quasi_velocities),
        source="Lewis, slides 9 and 10; L6",
    )
