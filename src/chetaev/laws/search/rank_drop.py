"""Where in the space of parameters there are more first integrals: a determinant on a line (SCOPE K22).

The rates of all members of a space at points of Q are rational functions of the parameters ε. On a line ε =
u + s w, or on a curve that is rational in s, each row is multiplied by its denominator, so that the
condition is a matrix polynomial A(s) = Σ s^k A_k modulo p, with one row for a point. For generic s it has r
pivot columns; on these, at r points, det A(s) vanishes where there are more null vectors, and elsewhere at
values that depend on the points. With s = s₀ + 1/μ the zeros of the determinant are the eigenvalues μ ≠ 0
of a companion matrix, and those that two sets of points share are kept.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import comb

from flint import nmod_mat, nmod_poly

from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, GivenUp, ask
from chetaev.expr.exact.numbers.number_echelon import modulo
from chetaev.expr.graph.node import symbols
from chetaev.laws.search.first_integrals import Differentials
from chetaev.laws.search.function_space import Space
from chetaev.laws.search.motion_modulo_prime import Motion, Points
from chetaev.laws.search.nullspace import independent, of_table
from chetaev.laws.search.primes import UnluckyError

MOST_DEGREE = 6
"""Of the rates along a line, once denominators are cleared."""

Curve = Callable[[int], Sequence[int]]
"""Residues of the parameters by s; :class:`UnluckyError` where they have none."""


class RankDrop:
    """The rates of a space as functions of some parameters; the others have the model's values."""

    def __init__(
        self,
        motion: Motion,
        space: Space,
        names: Sequence[str],
        budget: Budget,
        known: Sequence[Element] = (),
        p: int | None = None,
    ) -> None:
        self.motion, self.space, self.names, self.budget = motion, space, tuple(names), budget
        self.known = list(known)
        self.unknowns = [motion.field.base(name) for name in names]
        for name, unknown in zip(names, self.unknowns, strict=True):
            tied = [
                g
                for g in motion.field.generators
                if unknown in g.depends and g.index != unknown and g.kind != "dead"
            ]
            if tied or (not motion.is_affine and any((name, 0) in symbols(e) for e in motion.f)):
                raise ModelError(
                    f"the parameter {name!r} stands inside functions or in nonlinear constraints: "
                    "special values of it are not searched"
                )
        self.source: Points = motion.points(p, special=True)
        self.p = self.source.p
        self.rng = random.Random(17)
        if p is None:
            self.space = self.space.only(self._independent())

    def anywhere(self) -> list[int]:
        """Random values of the parameters."""
        return self.residues(len(self.names))

    def residues(self, n: int) -> list[int]:
        """So many random numbers modulo p."""
        return [self.rng.randrange(2, self.p) for _ in range(n)]

    def modulo(self, p: int) -> RankDrop:
        """The same functions and ranks modulo another prime."""
        return RankDrop(self.motion, self.space, self.names, self.budget, self.known, p)

    def _at(self, values: Sequence[int], seed: int) -> Points:
        points = self.source
        if not points.fixed:
            points.fix()
        points.fixed |= dict(zip(self.unknowns, values, strict=True))
        points.rng = random.Random(seed)
        return points

    def _independent(self) -> list[int]:
        points = self._at(self.anywhere(), 1)
        table = []
        for _ in range(len(self.space) + 4):
            before = points.spent
            table.append(self.space.values(points.draw()))
            self.budget.spend(points.spent - before + 2 * len(self.space))
        return independent(table, len(self.space), self.p)

    def row(self, values: Sequence[int], seed: int) -> list[int]:
        """The rates at one point, which is the same for all parameters as far as it can be."""
        points = self._at(values, seed)
        before = points.spent
        rates = self.space.rates(points.draw())
        self.budget.spend(points.spent - before + 2 * len(rates))
        return rates

    def integrals(self, values: Sequence[int]) -> int:
        """How many first integrals, those known and those in the space, are independent on Q at these
        parameters; −1 if there are no points of Q.
        """
        points, count = self._at(values, 99), len(self.space)
        sample = ask(lambda: [points.draw() for _ in range(count + 4)])
        if isinstance(sample, GivenUp):
            return -1
        self.budget.spend(points.spent // max(1, points.drawn) * len(sample) + count * len(sample))
        chosen = independent([self.space.values(point) for point in sample], count, self.p)
        rates = [self.space.rates(point) for point in sample]
        found = of_table([[row[j] for j in chosen] for row in rates], len(chosen), self.p, self.budget)
        stack = Differentials(self.motion, sample[0], self.known)
        gradients = [[g[j] for j in chosen] for g in self.space.gradients(sample[0])]
        for vector in found.vectors:
            stack.grows([sum(c * g[j] for j, c in vector.items()) % self.p for g in gradients])
        return stack.rank

    def zeros(self, curve: Curve) -> nmod_poly:
        """A polynomial in s, without repeated zeros, that vanishes where the rank drops along a curve."""
        start = self.rng.randrange(2, self.p)
        table = [self.row(curve(start), n) for n in range(len(self.space) + 6)]
        columns = modulo(table, len(self.space), self.p).pivots
        common = nmod_poly([1], self.p)
        for n in range(2) if columns else ():
            seeds = range(10_000 * (n + 1), 10_000 * (n + 1) + len(columns))
            found = self._determinant(curve, columns, seeds, start)
            common = common.gcd(found) if n else found
        return common

    def _determinant(
        self, curve: Curve, columns: Sequence[int], seeds: Sequence[int], start: int
    ) -> nmod_poly:
        """det A(s) up to a factor, without repeated zeros, from its zeros as eigenvalues."""
        p, r = self.p, len(columns)
        rows = [self._polynomials(curve, seed, columns) for seed in seeds]
        s = max(len(row) for row in rows) - 1
        if s == 0:
            return nmod_poly([1], p)
        # A(start + h) = Σ h^k B_k;   det Σ μ^{s−k} B_k, h = 1/μ
        shifted = [_shift(row, start, s, p) for row in rows]
        B = [nmod_mat(r, r, [x for row in shifted for x in row[k]], p) for k in range(s + 1)]
        if not B[0].det():
            raise UnluckyError
        inverse = B[0].inv()
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
        # zeros μ; s − start = 1/μ are the zeros of the reversed polynomial
        found = nmod_poly(coefficients[::-1], p)
        if found.degree() > 0:
            found = found // found.gcd(found.derivative())
        return found.compose(nmod_poly([-start % p, 1], p)) if found.degree() > 0 else found

    def _polynomials(self, curve: Curve, seed: int, columns: Sequence[int]) -> list[list[int]]:
        """The row at one point as polynomials in s, its common denominator cleared: by powers."""
        p = self.p
        weights = [self.rng.randrange(p) for _ in columns]
        values: list[int] = []
        table: list[list[int]] = []
        for s in range(MOST_DEGREE + 1):
            while len(values) < 2 * s + 3:
                e = self.rng.randrange(2, p)
                rates = self.row(curve(e), seed)
                table.append([rates[j] for j in columns])
                values.append(e)
            mixed = [sum(w * x for w, x in zip(weights, row, strict=True)) % p for row in table]
            denominator = _denominator(values, mixed, s, p)
            if denominator is not None:
                cleared = [
                    [x * at(denominator, e, p) % p for x in row] for e, row in zip(values, table, strict=True)
                ]
                return _interpolated(values[: s + 1], cleared[: s + 1], p)
        raise UnluckyError


def at(poly: Sequence[int], x: int, p: int) -> int:
    """The value of a polynomial, coefficients by power."""
    total = 0
    for c in reversed(poly):
        total = (total * x + c) % p
    return total


def _denominator(values: Sequence[int], mixed: Sequence[int], s: int, p: int) -> list[int] | None:
    """d(ε) of degree ≤ s with mixed = n/d at all values, n of degree ≤ s; None if there is none."""
    table = []
    for e, x in zip(values, mixed, strict=True):
        powers = [pow(e, k, p) for k in range(s + 1)]
        table.append(powers + [-x * w % p for w in powers])
    echelon = modulo(table, 2 * s + 2, p)
    if echelon.rank == 2 * s + 2:
        return None
    vector = echelon.null_vector(echelon.free[0])
    found = [int(vector.get(j, 0)) for j in range(s + 1, 2 * s + 2)]
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
    columns = len(row[0])
    found = [[0] * columns for _ in range(s + 1)]
    for n, vector in enumerate(row):
        for k in range(n + 1):
            c = comb(n, k) * pow(start, n - k, p) % p
            found[k] = [(x + c * y) % p for x, y in zip(found[k], vector, strict=True)]
    return found
