"""Darboux functions: Γ(P) = κ P with a cofactor κ = λ Γ(g), and the first integrals exp(−λ g) P (SCOPE K22).

For a given function g the condition Γ(P) = λ Γ(g) P on a space of functions is a pencil: with the rates A
and the values V of all members at N points of Q modulo p,

    (A − λ diag(Γ(g)) V) c = 0,

every λ that belongs to a function on Q is a root of the characteristic polynomials of two different sets of
points, and other roots are not common to both. A root in the parameters is found as a rational function of
them (:mod:`chetaev.laws.search.coefficients`), then P by its null space. Which g makes which integrals:

- g = t:  exp(−λt) P, as in damped motions; for a pair λ = δ ± iω of oscillations exp(−δt)(P cos ωt + R sin
  ωt);
- g = q, a coordinate that nothing depends on: the same, so that multiples of an angle are found, and
  fractions;
- g = V, the potential:  a momentum times an exponential of it, as under constant speed or on a mass shell;
- g = log b:  P/b^λ, so that for λ = 1 quotients of functions with one cofactor; b is a velocity, a
  coordinate or a denominator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flint import nmod_mat, nmod_poly

from chetaev.expr.exact import Budget, Element, GivenUp, ask
from chetaev.expr.graph.node import Expr, call, mul, substitute, symbol, symbols
from chetaev.laws.parameter_signs import plain_root, signs
from chetaev.laws.search.coefficients import rational_functions
from chetaev.laws.search.function_space import Atom, Space
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ, Points
from chetaev.laws.search.nullspace import exact, independent, null_vectors
from chetaev.laws.search.primes import UnluckyError
from chetaev.laws.search.written_integral import shaped

MOST_ROOTS = 12
"""Characteristic polynomials with more common roots are not solved."""


@dataclass(frozen=True)
class CofactorGauge:
    """A function g whose rate is the cofactor, up to a factor λ."""

    function: Element
    """g itself, or b where g = log b."""
    is_log: bool = False
    """Whether g = log b."""

    def rate(self, point: PointOnQ) -> int:
        """Γ(g) at a point."""
        rate = point.rate(self.function)
        if not self.is_log:
            return rate
        value = point.value(self.function)
        if value == 0:
            raise UnluckyError
        return rate * pow(value, -1, point.residues.p) % point.residues.p

    def factor(self, exponent: Element) -> Element:
        """exp(−λ g)."""
        if not self.is_log:
            return self.function.field.exp(-exponent * self.function)
        whole = exponent.as_fraction()
        if whole is not None:
            return self.function.field.power(self.function, -whole)
        return self.function.field.exp(-exponent * self.function.field.log(self.function))

    def written(self, motion: Motion, P: Element, exponent: Element) -> Expr:
        """exp(−λ g) P as people write it, without constant factors."""
        if self.is_log:
            return shaped(motion, P * self.factor(exponent))
        field = self.function.field
        return mul(shaped(motion, P), call("exp", field(-exponent * self.function).to_expr()))


def potential(motion: Motion) -> Element | None:
    """−L with all velocities 0, if it depends on t or q."""
    lagrangian = motion.system.dynamics.lagrangian
    if lagrangian is None:
        return None
    system = motion.system
    at_rest = {symbol(c, 1): symbol(c, 1) * 0 for c in system.coordinates}
    (V,) = motion.standpoint.apply(substitute([lagrangian], at_rest))
    if not {name for name, _ in symbols(V)} & {system.time, *system.coordinates}:
        return None
    found = ask(lambda: -motion.field(V))
    if isinstance(found, GivenUp):
        return None
    return found if {motion.field.base(s) for s in found.symbols} & set(motion.positions) else None


def darboux(
    motion: Motion, space: Space, gauge: CofactorGauge, *, special: bool, budget: Budget | None = None
) -> Iterator[tuple[Element, Expr]]:
    """First integrals exp(−λ g) P with P in the space and λ ≠ 0, as elements and as people write them."""
    chosen = _independent(motion, space, special, budget)
    if len(chosen) < 2 and not gauge.is_log:
        return
    part = _needed(motion, space.only(chosen), gauge, special, budget)
    if part is None:
        return
    exponents, waves = _exponents(motion, part, gauge, special, budget)
    for decay, frequency in waves:
        yield from _waves(motion, part, gauge, decay, frequency, budget)
    for exponent in exponents:

        def rows(point: PointOnQ, exponent: Element = exponent) -> list[list[int]]:
            p = point.residues.p
            values, rates = part.values_and_slopes(point, point.gamma)
            shift = point.value(exponent) * gauge.rate(point) % p
            return [[(r - shift * v) % p for r, v in zip(rates, values, strict=True)]]

        source = motion.points(seed=3, special=special)
        found = null_vectors(source, len(part), rows, budget)
        for vector in found.vectors:
            coefficients = exact(motion, rows, vector, special=special, budget=budget)
            if coefficients is not None:
                made = ask(_with_factor, motion, gauge, part.combination(coefficients), exponent)
                if not isinstance(made, GivenUp):
                    yield made


def _with_factor(motion: Motion, gauge: CofactorGauge, P: Element, exponent: Element) -> tuple[Element, Expr]:
    return P * gauge.factor(exponent), gauge.written(motion, P, exponent)


def _independent(motion: Motion, space: Space, special: bool, budget: Budget | None) -> list[int]:
    source = motion.points(seed=2, special=special)
    table = [space.values(source.draw()) for _ in range(len(space) + 4)]
    if budget is not None:
        budget.spend(source.spent + len(space) ** 2)
    return independent(table, len(space), source.p)


def _needed(
    motion: Motion, space: Space, gauge: CofactorGauge, special: bool, budget: Budget | None
) -> Space | None:
    """The members that functions with a cofactor λ Γ(g) are made of, at one value of the parameters."""
    source = motion.points(seed=4, special=special)
    p = source.p
    common = _common(source, space, gauge, budget)
    if not 1 <= common.degree() <= MOST_ROOTS:
        return None
    roots = [int(root) for root, _ in common.roots()]
    used: set[int] = set()
    for root in roots:

        def rows(point: PointOnQ, root: int = root) -> list[list[int]]:
            values, rates = space.values_and_slopes(point, point.gamma)
            shift = root * gauge.rate(point) % p
            return [[(r - shift * v) % p for r, v in zip(rates, values, strict=True)]]

        for vector in null_vectors(source, len(space), rows, budget).vectors:
            used |= set(vector)
    if len(roots) < common.degree():  # the others are roots in a larger field: nothing is known of them
        return space
    return space.only(sorted(used)) if used else None


def _exponents(
    motion: Motion, space: Space, gauge: CofactorGauge, special: bool, budget: Budget | None
) -> tuple[list[Element], list[tuple[Element, Element]]]:
    """The λ ≠ 0 of the pencil, as functions of the parameters: real ones, and δ, ω of pairs δ ± iω."""
    source = motion.points(seed=4, special=special)
    common = _common(source, space, gauge, budget)
    degree = common.degree()
    if degree < 1 or degree > MOST_ROOTS:
        return [], []

    def solve(points: Points) -> list[int]:
        found = _common(points, space, gauge, budget)
        if found.degree() != degree:
            raise UnluckyError
        return [int(found[i]) for i in range(degree + 1)]

    entries = rational_functions(motion, solve, degree + 1, special)
    return ([], []) if entries is None else roots_of(motion, entries)


def roots_of(
    motion: Motion, coefficients: Sequence[Element]
) -> tuple[list[Element], list[tuple[Element, Element]]]:
    """The roots of Σ c_i λ^i that are rational functions of the parameters, or square roots of such ones:
    real ones at the model's values, and δ, ω of pairs δ ± iω.
    """
    field = motion.field
    name = "lambda"
    while name in motion.system.names:
        name += "_"
    unknown = field.symbol(name)
    place = field.base(unknown)
    total = sum((c * unknown**i for i, c in enumerate(coefficients)), field.zero)
    found, pairs = list[Element](), list[tuple[Element, Element]]()
    sign = signs(motion.system)
    for poly, _ in field.factor(total.numerator)[1]:
        parts = field.tower.collect(poly, (place,))
        by_power = {e: field.polynomial(x) for (e,), x in parts.items()}
        degree = max(by_power)
        if degree == 1:
            found.append(-by_power.get(0, field.zero) / by_power[1])
        elif degree == 2:
            lead = by_power[2]
            b, q = by_power.get(1, field.zero) / lead, by_power.get(0, field.zero) / lead
            disc = b * b / 4 - q
            below = (sign(disc) or 0) < 0
            r = ask(plain_root, -disc if below else disc)
            if isinstance(r, GivenUp):
                continue
            if below:
                pairs.append((-b / 2, r))
            else:
                found += [-b / 2 + r, -b / 2 - r]
    return found, pairs


def _waves(
    motion: Motion,
    space: Space,
    gauge: CofactorGauge,
    decay: Element,
    frequency: Element,
    budget: Budget | None,
) -> Iterator[tuple[Element, Expr]]:
    """Integrals exp(−δ g) (P cos ωg + R sin ωg) for a pair λ = δ ± iω."""
    if gauge.is_log:
        return
    field, g = motion.field, gauge.function
    envelope = field.one if decay.is_blank else field.exp(-decay * g)
    count = len(space.atoms)
    pair = [Atom(envelope * f(frequency * g), 1) for f in (field.cos, field.sin)]
    members = [(*m, (count + k, 1)) for m in space.members for k in (0, 1)]
    motion.meet([])
    wide = Space.of(motion, [*space.atoms, *pair], members)

    def rows(point: PointOnQ) -> list[list[int]]:
        return [wide.rates(point)]

    for vector in null_vectors(motion.points(seed=3), len(wide), rows, budget).vectors:
        coefficients = exact(motion, rows, vector, budget=budget)
        if coefficients is not None:
            element = wide.combination(coefficients)
            yield element, shaped(motion, element)


def _common(points: Points, space: Space, gauge: CofactorGauge, budget: Budget | None) -> nmod_poly:
    """The common roots λ ≠ 0 of the characteristic polynomials of two sets of points, each once."""
    p, n = points.p, len(space)
    polynomials = []
    for _ in range(2):
        rates: list[int] = []
        values: list[int] = []
        while len(rates) < n * n:
            before = points.spent
            point = points.draw()
            if budget is not None:
                budget.spend(points.spent - before + 2 * n)
            shift = gauge.rate(point)
            v, r = space.values_and_slopes(point, point.gamma)
            rates += r
            values += [shift * x % p for x in v]
        A, B = nmod_mat(n, n, rates, p), nmod_mat(n, n, values, p)
        if not B.det():
            raise UnluckyError
        polynomials.append((B.inv() * A).charpoly())
        if budget is not None:
            budget.spend(n * n * (1 + n // 50))
    common = polynomials[0].gcd(polynomials[1])
    coefficients = [int(c) for c in common.coeffs()]
    while coefficients and coefficients[0] == 0:
        coefficients.pop(0)
    rest = nmod_poly(coefficients, p)
    if rest.degree() > 0:
        repeated = rest.gcd(rest.derivative())
        rest = rest // repeated
        lead = pow(int(rest[rest.degree()]), -1, p)
        rest = rest * lead
    return rest
