"""The motion near a relative equilibrium of a group, in the frame that moves with it (SCOPE M3, M6).

Along generators ξ_i, lifted to Q as Ξ_i = (ξ_i, (∂ξ_i/∂q) v), a relative equilibrium is a state at which the
motion X is a combination of the Ξ_i, X = Σ c_i Ξ_i. There X − Σ c_i Ξ_i vanishes, and its derivative

    A − Σ c_i ∂Ξ_i/∂y

takes directions along the group to such directions: these are left out with the eigenvalues of the group
itself. What is left is the motion of the shape: A on T Q / span Ξ. Its coordinates are those of the chart in
which the group does not move, up to the group: as many are left out as the Ξ_i have independent directions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.exact_slopes import ExactPoint, Rows
from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.residual import Residual
from chetaev.expr.exact import Element
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.graph.node import Expr
from chetaev.laws.standpoint import Standpoint
from chetaev.laws.symmetry.given_fields import Components
from chetaev.numeric import least_squares, numerical_rank, pivot_columns, solve, unit_rows

Array = NDArray[np.float64]


def lifted(residual: Residual, fields: Sequence[Components], q: Array, v: Array, p: Array) -> list[Array]:
    """Ξ_i and ∂Ξ_i/∂(q, v) at a state, side by side: shape (2m, 1 + 2m)."""
    engine, found = residual.dynamics.engine, []
    for one in fields:
        xi = casadi.densify(engine.column([e for _, e in one.along]))
        full = casadi.vertcat(xi, casadi.jtimes(xi, residual.q, residual.v))
        table = casadi.horzcat(full, casadi.jacobian(full, residual.state))
        function = casadi.Function("xi", residual.arguments, [casadi.densify(table)])
        found.append(np.array(function(0.0, q, v, p).full()))
    return found


@dataclass(frozen=True)
class MovingFrame:
    """The motion near a state, seen from a frame that moves along generators."""

    A: Array
    """The derivative of X − Σ c_i Ξ_i on the quotient by the group."""
    kept: list[int]
    out: list[int]
    """Coordinates of the chart that are coordinates of the quotient, and those that the group moves."""
    slope: Array
    """What does not change along the group is y_kept − slope·y_out."""
    rates: Array
    """The c_i."""
    drift: Array
    """X − Σ c_i Ξ_i in the kept coordinates: zero at a relative equilibrium."""
    directions: Array
    """The Ξ_i in the chart, as columns."""


def moving_frame(
    residual: Residual, fields: Sequence[Components], chart: LocalChart, E: Array, A: Array, drift: Array,
    q: Array, v: Array, p: Array,
) -> MovingFrame:  # fmt: skip
    """From A and X in a chart; the c_i are those of the shortest combination nearest to X."""
    tables = lifted(residual, fields, q, v, p)
    moved = np.array([t[chart.places, 0] for t in tables]).T
    c = least_squares(moved, drift)
    for rate, t in zip(c, tables, strict=True):
        A = A - rate * (t[chart.places, 1:] @ E)
    rank = numerical_rank(unit_rows(moved.T))
    W = moved[:, pivot_columns(moved, rank)]
    out = sorted(pivot_columns(W.T, rank))
    kept = [i for i in range(len(A)) if i not in out]
    slope = solve(W[out].T, W[kept].T).T
    quotient = A[np.ix_(kept, kept)] - slope @ A[np.ix_(out, kept)]
    left = drift - moved @ c
    return MovingFrame(quotient, kept, out, slope, c, left[kept] - slope @ left[out], moved)


def exact_frame(
    point: ExactPoint, view: Standpoint, state: Mapping[tuple[str, int], Expr], fields: Sequence[Components],
    chart: LocalChart, kept: Sequence[int], out: Sequence[int],
) -> tuple[Rows, list[Element]]:  # fmt: skip
    """The same matrix on the kept coordinates, and what is left of X there, in exact numbers.

    A SingularSystemError where the generators are not independent at the state.
    """
    field = point.field
    if not out:  # all generators vanish there, and the frame stands still
        A = point.on(chart)
        X = [*(field(state[n, 1]) for n, _ in fields[0].along), *point.a]
        return [[A[i][j] for j in kept] for i in kept], [X[chart.places[i]] for i in kept]
    if len(out) < len(fields):
        raise SingularSystemError("generators that are not independent")
    names = [n for n, _ in fields[0].along]
    at = {k: field(e) for k, e in state.items()}
    v = [at[n, 1] for n in names]
    X = [*v, *point.a]
    A, E = point.on(chart), point.tangent(chart)
    moved: Rows = []
    turned: list[Rows] = []
    for one in fields:
        xi = [field(e) for e in view.apply([e for _, e in one.along])]
        slopes = [[e.diff((n, 0)) for n in names] for e in xi]
        second = [
            [dot([e.diff((n, 0)).subs(at) for e in row], v) for n in names] for row in slopes
        ]  # ∂(ξ_q v)/∂q, since second derivatives commute
        flat = [[e.subs(at) for e in row] for row in slopes]
        full = [e.subs(at) for e in xi] + [dot(row, v) for row in flat]
        by_state = [[*row, *(field.zero for _ in names)] for row in flat]
        by_state += [[*a, *b] for a, b in zip(second, flat, strict=True)]
        moved.append([full[i] for i in chart.places])
        turned.append([[dot(by_state[i], column) for column in E] for i in chart.places])
    drift = [X[i] for i in chart.places]
    rates = linear.solve([[column[i] for column in moved] for i in out], [drift[i] for i in out])
    left = _left(drift, moved, rates)
    if any(e.is_zero is not True for e in left):  # no relative equilibrium: the nearest combination
        normal = [[dot(a, b) for b in moved] for a in moved]
        rates = linear.solve(normal, [dot(a, drift) for a in moved])
        left = _left(drift, moved, rates)
    frame = [list(row) for row in A]
    for rate, table in zip(rates, turned, strict=True):
        frame = [[e - rate * x for e, x in zip(a, b, strict=True)] for a, b in zip(frame, table, strict=True)]
    # the rows of slope: slope W_out = W_kept, with W the directions as columns
    transposed = [[column[i] for i in out] for column in moved]
    slope = linear.solve_columns(transposed, [[column[i] for column in moved] for i in kept])
    rows = []
    for i, weights in zip(kept, slope, strict=True):
        rows.append([frame[i][j] - dot(weights, [frame[o][j] for o in out]) for j in kept])
    return rows, [
        left[i] - dot(weights, [left[o] for o in out]) for i, weights in zip(kept, slope, strict=True)
    ]


def _left(drift: list[Element], moved: Rows, rates: list[Element]) -> list[Element]:
    """X − Σ c_i Ξ_i."""
    return [e - dot([column[i] for column in moved], rates) for i, e in enumerate(drift)]
