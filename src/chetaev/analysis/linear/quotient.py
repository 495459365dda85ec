"""The motion near a relative equilibrium of a group, in the frame that moves with it (SCOPE M3, M6).

Along generators ξ_i, lifted to Q as Ξ_i = (ξ_i, (∂ξ_i/∂q) v), a relative equilibrium is a state at which the
motion X is a combination of the Ξ_i, X = Σ c_i Ξ_i. There X − Σ c_i Ξ_i vanishes, and its derivative

    A − Σ c_i ∂Ξ_i/∂y

takes directions along the group to such directions: these are left out with the eigenvalues of the group
itself. What is left is the motion of the shape: A on T Q / span Ξ. Its coordinates are those of the chart in
which the group does not move, up to the group: as many are left out as the Ξ_i have independent directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.residual import Residual
from chetaev.laws.symmetry.given_fields import Components
from chetaev.numeric import least_squares, numerical_rank, pivot_columns, product, solve, unit_rows

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
    """The motion near a state, seen from a frame that moves along generators.

    Attributes
    ----------
    A
        The derivative of X − Σ c_i Ξ_i on the quotient by the group.
    kept, out
        Coordinates of the chart that are coordinates of the quotient, and those that the group moves.
    slope
        What does not change along the group is y_kept − slope·y_out.
    rates
        The c_i.
    drift
        X − Σ c_i Ξ_i in the kept coordinates: zero at a relative equilibrium.
    directions
        The Ξ_i in the chart, as columns.
    """

    A: Array
    kept: list[int]
    out: list[int]
    slope: Array
    rates: Array
    drift: Array
    directions: Array


def moving_frame(
    residual: Residual, fields: Sequence[Components], chart: LocalChart, E: Array, A: Array, drift: Array,
    q: Array, v: Array, p: Array,
) -> MovingFrame:  # fmt: skip
    """From A and X in a chart; the c_i are those of the shortest combination nearest to X."""
    tables = lifted(residual, fields, q, v, p)
    moved = np.array([t[chart.places, 0] for t in tables]).T
    c = least_squares(moved, drift)
    for rate, t in zip(c, tables, strict=True):
        A = A - rate * product(t[chart.places, 1:], E)
    rank = numerical_rank(unit_rows(moved.T))
    W = moved[:, pivot_columns(moved, rank, smallest=1e-9)]
    out = sorted(pivot_columns(W.T, rank, smallest=1e-9))
    kept = [i for i in range(len(A)) if i not in out]
    slope = solve(W[out].T, W[kept].T).T
    quotient = A[np.ix_(kept, kept)] - product(slope, A[np.ix_(out, kept)])
    left = drift - product(moved, c)
    return MovingFrame(quotient, kept, out, slope, c, left[kept] - product(slope, left[out]), moved)
