"""The null space of a linear condition that is known at points: modulo a prime, then exact.

A condition takes N unknown coefficients c to Σ c_i r_i(point), one or more values at every point; all of
them are to vanish. With residues r_i at N + a few random points this is one matrix over GF(p), and its null
space is that of the condition unless p or the points are unlucky: a theory that proposes. Whoever uses a
solution verifies it exactly.

The echelon form has its free columns last: a null vector is one member plus a combination of members before
it. Members in order of simplicity therefore give the simplest vectors.

    rows(point) → lists of N residues each

Any such function will do: rates of a space of functions (first integrals), determining equations of
symmetries or Killing fields, divergences. :func:`null_vectors` is the step modulo p; :func:`exact` lifts a
vector to rational numbers, or to rational functions of the parameters
(:mod:`chetaev.laws.search.coefficients`).

>>> import chetaev as ch
>>> from chetaev.laws.search.motion_modulo_prime import Motion
>>> from chetaev.laws.search.function_space import Atom, Space
>>> motion = Motion(ch.load("heisenberg"))
>>> atoms = [Atom(motion.function(f)) for f in ("x'", "y'", "z'")]
>>> space = Space.of(motion, atoms, [((0, 1),), ((1, 1),), ((0, 2),), ((1, 2),), ((2, 2),)])
>>> found = null_vectors(motion.points(), len(space), lambda point: [space.rates(point)])
>>> [sorted(v) for v in found.vectors]
[[1], [3], [2, 4]]
>>> vector = exact(motion, lambda point: [space.rates(point)], found.vectors[2])
>>> str(space.combination(vector).to_expr())
"x'^2 + z'^2"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import nmod_mat

from chetaev.expr.exact import Budget, Element, answer, ask
from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.numbers.number_echelon import modulo
from chetaev.laws.search.coefficients import rational_functions
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ, Points
from chetaev.laws.search.primes import UnluckyError, combined, fraction

Rows = Callable[[PointOnQ], Sequence[Sequence[int]]]
"""The condition at a point: each row has one residue for every unknown."""

SPARE = 6
"""More rows than unknowns, so that a vector that is no solution would be noticed."""
MOST_PRIMES = 6
"""So many primes for the numerators and denominators of one vector."""


@dataclass(frozen=True)
class Nullspace:
    """Null vectors modulo p in echelon form, by column; the free column of each has the entry 1."""

    p: int
    count: int
    pivots: tuple[int, ...]
    free: tuple[int, ...]
    """The columns of leading entries, and the others; one vector for each free one."""
    vectors: tuple[dict[int, int], ...]


def null_vectors(
    points: Points, count: int, rows: Rows, budget: Budget | None = None, spare: int = SPARE
) -> Nullspace:
    """The null space of the condition modulo p, from as many points as it needs."""
    table: list[Sequence[int]] = []
    while len(table) < count + spare:
        before = points.spent
        point = points.draw()
        found = rows(point)
        if not found:
            raise ValueError("a condition without rows")
        table += found
        if budget is not None:
            budget.spend(points.spent - before + count * len(found))
    return of_table(table, count, points.p, budget)


def of_table(table: Sequence[Sequence[int]], count: int, p: int, budget: Budget | None = None) -> Nullspace:
    """The null space of a matrix of residues."""
    if budget is not None:
        budget.spend(cost.elimination(len(table), count) // 2)
    echelon = modulo(table, count, p)
    vectors = [{c: int(x) for c, x in echelon.null_vector(j).items()} for j in echelon.free]
    return Nullspace(p, count, tuple(echelon.pivots), tuple(echelon.free), tuple(vectors))


def independent(table: Sequence[Sequence[int]], count: int, p: int) -> list[int]:
    """The columns that are no combination of earlier ones."""
    return modulo(table, count, p).pivots


def independent_rows(rows: Sequence[Sequence[int]], order: Sequence[int], p: int) -> list[int]:
    """The numbers of rows that are no combination of those before them in an order."""
    if not order or not rows[0]:
        return []
    return [order[i] for i in independent(list(zip(*(rows[i] for i in order), strict=True)), len(order), p)]


def rank(rows: Sequence[Sequence[int]], p: int) -> int:
    """The rank of a matrix of residues."""
    if not rows or not rows[0]:
        return 0
    return int(nmod_mat(len(rows), len(rows[0]), [x for row in rows for x in row], p).rank())


def exact(
    motion: Motion,
    rows: Rows,
    vector: Mapping[int, int],
    *,
    special: bool = False,
    budget: Budget | None = None,
) -> dict[int, Element] | None:
    """A null vector with exact coefficients, by column; None if there is none or they are too long to be
    found.

    The entries are rational numbers or rational functions of the parameters that stay symbols in `motion`;
    with `special` the parameters have the model's values. `vector` is one of :func:`null_vectors` for the
    same condition; only its support is used, and the result is proposed, not proved.
    """
    columns = sorted(vector)
    if len(columns) == 1:
        return {columns[0]: motion.field.one}

    def solve(points: Points) -> list[int]:
        """The one null vector with this support, its last entry 1."""

        def part(point: PointOnQ) -> list[list[int]]:
            return [[row[j] for j in columns] for row in rows(point)]

        found = null_vectors(points, len(columns), part, budget, spare=1)
        if len(found.vectors) != 1 or found.free[0] != len(columns) - 1:
            raise UnluckyError
        return [found.vectors[0].get(j, 0) for j in range(len(columns))]

    def lifted() -> list[Element] | None:
        if all(g.index in motion.values and special for g in motion.points().still):
            return _rational_numbers(motion, solve, special)
        return rational_functions(motion, solve, len(columns), special)

    found = answer(ask(lifted))
    return None if found is None else dict(zip(columns, found, strict=True))


def _rational_numbers(
    motion: Motion, solve: Callable[[Points], list[int]], special: bool
) -> list[Element] | None:
    """Rational numbers from their residues modulo one prime, or modulo a few."""
    modulus, residues = 1, list[int]()
    for k in range(MOST_PRIMES):
        p = motion.primes(k + 1)[k]
        found = solve(motion.points(p, seed=7 + k, special=special))
        residues = (
            [combined(a, modulus, b, p) for a, b in zip(residues, found, strict=True)] if residues else found
        )
        modulus *= p
        fractions = [fraction(x, modulus) for x in residues]
        if all(f is not None and _short(f, modulus) for f in fractions):
            return [motion.field.number(f) for f in fractions if f is not None]
    return None


def _short(value: Fraction, modulus: int) -> bool:
    """Whether a fraction is far shorter than a random residue would give."""
    return (abs(value.numerator) * value.denominator) ** 4 < modulus**3
