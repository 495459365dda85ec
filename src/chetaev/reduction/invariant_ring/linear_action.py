"""Linear actions with rational matrices: a Lie algebra of matrices A_a, or all elements g of a finite group.

The field of A is ξ^i = A^i_j x^j. A group is compact exactly if it keeps a positive definite form; the one it
keeps if any is the mean of the unit form, which is had by linear algebra: for a Lie algebra whose action on
symmetric forms is semisimple,

    S = S^𝔤 ⊕ 𝔤·S,      1 = M + Σ_a (A_aᵀ S_a + S_a A_a).

>>> from flint import fmpq_mat
>>> turn = LinearAction(2, (fmpq_mat([[0, -2], [1, 0]]),))
>>> turn.inner_product().tolist()
[[3/4, 0], [0, 3/2]]
>>> LinearAction(2, (fmpq_mat([[1, 0], [0, -1]]),)).inner_product() is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

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

    def inner_product(self) -> fmpq_mat | None:
        """A positive definite form M that is kept; None if there is none: the group is not compact."""
        found = self._mean_of_elements() if self.is_finite else self._mean_by_projection()
        return found if found is not None and is_positive_definite(found) else None

    def _mean_of_elements(self) -> fmpq_mat:
        total = sum((g.transpose() * g for g in self.elements), fmpq_mat(self.size, self.size))
        return total * fmpq(1, len(self.elements))

    def _mean_by_projection(self) -> fmpq_mat | None:
        """The part of the unit form in S^𝔤, along 𝔤·S; None if these two do not make up all forms."""
        n = self.size
        pairs = [(i, j) for i in range(n) for j in range(i, n)]

        def moved(A: fmpq_mat, i: int, j: int) -> list[fmpq]:
            S = fmpq_mat(n, n)
            S[i, j] = S[j, i] = fmpq(1)
            T = A.transpose() * S + S * A
            return [T[k, m] for k, m in pairs]

        images = [[moved(A, i, j) for i, j in pairs] for A in self.generators]
        table = [[image[c][r] for c in range(len(pairs))] for image in images for r in range(len(pairs))]
        kept = nullspace(fmpq_mat(table))
        columns = [*kept, *(v for image in images for v in image)]
        matrix = fmpq_mat([[c[r] for c in columns] for r in range(len(pairs))])
        unit = [fmpq(int(i == j)) for i, j in pairs]
        solution = solve(matrix, unit)
        if solution is None:
            return None
        M = fmpq_mat(n, n)
        for c, v in zip(solution[: len(kept)], kept, strict=True):
            for (i, j), x in zip(pairs, v, strict=True):
                M[i, j] += c * x
                M[j, i] = M[i, j]
        return M


def is_positive_definite(M: fmpq_mat) -> bool:
    """Sylvester's criterion, exact."""
    n = M.nrows()
    return all(fmpq_mat([[M[i, j] for j in range(k)] for i in range(k)]).det() > 0 for k in range(1, n + 1))


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
