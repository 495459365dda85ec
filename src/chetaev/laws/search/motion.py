"""The motion as numbers modulo a prime: points of Q, and the field Γ there (SCOPE K22, Sa8).

A point of Q = {φ = 0, f = 0} is a residue for parameters, t, q, v and for every function that occurs.
Velocities that affine constraints determine come from a linear system; other constraints are solved as
polynomial equations (:mod:`chetaev.laws.search.solving`). Then

    Γ = ∂/∂t + v·∂/∂q + a·∂/∂v,      M a + h − F = Cᵀμ,  C a + c' = 0,

with a from the values of the law: nothing is solved, divided or expanded as a function. Γ is tangent to Q,
so that functions may be written in all velocities.

>>> import chetaev as ch
>>> motion = Motion(ch.load("heisenberg"))
>>> energy = motion.function("(x'^2 + y'^2 + z'^2)/2")
>>> area = motion.function("x*y' - y*x'")
>>> point = motion.points().draw()
>>> point.rate(energy), point.rate(area) == 0
(0, False)
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import nmod_mat

from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Setup
from chetaev.equations.registry import equations
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field
from chetaev.expr.exact.tower import Poly
from chetaev.expr.graph.node import ZERO, Expr, substitute, symbol, symbols
from chetaev.expr.language.parser import parse
from chetaev.laws.search.primes import PRIMES, UnluckyError, primes, residue
from chetaev.laws.search.program import ResidueProgram, Residues, Values
from chetaev.laws.search.solving import ring, solution
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.system import System

TRIES = 400
"""So many points in vain end the search for one."""
MOST_PRIMES = 64
"""So many primes are tried for one modulo which all constants exist."""


class Motion:
    """A system's law and constraints, with the parameters of a standpoint, ready to be evaluated anywhere.

    Parameters
    ----------
    system
        The system.
    standpoint
        Which parameters stay symbols (:mod:`chetaev.laws.standpoint`); the first one of the system if not
        given.
    budget
        What its function field may cost.

    Attributes
    ----------
    functions
        The functions that the law and the constraints contain: kind, order of a root, and the function.
    """

    def __init__(
        self, system: System, standpoint: Standpoint | None = None, budget: Budget | None = None
    ) -> None:
        self.system = system
        self.standpoint = standpoint or standpoints(system)[0]
        self.field = Field(budget)
        self.law = _law(system)
        s = Setup(system)
        C, given = s.matrices(s.by_v(s.f), s.f)
        levels = [e.residual for e in system.position_constraints]
        flat = self.standpoint.apply(
            [*self._law_graphs(), *(e for row in C for e in row), *(r[0] for r in given), *levels]
        )
        k, m = len(given), len(system.coordinates)
        cut = len(flat) - k * m - k - len(levels)
        self.law_graphs, rest = flat[:cut], flat[cut:]
        self.jacobian, self.f, self.levels = rest[: k * m], rest[k * m : k * m + k], rest[k * m + k :]
        self.is_affine = not any(order for name, order in symbols(*self.jacobian))
        self.time = self.field.base(symbol(system.time))
        self.positions = [self.field.base(symbol(c)) for c in system.coordinates]
        self.velocities = [self.field.base(symbol(c, 1)) for c in system.coordinates]
        self.at_rest = (
            substitute(self.f, {symbol(c, 1): ZERO for c in system.coordinates}) if self.is_affine else []
        )
        self.meet([*self.law_graphs, *self.jacobian, *self.f, *self.at_rest, *self.levels])
        self.functions = [
            (g.kind, g.order, self.field.variable(g.index))
            for g in self.field.generators
            if g.kind not in ("symbol", "dead", "constant", "sign")
        ]

    def _law_graphs(self) -> list[Expr]:
        law = self.law
        return [
            *(e for row in law.matrix for e in row),
            *law.right,
            *(e for row in law.recover for e in row),
            *law.offset,
        ]

    def meet(self, functions: Iterable[Expr]) -> None:
        """Let the field meet all functions that will be evaluated, before points are drawn."""
        residues = Residues(PRIMES[0], self.field)
        residues.program(list(functions))
        residues.prepare()

    def function(self, given: str | Expr) -> Element:
        """A function on Q: text or expression, with the parameters of the standpoint."""
        expression = parse(given, self.system.scope) if isinstance(given, str) else given
        element = self.field(self.standpoint.apply([expression])[0])
        Residues(PRIMES[0], self.field).prepare()
        return element

    @cached_property
    def parameters(self) -> list[int]:
        """The generators of parameters that stay symbols."""
        names = {(name, 0) for name in self.system.parameters}
        return [g.index for g in self.field.generators if g.kind == "symbol" and g.name in names]

    @cached_property
    def values(self) -> dict[int, Fraction]:
        """The model's values of the parameters that stay symbols, by generator, where they are rational."""
        replaced = dict(standpoints(self.system)[-1].replaced)
        found = {}
        for k in self.parameters:
            name = self.field.generators[k].name
            value = replaced.get(symbol(*name)) if isinstance(name, tuple) else None
            number = None if value is None else Field()(value).as_fraction()
            if number is not None:
                found[k] = number
        return found

    def points(
        self,
        p: int | None = None,
        seed: int = 0,
        parameters: Mapping[int, int] | None = None,
        *,
        special: bool = False,
    ) -> Points:
        """A source of points modulo p; parameters have random residues, the same at all points, or those
        given, or with `special` the model's values.
        """
        p = p or self.primes(1)[0]
        chosen = {k: residue(x, p) for k, x in self.values.items()} if special else {}
        return Points(self, p, seed, chosen | dict(parameters or {}))

    def primes(self, count: int, first: int = PRIMES[0]) -> list[int]:
        """Primes modulo which the constants of the system exist, such as √2, from the given one down;
        :class:`UnluckyError` if they are rare.
        """
        good, unseen = self._primes.setdefault(first, ([], primes(first)))
        for _ in range(MOST_PRIMES):
            if len(good) >= count:
                break
            p = next(unseen)
            with suppress(UnluckyError):
                Points(self, p, 0, {}).fix()
                good.append(p)
        if len(good) < count:
            raise UnluckyError
        return good[:count]

    @cached_property
    def _primes(self) -> dict[int, tuple[list[int], Iterator[int]]]:
        return {}


