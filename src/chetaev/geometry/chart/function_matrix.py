"""Exact linear algebra with functions as entries: reduced echelon forms, kernels, solutions.

Rows are reduced one after the other; a pivot is an entry that is not zero (on the submanifold in question),
the shortest one. The number of pivots is the generic rank: the rank over the field of functions, proved by
the elimination itself, and attained on an open dense set.

>>> from chetaev.geometry import Chart
>>> from chetaev.geometry.chart.zeros import Zeros
>>> chart = Chart(["x", "y"])
>>> x, y = chart.coordinates
>>> echelon = GrowingEchelon(2, Zeros(chart))
>>> echelon.add([x, x * y]), echelon.add([y, y**2])
(True, False)
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact import BudgetError, Element
from chetaev.expr.exact.matrix import determinant as minors
from chetaev.geometry.chart.modest_effort import modest_effort
from chetaev.geometry.chart.ranks_seen import SeenRank
from chetaev.geometry.chart.zeros import Zeros

Row = list[Element]

LONG = 400
"""Kernels with more terms than this are computed a second time, by minors."""


class GrowingEchelon:
    """Rows in reduced echelon form: each has a pivot 1, the other rows have 0 there.

    Parameters
    ----------
    width
        The number of columns.
    zeros
        What decides whether an entry is zero.
    columns
        Columns in which pivots may stand; all by default.
    """

    def __init__(self, width: int, zeros: Zeros, columns: Sequence[int] | None = None) -> None:
        self.width = width
        self.zeros = zeros
        self.columns = tuple(range(width)) if columns is None else tuple(columns)
        self.rows: list[Row] = []
        self.pivots: list[int] = []

    @property
    def rank(self) -> int:
        """The number of independent rows."""
        return len(self.rows)

    def reduce(self, row: Sequence[Element]) -> Row:
        """The row minus its part in the span."""
        result = list(row)
        for pivot, known in zip(self.pivots, self.rows, strict=True):
            factor = result[pivot]
            if not factor.is_blank:
                result = [a if b.is_blank else a - factor * b for a, b in zip(result, known, strict=True)]
                result[pivot] = factor.field.zero
        return [zero_or(self.zeros, a) for a in result]

    def add(self, row: Sequence[Element]) -> bool:
        """Take a row in; whether it was independent of those before."""
        rest = self.reduce(row)
        candidates = [j for j in self.columns if not rest[j].is_blank]
        if not candidates:
            return False
        pivot = min(candidates, key=lambda j: (not rest[j].is_number, rest[j].terms, j))
        divisor = rest[pivot]
        new = rest if divisor == 1 else [a if a.is_blank else a / divisor for a in rest]
        new[pivot] = divisor.field.one
        for i, old in enumerate(self.rows):
            factor = old[pivot]
            if not factor.is_blank:
                old = [a if b.is_blank else a - factor * b for a, b in zip(old, new, strict=True)]
                old[pivot] = factor.field.zero
                self.rows[i] = [zero_or(self.zeros, a) for a in old]
        self.rows.append(new)
        self.pivots.append(pivot)
        return True

    def contains(self, row: Sequence[Element]) -> bool:
        """Whether a row lies in the span."""
        return all(a.is_zero for a in self.reduce(row))

    def copy(self) -> GrowingEchelon:
        """An independent copy."""
        other = GrowingEchelon(self.width, self.zeros, self.columns)
        other.rows = [list(r) for r in self.rows]
        other.pivots = list(self.pivots)
        return other

    def kernel(self) -> list[Row]:
        """A basis of {v : row·v = 0 for all rows}, one vector for each column without a pivot."""
        field = self.zeros.chart.field
        basis: list[Row] = []
        for j in range(self.width):
            if j in self.pivots:
                continue
            vector = [field.zero] * self.width
            vector[j] = field.one
            for pivot, row in zip(self.pivots, self.rows, strict=True):
                vector[pivot] = -row[j]
            basis.append(vector)
        return basis


def zero_or(zeros: Zeros, element: Element) -> Element:
    """The element, shortened on the submanifold, or 0 if it is zero there."""
    if element.is_zero or element.is_number:
        return element
    return element.field.zero if zeros(element) else zeros.reduced(element)


def echelon(rows: Sequence[Sequence[Element]], width: int, zeros: Zeros) -> GrowingEchelon:
    """The reduced echelon form of rows, taken in from the shortest to the longest."""
    result = GrowingEchelon(width, zeros)
    for row in sorted(rows, key=lambda row: sum(a.terms for a in row if not a.is_blank)):
        result.add(row)
    return result


def kernel(rows: Sequence[Sequence[Element]], width: int, zeros: Zeros) -> list[Row]:
    """A basis of {v : row·v = 0 for all rows}, without denominators; by minors where that is shorter."""
    try:
        with modest_effort(zeros.chart.field):
            found = [cleared(v) for v in echelon(rows, width, zeros).kernel()]
            if sum(a.terms for v in found for a in v) < LONG:
                return found
    except BudgetError:
        found = []
    other, independent = kernel_by_minors(rows, width, zeros)
    if not found and not independent:
        zeros.proved = False  # that some rows depend on the others was seen at points only
    lengths = [sum(a.terms for v in basis for a in v) for basis in (found, other)]
    return found if found and lengths[0] < lengths[1] else other


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
        vector = [zeros.chart.field.zero] * width
        vector[j] = minor
        for p in pivots:
            vector[p] = -minors([[row[j if q == p else q] for q in pivots] for row in chosen])
        basis.append(cleared(vector))
    return basis, len(chosen) == len(rows)


def inverse(matrix: Sequence[Sequence[Element]], zeros: Zeros) -> list[Row] | None:
    """The inverse of a square matrix, or None if it has none."""
    n = len(matrix)
    field = zeros.chart.field
    whole = GrowingEchelon(2 * n, zeros, range(n))
    for i, row in enumerate(matrix):
        whole.add([*row, *(field.one if i == j else field.zero for j in range(n))])
    if whole.rank < n:
        return None
    ordered = dict(zip(whole.pivots, whole.rows, strict=True))
    return [ordered[i][n:] for i in range(n)]


def cleared(row: Sequence[Element]) -> Row:
    """A row times a common denominator, without the common divisor of its entries."""
    field = row[0].field
    tower = field.tower
    common = field.one.numerator
    for a in row:
        common = common * (a.denominator / field.gcd(common, a.denominator))
    result = [field.polynomial(tower.multiply(a.numerator, common / a.denominator)) for a in row]
    divisor = field.zero.numerator
    for a in sorted(result, key=lambda a: a.terms):
        if not a.is_blank:
            divisor = a.numerator if divisor.is_zero() else field.gcd(divisor, a.numerator)
    if divisor.is_constant():
        return result
    return [field.polynomial(a.numerator / divisor) for a in result]


def determinant(matrix: Sequence[Sequence[Element]], zeros: Zeros) -> Element:
    """The determinant by elimination."""
    field = zeros.chart.field
    rows = [list(r) for r in matrix]
    result = field.one
    n = len(rows)
    for k in range(n):
        choices = [i for i in range(k, n) if not zeros(rows[i][k])]
        if not choices:
            return field.zero
        i = min(choices, key=lambda i: (not rows[i][k].is_number, rows[i][k].terms))
        if i != k:
            rows[i], rows[k] = rows[k], rows[i]
            result = -result
        pivot = rows[k][k]
        result = result * pivot
        for i in range(k + 1, n):
            if not rows[i][k].is_blank:
                factor = rows[i][k] / pivot
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return result


def dot(a: Sequence[Element], b: Sequence[Element]) -> Element:
    """Σ a_i b_i of non-empty rows."""
    result = a[0].field.zero
    for x, y in zip(a, b, strict=True):
        if not x.is_blank and not y.is_blank:
            result = result + x * y
    return result
