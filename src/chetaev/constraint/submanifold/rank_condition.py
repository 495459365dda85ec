"""Where the rank condition rank ∂f/∂v = k holds, and where it fails (SCOPE K13; Krupková (46)).

It fails where all maximal minors of C = ∂f/∂v vanish. If one of them is a number, or the sum of their
squares is, it holds everywhere. Rows that share no column with others are looked at alone: five particles
with five speeds are five conditions on two velocities, and not the 252 minors of five on ten. A common zero
of the numerators at which a denominator vanishes too is no point: f is not defined there.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> rank_condition(Constraint.of(["x'*sin(phi) = y'*cos(phi)"], ["x", "y", "phi"])).everywhere
True
>>> cone = rank_condition(Constraint.of(["x'^2 + y'^2 = z'^2"], ["x", "y", "z"]))
>>> cone.everywhere, len(cone.vanishing)
(None, 3)

The rank condition rank ∂f/∂v = k, where it fails, and charts by pivoting (SCOPE K13; Krupková (46), (47)).

A chart of Q is a choice D of k dependent velocities with C_D invertible. Which choices work, and which is
best at a point, is read off C itself. Constraints whose differentials depend on the others everywhere on Q
are redundant; if ∂f/∂v has a smaller rank than ∂f/∂(q, v), the constraints hide a relation between
positions.

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> from chetaev.constraint.submanifold.constraint_in_numbers import Numbers
>>> numbers = Numbers(ConstraintData.of(["x' = y*z'", "2*x' = 2*y*z'"], ["x", "y", "z"]))
>>> survey(numbers, numbers.points(6)).redundant
(1,)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from chetaev import numeric
from chetaev.constraint.submanifold.constraint_in_numbers import Array, Numbers
from chetaev.constraint.submanifold.empty_set import is_empty
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.constraint.submanifold.positive_functions import excluded
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.exact.polynomials import common_content as content
from chetaev.expr.graph.node import ONE, ZERO, Expr, mul, substitute, symbol

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint

SHORT = 60
"""An expression with more terms is not shown."""
MAX_MINORS = 20


@dataclass(frozen=True)
class RankCondition:
    """Where rank ∂f/∂v = k holds (46)."""

    rank: int
    """The generic rank on Q."""
    vanishing: tuple[Expr, ...] | None
    """The rank is smaller exactly where all of these vanish; a single number if nowhere; None if too long."""
    failures: tuple[dict[str, float], ...]
    """Points (t, q, v) on Q, met by chance, where the rank is smaller."""
    places: tuple[tuple[Expr, ...], ...] = ()
    """The same place by place, for constraints that fall apart: the rank is smaller where, for one of them,
    all of its functions vanish.
    """

    @property
    def where(self) -> str:
        """Where the rank is smaller, in words."""
        found = self.places or (self.vanishing or (),)
        listed = [" and ".join(f"{e} = 0" for e in place) for place in found]
        return listed[0] if len(listed) == 1 else ", or ".join(listed)

    @property
    def everywhere(self) -> bool | None:
        """Whether the rank is the same everywhere; None where that is not known."""
        if self.failures:
            return False
        if self.vanishing is None:
            return None
        return any(e.op == "number" for e in self.vanishing) or None


def rank_condition(constraint: Constraint) -> RankCondition:
    """The rank condition of a constraint and where it fails."""
    failures = tuple(constraint.describe(z) for z in constraint.survey.failures[:5])
    places = None
    if constraint.exact:
        effort = 3 * constraint.effort // 20
        places = Allowance(effort, effort).attempt(constraint.field, lambda: _places(constraint))
    rank = constraint.survey.rank
    if places is None:
        return RankCondition(rank, None, failures)
    if len(places) <= 1:
        everywhere = (ONE,) if constraint.codimension else ()
        return RankCondition(rank, places[0] if places else everywhere, failures)
    together = tuple(mul(*choice) for choice in product(*places))
    return RankCondition(rank, together, failures, tuple(places))


def _places(constraint: Constraint) -> list[tuple[Expr, ...]] | None:
    """For each block of rows and columns of ∂f/∂v the functions whose common zeros lower its rank, without
    the blocks whose rank is the same everywhere; None if they are too long, or too many.
    """
    places, count = [], 1
    blocks = _blocks(constraint.jacobian)
    for rows, columns in blocks:
        minors = _minors(constraint, rows, columns)
        if minors is None:
            return None
        if any(e.op == "number" for e in minors):
            continue
        if len(blocks) > 1 and _nowhere(constraint, [constraint.chart(e) for e in minors]):
            continue
        places.append(minors)
        count *= len(minors)
    return places if count <= MAX_MINORS else None


def _blocks(jacobian: Sequence[Sequence[Element]]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of a matrix that meet in entries other than 0."""
    found: list[tuple[list[int], set[int]]] = []
    for i, row in enumerate(jacobian):
        rows, columns = [i], {j for j, e in enumerate(row) if not e.is_zero}
        apart = []
        for other in found:
            if other[1].isdisjoint(columns):
                apart.append(other)
            else:
                rows, columns = [*other[0], *rows], columns | other[1]
        found = [*apart, (sorted(rows), columns)]
    return [(rows, sorted(columns)) for rows, columns in sorted(found)]


