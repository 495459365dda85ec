"""The image of the quotient map of a compact group (SCOPE B11): relations, and a matrix that is not negative.

For a compact group with invariant form M and generators σ of its invariants, the values that σ takes are the
points of {R = 0} at which

    Gram(σ) = (⟨dσ^i, dσ^j⟩) ≥ 0

(Procesi and Schwarz, Inventiones Math. 81, 1985); the entries are invariants, so functions of σ. That is said
by its principal minors. A minor is a product; factors that are positive, and squares, can be left out,
because the others then have a sign on a dense part of the image. What follows from other inequalities, by a
sum of products of them with squares and with each other, is left out too.

The orbits have less than their greatest dimension where the determinant of the inner products of the
generators of the group does vanish, an invariant as well.

>>> from flint import fmpq_mat
>>> from chetaev.reduction.invariant_ring.linear_action import LinearAction
>>> from chetaev.reduction.invariant_ring.ring import invariant_ring
>>> turn = invariant_ring(LinearAction(2, (fmpq_mat([[0, -1], [1, 0]]),)))
>>> found = image(turn, ["a", "b", "l", "c"])
>>> [str(p) for p in found.inequalities], [str(p) for p in found.singular]
(['a', 'c'], ['a + c'])

That p ≥ 0 follows from others is shown by writing p as a sum of products of them and squares. A term is not
negative by itself if its coefficient is positive and its odd powers are letters known not to be negative. A
term that is not is taken off by a multiple of a known inequality which has such a term: p − λ μ k with λ > 0
and a monomial μ that is not negative. If nothing is left but such terms, p ≥ 0 follows; if not, nothing is
concluded.

>>> from flint import Ordering, fmpq_mpoly_ctx
>>> ring = fmpq_mpoly_ctx.get(["a", "b", "c"], Ordering.lex)
>>> a, b, c = ring.gens()
>>> follows(a * a + a * c - b * b, [a, a * c - b * b])
True
>>> follows(a * c - b * b, [a, c])
False
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from math import gcd, lcm

from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly, fmpq_mpoly_ctx

from chetaev.reduction.invariant_ring.ring import SPARE, InvariantRing

MOST_IN_BLOCK = 5
"""Invariants that have to do with each other, for all of whose minors there is room."""
MOST_PRODUCTS = 130
"""Products of generators in one degree."""


@dataclass(frozen=True)
class Image:
    """What values the invariants take."""

    inequalities: tuple[fmpq_mpoly, ...]
    """Polynomials in the invariants that are not negative."""
    sufficient: bool
    """Whether these, with the relations, describe the image; otherwise they hold on it."""
    singular: tuple[fmpq_mpoly, ...] | None
    """Polynomials in the invariants: the orbits are smaller just where one of them is zero."""


def image(ring: InvariantRing, names: Sequence[str]) -> Image | None:
    """The image in letters of these names; None if the group is not compact or the generators are not all."""
    M = ring.space.action.inner_product() if ring.complete and ring.generators else None
    if M is None:
        return None
    letters = fmpq_mpoly_ctx.get(list(names), Ordering.lex)
    gram = cache(partial(_gram, ring, M.inv()))
    degrees = [i + j for i, j in ring.degrees]

    def vanishes(i: int, j: int) -> bool:
        """Whether an entry of the matrix is zero."""
        if gram(0)[i, j] or gram(1)[i, j]:
            return False
        entry = _polynomial(ring, letters, degrees[i] + degrees[j] - 2, lambda k: gram(k)[i, j])
        return entry is not None and entry.is_zero()

    def minor_at(rows: Sequence[int], k: int) -> fmpq:
        return _minor(gram(k), rows)

    found: list[fmpq_mpoly] = []
    sufficient = True
    for rows in _minors(_blocks(len(degrees), vanishes), gram):
        degree = sum(2 * degrees[r] - 2 for r in rows)
        minor = _polynomial(ring, letters, degree, partial(minor_at, rows)) if rows else None
        sufficient = sufficient and minor is not None
        found += [] if minor is None else _conditions(ring, minor, found)
    return Image(tuple(without_consequences(found)), sufficient, _singular(ring, letters, M))


def _blocks(count: int, vanishes: Callable[[int, int], bool]) -> list[list[int]]:
    """The blocks into which the matrix falls where invariants have nothing to do with each other."""
    left = list(range(count))
    blocks: list[list[int]] = []
    while left:
        block, fresh = [left[0]], [left.pop(0)]
        while fresh:
            i = fresh.pop()
            linked = [j for j in left if not vanishes(i, j)]
            left = [j for j in left if j not in linked]
            block += linked
            fresh += linked
        blocks.append(sorted(block))
    return blocks


def _minors(blocks: Sequence[Sequence[int]], gram: Callable[[int], fmpq_mat]) -> Iterator[tuple[int, ...]]:
    """Principal minors that are to be looked at, small ones first; () if those are not enough."""
    for k in range(1, max(map(len, blocks)) + 1):
        for block in blocks:
            rank = max(fmpq_mat([[gram(p)[i, j] for j in block] for i in block]).rank() for p in range(3))
            if k > rank:
                continue
            if len(block) > MOST_IN_BLOCK and k > 1:
                yield ()
                continue
            yield from combinations(block, k)


def _gram(ring: InvariantRing, dual: fmpq_mat, k: int) -> fmpq_mat:
    """The inner products of the differentials at the k-th point."""
    n = ring.space.size
    rows = ring.sample.gradients(k)
    total = fmpq_mat(len(rows), len(rows))
    for shift in (0, n):
        half = fmpq_mat([row[shift : shift + n] for row in rows])
        total += half * dual * half.transpose()
    return total


def _minor(matrix: fmpq_mat, rows: Sequence[int]) -> fmpq:
    return fmpq_mat([[matrix[i, j] for j in rows] for i in rows]).det()


def _polynomial(
    ring: InvariantRing, letters: fmpq_mpoly_ctx, degree: int, value: Callable[[int], fmpq]
) -> fmpq_mpoly | None:
    """An invariant of a degree as a polynomial in the letters, from its values at points."""
    if not degree:
        return letters.from_dict({(0,) * letters.nvars(): value(0)})
    count = len(ring.of_degree(degree))
    if count > MOST_PRODUCTS:
        return None
    if not count:
        return letters.from_dict({})
    terms = ring.interpolated([value(k) for k in range(count + SPARE)], degree)
    return None if terms is None else letters.from_dict(terms)


def _conditions(ring: InvariantRing, minor: fmpq_mpoly, known: Sequence[fmpq_mpoly]) -> list[fmpq_mpoly]:
    """The factors of odd power that are not positive by what is known, multiplied."""
    if minor.is_zero():
        return []
    scale, factors = minor.factor()
    left = minor.context().from_dict({(0,) * minor.context().nvars(): 1 if scale > 0 else -1})
    for factor, e in factors:
        if e % 2 == 0:
            continue
        f = _again(ring, factor)
        if follows(f, known):
            continue
        left = -left if follows(-f, known) else left * f
    return [] if left.is_constant() else [left]


def _again(ring: InvariantRing, factor: fmpq_mpoly) -> fmpq_mpoly:
    """The same invariant in letters chosen for itself: relations may make a square of it."""
    degrees = [i + j for i, j in ring.degrees]
    degree = sum(e * d for e, d in zip(factor.monoms()[0], degrees, strict=True))
    found = _polynomial(ring, factor.context(), degree, lambda k: factor(*ring.sample.generators(k)))
    return factor if found is None else found


def _singular(ring: InvariantRing, letters: fmpq_mpoly_ctx, M: fmpq_mat) -> tuple[fmpq_mpoly, ...] | None:
    """Where the orbits are smaller: the sum of the principal minors of K⁻¹ (⟨A_a x, A_b x⟩) of their size.

    K = −tr(A_a A_b): this does not depend on the basis of the algebra, so it is an invariant.
    """
    generators = ring.space.action.generators
    if ring.space.action.is_finite:
        return ()
    K = fmpq_mat([[-(sum((A * B)[i, i] for i in range(A.nrows()))) for B in generators] for A in generators])
    if K.det() == 0:
        return None
    n = ring.space.size
    inverse = K.inv()

    def products(k: int) -> fmpq_mat:
        point = ring.sample.point(k)
        total = fmpq_mat(len(generators), len(generators))
        for part in (point[:n], point[n:]):
            x = fmpq_mat([[c] for c in part])
            moved = [A * x for A in generators]
            total += fmpq_mat([[(a.transpose() * M * b)[0, 0] for b in moved] for a in moved])
        return inverse * total

    orbit = max(products(k).rank() for k in range(3))

    def value(k: int) -> fmpq:
        matrix = products(k)
        return sum((_minor(matrix, rows) for rows in combinations(range(len(generators)), orbit)), fmpq(0))

    found = _polynomial(ring, letters, 2 * orbit, value)
    return None if found is None else tuple(f for f, _ in found.factor()[1])


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
