"""Linear algebra with functions on a chart as entries: kernels, inverses, determinants.

The eliminations are those of :mod:`chetaev.expr.exact`; here a :class:`~chetaev.geometry.chart.zeros.Zeros`
says what is zero, everywhere or on a submanifold, and what becomes too long is computed by minors.

>>> from chetaev.geometry import Chart
>>> from chetaev.geometry.chart.zeros import Zeros
>>> chart = Chart(["x", "y"])
>>> x, y = chart.coordinates
>>> kernel([[x, x * y], [y, y**2]], 2, Zeros(chart))
[[Element(-y), Element(1)]]

A modest effort: exact elimination within a budget, so that something is left for another way.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> print(modestly(field, lambda: (x + y) ** 2))
(x + y)^2
>>> modestly(field, lambda: (x + y) ** 9000).limit
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from chetaev.expr.exact import Budget, EffortError, Element, Field, GivenUp, answer, ask
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon, Row, zero_or
from chetaev.expr.exact.linear.matrix import cleared
from chetaev.expr.exact.linear.matrix import determinant as minors
from chetaev.geometry.chart.ranks_seen import SeenRank
from chetaev.geometry.chart.zeros import Zeros

TERMS = 3_000
PRODUCTS = 300_000
EFFORT = 3_000_000


T = TypeVar("T")
P = ParamSpec("P")


def modestly(field: Field, step: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T | GivenUp:
    """The value of a step that may cost so much, or that it was given up.

    Where less than that is left of the question's own effort, and it is spent, the whole question ends:
    another way would give a result that depends on what was left.
    """
    left = field.tower.budget.left
    cut = left is not None and left < EFFORT
    budget = Budget(left if cut else EFFORT, terms=TERMS, products=PRODUCTS)
    with field.limit(budget):
        found = ask(step, *arguments, **named)
    if cut and budget.over and isinstance(found, GivenUp):
        raise EffortError(found.reason)
    return found


LONG = 400
"""Kernels with more terms than this are computed a second time, by minors."""


def echelon(rows: Sequence[Sequence[Element]], width: int, zeros: Zeros) -> GrowingEchelon:
    """The reduced echelon form of rows, taken in from the shortest to the longest."""
    result = GrowingEchelon(width, zeros)
    for row in sorted(rows, key=lambda row: sum(a.terms for a in row if not a.is_blank)):
        result.add(row)
    return result


def kernel(rows: Sequence[Sequence[Element]], width: int, zeros: Zeros) -> list[Row]:
    """A basis of {v : row·v = 0 for all rows}, without denominators; by minors where that is shorter."""
    found = answer(modestly(zeros.field, lambda: [cleared(v) for v in echelon(rows, width, zeros).kernel()]))
    if found is not None and _length(found) < LONG:
        return found
    other, independent = kernel_by_minors(rows, width, zeros)
    if found is None and not independent:
        zeros.proved = False  # that some rows depend on the others was seen at points only
    return found if found is not None and _length(found) < _length(other) else other


def _length(basis: Sequence[Row]) -> int:
    return sum(a.terms for v in basis for a in v)


def kernel_by_minors(rows: Sequence[Sequence[Element]], width: int, zeros: Zeros) -> tuple[list[Row], bool]:
    """Cramer's rule, without division; and whether all rows are independent."""
    seen = SeenRank(zeros)
    chosen = [cleared(row) for row in rows if seen.add(row)]
    pivots = seen.pivots
    minor = minors([[row[p] for p in pivots] for row in chosen])
    basis = []
    for j in range(width):
        if j in pivots:
            continue
        vector = [zeros.field.zero] * width
        vector[j] = minor
        for p in pivots:
            vector[p] = -minors([[row[j if q == p else q] for q in pivots] for row in chosen])
        basis.append(cleared(vector))
    return basis, len(chosen) == len(rows)


def inverse(matrix: Sequence[Sequence[Element]], zeros: Zeros) -> list[Row] | None:
    """The inverse of a square matrix, or None if it has none."""
    n = len(matrix)
    field = zeros.field
    whole = GrowingEchelon(2 * n, zeros, range(n))
    for i, row in enumerate(matrix):
        whole.add([*row, *(field.one if i == j else field.zero for j in range(n))])
    if whole.rank < n:
        return None
    ordered = dict(zip(whole.pivots, whole.rows, strict=True))
    return [ordered[i][n:] for i in range(n)]


def determinant(matrix: Sequence[Sequence[Element]], zeros: Zeros) -> Element:
    """The determinant, 0 where it vanishes on the submanifold in question."""
    return zero_or(zeros, minors(matrix)) if matrix else zeros.field.one
