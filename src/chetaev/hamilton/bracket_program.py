"""The nonholonomic bracket as a program: nothing is expanded, and it can be evaluated anywhere (SCOPE B9).

In the coordinates z = (q, v^s) of Q at fixed time, W a basis of ker ∂f/∂v, p = ∂L/∂v, and with derivatives on
Q by the implicit function theorem, H has the vectors X_s = W^i_s ∂_i and ∂_s, on which ω is

    ω(X_s, X_t) = K_st = W_s·(p_q W_t) − W_t·(p_q W_s),   ω(X_s, ∂_t) = N_st = (WᵀMW)_st,   ω(∂_s, ∂_t) = 0,

so that {q, q} = 0, {q, v} = W N⁻¹, {v, v} = −N⁻¹ K N⁻¹. The Jacobiator is P^il ∂_l P^jk, summed cyclically.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import casadi

from chetaev.equations.law.normal_law import DerivationsOnQ
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System
from chetaev.numeric import numerical_rank


class BracketProgram:
    """P^ij = {z^i, z^j} in the chart of Q with the best pivots."""

    def __init__(self, system: System) -> None:
        self.s = Setup(system)
        self.on_q = DerivationsOnQ(self.s)
        self.independent = self.s.independent

    @cached_property
    def W(self) -> SX:
        """A basis of ker ∂f/∂v: the identity on independent velocities, ∂g/∂v on the others."""
        W = casadi.SX.zeros(self.s.m, len(self.independent))
        for column, i in enumerate(self.independent):
            W[i, column] = 1
        for row, i in enumerate(self.s.dependent):
            W[i, :] = self.on_q.g_v[row, :]
        return W

    @cached_property
    def restricted(self) -> SX:
        """N = WᵀMW."""
        return self.W.T @ self.on_q.by_v(casadi.densify(self.s.Pi))

    @property
    def singular(self) -> bool:
        """Whether N is singular at the sample point."""
        return numerical_rank(self.s.number(casadi.densify(self.restricted))) < len(self.independent)

    @cached_property
    def tensor(self) -> SX:
        """The matrix P."""
        n = len(self.independent)
        inverse = self.s.solve(casadi.densify(self.restricted), casadi.SX.eye(n)) if n else casadi.SX(0, 0)
        moved = self.W.T @ self.on_q.by_q(casadi.densify(self.s.Pi)) @ self.W
        fast = -inverse @ (moved - moved.T) @ inverse.T
        mixed = self.W @ inverse
        still = casadi.SX.zeros(self.s.m, self.s.m)
        return casadi.densify(casadi.vertcat(casadi.horzcat(still, mixed), casadi.horzcat(-mixed.T, fast)))

    def gradient(self, column: SX) -> SX:
        """Derivatives by z on Q, one row a function."""
        column = casadi.densify(column)
        return casadi.horzcat(self.on_q.by_q(column), self.on_q.by_v(column))

    def bracket(self, F: SX, G: SX) -> SX:
        """{F, G}."""
        return self.gradient(F) @ self.tensor @ self.gradient(G).T

    def jacobiator(self, F: SX, G: SX, H: SX) -> SX:
        """{F, {G, H}} + {G, {H, F}} + {H, {F, G}}."""
        b = self.bracket
        return b(F, b(G, H)) + b(G, b(H, F)) + b(H, b(F, G))

    @cached_property
    def jacobiators(self) -> tuple[Sequence[tuple[int, int, int]], list[Expr]]:
        """That of every three coordinates, with their places."""
        P, n = self.tensor, self.tensor.shape[0]
        slopes = self.gradient(casadi.vec(P)) if n else casadi.SX(0, 0)
        places = list(combinations(range(n), 3))
        found = [
            sum(P[i, :] @ slopes[j + k * n, :].T for i, j, k in ((a, b, c), (b, c, a), (c, a, b)))
            for a, b, c in places
        ]
        return places, self.s.graphs(casadi.vertcat(*found)) if found else []
