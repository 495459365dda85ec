"""A section of the orbits of a group: coordinates that are set to a value, so that one state of each is left.

Generators ξ_j with the matrix Ξ = (ξ_j^i), of rank r at general points. Coordinates whose rows of Ξ have rank
r number the points of an orbit: where a minor of order r does not vanish, the orbit crosses the set on which
they are constant. If the minor is a number, that is everywhere; and so it is where a coordinate c swings
along the orbits of one generator, ξ(ξ(c)) = −ω² c, since then it is 0 somewhere on each of them.

>>> import chetaev as ch
>>> from chetaev.laws.symmetry.given_fields import read_fields
>>> sleigh = ch.load("caratheodory-sleigh")
>>> plane = read_fields(sleigh, [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}], "point")
>>> section_of_orbits(sleigh, plane, {})
Section(coordinates=('x', 'y', 'phi'), everywhere=True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from chetaev.expr.exact import Element, Field, answer, ask
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import Expr
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.given_fields import Components
from chetaev.model.system import System

MOST_SECTIONS = 500
"""Choices of coordinates that are tried."""


Name = tuple[str, int]


class Section(NamedTuple):
    """Coordinates that are set to 0, besides those given; whether all orbits cross it."""

    coordinates: tuple[str, ...]
    everywhere: bool


def section_of_orbits(
    system: System, generators: Sequence[Components], asked: Mapping[Name, Expr]
) -> Section | None:
    """Coordinates that number the points of an orbit and have no value yet; None if none are found.

    `asked` are values that are given: positions that are a section already, others that are avoided, and
    velocities, whose coordinates are preferred. Sections with a constant determinant come first.
    """
    field, view = Field(), standpoints(system)[-1]
    names = system.coordinates
    xi = [[field(e) for e in view.apply([e for _, e in g.along])] for g in generators]
    rank = linear.rank(xi)
    cost = [((c, 0) in asked) - ((c, 1) in asked) for c in names]
    given = {k: field(view.apply([e])[0]) for k, e in asked.items() if not k[1] and k[0] in names}
    other: Section | None = None
    choices = (
        (places, used)
        for places in sorted(combinations(range(len(names)), rank), key=lambda p: sum(cost[i] for i in p))
        for used in combinations(range(len(xi)), rank)
    )
    for places, used in islice(choices, MOST_SECTIONS):
        determinant = linear.determinant([[xi[j][i] for i in places] for j in used])
        if determinant.is_zero is not False:
            continue
        chosen = tuple(names[i] for i in places if (names[i], 0) not in asked)
        if not determinant.symbols:
            return Section(chosen, True)
        at = given | {(c, 0): field.zero for c in chosen}
        there = answer(ask(determinant.subs, at))
        if there is not None and there.is_zero is False:
            if not chosen:
                return Section((), False)
            other = other or Section(chosen, len(xi) == 1 and _swings(xi[0], places[0], names))
    return other


def _swings(along: Sequence[Element], place: int, names: Sequence[str]) -> bool:
    """Whether ξ(ξ(c)) = −ω² c for a number ω² > 0."""
    twice = linear.dot([along[place].diff((c, 0)) for c in names], list(along))
    rate = twice.diff((names[place], 0)).as_fraction()
    own = twice.field.symbol(names[place])
    return rate is not None and rate < 0 and bool((twice - own * rate).is_zero)
