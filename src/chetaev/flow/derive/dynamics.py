"""From L, F and the constraints to accelerations, by automatic differentiation and elimination on the fibre.

    p = ∂L/∂v      M w = (∂p/∂v) w      h = (∂p/∂q) v + ∂p/∂t − ∂L/∂q − F      C = ∂f/∂v      c = f_q v + f_t
    M a + h = Cᵀμ      C a + c = 0

Null-space form (DESIGN, "One idea"): a chart gives C_D invertible, then S = [1; −C_D⁻¹C_S] spans ker C,
a_p = [0; −C_D⁻¹c], and (SᵀMS) z = −Sᵀ(h + M a_p), a = a_p + S z. M itself is never formed where few
velocities are free: M S and M a_p are Hessian-vector products, so M may be singular or indefinite as long as
the reduced matrix is regular. A position constraint enters through f = dφ/dt, an acceleration constraint
α = C a + c directly, its reaction along the rows of C (Lewis 1997; L9).

Everything here is CasADi's scalar graph; nothing is simplified or expanded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi

from chetaev.expr.graph.engine import Engine, fabs, fmax, fmin, minus, over, times
from chetaev.expr.graph.node import Expr, symbol
from chetaev.flow.derive.chart import CERTAIN, WEAK, PivotChart
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.model.dynamics.any_dynamics import JetNodes

SX = Any
Row = dict[int, SX]
ONE = casadi.SX(1)


def dense(x: SX) -> SX:
    """The same matrix without structural zeros; CasADi takes its time to find that there are none."""
    return x if x.is_dense() else casadi.densify(x)


@dataclass(frozen=True)
class Arguments:
    """The arguments of every compiled function: t, q, v, and parameters followed by modes."""

    t: SX
    q: SX
    v: SX
    p: SX

    def list(self) -> list[SX]:
        """In the order in which compiled functions take them."""
        return [self.t, self.q, self.v, self.p]


class DerivedDynamics:
    """The derived functions of one model as CasADi expressions."""

    def __init__(self, model: Ingredients) -> None:
        self.model = model
        self.engine = engine = Engine()
        names = [*model.parameters, *model.modes]
        self.q_symbols, self.v_symbols = model.symbols(0), model.symbols(1)
        at = JetNodes(engine, symbol(model.time), self.q_symbols, self.v_symbols)
        t, q, v = at.t, at.q, at.v
        self.arguments = Arguments(t, q, v, engine.column([symbol(name) for name in names]))
        self._tq, self._rate = at.motion
        self._law(at)
        rows = model.on(engine, at)
        self.phi, self.f, self.matrix, self.rest = rows.phi, rows.f, rows.C, dense(rows.c)

    def _law(self, at: JetNodes) -> None:
        """h − F and what gives M: momenta where there are any, else M itself."""
        dynamics = self.model.dynamics
        form, forces = dynamics.fundamental(at), dynamics.applied(at)
        self.momentum = self._mass = self._rest = self.push = None
        if form is None:
            self._mass, h = dynamics.inertia(at)
            self._rest = casadi.densify(h - forces)
        else:
            self.momentum = dense(form[1])
            self.applied = forces
            self.push = form[0] + forces
        L, H = dynamics.lagrangian, dynamics.hamiltonian
        v = self.arguments.v
        if L is not None:
            self.energy = casadi.dot(v, self.momentum) - self.engine(L)
        else:  # a system without energy shows none
            self.energy = casadi.SX(0) if H is None else self.engine(H)

    @cached_property
    def h(self) -> SX:
        """h − F; most programs take it together with M a, see `inertia`."""
        if self.momentum is None:
            return self._rest
        return casadi.jtimes(self.momentum, self._tq, self._rate) - self.push

    def expressions(self, exprs: Sequence[Expr]) -> SX:
        """Further expressions of the model language, as a column."""
        return dense(self.engine.column(exprs))

    def inertia(self, a: SX) -> SX:
        """M a + h in one sweep: dp/dt along (v, a), minus ∂L/∂q and F."""
        if self.momentum is None:
            return casadi.mtimes(self._mass, a) + self.h
        return casadi.jtimes(self.momentum, self._jet, casadi.vertcat(self._rate, a)) - self.push

    @cached_property
    def _jet(self) -> SX:
        return casadi.vertcat(self._tq, self.arguments.v)

    def mass_times(self, columns: SX) -> SX:
        """M times some columns, without M if there are momenta."""
        if self.momentum is None:
            return casadi.mtimes(self._mass, columns)
        return casadi.jtimes(self.momentum, self.arguments.v, columns)

    def mass(self) -> SX:
        """M, for the safe form and for checks.

        Made anew each time: of one node, CasADi would take |x|/|x| for 1, which `trust` wants to be nan.
        """
        if self.momentum is None:
            return self._mass
        return casadi.jacobian(self.momentum, self.arguments.v)


@dataclass(frozen=True)
class Elimination:
    """The null-space form in one chart, before the reduced equations are solved."""

    dynamics: DerivedDynamics
    chart: PivotChart
    # basis, particular: S, shape (n, k), and a_p
    basis: SX
    particular: SX
    # reduced, right: SᵀMS (its lower half where M is symmetric) and −Sᵀ(h + M a_p)
    reduced: list[list[SX]]
    right: list[SX]
    pivots: list[SX]  # the pivots of C_D, one for each row of the chart
    margin: SX  # negative where a pivot is weak against its row, or against its column in rows left out
    # pairs (x, y) of sizes; where |x| is a small part of |y|, x is left over from y by cancellation, so that
    # the constraints are dependent or the reduced matrix singular, or nearly so
    trust: list[tuple[SX, SX]]
    _upper: list[Row]
    _lower: list[Row]

    @cached_property
    def solved(self) -> tuple[list[SX], list[SX]]:
        """The free accelerations z, and the pivots of the reduced matrix."""
        return solve_reduced(self)

    def accelerations(self, free: Sequence[SX]) -> SX:
        """a = a_p + S z."""
        if not free:
            return self.particular
        return self.particular + casadi.mtimes(self.basis, casadi.vertcat(*free))

    def multipliers(self, a: SX) -> SX:
        """μ from the dependent rows of M a + h = Cᵀμ, by the transposed factors; 0 for rows left out."""
        dynamics, chart = self.dynamics, self.chart
        force = dense(dynamics.inertia(a)).elements()
        m = len(chart.rows)
        y: list[SX] = []
        for k in range(m):  # Uᵀ y = force_D
            s = force[chart.dependent[k]]
            for i in range(k):
                u = self._upper[i].get(chart.dependent[k])
                if u is not None:
                    s = minus(s, times(u, y[i]))
            y.append(over(s, self.pivots[k]))
        for k in reversed(range(m)):  # Lᵀ μ = y
            for i in range(k + 1, m):
                factor = self._lower[i].get(k)
                if factor is not None:
                    y[k] = minus(y[k], times(factor, y[i]))
        mu = casadi.SX.zeros(dynamics.model.rows, 1)
        for k, row in enumerate(chart.rows):
            mu[row] = y[k]
        return mu


def _sparse_rows(matrix: SX, rest: SX) -> list[Row]:
    """The rows of [C | c] as dictionaries of entries that are not structurally zero."""
    m, n = matrix.shape
    rows: list[Row] = [{} for _ in range(m)]
    places = matrix.sparsity().get_triplet()
    for i, j, entry in zip(*places, matrix.nonzeros(), strict=True):
        if not entry.is_zero():
            rows[i][j] = entry
    for i, entry in enumerate(rest.elements()):
        if not entry.is_zero():
            rows[i][n] = entry
    return rows


def eliminate(dynamics: DerivedDynamics, chart: PivotChart) -> Elimination:
    """Carry out the elimination of the dependent velocities in a chart."""
    n, m = dynamics.model.size, len(chart.rows)
    source = _sparse_rows(dynamics.matrix, dynamics.rest)
    left_out = chart.left_out(dynamics.model.rows)
    upper = [dict(source[r]) for r in (*chart.rows, *left_out)]
    lower: list[Row] = [{} for _ in upper]
    inverse: list[SX] = []
    weak: list[tuple[SX, SX]] = []
    for k, column in enumerate(chart.dependent):
        pivot = upper[k].setdefault(column, casadi.SX(0))
        inverse.append(over(ONE, pivot))
        for i in range(k + 1, len(upper)):
            entry = upper[i].pop(column, None)
            if entry is None:
                continue
            if i >= m:
                weak.append((pivot, entry))
            lower[i][k] = factor = times(entry, inverse[k])
            for j, value in upper[k].items():
                if j != column:
                    old = upper[i].get(j)
                    new = times(factor, value)
                    upper[i][j] = -new if old is None else minus(old, new)
    upper = upper[:m]
    margin = _margin(upper, chart, n)
    for pivot, entry in weak:
        margin = fmin(margin, fabs(pivot) / WEAK - fabs(entry))
    columns = [_back(upper, inverse, chart, j) for j in (*chart.free, n)]
    basis = casadi.SX(n, len(chart.free))
    for s, j in enumerate(chart.free):
        basis[j, s] = 1
        for k, value in columns[s].items():
            basis[chart.dependent[k], s] = -value
    particular = casadi.SX.zeros(n, 1)
    for k, value in columns[-1].items():
        particular[chart.dependent[k]] = -value
    reduced, right = _reduce(dynamics, basis, particular)
    pivots = [upper[k][column] for k, column in enumerate(chart.dependent)]
    trust = [
        (times(pivots[k], chart.scale[chart.dependent[k]]), times(entry, chart.scale[j]))
        for k, row in enumerate(chart.rows)
        if lower[k]
        for j, entry in source[row].items()
        if j != n
    ]
    return Elimination(
        dynamics, chart, basis, particular, reduced, right, pivots, margin, trust, upper, lower
    )


def _back(upper: list[Row], inverse: list[SX], chart: PivotChart, j: int) -> Row:
    """Solve U x = column j of the eliminated rows."""
    x: Row = {}
    for k in reversed(range(len(upper))):
        s = upper[k].get(j)
        for i in range(k + 1, len(upper)):
            u = upper[k].get(chart.dependent[i])
            if u is not None and i in x:
                known = times(u, x[i])
                s = -known if s is None else minus(s, known)
        if s is not None:
            x[k] = times(s, inverse[k])
    return x


def _margin(upper: list[Row], chart: PivotChart, n: int) -> SX:
    """The smallest over the rows of |pivot| − WEAK·|largest entry|, columns scaled."""
    margin: SX = casadi.SX(1)
    for k, column in enumerate(chart.dependent):
        row = upper[k]
        pivot = times(fabs(row[column]), chart.scale[column] / WEAK)
        for j, entry in row.items():
            if j not in (column, n):
                margin = fmin(margin, minus(pivot, times(fabs(entry), chart.scale[j])))
    return margin


def _reduce(dynamics: DerivedDynamics, basis: SX, particular: SX) -> tuple[list[list[SX]], list[SX]]:
    n, k = basis.shape
    if k == 0:
        return [], []
    many = 2 * k > n  # then forming M, which is sparse, costs less than so many products
    image = casadi.mtimes(dynamics.mass(), basis) if many else dynamics.mass_times(dense(basis))
    load = dynamics.inertia(particular)
    transposed = basis.T
    matrix = casadi.mtimes(transposed, image)
    right = -casadi.mtimes(transposed, load)
    symmetric = dynamics.model.symmetric
    rows = [[matrix[i, j] for j in range(i + 1 if symmetric else k)] for i in range(k)]
    return rows, dense(right).elements()


def diagonal_sizes(dynamics: DerivedDynamics, basis: SX) -> list[SX]:
    """Σ_i |M_ii| S_ij² for each column of S: about what cancels in (SᵀMS)_jj where M is semidefinite."""
    if not basis.shape[1]:
        return []
    masses = casadi.fabs(casadi.densify(casadi.diag(dynamics.mass())))
    squares = casadi.SX(basis.sparsity(), casadi.vertcat(*(times(x, x) for x in basis.nonzeros())))
    return casadi.densify(casadi.mtimes(squares.T, masses)).elements()  # type: ignore[no-any-return]


def solve_reduced(elimination: Elimination) -> tuple[list[SX], list[SX]]:
    """The free accelerations z, and the pivots of the reduced matrix."""
    if elimination.dynamics.model.symmetric:
        return solve_definite(elimination.reduced, elimination.right)
    return solve_orthogonally(elimination.reduced, elimination.right)


def solve_orthogonally(matrix: list[list[SX]], right: list[SX]) -> tuple[list[SX], list[SX]]:
    """Solve any regular system by Q R with modified Gram–Schmidt, unrolled. Returns z and the diagonal of R.

    No pivot has to be chosen, so that the same instructions serve all states.
    """
    k = len(right)
    columns = [casadi.vertcat(*(casadi.densify(row[j]) for row in matrix)) for j in range(k)]
    rest, upper = casadi.vertcat(*right) if k else casadi.SX(0, 1), [[casadi.SX(0)] * k for _ in range(k)]
    y: list[SX] = []
    for j in range(k):
        upper[j][j] = casadi.norm_2(columns[j])
        unit = columns[j] / upper[j][j]
        for i in range(j + 1, k):
            upper[j][i] = casadi.dot(unit, columns[i])
            columns[i] = columns[i] - upper[j][i] * unit
        y.append(casadi.dot(unit, rest))
        rest = rest - y[j] * unit
    z: list[SX] = [casadi.SX(0)] * k
    for j in reversed(range(k)):
        z[j] = (y[j] - sum((upper[j][i] * z[i] for i in range(j + 1, k)), casadi.SX(0))) / upper[j][j]
    return z, [upper[j][j] for j in range(k)]


def solve_definite(reduced: list[list[SX]], right: list[SX]) -> tuple[list[SX], list[SX]]:
    """Solve a symmetric system by L D Lᵀ, unrolled; stable for definite matrices. Returns z and D."""
    k = len(right)
    factor: list[Row] = [{} for _ in range(k)]
    diagonal: list[SX] = []
    inverse: list[SX] = []
    for j in range(k):
        d = reduced[j][j]
        weighted = {i: times(value, diagonal[i]) for i, value in factor[j].items()}
        for i, value in weighted.items():
            d = minus(d, times(value, factor[j][i]))
        diagonal.append(d)
        inverse.append(over(ONE, d))
        for i in range(j + 1, k):
            s = reduced[i][j]
            for c, value in weighted.items():
                if c in factor[i]:
                    s = minus(s, times(factor[i][c], value))
            if not s.is_zero():
                factor[i][j] = times(s, inverse[j])
    y = list(right)
    for i in range(k):
        for j, value in factor[i].items():
            y[i] = minus(y[i], times(value, y[j]))
    z = [times(value, inverse[i]) for i, value in enumerate(y)]
    for i in reversed(range(k)):
        for j, value in factor[i].items():
            z[j] = minus(z[j], times(value, z[i]))
    return z, diagonal


def certain_margin(elimination: Elimination, diagonal: list[SX]) -> SX:
    """Negative where the elimination is in doubt: a weak chart, an indefinite matrix, or cancellation.

    Unpivoted elimination is stable for definite matrices only; what is left of less than `CERTAIN` of the
    terms that cancel in it has lost so many digits that the law may be singular.
    """
    margin = elimination.margin
    for left, of in elimination.trust:
        margin = fmin(margin, fabs(left) - CERTAIN * fabs(of))
    sizes = diagonal_sizes(elimination.dynamics, elimination.basis)
    for entry, size in zip(diagonal, sizes, strict=True):
        margin = fmin(margin, entry * diagonal[0] - CERTAIN * size * fabs(diagonal[0]))
    return margin


def trust(elimination: Elimination, diagonal: list[SX]) -> SX:
    """The smallest part that cancellation leaves of a pivot, from 1 down to rounding error."""
    least: SX = casadi.SX(1)
    for left, of in elimination.trust:
        least = fmin(least, over(fabs(left), fmax(fabs(of), fabs(left))))
    for entry, size in zip(diagonal, diagonal_sizes(elimination.dynamics, elimination.basis), strict=True):
        least = fmin(least, over(fabs(entry), size))
    return least