def _minors(constraint: Constraint, rows: list[int], columns: list[int]) -> tuple[Expr, ...] | None:
    """Functions whose common zeros on Q are those of all maximal minors of a block; a number if there are
    none.
    """
    k = len(rows)
    if comb(len(columns), k) > MAX_MINORS:
        return None
    minors: list[Element] = []
    total = constraint.chart.field.zero
    for D in combinations(columns, k):
        minor = determinant([[constraint.jacobian[a][i] for i in D] for a in rows])
        if minor.is_zero:
            continue
        if minor.is_number:
            return (minor.to_expr(),)
        if minor.terms > SHORT:
            return None
        minors.append(minor)
        total = total + minor**2
    if total.is_number and not total.is_zero:
        return (total.to_expr(),)
    among = _symbols_among(minors)
    if excluded(constraint, among) or any(_pole(e, among) for e in minors):
        return (ONE,)
    shown = [primitive(_without_powers(e)).to_expr() for e in _common(constraint, minors) or minors]
    return tuple({str(e): e for e in shown}.values())


def _without_powers(f: Element) -> Element:
    """A function that vanishes where f does: each of its factors once."""
    field, found = f.field, f.field.one
    for p, _ in field.factor(f.numerator)[1]:
        found = found * field.polynomial(field.tower.project(p))
    return found


def _common(constraint: Constraint, minors: list[Element]) -> list[Element] | None:
    """What all minors contain, if their other factors have no common zero on Q: they vanish exactly there.

    For the snakeboard that is cos φ, for (sin φ cos φ, l cos²φ sin θ, l cos²φ cos θ).
    """
    if not minors:
        return None
    field = minors[0].field
    parts, common = content.primitive(field, [e.numerator for e in minors])
    if common.is_constant() or not _nowhere(constraint, [field.polynomial(p) for p in parts]):
        return None
    found = field.one
    for p, _ in field.factor(common)[1]:
        factor = field.polynomial(field.tower.project(p))
        if not _nowhere(constraint, [factor]):
            found = found * factor
    return [found]


def _nowhere(constraint: Constraint, functions: list[Element]) -> bool:
    """Whether functions have no common zero on Q, parameters put in."""
    values = constraint.given.with_values(*(e.to_expr() for e in functions))
    return is_empty(constraint, [constraint.chart(e) for e in values])


def _symbols_among(minors: list[Element]) -> set[tuple[str, int]]:
    """The symbols that are the numerator of a minor up to a number: they vanish where the rank drops."""
    found = set()
    for e in minors:
        top = e.field.polynomial(e.numerator)
        if len(e.numerator) == 1 and len(top.symbols) == 1:
            (name,) = top.symbols
            if (top / e.field.symbol(*name)).is_number:
                found.add(name)
    return found


def _pole(minor: Element, zero: set[tuple[str, int]]) -> bool:
    """Whether a minor is not defined where these symbols vanish."""
    if not zero or minor.is_polynomial:
        return False
    below = minor.field.polynomial(minor.denominator).to_expr()
    (left,) = substitute([below], {symbol(*s): ZERO for s in zero})
    return minor.field(left).is_zero is True


MAX_SUBSETS = 400


