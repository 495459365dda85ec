"""The reduced echelon form of a matrix of numbers, over Q or modulo a prime, and what is read off it.

FLINT eliminates; its result is read here and nowhere else. Columns without a pivot are free: a null vector
has 1 in one of them, 0 in the others and −r_ij in the pivots before it: it is one column plus a combination
of earlier ones. With the right side as last column, a solution has zeros in the free columns.

>>> from flint import fmpq_mat
>>> rows = NumberEchelon(fmpq_mat([[1, 2, 3], [2, 4, 7]]))
>>> rows.pivots, rows.free, rows.null_vector(1)
([0, 2], [1], {0: -2, 1: 1})
>>> rows.solution() is None, NumberEchelon(fmpq_mat([[1, 2, 3], [2, 4, 6]])).solution()
(True, {0: 3})
>>> modulo([[2, 1], [4, 3]], 2, 5).rank
2
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from flint import fmpq_mat, nmod_mat


class NumberEchelon:
    """A matrix in reduced echelon form.

    `reduced`, `rank`: the form, and how many of its rows are not 0.
    """

    def __init__(self, matrix: fmpq_mat | nmod_mat) -> None:
        self.reduced: Any
        self.rank: int
        self.reduced, self.rank = matrix.rref()
        self.columns = int(matrix.ncols())

    @cached_property
    def pivots(self) -> list[int]:
        """The columns of the leading entries."""
        found: list[int] = []
        for i in range(self.rank):
            j = found[-1] + 1 if found else 0
            while self.reduced[i, j] == 0:
                j += 1
            found.append(j)
        return found

    @property
    def free(self) -> list[int]:
        """The other columns."""
        taken = set(self.pivots)
        return [j for j in range(self.columns) if j not in taken]

    def null_vector(self, free: int) -> dict[int, Any]:
        """The null vector of a free column, by column, entries that are not 0 only."""
        entries = {c: -self.reduced[i, free] for i, c in enumerate(self.pivots) if c < free}
        return {**{c: x for c, x in entries.items() if x != 0}, free: 1}

    def solution(self) -> dict[int, Any] | None:
        """The solution with the last column as right side, by pivots; None if there is none."""
        last = self.columns - 1
        if last in self.pivots:
            return None
        return {c: self.reduced[i, last] for i, c in enumerate(self.pivots)}


def modulo(rows: Sequence[Iterable[int]], columns: int, p: int) -> NumberEchelon:
    """The echelon form of a table of residues modulo p."""
    return NumberEchelon(nmod_mat(len(rows), columns, list(chain.from_iterable(rows)), p))
