"""The second-order field Γ on Q from a 2-form: i_ΓΩ = 0 (SCOPE Sa9; Sarlet, section 6).

On Q with coordinates (t, q^A, v^α), q^A = (q^α, q^a), and L̄ = L∘ι, B^a_α = ∂g^a/∂v^α, X_α = ∂/∂q^α +
B^a_α ∂/∂q^a, θ^α = dq^α − v^α dt, η^a = dq^a − B^a_α dq^α − (g^a − B^a_α v^α) dt:

    θ_L̄ = L̄ dt + S(dL̄) = L̄ dt + ∂L̄/∂v^α θ^α
    ψ   = (C^a_α ∂L/∂v^a∘ι + F_α + B^a_α F_a) θ^α − ∂L̄/∂q^a η^a,       C^a_α = Γ(B^a_α) − X_α(g^a)
    Ω   = dθ_L̄ + ψ∧dt,        Γ = ∂/∂t + v^α ∂/∂q^α + g^a ∂/∂q^a + f^α ∂/∂v^α,       i_ΓΩ = 0.

Why this ψ: in the basis dual to (Γ, X_α, ∂/∂q^a, ∂/∂v^α), i_Γ dθ_L̄ = (Γ(∂L̄/∂v^α) − X_α(L̄)) θ^α −
∂L̄/∂q^a η^a, and i_Γ(ψ∧dt) = −ψ. So −N(dL̄) removes the η-part, and the θ-part is the law. Sarlet prints
it for linear constraints and no force. For nonlinear ones the same ψ is right with Γ(B^a_α) = d'_c
B^a_α/dt + f^β ∂²g^a/∂v^α∂v^β: ψ then contains the unknown f, still linearly. The force enters as above,
with the sign of DESIGN (d/dt ∂L/∂v − ∂L/∂q = F + …).
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi

from chetaev.equations.law.hypotheses import only_velocities
from chetaev.equations.law.law import Equations
from chetaev.equations.law.normal_law import ChosenChart, DerivationsOnQ
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.expr.graph.engine import SX
from chetaev.model.system import System
from chetaev.numeric import is_regular

ON_Q = "Γ is a vector field on a submanifold of J¹Y; constraints on accelerations define none"


class FormsOnQ(DerivationsOnQ):
    """1-forms on Q as columns of coefficients of (dt, dq^1 … dq^m, dv^s), 2-forms as skew matrices."""

    def __init__(self, s: Setup) -> None:
        super().__init__(s)
        self.n = len(s.independent)
        self.size = 1 + s.m + self.n
        self.dt = self._unit(0)
        self.dq = [self._unit(1 + i) for i in range(s.m)]
        self.dv = [self._unit(1 + s.m + i) for i in range(self.n)]
        # θ^α and η^a: the contact forms of the independent coordinates, and the constraint forms (60)
        self.theta = [self.dq[i] - s.v[i] * self.dt for i in s.independent]
        self.eta = [self.dq[i] - s.v[i] * self.dt for i in s.dependent]
        for a in range(len(self.eta)):
            for r in range(self.n):
                self.eta[a] -= self.g_v[a, r] * self.theta[r]

    def _unit(self, i: int) -> SX:
        column = casadi.SX(self.size, 1)
        column[i] = 1
        return column

    def d(self, function: SX) -> SX:
        """The differential of functions on Q; one row a function."""
        return casadi.horzcat(self.by_t(function), self.by_q(function), self.by_v(function))

    @property
    def X(self) -> SX:
        """The fields X_α = ∂/∂q^α + B^a_α ∂/∂q^a as columns."""
        fields = casadi.SX(self.size, self.n)
        for i, independent in enumerate(self.s.independent):
            fields[1 + independent, i] = 1
            for a, dependent in enumerate(self.s.dependent):
                fields[1 + dependent, i] = self.g_v[a, i]
        return fields

    def along_g(self) -> SX:
        """d'_c g/dt, the part of the dependent accelerations that is free of the independent ones."""
        return self.g_t + self.g_q @ self.s.v

    def exterior(self, form: SX) -> SX:
        """dη of a 1-form η: entry (i, j) is ∂_i η_j − ∂_j η_i, so that dη(X, Y) = Xᵀ (dη) Y."""
        by = self.d(casadi.densify(form))
        return by.T - by

    def wedge(self, alpha: SX, beta: SX) -> SX:
        """α∧β as a skew matrix."""
        return alpha @ beta.T - beta @ alpha.T


