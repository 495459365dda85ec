"""Exact linear algebra modulo a prime: functions constant along a distribution, among combinations of given
ones.

For fields X and functions b_1, …, b_N the linear system Σ c_i X(b_i) = 0 is written down at random points
over GF(p): generators of the function field get random residues that satisfy their relations (s² + c² = 1,
r² = u). No rounding, no expression swell; a solution is reconstructed as rational numbers and must then be
verified exactly.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np
from flint import nmod_mat
from numpy.typing import NDArray

from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.numbers.number_echelon import NumberEchelon
from chetaev.expr.exact.numbers.residues import (
    Terms,
    UnluckyError,
    fraction,
    free_values,
    inverse,
    root,
    terms,
    value,
)

PRIME = 2**61 - 1


def values_at_random(
    field: Field, rng: random.Random, fixed: dict[int, int], among: Collection[int] | None = None
) -> dict[int, int]:
    """Residues for all generators, or for some; constants keep the residues they have in `fixed`."""
    chosen = [g for g in field.generators if among is None or g.index in among]
    values = free_values(chosen, rng, fixed, PRIME)
    for g in chosen:
        if g.kind == "root" and g.index not in values:
            values[g.index] = _root(evaluate(g.args[0], values), g.order)
    fixed.update((g.index, values[g.index]) for g in chosen if not g.depends and g.index in values)
    return values


def _root(value: int, order: int) -> int:
    if order != 2:  # modulo this prime, which is not safe, others need not be unique
        raise UnluckyError
    return root(value, 2, PRIME)


def evaluate(element: Element, values: dict[int, int]) -> int:
    """The residue of an element at a point."""
    return _ElementsModuloPrime([element]).at(values)[0]


class _ElementsModuloPrime:
    """Elements of a field, read once, to be evaluated at many points."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._parts: list[tuple[Terms, Terms | None, int | None]] = []
        self._cost = 0
        for e in elements:
            tower = self._tower = e.field.tower
            top = terms(tower, e.numerator, PRIME)
            bottom = None if e.is_polynomial else terms(tower, e.denominator, PRIME)
            number = sum(c for c, _ in top) % PRIME if e.is_number else None
            self._parts.append((top, bottom, number))
            self._cost += sum(cost.terms(2 * len(p), tower.capacity) for p in (top, bottom) if p is not None)

    def at(self, values: dict[int, int]) -> list[int]:
        """The residues at a point."""
        if not self._parts:
            return []
        self._tower.budget.spend(self._cost)
        found = []
        for top, bottom, number in self._parts:
            n = value(top, values, PRIME) if number is None else number
            found.append(n if bottom is None else n * inverse(value(bottom, values, PRIME), PRIME) % PRIME)
        return found


Residues = NDArray[np.uint64]
Point = tuple[list[int], list[int], list[list[int]]]
"""Values of atoms, their inverses, and the rates of the atoms along each field."""
P, LOW = np.uint64(PRIME), np.uint64(2**31 - 1)
ONE, REST, HALF, BITS = (np.uint64(n) for n in (1, 30, 31, 61))
Field_ = list[tuple[int, Element]]
"""A vector field: pairs (generator number of a coordinate, component)."""

Monomial = tuple[tuple[int, int], ...]
"""Pairs (generator, exponent); exponents may be negative where the generator stands for a factor."""


