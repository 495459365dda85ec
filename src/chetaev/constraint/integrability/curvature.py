"""The curvature of an affine constraint at a point modulo a prime: is [D, D] ⊂ D, and how much does it add?

For C v + c = 0 with dependent velocities D, and X_0 = ∂/∂t + A^a ∂/∂q^a, X_s = ∂/∂q^s + B^a_s ∂/∂q^a,

    [A | B] = −C_D⁻¹ [c | C_S],      X([A | B]) = −C_D⁻¹ (X([c | C_S]) + X(C_D) [A | B]),
    [X_x, X_y] = (X_x(B^a_y) − X_y(B^a_x)) ∂/∂q^a                                        (SCOPE K18, D2)

so the curvature at a point needs the values of C, c and of their derivatives there, and one inverse of
numbers: no function is divided, and the cost is that of a few products of matrices for any constraint.
With residues in GF(p) for the generators of the function field
(:mod:`chetaev.constraint.integrability.modular_kernel`) nothing is rounded.
A minor that does not vanish modulo p at a point does not vanish as a function: the rank found is a
proved lower bound of the generic one, where the normal form decides zero.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> curvature_rank(Constraint.of(["z' = y*x'", "w' = y*y'"], ["x", "y", "z", "w"]))
1
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from flint import nmod_mat

from chetaev.constraint.integrability.modular_kernel import PRIME, UnluckyError, evaluate, values_at_random
from chetaev.expr.exact.effort import cost

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint
    from chetaev.expr.exact import Element

TRIES = 12

Sparse = dict[tuple[int, int], "Element"]


def curvature_rank(constraint: Constraint) -> int | None:
    """How many directions [D, D] adds to D at a random point modulo p; None if no point can be used.

    The constraint must be written affine; its function field may contain square roots, not other ones.
    """
    field, store = constraint.field, constraint.__dict__.setdefault("_remembered", {})
    found: int | None = field.ledger.recall(
        field.tower.budget, store, "curvature_rank", lambda: _curvature_rank(constraint)
    )
    return found


def _curvature_rank(constraint: Constraint) -> int | None:
    table = _Table(constraint)
    k, budget = constraint.codimension, constraint.field.tower.budget
    rng, fixed = random.Random(3), dict[int, int]()
    for _ in range(TRIES):
        budget.spend(cost.elimination(k * len(constraint.coordinates), k))
        try:
            values = values_at_random(constraint.chart.field, rng, fixed)
            return table.rank(values)
        except UnluckyError:
            continue
    return None


class _Table:
    """The entries of [C_D | c | C_S] and their derivatives along t and q, those that are not zero."""

    def __init__(self, constraint: Constraint) -> None:
        D = constraint.survey.charts[0]
        S = [i for i in range(len(constraint.coordinates)) if i not in D]
        self.k, self.r = len(D), len(S)
        place = {(q, 0): 1 + i for i, q in enumerate(constraint.coordinates)} | {
            (constraint.given.time, 0): 0
        }
        self.entries: Sparse = {}
        for a, (row, given) in enumerate(zip(constraint.jacobian, constraint.survey.rows, strict=True)):
            columns = [*(row[i] for i in D), constraint.at_rest[given], *(row[i] for i in S)]
            self.entries |= {(a, j): e for j, e in enumerate(columns) if not e.is_zero}
        self.slopes: dict[int, Sparse] = {}
        for at, e in self.entries.items():
            for name in sorted(e.symbols & place.keys()):
                slope = e.diff(name)
                if not slope.is_zero:
                    self.slopes.setdefault(place[name], {})[at] = slope
        self.dependent = [1 + i for i in D]
        self.free = [0, *(1 + i for i in S)]

    def _matrix(self, entries: dict[tuple[int, int], int], first: int, last: int) -> nmod_mat:
        """Columns first … last − 1 as a matrix."""
        width = last - first
        flat = [0] * (self.k * width)
        for (a, j), x in entries.items():
            if first <= j < last:
                flat[a * width + j - first] = x
        return nmod_mat(self.k, width, flat, PRIME)

    def rank(self, values: dict[int, int]) -> int:
        """The rank of all brackets at the point."""
        k, width = self.k, self.k + 1 + self.r
        now = {at: evaluate(e, values) for at, e in self.entries.items()}
        slopes = {i: {at: evaluate(e, values) for at, e in part.items()} for i, part in self.slopes.items()}
        inverse = -_inverse(self._matrix(now, 0, k))
        B = inverse * self._matrix(now, k, width)
        changes: list[nmod_mat | None] = []
        for x, i in enumerate(self.free):
            moved: dict[tuple[int, int], int] = {}
            along = [(i, 1), *((d, int(B[a, x])) for a, d in enumerate(self.dependent))]
            for j, factor in along:
                if factor and j in slopes:
                    for at, slope in slopes[j].items():
                        moved[at] = (moved.get(at, 0) + factor * slope) % PRIME
            if moved:
                changes.append(inverse * (self._matrix(moved, k, width) + self._matrix(moved, 0, k) * B))
            else:
                changes.append(None)
        return _rank_of_brackets(changes, k)


def _inverse(matrix: nmod_mat) -> nmod_mat:
    try:
        return matrix.inv()
    except ZeroDivisionError:  # FLINT's word for a matrix that is singular, as C_D is at this point
        raise UnluckyError from None


def _rank_of_brackets(changes: list[nmod_mat | None], k: int) -> int:
    """The rank of the columns X_x(B_y) − X_y(B_x), x < y."""
    columns: list[list[int]] = []
    zero = [0] * k
    rank = 0
    tables = [None if c is None else c.transpose().tolist() for c in changes]
    for x, first in enumerate(tables):
        for y in range(x + 1, len(tables)):
            second = tables[y]
            left = zero if first is None else [int(e) for e in first[y]]
            right = zero if second is None else [int(e) for e in second[x]]
            column = [(p - q) % PRIME for p, q in zip(left, right, strict=True)]
            if any(column):
                columns.append(column)
        if len(columns) > 2 * k:
            rank, columns = _compressed(columns, k)
            if rank == k:
                return k
    return _compressed(columns, k)[0]


def _compressed(columns: list[list[int]], k: int) -> tuple[int, list[list[int]]]:
    """The rank, and as many rows that span the same."""
    if not columns:
        return 0, []
    matrix, rank = nmod_mat(len(columns), k, [e for c in columns for e in c], PRIME).rref()
    return rank, [[int(e) for e in row] for row in matrix.tolist()[:rank]]
