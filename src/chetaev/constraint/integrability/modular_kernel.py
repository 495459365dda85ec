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
    field = element.field
    n = _polynomial(field, element.numerator, values)
    if element.is_polynomial:
        return n
    return n * inverse(_polynomial(field, element.denominator, values), PRIME) % PRIME


def _polynomial(field: Field, p: Poly, values: dict[int, int]) -> int:
    total = 0
    field.tower.budget.spend(cost.terms(2 * len(p), field.tower.capacity))
    for monomial, c in field.tower.terms(p):
        term = int(c.p) * pow(int(c.q), -1, PRIME) % PRIME
        for k, e in monomial:
            term = term * pow(values[k], e, PRIME) % PRIME
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
        The vector fields.
    atoms
        Elements that monomials are made of; a negative exponent means its inverse.
    """

    def __init__(self, field: Field, fields: list[Field_], atoms: list[Element], seed: int = 1) -> None:
        self.field = field
        self.fields = fields
        self.atoms = atoms
        self.rng = random.Random(seed)
        self.fixed: dict[int, int] = {}
        self.slopes = [[along(X, a) for a in atoms] for X in fields]
        self.points: list[tuple[list[int], list[list[int]]]] = []

    def point(self) -> tuple[list[int], list[list[int]]]:
        """Values of the atoms, and of X(atom) for every field, at one more random point."""
        for _ in range(40):
            try:
                values = values_at_random(self.field, self.rng, self.fixed)
                atoms = [evaluate(a, values) for a in self.atoms]
                if any(a == 0 for a in atoms):
                    continue
                return atoms, [[evaluate(s, values) for s in row] for row in self.slopes]
            except (UnluckyError, ValueError):
                continue
        raise UnluckyError

    def kernel(self, basis: list[Monomial]) -> list[dict[int, Fraction | None]]:
        """Combinations of the basis that every field annihilates at all points, in echelon form.

        Those that have one value at several points are left out: they are constants, such as sin² + cos².
        A coefficient that is no short fraction is None: it may be irrational.
        """
        count = len(basis)
        needed = count // max(1, len(self.fields)) + 6
        while len(self.points) < needed:
            self.points.append(self.point())
        self.field.tower.budget.spend(cost.elimination(needed * len(self.fields), count))
        entries: list[int] = []
        worths: list[list[int]] = []
        rows = 0
        for atoms, slopes in self.points[:needed]:
            inverse = [pow(a, -1, PRIME) for a in atoms]
            worth = [_monomial(b, atoms, inverse) for b in basis]
            worths.append(worth)
            for slope in slopes:
                logarithmic = [s * i % PRIME for s, i in zip(slope, inverse, strict=True)]
                entries += [
                    w * sum(e * logarithmic[k] for k, e in b) % PRIME
                    for w, b in zip(worth, basis, strict=True)
                ]
                rows += 1
        echelon = NumberEchelon(nmod_mat(rows, count, entries, PRIME))
        found = []
        for j in echelon.free:
            entry = {c: int(x) for c, x in echelon.null_vector(j).items() if c != j}
            values = {(w[j] + sum(x * w[c] for c, x in entry.items())) % PRIME for w in worths[:4]}
            if len(values) > 1:
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


def _monomial(b: Monomial, atoms: list[int], inverse: list[int]) -> int:
    value = 1
    for k, e in b:
        value = value * pow(atoms[k] if e > 0 else inverse[k], abs(e), PRIME) % PRIME
    return value


def rational(residue: int) -> Fraction | None:
    """The fraction with short numerator and denominator that has this residue; None if there is none.

    >>> rational(pow(3, -1, PRIME) * 2 % PRIME)
    Fraction(2, 3)
    """
    return fraction(residue, PRIME, 20_000_000)


__all__ = ["PRIME", "Monomial", "RowsModuloPrime", "UnluckyError", "along", "evaluate", "rational"]
