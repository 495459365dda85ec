"""First and second class, gauge and Dirac's bracket on one branch (SCOPE B7; Dirac 1964).

With Δ_jk = {χ_j, χ_k} on the surface: a combination of constraints with coefficients in the kernel of Δ is
of the first class, rank Δ is the number of those of the second class. A set J of constraints with
det Δ_JJ ≠ 0 and as many members as the rank gives

    {F, G}_D = {F, G} − {F, χ_a} (Δ_JJ⁻¹)^{ab} {χ_b, G}.

Where there are constraints of both classes, another choice of J changes the bracket of functions that are not
gauge invariant; so the choice is part of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
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
        """How many independent directions the multipliers that nothing determines move.

        Without forces Dirac's conjecture says that it is the number of constraints of the first class.
        """
        return len(self._moved)

    @cached_property
    def generators(self) -> list[Element]:
        """Combinations of constraints of the first class along whose fields the free multipliers move."""
        space, on, moved = self.motion.space, self.branch.surface.restrict, self._moved
        if not moved:
            return []
        fields = [[on(space.bracket(z, G)) for z in self._coordinates] for G in self.first_class]
        columns = [*moved, *fields]
        found = []
        for weights in linear.nullspace([list(row) for row in zip(*columns, strict=True)]):
            parts = zip(weights[len(moved) :], self.first_class, strict=True)
            found.append(sum((w * G for w, G in parts), space.field.zero))
        return found

    @cached_property
    def unseen_forms(self) -> int:
        """How many combinations of the forms ∂f/∂v dq are independent on the surface and vanish along what
        the free multipliers move: so many coordinates more than velocities can be told apart.
        """
        space, on, known = self.motion.space, self.branch.surface.restrict, self.branch.multipliers
        slopes = [[on(q).diff(z) for z in self._coordinates] for q in space.q]
        forms = [[on(e.subs(known) if known else e) for e in row] for row in self.motion.forms]
        rows = [[linear.dot(row, column) for column in zip(*slopes, strict=True)] for row in forms]
        if not rows or not self._coordinates:
            return 0
        along = [[linear.dot(row, W) for W in self._moved] for row in rows] if self._moved else []
        return linear.rank(rows) - (linear.rank(along) if along else 0)

    @cached_property
    def _coordinates(self) -> list[Element]:
        """Coordinates and momenta that the surface is not solved for: a chart of it."""
        solved = {symbol for symbol, _ in self.branch.surface.solved}
        return [z for z in (*self.motion.space.q, *self.motion.space.p) if z not in solved]

    def _on_surface(self, rates: Mapping[str, Element]) -> list[Element]:
        """A field in the chart of the surface, from its components by name."""
        space, on, known = self.motion.space, self.branch.surface.restrict, self.branch.multipliers
        names = dict(zip((*space.q, *space.p), (*space.system.coordinates, *space.momenta), strict=True))
        return [on(rates[names[z]].subs(known) if known else rates[names[z]]) for z in self._coordinates]

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Multipliers that nothing determines and that change the motion."""
        open_ = [n for n in self.motion.unknowns if n not in self.branch.multipliers]
        return tuple(n for n in open_ if n in self.motion.u_names or any(not e.is_zero for e in self._by(n)))

    def _by(self, name: str) -> list[Element]:
        """How a multiplier moves the surface: ∂ż/∂u."""
        return [e.diff((name, 0)) for e in self._motion]

    @cached_property
    def _motion(self) -> list[Element]:
        """ż in the chart of the surface, with the free multipliers as constants in it."""
        return self._on_surface(self.motion.equations)

    @cached_property
    def _moved(self) -> list[list[Element]]:
        """A basis of the smallest distribution on the surface that has the fields of the free multipliers in
        it and is invariant under them and under the motion: motions that differ in it cannot be told apart.
        """
        chart, time = self._coordinates, self.motion.space.t
        fields = [self._by(n) for n in self.free]

        def bracket(X: list[Element], Y: list[Element], moving: bool) -> list[Element]:
            found = []
            for x, y in zip(X, Y, strict=True):
                total = y.diff(time) if moving else y.field.zero
                for a, b, z in zip(X, Y, chart, strict=True):
                    total = total + a * y.diff(z) - b * x.diff(z)
                found.append(total)
            return found

        found: list[list[Element]] = []
        pending = list(fields)
        while pending and len(found) < len(chart):
            field = pending.pop(0)
            if linear.rank([*found, field]) == len(found):
                continue
            found.append(field)
            pending += [bracket(self._motion, field, True), *(bracket(Z, field, False) for Z in fields)]
        return found

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
