"""Exact linear algebra modulo a prime: functions constant along a distribution, among combinations of given
ones.

For fields X and functions b_1, …, b_N the linear system Σ c_i X(b_i) = 0 is written down at random points
over GF(p): generators of the function field get random residues that satisfy their relations (s² + c² = 1,
r² = u). No rounding, no expression swell; a solution is reconstructed as rational numbers and must then be
verified exactly.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from fractions import Fraction

from flint import nmod_mat

from chetaev.expr.exact import Element, Field, cost
from chetaev.expr.exact.echelon import NumberEchelon
from chetaev.expr.exact.residues import UnluckyError, fraction, inverse, root
from chetaev.expr.exact.tower import Poly

PRIME = 2**61 - 1


def values_at_random(
    field: Field, rng: random.Random, fixed: dict[int, int], among: Collection[int] | None = None
) -> dict[int, int]:
    """Residues for all generators, or for some; constants keep the residues they have in `fixed`."""
    values: dict[int, int] = {}
    for g in field.generators:
        k = g.index
        if g.kind == "dead" or k in values or (among is not None and k not in among):
            continue
        constant = not g.depends
        if constant and k in fixed:
            values[k] = fixed[k]
            continue
        if g.kind == "sin":
            t = rng.randrange(2, PRIME)
            inverse = pow(1 + t * t, -1, PRIME)
            values[k] = 2 * t * inverse % PRIME
            values[g.partner] = (1 - t * t) * inverse % PRIME
        elif g.kind == "root":
            values[k] = _root(evaluate(g.args[0], values), g.order)
        elif g.kind == "sign":
            values[k] = rng.choice((1, PRIME - 1))
        elif g.kind != "cos":
            values[k] = rng.randrange(2, PRIME)
        if constant:
            fixed[k] = values[k]
            if g.kind == "sin":
                fixed[g.partner] = values[g.partner]
    return values


def _root(value: int, order: int) -> int:
    if order != 2:  # modulo this prime, which is not safe, others need not be unique
        raise UnluckyError
    return root(value, 2, PRIME)


def evaluate(element: Element, values: dict[int, int]) -> int:
    """The residue of an element at a point."""
    return _Residues(element).at(values)


Terms = list[tuple[int, tuple[tuple[int, int], ...]]]
"""Coefficients modulo the prime, and their monomials."""


class _Residues:
    """An element, read once, to be evaluated at many points."""

    def __init__(self, element: Element) -> None:
        self.field = element.field
        self.top = self._read(element.numerator)
        self.bottom = None if element.is_polynomial else self._read(element.denominator)
        self.cost = sum(
            cost.terms(2 * len(p), self.field.tower.capacity)
            for p in (self.top, self.bottom)
            if p is not None
        )

    def _read(self, p: Poly) -> Terms:
        terms = self.field.tower.terms(p)
        return [(int(c.p) * pow(int(c.q), -1, PRIME) % PRIME, monomial) for monomial, c in terms]

    def at(self, values: dict[int, int]) -> int:
        """The residue at a point."""
        self.field.tower.budget.spend(self.cost)
        n = _sum(self.top, values)
        return n if self.bottom is None else n * inverse(_sum(self.bottom, values), PRIME) % PRIME


def _sum(terms: Terms, values: dict[int, int]) -> int:
    total = 0
    for term, monomial in terms:
        for k, e in monomial:
            term = term * (values[k] if e == 1 else pow(values[k], e, PRIME)) % PRIME
        total += term
    return total % PRIME


Field_ = list[tuple[int, Element]]
"""A vector field: pairs (generator number of a coordinate, component)."""

Monomial = tuple[tuple[int, int], ...]
"""Pairs (generator, exponent); exponents may be negative where the generator stands for a factor."""


class RowsModuloPrime:
    """Rows X(b_i) at random points.

    Parameters
    ----------
    fields
        The vector fields; those that annihilate all atoms say nothing and are left out.
    atoms
        Elements that monomials are made of; a negative exponent means its inverse.
    """

    def __init__(self, field: Field, fields: list[Field_], atoms: list[Element], seed: int = 1) -> None:
        self.field = field
        self.atoms = [_Residues(a) for a in atoms]
        self.rng = random.Random(seed)
        self.fixed: dict[int, int] = {}
        slopes = [[along(X, a) for a in atoms] for X in fields]
        moving = [row for row in slopes if any(not s.is_zero for s in row)]
        self.slopes = [[_Residues(s) for s in row] for row in moving]
        self.points: list[tuple[list[int], list[list[int]]]] = []

    def point(self) -> tuple[list[int], list[list[int]]]:
        """Values of the atoms, and of X(atom) for every field, at one more random point."""
        for _ in range(40):
            try:
                values = values_at_random(self.field, self.rng, self.fixed)
                atoms = [a.at(values) for a in self.atoms]
                if any(a == 0 for a in atoms):
                    continue
                return atoms, [[s.at(values) for s in row] for row in self.slopes]
            except (UnluckyError, ValueError):
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
        entries: list[int] = []
        worths: list[list[int]] = []
        rows = 0
        plan, places = _planned(basis)
        for atoms, slopes in self.points[:needed]:
            inverse = [pow(a, -1, PRIME) for a in atoms]
            values = [1]
            for before, k, e in plan:
                power = pow(atoms[k], e, PRIME) if e > 0 else pow(inverse[k], -e, PRIME)
                values.append(values[before] * power % PRIME)
            worths.append([values[i] for i in places])
            for slope in slopes:
                logarithmic = [s * i % PRIME for s, i in zip(slope, inverse, strict=True)]
                sums = [0]
                for before, k, e in plan:
                    sums.append(sums[before] + e * logarithmic[k])
                entries += [values[i] * sums[i] % PRIME for i in places]
                rows += 1
        echelon = NumberEchelon(nmod_mat(rows, count, entries, PRIME))
        found = []
        for j in echelon.free:
            entry = {c: int(x) for c, x in echelon.null_vector(j).items() if c != j}
            seen = {(w[j] + sum(x * w[c] for c, x in entry.items())) % PRIME for w in worths[:4]}
            if len(seen) > 1:
                found.append({j: Fraction(1), **{c: rational(x) for c, x in entry.items()}})
        return found


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


def _planned(basis: list[Monomial]) -> tuple[list[tuple[int, int, int]], list[int]]:
    """How monomials are made: the place of an earlier one, an atom, its exponent; and where each is then.

    >>> _planned([((0, 1),), ((0, 1), (1, 2))])
    ([(0, 0, 1), (1, 1, 2)], [1, 2])
    """
    plan: list[tuple[int, int, int]] = []
    made: dict[Monomial, int] = {(): 0}

    def place(b: Monomial) -> int:
        if b not in made:
            before = place(b[:-1])
            plan.append((before, *b[-1]))
            made[b] = len(plan)
        return made[b]

    return plan, [place(b) for b in basis]


def rational(residue: int) -> Fraction | None:
    """The fraction with short numerator and denominator that has this residue; None if there is none.

    >>> rational(pow(3, -1, PRIME) * 2 % PRIME)
    Fraction(2, 3)
    """
    return fraction(residue, PRIME, 20_000_000)


__all__ = ["PRIME", "Monomial", "RowsModuloPrime", "UnluckyError", "along", "evaluate", "rational"]
