"""Integrals Σ λ_i log P_i + G, that is Π P_i^λ_i exp G, from Darboux functions P_i (SCOPE K22).

Γ(P_i) = κ_i P_i says that P_i = 0 is invariant, and Σ λ_i κ_i + Γ(G) = 0 is a linear condition on the
numbers λ_i and the coefficients of G: log P_i are members of a space like any other. So quotients of
functions with one cofactor are found, and exp(−∫κ) P wherever ∫κ is in the space.

The P_i are coordinates, velocities, and the factors of the *extactic* determinant

    det [Γ^k(x_i)],      x_i from 1, q, v,      k = 0, 1, …, n,

which every Darboux function that is a combination of the x_i divides (its row combination is a multiple of
it in every column).

>>> import chetaev as ch
>>> prey = {"accelerations": {"s": "s'^3 - s^2"}, "velocities": {"x": "x*(2 - y)", "y": "y*(x - 3)"}}
>>> (law,) = ch.integrals(ch.System(coordinates=["x", "y", "s"], dynamics=prey), rational=True)
>>> print(law.expression)
(x^3*y^2)*exp(-(x + y))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm

from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.expr.exact import Budget, Element, answer, ask
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.graph.node import Expr, call, mul, symbol
from chetaev.laws.rate import solved_accelerations
from chetaev.laws.search.function_space import Atom, Space
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, independent, null_vectors
from chetaev.laws.search.written_integral import shaped

MOST_VARIABLES = 6
"""Of the extactic determinant."""
MOST_FACTORS = 10
LONG_FACTOR = 8
"""Darboux functions with more terms are left out."""
ASIDE = 600_000
"""What the determinant may cost."""


def darboux_functions(motion: Motion) -> list[Element]:
    """Functions P with Γ(P) = κ P, κ without P in its denominator: coordinates, velocities, linear
    functions.
    """
    system, field = motion.system, motion.field
    found = [symbol(c) for c in system.coordinates] + [symbol(c, 1) for c in system.coordinates]
    return [field(e) for e in (*found, *(answer(ask(_extactic, motion)) or ()))]


def _extactic(motion: Motion) -> list[Expr]:
    system = motion.system
    show = OnConstraint(system, ASIDE)
    field = show.field
    accelerations = [show.element(e) for e in motion.standpoint.apply(solved_accelerations(system))]
    velocities = [show.element(symbol(c, 1)) for c in system.coordinates]
    free = Setup(system).independent
    moved = [(symbol(c), v) for c, v in zip(system.coordinates, velocities, strict=True)]
    moved += [(symbol(system.coordinates[i], 1), accelerations[i]) for i in free]
    occurring = {s for _, r in moved for s in r.symbols}
    variables = [field(s) for s, _ in moved if s.value in occurring]
    if not variables or len(variables) + 1 > MOST_VARIABLES:
        return []

    def rate(F: Element) -> Element:
        return sum((F.diff(s) * r for s, r in moved), F.diff(symbol(system.time)))

    rows = [[field.one, *variables]]
    for _ in variables:
        rows.append([rate(e) for e in rows[-1]])
    numerator = determinant(rows).numerator
    if numerator.is_zero():
        return []
    found = []
    for poly, _ in field.factor(numerator)[1]:
        P = field.polynomial(field.tower.reduce(poly))
        kappa = rate(P) / P
        invariant = field.gcd(kappa.denominator, P.numerator).is_constant()
        if 1 < len(P.numerator) <= LONG_FACTOR and invariant:
            found.append(P.to_expr())
    return found[:MOST_FACTORS]


def logarithmic(
    motion: Motion, space: Space, functions: Sequence[Element], budget: Budget | None = None
) -> Iterator[tuple[Element, Expr]]:
    """Integrals Σ λ_i log P_i + G with G in the space, as elements and as people write them."""
    logs = [Atom(e, 1) for e in (answer(ask(motion.field.log, P)) for P in functions) if e is not None]
    motion.meet([])
    first = len(space.atoms)
    members = [*(((first + i, 1),) for i in range(len(logs))), *space.members]
    every = Space.of(motion, [*space.atoms, *logs], members)
    source = motion.points(seed=8)
    sample = [source.draw() for _ in range(len(every) + 6)]
    if budget is not None:
        budget.spend(source.spent + len(every) ** 2)
    chosen = independent([every.values(point) for point in sample], len(every), source.p)
    part = every.only(chosen)
    count = sum(1 for i in chosen if i < len(logs))

    def rows(point: PointOnQ) -> list[list[int]]:
        return [part.rates(point)]

    for vector in null_vectors(motion.points(seed=9), len(part), rows, budget).vectors:
        if not any(i < count for i in vector):
            continue
        coefficients = exact(motion, rows, vector, budget=budget)
        if coefficients is None:
            coefficients = exact(motion, rows, vector, special=True, budget=budget)
        if coefficients is not None:
            element = part.combination(coefficients)
            yield element, _written(motion, part, coefficients, count)


def _written(motion: Motion, space: Space, coefficients: dict[int, Element], count: int) -> Expr:
    """Π P_i^λ_i exp G where all λ_i can be whole numbers, the sum of logarithms otherwise."""
    field = motion.field
    first = coefficients[min(coefficients)]
    powers = {i: (e / first).as_fraction() for i, e in coefficients.items() if i < count}
    whole = [n for n in powers.values() if n is not None]
    if len(whole) < len(powers):
        return shaped(motion, space.combination(coefficients))
    scale = lcm(*(n.denominator for n in whole))
    product, exponent = field.one, field.zero
    for i, e in coefficients.items():
        if i < count:
            ((atom, _),) = space.members[i]
            (generator,) = field.tower.used(space.atoms[atom].function.numerator)
            product = product * field.generators[generator].args[0] ** int((powers[i] or 0) * scale)
        else:
            exponent = exponent + e / first * scale * space.function(i)
    short = shaped(motion, product)
    return short if exponent.is_blank else mul(short, call("exp", exponent.to_expr()))
