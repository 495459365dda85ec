"""Laws in normal form on Q: short, canonical expressions, exact solutions.

Entries of a law are functions on Q. Where the constraints are affine in the velocities, the dependent
velocities are replaced by their closed normal form v^a = g^a(t, q, v^s); trigonometric identities are used
up by the normal form of :mod:`chetaev.expr.exact`. Everything stays under a budget: beyond it the
expressions are left as they were derived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chetaev.effort import NORMAL_FORMS
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import GivenUp, answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.sharing import text_length
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System

MOST_ORDERED = 300
"""More symbols than these are put in order as they come: each one costs time that grows with their number."""


LONG_NORMAL_FORM = 3000
"""Normal forms with longer texts are kept only where they are shorter than what was derived."""


class OnConstraint:
    """A field of functions on J¹Y, with the velocities that the constraints give in closed form."""

    def __init__(self, system: System, effort: int = NORMAL_FORMS, *, use_closed: bool = True) -> None:
        self.system = system
        self.field = Field(Budget(effort, terms=max(60_000, effort // 50), products=max(4_000_000, effort)))
        self.f = constraint_functions(system)
        # generators in the order people write them: parameters, time, coordinates, velocities, then functions
        sides = [side for e in every_constraint(system) for side in (e.lhs, e.rhs)]
        occurring = {*graph.symbols(*system.dynamics.functions, *sides)}
        ordered = [(name, 0) for name in (*system.parameters, system.time, *system.coordinates)]
        ordered += [(name, 1) for name in system.coordinates]
        for name, order in [s for s in ordered if s in occurring][:MOST_ORDERED]:
            self.field.symbol(name, order)
        self.closed: dict[Expr, Element] = (answer(ask(self._solve_affine)) or {}) if use_closed else {}

    def _solve_affine(self) -> dict[Expr, Element]:
        """Dependent velocities as functions of the others, if the constraints are affine in them."""
        if not self.f:
            return {}
        f = [self.field(e) for e in self.f]
        v = [graph.symbol(c, 1) for c in self.system.coordinates]
        C = [[row.diff(s) for s in v] for row in f]
        if any(order for row in C for entry in row for _, order in entry.symbols):
            return {}
        dependent = self._pivots(C)
        if len(dependent) < len(f):
            return {}
        keys = [v[j].value for j in dependent]
        rest = [
            sum((-row[j] * self.field.symbol(*key) for j, key in zip(dependent, keys, strict=True)), e)
            for e, row in zip(f, C, strict=True)
        ]
        if any(key in e.symbols for e in rest for key in keys):  # as in sign(x' + y'), whose slope is 0
            return {}
        solution = linear.solve([[row[j] for j in dependent] for row in C], [-r for r in rest])
        return {v[j]: x for j, x in zip(dependent, solution, strict=True)}

    def _pivots(self, C: list[list[Element]]) -> list[int]:
        """Velocities to solve for: those of the derivations' chart, which is regular at the initial state;
        else entries that are numbers first, then the shortest.
        """
        try:
            chosen = Setup(self.system).dependent
            if linear.rank([[row[j] for j in chosen] for row in C]) == len(chosen):
                return chosen
        except ModelError:  # they are dependent, or no point of Q is known
            pass
        chosen = []
        for row in C:
            candidates = [j for j, e in enumerate(row) if not e.is_zero and j not in chosen]
            candidates.sort(key=lambda j: (not row[j].is_number, row[j].terms, j))
            for j in candidates:
                if linear.rank([[r[i] for i in (*chosen, j)] for r in C]) == len(chosen) + 1:
                    chosen.append(j)
                    break
        return chosen

    def element(self, expr: Expr) -> Element:
        """A function on Q in normal form."""
        return self.field(expr).subs(self.closed) if self.closed else self.field(expr)

    def short(self, expr: Expr) -> Expr:
        """The expression in normal form, or as it is when that costs too much.

        A closed form with denominators is used only where it makes the text shorter, and so is a normal form
        that is very long: expanding may cost more than it explains.
        """
        found = ask(self._normal, expr)
        if isinstance(found, GivenUp):
            return expr
        return expr if text_length(found) > max(LONG_NORMAL_FORM, text_length(expr)) else found

    def _normal(self, expr: Expr) -> Expr:
        plain = self.field(expr)
        if not self.closed:
            return plain.to_expr()
        reduced = plain.subs(self.closed)
        short = reduced.to_expr()
        if all(g.is_polynomial for g in self.closed.values()):
            return short
        other = plain.to_expr()
        handicap = 2 if plain.is_polynomial and not reduced.is_polynomial else 1
        return short if handicap * text_length(short) < text_length(other) else other

    def plain(self, expr: Expr) -> Expr:
        """The expression in normal form on J¹Y, the constraints not used; as it is when that costs too
        much.
        """
        return answer(ask(lambda: self.field(expr).to_expr())) or expr

    def solve(self, rows: Sequence[Sequence[Expr]], right: Sequence[Expr]) -> list[Element]:
        """The exact solution of a square law, in normal form."""
        return linear.solve(
            [[self.element(e) for e in row] for row in rows], [self.element(e) for e in right]
        )

    def combine(
        self, rows: Sequence[Sequence[Expr]], x: Sequence[Element], offset: Sequence[Expr]
    ) -> list[Element]:
        """rows · x + offset."""
        result = []
        for row, extra in zip(rows, offset, strict=True):
            used = [(entry, value) for entry, value in zip(row, x, strict=True) if entry is not graph.ZERO]
            result.append(sum((self.element(e) * value for e, value in used), self.element(extra)))
        return result


def constraint_functions(system: System) -> list[Expr]:
    """The functions f on J¹Y that vanish on Q; dφ/dt for position constraints, which come first."""
    s = Setup(system)
    return s.graphs(s.f)


def named(system: System, values: Sequence[Expr]) -> Mapping[str, Expr]:
    """Accelerations by coordinate."""
    return dict(zip(system.coordinates, values, strict=True))
