"""How many Killing fields can a metric have? The prolonged linear system at a point (SCOPE L3).

A Killing field is determined by its 1-jet (X, ∂X) at one point. The equations E_ij = (L_X g)_ij = 0
differentiated up to the order k are linear in the (k + 1)-jet of X,

    ∂_β E_ij = Σ_γ≤β binom(β, γ) [ ∂_{β−γ}∂_l g_ij X^l_γ + ∂_{β−γ} g_lj X^l_{γ+i} + ∂_{β−γ} g_il X^l_{γ+j} ]
    = 0,

and eliminating all jets of order 2 and more leaves conditions on (X, ∂X): for k = 0 that ∂X is skew, n(n +
1)/2 free values; for k = 2 and more that X and ∂X leave the curvature and its derivatives as they are. So n
+ n² minus their number bounds the dimension of the algebra. The numbers are residues at a random point: the
rank there is at most that at a generic point, so the bound holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import comb, prod

import casadi
from flint import nmod_mat

from chetaev.equations.law.setup import Setup
from chetaev.expr.exact.numbers.number_echelon import NumberEchelon
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.laws.search.motion_modulo_prime import Motion

MOST_UNKNOWNS = 1000
"""Jets of X; higher orders are not tried."""
MOST_PARTIALS = 4000
"""Derivatives of the metric that are written down."""
ORDERS = (0, 2, 3)

Index = tuple[int, ...]
"""A multi-index as ascending coordinate numbers, with repetition."""


def bound(motion: Motion, s: Setup, g: SX) -> tuple[int, int]:
    """The bound on the number of Killing fields, and the order k that gives it."""
    n = s.m
    best, at = n * (n + 1) // 2, 0
    for k in ORDERS[1:]:
        unknowns = n * comb(n + k + 1, n)
        partials = n * (n + 1) // 2 * comb(n + k + 1, n)
        if unknowns > MOST_UNKNOWNS or partials > MOST_PARTIALS:
            break
        found = _at_order(motion, s, g, k)
        if found < best:
            best, at = found, k
    return best, at


def _indices(n: int, order: int) -> Iterator[Index]:
    for k in range(order + 1):
        yield from combinations_with_replacement(range(n), k)


def _partials(s: Setup, g: SX, order: int) -> dict[tuple[int, int, Index], Expr]:
    """∂_γ g_ij for i ≤ j and |γ| up to the order, as graphs."""
    n = s.m
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    level: dict[Index, SX] = {(): casadi.densify(casadi.vertcat(*(g[i, j] for i, j in pairs)))}
    every: dict[Index, SX] = dict(level)
    for _ in range(order):
        following = {}
        for gamma, column in level.items():
            slopes = s.by_q(column)
            for c in range(gamma[-1] if gamma else 0, n):
                following[(*gamma, c)] = casadi.densify(slopes[:, c])
        every |= following
        level = following
    matrices = s.matrices(*every.values())
    return {
        (i, j, gamma): matrix[r][0]
        for gamma, matrix in zip(every, matrices, strict=True)
        for r, (i, j) in enumerate(pairs)
    }


def _at_order(motion: Motion, s: Setup, g: SX, k: int) -> int:
    n = s.m
    graphs = _partials(s, g, k + 1)
    moving = motion.standpoint.apply(list(graphs.values()))
    motion.meet(moving)
    point = motion.points(seed=11).draw()
    p = point.residues.p
    numbers = dict(zip(graphs, point.residues.program(moving)(point.values), strict=True))

    def metric(i: int, j: int, *more: int) -> int:
        return numbers[min(i, j), max(i, j), tuple(sorted(more))]

    jets = sorted(_indices(n, k + 1), key=lambda gamma: -len(gamma))  # high orders are eliminated first
    place = {(c, gamma): n * r + c for r, gamma in enumerate(jets) for c in range(n)}
    rows: list[int] = []
    height = 0
    for i in range(n):
        for j in range(i, n):
            for beta in _indices(n, k):
                row = [0] * len(place)
                for gamma, rest, times in _splits(beta):
                    for c in range(n):
                        row[place[c, gamma]] += times * metric(i, j, c, *rest)
                        row[place[c, tuple(sorted((*gamma, i)))]] += times * metric(c, j, *rest)
                        row[place[c, tuple(sorted((*gamma, j)))]] += times * metric(i, c, *rest)
                rows += [x % p for x in row]
                height += 1
    low = len(place) - n - n * n
    return n + n * n - sum(c >= low for c in NumberEchelon(nmod_mat(height, len(place), rows, p)).pivots)


def _splits(beta: Index) -> Iterator[tuple[Index, Index, int]]:
    """γ, β − γ and the binomial coefficient, for all γ ≤ β."""
    names = sorted(set(beta))
    powers = [beta.count(c) for c in names]
    for number in range(prod(e + 1 for e in powers)):
        taken, rest = [], number
        for e in powers:
            taken.append(rest % (e + 1))
            rest //= e + 1
        gamma = tuple(c for c, t in zip(names, taken, strict=True) for _ in range(t))
        left = tuple(c for c, e, t in zip(names, powers, taken, strict=True) for _ in range(e - t))
        yield gamma, left, prod(comb(e, t) for e, t in zip(powers, taken, strict=True))
