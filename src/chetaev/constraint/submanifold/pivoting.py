"""The rank condition rank ∂f/∂v = k, where it fails, and charts by pivoting (SCOPE K13; Krupková (46), (47)).

A chart of Q is a choice D of k dependent velocities with C_D invertible. Which choices work, and which is
best at a point, is read off C itself. Constraints whose differentials depend on the others everywhere on Q
are redundant; if ∂f/∂v has a smaller rank than ∂f/∂(q, v), the constraints hide a relation between
positions.

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> from chetaev.constraint.submanifold.constraint_in_numbers import Numbers
>>> numbers = Numbers(ConstraintData.of(["x' = y*z'", "2*x' = 2*y*z'"], ["x", "y", "z"]))
>>> survey(numbers, numbers.points(6)).redundant
(1,)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from chetaev import numeric
from chetaev.constraint.submanifold.constraint_in_numbers import Array, Numbers

MAX_SUBSETS = 400


@dataclass(frozen=True)
class Survey:
    """What points say about the rank condition."""

    rank: int
    """The generic rank of ∂f/∂v on Q."""
    rows: tuple[int, ...]
    """Constraints that are independent; the others are `redundant` (or hide a position constraint)."""
    redundant: tuple[int, ...]
    hidden: int
    """How many relations between positions alone the velocity constraints imply."""
    charts: tuple[tuple[int, ...], ...]
    """Sets D of dependent velocities with C_D generically invertible, best first."""
    failures: tuple[Array, ...]
    """Points where the rank is smaller than generic."""


def clear_rank(rows: Array) -> int:
    """The rank of rows of size 1 at a point of Q: they are parts of the largest possible one."""
    return numeric.numerical_rank(rows, numeric.CLEAR, 1.0)


def survey(numbers: Numbers, points: list[Array]) -> Survey:
    """Ranks, independent rows and charts from points on Q."""
    m, k = numbers.m, numbers.k
    everything = [numbers.first(z) for z in points]
    scale = row_scale(numbers)
    C = [numeric.unit_rows(J[:, 1 + m :], scale) for J in everything]
    ranks = [clear_rank(c) for c in C]
    rank = max(ranks, default=0)
    whole = max((clear_rank(numeric.unit_rows(J[:, 1:], scale)) for J in everything), default=0)
    best = max(range(len(C)), key=lambda i: (ranks[i], _digits(numeric.volume(C[i], rank))), default=0)
    rows = tuple(numeric.independent_rows(C[best])[:rank] if C else range(k))
    good = [c[list(rows)] for c, r in zip(C, ranks, strict=True) if r == rank]
    plain = [J[list(rows), 1 + m :] for J, r in zip(everything, ranks, strict=True) if r == rank]
    failures = tuple(z for z, r in zip(points, ranks, strict=True) if r < rank)
    redundant = tuple(a for a in range(k) if a not in rows)
    return Survey(rank, rows, redundant, whole - rank, _charts(good, plain, m, rank), failures)


def row_scale(numbers: Numbers) -> Array:
    """The typical size of each row of ∂f/∂v, from points anywhere near."""
    sizes = []
    starts = numbers.starts(seed=99)
    for _ in range(12):
        row = np.abs(numbers.first(next(starts))[:, 1 + numbers.m :])
        if np.all(np.isfinite(row)):
            sizes.append(row.max(axis=1, initial=0.0))
    return np.median(np.array(sizes), axis=0) if sizes else np.ones(numbers.k)


def _digits(x: float) -> float:
    """Six digits of a score: what is equal up to roundoff is told apart by its place."""
    return float(f"{x:.5e}")


def _charts(C: list[Array], plain: list[Array], m: int, rank: int) -> tuple[tuple[int, ...], ...]:
    if not rank or not C:
        return ((),)
    if comb(m, rank) > MAX_SUBSETS:
        return (_constant_pivots(C[0], np.array(plain), rank) or _pivots(C[0], rank),)
    choices = list(combinations(range(m), rank))
    minors = np.array([[abs(np.linalg.det(c[:, D])) for c in C] for D in choices])
    least = numeric.ROUNDING * minors.max(axis=0)
    scored = []
    for D, dets in zip(choices, minors, strict=True):
        if not np.all(dets > least):
            continue
        constant = dets.max() - dets.min() < numeric.ROUNDING * dets.max()
        sparse = sum(float(np.count_nonzero(np.abs(c[:, D]) > numeric.ROUNDING)) for c in C) / len(C)
        scored.append((not constant, sparse if constant else 0.0, -_digits(dets.min() / dets.max()), D))
    scored.sort()
    return tuple(s[-1] for s in scored) or (_pivots(C[0], rank),)


def _constant_pivots(C: Array, plain: Array, rank: int) -> tuple[int, ...]:
    """Columns that are the same at all points, of one entry each if there are enough: a chart of all of Q."""
    constant = np.ptp(plain, axis=0).max(axis=0) == 0
    single = np.count_nonzero(plain[0], axis=0) == 1
    for columns in (np.flatnonzero(constant & single), np.flatnonzero(constant)):
        chosen = numeric.pivot_columns(C[:, columns], rank, smallest=numeric.CLEAR)
        if len(chosen) == rank:
            return tuple(sorted(int(columns[j]) for j in chosen))
    return ()


def _pivots(C: Array, rank: int) -> tuple[int, ...]:
    """Columns by greedy pivoting."""
    return tuple(sorted(numeric.pivot_columns(C, rank, smallest=-1.0)))
