"""The ingredients every derivation starts from: L, F, f as engine nodes, and derivations on J¹Y.

Nothing here is an equation of motion. A formulation takes L, the force and the constraint functions from a
:class:`Setup`, differentiates, and states its own law; the formulations share no results (DESIGN, "One
idea").

For a function on J¹Y: ``along(f)`` is the cut total derivative d'f/dt = ∂f/∂t + v·∂f/∂q (Krupková (18)). A
chart is a choice of k dependent velocities D with C_D = ∂f/∂v^D invertible; the derivations of functions on
Q = {f = 0}, written in ambient coordinates, follow from the implicit function theorem, so that no closed
normal form is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from chetaev.errors import ModelError
from chetaev.expr.exact import answer, ask
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.evaluate import evaluate, evaluate_mp, keeps_digits
from chetaev.expr.graph.node import Expr
from chetaev.model.jet_functions import fresh_names as fresh_names
from chetaev.model.states.points import precise_samples, sample_point
from chetaev.model.states.stack_of_constraints import Stack
from chetaev.model.system import System
from chetaev.numeric import (
    GOOD,
    ROUNDING,
    SOLVED,
    balanced,
    first_largest,
    is_regular,
    numerical_rank,
    pivot_columns,
)

Around = Mapping[Any, Any] | None
"""The point of Q, with 50 digits, at which a derivation chooses its pivots, and so its chart; None: any."""


class Setup(Calculus):
    """A system as engine nodes, in the chart around a point.

    `further` names states beyond (t, q, v), such as vakonomic multipliers.
    """

    def __init__(self, system: System, further: Sequence[str] = (), chart: Around = None) -> None:
        super().__init__()
        self.system = system
        self.place = chart
        self.further = {name: float(Fraction(2 * i + 3, 4)) for i, name in enumerate(further)}
        self.m = len(system.coordinates)
        self.time = graph.symbol(system.time)
        self.coordinates = [graph.symbol(c) for c in system.coordinates]
        self.velocities = [graph.symbol(c, 1) for c in system.coordinates]
        self.accelerations = [graph.symbol(c, 2) for c in system.coordinates]
        self.t = self(self.time)
        self.q, self.v = self.column(self.coordinates), self.column(self.velocities)
        self.a = self.column(self.accelerations)
        self.F = system.dynamics.applied(self)
        stack = Stack.of_constraints(system)
        self.rows = stack.on(self, self)
        self.phi, self.f, self.alpha = self.rows.phi, self.rows.f, self.rows.alpha
        self.k = stack.rows

    @cached_property
    def L(self) -> SX:
        """The Lagrangian; a ModelError where there is none."""
        return self(self.system.lagrangian)

    @cached_property
    def fundamental(self) -> tuple[SX, SX]:
        """(∂L/∂q, ∂L/∂v), or the components (force, Π) of the φ that is given; a ModelError without φ."""
        if self.system.dynamics.lagrangian is not None:
            return casadi.gradient(self.L, self.q), casadi.gradient(self.L, self.v)
        form = self.system.dynamics.fundamental(self)
        if form is None:
            raise ModelError(
                self.system.dynamics.lacks("momenta and no forces of constraint"),
                remedy="use form='reduced' or 'reduced-lepage'",
            )
        return form

    @property
    def push(self) -> SX:
        """∂L/∂q, or what stands in its place: applied forces F are not part of it."""
        return self.fundamental[0]

    @property
    def Pi(self) -> SX:
        """The momenta Π = ∂L/∂v, or those of the φ that is given."""
        return self.fundamental[1]

    @cached_property
    def inertia(self) -> tuple[SX, SX]:
        """M and h of M a + h = F + μ_a ∂f^a/∂v, whatever the dynamics is given by."""
        if not self.system.dynamics.constraints_react:
            return self.system.dynamics.inertia(self)
        return self.by_v(self.Pi), self.along(self.Pi) - self.push

    # --- derivations on J¹Y -----------------------------------------------------------------------

    def along(self, column: SX) -> SX:
        """The cut total derivative d'/dt of functions of t, q (and v, kept fixed)."""
        return casadi.jtimes(column, casadi.vertcat(self.t, self.q), casadi.vertcat(1, self.v))

    def by_v(self, column: SX) -> SX:
        """∂/∂v as a matrix, one row a function."""
        return casadi.jacobian(column, self.v)

    def by_q(self, column: SX) -> SX:
        """∂/∂q as a matrix, one row a function."""
        return casadi.jacobian(column, self.q)

    def by_t(self, column: SX) -> SX:
        """∂/∂t of functions."""
        return casadi.jacobian(column, self.t)

    # --- numbers ----------------------------------------------------------------------------------

    @cached_property
    def sample(self) -> Mapping[Any, float]:
        """A generic point of Q, for choices of pivots."""
        here = self.place
        values = sample_point(self.system) if here is None else {k: float(x) for k, x in here.items()}
        return {**values, **self.further}

    def number(self, matrix: SX) -> np.ndarray[Any, Any]:
        """The value of a matrix at the sample point; what is rounding error of a zero is 0."""
        return self.numbers([e for row in self.matrix(matrix) for e in row]).reshape(matrix.shape)

    def numbers(self, flat: list[Expr]) -> np.ndarray[Any, Any]:
        """The same for a list of graphs."""
        values = self._precise_values(flat)
        if values is None:
            values = evaluate(flat, {k: float(x) for k, x in self.sample.items()})
        return np.array(values, dtype=float)

    def _precise_values(self, flat: list[Expr]) -> list[float] | None:
        """Values that keep their leading digits when the precision changes; None where they have none."""

        def told() -> list[float] | None:
            samples, digits = precise_samples(self.system), (40, 70)
            if self.place is not None:
                samples, digits = (dict(self.place), dict(self.place)), (30, 45)
            if samples is None:
                return None
            rough, fine = (
                evaluate_mp(flat, {**p, **self.further}, d) for p, d in zip(samples, digits, strict=True)
            )
            return [float(y) if keeps_digits(x, y) else 0.0 for x, y in zip(rough, fine, strict=True)]

        values = answer(ask(told))
        return values if values is not None and np.isfinite(values).all() else None

    # --- charts of Q ------------------------------------------------------------------------------

    @cached_property
    def dependent(self) -> list[int]:
        """k coordinates whose velocities are solved from the constraints: a chart that is regular at the
        initial state, where there is one, else the best pivots at the sample point.
        """
        C = self.number(self.by_v(self.f))
        chosen = self._regular_at_start(C) or _best_columns(C) or _best_columns(balanced(C))
        if len(chosen) < C.shape[0]:
            raise ModelError(
                "the constraints are dependent: the rank of ∂f/∂v is below their number on all of Q",
                remedy="remove redundant constraints; form='gauss' accepts them as they are",
            )
        return sorted(chosen)

    def _regular_at_start(self, C: np.ndarray[Any, Any]) -> list[int]:
        """Velocities with good pivots at the start: some with constant coefficients, which are a chart
        of all of Q, or the best of the sample point, or any; none if the constraints are singular there.
        """
        k = C.shape[0]
        if self.place is not None or not k:
            return []
        entries = self.matrix(self.by_v(self.f))
        here = C
        try:
            start = self.start
        except ModelError:  # there is no initial state
            pass
        else:
            here = np.array(evaluate([e for row in entries for e in row], start), dtype=float)
        if not np.isfinite(here).all():
            return []
        here = balanced(here.reshape(C.shape))
        known = set(self.system.parameters)
        used = [{name for row in entries for name, _ in graph.symbols(row[j])} for j in range(self.m)]
        constant = [j for j in range(self.m) if used[j] <= known]
        for columns in (constant, _best_columns(C), range(self.m)):
            chosen = [columns[j] for j in pivot_columns(here[:, list(columns)], k, smallest=GOOD)]
            if len(chosen) == k and is_regular(C[:, chosen]):
                return chosen
        return []

    @cached_property
    def start(self) -> Mapping[Any, Any]:
        """The initial state and the parameters."""
        return self.system.values_of(self.system.state)

    @cached_property
    def independent(self) -> list[int]:
        """The other coordinates."""
        return [i for i in range(self.m) if i not in self.dependent]

    def lifted(self, slope: SX, rest: SX, independent: Sequence[int] | None = None) -> tuple[SX, SX]:
        """W and w of a = W a_S + w, where the dependent accelerations are a_D = slope · a_S + rest."""
        S = self.independent if independent is None else independent
        W, w = casadi.SX(self.m, len(S)), casadi.SX(self.m, 1)
        for row, i in enumerate(S):
            W[i, row] = 1
        for row, i in enumerate(i for i in range(self.m) if i not in S):
            W[i, :], w[i] = slope[row, :], rest[row]
        return W, w

    def solve(self, matrix: SX, right: SX) -> SX:
        """matrix⁻¹·right by Gaussian elimination with pivots chosen at the sample point; exact,
        unsimplified.
        """
        sample = self.number(matrix)
        if numerical_rank(sample) < len(sample):
            sample = balanced(sample)
        return eliminate(matrix, right, sample, self.quotient)


