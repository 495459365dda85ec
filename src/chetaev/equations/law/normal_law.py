"""Laws in normal form on Q: short, canonical expressions, exact solutions.

Entries of a law are functions on Q. Where the constraints are affine in the velocities, the dependent
velocities are replaced by their closed normal form v^a = g^a(t, q, v^s); trigonometric identities are used
up by the normal form of :mod:`chetaev.expr.exact`. Everything stays under a budget: beyond it the
expressions are left as they were derived.

Charts of Q: a choice of dependent velocities, and the derivations of functions on Q in it.

A function on Q is written in ambient coordinates and differentiated by the implicit function theorem, with
B = ∂g/∂v the slope of the normal form v^a = g^a(t, q, v^s) and C_D = ∂f/∂v^D:

    ∂/∂v^s|_Q = ∂/∂v^s + B^a_s ∂/∂v^a,      ∂/∂q^σ|_Q = ∂/∂q^σ − (C_D⁻¹ f_{q^σ})^a ∂/∂v^a      (t likewise).

No closed normal form is needed, and no mechanics is here: the formulations share charts, not results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import casadi

from chetaev.effort import NORMAL_FORMS
from chetaev.equations.law.setup import Around, Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import GivenUp, answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.sharing import text_length
from chetaev.model.jet_functions import expect_coordinates
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.numeric import is_regular

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


class ChosenChart(Setup):
    """A Setup in the chart of given dependent coordinates; without a choice, of the best pivots."""

    def __init__(self, system: System, dependent: Sequence[str] | None = None, chart: Around = None) -> None:
        super().__init__(system, chart=chart)
        expect_coordinates(system, dependent or (), "{} is no coordinate of the system")
        if dependent is not None and len(set(dependent)) != int(self.f.numel()):
            raise ModelError(
                f"{len(set(dependent))} dependent coordinates are chosen",
                expected=f"{int(self.f.numel())}, one for each constraint",
            )
        self.choice = dependent

    @cached_property
    def dependent(self) -> list[int]:
        """The coordinates whose velocities the constraints are solved for."""
        if self.choice is None:
            return super().dependent
        chosen = sorted(self.system.coordinates.index(c) for c in self.choice)
        if not is_regular(self.number(self.by_v(self.f)[:, chosen])):
            velocities = ", ".join(f"{self.system.coordinates[i]}'" for i in chosen)
            raise ModelError(
                f"the constraints cannot be solved for {velocities}: ∂f/∂v is singular there on all of Q",
                remedy="choose other dependent coordinates, or leave the choice out",
            )
        return chosen


class DerivationsOnQ:
    """Derivations of functions on Q in the chart of a Setup."""

    def __init__(self, s: Setup) -> None:
        self.s = s
        S, D = s.independent, s.dependent
        C = s.by_v(s.f)
        gradients = casadi.horzcat(C[:, S], s.by_q(s.f), s.by_t(s.f))
        n = len(S)
        if not D:
            self.g_v, self.g_q, self.g_t = casadi.SX(0, n), casadi.SX(0, s.m), casadi.SX(0, 1)
            return
        solved = -s.solve(C[:, D], gradients)
        self.g_v, self.g_q, self.g_t = solved[:, :n], solved[:, n : n + s.m], solved[:, n + s.m]

    @cached_property
    def restricted_hessian(self) -> SX:
        """−B̄_sr = ∂²L̄/∂v^r∂v^s − (∂L/∂v^a∘ι) ∂²g^a/∂v^r∂v^s of (86)."""
        s = self.s
        p = s.by_v(s.L)[:, s.dependent]
        hessian = self.by_v(self.by_v(s.L).T)
        for a in range(len(s.dependent)):
            hessian -= p[a] * self.by_v(self.g_v[a, :].T)
        return hessian

    def by_v(self, column: SX) -> SX:
        """∂/∂v^s|_Q for independent s, one row a function."""
        full = self.s.by_v(column)
        return full[:, self.s.independent] + full[:, self.s.dependent] @ self.g_v

    def by_q(self, column: SX) -> SX:
        """∂/∂q^σ|_Q for all σ."""
        return self.s.by_q(column) + self.s.by_v(column)[:, self.s.dependent] @ self.g_q

    def by_t(self, column: SX) -> SX:
        """∂/∂t|_Q."""
        return self.s.by_t(column) + self.s.by_v(column)[:, self.s.dependent] @ self.g_t

    def chetaev(self, column: SX) -> SX:
        """∂_c/∂q^s = ∂/∂q^s + ∂g^a/∂v^s ∂/∂q^a, on functions on Q."""
        full = self.by_q(column)
        return full[:, self.s.independent] + full[:, self.s.dependent] @ self.g_v

    def along(self, column: SX) -> SX:
        """d'_c/dt = ∂/∂t|_Q + v^σ ∂/∂q^σ|_Q."""
        return self.by_t(column) + self.by_q(column) @ self.s.v