class RowsModuloPrime:
    """Rows X(b_i) at random points.

    `fields`: the vector fields, those that annihilate all atoms say nothing and are left out; `atoms`:
    elements that monomials are made of, a negative exponent means its inverse.
    """

    def __init__(self, field: Field, fields: list[Field_], atoms: list[Element], seed: int = 1) -> None:
        self.field = field
        self.atoms = _ElementsModuloPrime(atoms)
        self.rng = random.Random(seed)
        self.fixed: dict[int, int] = {}
        slopes = [[along(X, a) for a in atoms] for X in fields]
        moving = [row for row in slopes if any(not s.is_zero for s in row)]
        self.slopes = [_ElementsModuloPrime(row) for row in moving]
        self.points: list[Point] = []

    def point(self) -> Point:
        """Values of the atoms, their inverses, and X(atom) for every field, at one more random point."""
        for _ in range(40):
            try:
                values = values_at_random(self.field, self.rng, self.fixed)
                atoms = self.atoms.at(values)
                if any(a == 0 for a in atoms):
                    continue
                return atoms, _inverses(atoms), [row.at(values) for row in self.slopes]
            except UnluckyError:
                continue
        raise UnluckyError

    def kernel(self, basis: list[Monomial]) -> list[dict[int, Fraction | None]]:
        """Combinations of the basis that every field annihilates at all points, in echelon form.

        Those that have one value at several points are left out: they are constants, such as sin² + cos².
        A coefficient that is no short fraction is None: it may be irrational.
        """
        count = len(basis)
        needed = count // max(1, len(self.slopes)) + 6
        while len(self.points) < needed:
            self.points.append(self.point())
        self.field.tower.budget.spend(cost.elimination(needed * len(self.slopes), count))
        powers, plan, places = _planned(basis)
        factors, terms = self._powers(powers, self.points[:needed])
        values = np.ones((len(plan) + 1, needed), dtype=np.uint64)
        for row, (before, i) in enumerate(plan, 1):
            values[row] = _times(values[before], factors[i])
        worths = values[places, :4].T.tolist()
        entries: list[int] = []
        for logarithmic in terms:  # X(b)/b is the sum of e X(g)/g over the powers of b
            sums = np.zeros_like(values)
            for row, (before, i) in enumerate(plan, 1):
                sums[row] = _plus(sums[before], logarithmic[i])
            entries += _times(values[places], sums[places]).T.ravel().tolist()
        rows = needed * len(terms)
        echelon = NumberEchelon(nmod_mat(rows, count, entries, PRIME))
        found = []
        for j in echelon.free:
            entry = {c: int(x) for c, x in echelon.null_vector(j).items() if c != j}
            seen = {(w[j] + sum(x * w[c] for c, x in entry.items())) % PRIME for w in worths[:4]}
            if len(seen) > 1:
                found.append({j: Fraction(1), **{c: rational(x) for c, x in entry.items()}})
        return found

    def _powers(
        self, powers: list[tuple[int, int]], points: Sequence[Point]
    ) -> tuple[Residues, list[Residues]]:
        """The powers g^e of atoms at all points (power, point), and e X(g)/g for every field."""
        values, inverses = (np.array([p[i] for p in points], dtype=np.uint64).T for i in (0, 1))
        places = [k for k, _ in powers]
        exponents = np.array([[e % PRIME] for _, e in powers], dtype=np.uint64)
        up, down = [values], [inverses]  # first powers, second powers, …
        for _ in range(1, max((abs(e) for _, e in powers), default=1)):
            up.append(_times(up[-1], values))
            down.append(_times(down[-1], inverses))
        factors = np.array([up[e - 1][k] if e > 0 else down[-e - 1][k] for k, e in powers])
        terms = []
        for i in range(len(self.slopes)):
            slopes = np.array([p[2][i] for p in points], dtype=np.uint64).T
            terms.append(_times(_times(slopes, inverses)[places], exponents))
        return factors, terms


def _inverses(numbers: list[int]) -> list[int]:
    """Inverses of residues that are not 0, by one inversion (Montgomery).

    >>> [a * b % PRIME for a, b in zip([2, 3, 10**9], _inverses([2, 3, 10**9]))]
    [1, 1, 1]
    """
    products = [1]
    for a in numbers:
        products.append(products[-1] * a % PRIME)
    left, found = pow(products[-1], -1, PRIME), []
    for a, before in zip(reversed(numbers), reversed(products[:-1]), strict=True):
        found.append(left * before % PRIME)
        left = left * a % PRIME
    return found[::-1]


def _plus(a: Residues, b: Residues) -> Residues:
    total = a + b
    return np.asarray(np.where(total >= PRIME, total - P, total))


def _times(a: Residues, b: Residues) -> Residues:
    """a·b modulo 2⁶¹ − 1 in halves of 31 bits: 2⁶² = 2 and 2⁶¹ = 1, so that nothing is beyond 64 bits.

    >>> a = np.array([PRIME - 1, 2**60 + 12345, 3], dtype=np.uint64)
    >>> _times(a, a[::-1]).tolist() == [x * y % PRIME for x, y in zip(a.tolist(), a[::-1].tolist())]
    True
    """
    a1, a0, b1, b0 = a >> HALF, a & LOW, b >> HALF, b & LOW
    middle = a1 * b0 + a0 * b1
    total = (a1 * b1 << ONE) + (middle >> REST) + ((middle & (LOW >> ONE)) << HALF) + a0 * b0
    total = (total & P) + (total >> BITS)
    return np.asarray(np.where(total >= PRIME, total - P, total))


def along(X: Field_, f: Element) -> Element:
    """X(f)."""
    total = f.field.zero
    depends = {f.field.base(name) for name in f.symbols}
    for k, component in X:
        if k in depends:
            slope = f.diff(f.field.variable(k))
            if not slope.is_zero:
                total = total + component * slope
    return total


def _planned(basis: list[Monomial]) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[int]]:
    """The powers that occur; how monomials are made, by the place of an earlier one and the number of a
    power; and where each is then.

    >>> _planned([((0, 1),), ((0, 1), (1, 2))])
    ([(0, 1), (1, 2)], [(0, 0), (1, 1)], [1, 2])
    """
    powers = {power: i for i, power in enumerate(dict.fromkeys(p for b in basis for p in b))}
    plan: list[tuple[int, int]] = []
    made: dict[Monomial, int] = {(): 0}

    def place(b: Monomial) -> int:
        if b not in made:
            before = place(b[:-1])
            plan.append((before, powers[b[-1]]))
            made[b] = len(plan)
        return made[b]

    places = [place(b) for b in basis]
    return list(powers), plan, places


def rational(residue: int) -> Fraction | None:
    """The fraction with short numerator and denominator that has this residue; None if there is none.

    >>> rational(pow(3, -1, PRIME) * 2 % PRIME)
    Fraction(2, 3)
    """
    return fraction(residue, PRIME, 20_000_000)


__all__ = ["PRIME", "Monomial", "RowsModuloPrime", "UnluckyError", "along", "evaluate", "rational"]
