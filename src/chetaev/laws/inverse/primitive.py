"""The primitive of a closed 1-form in closed form: F with ∂F/∂x_i = f_i for all i at once.

Integration in parallel (Risch and Norman): with D the common denominator of the f_i and p its irreducible
factors,

    F = (Σ c_m m)/D + Σ d_p log|p| + Σ e_p atan(…) + Σ b_pj p^(−j),

the m being monomials in the functions that occur (coordinates, sines, roots, exponentials). The unknown
numbers solve linear equations, written down at random points modulo a prime; what comes out is
differentiated, and only an F whose derivatives are *proved* to be the f_i is handed back. None says that no
F of this shape was found.

>>> from chetaev.expr.exact import Field
>>> x, y, k = Field().symbols("x y k")
>>> print(primitive({("x", 0): k * y / x + 2 * x, ("y", 0): k * x.field.log(x)}))
y*k*log(x) + x^2
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from flint import fmpq, nmod_mat

from chetaev.constraint.integrability.modular_kernel import (
    PRIME,
    evaluate,
    rational,
    values_at_random,
)
from chetaev.expr.exact import Element, Field, answer, ask
from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.functions.inverse_functions import apply
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.numbers.number_echelon import NumberEchelon
from chetaev.expr.exact.numbers.residues import drawn, inverse
from chetaev.expr.exact.polynomials.tower import Monomial

Symbol = tuple[str, int]
MOST = 1500
"""More monomials than these are not tried."""
EFFORT = 4_000_000


def primitive(form: Mapping[Symbol, Element], effort: int = EFFORT) -> Element | None:
    """F with ∂F/∂x = form[x] for every x, up to a constant; None if none was found within the effort."""
    present = {s: f for s, f in form.items() if not f.is_blank}
    if not form:
        return None
    field = next(iter(form.values())).field
    if not present:
        return field.zero
    with field.limit(Budget(effort)):
        return answer(ask(lambda: _PrimitiveSearch(field, present, tuple(form)).found()))


class _PrimitiveSearch:
    def __init__(self, field: Field, form: Mapping[Symbol, Element], moving: tuple[Symbol, ...]) -> None:
        self.field, self.form, self.moving = field, form, moving
        self.bases = {field.base(s): s for s in moving}
        common = field.one
        for f in form.values():
            rest = field.quotient(f.denominator, field.gcd(common.numerator, f.denominator))
            common = common * rest
        self.denominator = common

    def found(self) -> Element | None:
        atoms = self._transcendental()  # may adjoin generators, so before anything is listed
        monomials = self._monomials()
        if monomials is None:
            return None
        solution = self._solve(monomials, atoms)
        if solution is None:
            return None
        numerator = self.field.polynomial(
            self.field.tower.from_terms({m: fmpq(c.numerator, c.denominator) for m, c in solution[0].items()})
        )
        result = numerator / self.denominator
        for atom, c in zip(atoms, solution[1], strict=True):
            result = result + atom * c
        exact = all((result.diff(s) - f).is_zero for s, f in self._whole().items())
        return result if exact else None

    def _whole(self) -> dict[Symbol, Element]:
        return {s: self.form.get(s, self.field.zero) for s in self.moving}

    # -- candidates ------------------------------------------------------------------------------------
    def _transcendental(self) -> list[Element]:
        """Logarithms and inverse tangents of the factors of the denominator, times what is constant there."""
        found: list[Element] = []
        if self.denominator.is_number:
            return found
        weights = self._constants()
        for p, power in factors(self.field, self.denominator.numerator)[1]:
            if not self._moves(p):
                continue
            own = [self.field.log(p * p) * Fraction(1, 2), *self._tangents(p)]
            own += [p ** (-j) for j in range(1, power)]
            found += [w * atom for atom in own for w in weights]
        return found

    def _tangents(self, p: Element) -> list[Element]:
        """√k·atan(∂p/∂x/√(4ac − b²)) of a factor a x² + b x + c, 4ac − b² = k·(a square): no derivative has
        √k in it, which need not exist modulo the prime.
        """
        result = []
        for s in self.moving:
            parts = p.coefficients(s)
            if parts is None or max(e for (e,) in parts) != 2:
                continue
            a, b, c = (parts.get((i,), self.field.zero) for i in (2, 1, 0))
            parts_of_root = self._root(4 * a * c - b * b)
            if parts_of_root is not None:
                number, rest = parts_of_root
                result.append(number * apply(self.field, "atan", (p.diff(s) / (number * rest),)))
        return result

    def _root(self, square: Element) -> tuple[Element, Element] | None:
        """√k and ±√(u/k) of u = k Π p^{2e} > 0, without a new function but √k."""
        if square.is_blank or not square.is_polynomial:
            return None
        k, found = factors(self.field, square.numerator)
        if k < 0 or any(e % 2 for _, e in found):
            return None
        rest = self.field.one
        for p, e in found:
            rest = rest * p ** (e // 2)
        return self.field.sqrt(self.field.number(Fraction(int(k.p), int(k.q)))), rest

    def _constants(self) -> list[Element]:
        """Monomials in parameters that the numerators have as factors of their terms, over fixed
        denominators.
        """
        fixed = self.field.one
        for p, e in factors(self.field, self.denominator.numerator)[1]:
            if not self._moves(p):
                fixed = fixed * p**e
        seen: dict[Monomial, None] = {(): None}
        generators = self.field.generators
        for f in self._numerators().values():
            for monomial, _ in self.field.tower.terms(f.numerator):
                seen[tuple((k, e) for k, e in monomial if generators[k].depends.isdisjoint(self.bases))] = (
                    None
                )
        one = {m: self.field.polynomial(self.field.tower.from_terms({m: fmpq(1)})) for m in seen}
        return [e / fixed for e in one.values()]

    def _numerators(self) -> dict[Symbol, Element]:
        return {s: f * self.denominator for s, f in self.form.items()}

    def _moves(self, p: Element) -> bool:
        return not p.symbols.isdisjoint(self.moving)

    def _monomials(self) -> list[Monomial] | None:
        """For each term of each f_i D: its part in the functions of x_i varied, the rest as it is."""
        tower, field = self.field.tower, self.field
        extra = 1 if all(e.is_polynomial for e in self.form.values()) else 2
        found: dict[Monomial, None] = {}
        elements = [*self._numerators().values(), self.denominator]
        used = sorted({k for e in elements for k in tower.used(e.numerator)})
        used += [g.partner for g in (field.generators[k] for k in used) if g.kind in ("sin", "cos")]
        for s, f in self._numerators().items():
            own = field.base(s)
            local = sorted({own, *(k for k in used if own in field.generators[k].depends)})
            for monomial, _ in tower.terms(f.numerator):
                powers = dict(monomial)
                rest = tuple((k, e) for k, e in monomial if k not in local)
                limits = [self._limit(k, powers, extra) for k in local]
                degree = sum(powers.get(k, 0) for k in local) + extra
                for exponents in product(*(range(n + 1) for n in limits)):
                    if sum(exponents) <= degree:
                        varied = tuple((k, e) for k, e in zip(local, exponents, strict=True) if e)
                        found[tuple(sorted(rest + varied))] = None
                if len(found) > MOST:
                    return None
        return sorted(found)

    def _limit(self, k: int, powers: Mapping[int, int], extra: int) -> int:
        """How high a generator may stand: at most its relation, exponentials as they do, the others
        higher.
        """
        relation = self.field.tower.relations.get(k)
        if relation is not None:
            return relation[0] - 1
        kind = self.field.generators[k].kind
        trigonometric = kind == "sin"
        degree = powers.get(k, 0) + (powers.get(self.field.generators[k].partner, 0) if trigonometric else 0)
        if kind == "exp":
            return max(degree, 1 if extra > 1 else 0)
        return degree + extra

    # -- linear equations ------------------------------------------------------------------------------
    def _solve(
        self, monomials: list[Monomial], atoms: list[Element]
    ) -> tuple[dict[Monomial, Fraction], list[Fraction]] | None:
        field, form = self.field, self._whole()
        generators = sorted({k for m in monomials for k, _ in m})
        slopes = {s: [field.variable(k).diff(s) for k in generators] for s in form}
        of_atoms = {s: [a.diff(s) for a in atoms] for s in form}
        of_D = {s: self.denominator.diff(s) for s in form}
        count = len(monomials) + len(atoms)
        listed = [*form.values(), *of_D.values(), self.denominator]
        listed += [e for table in (slopes, of_atoms) for row in table.values() for e in row]
        needed = _needed(field, generators, listed)
        rows: list[int] = []
        rng, fixed, wanted = random.Random(7), dict[int, int](), count + 4
        field.tower.budget.spend(cost.elimination(wanted * len(form), count + 1))

        def block() -> list[int]:
            at = values_at_random(field, rng, fixed, needed)
            over = inverse(evaluate(self.denominator, at), PRIME)
            inverses = {k: inverse(at[k], PRIME) for k in generators}
            found: list[int] = []
            for s, f in form.items():
                rate = dict(zip(generators, (evaluate(e, at) for e in slopes[s]), strict=True))
                relative = {k: rate[k] * inverses[k] % PRIME for k in generators}
                fall = evaluate(of_D[s], at) * over % PRIME
                for m in monomials:
                    value = over
                    for k, e in m:
                        value = value * pow(at[k], e, PRIME) % PRIME
                    found.append(value * (sum(e * relative[k] for k, e in m) - fall) % PRIME)
                found += [evaluate(e, at) for e in of_atoms[s]]
                found.append(evaluate(f, at))
            return found

        for _ in range(wanted):
            rows += drawn(block, 40)
        return _particular(rows, wanted * len(form), count, monomials)


def _needed(field: Field, generators: Iterable[int], elements: Iterable[Element]) -> set[int]:
    """The generators that occur, and those that these are functions of."""
    tower = field.tower
    pending = [*generators]
    for e in elements:
        pending += [*tower.used(e.numerator), *tower.used(e.denominator)]
    needed: set[int] = set()
    while pending:
        k = pending.pop()
        if k not in needed:
            needed.add(k)
            g = field.generators[k]
            pending += [*g.parents, *([g.partner] if g.partner >= 0 else [])]
    return needed


def _particular(
    rows: list[int], height: int, count: int, monomials: list[Monomial]
) -> tuple[dict[Monomial, Fraction], list[Fraction]] | None:
    """One solution in rational numbers, unknowns without pivot zero; None if there is none."""
    found = NumberEchelon(nmod_mat(height, count + 1, rows, PRIME)).solution()
    if found is None:
        return None
    values = [Fraction(0)] * count
    for place, residue in found.items():
        value = rational(int(residue))
        if value is None:
            return None
        values[place] = value
    n = len(monomials)
    kept = {m: c for m, c in zip(monomials, values[:n], strict=True) if c}
    return kept, values[n:]


def vector_potential(
    omega: Sequence[Sequence[Element]], names: Sequence[str], effort: int = EFFORT
) -> list[Element] | None:
    """A with ∂_s A_r − ∂_r A_s = ω_sr for a closed 2-form ω; None if an integral is not found.

    Coordinate by coordinate (Poincaré): A_r = ∫ω_1r dq^1 for r > 1 leaves ω − dA without dq^1 and free of
    q^1, and so on.

    >>> from chetaev.expr.exact import Field
    >>> x, y = Field().symbols("x y")
    >>> [str(e) for e in vector_potential([[0 * x, 2 * x * y], [-2 * x * y, 0 * x]], ["x", "y"])]
    ['0', 'x^2*y']
    """
    m, rest = len(names), [list(row) for row in omega]
    A = [rest[0][0].field.zero] * m
    for i, j in combinations(range(m), 2):
        part = primitive({(names[i], 0): rest[i][j]}, effort)
        if part is None:
            return None
        A[j] = A[j] + part
        for k in range(m):
            slope = part.diff(names[k])
            rest[k][j] = rest[k][j] - slope
            rest[j][k] = rest[j][k] + slope
    return A if all(e.is_zero for row in rest for e in row) else None
