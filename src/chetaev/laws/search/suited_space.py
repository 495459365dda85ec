"""The space of functions that suits a system: F = Σ c_α(t, q) v^α with coefficients from what its equations
are made of.

Atoms of the coefficients, each of weight 1:

- t and every coordinate; those that the equations do not contain by themselves (time, cyclic coordinates,
  angles that stand only inside sines) with exponents of at most 1 together;
- functions of t and q in the equations: sin and cos, exponentials and their inverses, roots and their
  inverses;
- denominators d(t, q) of the accelerations: 1/d, √d and 1/√d;
- the functions of the user.

Velocities are those that the constraints leave independent, where they are affine, and all of them to lower
weight. The space has all products up to a weight for each degree in the velocities; weights are raised in
turn, as long as the space stays below its limit. What it is made of, and how large, is part of the answer
(:class:`Searched`).

>>> import chetaev as ch
>>> from chetaev.laws.search.motion_modulo_prime import Motion
>>> space, searched = suited(Motion(ch.load("heisenberg")), degree=1, limit=80)
>>> searched.weights, [str(a) for a in searched.atoms][:3]
((3, 1), ['y', '1/(y^2 + 1)', 'sqrt(y^2 + 1)'])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from chetaev.effort import EFFORT
from chetaev.expr.exact import Budget, Element, Field, GivenUp, ask
from chetaev.expr.graph.node import ZERO, Expr, substitute, symbol
from chetaev.laws.search.atoms import (
    coordinates_of,
    denominators,
    functions_of,
    independent_velocities,
    inverse_pairs,
    moving,
)
from chetaev.laws.search.function_space import Atom, Monomial, Space, longer
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.remedy_words import listed
from chetaev.results import PlainData

LIMIT = 420
"""Members of a space, if nothing else is said."""
MOST_WEIGHT = 10
MOST_RARE = 3
ROOMY = 150
"""Spaces with fewer members have no room for products of two angular momenta."""


@dataclass(frozen=True)
class Searched(PlainData):
    """Which functions were searched, as a value.

    Attributes
    ----------
    degree
        The degree in the velocities.
    velocities, atoms
        What the members are made of: velocities, and atoms of the coefficients.
    weights
        The largest number of atoms in a coefficient, by degree in the velocities.
    members
        How many functions the space has, and how many of them are independent on Q.
    independent
        The dimension of the space on Q.
    parameters
        For which parameters, in words.
    cut
        Why the search is not complete within this space, in words; empty if it is.
    gauges
        Functions g for which exp(−λ g) P was searched too, with P in a smaller space.
    also
        Further spaces that were searched, in words.
    """

    degree: int
    velocities: tuple[Expr, ...]
    atoms: tuple[Expr, ...]
    weights: tuple[int, ...]
    members: int
    independent: int = 0
    parameters: str = ""
    cut: str = ""
    gauges: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.atoms and not self.velocities:
            return f"nothing: {self.cut}"
        size = f"{self.independent} functions on Q" if self.independent else f"{self.members} functions"
        words = f"{size}: degree ≤ {self.degree} in the velocities, with coefficients of at most "
        words += f"{listed(map(str, self.weights))} factors"
        words += " (by degree 0, 1, …)" if len(self.weights) > 1 else ""
        words += f" from {listed(dict.fromkeys(map(str, self.atoms)))}" if self.atoms else ""
        for more in self.also:
            words += f"; {more}"
        if self.gauges:
            words += f"; functions of fewer factors times exp(−λ g), with g one of {listed(self.gauges)}"
        words += f"; {self.parameters}" if self.parameters else ""
        return f"{words}; {self.cut}" if self.cut else words

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {"words": str(self)}


def suited(
    motion: Motion,
    degree: int = 2,
    functions: Sequence[Element] = (),
    limit: int = LIMIT,
    roots: bool = True,
    rarely: bool = True,
    inner: frozenset[int] | None = None,
    momenta: Sequence[Element] = (),
) -> tuple[Space, Searched]:
    """The space for a system, members in order of simplicity, with at most about `limit` members.

    `functions` are further atoms, functions of t and q; without `roots` those of denominators are left out,
    without `rarely` time and coordinates that do not occur by themselves. With `inner` the coefficients
    depend on these symbols alone, and on independent velocities; with `momenta` these take the place of
    the velocities.
    """
    plain, seldom = coordinates_of(motion)
    seldom = seldom if rarely else []
    atoms = [
        *plain,
        *functions_of(motion),
        *denominators(motion, roots),
        *(Atom(f, 2, 0, "given") for f in functions),
        *seldom,
    ]
    if inner is not None:
        field = motion.field
        atoms = [a for a in atoms if {field.base(x) for x in a.function.symbols} & moving(motion) <= inner]
        seldom = [a for a in seldom if a in atoms]
    rare = {len(atoms) - 1 - i for i in range(len(seldom))}
    independent = independent_velocities(motion)
    first = len(atoms)
    velocities = list(momenta) or [motion.field.variable(v) for v in motion.velocities]
    atoms += [Atom(v, 99, 0, "velocity") for v in velocities]
    few = [first + i for i in independent]
    every = few if inner is not None else [first + i for i in range(len(velocities))]
    ahead = _ahead(motion)
    inverse = inverse_pairs(atoms[:first])
    for together in range(1, MOST_RARE + 1):
        tried = _Coefficients(atoms[:first], rare, together, inverse)
        raised = _weights(tried, few, degree, limit, ahead)
        filled = [w for d, w in enumerate(raised) if _products(len(few), d)]
        if together == 1 or min(filled) >= 2:
            coefficient, weights = tried, raised
        if (max(filled) < MOST_WEIGHT and filled == raised) or not rare:
            break
    members: dict[Monomial, None] = {}
    for d in range(degree + 1):
        for w in range(weights[d] + 1):
            members |= {(*c, *v): None for v in powers(few, d) for c in coefficient.of(w)}
    for w in range(max(weights) + 1):  # the same in all velocities, to lower weight
        for d in range(1, degree + 1):
            if w > (weights[d] if d == 1 else max(0, weights[d] - 1)):
                continue
            new = [m for v in powers(every, d) for c in coefficient.of(w) if (m := (*c, *v)) not in members]
            if len(members) + len(new) <= limit + limit // (2 if d == 1 else 4):
                members |= dict.fromkeys(new)

    if degree and len(every) ** 2 <= limit:  # angular momenta belong to every space
        places = [i for i, a in enumerate(atoms) if a.kind == "position"]
        members |= {((i, 1), (j, 1)): None for i in places for j in every}
        products = (len(places) * len(every)) ** 2
        if degree > 1 and limit >= ROOMY and products <= limit and inner is None:  # and their products
            pairs = [*powers(places, 1), *powers(places, 2)]
            members |= {(*c, *v): None for c in pairs for v in powers(every, 2)}
    times = {i for i, a in enumerate(atoms) if a.kind == "time"}

    def simplicity(m: Monomial) -> tuple[object, ...]:
        speed = sum(e for a, e in m if a >= first)
        weight = sum(e for a, e in m if a < first)
        odd = sum(e for a, e in m if a < first and atoms[a].kind in ("function", "given"))
        chosen = sum(e for a, e in m if a >= first and a not in few)
        return (sum(e for a, e in m if a in times), speed, weight, chosen, odd, m)

    space = Space.of(motion, atoms, sorted(members, key=simplicity))
    searched = Searched(
        degree,
        tuple(v.to_expr() for v in velocities),
        tuple(a.function.to_expr() for a in atoms[:first]),
        tuple(max(w for w in range(n + 1) if coefficient.of(w)) for n in weights),
        len(space),
        parameters=motion.standpoint.words,
    )
    return space, searched


class _Coefficients:
    """Monomials in the atoms of coefficients, by weight."""

    def __init__(
        self, atoms: Sequence[Atom], rare: set[int], together: int, inverse: Sequence[tuple[int, int]] = ()
    ) -> None:
        self.atoms, self.rare, self.together, self.inverse = atoms, rare, together, inverse
        self.known: dict[int, list[Monomial]] = {0: [()]}

    def of(self, weight: int) -> list[Monomial]:
        """All of one weight."""
        if weight not in self.known:
            self.known[weight] = list(filter(self._is_kept, longer(self.atoms, self.of(weight - 1))))
        return self.known[weight]

    def _is_kept(self, m: Monomial) -> bool:
        """Few rare atoms together, and no atom with its inverse."""
        here = {i for i, _ in m}
        if sum(e for i, e in m if i in self.rare) > self.together:
            return False
        return not any(i in here and j in here for i, j in self.inverse)


def _weights(
    coefficient: _Coefficients, velocities: list[int], degree: int, limit: int, ahead: int
) -> list[int]:
    """The weights for each degree in the velocities, raised in turn while the space stays small.

    What has no velocities is ahead of the rest, as a potential is: the rate of c(q) v² has c V' v in it.
    """
    weights = [0] * (degree + 1)

    def fits() -> bool:
        size = sum(
            _products(len(velocities), d) * sum(len(coefficient.of(w)) for w in range(weights[d] + 1))
            for d in range(degree + 1)
        )
        alone = sum(len(coefficient.of(w)) for w in range(weights[0] + 1))
        return size <= limit and (degree < 3 or alone <= max(12, limit // 3))

    stopped = {d for d in range(degree + 1) if not _products(len(velocities), d)}  # no function is of these
    for goal in range(MOST_WEIGHT + 1):
        for d in range(degree + 1):
            while d not in stopped and weights[d] < min(MOST_WEIGHT, goal + (0 if d else ahead)):
                weights[d] += 1
                if not fits():
                    weights[d] -= 1
                    stopped.add(d)
    return weights


def _products(count: int, degree: int) -> int:
    """How many products of so many factors there are; one of none, also where no velocity is free."""
    return comb(count + degree - 1, degree) if degree else 1


def _ahead(motion: Motion) -> int:
    """The degree of the potential −L at rest, from 2 to 4."""
    lagrangian = motion.system.dynamics.lagrangian
    if lagrangian is None:
        return 2
    at_rest = substitute([lagrangian], {symbol(c, 1): ZERO for c in motion.system.coordinates})
    field = Field(Budget(EFFORT))  # of its own: what the potential costs is not missing in the search
    V = ask(lambda: field(motion.standpoint.apply(at_rest)[0]))
    if isinstance(V, GivenUp):
        return 2
    positions = {field.base(symbol(c)) for c in motion.system.coordinates}
    still = {k for k, g in enumerate(field.generators) if not g.depends & positions}
    degrees = [
        sum(e for k, e in monomial if k not in still) for monomial, _ in field.tower.terms(V.numerator)
    ]
    return max(2, min(4, max(degrees, default=0)))


def powers(atoms: Sequence[int], degree: int) -> list[Monomial]:
    """All monomials of one degree in some atoms."""
    if degree == 0:
        return [()]
    found: list[Monomial] = []
    for m in powers(atoms, degree - 1):
        for i in atoms:
            if not m or m[-1][0] < i:
                found.append((*m, (i, 1)))
            elif m[-1][0] == i:
                found.append((*m[:-1], (i, m[-1][1] + 1)))
    return found
