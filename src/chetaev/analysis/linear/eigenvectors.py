"""Eigenvectors of a matrix whose eigenvalues are known: (A − λ)·u = 0, by elimination in a fixed order.

Pivots are the largest entries of what is left, the first of those that are as good as equal, so that the same
matrix has the same vectors on every machine, also where an eigenvalue is multiple and any basis of its
eigenspace would do.

>>> eigenspace([[2.0, 0.0], [0.0, 2.0]], 2.0)
[[(1+0j), 0j], [0j, (1+0j)]]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chetaev.numeric import first_largest

VANISHES = 1e-7
"""Pivots below this part of the largest entry (or of 1) are what an inexact eigenvalue leaves of zero."""


def eigenspace(A: Sequence[Sequence[float]], value: complex) -> list[list[complex]]:
    """A basis of the eigenspace, at least one vector, each with its largest entry 1."""
    n = len(A)
    rows = [[complex(x) - (value if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(A)]
    smallest = VANISHES * max([1.0, *(abs(x) for row in rows for x in row)])
    places: list[int] = []  # the column of the pivot of each row
    while len(places) < n - 1:
        k, free = len(places), [j for j in range(n) if j not in places]
        sizes = np.array([[abs(rows[i][j]) for j in free] for i in range(k, n)])
        i, j = divmod(first_largest(sizes.ravel()), len(free))
        if sizes[i, j] <= smallest:
            break
        rows[k], rows[k + i] = rows[k + i], rows[k]
        places.append(free[j])
        pivot = rows[k][free[j]]
        rows[k] = [x / pivot for x in rows[k]]
        for other in range(n):
            factor = rows[other][free[j]]
            if other != k and factor:
                rows[other] = [x - factor * y for x, y in zip(rows[other], rows[k], strict=True)]
    found = []
    for j in (j for j in range(n) if j not in places):
        vector = [0j] * n
        vector[j] = 1 + 0j
        for k, place in enumerate(places):
            vector[place] = -rows[k][j]
        largest = vector[first_largest(np.array([abs(x) for x in vector]))]
        found.append([x / largest if x else 0j for x in vector])
    return found
