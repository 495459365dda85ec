"""A space of functions on Q: products of a few atoms, evaluated at points together with their derivatives.

A member is a monomial in atoms (t, q, sin θ, 1/d, √d, v, …): each is its parent times one atom, so that
values of all N members and their derivatives along a tangent cost 3N multiplications of residues at a
point,

    b = b' a,      ḃ = ḃ' a + b' ȧ.

>>> import chetaev as ch
>>> from chetaev.laws.search.motion_modulo_prime import Motion
>>> motion = Motion(ch.load("heisenberg"))
>>> atoms = [Atom(motion.function(x)) for x in ("y", "y'")]
>>> space = Space.of(motion, atoms, [(), ((0, 1),), ((1, 1),), ((0, 2), (1, 1))])
>>> [str(space.function(i).to_expr()) for i in range(4)]
['1', 'y', "y'", "y^2*y'"]
>>> point = motion.points().draw()
>>> values, slopes = space.values_and_slopes(point, point.gamma)
>>> slopes[1] == values[2]
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chetaev.expr.exact import Element
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.program_modulo_prime import Values

Table = np.ndarray[Any, np.dtype[np.int64]]

Monomial = tuple[tuple[int, int], ...]
"""Pairs (atom, exponent), exponents positive, atoms ascending."""


@dataclass(frozen=True)
class Atom:
    """A function that members are made of."""

    function: Element
    """The function on Q."""
    most: int = 99
    """The largest exponent that makes sense, as for cos (cos² = 1 − sin²)."""
    family: int = 0
    """Atoms of one family other than 0 do not occur together, as e^u and e^−u."""
    kind: str = "function"
    """``"position"``, ``"time"``, ``"velocity"``, ``"function"`` (of t, q), or ``"given"`` by the user."""


def makes_sense(atoms: Sequence[Atom], m: Monomial) -> bool:
    """Whether no atom stands in a product more often than it may, nor with another of its family."""
    families = [atoms[i].family for i, _ in m if atoms[i].family]
    return len(set(families)) == len(families) and all(e <= atoms[i].most for i, e in m)


def longer(atoms: Sequence[Atom], monomials: Sequence[Monomial]) -> list[Monomial]:
    """The products with one more atom, none before the last one of each, that make sense."""
    found = []
    for m in monomials:
        for i in range(m[-1][0] if m else 0, len(atoms)):
            new = (*m[:-1], (i, m[-1][1] + 1)) if m and m[-1][0] == i else (*m, (i, 1))
            if makes_sense(atoms, new):
                found.append(new)
    return found


@dataclass(frozen=True)
class Space:
    """Functions on Q; made by :meth:`of`."""

    motion: Motion
    atoms: tuple[Atom, ...]
    members: tuple[Monomial, ...]
    tree: tuple[tuple[int, int], ...] = field(repr=False)
    places: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, motion: Motion, atoms: Sequence[Atom], members: Sequence[Monomial]) -> Space:
        """The members, with the products on the way to them."""
        known: dict[Monomial, int] = {(): 0}
        tree: list[tuple[int, int]] = [(-1, -1)]

        def place(monomial: Monomial) -> int:
            missing = []
            while monomial not in known:
                missing.append(monomial)
                *head, (atom, exponent) = monomial
                monomial = (*head, (atom, exponent - 1)) if exponent > 1 else tuple(head)
            for m in reversed(missing):
                tree.append((known[monomial], m[-1][0]))
                known[m] = len(tree) - 1
                monomial = m
            return known[monomial]

        places = tuple(place(m) for m in members)
        return cls(motion, tuple(atoms), tuple(members), tuple(tree), places)

    def __len__(self) -> int:
        return len(self.members)

    def only(self, chosen: Sequence[int]) -> Space:
        """The space of some members, in this order."""
        return Space.of(self.motion, self.atoms, [self.members[i] for i in chosen])

    # -- at a point ----------------------------------------------------------------------------------
    def values(self, point: PointOnQ) -> list[int]:
        """The residues of all members."""
        p, found = point.residues.p, [1]
        atoms = [point.value(a.function) for a in self.atoms]
        for parent, atom in self.tree[1:]:
            found.append(found[parent] * atoms[atom] % p)
        return [found[i] for i in self.places]

    def values_and_slopes(self, point: PointOnQ, tangent: Values) -> tuple[list[int], list[int]]:
        """The residues of all members, and of their derivatives along a tangent."""
        p = point.residues.p
        atoms = [point.value(a.function) for a in self.atoms]
        moved = [point.slope(a.function, tangent) for a in self.atoms]
        found, slopes = [1], [0]
        for parent, atom in self.tree[1:]:
            b, a = found[parent], atoms[atom]
            found.append(b * a % p)
            slopes.append((slopes[parent] * a + b * moved[atom]) % p)
        return [found[i] for i in self.places], [slopes[i] for i in self.places]

    def rates(self, point: PointOnQ) -> list[int]:
        """The residues of Γ(b) for all members b."""
        return self.values_and_slopes(point, point.gamma)[1]

    def tables(self, points: Sequence[PointOnQ]) -> tuple[Table, Table]:
        """Values and rates of all members at many points, a row for each; modulo a prime below 2³¹."""
        p = points[0].residues.p
        if p >= 2**31:
            raise ValueError("products of residues modulo this prime are too long")
        shape = (len(self.atoms), len(points))
        atoms = np.empty(shape, dtype=np.int64)
        moved = np.empty(shape, dtype=np.int64)
        for n, point in enumerate(points):
            for i, a in enumerate(self.atoms):
                atoms[i, n] = point.value(a.function)
                moved[i, n] = point.rate(a.function)
        found = np.empty((len(self.tree), len(points)), dtype=np.int64)
        slopes = np.empty_like(found)
        found[0], slopes[0] = 1, 0
        for n, (parent, atom) in enumerate(self.tree[1:], start=1):
            b, a = found[parent], atoms[atom]
            found[n] = b * a % p
            slopes[n] = (slopes[parent] * a + b * moved[atom]) % p
        places = list(self.places)
        return found[places].T, slopes[places].T

    def gradients(self, point: PointOnQ) -> list[list[int]]:
        """For t, every position and every velocity, the derivatives of all members by it."""
        motion = self.motion
        found = [
            self.values_and_slopes(point, point.along({k: 1}))[1]
            for k in (motion.time, *motion.positions, *motion.velocities)
        ]
        return found

    # -- as functions --------------------------------------------------------------------------------
    def function(self, i: int) -> Element:
        """A member as an element of the field."""
        product = self.motion.field.one
        for atom, exponent in self.members[i]:
            product = product * self.atoms[atom].function ** exponent
        return product

    def combination(self, coefficients: Mapping[int, Element]) -> Element:
        """Σ c_i b_i."""
        return sum((c * self.function(i) for i, c in coefficients.items()), self.motion.field.zero)
