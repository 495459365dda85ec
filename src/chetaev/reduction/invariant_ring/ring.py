"""Generators of the ring of polynomial invariants of a linear action on positions and velocities (SCOPE B11).

Degree by degree: of the invariants of a degree, those that are no polynomials in generators of lower degree
are generators. That none is missing is known

    for a torus          by the minimal solutions m ≥ 0 of W m = 0: in coordinates with weights all
                         invariants are sums of invariant monomials;
    for a finite group   by Noether's bound: the number of its elements;
    for 𝔰𝔬(n) on vectors  by Weyl's first fundamental theorem: degrees 2 and n;

otherwise up to the degree that was searched, and this is said.

>>> from flint import fmpq_mat
>>> found = invariant_ring(LinearAction(2, (fmpq_mat([[0, -1], [1, 0]]),)))
>>> [str(p) for p in found.generators]
['x0^2 + x1^2', 'x0*u0 + x1*u1', '-x1*u0 + x0*u1', 'u0^2 + u1^2']
>>> found.complete, found.how
(True, 'all: the weights of the torus have minimal relations of degree 2 at most')
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flint import fmpq, fmpq_mat, fmpz_mat, fmpz_mpoly

from chetaev.reduction.invariant_ring.polynomials import (
    Exponents,
    LinearAction,
    Polynomials,
    TooManyError,
    solve,
)
from chetaev.reduction.invariant_ring.weights import hilbert_basis_degree, structure

MOST_DEGREE = 6
"""Up to which generators are searched where no bound is known."""
MOST_GENERATORS = 40
SPARE = 3
"""Points more than unknowns."""

Degrees = tuple[int, int]


@dataclass
class InvariantRing:
    """Generators, and how it is known that they are all.

    Attributes
    ----------
    space
        The polynomials.
    generators
        In increasing degree.
    degrees
        Their degrees in positions and velocities.
    complete
        Whether they are known to generate all invariants.
    how
        How, in words.
    searched
        The highest degree that was searched.
    """

    space: Polynomials
    generators: list[fmpz_mpoly] = field(default_factory=list)
    degrees: list[Degrees] = field(default_factory=list)
    complete: bool = False
    how: str = ""
    searched: int = 0
    _products: dict[Exponents, fmpz_mpoly] = field(default_factory=dict)

    def products(self, i: int, j: int) -> list[Exponents]:
        """Exponents of products of generators that have these degrees."""
        return list(_exponents(self.degrees, i, j, 0))

    def product(self, exponents: Exponents) -> fmpz_mpoly:
        """The product as a polynomial."""
        padded = (*exponents, *(0,) * (len(self.generators) - len(exponents)))
        if padded not in self._products:
            k = next((k for k, e in enumerate(padded) if e), None)
            if k is None:
                return self.space.variables[0] * 0 + 1
            less = (*padded[:k], padded[k] - 1, *padded[k + 1 :])
            self._products[padded] = self.product(less) * self.generators[k]
        return self._products[padded]

    def interpolated(self, values: Sequence[fmpq], degree: int) -> dict[Exponents, fmpq] | None:
        """The polynomial in the generators that an invariant of a degree is, squares preferred.

        The values are those at the first points of :attr:`sample`. An invariant of that degree is a
        combination of the products of generators where these are all; so many points settle which.
        None if it is none, or if there are too many products.
        """
        chosen = self.of_degree(degree)
        if not chosen or len(values) < len(chosen) + SPARE:
            return None
        rows = [[_value(e, self.sample.generators(k)) for e in chosen] for k in range(len(values))]
        solution = solve(fmpq_mat(rows), list(values))
        if solution is None:
            return None
        return {e: c for e, c in zip(chosen, solution, strict=True) if c}

    def of_degree(self, degree: int) -> list[Exponents]:
        """All products of generators of a degree in positions and velocities together, squares first."""
        every = [e for i in range(degree + 1) for e in self.products(i, degree - i)]
        return sorted(every, key=_preference)

    @cached_property
    def sample(self) -> Sample:
        """Points of whole numbers with what is computed there."""
        return Sample(self)

    @cached_property
    def rank(self) -> int:
        """How many generators are independent: the greatest rank of their differentials at three points."""
        if not self.generators:
            return 0
        sample = Sample(self)
        return max(fmpz_mat(sample.gradients(k)).rank() for k in range(3))


def invariant_ring(action: LinearAction) -> InvariantRing:
    """The generators, as far as they are found."""
    ring = InvariantRing(Polynomials(action))
    bound, words = degree_bound(action)
    last = bound if bound is not None else MOST_DEGREE
    for degree in range(1, last + 1):
        try:
            for i in range(degree, -1, -1):
                _extend(ring, i, degree - i)
        except TooManyError:
            break
        ring.searched = degree
        if len(ring.generators) > MOST_GENERATORS:
            break
    ring.complete = bound is not None and ring.searched >= bound
    searched = f"all up to degree {ring.searched}"
    ring.how = f"all: {words}" if ring.complete else f"{searched}; whether there are more is not known"
    return ring


def degree_bound(action: LinearAction) -> tuple[int | None, str]:
    """A degree beyond which there are no generators, and why."""
    if action.is_finite:
        n = len(action.elements)
        return n, f"a group of {n} elements needs no degree above {n} (Noether)"
    known = structure(action.generators)
    if known is None:
        return None, ""
    if known.is_torus:
        most = hilbert_basis_degree(known.weights)
        if most is None:
            return None, ""
        return most, f"the weights of the torus have minimal relations of degree {most} at most"
    if known.vectors is not None:
        n = known.vectors
        return max(2, n), f"rotations of vectors in {n} dimensions (Weyl's first fundamental theorem)"
    return None, ""


def _extend(ring: InvariantRing, i: int, j: int) -> None:
    """Add the generators of a pair of degrees."""
    space = ring.space
    monomials = space.monomials(i, j)
    rows = [_row(ring.product(e), monomials) for e in ring.products(i, j)]
    rank = fmpz_mat(rows).rank() if rows else 0
    fresh = space.invariants(i, j)
    for p in fresh:
        if rank == len(fresh):
            return
        new = [*rows, _row(p, monomials)]
        if fmpz_mat(new).rank() > rank:
            rows, rank = new, rank + 1
            ring.generators.append(p)
            ring.degrees.append((i, j))
            ring._products.clear()


def _row(p: fmpz_mpoly, monomials: Sequence[Exponents]) -> list[int]:
    terms = p.to_dict()
    return [int(terms.get(m, 0)) for m in monomials]


def _exponents(degrees: Sequence[Degrees], i: int, j: int, k: int) -> Iterator[Exponents]:
    if k == len(degrees):
        if i == j == 0:
            yield ()
        return
    a, b = degrees[k]
    e = 0
    while e * a <= i and e * b <= j:
        for rest in _exponents(degrees, i - e * a, j - e * b, k + 1):
            yield (e, *rest)
        e += 1


def _preference(e: Exponents) -> tuple[int, int, Exponents]:
    """Squares first, then products of few generators."""
    return sum(x % 2 for x in e), sum(e), tuple(-x for x in e)


def _value(exponents: Exponents, values: Sequence[int]) -> int:
    found = 1
    for x, e in zip(values, exponents, strict=True):
        found *= x**e
    return found


class Sample:
    """Points, values of the generators and of their differentials there; no dice are thrown."""

    def __init__(self, ring: InvariantRing) -> None:
        self.ring = ring
        self._points: list[list[int]] = []
        self._values: list[list[int]] = []

    def point(self, k: int) -> list[int]:
        """The k-th point."""
        n = 2 * self.ring.space.size
        while len(self._points) <= k:
            state = 7919 * (len(self._points) + 1)
            row = []
            for _ in range(n):
                state = (state * 1103515245 + 12345) % 2**31
                row.append(state // 65536 % 19 - 9)
            self._points.append(row)
        return self._points[k]

    def generators(self, k: int) -> list[int]:
        """The values of the generators at the k-th point."""
        while len(self._values) <= k:
            here = self.point(len(self._values))
            self._values.append([int(p(*here)) for p in self.ring.generators])
        return self._values[k]

    def gradients(self, k: int) -> list[list[int]]:
        """The differentials of the generators at the k-th point."""
        here = self.point(k)
        return [[int(d(*here)) for d in row] for row in self._derivatives]

    @cached_property
    def _derivatives(self) -> list[list[fmpz_mpoly]]:
        n = 2 * self.ring.space.size
        return [[p.derivative(i) for i in range(n)] for p in self.ring.generators]
