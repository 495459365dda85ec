"""The Gibbs–Appell equations on J², intrinsically (SCOPE L6, L9; Lewis, slides 11 to 13).

J²Y → J¹Y is an affine bundle modelled on the vertical vectors E, and M = ∂²L/∂v∂v is a bilinear form on E.
With ξ_L the free motion as a section of it, the Gibbs function and the constrained equations are

    G_L(a) = ½ M(ξ_L − a, ξ_L − a),      i*(d₂ G_L) = 0,   C a + c = 0,

where d₂ differentiates along the fibre and i: C̄ → E includes the vectors of the plane of accelerations.

ξ_L exists only if L is regular. But the Euler–Lagrange form ε = d/dt ∂L/∂v − ∂L/∂q − F is affine on the
fibre with the symmetric derivative M, so it is d₂ of a function on every fibre: with any section ξ of J²Y →
J¹Y

    G_ξ(a) = ½ M(a − ξ, a − ξ) + ⟨ε(ξ), a − ξ⟩,      d₂ G_ξ = ε,

and two of them differ by a function on J¹Y; G_ξ = G_L if ξ = ξ_L. So any Lagrangian has a Gibbs function.
Here ξ is the free motion if L is regular, and the zero of the chart otherwise. No multipliers occur.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi

from chetaev.equations.law.hypotheses import Plane, regular_hessian
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.model.system import System


def euler_lagrange_form(s: Setup, a: SX) -> SX:
    """ε at an acceleration: d/dt ∂L/∂v − ∂L/∂q − F."""
    p = casadi.gradient(s.L, s.v)
    return s.along(p) + s.by_v(p) @ a - casadi.gradient(s.L, s.q) - s.F


def free_motion(s: Setup) -> SX | None:
    """ξ_L: the accelerations without constraints; None if L is not regular."""
    try:
        regular_hessian(s, "gibbs-geometric")
    except ModelError:
        return None
    M = casadi.hessian(s.L, s.v)[0]
    return s.solve(M, -euler_lagrange_form(s, casadi.SX.zeros(s.m)))


def applies(s: Setup) -> None:
    """Raise unless there is a plane of accelerations; the Lagrangian may be any."""
    _ = s.L, Plane(s)


def derive(system: System, reference: Sequence[str | Expr] | None = None, chart: Around = None) -> Equations:
    """i*(d₂ G) = 0 on the plane: unknowns are all accelerations.

    `reference`: a section ξ(t, q, v) of J²Y → J¹Y, one expression a coordinate, the free motion if left out.

    >>> import chetaev as ch
    >>> derive(ch.load("heisenberg")).G
    Expr("((x''^2 + y''^2) + z''^2)/2")
    """
    s = Setup(system, chart=chart)
    plane = Plane(s)
    xi = free_motion(s)
    zero = casadi.SX.zeros(s.m)
    if reference is not None:
        xi = s.column([parse(e, system.scope) if isinstance(e, str) else e for e in reference])
    if reference is not None or xi is None:
        section = zero if xi is None else xi
        linear = casadi.dot(euler_lagrange_form(s, section), s.a - section)
    else:
        section, linear = xi, casadi.SX(0)
    M = casadi.hessian(s.L, s.v)[0]
    G = casadi.bilin(M, section - s.a, section - s.a) / 2 + linear
    along_plane = plane.directions.T @ casadi.gradient(G, s.a)
    C, c = plane.C[plane.rows, :], plane.c[plane.rows]
    return Equations(
        form="gibbs-geometric",
        system=system,
        unknowns=names(s.accelerations),
        matrix=s.matrix(casadi.vertcat(casadi.jacobian(along_plane, s.a), C)),
        right=s.graphs(casadi.vertcat(-casadi.substitute(along_plane, s.a, zero), -c)),
        recover=s.matrix(casadi.SX.eye(s.m)),
        offset=s.graphs(zero),
        objects={"G": s.graphs(G)[0], "xi": s.graphs(section), "C_bar": s.matrix(plane.directions)},
        source="Lewis, slides 11 to 13; L6, L9",
    )
