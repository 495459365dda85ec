"""A solution of polynomial equations modulo a prime, found by trying: for points on constraints nobody can
solve.

As many equations as unknowns. An equation in one unknown has its roots; one that is affine in an unknown
with a number as coefficient is used up; else an unknown is eliminated by resultants and found afterwards as
a root. Every solution is checked in all equations; where a root does not exist modulo p the point is
unlucky, and another one is drawn.

>>> p = PRIMES[0]
>>> context = ring(2, p)
>>> x, y = context.gens()
>>> import random
>>> found = solution([x**2 + y**2 - 2, x * y - 1], context, random.Random(0))
>>> sorted(found)
[0, 1]
>>> (found[0] * found[1] - 1) % p
0
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from flint import Ordering, nmod_mpoly_ctx, nmod_poly

from chetaev.laws.search.primes import PRIMES, UnluckyError

MOST_TERMS = 4000
"""Resultants with more terms are given up."""


def ring(unknowns: int, p: int) -> Any:
    """The polynomials in so many unknowns modulo p."""
    get: Any = nmod_mpoly_ctx.get  # its stub has the arguments in another order
    return get([f"u{i}" for i in range(unknowns)], p, Ordering.lex)


def solution(equations: Sequence[Any], context: Any, rng: random.Random) -> dict[int, int]:
    """Residues of the unknowns of a context, by their numbers; :class:`UnluckyError` if none is found."""
    p = int(context.modulus())
    for found in _solutions([e for e in equations if not e.is_zero()], {}, context, rng, p, depth=0):
        full = {i: found.get(i, rng.randrange(2, p)) for i in range(context.nvars())}
        if all(_value(e, full) == 0 for e in equations):
            return full
    raise UnluckyError


def _value(poly: Any, values: dict[int, int]) -> int:
    found = _put(poly, values)
    return 0 if found.is_zero() else int(found.leading_coefficient())


def _put(poly: Any, values: dict[int, int]) -> Any:
    return poly.subs(dict(values)) if values else poly


def _solutions(
    equations: list[Any], known: dict[int, int], context: Any, rng: random.Random, p: int, depth: int
) -> Any:
    """Candidates for solutions, as residues of the unknowns that the equations determine."""
    rest = [e for e in equations if not e.is_zero()]
    if any(e.is_constant() for e in rest) or depth > 24:
        return
    if not rest:
        yield dict(known)
        return
    used = [[i for i, d in enumerate(e.degrees()) if d] for e in rest]
    single = min((e for e, u in zip(rest, used, strict=True) if len(u) == 1), key=len, default=None)
    if single is not None:
        (i,) = (i for i, d in enumerate(single.degrees()) if d)
        for x in _roots(single, i, p, rng):
            put = [_put(e, {i: x}) for e in rest if e is not single]
            yield from _solutions(put, {**known, i: x}, context, rng, p, depth + 1)
        return
    i, pivot = _eliminated(rest)
    others = []
    for e in rest:
        if e is pivot:
            continue
        if not e.degrees()[i]:
            others.append(e)
            continue
        r = pivot.resultant(e, i)
        if len(r) > MOST_TERMS:
            raise UnluckyError
        others.append(r)
    if others or sum(bool(d) for d in pivot.degrees()) > 1:
        below = (
            _solutions(others, known, context, rng, p, depth + 1)
            if others
            else iter([{**known, **_random_others(pivot, i, rng, p)}])
        )
        for found in below:
            free = {
                j: rng.randrange(2, p)
                for j, d in enumerate(pivot.degrees())
                if d and j != i and j not in found
            }
            at = {**found, **free}
            last = _put(pivot, {j: x for j, x in at.items() if j != i})
            if last.is_zero() or last.is_constant():
                continue
            for x in _roots(last, i, p, rng):
                yield {**at, i: x}


def _random_others(pivot: Any, i: int, rng: random.Random, p: int) -> dict[int, int]:
    return {j: rng.randrange(2, p) for j, d in enumerate(pivot.degrees()) if d and j != i}


def _eliminated(equations: list[Any]) -> tuple[int, Any]:
    """The unknown to eliminate and the equation to do it with: lowest degree, then fewest terms."""
    places = [(int(d), len(e), i, n) for n, e in enumerate(equations) for i, d in enumerate(e.degrees()) if d]
    _, _, i, n = min(places)
    return i, equations[n]


def _roots(poly: Any, i: int, p: int, rng: random.Random) -> list[int]:
    """The roots modulo p of a polynomial in the unknown i alone, in random order."""
    coefficients = [0] * (int(poly.degrees()[i]) + 1)
    for monomial, c in poly.terms():
        coefficients[int(monomial[i])] = int(c)
    line = nmod_poly(coefficients, p)
    if line.degree() == 1:
        return [-coefficients[0] * pow(coefficients[1], -1, p) % p]
    found = [int(r) for r, _ in line.roots()]
    found.sort()
    rng.shuffle(found)
    return found


__all__ = ["PRIMES", "ring", "solution"]
