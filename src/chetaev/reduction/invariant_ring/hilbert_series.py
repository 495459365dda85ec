"""Dimensions of the invariants of each degree, and their generating function, from weights (Molien, Weyl).

With two copies of a space (positions and velocities) and the character Σ_w z^w of one,

    Σ dim_{ij} s^i t^j = constant term of  F(z) / Π_w (1 − s z^w)(1 − t z^w).

For s = t that is a rational function: every coefficient of F gives the series of the lattice points
m ≥ 0, W m = λ, which times Π (1 − t^deg) over the extreme rays of {m ≥ 0, W m = 0} is a polynomial, of a
degree of at most that of the product plus the greatest degree of a vertex of {m ≥ 0, W m = λ}. So a finite
number of dimensions gives all.

>>> from flint import fmpq_mat
>>> from chetaev.reduction.invariant_ring.weights import structure
>>> turn = structure((fmpq_mat([[0, -1], [1, 0]]),))
>>> Dimensions(turn)(1, 1), Dimensions(turn)(2, 0)
(2, 1)
>>> above, below = series(turn)
>>> [int(c) for c in (above // above.gcd(below)).coeffs()]
[-1, 0, -1]
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import gcd, lcm

from flint import fmpq, fmpq_mat, fmpz_poly

from chetaev.reduction.invariant_ring.linear_action import nullspace, solve
from chetaev.reduction.invariant_ring.weights import Laurent, Structure, Weight, times

MOST_RAYS = 120
MOST_DEGREE = 90
"""Of the series that is computed."""


class Dimensions:
    """dim of the invariants of degree i in the positions and j in the velocities."""

    def __init__(self, known: Structure) -> None:
        self.known = known
        zero = (0,) * len(known.weights[0])
        self._characters: list[Laurent] = [{zero: 1}]
        self._with_factor: dict[int, Laurent] = {}

    def character(self, degree: int) -> Laurent:
        """Of the polynomials of a degree: by Newton's recurrence d·h_d = Σ_k p_k h_{d−k}."""
        while len(self._characters) <= degree:
            d = len(self._characters)
            total: Laurent = {}
            for k in range(1, d + 1):
                for w in self.known.weights:
                    for u, c in self._characters[d - k].items():
                        key = tuple(a + k * b for a, b in zip(u, w, strict=True))
                        total[key] = total.get(key, 0) + c
            self._characters.append({u: c // d for u, c in total.items() if c})
        return self._characters[degree]

    def __call__(self, i: int, j: int) -> int:
        """The constant term."""
        if i not in self._with_factor:
            self._with_factor[i] = times(self.character(i), self.known.factor)
        other = self.character(j)
        first = self._with_factor[i]
        return sum(c * other.get(tuple(-x for x in u), 0) for u, c in first.items())


def one_less(degree: int) -> fmpz_poly:
    """1 − t^degree."""
    return fmpz_poly([1, *[0] * (degree - 1), -1])


def series(known: Structure) -> tuple[fmpz_poly, fmpz_poly] | None:
    """Numerator and denominator of Σ_d dim_d t^d; None if that is too much."""
    doubled = [*known.weights, *known.weights]
    rays = extreme_rays(doubled)
    if rays is None:
        return None
    below = fmpz_poly([1])
    for degree in rays:
        below *= one_less(degree)
    highest = max(_highest_vertex(known.weights, w) for w in known.factor)
    most = below.degree() + highest
    if most > MOST_DEGREE:
        return None
    dimensions = Dimensions(known)
    counted = fmpz_poly([sum(dimensions(i, d - i) for i in range(d + 1)) for d in range(most + 1)])
    whole = counted * below
    return fmpz_poly([whole[k] for k in range(most + 1)]), below


def extreme_rays(weights: Sequence[Weight]) -> list[int] | None:
    """Degrees of the extreme rays of {m ≥ 0, Σ m_i w_i = 0}: supports that are minimal, of one sign."""
    found: list[int] = []
    rank = fmpq_mat([list(w) for w in weights]).rank()
    for size in range(1, rank + 2):
        for chosen in combinations(range(len(weights)), size):
            ray = _ray(tuple(weights[i] for i in chosen))
            if ray:
                found.append(ray)
                if len(found) > MOST_RAYS:
                    return None
    return found


@cache
def _ray(weights: tuple[Weight, ...]) -> int:
    """The degree of the ray with just this support; 0 if there is none."""
    null = nullspace(fmpq_mat([list(column) for column in zip(*weights, strict=True)]))
    if len(null) != 1:
        return 0
    (vector,) = null
    if vector[0] < 0:
        vector = [-x for x in vector]
    if any(x <= 0 for x in vector):
        return 0
    scale = lcm(*(int(x.q) for x in vector))
    whole = [int(x.p) * scale // int(x.q) for x in vector]
    return sum(whole) // gcd(*whole)


def _highest_vertex(weights: Sequence[Weight], height: Weight) -> int:
    """The greatest degree of a vertex of {m ≥ 0, W m = −λ}, rounded up."""
    if not any(height):
        return 0
    kinds = sorted(set(weights))
    target = [fmpq(-x) for x in height]
    found = 0
    for size in range(1, len(height) + 1):
        for chosen in combinations(kinds, size):
            matrix = fmpq_mat([list(column) for column in zip(*chosen, strict=True)])
            if matrix.rank() < size:
                continue
            solution = solve(matrix, target)
            if solution is not None and all(x >= 0 for x in solution):
                degree = sum(solution, fmpq(0))
                found = max(found, -(-int(degree.p) // int(degree.q)))
    return found


def hilbert_basis_degree(weights: Sequence[Weight], limit: int = 20_000) -> int | None:
    """The greatest degree of a minimal solution m ≥ 0 of Σ m_i w_i = 0 (Contejean and Devie's algorithm).

    Copies of a weight do not change it: a solution splits as its sum over the copies does. None beyond a
    number of vectors looked at.
    """
    kinds = sorted(set(weights))
    units = [tuple(int(i == j) for j in range(len(kinds))) for i in range(len(kinds))]
    found: list[tuple[int, ...]] = []
    level = {u: kinds[i] for i, u in enumerate(units)}
    looked = 0
    while level:
        solved = [m for m, value in level.items() if not any(value)]
        found += solved
        following: dict[tuple[int, ...], Weight] = {}
        for m, value in level.items():
            if not any(value):
                continue
            for i, w in enumerate(kinds):
                looked += 1
                if looked > limit:
                    return None
                if sum(a * b for a, b in zip(value, w, strict=True)) < 0:
                    new = tuple(a + b for a, b in zip(m, units[i], strict=True))
                    if not any(all(x >= y for x, y in zip(new, s, strict=True)) for s in found):
                        following[new] = tuple(a + b for a, b in zip(value, w, strict=True))
        level = following
    return max((sum(m) for m in found), default=0)
