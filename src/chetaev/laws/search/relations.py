"""Relations between parameters at which there are more first integrals (SCOPE K22).

Where the rank drops in the space of the parameters ε is the zero set of a polynomial F(ε), as far as it has
codimension one. On a line u + s w through a fixed u the determinant of :mod:`chetaev.laws.search.rank_drop`
is F(u + s w)/F(u) = Σ s^k F_k(w) up to repeated factors, so that F_k follows from enough directions w by
interpolation. F is factored modulo p, the coefficients of each factor become rational numbers, and the rank
is counted at a point of each.

What has higher codimension is searched on the relations found, and where one of the parameters is zero, has
the model's value or equals another one: on each of these the same is done again with the parameters that
are left. Everything here proposes; whoever
uses a relation proves the integrals on it.

>>> import chetaev as ch
>>> springs = ch.System(
...     coordinates=["x", "y"],
...     parameters={"a": 1, "b": 3},
...     lagrangian="(x'^2 + y'^2)/2 - a*x^2/2 - b*y^2",
... )
>>> print(relations(springs, ["a", "b"], effort=60_000))
relations of a and b with more integrals: a = 2*b; a = 8*b; b = 2*a
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, lcm

from flint import fmpz_mpoly, fmpz_mpoly_ctx, nmod_poly

from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, GivenUp, answer, ask
from chetaev.expr.graph.node import Expr
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.search.parameter_polynomials import (
    Stratum,
    branches,
    expression,
    is_positive,
    joined,
    linear_parts,
    monomial_at,
    put_in,
    quotient,
    through,
    value_at,
)
from chetaev.laws.search.parameter_relations import ParameterRelation, Relations
from chetaev.laws.search.primes import UnluckyError, combined, drawn, fraction
from chetaev.laws.search.proposals import lasting
from chetaev.laws.search.rank_drop import RankDrop
from chetaev.laws.search.special_values import (
    EFFORT,
    FEW,
    NO_POINTS,
    loosened,
    quadratic_of,
    residues_of,
    space_for,
    stopped_because,
)
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

MOST_NAMES = 4
MOST_TOTAL_DEGREE = 12
"""Of F, with factors at which nothing drops."""
MOST_LINES = 140
MOST_PRIMES = 3
"""For the coefficients of F."""
DEPTH = 2
"""Conditions at the same time, found one after the other."""


def relations(
    system: System,
    names: Sequence[str],
    known: Sequence[Expr] = (),
    *,
    degree: int = 2,
    functions: Sequence[Expr] = (),
    effort: int = EFFORT,
) -> Relations:
    """Where in the space of some parameters there are more first integrals; the others keep their values.

    `known` are integrals for every value of them.
    """
    names = tuple(names)
    if len(names) > MOST_NAMES:
        return Relations(names, cut=f"more than {MOST_NAMES} parameters at a time are not searched")
    budget = Budget(40 * effort)

    def begun() -> _RelationSearch:
        loose = loosened(system, names)
        motion = Motion(loose, standpoints(loose)[0], Budget.of(4 * effort))
        space, _ = space_for(motion, names, degree, functions, effort, FEW)
        return _RelationSearch(RankDrop(motion, space, names, budget, lasting(motion, known)))

    try:
        search = ask(begun)
    except ModelError as error:
        return Relations(names, cut=error.message)
    if isinstance(search, GivenUp):
        return Relations(names, cut=stopped_because(search, f"{NO_POINTS} them", effort))
    stopped = ask(search.run)
    cut = (
        stopped_because(stopped, f"{NO_POINTS} them", effort) if isinstance(stopped, GivenUp) else search.cut
    )
    return Relations(names, tuple(search.relations()), search.generic, cut)


@dataclass(frozen=True)
class _Kept:
    """A condition on a stratum, the stratum inside if it was solved, the number of independent integrals
    there, and how many more that are than around it.
    """

    outer: Stratum
    poly: fmpz_mpoly
    inner: Stratum | None
    count: int
    more: int

    @property
    def conditions(self) -> tuple[fmpz_mpoly, ...]:
        return (*self.outer.conditions, self.poly)


class _RelationSearch:
    def __init__(self, drop: RankDrop) -> None:
        self.drop, self.p = drop, drop.p
        self.drops = [drop]
        self.ring = fmpz_mpoly_ctx.get(list(drop.names), "lex")
        self.generic = drop.integrals(drop.anywhere())
        self.cut = ""
        self.kept: list[_Kept] = []

    def run(self) -> None:
        """Find the relations, and what lies on them."""
        whole = Stratum((), {}, tuple(range(len(self.drop.names))))
        self._on(whole)
        level = [k.inner for k in self.kept if k.inner is not None]
        for _ in range(1, min(DEPTH, len(self.drop.names))):
            known = [s.conditions for s in level]
            found = (self._inner(whole, plane) for plane in self._planes())
            plain = [s for s in found if s is not None]
            level += [s for s in plain if s.conditions not in known]
            before = len(self.kept)
            for stratum in level:
                self._on(stratum)
            level = [k.inner for k in self.kept[before:] if k.inner is not None]

    def _planes(self) -> list[fmpz_mpoly]:
        """Where a parameter is zero, has the value given, or equals another one."""
        gens = self.ring.gens()
        found = [*gens]
        for x, k in zip(gens, self.drop.unknowns, strict=True):
            value = self.drop.motion.values.get(k)
            if value is not None and value:
                found.append(value.denominator * x - value.numerator)
        found += [x - y for i, x in enumerate(gens) for y in gens[:i]]
        return found

    def _on(self, stratum: Stratum) -> None:
        """Where the rank drops on a stratum."""
        here = self._integrals(stratum)
        if here < 0 or not stratum.left:
            return
        found = ask(self._components, stratum)
        if isinstance(found, GivenUp):
            self.cut = self.cut or "some determinants could not be computed modulo the prime"
            return
        for poly in found:
            point = self._point(stratum, poly)
            if point is None:
                continue
            count = self.drop.integrals(point)
            containing = [k.count for k in self.kept if self._holds(k.conditions, point)]
            around = [self.generic, here, *containing]
            if count > max(around):
                inner = self._inner(stratum, poly)
                self.kept.append(_Kept(stratum, poly, inner, count, count - max(around)))

    def _holds(self, conditions: Sequence[fmpz_mpoly], point: Sequence[int]) -> bool:
        return all(value_at(c, point, self.p) == 0 for c in conditions)

    def _integrals(self, stratum: Stratum) -> int:

        def count() -> int:
            return self.drop.integrals(stratum.at(self.drop.residues(len(stratum.left)), self.p))

        found = answer(ask(drawn, count, 5))
        return -1 if found is None else found

    # -- the polynomial F ----------------------------------------------------------------------------
    def _components(self, stratum: Stratum) -> list[fmpz_mpoly]:
        """The irreducible factors of F on a stratum."""
        left = stratum.left
        if len(left) == 1:
            return self._univariate(self.drop.zeros(lambda s: stratum.at([s], self.p)), left[0])
        modulus, residues = 1, dict[tuple[int, ...], int]()
        for k in range(MOST_PRIMES):
            drop = self._modulo(k)
            found = self._interpolated(drop, stratum)
            if found is None:
                return []
            residues = {
                m: combined(residues.get(m, 0), modulus, found.get(m, 0), drop.p)
                for m in {**residues, **found}
            }
            modulus *= drop.p
            lifted = self._lifted(residues, left, modulus)
            if lifted is not None:
                factors = [f for f, _ in lifted.factor()[1]]
                return [f for f in factors if not is_positive(f)]
        self.cut = "a condition was found whose coefficients are too long to be written exactly"
        return []

    def _modulo(self, k: int) -> RankDrop:
        """The same ranks modulo another prime."""
        while len(self.drops) <= k:
            self.drops.append(self.drop.modulo(self.drop.motion.primes(k + 1)[k]))
        return self.drops[k]

    def _interpolated(self, drop: RankDrop, stratum: Stratum) -> dict[tuple[int, ...], int] | None:
        """F in the parameters that are left, modulo a prime, its first coefficient 1; None for a constant."""
        p, n = drop.p, len(stratum.left)
        base = drop.residues(n)
        lines: list[tuple[list[int], nmod_poly]] = []
        needed = 1
        while len(lines) < needed:
            w = drop.residues(n)

            def line(s: int, w: Sequence[int] = w) -> list[int]:
                return stratum.at([(u + s * x) % p for u, x in zip(base, w, strict=True)], p)

            zeros = drop.zeros(line)
            if int(zeros[0]) == 0:
                raise UnluckyError
            if zeros.degree() < 1:
                return None
            needed = comb(zeros.degree() + n - 1, n - 1) + 1
            if zeros.degree() > MOST_TOTAL_DEGREE or needed > MOST_LINES:
                self.cut = f"a condition has degree {zeros.degree()}, too high to be found"
                return None
            lines.append((w, zeros * pow(int(zeros[0]), -1, p)))
        if len({poly.degree() for _, poly in lines}) > 1:
            raise UnluckyError
        return through(lines, base, p)

    def _univariate(self, poly: nmod_poly, i: int) -> list[fmpz_mpoly]:
        found: list[fmpz_mpoly] = []
        x = self.ring.gens()[i]
        for root in residues_of(poly):
            lifted = self._lifted({(0,): -root % self.p, (1,): 1}, (i,), self.p)
            if lifted is None:
                for c in quadratic_of(root, self.p):
                    scale = lcm(*(f.denominator for f in c))
                    lifted = sum((int(scale * f) * x**k for k, f in enumerate(c)), x * 0)
            if lifted is not None and lifted not in found and not is_positive(lifted):
                found.append(lifted)
        return found

    def _lifted(
        self, terms: Mapping[tuple[int, ...], int], left: Sequence[int], modulus: int
    ) -> fmpz_mpoly | None:
        """A polynomial with integer coefficients, up to a factor; None if they are long."""
        fractions = {m: fraction(c, modulus) for m, c in terms.items() if c}
        values = {m: f for m, f in fractions.items() if f is not None}
        if len(values) < len(fractions):
            return None
        if any((f.numerator * f.denominator) ** 2 > modulus for f in values.values()):
            return None
        scale = lcm(*(f.denominator for f in values.values()))
        data = {}
        for m, f in values.items():
            place = [0] * len(self.drop.names)
            for i, e in zip(left, m, strict=True):
                place[i] = e
            data[tuple(place)] = int(f * scale)
        return self.ring.from_dict(data)

    # -- points and solutions ------------------------------------------------------------------------
    def _point(self, stratum: Stratum, poly: fmpz_mpoly) -> list[int] | None:
        """Residues of all parameters on a stratum, with poly = 0."""
        p = self.p
        degrees = dict(zip(range(len(self.drop.names)), poly.degrees(), strict=True))
        chosen = min((i for i in stratum.left if degrees[i]), key=lambda i: degrees[i])
        for _ in range(40):
            point = [0] * len(self.drop.names)
            for i, x in zip(stratum.left, self.drop.residues(len(stratum.left)), strict=True):
                point[i] = x
            coefficients = [0] * (degrees[chosen] + 1)
            for m, c in poly.to_dict().items():
                rest = [*m]
                rest[chosen] = 0
                coefficients[m[chosen]] += int(c) * monomial_at(point, rest, p)
            for root in residues_of(nmod_poly([c % p for c in coefficients], p)):
                point[chosen] = root
                found = ask(stratum.at, [point[i] for i in stratum.left], p)
                if not isinstance(found, GivenUp):
                    return found
        return None

    def _inner(self, stratum: Stratum, poly: fmpz_mpoly) -> Stratum | None:
        """The stratum where poly vanishes too, if one parameter follows from it rationally."""
        degrees = poly.degrees()
        linear = [i for i in stratum.left if degrees[i] == 1]
        if not linear:
            return None
        parts = {i: linear_parts(poly, i) for i in linear}
        chosen = min(
            linear, key=lambda i: (len(parts[i][1]), sum(map(abs, map(int, parts[i][1].coeffs()))), i)
        )
        above, below = -parts[chosen][0], parts[chosen][1]
        if int(below.leading_coefficient()) < 0:
            above, below = -above, -below
        solved = {i: put_in(pair, chosen, above, below) for i, pair in stratum.solved.items()}
        left = tuple(i for i in stratum.left if i != chosen)
        return Stratum((*stratum.conditions, poly), {**solved, chosen: (above, below)}, left)

    def relations(self) -> list[ParameterRelation]:
        """What was found, as expressions."""
        names, found = self.drop.names, []
        for kept in self.kept:
            if kept.inner is not None:
                solutions = [{names[i]: quotient(a, b, names) for i, (a, b) in kept.inner.solved.items()}]
            else:
                outer = {names[i]: quotient(a, b, names) for i, (a, b) in kept.outer.solved.items()}
                solutions = [joined(outer, branch) for branch in branches(kept.poly, names)]
            conditions = tuple(expression(c, names) for c in kept.conditions)
            found.append(ParameterRelation(conditions, tuple(solutions), kept.more))
        return sorted(found, key=lambda r: (len(r.conditions), len(str(r)), str(r)))
