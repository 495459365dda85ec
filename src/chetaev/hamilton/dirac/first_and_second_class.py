"""First and second class, gauge and Dirac's bracket on one branch (SCOPE B7; Dirac 1964).

With Δ_jk = {χ_j, χ_k} on the surface: a combination of constraints with coefficients in the kernel of Δ is
of the first class, rank Δ is the number of those of the second class. A set J of constraints with
det Δ_JJ ≠ 0 and as many members as the rank gives

    {F, G}_D = {F, G} − {F, χ_a} (Δ_JJ⁻¹)^{ab} {χ_b, G}.

Where there are constraints of both classes, another choice of J changes the bracket of functions that are not
gauge invariant; so the choice is part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.linear import matrix as linear
from chetaev.hamilton.dirac.algorithm import Branch, PhaseRates


@dataclass(frozen=True)
class Classes:
    """The classes of the constraints of one branch."""

    motion: PhaseRates
    branch: Branch

    @cached_property
    def functions(self) -> list[Element]:
        """All constraints."""
        return [c.function for c in self.branch.conditions]

    @cached_property
    def matrix(self) -> list[list[Element]]:
        """Δ on the surface."""
        bracket, on = self.motion.space.bracket, self.branch.surface.restrict
        zero = self.motion.space.field.zero
        rows = [[zero] * len(self.functions) for _ in self.functions]
        for i, F in enumerate(self.functions):
            for j in range(i):
                rows[i][j] = on(bracket(F, self.functions[j]))
                rows[j][i] = -rows[i][j]
        return rows

    @cached_property
    def second_class_set(self) -> list[int]:
        """Places of constraints with an invertible matrix of brackets, as many as the rank of Δ."""
        if all(e.is_zero for row in self.matrix for e in row):
            return []
        return list(linear.echelon(self.matrix).pivots)

    @cached_property
    def first_class(self) -> list[Element]:
        """Combinations of constraints that have zero bracket, on the surface, with all constraints."""
        if not self.second_class_set:
            return list(self.functions)
        found = []
        for weights in linear.nullspace(self.matrix, self.second_class_set):
            total = self.motion.space.field.zero
            for weight, function in zip(weights, self.functions, strict=True):
                total = total + weight * function
            found.append(total)
        return found

    @cached_property
    def reached(self) -> int:
        """How many independent directions the free multipliers move.

        Dirac's conjecture says that it is the number of constraints of the first class.
        """
        return linear.rank(self._moved) if self._moved else 0

    def generates_gauge(self, function: Element) -> bool:
        """Whether the free multipliers move along the field of a function."""
        return linear.rank([*self._moved, self._field_of(function)]) == self.reached

    def _field_of(self, function: Element) -> list[Element]:
        """{z, G} on the surface."""
        space = self.motion.space
        return [self.branch.surface.restrict(space.bracket(z, function)) for z in (*space.q, *space.p)]

    @cached_property
    def _moved(self) -> list[list[Element]]:
        """The fields X_Φ, X_{Φ, H}, X_{{Φ, H}, H}, … on the surface, of primary combinations Φ with free
        multipliers.
        """
        motion, space = self.motion, self.motion.space
        known = self.branch.multipliers
        free = [n for n in motion.u_names if n not in known]
        still = dict.fromkeys(free, space.field.zero)
        primary = dict(zip(motion.u_names, motion.legendre.primary, strict=True))
        energy = motion.legendre.hamiltonian
        for name, value in known.items():
            if name in primary:
                energy = energy + value.subs(still) * primary[name]
        found = []
        for name in free:
            total = primary[name]
            for other, value in known.items():
                if other in primary:
                    total = total + value.diff(space.field.symbol(name)).subs(still) * primary[other]
            for _ in range(len(self.functions)):
                found.append(total)
                total = space.bracket(total, energy)
        return [row for row in map(self._field_of, found) if any(not e.is_zero for e in row)]

    @cached_property
    def inverse(self) -> list[list[Element]]:
        """Δ_JJ⁻¹ on the surface."""
        J = self.second_class_set
        return linear.inverse([[self.matrix[i][j] for j in J] for i in J]) if J else []

    @cached_property
    def rank_drops(self) -> list[Element]:
        """Functions on the surface where one of which vanishes Δ has a smaller rank."""
        J = self.second_class_set
        if not J:
            return []
        surface = self.branch.surface
        determinant = linear.determinant([[self.matrix[i][j] for j in J] for i in J])
        found = [f for f, _ in factors(determinant.field, determinant.numerator)[1]]
        return [f for f in found if not surface.never_zero(f) and not self.motion.space.is_constant(f)]

    def bracket(self, F: Element, G: Element) -> Element:
        """Dirac's bracket on the surface."""
        poisson, on = self.motion.space.bracket, self.branch.surface.restrict
        J = self.second_class_set
        left = [on(poisson(F, self.functions[j])) for j in J]
        right = [on(poisson(self.functions[j], G)) for j in J]
        total = on(poisson(F, G))
        for a, x in enumerate(left):
            for b, y in enumerate(right):
                if not x.is_zero and not y.is_zero:
                    total = total - x * self.inverse[a][b] * y
        return total
