"""Linear algebra over a field of functions: determinant, rank, solution, kernel.

Rows are cleared of denominators and eliminated without fractions; after each step a row is divided by
the common divisor of its entries. The pivot is the structurally simplest entry (a number, then few terms,
then little fill-in), and an entry counts as a pivot only if it is certainly not the zero function.
Determinants of what remains after numeric pivots are expanded by minors, each minor once, so that no
division is needed. Rows that come one after the other, on a submanifold too, are for
:mod:`chetaev.expr.exact.linear.growing_echelon`.

>>> from chetaev.expr.exact import Field
>>> from chetaev.expr.exact.linear.matrix import determinant, nullspace, solve
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> s, c = field.sin(x), field.cos(x)
>>> determinant([[c, -s], [s, c]]) == 1
True
>>> solve([[c, -s], [s, c]], [y, 0 * y]) == [y * c, -y * s]
True
>>> nullspace([[x, y]])[0]
[Element(-y/x), Element(1)]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.effort.budget import BudgetError, SingularSystemError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.linear.minors import Rows, Vector, field_of
from chetaev.expr.exact.linear.minors import determinant as determinant  # part of this module too
from chetaev.expr.exact.polynomials.tower import Poly

MAX_CRAMER = 6


def is_nonzero(element: Element) -> bool:
    """Whether the element is certainly not zero (:mod:`chetaev.expr.exact.field.normal_form_zero`)."""
    return element.is_zero is False


@dataclass
class Echelon:
    """A matrix in reduced row echelon form, rows scaled to pivot 1."""

    field: Field
    entries: list[dict[int, Element]]
    pivots: list[int]
    columns: int

    @property
    def rank(self) -> int:
        """The generic rank."""
        return len(self.pivots)

    def entry(self, i: int, j: int) -> Element:
        """Entry (i, j), row i being that with 1 in column pivots[i]."""
        return self.entries[i].get(j, self.field.zero)


def echelon(rows: Rows, columns: Sequence[int] | None = None) -> Echelon:
    """Reduced row echelon form.

    Parameters
    ----------
    rows
        The matrix.
    columns
        Columns that may hold pivots, all if left out. Columns in front are preferred only if they are
        as simple as the others.
    """
    if not rows:
        raise ValueError("a matrix without rows")
    field = field_of(rows)
    domain = frozenset().union(*(a.domain for row in rows for a in row))
    work = [_cleared(field, row) for row in rows]
    allowed = list(range(len(rows[0]))) if columns is None else list(columns)
    order = {j: i for i, j in enumerate(allowed)}
    open_rows = [i for i, row in enumerate(work) if row]
    numeric: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    before: list[dict[int, Poly]] = []
    while open_rows:
        choice = _pivot(field, work, open_rows, order, domain)
        if choice is None:
            break
        i, j = choice
        if not others and not work[i][j].is_constant():
            before = [dict(row) for row in work]
        (others if others or not work[i][j].is_constant() else numeric).append(choice)
        open_rows.remove(i)
        for k in range(len(work)):
            if k != i and j in work[k]:
                work[k] = _eliminate(field, work[k], work[i], j, domain)
        open_rows = [k for k in open_rows if work[k]]
        del order[j]
    solved = _scaled(field, work, numeric + others)
    if 1 < len(others) <= MAX_CRAMER:
        solved = _by_minors(field, before, numeric, others, len(rows[0])) or solved
    done = sorted(zip((j for _, j in numeric + others), solved, strict=True), key=lambda p: p[0])
    return Echelon(field, [row for _, row in done], [j for j, _ in done], len(rows[0]))


def _scaled(
    field: Field, work: list[dict[int, Poly]], pivots: list[tuple[int, int]]
) -> list[dict[int, Element]]:
    """Rows divided by their pivots."""
    project = field.tower.project
    return [
        {k: field.quotient(project(p), project(work[i][j])) for k, p in work[i].items()} for i, j in pivots
    ]


def _by_minors(
    field: Field,
    before: list[dict[int, Poly]],
    numeric: list[tuple[int, int]],
    others: list[tuple[int, int]],
    columns: int,
) -> list[dict[int, Element]] | None:
    """The same rows by Cramer's rule, so that they share one denominator, the determinant.

    Elimination leaves common factors of sines and cosines that no polynomial division finds.
    """
    project = field.tower.project
    table = [{k: field.polynomial(project(p)) for k, p in before[i].items()} for i, _ in others]
    pivots = [j for _, j in others]
    taken = {j for _, j in numeric + others}
    block = [[row.get(j, field.zero) for j in pivots] for row in table]
    try:
        whole = determinant(block)
        result: list[dict[int, Element]] = [{j: field.one} for j in pivots]
        for k in range(columns):
            right = [row.get(k, field.zero) for row in table]
            if k in taken or all(b.is_blank for b in right):
                continue
            for a in range(len(pivots)):
                top = determinant([[*r[:a], b, *r[a + 1 :]] for r, b in zip(block, right, strict=True)])
                if not top.is_blank:
                    result[a][k] = top / whole
    except BudgetError:
        return None
    first = []
    for row in _scaled(field, before, numeric):
        entries = {k: v for k, v in row.items() if k not in pivots}
        for a, j in enumerate(pivots):
            for k, v in result[a].items():
                if j in row and k not in taken:
                    entries[k] = entries.get(k, field.zero) - row[j] * v
        first.append({k: v for k, v in entries.items() if not v.is_blank})
    return first + result


def _cleared(field: Field, row: Vector) -> dict[int, Poly]:
    """A row times the common denominator, taken before the relations are applied so that it divides."""
    common = field.one.numerator
    for a in row:
        d = a.denominator
        if not d.is_one():
            rest = field.divide(d, field.gcd(common, d))
            field.tower.budget.afford(len(common), len(rest))
            field.tower.budget.spend(cost.product(len(common), len(rest)))
            common = common * rest
    return {
        j: field.tower.multiply(a.numerator, field.divide(common, a.denominator))
        for j, a in enumerate(row)
        if not a.is_blank
    }


def _pivot(
    field: Field,
    work: list[dict[int, Poly]],
    open_rows: list[int],
    order: dict[int, int],
    domain: frozenset[int],
) -> tuple[int, int] | None:
    count: dict[int, int] = {}
    for i in open_rows:
        for j in work[i]:
            count[j] = count.get(j, 0) + 1
    candidates = sorted(
        (not p.is_constant(), len(p) > 1, (len(work[i]) - 1) * (count[j] - 1), len(p), order[j], i, j)
        for i in open_rows
        for j, p in work[i].items()
        if j in order
    )
    for *_, i, j in candidates:
        if is_nonzero(field.polynomial(work[i][j], domain)):
            return i, j
    if candidates:
        raise BudgetError("an entry of a matrix is neither proved to be zero nor to be nonzero")
    return None


def _eliminate(
    field: Field, row: dict[int, Poly], pivot_row: dict[int, Poly], j: int, domain: frozenset[int]
) -> dict[int, Poly]:
    tower = field.tower
    a, p = row[j], pivot_row[j]
    if not p.is_constant():
        g = field.gcd(a, p)
        if not g.is_one():
            a, p = field.divide(a, g), field.divide(p, g)
    result: dict[int, Poly] = {}
    for k in row.keys() | pivot_row.keys():
        if k == j:
            continue
        value = tower.zero
        if k in row:
            value = tower.multiply(row[k], p)
        if k in pivot_row:
            value = value - tower.multiply(pivot_row[k], a)
        value = field.polynomial(value, domain).numerator
        if not value.is_zero():
            result[k] = value
    return _primitive(field, result)


def _primitive(field: Field, row: dict[int, Poly]) -> dict[int, Poly]:
    """The row without the common divisor of its entries.

    Elimination leaves the pivot before the last in all of them: what divides two divides the others, and a
    division that succeeds tells so sooner than their common divisor does.
    """
    common: Poly | None = None
    shared = False
    divided: dict[int, Poly] = {}
    for j, p in sorted(row.items(), key=lambda entry: len(entry[1])):
        quotient = field.quotient_by(p, common) if common is not None and shared else None
        if quotient is None:
            shared = common is not None
            common = p if common is None else field.gcd(common, p)
            divided.clear()
        else:
            divided[j] = quotient
        if common is not None and common.is_constant():
            return row
    if common is None:
        return row
    for j in divided:
        field.tower.budget.spend(cost.division(len(row[j]), len(common)))
    return {j: divided[j] if j in divided else field.divide(p, common) for j, p in row.items()}


def cleared(row: Vector) -> list[Element]:
    """A row times a common denominator, without the common divisor of its entries."""
    field = row[0].field
    products = {j: field.polynomial(p).numerator for j, p in _cleared(field, row).items()}
    entries = _primitive(field, {j: p for j, p in products.items() if not p.is_zero()})
    return [field.polynomial(entries[j]) if j in entries else field.zero for j in range(len(row))]


def dot(a: Vector, b: Vector) -> Element:
    """Σ a_i b_i of non-empty rows."""
    pairs = zip(a, b, strict=True)
    return sum((x * y for x, y in pairs if not x.is_blank and not y.is_blank), a[0].field.zero)


def rank(rows: Rows) -> int:
    """The rank at generic points."""
    return echelon(rows).rank


def nullspace(rows: Rows, columns: Sequence[int] | None = None) -> list[list[Element]]:
    """A basis of {w : A w = 0}; one vector for each column without pivot, with 1 in its place.

    `columns` are those that may hold pivots (dependent unknowns), in the order of preference.
    """
    e = echelon(rows, columns)
    if columns is not None and echelon(rows).rank != e.rank:
        raise SingularSystemError("the chosen columns do not carry the full rank")
    basis = []
    for free in range(e.columns):
        if free in e.pivots:
            continue
        vector = [e.field.zero] * e.columns
        vector[free] = e.field.one
        for i, j in enumerate(e.pivots):
            vector[j] = -e.entry(i, free)
        basis.append(vector)
    return basis


def solve(rows: Rows, right: Vector) -> list[Element]:
    """The solution of A x = b; :class:`SingularSystemError` if there is none or it is not unique."""
    if not rows:
        return []
    n = len(rows[0])
    e = echelon([[*row, b] for row, b in zip(rows, right, strict=True)], range(n))
    full = echelon([[*row, b] for row, b in zip(rows, right, strict=True)]) if len(rows) > n else e
    if e.rank < n:
        raise SingularSystemError(f"the matrix is singular: rank {e.rank} of {n}")
    if full.rank > n:
        raise SingularSystemError("the equations contradict each other")
    return [e.entry(i, n) for i in range(n)]


def solve_columns(rows: Rows, rights: Sequence[Vector]) -> list[list[Element]]:
    """The solutions of A x = b for a square matrix and several right sides, by one elimination.

    >>> from chetaev.expr.exact import Field
    >>> x, y = Field().symbols("x y")
    >>> [[str(e) for e in column] for column in solve_columns([[x]], [[x * y], [x**2], [0 * x]])]
    [['y'], ['x'], ['0']]
    """
    n = len(rows)
    moving = [j for j, b in enumerate(rights) if not all(e.is_zero for e in b)]
    found = [list(b) for b in rights]
    if not n or not moving:
        return found
    numbers = [a.as_fraction() for row in rows for a in row]
    if all(a is not None for a in numbers):
        matrix = fmpq_mat(n, n, [fmpq(a.numerator, a.denominator) for a in numbers if a is not None])
        if matrix.rank() < n:
            raise SingularSystemError(f"the matrix is singular: rank {matrix.rank()} of {n}")
        table = [[Fraction(int(x.p), int(x.q)) for x in row] for row in matrix.inv().tolist()]
        for j in moving:
            found[j] = [_weighted(row, rights[j]) for row in table]
        return found
    e = echelon([[*row, *(rights[j][i] for j in moving)] for i, row in enumerate(rows)], range(n))
    if e.rank < n:
        raise SingularSystemError(f"the matrix is singular: rank {e.rank} of {n}")
    for place, j in enumerate(moving):
        found[j] = [e.entry(i, n + place) for i in range(n)]
    return found


def _weighted(weights: Sequence[Fraction], elements: Vector) -> Element:
    """Σ w_i e_i."""
    pairs = zip(weights, elements, strict=True)
    return sum((e * w for w, e in pairs if w and not e.is_zero), elements[0].field.zero)


def inverse(rows: Rows) -> list[list[Element]]:
    """The inverse matrix; :class:`SingularSystemError` if it is singular."""
    n = len(rows)
    field = field_of(rows)
    unit = [[field.one if i == j else field.zero for j in range(n)] for i in range(n)]
    e = echelon([[*row, *u] for row, u in zip(rows, unit, strict=True)], range(n))
    if e.rank < n:
        raise SingularSystemError(f"the matrix is singular: rank {e.rank} of {n}")
    return [[e.entry(i, n + j) for j in range(n)] for i in range(n)]


def combinations_without(functions: Iterable[Element], names: Sequence[str], degree: int) -> list[Element]:
    """Combinations without terms of this degree or higher in the velocities of `names`, 0 left out.

    Combinations ℓ_a(t, q) f^a in which the higher terms cancel (SCOPE K13). Degree 1: relations between
    positions, ℓ C = 0 but ℓ f ≠ 0; degree 2: affine equations. What is not polynomial in the velocities is
    not combined.

    >>> from chetaev.expr.exact import Field
    >>> field = Field()
    >>> x, y, v = field.symbol("x"), field.symbol("y"), field.symbol("x", 1)
    >>> [str(e) for e in combinations_without([v - x, 2 * v - 2 * x - y], ["x", "y"], 1)]
    ['-y']
    """
    parts = [Element(f.field, f.numerator, f.field.tower.one) for f in functions if not f.is_zero]
    tables = [f.coefficients(*((q, 1) for q in names)) for f in parts]
    usable = [i for i, table in enumerate(tables) if table is not None]
    if not usable:
        return []
    field = parts[0].field
    rows: dict[tuple[int, ...], list[Element]] = {}
    for column, i in enumerate(usable):
        for exponents, c in (tables[i] or {}).items():
            if sum(exponents) >= degree:
                rows.setdefault(exponents, [field.zero] * len(usable))[column] = c
    unit = [[field.one if i == j else field.zero for j in range(len(usable))] for i in range(len(usable))]
    found = []
    for vector in nullspace(list(rows.values())) if rows else unit:
        total = sum((c * parts[i] for c, i in zip(vector, usable, strict=True)), field.zero)
        if not total.is_zero and total.symbols:
            found.append(field.polynomial(total.numerator))
    return found
