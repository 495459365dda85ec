"""Gauss's principle for constraints that need not be independent, in numbers of any length.

Udwadia and Kalaba 1992; with M singular, Udwadia and Phohomsiri 2006. With ⁺ the Moore–Penrose inverse,

    a = [ (1 − C⁺C) M ]⁺ [ (1 − C⁺C)(F − h) ]
        [      C      ]  [       −c         ],      μ = (Cᵀ)⁺ (M a + h − F),

and d/dt ∂L/∂v − ∂L/∂q = F + μ C, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.equations.law.law import SingularError
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context, read_matrix
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System
from chetaev.numeric.many_digits import pseudo_inverse


@dataclass(frozen=True)
class MoorePenrose:
    """Gauss's principle by Moore–Penrose inverses, evaluated in numbers only."""

    system: System
    M: Sequence[Sequence[Expr]]
    h: Sequence[Expr]
    C: Sequence[Sequence[Expr]]
    c: Sequence[Expr]
    F: Sequence[Expr]
    """The ingredients at a point of J¹Y, as exact graphs."""

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
    """Redundant constraints and a singular M are no obstacle."""
    s = Setup(system)
    M, h = s.inertia
    return MoorePenrose(
        system, s.matrix(M), s.graphs(h), s.matrix(s.rows.C), s.graphs(s.rows.c), s.graphs(s.F)
    )
