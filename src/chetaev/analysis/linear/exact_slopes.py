"""The derivatives of the motion at a state, exactly: numbers, or functions of the parameters.

As in :mod:`chetaev.analysis.linear.residual`, with graphs instead of doubles: the state is put into the
Jacobians of r first, so that all algebra is that of constants. Symbols in the state stay what they are, and
so a whole family of states is treated at once.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi

from chetaev.analysis.linear.exact_state import modest
from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.redundant_rows import kept_rows
from chetaev.analysis.linear.residual import ELSEWHERE, SINGULAR, NoLinearizationError
from chetaev.equations.law.setup import Setup, fresh_names
from chetaev.expr.exact import Element, Field, GivenUp, ask
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.graph.node import Expr, substitute, symbol
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.system import System

Rows = list[list[Element]]


class ExactSlopes:
    """K = ∂r/∂(a, μ), r at a = μ = 0, J = ∂r/∂(q, v), G = ∂(φ, f)/∂(q, v) as graphs; then at states."""

    def __init__(self, system: System) -> None:
        s = Setup(system)
        rows = kept_rows(system, s.k)
        C, c = s.rows.C[rows, :], s.rows.c[rows]
        held, f = (x[[i for i in rows if i < x.numel()]] for x in (s.phi, s.f))
        names = fresh_names(system, len(rows))
        self.unknowns = [(x, 2) for x in system.coordinates] + [(n, 0) for n in names]
        mu = s.column([symbol(n) for n in names])
        M, h = s.inertia
        r = casadi.vertcat(M @ s.a + h - s.F - C.T @ mu, C @ s.a + c)
        z, x = casadi.vertcat(s.a, mu), casadi.vertcat(s.q, s.v)
        still = casadi.substitute(r, z, casadi.SX.zeros(z.numel()))
        both = casadi.vertcat(held, f)
        self.system, self.size = system, s.m
        self.K, self.rest, self.J, self.G, self.held = s.matrices(
            casadi.jacobian(r, z), still, casadi.jacobian(r, x), casadi.jacobian(both, x), both
        )

    def at(self, field: Field, view: Standpoint, state: Mapping[tuple[str, int], Expr]) -> ExactPoint:
        """The derivatives at a state, elements of a field."""
        values = {symbol(*k): e for k, e in state.items()}

        def here(table: list[list[Expr]]) -> Rows:
            flat = substitute(view.apply([e for row in table for e in row]), values)
            found = iter([field(e) for e in flat])
            return [[next(found) for _ in row] for row in table]

        K, rest = here(self.K), here(self.rest)
        try:
            z = linear.solve(K, [-row[0] for row in rest]) if K else []
        except SingularSystemError:  # doubles need not see it: sin(pi) is 1.2e-16 there
            raise NoLinearizationError(SINGULAR, remedy=ELSEWHERE) from None
        solved = dict(zip(self.unknowns, z, strict=True))
        J = [[e.subs(solved) if e.symbols & set(solved) else e for e in row] for row in here(self.J)]
        columns = [[-row[j] for row in J] for j in range(2 * self.size)]
        slopes = linear.solve_columns(K, columns) if K else []
        by_state = [[column[i] for column in slopes] for i in range(self.size)]
        return ExactPoint(field, self.size, z[: self.size], by_state, here(self.G), K)


class ExactPoint:
    """Accelerations, their derivatives by (q, v), G = ∂(φ, f)/∂(q, v) and K at one state."""

    def __init__(
        self, field: Field, size: int, a: list[Element], by_state: Rows, held: Rows, K: Rows
    ) -> None:
        self.field, self.size, self.a, self.by_state, self.held = field, size, a, by_state, held
        self.K = K

    def on(self, chart: LocalChart) -> Rows:
        """A = P [[0, 1], [a_q, a_v]] E in a chart of Q."""
        E = self.tangent(chart)
        m = self.size
        zero, one = self.field.zero, self.field.one
        rows: Rows = []
        for place in chart.places:
            if place < m:
                full = [one if j == m + place else zero for j in range(2 * m)]
            else:
                full = self.by_state[place - m]
            rows.append([dot(full, column) for column in E])
        return rows

    def tangent(self, chart: LocalChart) -> Rows:
        """The columns of E, δ(q, v) = E δy."""
        zero, one = self.field.zero, self.field.one
        places, dependent = chart.places, chart.dependent
        solved: Rows = [[] for _ in places]
        if dependent:
            matrix = [[row[j] for j in dependent] for row in self.held]
            solved = linear.solve_columns(matrix, [[-row[j] for row in self.held] for j in places])
        E = []
        for place, values in zip(places, solved, strict=True):
            column = [zero] * (2 * self.size)
            column[place] = one
            for j, e in zip(dependent, values, strict=True):
                column[j] = e
            E.append(column)
        return E


def is_singular(system: System, state: Mapping[tuple[str, int], Expr], effort: int) -> bool | None:
    """Whether exact numbers show that the law is singular, or has no value, at a state; None: not decided."""
    try:
        found = ask(ExactSlopes(system).at, modest(effort), standpoints(system)[-1], state)
    except NoLinearizationError:
        return True
    return (found.undefined or None) if isinstance(found, GivenUp) else False
