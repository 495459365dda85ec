"""The equations of rest, and of steady motions, as functions of the unknowns.

At rest (v = 0, a = 0) the law M a + h − F = Cᵀμ says that h − F lies in the span of the rows of C: all
minors of order k + 1 of the matrix (h − F | Cᵀ) vanish, whatever chart one takes. Besides, φ = 0, f = 0 and
c = 0 must hold there. With many minors, μ are unknowns instead.

In a steady motion the velocities w of the cyclic coordinates are constant, too. In a chart with dependent
velocities D, v and a follow from f = 0 and C a + c = 0 with v_S = (0, w), a_S = 0, and what is left is

    Wᵀ(M a + h − F) = 0,   W = (1, −C_D⁻¹ C_S),   and v_i = 0 for the others in D.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

import casadi

from chetaev.analysis.linear.exact_state import modest
from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.redundant_rows import kept_rows
from chetaev.effort import EFFORT
from chetaev.equations.law.setup import Setup, fresh_names
from chetaev.errors import DivisionByZeroError, ModelError
from chetaev.expr.exact import Element, Field, GivenUp, ask
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import (
    ONE,
    ZERO,
    Expr,
    add,
    mul,
    neg,
    postorder,
    sub,
    substitute,
    symbol,
    symbols,
)
from chetaev.laws.standpoint import Standpoint
from chetaev.model.system import System

Name = tuple[str, int]
MOST_MINORS = 120


def in_span(
    field: Field, load: Sequence[Element], C: Sequence[Sequence[Element]], multipliers: Sequence[Name]
) -> tuple[list[Element], list[Name]]:
    """What vanishes where a force lies in the span of the rows of C, and multipliers that are unknowns."""
    n, k = len(load), len(C)
    if comb(n, k + 1) > MOST_MINORS:
        pulled = list(load)
        for row, name in zip(C, multipliers, strict=True):
            pulled = [e - x * field.symbol(*name) for e, x in zip(pulled, row, strict=True)]
        return pulled, list(multipliers)
    choices = [c for c in combinations(range(n), k + 1) if not all(load[i].is_blank for i in c)]
    return [linear.determinant([[load[i], *(row[i] for row in C)] for i in c]) for c in choices], []


def _jumps(load: Sequence[Expr], still: dict[Expr, Expr]) -> bool:
    """Whether the sign of something that vanishes with the velocities remains in a load at rest."""
    signs = [n for n in postorder(*load) if n.op == "sign" and any(order for _, order in symbols(n))]
    field = modest(EFFORT)

    def jumps() -> bool:
        inside = substitute([n.args[0] for n in signs], still)
        here = [n for n, e in zip(signs, inside, strict=True) if field(e).is_zero]
        sides = [substitute(load, {**still, **dict.fromkeys(here, side)}) for side in (ONE, neg(ONE))]
        return bool(here) and any(not field(sub(a, b)).is_zero for a, b in zip(*sides, strict=True))

    found = ask(jumps)
    if isinstance(found, GivenUp):
        return not found.undefined  # that there is no value at rest is said elsewhere
    return found


class Rest:
    """h − F, C and what else must vanish at rest, as graphs in the coordinates alone."""

    def __init__(self, system: System) -> None:
        s = Setup(system)
        rows = kept_rows(system, s.k)
        _, h = s.inertia
        load, C, held = s.matrices(h - s.F, s.rows.C[rows, :], casadi.vertcat(s.phi, s.f, s.rows.c))
        still = {symbol(c, 1): ZERO for c in system.coordinates}
        self.system, self.count = system, len(rows)
        self.jumps = _jumps([row[0] for row in load], still)
        """Whether a force jumps at rest, as dry friction does, and may hold states that are not found."""
        try:
            self.load = substitute([row[0] for row in load], still)
            self.C = [substitute(row, still) for row in C]
            self.held = substitute([row[0] for row in held], still)
        except DivisionByZeroError:
            raise ModelError(
                "the law has no finite value at rest: something is divided by 0 there",
                remedy="a steady motion may exist: ch.relative_equilibria(system, symmetries=[…])",
            ) from None
        self.multipliers = fresh_names(system, len(rows))

    def equations(self, field: Field, view: Standpoint) -> tuple[list[Element], list[Name]]:
        """The functions that vanish exactly at equilibria, and multipliers that are unknowns there."""
        load = [field(e) for e in view.apply(self.load)]
        C = [[field(e) for e in view.apply(row)] for row in self.C]
        held = [field(e) for e in view.apply(self.held)]
        k = self.count
        if k and linear.rank(C) < k:
            raise ModelError(
                "at rest the constraints are singular: C = ∂f/∂v has not its full rank at v = 0, so that "
                "accelerations are not determined there",
                remedy="ask for steady motions with ch.relative_equilibria",
            )
        functions, unknowns = in_span(field, load, C, [(m, 0) for m in self.multipliers])
        return functions + held, unknowns

    def functions(self, view: Standpoint) -> tuple[list[Expr], list[Name]]:
        """load − Cᵀμ and the conditions of the constraints, and all unknowns, for a search in numbers."""
        loads = []
        for i, e in enumerate(self.load):
            pull = [
                neg(mul(row[i], symbol(m)))
                for row, m in zip(self.C, self.multipliers, strict=True)
                if row[i] is not ZERO
            ]
            loads.append(add(e, *pull) if pull else e)
        held = [e for e in view.apply(self.held) if e is not ZERO]
        unknowns = [(c, 0) for c in self.system.coordinates] + [(m, 0) for m in self.multipliers]
        return view.apply(loads) + held, unknowns


class Steady:
    """The equations of steady motions in a chart; coordinates that are cyclic are set to their values."""

    def __init__(self, system: System, chart: LocalChart, cyclic: Sequence[str]) -> None:
        s = Setup(system)
        rows = kept_rows(system, s.k)
        M, h = s.inertia
        f = s.f[[i for i in rows if i < s.f.numel()]]
        parts = (M, h - s.F, s.rows.C[rows, :], s.rows.c[rows], f, s.phi)
        self.M, self.load, self.C, self.c, self.f, self.phi = s.matrices(*parts)
        self.system, self.chart, self.cyclic = system, chart, tuple(cyclic)

    def where_the_chart_ends(
        self, field: Field, view: Standpoint, known: Mapping[Name, Expr]
    ) -> tuple[list[Element], list[Name]]:
        """What vanishes at states that could move steadily and at which det C_D = 0, and the unknowns."""
        names = self.system.coordinates
        still = {symbol(c, 1): ZERO for c in names if c not in self.cyclic}
        here = {symbol(*k): e for k, e in known.items()} | still
        unknowns = [(c, int(c in self.cyclic)) for c in names]

        def at(row: Sequence[Expr]) -> list[Element]:
            return [field(e) for e in substitute(view.apply(row), here)]

        pivot = linear.determinant([at([row[j] for j in self.chart.dependent_velocities]) for row in self.C])
        held = [e for row in (*self.f, *self.phi) for e in at(row)]
        return [pivot, *held], [k for k in unknowns if symbol(*k) not in here]

    def equations(
        self, field: Field, view: Standpoint, known: Mapping[Name, Expr]
    ) -> tuple[list[Element], dict[Name, Element]]:
        """What vanishes, and the velocities of the dependent coordinates; `known` are given values.

        Where the constraints are not affine in them, these are unknowns: symbols, with f = 0 beside the rest.
        """
        names, chart = self.system.coordinates, self.chart
        still = {
            symbol(c, 1): ZERO for i, c in enumerate(names) if c not in self.cyclic and i in chart.velocities
        }
        values = {symbol(*k): e for k, e in known.items() if not (k[1] and self._is_dependent(k[0]))} | still

        def here(table: list[list[Expr]]) -> list[list[Element]]:
            flat = iter([field(e) for e in substitute(view.apply([e for r in table for e in r]), values)])
            return [[next(flat) for _ in r] for r in table]

        D, S = list(chart.dependent_velocities), list(chart.velocities)
        dependent = [(names[i], 1) for i in D]
        f = [row[0] for row in here(self.f)]
        slopes = [[e.diff(v) for v in dependent] for e in f]
        affine = not any(e.symbols & set(dependent) for row in slopes for e in row)
        if affine:
            rest = dict.fromkeys(dependent, field.zero)
            solved = linear.solve(slopes, [-e.subs(rest) for e in f]) if D else []
        else:  # dependent velocities are unknowns, too
            solved = [field.symbol(*x) for x in dependent]
        v = dict(zip(dependent, solved, strict=True))

        def on_q(table: list[list[Expr]]) -> list[list[Element]]:
            return [[e.subs(v) if v else e for e in row] for row in here(table)]

        M, load, C, c = on_q(self.M), on_q(self.load), on_q(self.C), on_q(self.c)
        a = [field.zero] * len(names)
        slope: list[list[Element]] = [[] for _ in S]
        if D:
            C_D = [[row[j] for j in D] for row in C]
            columns = [[-row[j] for row in C] for j in S] + [[-row[0] for row in c]]
            *slope, particular = linear.solve_columns(C_D, columns)
            for j, e in zip(D, particular, strict=True):
                a[j] = e
        force = [linear.dot(row, a) + push for row, (push,) in zip(M, load, strict=True)]
        pulls = [force[d] for d in D]
        found = [force[j] + linear.dot(e, pulls) if D else force[j] for j, e in zip(S, slope, strict=True)]
        found += [] if affine else f
        found += [v[x] for x in dependent if x[0] not in self.cyclic]
        found += [row[0] for row in on_q(self.phi)]
        found += [v[k] - field(given) for k, given in known.items() if k in v]
        return found, v

    def _is_dependent(self, name: str) -> bool:
        return self.system.coordinates.index(name) in self.chart.dependent_velocities
