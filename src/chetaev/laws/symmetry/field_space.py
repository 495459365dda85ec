"""Spaces for the components of fields: products of a few atoms, with two derivatives along Γ at a point.

Atoms are those that suit the system (:mod:`chetaev.laws.search.suited_space`): t, the coordinates, the
functions of them that occur in its equations, inverses and roots of denominators; for fields that depend on
velocities the velocities too. A component is a combination of all products of at most `degree` atoms.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.expr.exact import Element
from chetaev.laws.search.function_space import Atom, Monomial, Space, longer
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import SPARE, independent
from chetaev.laws.search.suited_space import suited
from chetaev.results import PlainData

Jet = tuple[list[int], list[int], list[int]]
"""Values of all members, and of their first and second derivatives along Γ."""


@dataclass(frozen=True)
class SearchedFields(PlainData):
    """Which components were searched.

    Attributes
    ----------
    degree
        The largest number of atoms in a product.
    atoms
        What the products are made of, as texts.
    members, unknowns
        How many independent products there are, and unknown coefficients of all components.
    asked
        The degree that was asked for, if the space would have been too large.
    parameters
        For which parameters, in words.
    """

    degree: int
    atoms: tuple[str, ...]
    members: int
    unknowns: int
    asked: int
    parameters: str = ""

    def __str__(self) -> str:
        cut = f" (degree {self.asked} would be too large)" if self.asked > self.degree else ""
        where = f" {self.parameters}" if self.parameters else ""
        return (
            f"components of degree {self.degree}{cut} in {', '.join(self.atoms) or 'constants'}: "
            f"{self.unknowns} unknown coefficients{where}"
        )


def beside(found: Any) -> list[str]:
    """What is said below a list of fields: what was searched, their algebra, and a remark."""
    lines = [] if found.searched is None else [f"searched: {found.searched}"]
    lines += [f"algebra: {found.algebra}"] if found.algebra is not None and len(found) > 1 else []
    return [*lines, found.remark] if found.remark else lines


def field_space(
    motion: Motion, degree: int, components: int, limit: int, kinds: Sequence[str], more: Sequence[Atom] = ()
) -> tuple[Space, int]:
    """All products of at most `degree` atoms of some kinds, fewer if components × products exceed the
    limit.
    """
    atoms: list[Atom] = []
    for a in (*(a for a in suited(motion, degree=0, limit=1)[0].atoms if a.kind in kinds), *more):
        if all(a.function != b.function for b in atoms):
            atoms.append(a)
    members: list[Monomial] = [()]
    last, reached = members, 0
    for _ in range(degree):
        last = longer(atoms, last)
        if components * (len(members) + len(last)) > limit:
            break
        members = members + last
        reached += 1
    space = Space.of(motion, atoms, members)
    return space.only(_independent_on_q(motion, space)), reached


def _independent_on_q(motion: Motion, space: Space) -> list[int]:
    points = motion.points(seed=3)
    table = [space.values(points.draw()) for _ in range(len(space) + SPARE)]
    return independent(table, len(space), points.p)


def weights(point: PointOnQ, count: int) -> list[int]:
    """Random residues, the same at the same point, with which several equations at it are added to one.

    One equation at each of so many points as there are unknowns has the same solutions as all of them at all
    points; all of them at fewer points would not, where an equation does not contain every unknown.
    """
    chance = random.Random(f"{sum(point.values.values())}/{count}")
    return [chance.randrange(1, point.residues.p) for _ in range(count)]


class Jets:
    """Values and two derivatives along Γ of all members of a space.

    A velocity has the derivatives a and Γ(a), which are given with the point; other atoms are functions of
    t and q.
    """

    def __init__(self, space: Space) -> None:
        self.space, motion = space, space.motion
        field = motion.field
        self.rates: list[Element | None] = []
        for atom in space.atoms:
            if atom.kind == "velocity":
                self.rates.append(None)
                continue
            total = atom.function.diff((motion.system.time, 0))
            for c, v in zip(motion.system.coordinates, motion.velocities, strict=True):
                slope = atom.function.diff(c)
                if not slope.is_blank:
                    total = total + field.variable(v) * slope
            self.rates.append(total)
        velocities = [field.variable(v) for v in motion.velocities]
        self.places = [
            next((i for i, v in enumerate(velocities) if v == a.function), -1) if a.kind == "velocity" else -1
            for a in space.atoms
        ]
        motion.function("0")  # what derivatives need is met before points are drawn

    def at(self, point: PointOnQ, jerk: Sequence[int]) -> Jet:
        """The jets of all members at a point; `jerk` is Γ(a)."""
        p, space, motion = point.residues.p, self.space, self.space.motion
        own: list[tuple[int, int, int]] = []
        for atom, rate, place in zip(space.atoms, self.rates, self.places, strict=True):
            x = point.value(atom.function)
            if rate is None:
                own.append((x, point.gamma[motion.velocities[place]], jerk[place]))
            else:
                own.append((x, point.value(rate), point.rate(rate)))
        zero, first, second = [1], [0], [0]
        for parent, atom_number in space.tree[1:]:
            b0, b1, b2 = zero[parent], first[parent], second[parent]
            a0, a1, a2 = own[atom_number]
            zero.append(b0 * a0 % p)
            first.append((b1 * a0 + b0 * a1) % p)
            second.append((b2 * a0 + 2 * b1 * a1 + b0 * a2) % p)
        places = space.places
        return [zero[i] for i in places], [first[i] for i in places], [second[i] for i in places]
