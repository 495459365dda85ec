"""Polynomials on two copies of a space, positions x and velocities u, by degrees (i, j) in the two.

A linear action moves both copies alike, so its invariants are sums of ones that are homogeneous in each.
Derivations and substitutions act on the monomials of a pair of degrees by a matrix of integers; its null
space holds the invariants, made short by lattice reduction (LLL).

>>> from flint import fmpq_mat
>>> turn = LinearAction(2, (fmpq_mat([[0, -1], [1, 0]]),))
>>> space = Polynomials(turn)
>>> [str(p) for p in space.invariants(1, 1)]
['x0*u0 + x1*u1', '-x1*u0 + x0*u1']

Linear actions with rational matrices: a Lie algebra of matrices A_a, or all elements g of a finite group.

The field of A is ξ^i = A^i_j x^j.

>>> from flint import fmpq_mat
>>> len(generated_group([fmpq_mat([[0, -1], [1, 0]])]))
4
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import gcd, lcm
from typing import Any

from flint import Ordering, fmpq, fmpq_mat, fmpz_mat, fmpz_mpoly, fmpz_mpoly_ctx

from chetaev.errors import ModelError
from chetaev.expr.exact.numbers.number_echelon import NumberEchelon

MOST_ELEMENTS = 500
"""Largest finite group whose elements are listed."""


@dataclass(frozen=True)
class LinearAction:
    """Matrices on a space: generators of a Lie algebra, or of a finite group whose elements are all given."""

    size: int
    generators: tuple[fmpq_mat, ...] = ()
    elements: tuple[fmpq_mat, ...] = ()

    @property
    def is_finite(self) -> bool:
        """Whether it is a finite group."""
        return bool(self.elements)


def nullspace(matrix: fmpq_mat) -> list[list[fmpq]]:
    """A basis of the null space."""
    rows = NumberEchelon(matrix)
    vectors = [rows.null_vector(free) for free in rows.free]
    return [[fmpq(v.get(j, 0)) for j in range(rows.columns)] for v in vectors]


def solve(matrix: fmpq_mat, right: Sequence[fmpq]) -> list[fmpq] | None:
    """One solution, with zeros where there is a choice, early columns used first; None if there is none."""
    n, m = matrix.nrows(), matrix.ncols()
    table = [[*(matrix[i, j] for j in range(m)), right[i]] for i in range(n)]
    found = NumberEchelon(fmpq_mat(table)).solution()
    return None if found is None else [fmpq(found.get(j, 0)) for j in range(m)]


def generated_group(generators: Sequence[fmpq_mat]) -> tuple[fmpq_mat, ...]:
    """All products of the generators; a sentence if there are more than :data:`MOST_ELEMENTS`."""
    n = generators[0].nrows()
    one = fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])
    found = {_key(one): one}
    fresh = [one]
    while fresh:
        new = []
        for g in fresh:
            for h in generators:
                product = g * h
                key = _key(product)
                if key not in found:
                    found[key] = product
                    new.append(product)
                    if len(found) > MOST_ELEMENTS:
                        raise ModelError(
                            f"the matrices generate more than {MOST_ELEMENTS} elements",
                            expected="generators of a finite group",
                            remedy="give continuous symmetries as fields",
                        )
        fresh = new
    return tuple(found.values())


def _key(g: fmpq_mat) -> tuple[fmpq, ...]:
    return tuple(g.entries())


MOST_MONOMIALS = 700
"""Of a pair of degrees, for linear algebra."""

Exponents = tuple[int, ...]


class TooManyError(Exception):
    """A pair of degrees has more monomials than are treated."""


class Polynomials:
    """The polynomials that an action works on."""

    def __init__(self, action: LinearAction) -> None:
        self.action = action
        self.size = action.size
        names = [f"{letter}{i}" for letter in "xu" for i in range(self.size)]
        self.ring = fmpz_mpoly_ctx.get(names, Ordering.degrevlex)
        self.variables: list[fmpz_mpoly] = list(self.ring.gens())

    def monomials(self, i: int, j: int) -> list[Exponents]:
        """Exponents of degree i in the positions and j in the velocities."""
        first, second = _exponents(self.size, i), _exponents(self.size, j)
        if len(first) * len(second) > MOST_MONOMIALS:
            raise TooManyError
        return [a + b for a in first for b in second]

    def invariants(self, i: int, j: int) -> list[fmpz_mpoly]:
        """A basis of the invariants of these degrees, short ones first."""
        monomials = self.monomials(i, j)
        place = {m: k for k, m in enumerate(monomials)}
        moved = [self._moved(self.ring.from_dict({m: 1})) for m in monomials]
        count = len(moved[0])
        matrix = fmpz_mat(count * len(monomials), len(monomials))
        for column, images in enumerate(moved):
            for a, image in enumerate(images):
                for m, c in image.to_dict().items():
                    matrix[a * len(monomials) + place[m], column] += c
        null, dimension = matrix.nullspace()
        if not dimension:
            return []
        rows = [_primitive([int(null[r, c]) for r in range(len(monomials))]) for c in range(dimension)]
        short = fmpz_mat(rows).lll().tolist()
        found = [_leading_positive(self._combination(monomials, row)) for row in short]
        return sorted(found, key=_length)

    def _combination(self, monomials: list[Exponents], row: Any) -> fmpz_mpoly:
        return self.ring.from_dict({m: c for m, c in zip(monomials, row, strict=True) if c})

    def _moved(self, p: fmpz_mpoly) -> list[fmpz_mpoly]:
        """A(p) for every generator of an algebra, g(p) − p for those of a finite group."""
        if self.action.is_finite:
            return [p.compose(*images) - p * (scale ** p.total_degree()) for images, scale in self._images]
        found = []
        for images, _ in self._images:
            found.append(sum((p.derivative(k) * image for k, image in enumerate(images)), p * 0))
        return found

    @cached_property
    def _images(self) -> list[tuple[list[fmpz_mpoly], int]]:
        """The variables moved by each matrix, times a common denominator."""
        found = []
        for A in self.action.generators or self.action.elements:
            scale = lcm(1, *(int(x.q) for x in A.entries()))
            rows = (A * scale).tolist()
            images = []
            for shift in (0, self.size):
                for row in rows:
                    total = self.variables[0] * 0
                    for k, x in enumerate(row):
                        total += self.variables[shift + k] * int(x.p)
                    images.append(total)
            found.append((images, scale))
        return found


def _length(p: fmpz_mpoly) -> tuple[int, int, int, str]:
    """Few terms first, then small numbers, then sums before differences."""
    numbers = [int(c) for c in p.coeffs()]
    return len(p), sum(map(abs, numbers)), sum(c < 0 for c in numbers), str(p)


def _exponents(n: int, degree: int) -> list[Exponents]:
    found = []
    for chosen in combinations_with_replacement(range(n), degree):
        row = [0] * n
        for k in chosen:
            row[k] += 1
        found.append(tuple(row))
    return found


def _primitive(row: list[int]) -> list[int]:
    divisor = gcd(*row) or 1
    return [x // divisor for x in row]


def _leading_positive(p: fmpz_mpoly) -> fmpz_mpoly:
    terms = p.to_dict()
    return -p if terms[max(terms)] < 0 else p