def _law(system: System) -> Equations:
    """A formulation whose law can be evaluated: that with the plainest entries first."""
    failed: ModelError | None = None
    for form in ("chetaev", "reduced", "gauss"):
        try:
            return equations(system, form)
        except ModelError as error:
            failed = failed or error
    assert failed is not None
    raise failed


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

    def along(self, direction: Mapping[int, int]) -> Values:
        """The tangent in which symbols move by `direction`: generator number → residue."""
        return self.residues.tangent(self.values, direction)


class Points:
    """Random points of Q modulo a prime, reproducible from a seed; parameters keep their values."""

    def __init__(self, motion: Motion, p: int, seed: int, parameters: Mapping[int, int]) -> None:
        self.motion, self.p = motion, p
        self.rng = random.Random(f"{seed}/{p}")
        self.residues = Residues(p, motion.field)
        self.law = self.residues.program(motion.law_graphs)
        affine = [*motion.jacobian, *motion.at_rest] if motion.is_affine else []
        self.constraint = self.residues.program(affine)
        self.residues.prepare()
        moving = {*motion.positions, *motion.velocities, motion.time}
        self.fast = set(motion.velocities)
        generators = motion.field.generators
        self.still = [g for g in generators if g.kind != "dead" and not g.depends & moving]
        self.slow = [g.index for g in generators if g.kind == "root" and not g.depends & self.fast]
        self.given = dict(parameters)
        self.fixed: Values = {}
        self._levels: list[Element] = [motion.field(e) for e in motion.levels]
        self._f: list[Element] = [] if motion.is_affine else [motion.field(e) for e in motion.f]
        self.drawn = 0
        self.spent = 0

    def fix(self) -> None:
        """Choose the values of parameters and other constants: roots of them must exist modulo p."""
        for _ in range(TRIES // 10):
            values = self.residues.free_values(self.rng, self.given)
            try:
                self.residues.take_roots(values, {g.index for g in self.still if g.kind == "root"})
            except UnluckyError:
                continue
            self.fixed = {g.index: values[g.index] for g in self.still}
            return
        raise UnluckyError

    def draw(self) -> PointOnQ:
        """The next point; :class:`UnluckyError` if there is none in many tries."""
        if not self.fixed and self.still:
            self.fix()
        for _ in range(TRIES):
            self.spent += 4 * len(self.law) + 100
            try:
                point = self._draw()
            except UnluckyError:
                continue
            self.drawn += 1
            return point
        raise UnluckyError

    def _draw(self) -> PointOnQ:
        motion, residues = self.motion, self.residues
        values = residues.free_values(self.rng, self.fixed)
        if self._levels:
            self._solve(self._levels, values, {motion.time, *self.fixed, *self.fast})
        residues.take_roots(values, self.slow)
        if motion.is_affine:
            self._affine(values)
        else:
            known = {
                g.index for g in motion.field.generators if g.index in values and not g.depends & self.fast
            }
            self._solve(self._f, values, known)
        residues.take_roots(values)
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
        reduced, rank = nmod_mat(k, m + 1, [x for row in rows for x in row], p).rref()
        pivots = pivot_columns(reduced, rank)
        if pivots and pivots[-1] == m:
            raise UnluckyError
        free = [j for j in range(m) if j not in pivots]
        for i, pivot in enumerate(pivots):
            total = int(reduced[i, m]) - sum(
                int(reduced[i, j]) * values[motion.velocities[order[j]]] for j in free
            )
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
        entries: list[int] = []
        for i in range(rows):
            entries += A[i * unknowns : (i + 1) * unknowns]
            entries.append(b[i])
        reduced, rank = nmod_mat(rows, unknowns + 1, entries, p).rref()
        if rank != unknowns or (unknowns and pivot_columns(reduced, rank)[-1] == unknowns):
            raise UnluckyError
        x = [int(reduced[i, unknowns]) for i in range(unknowns)]
        return [(sum(R[i * unknowns + j] * x[j] for j in range(unknowns)) + r[i]) % p for i in range(m)]


def pivot_columns(reduced: nmod_mat, rank: int) -> list[int]:
    """The columns of the leading entries of a matrix in reduced echelon form."""
    columns = reduced.ncols()
    pivots: list[int] = []
    for i in range(rank):
        j = pivots[-1] + 1 if pivots else 0
        while j < columns and int(reduced[i, j]) == 0:
            j += 1
        pivots.append(j)
    return pivots


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


__all__ = ["Motion", "PointOnQ", "Points", "ResidueProgram", "pivot_columns", "residue"]
