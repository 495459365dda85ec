"""Which inequalities p ≥ 0 follow from others, shown by writing p as a sum of products of them and squares.

A term is not negative by itself if its coefficient is positive and its odd powers are letters known not to be
negative. A term that is not is taken off by a multiple of a known inequality which has such a term: p − λ μ k
with λ > 0 and a monomial μ that is not negative. If nothing is left but such terms, p ≥ 0 follows; if not,
nothing is concluded.

>>> from flint import Ordering, fmpq_mpoly_ctx
>>> ring = fmpq_mpoly_ctx.get(["a", "b", "c"], Ordering.lex)
>>> a, b, c = ring.gens()
>>> follows(a * a + a * c - b * b, [a, a * c - b * b])
True
>>> follows(a * c - b * b, [a, c])
False
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

from flint import fmpq, fmpq_mpoly

DEPTH = 6
"""Terms that are taken off one after the other."""

Exponents = tuple[int, ...]


def without_consequences(conditions: Sequence[fmpq_mpoly]) -> list[fmpq_mpoly]:
    """The conditions that do not follow from others, the simplest kept."""
    plain = {str(q): q for q in map(_scaled, conditions)}
    kept = sorted(plain.values(), key=lambda p: (p.total_degree(), len(p), str(p)))
    for p in reversed(list(kept)):
        others = [q for q in kept if q is not p]
        if follows(p, others):
            kept = others
    return kept


def _scaled(p: fmpq_mpoly) -> fmpq_mpoly:
    """With coprime whole coefficients, its sign kept."""
    terms = p.to_dict()
    scale = lcm(*(int(c.q) for c in terms.values()))
    whole = [int(c.p) * scale // int(c.q) for c in terms.values()]
    return p * fmpq(scale, gcd(*whole))


def follows(p: fmpq_mpoly, known: Sequence[fmpq_mpoly]) -> bool:
    """Whether p ≥ 0 is shown from k ≥ 0 for the known."""
    given = [k.to_dict() for k in known]
    signed = {_letter(k) for k in given} - {None}
    return _shown(p.to_dict(), given, signed, DEPTH)


def _letter(terms: dict[Exponents, fmpq]) -> int | None:
    """The letter that a polynomial is, up to a positive factor."""
    if len(terms) != 1:
        return None
    ((exponents, c),) = terms.items()
    return exponents.index(1) if c > 0 and sum(exponents) == 1 else None


def _is_good(exponents: Exponents, signed: set[int | None]) -> bool:
    return all(e % 2 == 0 or i in signed for i, e in enumerate(exponents))


def _shown(
    terms: dict[Exponents, fmpq], known: Sequence[dict[Exponents, fmpq]], signed: set[int | None], depth: int
) -> bool:
    bad = [m for m, c in terms.items() if c < 0 or not _is_good(m, signed)]
    if not bad:
        return True
    if not depth:
        return False
    m = bad[0]
    for k in known:
        for n, c in k.items():
            factor = tuple(x - y for x, y in zip(m, n, strict=True))
            if min(factor) < 0 or not _is_good(factor, signed) or (c > 0) != (terms[m] > 0):
                continue
            ratio = terms[m] / c
            rest = dict(terms)
            for other, d in k.items():
                key = tuple(x + y for x, y in zip(other, factor, strict=True))
                rest[key] = rest.get(key, fmpq(0)) - ratio * d
                if not rest[key]:
                    del rest[key]
            if _shown(rest, known, signed, depth - 1):
                return True
    return False
