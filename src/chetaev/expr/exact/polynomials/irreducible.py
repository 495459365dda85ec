"""Polynomials that are seen to be irreducible, before they are factorized at great cost.

p = k·g + r with a number k ≠ 0 and r free of g has no proper factor: one of two would be free of g and divide
k. Most constraints are such, k times a velocity and the rest.

>>> from flint import Ordering, fmpq_mpoly_ctx
>>> x, y = fmpq_mpoly_ctx.get(["x", "y"], Ordering.lex).gens()
>>> split(x**2 * y / 2 - 3 * x - x / 4 + y**2), split(3 * x / 2 - 6 * y**3)
(None, (3/2, x - 4*y^3))
"""

from __future__ import annotations

import math

from flint import fmpq, fmpq_mpoly


def split(p: fmpq_mpoly) -> tuple[fmpq, fmpq_mpoly] | None:
    """Number times polynomial with whole coprime coefficients, the first positive, as FLINT's factors are.

    None where p is not seen to be irreducible.
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
