"""The growth vector of the canonical distribution at points of Q, in numbers (SCOPE K18, L2, B9).

    C¹ = C,   C^{i+1} = C^i + [C, C^i]

The fields (61) are built as CasADi graphs in ambient coordinates, C_D⁻¹ by elimination along pivots that
are good at the points; brackets are directional derivatives. Only brackets that raise the rank are kept, so
the cost grows with the length of the flag and not with the number of words. Used where the exact flag is
out of reach, and as a second opinion where it is not.
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np

from chetaev.constraint.submanifold.constraint_in_numbers import Array, Numbers
from chetaev.errors import ExhaustedError
from chetaev.numeric import CLEAR, numerical_rank, unit_rows

SX = Any
MAX_STEPS = 12
ABSENT = 1e-9
"""A field shorter than this is the rounding error of none."""
MAX_NODES = 300_000
FEW_NODES = 40_000


class LongBracketsError(ExhaustedError):
    """The brackets have become too long."""


def growth(
    numbers: Numbers,
    rows: tuple[int, ...],
    dependent: tuple[int, ...],
    points: list[Array],
    max_nodes: int = MAX_NODES,
) -> tuple[int, ...]:
    """The ranks of C, C², … on Q, the largest over the points.

    For a constraint written affine the flag of its projection D on Y is followed: C^i is its lift.

    >>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
    >>> rolling = ["x' = cos(phi)*psi'", "y' = sin(phi)*psi'"]
    >>> disc = Numbers(ConstraintData.of(rolling, ["x", "y", "psi", "phi"]))
    >>> growth(disc, (0, 1), (0, 1), disc.points(4))
    (5, 6, 7)
    """
    free = numbers.m - len(rows)
    if numbers.is_affine:
        size, lifted = 1 + numbers.m, free
        generators = _base_fields(numbers, rows, dependent, points[-1])
    else:
        size, lifted = 2 * numbers.m + 1, 0
        generators = _fields(numbers, rows, dependent, points[-1])
    full = 2 * numbers.m + 1 - len(rows) - lifted
    z = numbers.z[:size]
    values = [_evaluate(numbers, generators, points)]
    ranks = [_rank(values)]
    newest = list(generators)
    while ranks[-1] < full and len(ranks) < MAX_STEPS:
        first = len(ranks) == 1
        pairs = [(X, Y) for i, X in enumerate(generators) for j, Y in enumerate(newest) if not first or j > i]
        candidates = [b for b in (_bracket(z, X, Y) for X, Y in pairs) if not b.is_zero()]
        if candidates and casadi.n_nodes(casadi.vertcat(*candidates)) > max_nodes:
            raise LongBracketsError("the brackets have become too long")
        newest = []
        if not candidates:
            break
        at = _evaluate(numbers, candidates, points)
        rank = ranks[-1]
        for j, candidate in enumerate(candidates):
            trial = [*values, at[:, j : j + 1]]
            raised = _rank(trial)
            if raised > rank:
                values, rank = trial, raised
                newest.append(candidate)
                if rank == full:
                    break
        if rank == ranks[-1]:
            break
        ranks.append(rank)
    return tuple(r + lifted for r in ranks)


def _base_fields(numbers: Numbers, rows: tuple[int, ...], dependent: tuple[int, ...], z0: Array) -> list[SX]:
    """The fields (63) on Y of a constraint written affine."""
    m, o = numbers.m, 1 + numbers.m
    free = [i for i in range(m) if i not in dependent]
    f = casadi.vertcat(*(numbers.f[a] for a in rows))
    v = numbers.z[o:]
    C = casadi.jacobian(f, v)
    constant = casadi.substitute(f, v, casadi.DM.zeros(m))
    right = casadi.horzcat(constant, *(C[:, s] for s in free))
    slopes = -_divide(C[:, list(dependent)], right, numbers.z, z0)
    fields = []
    for column, i in enumerate([0, *(1 + s for s in free)]):
        X = casadi.SX(o, 1)
        X[i] = 1
        for row, a in enumerate(dependent):
            X[1 + a] = slopes[row, column]
        fields.append(X)
    return fields


def _fields(numbers: Numbers, rows: tuple[int, ...], dependent: tuple[int, ...], z0: Array) -> list[SX]:
    """The fields (61) in ambient coordinates, tangent to Q."""
    m, o, n = numbers.m, 1 + numbers.m, 2 * numbers.m + 1
    free = [i for i in range(m) if i not in dependent]
    z = numbers.z
    f = casadi.vertcat(*(numbers.f[a] for a in rows))
    df = casadi.jacobian(f, z)
    slopes = -_divide(df[:, [o + a for a in dependent]], df, z, z0)  # k × n: ∂g/∂x

    def tangent(i: int) -> SX:
        X = casadi.SX(n, 1)
        X[i] = 1
        for row, a in enumerate(dependent):
            X[o + a] = slopes[row, i]
        return X

    time = tangent(0)
    for row, a in enumerate(dependent):
        A = z[o + a] - sum((slopes[row, o + s] * z[o + s] for s in free), casadi.SX(0))
        time = time + A * tangent(1 + a)
    fields = [time]
    for s in free:
        down = (slopes[row, o + s] * tangent(1 + a) for row, a in enumerate(dependent))
        fields.append(sum(down, tangent(1 + s)))
    return fields + [tangent(o + s) for s in free]


def _divide(matrix: SX, right: SX, z: SX, z0: Array) -> SX:
    """matrix⁻¹ right by elimination, pivots chosen by their size at a point."""
    k = matrix.shape[0]
    work = casadi.horzcat(matrix, right)
    rows = list(range(k))
    for column in range(k):
        values = np.array(
            casadi.Function("v", [z], [casadi.densify(work[:, column])])(z0), dtype=float
        ).ravel()
        pivot = max(rows[column:], key=lambda i: abs(values[i]))
        rows[rows.index(pivot)], rows[column] = rows[column], pivot
        work[pivot, :] = work[pivot, :] / work[pivot, column]
        for i in range(k):
            if i != pivot and not work[i, column].is_zero():
                work[i, :] = work[i, :] - work[i, column] * work[pivot, :]
    return casadi.vertcat(*(work[r, k:] for r in rows)) if k else right


def _bracket(z: SX, X: SX, Y: SX) -> SX:
    return casadi.sparsify(casadi.simplify(casadi.jtimes(Y, z, X) - casadi.jtimes(X, z, Y)))


def _evaluate(numbers: Numbers, fields: list[SX], points: list[Array]) -> Array:
    """Values, shape (points, fields, n)."""
    function = casadi.Function("X", [numbers.z], [casadi.densify(casadi.horzcat(*fields))])
    return np.array([np.array(function(z), dtype=float).T for z in points])


def _rank(values: list[Array]) -> int:
    """The largest rank over the points, each field scaled to length 1."""
    stacked = np.concatenate(values, axis=1)
    best = 0
    for matrix in stacked:
        if not np.all(np.isfinite(matrix)):
            continue
        seen = matrix[np.linalg.norm(matrix, axis=1) > ABSENT]
        best = max(best, numerical_rank(unit_rows(seen), CLEAR))
    return best
