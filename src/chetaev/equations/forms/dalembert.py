"""D'Alembert's principle as an orthogonal projection (SCOPE B1, B2, B4, L10; Bates and Nester, 1 and 3).

The velocity Hessian M = ∂²L/∂v∂v of a regular Lagrangian is a metric (of any signature) on the fibres of
J²Y. The free acceleration a₀ is projected orthogonally onto the affine plane C a + c = 0 of the
constraints:

    a = a₀ + M⁻¹Cᵀ λ,      (C M⁻¹ Cᵀ) λ = −(C a₀ + c),      P = 1 − M⁻¹Cᵀ (C M⁻¹ Cᵀ)⁻¹ C.

If L is quadratic in the velocities the acceleration is the covariant one, A = a + Γ(v, v), and the plane is
C A + (c − C Γ(v, v)) = 0; the free one is A₀ = M⁻¹ Y with the applied covector Y (:mod:`christoffel`).
λ are the multipliers of d/dt ∂L/∂v − ∂L/∂q = F + λ_A ∂c^A/∂v. C M⁻¹ Cᵀ (the paper's M^AB) must be regular,
which for indefinite M does not follow from the independence of the constraints.

With the energy e = v·∂L/∂v − L the motion has ė = λ_A C^A·v + F·v − ∂L/∂t (B4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi

from chetaev.equations.law.christoffel import QuadraticLagrangian
from chetaev.equations.law.hypotheses import (
    Plane,
    dependent_constraints,
    is_quadratic,
    nondegenerate_normals,
    regular_hessian,
)
from chetaev.equations.law.law import Equations, Lazy
from chetaev.equations.law.setup import Around, Setup, fresh_names
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System


def applies(s: Setup) -> None:
    """Raise unless M, and its restriction to the normals of independent constraints, are regular."""
    C = _plane(s).C
    if s.k:
        M = casadi.hessian(s.L, s.v)[0]
        nondegenerate_normals(s, C @ s.solve(M, C.T), "dalembert")


def _plane(s: Setup) -> Plane:
    regular_hessian(s, "dalembert")
    plane = Plane(s)
    if plane.redundant:
        raise dependent_constraints("C M⁻¹ Cᵀ has no inverse, which the form 'dalembert' needs")
    return plane


def derive(system: System, covariant: bool | None = None, chart: Around = None) -> Equations:
    """The projected acceleration: unknowns are the multipliers λ.

    `covariant`: true: by Christoffel symbols (L quadratic in v), False: by the velocity Hessian, None: the
    first if it applies.

    >>> import chetaev as ch
    >>> equations = derive(ch.load("leibniz-particle"))
    >>> equations.unknowns, len(equations.P), len(equations.Gamma)
    (('mu_1',), 3, 3)
    """
    s = Setup(system, chart=chart)
    plane = _plane(s)
    objects: dict[str, Any] = {}
    p = casadi.gradient(s.L, s.v)
    M = s.by_v(p)
    if covariant or (covariant is None and is_quadratic(s)):
        metric = QuadraticLagrangian(s, "dalembert")
        M, free, connection = metric.g, metric.raise_index(metric.applied), metric.spray
        objects["Gamma"] = lambda: [s.matrix(G) for G in metric.second_kind]
    else:
        free, connection = s.solve(M, s.F - s.along(p) + casadi.gradient(s.L, s.q)), casadi.SX.zeros(s.m)
    C, c = plane.C, plane.c
    # in covariant accelerations A = a + Γ(v, v) the plane is C A + plane_offset = 0
    plane_offset = c - C @ connection
    normals = s.solve(M, C.T) if s.k else casadi.SX(s.m, 0)
    metric_on_normals = C @ normals
    nondegenerate_normals(s, metric_on_normals, "dalembert")
    residual = C @ free + plane_offset
    if s.k:
        explicit = s.solve(metric_on_normals, casadi.horzcat(C, residual))
        projector, multipliers = casadi.SX.eye(s.m) - normals @ explicit[:, :-1], -explicit[:, -1]
    else:
        projector, multipliers = casadi.SX.eye(s.m), casadi.SX(0, 1)
    e = casadi.dot(p, s.v) - s.L
    return Equations(
        form="dalembert",
        system=system,
        unknowns=fresh_names(system, s.k),
        matrix=s.matrix(metric_on_normals),
        right=s.graphs(-residual),
        recover=s.matrix(normals),
        offset=s.graphs(free - connection),
        multiplier_rows=s.matrix(casadi.SX.eye(s.k)),
        multiplier_offset=s.graphs(casadi.SX(s.k, 1)),
        objects=Lazy(
            P=lambda: s.matrix(projector),
            lambda_=lambda: s.graphs(multipliers),
            M_AB=lambda: s.matrix(metric_on_normals),
            free=lambda: s.graphs(free),
            energy=lambda: s.graphs(e)[0],
            reaction_power=lambda: s.graphs(C @ s.v),
            applied_power=lambda: s.graphs(casadi.dot(s.F, s.v) - s.by_t(s.L))[0],
            **objects,
        ),
        source="Bates and Nester, sections 1 and 3; B1, B2, B4",
    )


def energy_rate(equations: Equations, point: Mapping[Any, Any], digits: int = 50) -> Any:
    """ė = λ_A C^A·v + F·v − ∂L/∂t at a point of Q (B4).

    The reactions have no power if every f^A is homogeneous in v (Euler's theorem).
    """
    _, multipliers = equations.evaluate(point, digits)
    *power, applied = evaluate_mp([*equations.reaction_power, equations.applied_power], point, digits)
    return sum((x * y for x, y in zip(multipliers, power, strict=True)), applied)


# --- the generalized Lagrange–d'Alembert principle (L10; Lewis, slides 17 and 18) ----------------------


def admissible_variations(system: System) -> list[list[Expr]]:
    """A basis of the admissible variations, one column each: δq = W(t, q, v) σ with C W = 0 (SCOPE L10).

    They are sections of (j¹c)*C̄, where C̄ ⊂ E is the vector bundle on which the plane C of accelerations
    is modelled. For nonlinear constraints W depends on the velocities, and the varied curves need not meet
    the constraints.

    >>> import chetaev as ch
    >>> admissible_variations(ch.load("heisenberg"))  # z' = y x'
    [[Expr('1'), Expr('0')], [Expr('0'), Expr('1')], [Expr('y'), Expr('0')]]
    """
    s = Setup(system)
    return s.matrix(Plane(s).directions)


def first_variation(system: System) -> tuple[list[Expr], list[Expr]]:
    """The integrand of δ∫L dt + ∫F·δq dt for δq = W σ: coefficients of σ and of σ̇ (SCOPE L10).

    The first depends on t, q, v and (by Ẇ) on the accelerations. A curve on Q is a motion if and only if
    the integral vanishes for all σ(t) that vanish at both ends: d/dt (coefficients of σ̇) = coefficients of
    σ.

    >>> import chetaev as ch
    >>> first_variation(ch.load("heisenberg"))
    ([Expr("y'*z'"), Expr('0')], [Expr("x' + y*z'"), Expr("y'")])
    """
    s = Setup(system)
    W = Plane(s).directions
    p = casadi.gradient(s.L, s.v)
    W_dot = casadi.reshape(_total(s, casadi.vec(W)), *W.shape)
    by_sigma = W.T @ (casadi.gradient(s.L, s.q) + s.F) + W_dot.T @ p
    return s.graphs(by_sigma), s.graphs(W.T @ p)


def _total(s: Setup, column: SX) -> SX:
    """The total time derivative, accelerations included."""
    return s.along(column) + s.by_v(column) @ s.a