@dataclass(frozen=True)
class Survey:
    """What points say about the rank condition."""

    rank: int
    """The generic rank of ∂f/∂v on Q."""
    rows: tuple[int, ...]
    """Constraints that are independent; the others are `redundant` (or hide a position constraint)."""
    redundant: tuple[int, ...]
    hidden: int
    """How many relations between positions alone the velocity constraints imply."""
    charts: tuple[tuple[int, ...], ...]
    """Sets D of dependent velocities with C_D generically invertible, best first."""
    failures: tuple[Array, ...]
    """Points where the rank is smaller than generic."""


def clear_rank(rows: Array) -> int:
    """The rank of rows of size 1 at a point of Q: they are parts of the largest possible one."""
    return numeric.numerical_rank(rows, numeric.CLEAR, 1.0)


def survey(numbers: Numbers, points: list[Array]) -> Survey:
    """Ranks, independent rows and charts from points on Q."""
    m, k = numbers.m, numbers.k
    everything = [numbers.first(z) for z in points]
    scale = row_scale(numbers)
    C = [numeric.unit_rows(J[:, 1 + m :], scale) for J in everything]
    ranks = [clear_rank(c) for c in C]
    rank = max(ranks, default=0)
    whole = max((clear_rank(numeric.unit_rows(J[:, 1:], scale)) for J in everything), default=0)
    best = max(range(len(C)), key=lambda i: (ranks[i], _digits(numeric.volume(C[i], rank))), default=0)
    rows = tuple(numeric.independent_rows(C[best])[:rank] if C else range(k))
    good = [c[list(rows)] for c, r in zip(C, ranks, strict=True) if r == rank]
    plain = [J[list(rows), 1 + m :] for J, r in zip(everything, ranks, strict=True) if r == rank]
    failures = tuple(z for z, r in zip(points, ranks, strict=True) if r < rank)
    redundant = tuple(a for a in range(k) if a not in rows)
    return Survey(rank, rows, redundant, whole - rank, _charts(good, plain, m, rank), failures)


def row_scale(numbers: Numbers) -> Array:
    """The typical size of each row of ∂f/∂v, from points anywhere near."""
    sizes = []
    starts = numbers.starts(seed=99)
    for _ in range(12):
        row = np.abs(numbers.first(next(starts))[:, 1 + numbers.m :])
        if np.all(np.isfinite(row)):
            sizes.append(row.max(axis=1, initial=0.0))
    return np.median(np.array(sizes), axis=0) if sizes else np.ones(numbers.k)


def _digits(x: float) -> float:
    """Six digits of a score: what is equal up to roundoff is told apart by its place."""
    return float(f"{x:.5e}")


def _charts(C: list[Array], plain: list[Array], m: int, rank: int) -> tuple[tuple[int, ...], ...]:
    if not rank or not C:
        return ((),)
    if comb(m, rank) > MAX_SUBSETS:
        return (_constant_pivots(C[0], np.array(plain), rank) or _pivots(C[0], rank),)
    choices = list(combinations(range(m), rank))
    minors = np.array([[abs(np.linalg.det(c[:, D])) for c in C] for D in choices])
    least = numeric.ROUNDING * minors.max(axis=0)
    scored = []
    for D, dets in zip(choices, minors, strict=True):
        if not np.all(dets > least):
            continue
        constant = dets.max() - dets.min() < numeric.ROUNDING * dets.max()
        sparse = sum(float(np.count_nonzero(np.abs(c[:, D]) > numeric.ROUNDING)) for c in C) / len(C)
        scored.append((not constant, sparse if constant else 0.0, -_digits(dets.min() / dets.max()), D))
    scored.sort()
    return tuple(s[-1] for s in scored) or (_pivots(C[0], rank),)


def _constant_pivots(C: Array, plain: Array, rank: int) -> tuple[int, ...]:
    """Columns that are the same at all points, of one entry each if there are enough: a chart of all of Q."""
    constant = np.ptp(plain, axis=0).max(axis=0) == 0
    single = np.count_nonzero(plain[0], axis=0) == 1
    for columns in (np.flatnonzero(constant & single), np.flatnonzero(constant)):
        chosen = numeric.pivot_columns(C[:, columns], rank, smallest=numeric.CLEAR)
        if len(chosen) == rank:
            return tuple(sorted(int(columns[j]) for j in chosen))
    return ()


def _pivots(C: Array, rank: int) -> tuple[int, ...]:
    """Columns by greedy pivoting."""
    return tuple(sorted(numeric.pivot_columns(C, rank, smallest=-1.0)))
