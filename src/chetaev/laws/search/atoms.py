"""What coefficients are made of: coordinates, functions and denominators of the equations, as atoms.

>>> import chetaev as ch
>>> motion = Motion(ch.load("heisenberg"))
>>> [str(atom.function) for atom in denominators(motion, roots=True)]
['1/(y^2 + 1)', 'sqrt(y^2 + 1)', '1/sqrt(y^2 + 1)']
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, GivenUp, answer, ask
from chetaev.expr.graph.node import Expr
from chetaev.laws.rate import solved_accelerations
from chetaev.laws.search.function_space import Atom
from chetaev.laws.search.motion_modulo_prime import Motion

MOST_DENOMINATORS = 3
LONG_DENOMINATOR = 12
"""Denominators with more terms are left out."""
ASIDE = 300_000
"""What looking for denominators may cost."""


def coordinates_of(motion: Motion) -> tuple[list[Atom], list[Atom]]:
    """Coordinates that the equations contain by themselves, and the others with t."""
    bare = bare_symbols([*motion.law_graphs, *motion.f, *motion.levels])
    names = motion.system.coordinates
    plain: list[Atom] = []
    seldom: list[Atom] = []
    for name, k in zip(names, motion.positions, strict=True):
        atom = Atom(motion.field.variable(k), 99, 0, "position")
        (plain if (name, 0) in bare else seldom).append(atom)
    time = Atom(motion.field.variable(motion.time), 99, 0, "time")
    if (motion.system.time, 0) in bare:
        return [*plain, time], seldom
    return plain, [*seldom, time]


def bare_symbols(roots: Sequence[Expr], through: tuple[str, ...] = ()) -> set[tuple[str, int]]:
    """Symbols that occur outside functions, or inside those named in `through`."""
    found, seen, stack = set(), set(), [*roots]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op == "symbol":
            found.add(node.value)
        elif node.op in ("add", "mul", "neg", "div", "pow", "define", *through):
            stack += node.args
    return found


def functions_of(motion: Motion) -> list[Atom]:
    """Functions of t and q that occur: sines, exponentials, roots, …"""
    here = {motion.time, *motion.positions}
    fast = set(motion.velocities)
    atoms: list[Atom] = []
    family = 0
    for kind, order, function in motion.functions:
        depends = {motion.field.base(s) for s in function.symbols}
        if not depends & here or depends & fast:
            continue
        if kind in ("exp", "root"):
            family += 1
            most = 99 if kind == "exp" else order - 1
            atoms += [Atom(function, most, family), Atom(1 / function, 99, family)]
        else:
            atoms.append(Atom(function, 1 if kind == "cos" else 99))
    return atoms


def denominators(motion: Motion, roots: bool) -> list[Atom]:
    """1/d, √d, 1/√d for the factors d(t, q) of the denominators of the accelerations."""
    field = motion.field
    here = {motion.time, *motion.positions}
    others = set(motion.velocities)
    factors: list[Element] = []

    def look() -> list[Atom]:
        for a in _accelerations(motion):
            element = field(a)
            if element.is_polynomial:
                continue
            for p, _ in field.factor(element.denominator)[1]:
                d = field.polynomial(p)
                bases = {field.base(s) for s in d.symbols}
                if bases & here and not bases & others and d.terms <= LONG_DENOMINATOR and d not in factors:
                    factors.append(d)
        found = [_powers_of(d, -1 - n, roots) for n, d in enumerate(factors[:MOST_DENOMINATORS])]
        return [atom for atoms in found for atom in atoms]

    with field.limit(Budget(ASIDE)):
        return answer(ask(look)) or []


def _accelerations(motion: Motion) -> list[Expr]:
    """The accelerations on Q; none where no form of the law gives them."""
    try:
        return motion.standpoint.apply(solved_accelerations(motion.system))
    except ModelError:
        return []


def _powers_of(d: Element, family: int, roots: bool) -> list[Atom]:
    atoms = [Atom(1 / d, 99, 0)]
    if roots and len(d.numerator) > 1:  # the root of a monomial is another function, which does not arise
        r = ask(d.field.sqrt, d)
        if not isinstance(r, GivenUp):
            atoms += [Atom(r, 1, family), Atom(1 / r, 1, family)]
    return atoms


def independent_velocities(motion: Motion) -> list[int]:
    """The velocities that affine constraints leave free; all of them for other constraints."""
    m = len(motion.velocities)
    if not motion.is_affine:
        return list(range(m))
    try:
        return Setup(motion.system).independent
    except ModelError:
        return list(range(m))


def inverse_pairs(atoms: Sequence[Atom]) -> list[tuple[int, int]]:
    """Atoms whose product is 1, as sin θ and 1/sin θ: they do not stand together."""
    return [
        (i, j)
        for j, b in enumerate(atoms)
        if not b.function.is_polynomial and b.function.numerator.is_one()
        for i, a in enumerate(atoms)
        if a.function.is_polynomial and a.function.numerator == b.function.denominator
    ]


def moving(motion: Motion) -> frozenset[int]:
    """The generators of t, q and v."""
    return frozenset({motion.time, *motion.positions, *motion.velocities})


def inner_symbols(motion: Motion) -> frozenset[int] | None:
    """What the accelerations of the independent velocities depend on, if that is less than all coordinates: a
    system of its own, in which there is room for longer coefficients. None if it is all, or not known.
    """
    field = motion.field
    independent, accelerations = independent_velocities(motion), _accelerations(motion)
    if not accelerations:
        return None
    with field.limit(Budget(ASIDE)):
        found = ask(lambda: {field.base(x) for i in independent for x in field(accelerations[i]).symbols})
    if isinstance(found, GivenUp):
        return None
    here = {motion.time, *motion.positions}
    chosen = {motion.velocities[i] for i in independent}
    if found & set(motion.velocities) - chosen or not here - {motion.time} - found:
        return None
    return frozenset((found & here) | chosen)
