"""Gröbner bases by FLINT: the one place that calls its Buchberger algorithm.

>>> from flint import Ordering, fmpz_mpoly_ctx
>>> ring = fmpz_mpoly_ctx.get(["x", "y"], Ordering.lex)
>>> x, y = ring.gens()
>>> groebner(ring, [x - y**2, x * y - 1], (100, 100, 1000))
([x - y^2, y^3 - 1], True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpz_mpoly_vec

HIGHEST = 1 << 32
"""Exponents from here on make no basis: FLINT ends the process where products leave a machine word."""

Limits = tuple[int, int, int]
"""Of polynomials in the basis, of terms of one, of bits of a coefficient."""


def groebner(ring: Any, members: Sequence[Any], limits: Limits) -> tuple[list[Any], bool]:
    """The reduced basis, and True; or, where it grew beyond the limits, members of the ideal, and False."""
    kept = [p for p in members if not p.is_zero()]
    if any(e >= HIGHEST for p in kept for e in p.degrees()):
        return kept, False
    if not kept:
        return [], True
    found: Any = fmpz_mpoly_vec(kept, ring).buchberger_naive(limits=limits)  # its stubs know one result
    basis, complete = found
    return [p for p in (basis.autoreduction() if complete else basis) if not p.is_zero()], bool(complete)
