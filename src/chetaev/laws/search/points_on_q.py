"""Random points of Q modulo a prime, and Γ there.

Positions solve φ = 0, velocities f = 0: linear equations where f is affine, else polynomial ones
(:mod:`chetaev.laws.search.solving_modulo_prime`); accelerations come from the values of the law.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.numbers.number_echelon import modulo
from chetaev.expr.exact.polynomials.tower import Poly
from chetaev.laws.search.primes import UnluckyError, drawn
from chetaev.laws.search.program_modulo_prime import Residues, Values
from chetaev.laws.search.solving_modulo_prime import ring, solution

if TYPE_CHECKING:
    from chetaev.laws.search.motion_modulo_prime import Motion

TRIES = 400
"""So many points in vain end the search for one."""


@dataclass(frozen=True)
class PointOnQ:
    """A point of Q modulo p: a residue for every generator, and its derivative along Γ."""

    residues: Residues
    values: Values
    gamma: Values

    def value(self, function: Element) -> int:
        """The residue of a function."""
        return self.residues.value(function, self.values)

    def rate(self, function: Element) -> int:
        """The residue of Γ(F)."""
        return self.residues.slope(function, self.values, self.gamma)

    def slope(self, function: Element, tangent: Values) -> int:
        """The derivative along another tangent (:meth:`along`)."""
        return self.residues.slope(function, self.values, tangent)

    def slopes(self, function: Element, tangents: Sequence[Values]) -> list[int]:
        """The derivatives along several tangents."""
        by = self.residues.differential(function, self.values)
        return [sum(x * tangent[k] for k, x in by.items()) % self.residues.p for tangent in tangents]

    def along(self, direction: Mapping[int, int]) -> Values:
        """The tangent in which symbols move by `direction`: generator number → residue."""
        return self.residues.tangent(self.values, direction)


class Points:
    """Random points of Q modulo a prime, reproducible from a seed; parameters keep their values."""

    def __init__(self, motion: Motion, p: int, seed: int, parameters: Mapping[int, int]) -> None:
        self.motion, self.p = motion, p
        self.rng = random.Random(f"{seed}/{p}")
        self.residues = motion.residues(p)
        self.law, self.constraint = map(self.residues.program, (motion.law_graphs, motion.affine))
        moving = {*motion.positions, *motion.velocities, motion.time}
        self.fast = set(motion.velocities)
        generators = motion.field.generators
        self.still = [g for g in generators if g.kind != "dead" and not g.depends & moving]
        fixed = {g.index for g in self.still}
        roots = [g for g in generators if g.kind == "root" and g.index not in fixed]
        free = {g.index for g in generators if g.kind in ("symbol", "sin") and g.index not in fixed}
        slow = {g.index for g in generators if not g.depends & self.fast}
        # what constraints determine is not drawn again
        self._slow = self.residues.order_of_roots(
            [g.index for g in roots if g.index in slow], set() if motion.levels else free & slow
        )
        self._roots = self.residues.order_of_roots(
            [g.index for g in roots if g.index not in slow], set() if motion.f else free - slow
        )
        self.given = dict(parameters)
        self.fixed: Values = {}
        self._levels: list[Element] = [motion.field(e) for e in motion.levels]
        self._f: list[Element] = [] if motion.is_affine else [motion.field(e) for e in motion.f]
        self.drawn = 0
        self.spent = 0

    def fix(self) -> None:
        """Choose the values of parameters and other constants: roots of them must exist modulo p."""
        roots = {g.index for g in self.still if g.kind == "root"}

        def values() -> Values:
            found = self.residues.free_values(self.rng, self.given)
            self.residues.take_roots(found, roots)
            return found

        found = drawn(values, TRIES // 10)
        self.fixed = {g.index: found[g.index] for g in self.still}

    def draw(self) -> PointOnQ:
        """The next point; :class:`UnluckyError` if there is none in many tries."""
        if not self.fixed and self.still:
            self.fix()
        point = drawn(self._draw, TRIES)
        self.drawn += 1
        return point

    def _draw(self) -> PointOnQ:
        self.spent += 4 * len(self.law) + 100
        motion, residues = self.motion, self.residues
        values = residues.free_values(self.rng, self.fixed)
        if self._levels:
            self._solve(self._levels, values, {motion.time, *self.fixed, *self.fast})
        residues.draw_roots(values, self._slow, self.rng)
        if motion.is_affine:
            self._affine(values)
        else:
            known = {
                g.index for g in motion.field.generators if g.index in values and not g.depends & self.fast
            }
            self._solve(self._f, values, known)
        residues.draw_roots(values, self._roots, self.rng)
        acceleration = self._accelerations(values)
        direction = {motion.time: 1}
        direction |= {q: values[v] for q, v in zip(motion.positions, motion.velocities, strict=True)}
        direction |= dict(zip(motion.velocities, acceleration, strict=True))
        return PointOnQ(residues, values, residues.tangent(values, direction))

    def _affine(self, values: Values) -> None:
        """Velocities that satisfy C v + c = 0: all but some are free."""
        motion, p = self.motion, self.p
        m, k = len(motion.velocities), len(motion.f)
        if not k:
            return
        found = self.constraint(values)
        order = list(range(m))
        self.rng.shuffle(order)
        rows = [[found[a * m + j] for j in order] + [-found[k * m + a] % p] for a in range(k)]
        echelon = modulo(rows, m + 1, p)
        if m in echelon.pivots:
            raise UnluckyError
        for row_, pivot in zip(echelon.reduced.tolist(), echelon.pivots, strict=False):
            row = [int(x) for x in row_]
            total = row[m] - sum(row[j] * values[motion.velocities[order[j]]] for j in echelon.free[:-1])
            values[motion.velocities[order[pivot]]] = total % p

    def _solve(self, equations_: Sequence[Element], values: Values, known: set[int]) -> None:
        """Change random values so that functions vanish, by polynomial equations in as many unknowns."""
        field, p = self.motion.field, self.p
        generators = field.generators
        left = [e for e in equations_ if not e.is_blank]
        unknown: list[int] = []
        for e in left:
            used = [k for k in field.tower.used(e.numerator) if k not in known and k not in unknown]
            inside = [b for k in used if generators[k].kind == "root" for b in generators[k].parents]
            used = [k for k in (*used, *inside) if generators[k].kind not in ("root", "sign", "constant")]
            used = [k for k in used if k not in known and k not in unknown]
            if not used:
                raise UnluckyError
            plain = [k for k in used if generators[k].kind == "symbol"] or used
            unknown.append(self.rng.choice(plain))
        relations: list[Poly] = []
        for k in list(unknown):
            if generators[k].kind in ("sin", "cos"):
                partner = generators[k].partner
                if partner not in unknown:
                    unknown.append(partner)
                    s, c = field.tower.variable(k), field.tower.variable(partner)
                    relations.append(s**2 + c**2 - 1)
        needed = {k for e in left for k in field.tower.used(e.numerator)}
        for g in generators:
            if g.kind != "root" or g.index in known:
                continue
            if g.parents & set(unknown):
                unknown.append(g.index)
                base = g.args[0]
                power = field.tower.variable(g.index) ** g.order
                relation = power * base.denominator - base.numerator
                relations.append(relation)
            elif g.index in needed and g.index not in values:
                self.residues.take_roots(values, {g.index})
        context = ring(len(unknown), p)
        place = {k: i for i, k in enumerate(unknown)}
        polynomials = [e.numerator for e in left]
        polynomials += relations
        partial = [_partial(field, poly, values, place, context, p) for poly in polynomials]
        for i, x in solution(partial, context, self.rng).items():
            values[unknown[i]] = x
        for k in unknown:
            if generators[k].kind == "root" and values[k] == 0:
                raise UnluckyError

    def _accelerations(self, values: Values) -> list[int]:
        law, p = self.motion.law, self.p
        found = self.law(values)
        rows, unknowns, m = len(law.matrix), len(law.unknowns), len(law.offset)
        A, b = found[: rows * unknowns], found[rows * unknowns : rows * (unknowns + 1)]
        rest = found[rows * (unknowns + 1) :]
        R, r = rest[: m * unknowns], rest[m * unknowns :]
        table = [[*A[i * unknowns : (i + 1) * unknowns], b[i]] for i in range(rows)]
        solved = modulo(table, unknowns + 1, p).solution()
        if solved is None or len(solved) != unknowns:
            raise UnluckyError
        x = [int(solved[j]) for j in range(unknowns)]
        return [(sum(R[i * unknowns + j] * x[j] for j in range(unknowns)) + r[i]) % p for i in range(m)]


def _partial(
    field: Field, poly: object, values: Values, place: Mapping[int, int], context: object, p: int
) -> object:
    """A polynomial with the known generators put in, in the unknown ones."""
    terms: dict[tuple[int, ...], int] = {}
    count = len(place)
    for monomial, c in field.tower.terms(field.tower.project(poly)):  # type: ignore[arg-type]
        x = int(c.p) * pow(int(c.q), -1, p) % p
        exponents = [0] * count
        for k, e in monomial:
            if k in place:
                exponents[place[k]] += e
            else:
                x = x * pow(values[k], e, p) % p
        at = tuple(exponents)
        terms[at] = (terms.get(at, 0) + x) % p
    return context.from_dict({m: c for m, c in terms.items() if c})  # type: ignore[attr-defined]
