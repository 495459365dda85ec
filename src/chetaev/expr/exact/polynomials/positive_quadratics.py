"""Polynomials of degree two that are positive: x² − xy + y², x² − 2x + 3.

p = zᵀ G z with z = (1, x_1, …, x_n) and G symmetric; p ≥ 0 everywhere if and only if G is positive
semidefinite, and p > 0 everywhere if G is positive definite. Decided by elimination without rounding.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> [is_definite(field, p.numerator) for p in (x**2 - x * y + y**2, x**2 - 3 * x * y + y**2)]
[True, False]
>>> is_definite(field, (x**2 - 2 * x + 3).numerator, strictly=True)
True
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq, fmpq_mpoly

from chetaev.expr.exact.polynomials.tower import Poly

if TYPE_CHECKING:
    from chetaev.expr.exact.field.field import Field


MAX_VARIABLES = 12


def is_definite(field: Field, p: Poly, strictly: bool = False) -> bool:
    """Whether a polynomial of degree two is ≥ 0 (or > 0) for all values of its generators."""
    used = field.tower.used(p)
    if p.total_degree() != 2 or len(used) > MAX_VARIABLES:
        return False
    place = {k: i + 1 for i, k in enumerate(used)}
    G = [[Fraction(0)] * (len(used) + 1) for _ in range(len(used) + 1)]
    for monomial, q in field.tower.terms(p):
        c = Fraction(int(q.p), int(q.q))
        indices = [place[k] for k, e in monomial for _ in range(e)]
        i, j = [0] * (2 - len(indices)) + indices
        G[i][j] += c / 2
        G[j][i] += c / 2
    return _is_semidefinite(G, strictly)


def _is_semidefinite(G: list[list[Fraction]], strictly: bool) -> bool:
    """Elimination with pivots from the diagonal; a zero pivot needs a row of zeros."""
    n = len(G)
    for k in range(n):
        if G[k][k] < 0 or (strictly and not G[k][k]):
            return False
        if not G[k][k]:
            if any(G[k][k + 1 :]):
                return False
            continue
        for i in range(k + 1, n):
            factor = G[i][k] / G[k][k]
            for j in range(k, n):
                G[i][j] -= factor * G[k][j]
    return True


def split(p: fmpq_mpoly) -> tuple[fmpq, fmpq_mpoly] | None:
    """Number times polynomial with whole coprime coefficients, the first positive, as FLINT's factors are.

    None where p is not seen to be irreducible.

    p = k·g + r with a number k ≠ 0 and r free of g has no proper factor: one of two would be free of g and
    divide k. Most constraints are such, k times a velocity and the rest; to factorize them may cost much.

    >>> from flint import Ordering, fmpq_mpoly_ctx
    >>> x, y = fmpq_mpoly_ctx.get(["x", "y"], Ordering.lex).gens()
    >>> split(x**2 * y / 2 - 3 * x - x / 4 + y**2), split(3 * x / 2 - 6 * y**3)
    (None, (3/2, x - 4*y^3))
    """
    monomials = p.monoms()
    alone = {m.index(1) for m in monomials if sum(m) == 1}
    for i in sorted(alone):
        if sum(1 for m in monomials if m[i]) == 1:
            return _content(p)
    return None


def _content(p: fmpq_mpoly) -> tuple[fmpq, fmpq_mpoly]:
    numbers = p.coeffs()
    above = math.gcd(*(int(c.p) for c in numbers))
    below = math.lcm(*(int(c.q) for c in numbers))
    k = fmpq(above if numbers[0] > 0 else -above, below)
    return k, p / k
