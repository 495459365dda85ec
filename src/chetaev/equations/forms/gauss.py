"""Gauss's principle of least constraint (SCOPE L8, L9; Lewis, slide 16).

At a fixed point of J¹Y the acceleration is the critical point of the quadratic function

    Z(a) = ½ (a − a₀)ᵀ M (a − a₀),      M = ∂²L/∂v∂v,   M a₀ = F − h,   h = d'/dt(∂L/∂v) − ∂L/∂q,

on the affine plane C a + c = 0 that the constraints leave in the fibre of J²Y. Up to a constant of the
fibre Z(a) = ½ aᵀ M a + (h − F)·a, which asks for no inverse: so M may be singular, as long as Z restricted
to the plane has one critical point. It is a minimum where M is positive definite on the plane
(:func:`is_minimum`). The plane is parametrised, a = a₁ + W u, and dZ/du = 0 is the law; u are independent
accelerations.

:func:`moore_penrose` is the same principle for constraints that need not be independent (Udwadia and Kalaba
1992; with M singular, Udwadia and Phohomsiri 2006), in numbers of any length: with ⁺ the Moore–Penrose
inverse,

    a = [ (1 − C⁺C) M ]⁺ [ (1 − C⁺C)(F − h) ]
        [      C      ]  [       −c         ],      μ = (Cᵀ)⁺ (M a + h − F).

Multipliers: d/dt ∂L/∂v − ∂L/∂q = F + μ C, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi

from chetaev.equations.law.hypotheses import Plane, vanishing
from chetaev.equations.law.law import Equations, SingularError
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context, read_matrix
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System
from chetaev.numeric.many_digits import pseudo_inverse


def constraint_function(s: Setup) -> SX:
    """Z(a) = ½ aᵀ M a + (h − F)·a: Gauss's function up to a constant of the fibre."""
    M, h = s.by_v(s.Pi), s.along(s.Pi) - s.push
    if not s.system.dynamics.symmetric and not all(vanishing(s, M - M.T)):
        raise ModelError(
            "∂Π/∂v is not symmetric: no function of the accelerations has the equations of motion as the "
            "condition for its least value on a plane",
            remedy="use form='first-variation' or 'chetaev'",
        )
    return casadi.bilin(M, s.a, s.a) / 2 + casadi.dot(h - s.F, s.a)


def applies(s: Setup) -> None:
    """Raise unless there is a point that meets the constraints; they may be dependent."""
    _ = s.L, Plane(s)


def derive(system: System, chart: Around = None) -> Equations:
    """Gauss's principle: unknowns are independent accelerations.

    >>> import chetaev as ch
    >>> derive(ch.load("knife-edge"))
    <Equations 'gauss' of 'Knife edge on an inclined plane': 2 unknowns>
    """
    s = Setup(system, chart=chart)
    plane = Plane(s)
    Z = constraint_function(s)
    W = plane.directions
    u = casadi.SX.sym("u", W.shape[1])
    on_plane = casadi.substitute(Z, s.a, casadi.densify(plane.point + W @ u))
    Z_uu, Z_u = casadi.hessian(on_plane, u)
    at_zero = casadi.substitute(Z_u, u, casadi.SX.zeros(u.numel()))
    multiplier_rows, multiplier_offset = None, []
    if not plane.redundant:
        # R = ∂Z/∂a is the reaction; R = Cᵀμ, read off in the dependent columns
        R = casadi.gradient(Z, s.a)[plane.dependent]
        rows = casadi.horzcat(casadi.jacobian(R, s.a) @ W, casadi.substitute(R, s.a, plane.point))
        mu = s.solve(plane.C[:, plane.dependent].T, rows) if s.k else rows
        multiplier_rows, multiplier_offset = s.matrix(mu[:, :-1]), s.graphs(mu[:, -1])
    return Equations(
        form="gauss",
        system=system,
        unknowns=names([s.accelerations[i] for i in plane.independent]),
        matrix=s.matrix(Z_uu),
        right=s.graphs(-at_zero),
        recover=s.matrix(W),
        offset=s.graphs(plane.point),
        multiplier_rows=multiplier_rows,
        multiplier_offset=multiplier_offset,
        objects={"Z": s.graphs(Z)[0], "W": s.matrix(W), "C": s.matrix(plane.C), "c": s.graphs(plane.c)},
        source="Lewis, slide 16; L8, L9",
    )