def _best_columns(C: np.ndarray[Any, Any]) -> list[int]:
    """As many independent columns as there are rows, largest first; none if there are not so many."""
    chosen = pivot_columns(C, C.shape[0], smallest=ROUNDING * np.abs(C).max(initial=0.0))
    return chosen if len(chosen) == C.shape[0] else []


def eliminate(matrix: SX, right: SX, sample: np.ndarray[Any, Any], quotient: Callable[[SX, SX], SX]) -> SX:
    """Solve a linear system whose entries are engine nodes.

    `matrix`, `right`: n×n and n×r; `sample`: the matrix at a generic point: pivots are the largest entries
    there, sparse rows first among equals; `quotient`: divides one entry by another.
    """
    n = matrix.shape[0]
    rows = [[matrix[i, j] for j in range(n)] + [right[i, j] for j in range(right.shape[1])] for i in range(n)]
    numbers = sample.astype(float).copy()
    order: list[tuple[int, int]] = []
    free_rows, free_columns = set(range(n)), set(range(n))
    for _ in range(n):
        block = {(i, j): abs(numbers[i, j]) for i in free_rows for j in free_columns}
        largest = max(block.values())
        if not largest > SOLVED * np.abs(sample).max():
            raise ModelError("a matrix of the derivation is singular at a generic point of Q")
        good = [ij for ij, x in block.items() if x >= GOOD * largest]
        fill = {ij: _fill(rows, ij, free_rows, free_columns) for ij in good}
        least = min(fill.values())
        sparse = [ij for ij in good if fill[ij] == least]
        i, j = sparse[first_largest(np.array([block[ij] for ij in sparse]))]
        order.append((i, j))
        free_rows.discard(i)
        free_columns.discard(j)
        for r in free_rows:
            if _is_zero(rows[r][j]):
                continue
            factor = quotient(rows[r][j], rows[i][j])
            for c in [*free_columns, *range(n, len(rows[r]))]:
                if not _is_zero(rows[i][c]):
                    rows[r][c] = rows[r][c] - factor * rows[i][c]
            numbers[r, :] -= numbers[r, j] / numbers[i, j] * numbers[i, :]
    solution = [[casadi.SX(0)] * right.shape[1] for _ in range(n)]
    for i, j in reversed(order):
        later = [c for r, c in order[order.index((i, j)) + 1 :] if not _is_zero(rows[i][c])]
        for r in range(right.shape[1]):
            value = rows[i][n + r]
            for c in later:
                value = value - rows[i][c] * solution[c][r]
            solution[j][r] = quotient(value, rows[i][j])
    return casadi.vertcat(*(casadi.horzcat(*row) for row in solution)) if right.shape[1] else casadi.SX(n, 0)


def _is_zero(entry: SX) -> bool:
    return bool(entry.nnz() == 0 or entry.is_zero())


def _fill(rows: list[list[SX]], pivot: tuple[int, int], free_rows: set[int], free_columns: set[int]) -> int:
    """Markowitz count: how many entries an elimination step may fill."""
    i, j = pivot
    across = sum(not _is_zero(rows[i][c]) for c in free_columns) - 1
    down = sum(not _is_zero(rows[r][j]) for r in free_rows) - 1
    return across * down


def names(symbols: Sequence[Expr]) -> tuple[str, ...]:
    """The symbols as text, for labels."""
    return tuple(str(s) for s in symbols)
