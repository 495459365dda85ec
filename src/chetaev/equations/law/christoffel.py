"""The parts of a Lagrangian quadratic in v, and the Christoffel symbols of its metric (SCOPE L1, B1).

    L = ½ g_ij(t, q) v^i v^j + b_i(t, q) v^i − V(t, q),
    Γ_kij = ½ (∂_i g_kj + ∂_j g_ki − ∂_k g_ij),      Γ^l_ij = g^lk Γ_kij   (∂ by coordinates, at fixed time),
    d/dt ∂L/∂v − ∂L/∂q − F = g (a + Γ(v, v)) − Y,
    Y_i = F_i − ∂_i V + (∂_i b_j − ∂_j b_i) v^j − ∂_t b_i − ∂_t g_ij v^j.

So Y is the whole applied covector: force, potential, gyroscopic terms, and what a metric that depends on
time adds. The metric may have any signature.
"""

from __future__ import annotations

from functools import cached_property

import casadi

from chetaev.equations.law.hypotheses import quadratic_lagrangian, regular_hessian
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.engine import SX, is_linear


class QuadraticLagrangian:
    """Metric, covector and potential of a quadratic Lagrangian, as engine nodes.

    `g`, `b`, `V`: m×m, m×1 and a scalar, functions of t and q.
    """

    def __init__(self, s: Setup, form: str) -> None:
        quadratic_lagrangian(s, form)
        regular_hessian(s, form)
        self.s = s
        p = casadi.gradient(s.L, s.v)
        self.g = s.by_v(p)
        zero = casadi.SX.zeros(s.m)
        if is_linear(p, s.v):
            self.g = casadi.substitute(self.g, s.v, zero)
            self.b = casadi.substitute(p, s.v, zero)
            self.V = -casadi.substitute(s.L, s.v, zero)
        else:  # quadratic, though the graph does not show it: no value at v = 0 can be relied on
            self.b = p - self.g @ s.v
            self.V = casadi.dot(p, s.v) - casadi.bilin(self.g, s.v, s.v) / 2 - s.L

    @cached_property
    def first_kind(self) -> list[SX]:
        """Γ_kij: m matrices (i, j), one a k."""
        s, g = self.s, self.g
        d = [_reshape(s.by_q(casadi.vec(g))[:, i], s.m) for i in range(s.m)]  # d[i][k, j] = ∂_i g_kj
        result = []
        for k in range(s.m):
            rows = casadi.vertcat(*(d[i][k, :] for i in range(s.m)))
            result.append((rows + rows.T - d[k]) / 2)
        return result

    @cached_property
    def second_kind(self) -> list[SX]:
        """Γ^l_ij: m matrices (i, j), one an l."""
        m = self.s.m
        flat = casadi.vertcat(*(casadi.vec(G).T for G in self.first_kind))
        solved = self.raise_index(flat)
        return [_reshape(solved[k, :].T, m) for k in range(m)]

    def raise_index(self, covectors: SX) -> SX:
        """g⁻¹ times columns."""
        return self.s.solve(self.g, covectors)

    def first_along(self, w: SX) -> SX:
        """Γ_kij v^i w^j = ½ (∂_v g w + ∂_w g v − ∂_k g(v, w)), a column; ∂ by coordinates only."""
        s, g = self.s, self.g
        v, u = casadi.SX.sym("v", s.m), casadi.SX.sym("w", s.m)  # held fixed under ∂
        along = casadi.jtimes(g @ u, s.q, s.v) + casadi.jtimes(g @ v, s.q, casadi.densify(w))
        total = along - casadi.gradient(casadi.bilin(g, v, u), s.q)
        here = casadi.densify(casadi.vertcat(s.v, w))
        return casadi.substitute(total / 2, casadi.vertcat(v, u), here)

    def along(self, *columns: SX) -> list[SX]:
        """Γ^l_ij v^i w^j for columns w: what ∇^g_v w has beside derivatives of w."""
        raised = self.raise_index(casadi.horzcat(*(self.first_along(w) for w in columns)))
        return [raised[:, i] for i in range(len(columns))]

    @cached_property
    def spray(self) -> SX:
        """Γ^l_ij v^i v^j, a column."""
        return self.along(self.s.v)[0]

    @cached_property
    def transport(self) -> SX:
        """The matrix (Γ_v)^l_j = Γ^l_ij v^i."""
        return casadi.vertcat(*(self.s.v.T @ G for G in self.second_kind))

    @cached_property
    def applied(self) -> SX:
        """The applied covector Y."""
        s = self.s
        b_q = s.by_q(self.b)
        g_t = _reshape(s.by_t(casadi.vec(self.g)), s.m)
        Y = s.F - casadi.gradient(self.V, s.q) + (b_q.T - b_q) @ s.v - s.by_t(self.b) - g_t @ s.v
        return casadi.densify(Y)


def _reshape(column: SX, m: int) -> SX:
    return casadi.reshape(column, m, m)
