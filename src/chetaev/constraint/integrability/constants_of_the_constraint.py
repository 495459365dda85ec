"""Functions u(t, q) that the constraint keeps constant: du ∈ D°, X(u) = 0 for all fields X of D (SCOPE K18,
D2).

Their number is the corank of the last member of the flag of D. Closed forms are looked for among combinations

    Σ c_i b_i,    b_i monomials in coordinates, the functions that occur (sin, cos, exp, roots), inverses and
                  logarithms of the factors that occur, angles atan2

by exact linear algebra (:mod:`chetaev.constraint.integrability.modular_kernel`), simplest first, and each
one found is verified exactly. This includes total derivatives under any integrating factor, and separated
variables.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> Q = Constraint.of(["z*(x*x' + y*y') = (x^2 + y^2)*z'"], ["x", "y", "z"])
>>> [str(u) for u in find(Q, 1)]
['z^2/(x^2 + y^2)']
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

from flint import nmod_mat

from chetaev.constraint.integrability.combination import base_fields, combination
from chetaev.constraint.integrability.curvature import curvature_rank
from chetaev.constraint.integrability.modular_kernel import (
    PRIME,
    Field_,
    Monomial,
    RowsModuloPrime,
    UnluckyError,
    along,
    evaluate,
    values_at_random,
)
from chetaev.constraint.submanifold.constraint_data import blocks
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.functions import inverse_functions as inverse

LEAST = 50_000
"""The effort of a search in any case."""
MAX_BASIS = 220
MAX_FACTORS = 6
MAX_SUPPORT = 12


@dataclass(frozen=True)
class Basis:
    """Monomials in atoms, simplest first."""

    atoms: list[Element]
    monomials: list[Monomial]
    made: dict[Monomial, Element] = dataclass_field(default_factory=dict)

    def element(self, monomial: Monomial) -> Element:
        """The product of powers of atoms; what several monomials begin with is made once."""
        if not monomial:
            return self.atoms[0].field.one
        if monomial not in self.made:
            *first, (k, e) = monomial
            power = self.atoms[k] ** e
            self.made[monomial] = self.element(tuple(first)) * power if first else power
        return self.made[monomial]


def find(constraint: Constraint, count: int, allowance: Allowance | None = None) -> list[Element]:
    """Up to `count` independent integrals in closed form; the constraint must be written affine."""
    allowance = Allowance(constraint.effort) if allowance is None else allowance
    parts = [Constraint(g, symbolic=False, effort=constraint.effort) for g in blocks(constraint.given)]
    if len(parts) < 2:
        parts = [constraint]
    given: list[Element] = []
    further: list[Element] = []
    for part in sorted(parts, key=lambda p: len(p.coordinates)):  # what is small is found at once
        if part.codimension and len(given) + len(further) < count:
            found = _find(part, min(part.codimension, count - len(given) - len(further)), allowance)
            given += found[: len(part.positions)]
            further += found[len(part.positions) :]
    return [*given, *further]


def _find(constraint: Constraint, count: int, allowance: Allowance) -> list[Element]:
    """The integrals of one block, the position constraints first."""
    found: list[Element] = []
    search = _ConstantsSearch(constraint, count, found)
    allowance.attempt(constraint.field, search.run, times=2, least=LEAST)
    return found


class _ConstantsSearch:
    """One search, with what it has found so far."""

    def __init__(self, constraint: Constraint, count: int, found: list[Element]) -> None:
        self.constraint, self.count, self.found = constraint, count, found
        self.field = constraint.chart.field
        self.names = [(constraint.given.time, 0), *((q, 0) for q in constraint.coordinates)]
        self.slopes: list[dict[int, Element]] = []

    def run(self) -> None:
        """Look among given positions, forms with constant coefficients, and bases of growing richness."""
        constraint = self.constraint
        if not constraint.positions and curvature_rank(constraint) == constraint.codimension:
            return  # a point shows that [D, D] is everything: there is none
        self.fields = base_fields(constraint)
        for u in (*constraint.positions, *_with_constant_coefficients(constraint)):
            self.keep(u)
        for basis in _bases(constraint):
            if len(self.found) >= self.count:
                return
            try:
                system = RowsModuloPrime(self.field, self.fields, basis.atoms)
                kernel = system.kernel(basis.monomials)
            except UnluckyError:
                continue
            for vector in kernel:
                combined = _function(constraint, self.fields, basis, vector)
                if combined is not None:
                    self.keep(combined)
                if len(self.found) >= self.count:
                    return

    def keep(self, u: Element) -> None:
        """Add an integral if it is one, exactly, and independent of those found."""
        if len(self.found) >= self.count or not all(along(X, u).is_zero for X in self.fields):
            return
        depends = u.symbols
        slopes = {j: u.diff(n) for j, n in enumerate(self.names) if n in depends}
        if self._independent([*self.slopes, slopes]):
            self.slopes.append(slopes)
            self.found.append(primitive(u))

    def _independent(self, rows: list[dict[int, Element]]) -> bool:
        """Whether the rows du are independent at a random point modulo p, hence as functions."""
        rng, width = random.Random(5), len(self.names)
        for _ in range(20):
            try:
                values = values_at_random(self.field, rng, {})
                entries = [0] * (len(rows) * width)
                for i, row in enumerate(rows):
                    for j, e in row.items():
                        entries[i * width + j] = evaluate(e, values)
            except UnluckyError:
                continue
            return bool(nmod_mat(len(rows), width, entries, PRIME).rank() == len(rows))
        return False


def _function(
    constraint: Constraint, fields: list[Field_], basis: Basis, vector: dict[int, Fraction | None]
) -> Element | None:
    """The combination with these coefficients; where one is not rational, all are solved for exactly."""
    field = constraint.chart.field
    irrational = any(c is None for c in vector.values())
    if irrational and len(vector) > MAX_SUPPORT:
        return None
    parts = {i: basis.element(basis.monomials[i]) for i in vector}
    if irrational:
        return combination(field, fields, list(parts.values()))
    return sum((parts[i] * (c or 0) for i, c in vector.items()), field.zero)


def _with_constant_coefficients(constraint: Constraint) -> Iterator[Element]:
    """u = q^a − B^a_s q^s − A^a t for the rows whose coefficients are constant: φ^a = du."""
    field, chart = constraint.chart.field, constraint.adapted
    variables = {(constraint.given.time, 0), *((q, 0) for q in constraint.coordinates)}
    for a, q in enumerate(chart.dependent):
        row = {constraint.given.time: chart.A[a], **dict(zip(chart.free, chart.B[a], strict=True))}
        if not any(e.symbols & variables for e in row.values()):
            u = field.symbol(q)
            for p, e in row.items():
                if not e.is_zero:
                    u = u - e * field.symbol(p)
            yield u


# --- ansatz ---------------------------------------------------------------------------------------


def _bases(constraint: Constraint) -> Iterator[Basis]:
    """Bases of growing richness."""
    field = constraint.chart.field
    chart = constraint.adapted
    coefficients = [*chart.A, *(b for row in chart.B for b in row)]
    variables = {(constraint.given.time, 0), *((q, 0) for q in constraint.coordinates)}
    used = {k for e in coefficients for p in (e.numerator, e.denominator) for k in field.tower.used(p)}
    functions = [field.variable(k) for k in sorted(used) if field.generators[k].kind != "symbol"]
    functions = [f for f in functions if f.symbols & variables]
    functions += _partners(field, functions)
    coordinates = [field.symbol(q) for q in constraint.coordinates]
    if any((constraint.given.time, 0) in e.symbols for e in coefficients) or any(
        not a.is_zero for a in chart.A
    ):
        coordinates.append(field.symbol(constraint.given.time))
    plain = [*coordinates, *functions]
    for degree in (1, 2, 3):
        yield _polynomial(plain, degree)
    factors = _factors(field, coefficients, variables)
    for degree in (2, 3):
        yield _rational(plain, factors, degree)
    logarithms = [field.log(p) for p in factors] + _angles(field, factors, coordinates)
    yield _polynomial([*plain, *logarithms], 2)
    quadratures = _quadratures(field, factors, coordinates, functions)
    if quadratures:
        yield _polynomial([*plain, *logarithms, *quadratures], 2)
    inverse_factors = _inverse_factors(constraint, variables)
    more = {str(p): p for p in (*factors, *inverse_factors)}
    wider = sorted(more.values(), key=lambda e: e.terms)[: 2 * MAX_FACTORS]
    primitives = [*map(field.log, wider), *_quadratures(field, wider, coordinates, functions)]
    yield _with(_rational(plain, wider, 1), primitives)
    yield _with(_rational(plain, factors, 2), primitives)
    exponentials = [field.exp(x) for x in coordinates] + [1 / field.exp(x) for x in coordinates]
    yield _rational([*plain, *exponentials], factors, 2)
    yield _polynomial(plain, 5)


def _partners(field: Field, functions: list[Element]) -> list[Element]:
    """cos for every sin and the other way round."""
    seen = {field.tower.used(f.numerator)[0] for f in functions}
    missing = [field.generators[k].partner for k in sorted(seen) if field.generators[k].partner >= 0]
    return [field.variable(k) for k in missing if k not in seen]


def _polynomial(atoms: list[Element], degree: int) -> Basis:
    monomials: list[Monomial] = []
    for d in range(1, degree + 1):
        for choice in combinations_with_replacement(range(len(atoms)), d):
            monomials.append(_powers(choice))
            if len(monomials) >= MAX_BASIS:
                return Basis(atoms, monomials)
    return Basis(atoms, monomials)


def _powers(choice: tuple[int, ...]) -> Monomial:
    return tuple((k, choice.count(k)) for k in sorted(set(choice)))


def _rational(atoms: list[Element], factors: list[Element], degree: int) -> Basis:
    """Monomials over powers of factors."""
    everything = [*atoms, *factors]
    n = len(atoms)
    tops: list[Monomial] = [()]
    for d in range(1, degree + 1):
        tops += [_powers(c) for c in combinations_with_replacement(range(n), d)]
    monomials: list[Monomial] = []
    for bottom in [(), *((j, -e) for e in (1, 2) for j in range(n, len(everything)))]:
        for top in tops:
            monomial = (*top, bottom) if bottom else top
            if monomial:
                monomials.append(monomial)  # type: ignore[arg-type]
    monomials.sort(key=lambda b: sum(abs(e) for _, e in b))
    return Basis(everything, monomials[:MAX_BASIS])


def _factors(
    field: Field, coefficients: list[Element], variables: set[tuple[str, int]], most: int = MAX_FACTORS
) -> list[Element]:
    """Irreducible factors of numerators and denominators that depend on positions."""
    found: dict[str, Element] = {}
    for bottom in (True, False):
        for e in coefficients:
            p = e.denominator if bottom else e.numerator
            if p.is_constant() or len(p) > 40:
                continue
            for q, _ in field.factor(p)[1]:
                factor = field.polynomial(field.tower.reduce(q))
                if factor.symbols & variables:
                    found.setdefault(str(factor.numerator), factor)
    return sorted(found.values(), key=lambda e: e.terms)[:most]


def _angles(field: Field, factors: list[Element], coordinates: list[Element]) -> list[Element]:
    """atan2(y, x) for factors x² + y²."""
    return [
        inverse.apply(field, "atan2", (y, x))
        for x, y in combinations(coordinates, 2)
        if any((f - x**2 - y**2).is_zero for f in factors)
    ]


def _quadratures(
    field: Field, factors: list[Element], coordinates: list[Element], functions: list[Element]
) -> list[Element]:
    """∫ dx/p for factors p = ax² + bx + c, and ∫ dx/sin x, ∫ dx/cos x as logarithms.

    With D = 4ac − b² = n d², n a number: atan((2ax + b)/(d√n)) for n > 0, and log((2ax + b − d√−n)/(2ax + b +
    d√−n)) for n < 0.
    """
    found = []
    for p in factors:
        for x in coordinates:
            (name,) = x.symbols
            parts = p.coefficients(name)
            if parts is None or max(e for (e,) in parts) != 2:
                continue
            c, b, a = (parts.get((e,), field.zero) for e in range(3))
            square = _square(4 * a * c - b * b)
            if square is None:
                continue
            n, d = square
            top, root = 2 * a * x + b, d * field.sqrt(field.number(abs(n)))
            if n > 0:
                found.append(inverse.apply(field, "atan", (top / root,)))
            else:
                found.append(field.log(top - root) - field.log(top + root))
            break
    for f in functions:
        k = field.tower.used(f.numerator)
        if len(k) == 1 and field.generators[k[0]].kind in ("sin", "cos"):
            found.append(field.log(1 + f))
    return found


def _square(e: Element) -> tuple[Fraction, Element] | None:
    """n and d with e = n d², n a number and d a polynomial."""
    if e.is_zero or not e.is_polynomial:
        return None
    factors = e.field.factor(e.numerator)[1]
    if any(power % 2 for _, power in factors):
        return None
    d = e.field.one
    for p, power in factors:
        d = d * e.field.polynomial(p) ** (power // 2)
    n = (e / d**2).as_fraction()
    if n is None or not n or not _has_root(abs(n)):
        return None
    return n, d


def _has_root(n: Fraction) -> bool:
    """Whether √n exists modulo the prime that the search computes with."""
    return pow(n.numerator * n.denominator, (PRIME - 1) // 2, PRIME) == 1


def _inverse_factors(constraint: Constraint, variables: set[tuple[str, int]]) -> list[Element]:
    """Factors of ω(S) for the forms ω = dq^a − A^a dt − B^a_s dq^s and the commonest symmetries S.

    If S is a symmetry of ω = 0, then ω/ω(S) is closed (Lie). Here S is a scaling Σ q ∂/∂q, or a translation
    ∂/∂q^a ± ∂/∂q^s.
    """
    field, chart = constraint.chart.field, constraint.adapted
    values: list[Element] = []
    for a, q in enumerate(chart.dependent):
        scaling = field.symbol(q)
        for s, p in enumerate(chart.free):
            B = chart.B[a][s]
            scaling = scaling - B * field.symbol(p)
            if not B.is_zero:
                values += [1 - B, 1 + B]
        values.append(scaling)
    return _factors(field, [e for e in values if not e.is_zero], variables, 2 * MAX_FACTORS)


def _with(basis: Basis, atoms: list[Element]) -> Basis:
    """A basis with further atoms, each alone, as its simplest members."""
    n = len(basis.atoms)
    alone: list[Monomial] = [((n + i, 1),) for i in range(len(atoms))]
    return Basis([*basis.atoms, *atoms], [*alone, *basis.monomials][:MAX_BASIS])