def cartan_form(on_q: FormsOnQ) -> SX:
    """θ_L̄ = L̄ dt + S(dL̄)."""
    L_v = on_q.by_v(on_q.s.L)
    theta = on_q.s.L * on_q.dt
    for i in range(on_q.n):
        theta += L_v[i] * on_q.theta[i]
    return theta


def curvature(on_q: FormsOnQ, f: SX) -> SX:
    """C^a_α = Γ(B^a_α) − X_α(g^a), with f the accelerations in Γ."""
    S, D = on_q.s.independent, on_q.s.dependent
    C = casadi.SX(len(D), on_q.n)
    for a in range(len(D)):
        B = on_q.g_v[a, :].T
        X_g = on_q.g_q[a, S] + on_q.g_q[a, D] @ on_q.g_v
        C[a, :] = (on_q.along(B) + on_q.by_v(B) @ f).T - X_g
    return C


def correction(on_q: FormsOnQ, C: SX) -> SX:
    """ψ: the force and C^a_α ∂L/∂v^a on θ^α, and −N(dL̄)."""
    s, S, D = on_q.s, on_q.s.independent, on_q.s.dependent
    on_theta = s.F[S, 0] + on_q.g_v.T @ s.F[D, 0] + C.T @ s.by_v(s.L)[:, D].T
    L_q = on_q.by_q(s.L)
    psi = casadi.SX(on_q.size, 1)
    for i in range(on_q.n):
        psi += on_theta[i] * on_q.theta[i]
    for a, dependent in enumerate(D):
        psi -= L_q[dependent] * on_q.eta[a]
    return psi


def applies(s: Setup) -> None:
    """Raise unless the constraints define a submanifold Q of J¹Y, and L̄ is regular on it."""
    only_velocities(s, ON_Q)
    B = s.number(DerivationsOnQ(s).restricted_hessian)
    if not is_regular(B):
        raise _not_regular()


def _not_regular() -> ModelError:
    return ModelError(
        "the restricted Lagrangian is not regular on Q: i_ΓΩ = 0 has no unique second-order solution Γ",
        remedy="singular.analyse says which accelerations stay free; form='chetaev' states the law",
    )


def derive(system: System, dependent: Sequence[str] | None = None, chart: Around = None) -> Equations:
    """The law i_ΓΩ = 0; unknowns are the components f^α of Γ, in the chart of `dependent` if given.

    >>> import chetaev as ch
    >>> law = derive(ch.load("knife-edge"))
    >>> law.unknowns == tuple(f"{c}''" for c in law.chart), len(law.Gamma)
    (True, 6)
    """
    s = ChosenChart(system, dependent, chart)
    only_velocities(s, ON_Q)
    on_q = FormsOnQ(s)
    S, n = s.independent, on_q.n
    f = s.a[S, 0]  # also where S is empty
    theta = cartan_form(on_q)
    C = curvature(on_q, f)
    psi = correction(on_q, C)
    omega = on_q.exterior(theta) + on_q.wedge(psi, on_q.dt)
    contraction = omega.T @ casadi.vertcat(1, s.v, f)
    law = on_q.X.T @ contraction
    matrix = casadi.jacobian(law, f)
    right = -casadi.substitute(law, f, casadi.SX.zeros(n))
    try:
        accelerations = s.solve(matrix, right) if n else casadi.SX(0, 1)
    except ModelError:
        raise _not_regular() from None
    recover, offset = s.lifted(on_q.g_v, on_q.along_g())
    return Equations(
        form="sode",
        system=system,
        unknowns=names([s.accelerations[i] for i in S]),
        matrix=s.matrix(matrix),
        right=s.graphs(right),
        recover=s.matrix(recover),
        offset=s.graphs(offset),
        objects={
            "Gamma": s.graphs(casadi.vertcat(1, s.v, accelerations)),
            "theta": s.graphs(theta),
            "psi": s.graphs(psi),
            "C": s.matrix(C),
            "Omega": s.matrix(omega),
            "contraction": s.graphs(contraction),
            "chart": tuple(system.coordinates[i] for i in S),
        },
        source="Sarlet, section 6; Sa9",
    )