def is_minimum(equations: Equations, point: Mapping[Any, Any], digits: int = 50) -> bool:
    """Whether the critical point of Z is its minimum on the plane at a point of J¹Y."""
    mp, n = mp_context(digits), len(equations.unknowns)
    values = evaluate_mp([e for row in equations.matrix for e in row], point, digits)
    H = read_matrix(mp, iter(values), n, n)
    return all(x > 0 for x in mp.eigsy((H + H.T) / 2, eigvals_only=True)) if n else True


@dataclass(frozen=True)
class MoorePenrose:
    """Gauss's principle by Moore–Penrose inverses, evaluated in numbers only.

    Attributes
    ----------
    form, system
        ``"gauss"``, and the system.
    M, h, C, c, F
        The ingredients at a point of J¹Y, as exact graphs.
    """

    system: System
    M: Sequence[Sequence[Expr]]
    h: Sequence[Expr]
    C: Sequence[Sequence[Expr]]
    c: Sequence[Expr]
    F: Sequence[Expr]
    form: str = "gauss"

    def evaluate(self, point: Mapping[Any, Any], digits: int = 50) -> tuple[list[Any], list[Any]]:
        """Accelerations, and the multipliers of least norm, at a point."""
        mp = mp_context(digits + 10)
        m, k = len(self.h), len(self.c)
        flat = [e for row in (*self.M, *self.C) for e in row]
        values = iter(evaluate_mp([*flat, *self.h, *self.c, *self.F], point, mp.dps))
        M, C, h, c, F = (
            read_matrix(mp, values, *shape) for shape in ((m, m), (k, m), (m, 1), (k, 1), (m, 1))
        )
        free = mp.eye(m) - pseudo_inverse(mp, C) * C if k else mp.eye(m)
        A, b = (mp.matrix(x.tolist() + y.tolist()) for x, y in ((free * M, C), (free * (F - h), -c)))
        singular = mp.svd_r(A, compute_uv=False)
        if singular[m - 1] < singular[0] * mp.mpf(10) ** (-digits // 2):
            raise SingularError("Gauss's function has no single critical point on the plane at this point")
        a = pseudo_inverse(mp, A) * b
        if mp.norm(A * a - b) > (1 + mp.norm(b)) * mp.mpf(10) ** (-digits // 2):
            raise SingularError("the constraints contradict each other at this point")
        return list(a), list(pseudo_inverse(mp, C.T) * (M * a + h - F)) if k else []


def moore_penrose(system: System) -> MoorePenrose:
    """Gauss's principle by Moore–Penrose inverses: redundant constraints and a singular M are no obstacle.

    >>> from chetaev import System
    >>> system = System(
    ...     coordinates=["x", "y", "z"],
    ...     lagrangian="(x'^2 + y'^2 + z'^2)/2 - 10*y",
    ...     constraints=["x' = y'", "2*x' = 2*y'"],
    ... )
    >>> a, mu = moore_penrose(system).evaluate({("x", 1): 1, ("y", 1): 1, ("z", 1): 0})
    >>> [float(x) for x in a], [float(x) for x in mu]
    ([-5.0, -5.0, 0.0], [-1.0, -2.0])
    """
    s = Setup(system)
    M, h = s.inertia
    return MoorePenrose(
        system, s.matrix(M), s.graphs(h), s.matrix(s.rows.C), s.graphs(s.rows.c), s.graphs(s.F)
    )
