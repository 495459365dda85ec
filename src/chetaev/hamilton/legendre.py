"""Legendre's transformation of any Lagrangian: primary constraints and the canonical Hamiltonian (K9, B7).

    p_i = ∂L/∂v^i,      rank ∂²L/∂v∂v = r < m:   m − r functions Φ_α(t, q, p) = 0,      H = p·v − L.

Where L is quadratic in the velocities, L = ½ v·M v + b·v − U, the constraints are n·(p − b) = 0 for n in the
kernel of M, and H = ½ (p − b)_R·(M_RR)⁻¹(p − b)_R + U with r rows R that carry the rank. Otherwise the
velocities are eliminated from p = ∂L/∂v and h = p·v − L
(:mod:`chetaev.expr.exact.ideals.groebner_elimination`), or p = ∂L/∂v is solved for one after the other; a
part of L with velocities of its own is transformed by itself. H is the root of the equation for h that holds
at sample points; where only several roots together hold at all of them, v(t, q, p) has as many sheets. H is
determined up to multiples of the constraints.

>>> import chetaev as ch
>>> text = {"lagrangian": "(x' - y)^2/2", "degenerate": True}
>>> (found,) = legendre(PhaseSpace(ch.System(coordinates=["x", "y"], dynamics=text)))
>>> [str(e) for e in found.primary], str(found.hamiltonian)
(['p_y'], 'p_x*(2*y + p_x)/2')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

from chetaev.constraint.submanifold.isolate import isolate
from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.field.differentiation import replace_generators
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.ideals.groebner_elimination import eliminate
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import postorder, symbol, symbols
from chetaev.hamilton.phase_space import PhaseSpace

POINTS = 24


@dataclass(frozen=True)
class Legendre:
    """Primary constraints, the canonical Hamiltonian, the rank of ∂²L/∂v∂v at generic points, whether L is
    quadratic in v, and functions where one of which vanishes that rank may be smaller.
    """

    primary: tuple[Element, ...]
    hamiltonian: Element
    rank: int
    is_quadratic: bool
    drops: tuple[Element, ...] = ()


def legendre(space: PhaseSpace) -> tuple[Legendre, ...]:
    """The image of Legendre's transformation and H on it, for every sheet of v(t, q, p); a ModelError where
    no closed form is found.
    """
    speeds = {(c, 1) for c in space.system.coordinates}
    for node in postorder(space.system.lagrangian):
        if node.op == "sign" and not speeds.isdisjoint(symbols(node)):
            raise _not_closed(GivenUp(f"{node} jumps, and is no function of the momenta"))
    L = space.element(space.system.lagrangian)
    every = _Velocities(space, L, tuple(range(len(space.v))))
    if every.is_quadratic:
        found = [every.quadratic()]
    else:
        base, parts = _parts(space, L)
        found = [_joined(-base, choice) for choice in product(*(part.sheets() for part in parts))]
    return tuple(replace(one, primary=tuple(primitive(e) for e in one.primary)) for one in found)


def _parts(space: PhaseSpace, L: Element) -> tuple[Element, list[_Velocities]]:
    """L = L₀ + Σ L_k, where each L_k has velocities of its own: ∂²L/∂v∂v couples no two parts."""
    slopes = [L.diff(v) for v in space.v]
    coupled = [[not e.diff(v).is_zero for v in space.v] for e in slopes]
    groups: list[set[int]] = []
    for i, row in enumerate(coupled):
        group = {i, *(j for j, linked in enumerate(row) if linked)}
        joined = [g for g in groups if g & group]
        groups = [g for g in groups if not g & group] + [group.union(*joined)]
    base, others = _somewhere(space, L)
    if len(groups) == 1 or base is None:
        return space.field.zero, [_Velocities(space, L, tuple(range(len(space.v))))]
    parts = []
    for places in sorted(map(sorted, groups)):
        still = {v: x for i, (v, x) in enumerate(others.items()) if i not in places}
        parts.append(_Velocities(space, L.subs(still) - base, tuple(places)))
    return base, parts


def _somewhere(space: PhaseSpace, L: Element) -> tuple[Element | None, dict[Element, Element]]:
    """L at velocities, plain numbers, where it has a value."""
    number = space.field.number
    for k in range(3):
        at = {v: number(Fraction(k * (i + 2), 7 + i * k)) for i, v in enumerate(space.v)}
        found = ask(L.subs, at)
        if not isinstance(found, GivenUp):
            return found, at
    return None, {}


def _joined(energy: Element, parts: Sequence[Legendre]) -> Legendre:
    """The transformation of a sum of functions of different velocities."""
    return Legendre(
        tuple(sorted((e for part in parts for e in part.primary), key=lambda e: e.terms)),
        sum((part.hamiltonian for part in parts), energy),
        sum(part.rank for part in parts),
        all(part.is_quadratic for part in parts),
        tuple(e for part in parts for e in part.drops),
    )


@dataclass(frozen=True)
class _Velocities:
    """A function of t, q and of the velocities with these numbers alone, to be transformed."""

    space: PhaseSpace
    L: Element
    places: tuple[int, ...]

    @property
    def v(self) -> list[Element]:
        return [self.space.v[i] for i in self.places]

    @property
    def p(self) -> list[Element]:
        """The momenta as symbols."""
        return [self.space.p[i] for i in self.places]

    @cached_property
    def slopes(self) -> list[Element]:
        """∂L/∂v."""
        return [self.L.diff(v) for v in self.v]

    @cached_property
    def hessian(self) -> list[list[Element]]:
        """∂²L/∂v∂v."""
        return [[e.diff(v) for v in self.v] for e in self.slopes]

    @cached_property
    def rank(self) -> int:
        """Of the Hessian, at generic points."""
        return 0 if all(e.is_zero for row in self.hessian for e in row) else linear.rank(self.hessian)

    @cached_property
    def energy(self) -> Element:
        """∂L/∂v·v − L."""
        return sum((v * e for v, e in zip(self.v, self.slopes, strict=True)), -self.L)

    @property
    def is_quadratic(self) -> bool:
        """Whether L is a polynomial of degree at most two in the velocities; sign(v) is none."""
        parts = self.L.coefficients(*self.v)
        return parts is not None and all(sum(k) <= 2 for k in parts)

    def sheets(self) -> list[Legendre]:
        """The transformation, for every sheet of v(t, q, p)."""
        if self.is_quadratic:
            return [self.quadratic()]
        quick = _through_the_root(self)
        if quick is not None:
            return [Legendre(*quick, self.rank, False)]
        eliminated = ask(self._eliminated)
        found = [] if isinstance(eliminated, GivenUp) else eliminated
        found = found or self._isolated()
        if not found:
            raise _not_closed(eliminated if isinstance(eliminated, GivenUp) else None)
        return found

    def quadratic(self) -> Legendre:
        """For L of degree two."""
        space, M, rank = self.space, self.hessian, self.rank
        still: dict[Element, Element] = dict.fromkeys(self.v, space.field.zero)
        b, U = [e.subs(still) for e in self.slopes], -self.L.subs(still)
        beyond = [x - y for x, y in zip(self.p, b, strict=True)]
        if rank == 0:
            return Legendre(tuple(beyond), U, 0, True)
        constraints = [
            sum((weight * e for weight, e in zip(n, beyond, strict=True)), space.field.zero)
            for n in (linear.nullspace(M) if rank < len(M) else [])
        ]
        rows = linear.echelon(M).pivots
        minor = [[M[i][j] for j in rows] for i in rows]
        speeds = linear.solve(minor, [beyond[i] for i in rows])
        kinetic = sum((beyond[i] * speed for i, speed in zip(rows, speeds, strict=True)), space.field.zero)
        return Legendre(tuple(constraints), kinetic / 2 + U, rank, True, _may_vanish(space, minor))

    def _eliminated(self) -> list[Legendre]:
        """By elimination of the velocities from p = ∂L/∂v and h = p·v − L."""
        field, L = self.space.field, self.L
        equations = [x - e for x, e in zip(self.p, self.slopes, strict=True)]
        names = [(self.space.system.coordinates[i], 1) for i in self.places]
        primary = eliminate(field, equations, names, nonzero=_roots(L)) if self.rank < len(self.v) else []
        if self.energy.symbols.isdisjoint(names):
            return [Legendre(tuple(primary), self.energy, self.rank, False)]
        h = field.symbol("the energy")
        found = eliminate(field, [*equations, h - self.energy], names, nonzero=_roots(L))
        for e in sorted(found, key=lambda e: e.terms):
            if sheets := self._covering(_roots_of(e, h)):
                return [Legendre(tuple(primary), H, self.rank, False) for H in sheets]
        return []

    def _isolated(self) -> list[Legendre]:
        """By solving p = ∂L/∂v for one velocity after the other, each standing once in an equation without
        those that are still unknown.
        """
        names = {(self.space.system.coordinates[i], 1) for i in self.places}
        if self.rank < len(self.v):
            return []
        sheets: list[dict[Element, Element]] = [{}]
        pending = [p - e for p, e in zip(self.p, self.slopes, strict=True)]
        while pending:
            known = {name for v in sheets[0] for name in v.symbols}
            here = next((e for e in pending if len(e.symbols & (names - known)) == 1), None)
            if here is None:
                return []
            pending.remove(here)
            (unknown,) = here.symbols & (names - known)
            solved = isolate(here.to_expr(), symbol(*unknown))
            if any(note.period is not None for s in solved for note in s.notes):
                return []  # there are infinitely many sheets
            v = self.space.field.symbol(*unknown)
            sheets = [{**sheet, v: self.space.field(s.value).subs(sheet)} for sheet in sheets for s in solved]
        energies = [
            sum((p * v.subs(sheet) for p, v in zip(self.p, self.v, strict=True)), -self.L.subs(sheet))
            for sheet in sheets
        ]
        return [Legendre((), H, self.rank, False) for H in self._covering(energies)]

    def _covering(self, candidates: Sequence[Element]) -> list[Element]:
        """One candidate that is H at all sample points where both have values, else those that together
        are; none if they are not.
        """
        met = [self._meets(H) for H in candidates]
        whole = next((H for H, here in zip(candidates, met, strict=True) if here and False not in here), None)
        if whole is not None:
            return [whole]
        together = [[x for x in row if x is not None] for row in zip(*met, strict=True)]
        if not any(together) or not all(any(row) for row in together if row):
            return []
        return [H for H, here in zip(candidates, met, strict=True) if any(here)]

    def _meets(self, candidate: Element) -> list[bool | None]:
        """Whether H(q, ∂L/∂v) = p·v − L at the sample points; None where one has no value. Balls decide."""
        system = self.space.system
        names = sorted({*system.parameters, system.time, *system.coordinates})
        found: list[bool | None] = []
        for k in range(POINTS):
            values: dict[object, Fraction] = {
                (name, 0): Fraction(7 + 3 * i + 5 * k, 4 + i) for i, name in enumerate(names)
            }
            signs = _signs(k, len(system.coordinates))
            for i, (c, sign) in enumerate(zip(system.coordinates, signs, strict=True)):
                values[(c, 1)] = sign * Fraction(1 + i + k % 3, 5 + 2 * i * (1 + k % 4))
            momenta = [e.evaluate(values, 200) for e in self.slopes]
            there = {(self.space.momenta[i], 0): x for i, x in zip(self.places, momenta, strict=True)}
            left = candidate.evaluate({**values, **there}, 200)
            right = self.energy.evaluate(values, 200)
            finite = left.is_finite() and right.is_finite()
            found.append((left - right).contains(0) if finite else None)
        return found


def _may_vanish(space: PhaseSpace, minor: list[list[Element]]) -> tuple[Element, ...]:
    """Functions where one of which vanishes a minor of ∂²L/∂v∂v does; not those that are seen to have no
    zeros.
    """
    determinant = linear.determinant(minor)
    found = [f for f, _ in factors(space.field, determinant.numerator)[1] if not space.is_constant(f)]
    return tuple(f for f in found if not (positive(f) or positive(-f)))


def _through_the_root(part: _Velocities) -> tuple[tuple[Element, ...], Element] | None:
    """For L = L(t, q, v, R) with one root R² = u(t, q, v), where p = ∂L/∂v + ∂L/∂R ∂u/∂v/(2R) is linear in v
    if R is given: v follows from q, p and R, and R² = u is an equation between them. Without R it is the
    primary constraint; else it gives R.
    """
    field, L = part.space.field, part.L
    moving = {field.base(v) for v in part.v}
    used = {*field.tower.used(L.numerator), *field.tower.used(L.denominator)}
    roots = [k for k in sorted(used - moving) if not field.generators[k].depends.isdisjoint(moving)]
    if len(roots) != 1 or field.generators[roots[0]].kind != "root" or field.generators[roots[0]].order != 2:
        return None
    R = field.symbol("the root")
    under, images = field.generators[roots[0]].args[0], {roots[0]: R}
    named = replace_generators(field, L.numerator, images) / replace_generators(field, L.denominator, images)
    by_root = named.diff(R) / (2 * R)
    momenta = [named.diff(v) + by_root * under.diff(v) for v in part.v]
    energy = sum((v * e for v, e in zip(part.v, momenta, strict=True)), -named)
    rows = [_cleared(p - e) for p, e in zip(part.p, momenta, strict=True)]
    matrix = [[e.diff(v) for v in part.v] for e in rows]
    if any(not e.diff(v).is_zero for row in matrix for e in row for v in part.v):
        return None
    try:
        still = dict.fromkeys(part.v, field.zero)
        speeds = linear.solve(matrix, [-e.subs(still) for e in rows])
    except SingularSystemError:
        return None
    at = dict(zip(part.v, speeds, strict=True))
    parts = _cleared(R**2 - under.subs(at)).coefficients(R)
    if not parts:
        return None
    lowest = min(k[0] for k in parts)
    left = {k[0] - lowest: e for k, e in parts.items()}
    height = energy.subs(at)
    if list(left) == [0]:
        base = height.subs({R: field.zero})
        is_base = zero_test(height - base, [left[0]]).is_zero  # R(R² − u)-terms vanish on the constraint
        return ((left[0],), base) if is_base else None
    if set(left) != {0, 2}:
        return None
    return (), height.subs({R: field.sqrt(-left[0] / left[2])})


def _cleared(e: Element) -> Element:
    """The numerator."""
    return e.field.polynomial(e.numerator)


def _not_closed(why: GivenUp | None = None) -> ModelError:
    reason = "" if why is None else f": {why.reason}"
    return ModelError(
        "the velocities could not be eliminated from p = ∂L/∂v, so there is no Hamiltonian in closed form"
        + reason,
        expected="a Lagrangian that is algebraic in the velocities, of low degree",
    )


def _roots(L: Element) -> list[Element]:
    """The roots in a function: they do not vanish where p = ∂L/∂v is defined."""
    field = L.field
    used = {*field.tower.used(L.numerator), *field.tower.used(L.denominator)}
    return [field.variable(k) for k in sorted(used) if field.generators[k].kind == "root"]


def _roots_of(e: Element, h: Element) -> list[Element]:
    """The solutions of a polynomial equation of degree one or two for h."""
    parts = e.coefficients(h)
    if parts is None or not any(k[0] for k in parts) or max(k[0] for k in parts) > 2:
        return []
    a, b, c = (parts.get((i,), e.field.zero) for i in (2, 1, 0))
    if a.is_zero:
        return [-c / b]
    root = e.field.sqrt(b**2 - 4 * a * c)
    return [(-b + root) / (2 * a), (-b - root) / (2 * a)]


def _signs(k: int, count: int) -> tuple[int, ...]:
    choices = list(product((1, -1), repeat=min(count, 5)))
    found = choices[k % len(choices)]
    return found + (1,) * (count - len(found))
