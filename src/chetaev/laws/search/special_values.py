"""Special values of a parameter at which there are more first integrals, from where a rank drops (SCOPE K22).

The rates of all members of a space at points of Q are rational functions of a parameter ε. Each row is
multiplied by its denominator, so that the condition is a matrix polynomial A(ε) = Σ ε^k A_k modulo p, with
one row for a point. For generic ε it has r pivot columns; on these, at r points, det A(ε) vanishes where
there are more null vectors, and elsewhere at values that depend on the points. With ε = e₀ + 1/μ the zeros
of the determinant are the eigenvalues μ ≠ 0 of a companion matrix, and those that two sets of points share
are kept. The rank is then counted at each of them: a theory that proposes.

>>> import chetaev as ch
>>> henon_heiles = ch.System(
...     coordinates=["x", "y"],
...     parameters={"eps": 0},
...     lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y - eps*y^3/3",
... )
>>> [str(root) for root in special_values(henon_heiles, "eps").roots]
['1', '6']
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import nmod_mat, nmod_poly

from chetaev.effort import written
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, BudgetError, EffortError, NotRealError
from chetaev.expr.graph.node import Expr, call, number
from chetaev.laws.search.motion import Motion, Points, pivot_columns
from chetaev.laws.search.nullspace import independent, rank
from chetaev.laws.search.primes import UnluckyError, fraction
from chetaev.laws.search.space import Space
from chetaev.laws.search.suited import suited
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

LIMIT = 90
"""Members of the space: the cost grows with its cube."""
MOST_DEGREE = 6
"""Of the rates in the parameter, once denominators are cleared."""
EFFORT = 2_000_000


@dataclass(frozen=True)
class SpecialValues:
    """Values of a parameter at which the space has more first integrals than for generic ones.

    Attributes
    ----------
    name
        The parameter.
    roots
        Its special values: rational numbers and square roots, as expressions.
    others
        Polynomials (their coefficients, constant first) whose roots are special values too, but are not
        written.
    generic
        The dimension of the null space for generic values, constants included.
    cut
        Why the search is not complete, in words.
    """

    name: str
    roots: tuple[Expr, ...] = ()
    others: tuple[tuple[Fraction, ...], ...] = ()
    generic: int = 0
    cut: str = ""

    def __str__(self) -> str:
        if self.cut:
            return f"special values of {self.name}: {self.cut}"
        found = [str(root) for root in self.roots]
        found += [f"the roots of {_written(q, self.name)}" for q in self.others]
        words = f"{self.name} = {', '.join(found)}" if found else "none were found"
        return f"special values of {self.name} with more integrals, the other parameters as given: {words}"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "roots": [str(root) for root in self.roots],
            "others": [[str(c) for c in q] for q in self.others],
            "cut": self.cut,
            "words": str(self),
        }


def special_values(
    system: System, name: str, *, degree: int = 2, functions: Sequence[Expr] = (), effort: int = EFFORT
) -> SpecialValues:
    """Where in one parameter there are more first integrals; the other parameters keep their values."""
    budget = Budget(4 * effort)
    try:
        motion = Motion(system, standpoints(system)[0], Budget.of(4 * effort))
        given = [motion.function(f) for f in functions]
        limit = max(30, min(400, int(LIMIT * (effort / EFFORT) ** 0.3)))
        space, _ = suited(motion, degree, given, limit, roots=False, rarely=False)
        search = _SpecialValueSearch(motion, space, name, budget)
        return search.run()
    except UnluckyError:
        cut = f"no points of Q were found modulo a prime at which the motion is rational in {name}"
    except ModelError as error:
        cut = error.message
    except (BudgetError, EffortError, NotRealError):
        cut = f"stopped at effort {written(effort)}; effort= raises it"
    return SpecialValues(name, cut=cut)


class _SpecialValueSearch:
    def __init__(self, motion: Motion, space: Space, name: str, budget: Budget) -> None:
        self.motion, self.space, self.name, self.budget = motion, space, name, budget
        self.unknown = motion.field.base(name)
        generators = motion.field.generators
        tied = [
            g
            for g in generators
            if self.unknown in g.depends and g.index != self.unknown and g.kind != "dead"
        ]
        if tied or (motion.f and not motion.is_affine and self._in_constraints()):
            raise ModelError(
                f"the parameter {name!r} stands inside functions or in nonlinear constraints: "
                "special values of it are not searched"
            )
        self.source: Points = motion.points(special=True)
        self.p = self.source.p
        self.rng = random.Random(17)
        self.seed = 0

    def _in_constraints(self) -> bool:
        return any((self.name, 0) in set(_symbols(e)) for e in self.motion.f)

    def row(self, seed: int, value: int, columns: Sequence[int] | None = None) -> list[int]:
        """The rates at one point, which is the same for all values of the parameter as far as it can be."""
        points = self.source
        if not points.fixed:
            points.fix()
        points.fixed[self.unknown] = value
        points.rng = random.Random(seed)
        before = points.spent
        rates = self.space.rates(points.draw())
        self.budget.spend(points.spent - before + 2 * len(rates))
        return rates if columns is None else [rates[j] for j in columns]

    def run(self) -> SpecialValues:
        """The special values."""
        start = self.rng.randrange(2, self.p)
        self.space = self.space.only(self._independent(start))
        count = len(self.space)
        table = [self.row(n, start) for n in range(count + 6)]
        reduced, full = nmod_mat(len(table), count, [x for r in table for x in r], self.p).rref()
        columns = pivot_columns(reduced, full)
        generic = count - full
        if not columns:
            return SpecialValues(self.name, generic=generic)
        common: nmod_poly | None = None
        for n in range(2):
            seeds = range(10_000 * (n + 1), 10_000 * (n + 1) + len(columns))
            poly = self._determinant(columns, seeds, start)
            common = poly if common is None else common.gcd(poly)
        assert common is not None
        return self._values(common, generic)

    def _independent(self, start: int) -> list[int]:
        points = self.source
        points.fix()
        points.fixed[self.unknown] = start
        table = [self.space.values(points.draw()) for _ in range(len(self.space) + 4)]
        return independent(table, len(self.space), self.p)

    def _determinant(self, columns: Sequence[int], seeds: Sequence[int], start: int) -> nmod_poly:
        """det A(ε) up to a factor, without repeated zeros, from its zeros as eigenvalues."""
        p, r = self.p, len(columns)
        rows = [self._polynomials(seed, columns) for seed in seeds]
        s = max(len(row) for row in rows) - 1
        if s == 0:
            return nmod_poly([1], p)
        # A(start + h) = Σ h^k B_k;   det Σ μ^{s−k} B_k, h = 1/μ
        shifted = [_shift(row, start, s, p) for row in rows]
        B = [nmod_mat(r, r, [x for row in shifted for x in row[k]], p) for k in range(s + 1)]
        try:
            inverse = B[0].inv()
        except ZeroDivisionError:
            raise UnluckyError from None
        size = s * r
        companion = [[0] * size for _ in range(size)]
        for k in range(1, s + 1):
            block = (inverse * B[k]).tolist()
            for i in range(r):
                for j in range(r):
                    companion[i][(k - 1) * r + j] = -int(block[i][j]) % p
        for i in range(size - r):
            companion[r + i][i] = 1
        self.budget.spend(size * size * (1 + size // 50))
        poly = nmod_mat(size, size, [x for row in companion for x in row], p).charpoly()
        coefficients = [int(c) for c in poly.coeffs()]
        while coefficients[0] == 0:
            coefficients.pop(0)
        # zeros μ; ε − start = 1/μ are the zeros of the reversed polynomial
        found = nmod_poly(coefficients[::-1], p)
        if found.degree() > 0:
            found = found // found.gcd(found.derivative())
        return found.compose(nmod_poly([-start % p, 1], p)) if found.degree() > 0 else found

    def _polynomials(self, seed: int, columns: Sequence[int]) -> list[list[int]]:
        """The row at one point as polynomials in the parameter, its common denominator cleared: by powers."""
        p = self.p
        weights = [self.rng.randrange(p) for _ in columns]
        values: list[int] = []
        table: list[list[int]] = []
        for s in range(MOST_DEGREE + 1):
            while len(values) < 2 * s + 3:
                e = self.rng.randrange(2, p)
                table.append(self.row(seed, e, columns))
                values.append(e)
            mixed = [sum(w * x for w, x in zip(weights, row, strict=True)) % p for row in table]
            denominator = _denominator(values, mixed, s, p)
            if denominator is not None:
                cleared = [
                    [x * _at(denominator, e, p) % p for x in row]
                    for e, row in zip(values, table, strict=True)
                ]
                return _interpolated(values[: s + 1], cleared[: s + 1], p)
        raise UnluckyError

    def _values(self, common: nmod_poly, generic: int) -> SpecialValues:
        p = self.p
        roots: list[Expr] = []
        others: list[tuple[Fraction, ...]] = []
        cut = ""
        if common.degree() < 1:
            return SpecialValues(self.name, generic=generic)
        for factor, _ in common.factor()[1]:
            if factor.degree() == 1:
                root = -int(factor[0]) * pow(int(factor[1]), -1, p) % p
                if self._drops(root, generic):
                    value = fraction(root, p)
                    if value is not None and _short(value):
                        roots.append(number(value))
                    else:
                        others += self._quadratic(root)
        roots += [e for pair in dict.fromkeys(others) for e in _solved(pair)]
        rest = tuple(q for q in dict.fromkeys(others) if not _solved(q))
        ordered = sorted(
            dict.fromkeys(roots), key=lambda e: (e.op != "number", e.value if e.op == "number" else 0, str(e))
        )
        return SpecialValues(self.name, tuple(ordered), rest, generic, cut)

    def _drops(self, root: int, generic: int) -> bool:
        """Whether there are more integrals at this value than for generic ones."""
        count = len(self.space)
        points = self.source
        points.fixed[self.unknown] = root
        points.rng = random.Random(99)
        try:
            sample = [points.draw() for _ in range(count + 4)]
        except UnluckyError:
            return False
        values = rank([self.space.values(point) for point in sample], self.p)
        rates = rank([self.space.rates(point) for point in sample], self.p)
        return values - rates > generic

    def _quadratic(self, root: int) -> list[tuple[Fraction, ...]]:
        """The quadratic polynomial with short coefficients of which a residue is a root, if there is one."""
        from flint import fmpz_mat

        p = self.p
        lattice = fmpz_mat([[1, 0, 0, root * root % p], [0, 1, 0, root], [0, 0, 1, 1], [0, 0, 0, p]])
        scale = fmpz_mat([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2**60]])
        best = (lattice * scale).lll().tolist()[0]
        a, b, c, zero = (int(x) for x in best)
        if zero or not a or max(map(abs, (a, b, c))) > 10**5:
            return []
        return [(Fraction(c, a), Fraction(b, a), Fraction(1))]


def _solved(quadratic: tuple[Fraction, ...]) -> list[Expr]:
    """The real roots of a quadratic polynomial, with square roots."""
    c, b, _ = quadratic
    disc = b * b / 4 - c
    if disc < 0:
        return []
    r = call("sqrt", number(disc))
    return [number(-b / 2) - r, number(-b / 2) + r]


def _written(poly: tuple[Fraction, ...], name: str) -> str:
    return " + ".join(f"({c})*{name}^{k}" for k, c in enumerate(poly) if c)


def _short(value: Fraction) -> bool:
    return abs(value.numerator) < 10**6 and value.denominator < 10**6


def _at(poly: Sequence[int], x: int, p: int) -> int:
    total = 0
    for c in reversed(poly):
        total = (total * x + c) % p
    return total


def _denominator(values: Sequence[int], mixed: Sequence[int], s: int, p: int) -> list[int] | None:
    """d(ε) of degree ≤ s with mixed = n/d at all values, n of degree ≤ s; None if there is none."""
    table = []
    for e, x in zip(values, mixed, strict=True):
        powers = [pow(e, k, p) for k in range(s + 1)]
        table += powers + [-x * w % p for w in powers]
    reduced, full = nmod_mat(len(values), 2 * s + 2, table, p).rref()
    if full == 2 * s + 2:
        return None
    pivots = pivot_columns(reduced, full)
    free = next(j for j in range(2 * s + 2) if j not in pivots)
    vector = [0] * (2 * s + 2)
    vector[free] = 1
    for i, c in enumerate(pivots):
        if c < free:
            vector[c] = -int(reduced[i, free]) % p
    found = vector[s + 1 :]
    return found if any(found) else None


def _interpolated(values: Sequence[int], table: Sequence[Sequence[int]], p: int) -> list[list[int]]:
    """Coefficient vectors, by powers, of the polynomials with these values."""
    n = len(values)
    matrix = nmod_mat(n, n, [pow(e, k, p) for e in values for k in range(n)], p)
    columns = len(table[0])
    right = nmod_mat(n, columns, [x for row in table for x in row], p)
    found = matrix.solve(right).tolist()
    rows = [[int(x) for x in row] for row in found]
    while len(rows) > 1 and not any(rows[-1]):
        rows.pop()
    return rows


def _shift(row: Sequence[Sequence[int]], start: int, s: int, p: int) -> list[list[int]]:
    """Coefficient vectors in powers of h = ε − start."""
    from math import comb

    columns = len(row[0])
    found = [[0] * columns for _ in range(s + 1)]
    for n, vector in enumerate(row):
        for k in range(n + 1):
            c = comb(n, k) * pow(start, n - k, p) % p
            found[k] = [(x + c * y) % p for x, y in zip(found[k], vector, strict=True)]
    return found


def _symbols(expression: Expr) -> set[tuple[str, int]]:
    from chetaev.expr.graph.node import symbols

    return symbols(expression)


__all__ = ["SpecialValues", "special_values"]
