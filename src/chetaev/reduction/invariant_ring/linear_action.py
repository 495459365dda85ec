"""Linear actions with rational matrices: a Lie algebra of matrices A_a, or all elements g of a finite group.

The field of A is ξ^i = A^i_j x^j.

>>> from flint import fmpq_mat
>>> len(generated_group([fmpq_mat([[0, -1], [1, 0]])]))
4
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
