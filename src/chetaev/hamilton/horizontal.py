"""Distributions on the constraint submanifold of velocity phase space (SCOPE B9; Bates and Nester, 5).

In the coordinates (q, v), with p = ∂L/∂v and ω = dq^i ∧ dp_i, at a point of Q = {f = 0}, C = ∂f/∂v:

    F = {(w, z) : C w = 0}                   the kernel of the forms φ^A = ∂f^A/∂v dq,
    TQ = {(w, z) : f_q w + C z = 0},
    H = F ∩ TQ,      K = TQ ∩ H^ω,           TQ = H ⊕ K where ω_H, the restriction of ω to H, is regular.

ω_H is regular exactly where det(WᵀMW) ≠ 0, W spanning ker C and M = ∂²L/∂v∂v; for regular M that is det(C
M⁻¹ Cᵀ) ≠ 0, the paper's g-nondegeneracy. In a definite metric independent constraints suffice, in an
indefinite one they do not, and the question is asked *on Q*: the cone of null directions is degenerate there
and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from chetaev.effort import EFFORT
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.exact.vanishing import Verdict
from chetaev.laws.standpoint import judge
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System

Vector = list[Element]
Result = TypeVar("Result")

EXACT = 5 * 10**7
"""What normal forms may cost."""


class Horizontal:
    """F, TQ, H and K in the chart of Q that the derivations use, as exact functions on Q."""

    def __init__(self, system: System, effort: int = EFFORT) -> None:
        self.system, self.effort = system, effort
        self.on = OnConstraint(system, EXACT)
        self.field = self.on.field
        self.m = len(system.coordinates)
        self.dependent = Setup(system).dependent if self.on.f else []
        self.independent = [i for i in range(self.m) if i not in self.dependent]
        self.q = [(c, 0) for c in system.coordinates]
        self.v = [(c, 1) for c in system.coordinates]

    def on_q(self, e: Element) -> Element:
        """The function on Q, dependent velocities replaced where the constraints are affine."""
        return e.subs(self.on.closed) if self.on.closed else e

    @cached_property
    def f(self) -> Vector:
        """The constraints."""
        return [self.field(e) for e in self.on.f]

    @cached_property
    def C(self) -> list[Vector]:
        """∂f/∂v."""
        return [[self.on_q(e.diff(x)) for x in self.v] for e in self.f]

    @cached_property
    def f_q(self) -> list[Vector]:
        """∂f/∂q."""
        return [[self.on_q(e.diff(x)) for x in self.q] for e in self.f]

    @cached_property
    def lagrangian(self) -> Element:
        """L on J¹Y."""
        return self.field(self.system.lagrangian)

    @cached_property
    def p(self) -> Vector:
        """∂L/∂v on J¹Y."""
        return [self.lagrangian.diff(x) for x in self.v]

    @cached_property
    def p_v(self) -> list[Vector]:
        """M = ∂²L/∂v∂v."""
        return [[self.on_q(e.diff(x)) for x in self.v] for e in self.p]

    @cached_property
    def p_q(self) -> list[Vector]:
        """∂p/∂q."""
        return [[self.on_q(e.diff(x)) for x in self.q] for e in self.p]

    def solved(self, rights: Sequence[Vector]) -> list[Vector]:
        """Vectors z with entries in the dependent places only and C z = right."""
        if not self.dependent:
            return [[self.field.zero] * self.m for _ in rights]
        C_D = [[row[d] for d in self.dependent] for row in self.C]
        found = []
        for x in linear.solve_columns(C_D, rights):
            z = [self.field.zero] * self.m
            for d, e in zip(self.dependent, x, strict=True):
                z[d] = e
            found.append(z)
        return found

    @cached_property
    def W(self) -> list[Vector]:
        """A basis of ker C: the virtual displacements."""
        W = self.solved([[-row[s] for row in self.C] for s in self.independent])
        for w, s in zip(W, self.independent, strict=True):
            w[s] = self.field.one
        return W

    def tangent(self, positions: Sequence[Vector]) -> list[Vector]:
        """Tangent vectors of Q over given (w, ·): the dependent velocities follow."""
        rights = [[-dot(row, w) for row in self.f_q] for w in positions]
        return [[*w, *z] for w, z in zip(positions, self.solved(rights), strict=True)]

    @cached_property
    def vectors(self) -> list[Vector]:
        """The 2(m − k) vectors of H."""
        still = [self.field.zero] * self.m
        return [*self.tangent(self.W), *([*still, *w] for w in self.W)]

    def omega(self, X: Vector, Y: Vector) -> Element:
        """ω(X, Y) = dq(X)·dp(Y) − dq(Y)·dp(X)."""
        total = self.field.zero
        for a in range(self.m):
            slope = [*self.p_q[a], *self.p_v[a]]
            if not X[a].is_zero:
                total = total + X[a] * dot(slope, Y)
            if not Y[a].is_zero:
                total = total - Y[a] * dot(slope, X)
        return total

    @cached_property
    def omega_H(self) -> list[Vector]:
        """The matrix of ω on H."""
        n = len(self.vectors)
        found = [[self.field.zero] * n for _ in range(n)]
        for i in range(n):
            for j in range(i):
                found[i][j] = self.omega(self.vectors[i], self.vectors[j])
                found[j][i] = -found[i][j]
        return found

    @cached_property
    def restricted(self) -> list[Vector]:
        """WᵀMW: the metric on virtual displacements."""
        return [[dot(w, [dot(row, u) for row in self.p_v]) for u in self.W] for w in self.W]

    @cached_property
    def regular(self) -> Verdict:
        """The verdict on det(WᵀMW) = 0 on Q: "nonzero" where ω_H is regular at generic points of Q."""
        if not self.W:
            return Verdict("nonzero", True, method="no virtual displacements")
        graph = linear.determinant(self.restricted).to_expr()
        return judge(self.system, lambda s: vanish(self.system, [graph], s, self.effort)[0])[0]

    @cached_property
    def inverse(self) -> list[Vector]:
        """The inverse of ω_H; a ModelError where it is degenerate on all of Q."""
        if self.regular.is_zero:
            raise ModelError(
                "ω restricted to the distribution H is degenerate, so there is no bracket: the velocity "
                "Hessian ∂²L/∂v∂v is singular on the virtual displacements, det(WᵀMW) = 0 on all of Q (Q is "
                "not g-nondegenerate, B9)",
                remedy="ch.dirac brings degenerate Lagrangians to their end",
            )
        return linear.inverse(self.omega_H) if self.omega_H else []


def within(
    compute: Callable[[], Result], what: str = "the distributions", error: type[ModelError] = ModelError
) -> Result:
    """What a computation gives; an error with a sentence where it costs too much."""
    found = ask(compute)
    if isinstance(found, GivenUp):
        raise error(f"{what}: {found.reason}")
    return found
