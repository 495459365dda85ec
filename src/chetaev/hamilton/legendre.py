"""Legendre's transformation of any Lagrangian: primary constraints and the canonical Hamiltonian (K9, B7).

    p_i = ∂L/∂v^i,      rank ∂²L/∂v∂v = r < m:   m − r functions Φ_α(t, q, p) = 0,      H = p·v − L.

Where L is quadratic in the velocities, L = ½ v·M v + b·v − U, the constraints are n·(p − b) = 0 for n in the
kernel of M, and H = ½ (p − b)_R·(M_RR)⁻¹(p − b)_R + U with r rows R that carry the rank. Otherwise the
velocities are eliminated from p = ∂L/∂v and h = p·v − L
(:mod:`chetaev.expr.exact.ideals.groebner_elimination`); H is the root of the equation for h that holds at
sample points. H is determined up to multiples of the constraints.

>>> import chetaev as ch
>>> text = {"lagrangian": "(x' - y)^2/2", "degenerate": True}
>>> found = legendre(PhaseSpace(ch.System(coordinates=["x", "y"], dynamics=text)))
>>> [str(e) for e in found.primary], str(found.hamiltonian)
(['p_y'], 'p_x*(2*y + p_x)/2')
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.constraint.submanifold.primitive_function import primitive
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.field.differentiation import replace_generators
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.ideals.groebner_elimination import eliminate
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import zero_test
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


def legendre(space: PhaseSpace) -> Legendre:
    """The image of Legendre's transformation and H on it; a ModelError where no closed form is found."""
    L = space.element(space.system.lagrangian)
    p = [L.diff(v) for v in space.v]
    M = [[e.diff(v) for v in space.v] for e in p]
    rank = 0 if all(e.is_zero for row in M for e in row) else linear.rank(M)
    quadratic = _is_quadratic(space, L)
    found = _quadratic(space, L, p, M, rank) if quadratic else _general(space, L, p, rank)
    return replace(found, primary=tuple(primitive(e) for e in found.primary))


def _is_quadratic(space: PhaseSpace, L: Element) -> bool:
    """Whether L is a polynomial of degree at most two in the velocities; sign(v), with slope 0, is none."""
    parts = L.coefficients(*space.v)
    return parts is not None and all(sum(k) <= 2 for k in parts)


def _quadratic(
    space: PhaseSpace, L: Element, p: list[Element], M: list[list[Element]], rank: int
) -> Legendre:
    still: dict[Element, Element] = dict.fromkeys(space.v, space.field.zero)
    b, U = [e.subs(still) for e in p], -L.subs(still)
    beyond = [x - y for x, y in zip(space.p, b, strict=True)]
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


def _may_vanish(space: PhaseSpace, minor: list[list[Element]]) -> tuple[Element, ...]:
    """Functions where one of which vanishes a minor of ∂²L/∂v∂v does; not those that are seen to have no
    zeros.
    """
    determinant = linear.determinant(minor)
    found = [f for f, _ in factors(space.field, determinant.numerator)[1] if not space.is_constant(f)]
    return tuple(f for f in found if not (positive(f) or positive(-f)))


def _general(space: PhaseSpace, L: Element, p: list[Element], rank: int) -> Legendre:
    field = space.field
    energy = sum((v * e for v, e in zip(space.v, p, strict=True)), -L)
    equations = [x - e for x, e in zip(space.p, p, strict=True)]
    names = [(c, 1) for c in space.system.coordinates]
    quick = _through_the_root(space, L)
    if quick is not None:
        return Legendre(*quick, rank, False)
    primary = ask(eliminate, field, equations, names, nonzero=_roots(L)) if rank < len(p) else []
    if isinstance(primary, GivenUp):
        raise _not_closed(primary)
    if energy.symbols.isdisjoint(names):
        return Legendre(tuple(primary), energy, rank, False)
    h = field.symbol("the energy")
    found = ask(eliminate, field, [*equations, h - energy], names, nonzero=_roots(L))
    if isinstance(found, GivenUp):
        raise _not_closed(found)
    for e in sorted(found, key=lambda e: e.terms):
        for root in _roots_of(e, h):
            if _meets(space, root, p, energy):
                return Legendre(tuple(primary), root, rank, False)
    raise _not_closed()


def _through_the_root(space: PhaseSpace, L: Element) -> tuple[tuple[Element, ...], Element] | None:
    """For L = L(t, q, v, R) with one root R² = u(t, q, v), where p = ∂L/∂v + ∂L/∂R ∂u/∂v/(2R) is linear in v
    if R is given: v follows from q, p and R, and R² = u is an equation between them. Without R it is the
    primary constraint; else it gives R.
    """
    field = space.field
    moving = {field.base(v) for v in space.v}
    used = {*field.tower.used(L.numerator), *field.tower.used(L.denominator)}
    roots = [k for k in sorted(used - moving) if not field.generators[k].depends.isdisjoint(moving)]
    if len(roots) != 1 or field.generators[roots[0]].kind != "root" or field.generators[roots[0]].order != 2:
        return None
    R = field.symbol("the root")
    under, images = field.generators[roots[0]].args[0], {roots[0]: R}
    named = replace_generators(field, L.numerator, images) / replace_generators(field, L.denominator, images)
    by_root = named.diff(R) / (2 * R)
    momenta = [named.diff(v) + by_root * under.diff(v) for v in space.v]
    energy = sum((v * e for v, e in zip(space.v, momenta, strict=True)), -named)
    rows = [_cleared(p - e) for p, e in zip(space.p, momenta, strict=True)]
    matrix = [[e.diff(v) for v in space.v] for e in rows]
    if any(not e.diff(v).is_zero for row in matrix for e in row for v in space.v):
        return None
    try:
        still = dict.fromkeys(space.v, field.zero)
        speeds = linear.solve(matrix, [-e.subs(still) for e in rows])
    except SingularSystemError:
        return None
    at = dict(zip(space.v, speeds, strict=True))
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


def _meets(space: PhaseSpace, candidate: Element, p: list[Element], energy: Element) -> bool:
    """Whether H(q, ∂L/∂v) = p·v − L at the first points where both have values; balls decide."""
    names = sorted({*space.system.parameters, space.system.time, *space.system.coordinates})
    met = False
    for k in range(POINTS):
        values: dict[object, Fraction] = {
            (name, 0): Fraction(7 + 3 * i + 5 * k, 4 + i) for i, name in enumerate(names)
        }
        for i, (c, sign) in enumerate(zip(space.system.coordinates, _signs(k, len(space.v)), strict=True)):
            values[(c, 1)] = sign * Fraction(1 + i + k % 3, 5 + 2 * i * (1 + k % 4))
        momenta = [e.evaluate(values, 200) for e in p]
        there = {(n, 0): x for n, x in zip(space.momenta, momenta, strict=True)}
        left = candidate.evaluate({**values, **there}, 200)
        right = energy.evaluate(values, 200)
        if not (left.is_finite() and right.is_finite()):
            continue
        if not (left - right).contains(0):
            return False
        met = True
    return met


def _signs(k: int, count: int) -> tuple[int, ...]:
    choices = list(product((1, -1), repeat=min(count, 5)))
    found = choices[k % len(choices)]
    return found + (1,) * (count - len(found))
