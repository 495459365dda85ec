"""Null vectors of a condition that are the same for all parameters: combinations with numbers in them.

The null space N(k) of a condition depends on parameters k. Its reduced basis has rational functions of k as
entries, although many vectors of N(k), such as a rotation of the whole system, contain no parameter: the
elimination mixes them with others. With v_j a basis of N(k₁), the vectors of all N(k) are those combinations
Σ c_j v_j that solve the condition at k₂, k₃, … too: as many unknowns as N has dimensions, whatever the number
of columns is. They are short, found from residues alone, and quickly proved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chetaev.expr.exact import Budget, Element
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.search.nullspace import Rows, of_table
from chetaev.laws.search.primes import fraction

OTHER_VALUES = 2
"""Sets of values of the parameters, besides the first."""
SPARE = 3


def steady_vectors(
    motion: Motion, vectors: Sequence[Mapping[int, int]], rows: Rows, budget: Budget
) -> dict[int, dict[int, Element]]:
    """Exact null vectors without parameters, each with the place of the vector whose place it can take.

    `vectors` are those of :func:`chetaev.laws.search.nullspace.null_vectors` at ``motion.points()``.
    """
    points = motion.points()
    if len(vectors) < 2 or not points.still:
        return {}
    p, table = points.p, []
    for seed in range(1, 1 + OTHER_VALUES):
        elsewhere = motion.points(p, seed)
        for _ in range(len(vectors) + SPARE):
            budget.spend(len(vectors) * max(map(len, vectors)))
            for row in rows(elsewhere.draw()):
                table.append([sum(row[c] * x for c, x in v.items()) % p for v in vectors])
    found: dict[int, dict[int, Element]] = {}
    combinations = of_table(table, len(vectors), p, budget)
    for place, combination in zip(combinations.free, combinations.vectors, strict=True):
        entries: dict[int, int] = {}
        for j, c in combination.items():
            for column, x in vectors[j].items():
                entries[column] = (entries.get(column, 0) + c * x) % p
        numbers = {column: fraction(x, p) for column, x in entries.items() if x}
        if all(f is not None and (f.numerator * f.denominator) ** 2 < p for f in numbers.values()):
            found[place] = {c: motion.field.number(f) for c, f in numbers.items() if f is not None}
    return found


__all__ = ["steady_vectors"]
