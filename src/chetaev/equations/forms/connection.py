"""Lewis's constrained affine connection (SCOPE L1, L2, L5; Lewis, slides 1 to 8).

For L = ½ g(v, v) + b·v − V and constraints linear in v: ∇^g is the Levi-Civita connection, D = ker C the
distribution, P = g⁻¹Cᵀ (C g⁻¹ Cᵀ)⁻¹ C the orthogonal projection onto D^⊥ (1 − P that onto D), and

    ∇_X Y = ∇^g_X Y + (∇^g_X P)(Y),      ∇_ċ ċ = (1 − P) g⁻¹Y,      λ = −(∇^g_ċ P)(ċ) − P g⁻¹Y

with Y the applied covector (:mod:`christoffel`): without it the motions are the geodesics of ∇ that start
in D.

Affine constraints C v + c₀ = 0, with C, c₀ and g functions of t and q, are P ċ = ν with ν = −g⁻¹Cᵀ (C g⁻¹
Cᵀ)⁻¹ c₀ in D^⊥. Differentiated along c this extends the connection form:

    ∇_ċ ċ = (1 − P) g⁻¹Y + ∇^g_ċ ν + ∂_t ν − (∂_t P)(ċ).

Only the directional derivative ∇^g_v of P enters the equation; the m³ coefficients of ∇ are computed when
they are asked for.

P may be replaced by AP with A any invertible (1,1) tensor field; then λ = −A⁻¹(∇^g_ċ (AP))(ċ), for the
first equation is to be multiplied by AP as well, and ∇ = ∇^g + A⁻¹ ∇^g(AP): only vectors outside D notice.
g may have any signature as long as D is nondegenerate. Multipliers: λ = g⁻¹Cᵀ μ, d/dt ∂L/∂v − ∂L/∂q = F + μ
C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi

from chetaev.equations.law.christoffel import QuadraticLagrangian
from chetaev.equations.law.hypotheses import (
    Plane,
    affine_constraints,
    affine_parts,
    dependent_constraints,
    no_acceleration_constraints,
    nondegenerate_normals,
    vanishing,
)
from chetaev.equations.law.law import Equations, Lazy
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.model.system import System

Tensor = list[list[list[Expr]]]
"""T^i_jk as ``T[i][j][k]``."""


@dataclass(frozen=True)
class Geometry:
    """The metric, the plane of the constraints, P = normals · normal_inverse and ν, functions of t and q."""

    s: Setup
    metric: QuadraticLagrangian
    C: SX
    normals: SX
    nu: SX
    normal_inverse: SX

    @classmethod
    def of(cls, system: System, form: str = "connection", chart: Around = None) -> Geometry:
        """Check the hypotheses and build P and ν."""
        s = Setup(system, chart=chart)
        no_acceleration_constraints(s, form, "needs a distribution D on the configurations")
        affine_constraints(s, form)
        metric = QuadraticLagrangian(s, form)
        if Plane(s).redundant:
            raise dependent_constraints(f"C g⁻¹ Cᵀ has no inverse, which the form {form!r} needs")
        C, c_0 = affine_parts(s, s.f)
        if not s.k:
            return cls(s, metric, C, casadi.SX(s.m, 0), casadi.SX.zeros(s.m), casadi.SX(0, s.m))
        normals = metric.raise_index(C.T)
        nondegenerate_normals(s, C @ normals, form)
        solved = s.solve(C @ normals, casadi.horzcat(C, c_0))
        return cls(s, metric, C, normals, -normals @ solved[:, -1], solved[:, :-1])

    @cached_property
    def P(self) -> SX:
        """The orthogonal projection onto D^⊥, a matrix."""
        return self.normals @ self.normal_inverse

    def onto_normals(self, w: SX) -> SX:
        """P w for a column w, without the matrix P."""
        return self.normals @ (self.normal_inverse @ w)

    def derivative(self, tensor: SX) -> list[SX]:
        """∇^g_j T for a (1,1) tensor T: m matrices (i, k), one a j."""
        s, Gamma = self.s, self.metric.second_kind
        by_q = s.by_q(casadi.vec(tensor))
        result = []
        for j in range(s.m):
            forms = casadi.vertcat(*(G[j, :] for G in Gamma))  # (Γ_j)^i_l
            result.append(casadi.reshape(by_q[:, j], s.m, s.m) + forms @ tensor - tensor @ forms)
        return result

    def coefficients(self, extra: list[SX]) -> list[SX]:
        """Γ^i_jk + (extra_j)^i_k: m matrices (j, k), one an i."""
        return [
            G + casadi.vertcat(*(part[i, :] for part in extra)) for i, G in enumerate(self.metric.second_kind)
        ]


def applies(s: Setup) -> None:
    """Raise unless L is a metric and the constraints an affine distribution that is nowhere null."""
    Geometry.of(s.system, chart=s.place)


def derive(
    system: System, A: Sequence[Sequence[str | Expr]] | None = None, chart: Around = None
) -> Equations:
    """The constrained connection's equation; the accelerations stand alone on the left.

    `A`: an invertible matrix of expressions in t and q, for the freedom P → AP.

    >>> import chetaev as ch
    >>> derive(ch.load("heisenberg")).P[2]  # z' = y x'
    [Expr('-y/(y^2 + 1)'), Expr('0'), Expr('1/(y^2 + 1)')]
    """
    geometry = Geometry.of(system, chart=chart)
    s, metric, nu = geometry.s, geometry.metric, geometry.nu
    tensor = None if A is None else _tensor(s, A)

    def forth(column: SX) -> SX:
        return column if tensor is None else tensor @ column

    def back(column: SX) -> SX:
        return column if tensor is None else s.solve(tensor, column)

    w = casadi.SX.sym("w", s.m)  # v, held fixed under derivatives of AP
    AP_w, A_nu = forth(geometry.onto_normals(w)), forth(nu)
    AP_v = casadi.substitute(AP_w, w, s.v)
    spray, turned, drifted = metric.along(s.v, AP_v, A_nu)
    # (∇^g_v AP)(v) + ∂_t(AP) v, and what ν moves along
    changed = casadi.substitute(s.along(AP_w), w, s.v) + turned - forth(geometry.onto_normals(spray))
    raised = metric.raise_index(metric.applied)
    right = raised - geometry.onto_normals(raised) - spray + back(s.along(A_nu) + drifted - changed)
    reaction = right + spray - raised

    def nabla() -> list[list[list[Expr]]]:
        derivative = geometry.derivative(forth(geometry.P))
        return [s.matrix(N) for N in geometry.coefficients([back(part) for part in derivative])]

    return Equations(
        form="connection",
        system=system,
        unknowns=names(s.accelerations),
        matrix=s.matrix(casadi.SX.eye(s.m)),
        right=s.graphs(right),
        recover=s.matrix(casadi.SX.eye(s.m)),
        offset=s.graphs(casadi.SX(s.m, 1)),
        multiplier_rows=s.matrix(casadi.SX(s.k, s.m)),
        multiplier_offset=s.graphs(geometry.normal_inverse @ reaction),
        objects=Lazy(
            g=lambda: s.matrix(metric.g),
            Gamma=lambda: [s.matrix(G) for G in metric.second_kind],
            P=lambda: s.matrix(geometry.P),
            nu=lambda: s.graphs(nu),
            nabla=nabla,
            lambda_=lambda: s.graphs(reaction),
        ),
        source="Lewis, slides 1 to 3; L1",
    )


# --- the geometry of ∇ (L2, L5) -----------------------------------------------------------------------


def _linear(system: System) -> Geometry:
    geometry = Geometry.of(system)
    if not all(vanishing(geometry.s, geometry.nu)):
        raise ModelError(
            "the constraints are affine, not linear, in the velocities: they give no distribution D",
            remedy="form='connection' has the equations; the geometry of ∇ is that of linear constraints",
        )
    s = geometry.s
    metric = s.by_v(casadi.gradient(s.L, s.v))
    for what, tensor in (("the constraints depend", geometry.P), ("the metric depends", metric)):
        if not all(vanishing(s, s.by_t(casadi.vec(tensor)))):
            raise ModelError(
                f"{what} on time: D and ∇ at one instant do not decide about motions",
                remedy="ch.classify says whether a rheonomic constraint is integrable, in space-time; "
                "form='connection' has the equations",
            )
    return geometry


def second_fundamental_form(system: System) -> tuple[Tensor, list[list[Expr]]]:
    """S_D(X, Y) = (∇^g_X P)(Y) on a basis W of D (its columns), as ``S[i][a][b]``; and W (L2)."""
    geometry = _linear(system)
    s, W, S = geometry.s, *_second_fundamental_form(geometry)
    return [s.matrix(part) for part in S], s.matrix(W)


def _second_fundamental_form(geometry: Geometry) -> tuple[SX, list[SX]]:
    W = Plane(geometry.s).directions
    derivative = geometry.derivative(geometry.P)
    rows = [casadi.vertcat(*(part[i, :] for part in derivative)) for i in range(geometry.s.m)]
    return W, [W.T @ row @ W for row in rows]


def is_geodesically_invariant(system: System) -> bool:
    """Whether geodesics of g that start in D stay in D: S_D is skew (L2; tested at random points).

    >>> import chetaev as ch
    >>> is_geodesically_invariant(ch.load("heisenberg"))
    False
    """
    geometry = _linear(system)
    _, S = _second_fundamental_form(geometry)
    return all(all(vanishing(geometry.s, part + part.T)) for part in S)


def torsion(system: System) -> tuple[Tensor, bool]:
    """The torsion T^i_jk = ∇^i_jk − ∇^i_kj, and whether it vanishes on D; then D is integrable (L2).

    On D it is −P[X, Y], so that it vanishes there if and only if D is integrable.
    """
    geometry = _linear(system)
    s, W = geometry.s, Plane(geometry.s).directions
    nabla = geometry.coefficients(geometry.derivative(geometry.P))
    parts = [N - N.T for N in nabla]
    return [s.matrix(T) for T in parts], all(all(vanishing(s, W.T @ T @ W)) for T in parts)


def energy_preserving(system: System) -> Tensor:
    """Coefficients of a connection with the same geodesics in D that preserves g(v, v) on all of TQ (L5).

    ∇̃_X Y = ∇^g_X Y + (∇^g_X P)(Y − 2PY) = (1 − P) ∇^g_X ((1 − P)Y) + P ∇^g_X (PY). It equals ∇ for Y in D;
    and as ∇^g_X P is symmetric and exchanges D and D^⊥, (∇^g_X P)(1 − 2P) is skew: ∇̃ is metric.
    """
    geometry = _linear(system)
    s, P = geometry.s, geometry.P
    extra = [part @ (casadi.SX.eye(s.m) - 2 * P) for part in geometry.derivative(P)]
    return [s.matrix(N) for N in geometry.coefficients(extra)]


def _tensor(s: Setup, A: Sequence[Sequence[str | Expr]]) -> SX:
    rows = [[parse(e, s.system.scope) if isinstance(e, str) else e for e in row] for row in A]
    if len(rows) != s.m or any(len(row) != s.m for row in rows):
        raise ModelError(f"A is to be a (1,1) tensor field: {s.m} rows of {s.m} expressions")
    tensor = casadi.vertcat(*(s.column(row).T for row in rows))
    if casadi.depends_on(tensor, s.v):
        raise ModelError("A depends on velocities", expected="expressions in time and coordinates")
    return tensor
